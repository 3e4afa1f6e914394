"""Samples random poses of a character and what a method makes of them, for machine learning: joint turns in, points out, as .npz.

    python sample_poses.py hero.glb out [method] [count]
"""
import sys

import numpy as np
import pelt

path, out = sys.argv[1], sys.argv[2]
method = sys.argv[3] if len(sys.argv) > 3 else "lbs"
count = int(sys.argv[4]) if len(sys.argv) > 4 else 16
random = np.random.default_rng(1)
with pelt.Character.load(path) as who, pelt.Skin(who, method) as skin:
    pose = pelt.Pose(who)
    name, seconds = list(who.clips.items())[-1]  # "range": every joint through its range of motion
    times = np.sort(random.uniform(0, seconds, count))
    points = np.empty((count, who.point_count, 3), np.float32)
    for k, time in enumerate(times):
        pose.from_clip(who.info.clip_count, time)
        skin.restart()  # each sample stands alone
        skin.step(pose, 0)
        points[k] = skin.positions  # the one copy
    np.savez(out + ".npz", times=times, points=points, triangles=who.triangles, joints=np.array(who.joint_names))
    print("%d poses of %s by %s, %d points each: %s.npz" % (count, name, method, who.point_count, out))
