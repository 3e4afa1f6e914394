#!/usr/bin/env python3
"""`projective` beside the authors' later code (https://github.com/mbotsch/FastProjectiveSkinning), on that code's own body, skeleton and clip.

    /usr/bin/python3 tools/compare_peer.py --peer COMMAND [--library build/libpelt.so] [--rounds 3] [--frames 180] [--threads 1,2] FOLDER

FOLDER holds male_LR20.off, male.skel and male0.anim. None of that code or data is here; COMMAND runs its solver without a window. It is called as
COMMAND SKIN.off SKELETON.skel CLIP.anim THREADS COLLISIONS FRAMES, shows the clip as the peer's viewer does (from its first pose to its last in
half a second a pose, 60 poses a second), and prints one line of names and numbers: vertices, tets, prepare_ms, prepare_cpu_ms,
step_ms_mean, step_cpu_ms_mean. A step is a whole update: skeleton, base points, ten iterations, normals, with collisions their search.

Ours is stepped through the same poses by the Python package: one step of 1/60 s of ten iterations a pose, normals, without the last word and giving
way (the peer has neither). It needs numpy and build/libpelt.so. Both in turns; of one thread processor time, of two the clock; the least of all rounds' means.
"""
import argparse
import math
import os
import pathlib
import shlex
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
FPS = 60
WANTED = {"off": "8 times", "all": "15 times"}


def read_off(path):
    words = path.read_text().split()
    points, faces = int(words[1]), int(words[2])
    at = 4 + 3 * points
    rows = np.array(words[at:at + 4 * faces], dtype=np.int32).reshape(faces, 4)
    return np.array(words[4:at], dtype=np.float32).reshape(points, 3), rows[:, 1:]


def read_skeleton(path):
    """Names, parents and places; a joint may come before its parent."""
    lines = [line.split() for line in path.read_text().splitlines()[1:] if line.strip()]
    names = [line[3] for line in lines]
    return names, [names.index(line[4]) if line[4] in names else -1 for line in lines], [[float(x) for x in line[:3]] for line in lines]


def read_clip(path):
    """Poses of one quaternion a joint."""
    words = iter(path.read_text().split())
    poses, joints = int(next(words)), int(next(words))
    out = []
    for _ in range(poses):
        next(words)  # its time, which the peer does not use
        axes = np.array([[float(next(words)) for _ in range(3)] for _ in range(joints)])
        angles = np.array([float(next(words)) for _ in range(joints)])
        out.append(np.column_stack([np.cos(angles / 2), axes * np.sin(angles / 2)[:, None]]))
    return out


