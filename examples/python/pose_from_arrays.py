"""A character from arrays, posed by matrices: a bar of two joints whose upper half bends, and how far edges stretch by two methods.

    python pose_from_arrays.py
"""
import numpy as np
import pelt

rings, corners = 31, 12
angle, height = np.meshgrid(np.arange(corners) * 2 * np.pi / corners, np.linspace(0, 1, rings))
points = np.stack([0.1 * np.cos(angle), height, -0.1 * np.sin(angle)], axis=-1).reshape(-1, 3)
a = np.arange((rings - 1) * corners)
b = a // corners * corners + (a + 1) % corners
quads = np.stack([a, b, b + corners, a + corners], axis=1)
ends = [np.arange(corners)[::-1], np.arange(corners) + (rings - 1) * corners]
upper = np.clip((points[:, 1] - 0.4) / 0.2, 0, 1)
mesh = pelt.Mesh("bar", points, np.concatenate([quads.ravel(), *ends]), [4] * len(quads) + [corners] * 2,
                 np.tile([0, 1], (len(points), 1)), np.stack([1 - upper, upper], axis=1))
elbow = np.eye(4)
elbow[1, 3] = 0.5
with pelt.Character.create([pelt.Joint("lower", -1, np.eye(4)), pelt.Joint("upper", 0, elbow)], [mesh]) as who:
    edges = np.concatenate([who.triangles[:, [0, 1]], who.triangles[:, [1, 2]]])
    rest = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    pose = pelt.Pose(who)
    for method in ("lbs", "dqs"):
        with pelt.Skin(who, method) as skin:
            for degrees in range(0, 121, 30):
                t = np.radians(degrees)
                bent = elbow.copy()
                bent[:3, :3] = [[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]]
                pose.set_matrices([np.eye(4), bent])
                skin.step(pose, 1 / 30)
                x = skin.positions
                stretch = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1) / rest
                print("%s %3d degrees: edges %.2f to %.2f %s" % (method, degrees, stretch.min(), stretch.max(),
                                                               "#" * int(20 * stretch.max())))
