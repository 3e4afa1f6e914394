"""The installed package from outside: arrays in and out, errors, state, progress. Called by test_wheel.sh with a character."""
import gc
import os
import sys
import time

import numpy as np
import pelt

assert "site-packages" in pelt.__file__, pelt.__file__
path = sys.argv[1]


def fails(call, word, status):
    try:
        call()
    except pelt.Error as error:
        assert word in str(error) and error.status == status, (error.status, str(error))
        return
    raise AssertionError("no error with " + word)


fails(lambda: pelt.Character.load("no such file.glb"), "no such file", 2)
names = [m.name for m in pelt.methods()]
assert names[0] == "lbs" and "tracking" in names
option = {o.name: o for o in pelt.methods()[names.index("tracking")].options}["iterations"]
assert option.kind == "int" and option.live and option.help

with pelt.Character.load(path) as who:
    fails(lambda: pelt.Skin(who, "magic"), "magic", 1)
    fails(lambda: pelt.Skin(who, "tracking", {"iteration": 3}), "iterations", 1)
    stages = []
    with pelt.Skin(who, "tracking", {"iterations": 10}, progress=lambda stage, share: stages.append(share)) as skin:
        pose = pelt.Pose(who)
        pose.from_clip(0, 0.2)
        skin.step(pose, 1 / 30)
        view = skin.positions
        assert view.shape == (who.point_count, 3) and np.isfinite(view).all() and not view.flags.writeable
        first = view.copy()
        state = skin.state()
        pose.from_clip(0, 0.3)
        skin.step(pose, 1 / 30)
        second = view.copy()  # the same memory shows the new step
        assert not np.array_equal(first, second)
        skin.restore(state)
        assert np.array_equal(skin.positions, first)
        skin.step(pose, 1 / 30)
        assert np.array_equal(skin.positions, second)
        skin.set("smooth", 3)
        assert skin.get("smooth") == "3" and skin.get("nonsense") is None
        fails(lambda: skin.set("samples", 20), "new skin", 5)
        fails(lambda: skin.restore(state[:-1]), "state", 3)
        assert skin.last_step.stats["virtual_frames"] >= 1
        assert np.allclose(np.linalg.norm(skin.normals, axis=1), 1, atol=1e-4)
    fails(lambda: skin.step(pose, 0.1), "closed", 1)

    # the same character from arrays, z up and in centimetres, each point on its nearest of two joints
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], np.float32)
    points = who.rest @ turn.T * 100
    middle = np.eye(4, dtype=np.float32)
    middle[:3, 3] = points.mean(axis=0)
    upper = (points[:, 2] > middle[2, 3]).astype(np.int32)
    mesh = pelt.Mesh("copy", points, who.triangles, weight_joints=upper[:, None], weight_values=np.ones((len(points), 1)))
    joints = [pelt.Joint("low", -1, np.eye(4)), pelt.Joint("high", 0, middle)]
with pelt.Character.create(joints, [mesh], up="z", unit_m=0.01) as copy, pelt.Skin(copy, "lbs", {"weights": "file"}, threads=1) as skin:
    pose = pelt.Pose(copy)
    moved = np.array([np.eye(4), middle], np.float32)
    moved[1, 2, 3] += 7
    assert pose.set_matrices(moved) < 1e-5
    skin.step(pose, 0)
    expected = points + np.array([0, 0, 7]) * upper[:, None]
    assert np.abs(skin.positions - expected).max() < 1e-3
    fails(lambda: pose.set_matrices(moved[0]), "shape", 1)
    spent = []
    for _ in range(5):  # what Python adds to a step: least of five
        start, inside = time.perf_counter(), 0.0
        for _ in range(500):
            skin.step(pose, 0)
            skin.positions
            inside += skin._info.ms
        spent.append((time.perf_counter() - start) / 500 * 1e6 - inside / 500 * 1e3)
    print("Python adds %.1f us a step" % min(spent))
    assert min(spent) < 20, spent
fails(lambda: pelt.Character.create([pelt.Joint("a", 5, np.eye(4))], [mesh]), "parent", 3)


class Stop(Exception):
    pass


def stop(stage, share):
    raise Stop


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


with pelt.Character.load(path) as who:
    try:
        pelt.Skin(who, "tracking", progress=stop)
    except Stop:
        pass
    else:
        print("note: tracking reports no progress on so small a character")
    for k in range(60):
        if k == 20:
            before = resident()
        with pelt.Skin(who, "lbs", threads=1) as skin:
            skin.step(pelt.Pose(who), 0)
            skin.positions
    assert resident() - before < 4 << 20, "memory grows: %d" % (resident() - before)