def between(a, b, t):
    dot = float(a @ b)
    b, dot = (-b, -dot) if dot < 0 else (b, dot)
    angle = math.acos(min(dot, 1.0))
    if angle < 1e-6:
        return a
    return (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / math.sin(angle)


def matrices(skeleton, turns):
    """Joint to world, of each joint turned about its place."""
    _, parents, places = skeleton
    out = [None] * len(parents)

    def of(j):
        if out[j] is None:
            w, x, y, z = turns[j]
            local = np.eye(4)
            local[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                             [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
            p = parents[j]
            local[:3, 3] = np.array(places[j]) - (np.array(places[p]) if p >= 0 else 0)
            out[j] = of(p) @ local if p >= 0 else local
        return out[j]
    return np.array([of(j) for j in range(len(parents))], dtype=np.float32)


def clip_poses(skeleton, poses, frames):
    """The peer's curve: forth and back, half a second a pose it was given."""
    out = []
    still = [(1.0, 0.0, 0.0, 0.0)] * (len(skeleton[0]) - len(poses[0]))
    for f in range(1, frames + 1):
        t = f / FPS / (0.5 * len(poses))
        t = t - int(t) if int(t) % 2 == 0 else int(t) + 1 - t
        t = min(t, 0.999999) * (len(poses) - 1)
        out.append(matrices(skeleton, [between(a, b, t - int(t)) for a, b in zip(poses[int(t)], poses[int(t) + 1])] + still))
    return out


class Ours:
    def __init__(self, folder, frames):
        import pelt
        self.pelt = pelt
        points, triangles = read_off(folder / "male_LR20.off")
        skeleton = read_skeleton(folder / "male.skel")
        rest = matrices(skeleton, [(1.0, 0.0, 0.0, 0.0)] * len(skeleton[0]))
        order = sorted(range(len(rest)), key=lambda j: self.depth(skeleton[1], j))  # parents first
        joints = [pelt.Joint(skeleton[0][j], order.index(skeleton[1][j]) if skeleton[1][j] >= 0 else -1, rest[j]) for j in order]
        self.who = pelt.Character.create(joints, [pelt.Mesh("skin", points, triangles)], up="z", unit_m=0.1)
        place = {name: j for j, name in enumerate(skeleton[0])}
        order = [place[name] for name in self.who.joint_names]
        self.poses = [np.ascontiguousarray(m[order]) for m in clip_poses(skeleton, read_clip(folder / "male0.anim"), frames)]

    @staticmethod
    def depth(parents, j):
        return 0 if parents[j] < 0 else 1 + Ours.depth(parents, parents[j])

    def run(self, threads, collisions):
        settings = {"iterations": 10, "time-step": 1 / FPS, "virtual-frames": "off", "collisions": collisions, "touch": "off", "give-way": "off", "body": "file"}
        clock, cpu = time.perf_counter(), time.process_time()
        out = {}
        with self.pelt.Skin(self.who, "projective", settings, threads=threads) as skin:
            out["prepare_ms"], out["prepare_cpu_ms"] = 1e3 * (time.perf_counter() - clock), 1e3 * (time.process_time() - cpu)
            pose = self.pelt.Pose(self.who)
            pose.set_matrices(self.poses[0])
            skin.step(pose, 0)
            clock = cpu = 0.0
            for m in self.poses:
                pose.set_matrices(m)
                a, b = time.perf_counter(), time.process_time()
                skin.step(pose, 1 / FPS)
                skin.normals
                clock, cpu = clock + time.perf_counter() - a, cpu + time.process_time() - b
            out["step_ms_mean"], out["step_cpu_ms_mean"] = 1e3 * clock / len(self.poses), 1e3 * cpu / len(self.poses)
            stats = skin.last_step.stats
            out["vertices"], out["tets"] = stats["simulated_vertices"], stats["tetrahedra"]
        return out


def peer_run(options, threads, collisions):
    files = [options.folder / name for name in ("male_LR20.off", "male.skel", "male0.anim")]
    command = shlex.split(options.peer) + [str(f) for f in files] + [str(threads), str(int(collisions != "off")), str(options.frames)]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": str(threads)}).stdout
    words = text.splitlines()[-1].split()
    words = words[len(words) % 2:]
    return {k: float(v) for k, v in zip(words[::2], words[1::2])}


def measure(options, say=lambda text: None):
    """{(threads, collisions, "step" or "prepare"): (ours ms, theirs ms)}, and how large both are."""
    ours = Ours(options.folder, options.frames)
    best, sizes = {}, {}
    for _ in range(options.rounds):
        for threads in options.threads:
            for collisions in ("off", "all"):
                for side, found in enumerate((ours.run(threads, collisions), peer_run(options, threads, collisions))):
                    sizes[side] = (found["vertices"], found["tets"])
                    for what, name in (("step", "step%s_ms_mean"), ("prepare", "prepare%s_ms")):
                        value = found[name % ("_cpu" if threads == 1 else "")]
                        key = (threads, collisions, what)
                        pair = best.setdefault(key, [math.inf, math.inf])
                        pair[side] = min(pair[side], value)
                say(f"{threads} thread{'s' if threads > 1 else ''}, collisions {collisions}: ours {best[threads, collisions, 'step'][0]:.2f} ms a step, theirs {best[threads, collisions, 'step'][1]:.2f}")
    return best, sizes


def lines(best, sizes):
    out = [f"| {sizes[0][0]:.0f} vertices, {sizes[0][1]:.0f} tetrahedra (theirs {sizes[1][0]:.0f}, {sizes[1][1]:.0f}) | ours, ms | theirs, ms | ratio | wanted |", "|---|---|---|---|---|"]
    for (threads, collisions, what), (a, b) in sorted(best.items(), key=lambda item: (item[0][2] == "prepare", item[0][0], item[0][1] != "off")):
        name = f"{'a step' if what == 'step' else 'prepare'}, {'without' if collisions == 'off' else 'with'} collisions, " + ("one thread (processor time)" if threads == 1 else f"{threads} threads")
        out.append(f"| {name} | {a:{'.0f' if a > 99 else '.3g'}} | {b:{'.0f' if b > 99 else '.3g'}} | {b / a:.1f} | {WANTED[collisions] if what == 'step' else ''} |")
    return out


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--library", default=str(ROOT / "build/libpelt.so"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--frames", type=int, default=180)
    parser.add_argument("--threads", type=lambda text: [int(t) for t in text.split(",")], default=[1, 2])
    options = parser.parse_args(words)
    os.environ.setdefault("PELT_LIBRARY", options.library)
    sys.path.insert(0, str(ROOT / "python"))
    return options


if __name__ == "__main__":
    print("\n".join(lines(*measure(arguments(), lambda text: print(text, file=sys.stderr)))))
