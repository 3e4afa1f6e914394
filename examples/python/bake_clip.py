"""Plays the first clip of a character and writes all frames as one array.

    python bake_clip.py hero.glb out [method]
"""
import sys

import numpy as np
import pelt

path, out = sys.argv[1], sys.argv[2]
method = sys.argv[3] if len(sys.argv) > 3 else "dqs"
fps = 30
with pelt.Character.load(path) as who, pelt.Skin(who, method) as skin:
    for code, text in who.warnings + skin.warnings:
        print("%s: %s" % (code, text))
    pose, frames = pelt.Pose(who), min(who.clip_frames(0, fps), 60)
    points = np.empty((frames, who.point_count, 3), np.float32)
    for frame in range(frames):
        pose.from_clip(0, frame / fps)
        skin.step(pose, 1 / fps)
        points[frame] = skin.positions
    np.save(out + ".npy", points)
    print("%d frames, prepared in %.0f ms, the last step took %.2f ms" % (frames, skin.prepare_ms, skin.last_step.ms))
