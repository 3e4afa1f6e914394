"""Inside Blender: what the package makes of a mesh with an Armature modifier, by lbs, is what Blender makes of it.

Object transforms, a scaled parent, weights by groups, and an armature of 200 bones. Run by test_blender.sh.
"""
import os
import sys

sys.path[:0] = [sys.argv[sys.argv.index("--") + 1], os.path.dirname(os.path.abspath(__file__))]
import bpy  # noqa: E402
import numpy as np  # noqa: E402
import pelt  # noqa: E402
from rigs import make, pose, vertices  # noqa: E402


def world(points, matrix):
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def numbers(collection, name):
    values = np.empty(len(collection), np.int32)
    collection.foreach_get(name, values)
    return values


def character(rig, skin):
    mesh, names = skin.data, [b.name for b in rig.data.bones]
    place, most = np.array(rig.matrix_world), max(len(v.groups) for v in skin.data.vertices)
    joints = [pelt.Joint(b.name, names.index(b.parent.name) if b.parent else -1, place @ np.array(b.matrix_local))
              for b in rig.data.bones]
    which, share = np.zeros((len(mesh.vertices), most), np.int32), np.zeros((len(mesh.vertices), most), np.float32)
    for v in mesh.vertices:
        for k, g in enumerate(v.groups):
            which[v.index, k], share[v.index, k] = names.index(skin.vertex_groups[g.group].name), g.weight
    points = world(vertices(mesh), np.array(skin.matrix_world))
    return pelt.Character.create(joints, [pelt.Mesh(skin.name, points, numbers(mesh.loops, "vertex_index"),
                                                    numbers(mesh.polygons, "loop_total"), which, share)], up="z")


def compare(rig, skin, turns):
    bpy.context.view_layer.update()
    with character(rig, skin) as who, pelt.Skin(who, "lbs", {"weights": "file"}) as made:
        own = pelt.Pose(who)
        for turn in turns:
            pose(rig, turn)
            evaluated = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
            expected = world(vertices(evaluated.data), np.array(skin.matrix_world))
            place = np.array(rig.matrix_world)
            shear = own.set_matrices([place @ np.array(b.matrix) for b in rig.pose.bones])
            made.step(own, 1 / 24)
            worst = np.abs(made.positions - expected).max() / np.abs(expected).max()
            print("%d bones, turned by %.2f: %.1e of the size, shear %.1e" % (len(rig.pose.bones), turn, worst, shear))
            assert worst < 1e-5 and shear < 1e-4
            with pelt.Measure(who) as measure:  # in Blender's space too, lbs is where lbs is
                assert measure.frame(own, made.positions)["flown"] < 1e-5 and measure.map("from lbs").max() < 1e-5


rig, skin = make(3, 40)
skin.location, skin.rotation_euler, skin.scale = (1, 2, 3), (0.1, 0.2, 0.3), (2, 2, 2)
compare(rig, skin, (0, 0.5, 1.2))
rig, skin = make(3, 20)
rig.scale, skin.parent = (0.5, 0.5, 0.5), rig
compare(rig, skin, (0.7,))
rig, skin = make(200, 120)
compare(rig, skin, (0.004, 0.02))
