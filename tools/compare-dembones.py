#!/usr/bin/env python3
"""Distilling beside Dem Bones, an existing decomposition, on the same samples: weights alone, and with as many helpers as ours,
theirs free, ours driven by rules. None of that tool is here: COMMAND runs it, called as COMMAND INPUT ITERATIONS, and prints three lines, "original",
"weights" and "helpers", each with root mean square, 99th percentile and largest distance in metres on poses learnt from, the same on poses held out, and seconds of
processor time. INPUT is what write_input writes: seven counts (32 bit), then the arrays in its order. Prints the table of docs/lab/distil.md.
  tools/compare-dembones.py --tool COMMAND --character biped --vertices 2951 --poses 200 --held-out 50
"""
import argparse
import array
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile

HEADER = 64  # of a file of samples; then records: points, then translation, rotation (x, y, z, w) and scale of every node


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pelt", default=os.environ.get("PELT", "build/pelt"))
    p.add_argument("--tool", required=True, metavar="COMMAND", help="runs Dem Bones on INPUT, see above")
    p.add_argument("--character", default="biped", help="built in")
    p.add_argument("--vertices", type=int, default=2951)
    p.add_argument("--method", default="tracking")
    p.add_argument("--poses", type=int, default=200)
    p.add_argument("--held-out", type=int, default=50)
    p.add_argument("--iterations", type=int, default=30, help="of Dem Bones: its library's default")
    p.add_argument("--work", help="folder to keep samples in (default: a new one, removed)")
    return p.parse_args()


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) + (a[i][3] if j == 3 else 0) for j in range(4)] for i in range(3)]


def matrix_of(t, q, s):
    n = sum(c * c for c in q) ** 0.5
    x, y, z, w = (c / n for c in q)
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [[r[i][j] * s[j] for j in range(3)] + [t[i]] for i in range(3)]


class Character:
    """A built-in one, as pelt writes it: one mesh, one skin."""
    KINDS = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
    WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}

    def __init__(self, path):
        data = open(path, "rb").read()
        length = struct.unpack("<I", data[12:16])[0]
        self.gltf, self.binary = json.loads(data[20:20 + length]), data[28 + length:]
        shape = self.gltf["meshes"][0]["primitives"][0]
        self.rest, self.corners = self.read(shape["attributes"]["POSITION"]), self.read(shape["indices"])
        self.bone, weight = self.read(shape["attributes"]["JOINTS_0"]), self.read(shape["attributes"]["WEIGHTS_0"])
        self.weight = weight if weight.typecode == "f" else array.array("f", (w / (2 ** (8 * weight.itemsize) - 1) for w in weight))
        skin = self.gltf["skins"][0]
        self.joints, binds = skin["joints"], self.read(skin["inverseBindMatrices"])
        self.binds = [[[binds[16 * j + 4 * c + r] for c in range(4)] for r in range(3)] for j in range(len(self.joints))]
        self.parent = {c: n for n, node in enumerate(self.gltf["nodes"]) for c in node.get("children", [])}

    def read(self, number):
        accessor = self.gltf["accessors"][number]
        view, kind = self.gltf["bufferViews"][accessor["bufferView"]], self.KINDS[accessor["componentType"]]
        begin, count = view.get("byteOffset", 0) + accessor.get("byteOffset", 0), accessor["count"] * self.WIDTH[accessor["type"]]
        return array.array(kind, self.binary[begin:begin + count * struct.calcsize(kind)])

    def head(self, joint):
        """Where a joint is at rest: a bind is its inverse, a turn and a shift."""
        b = self.binds[joint]
        return [-sum(b[k][i] * b[k][3] for k in range(3)) for i in range(3)]

    def matrices(self, nodes):
        """Rest to pose, of every joint, by the local transforms of all nodes (ten numbers each)."""
        world = {}

        def of(n):
            if n not in world:
                ten = nodes[10 * n:10 * n + 10]
                local = matrix_of(ten[0:3], ten[3:7], ten[7:10])
                world[n] = multiply(of(self.parent[n]), local) if n in self.parent else local
            return world[n]
        return [multiply(of(n), bind) for n, bind in zip(self.joints, self.binds)]


def records(path, points, nodes):
    size = 4 * (3 * points + 10 * nodes)
    with open(path, "rb") as file:
        file.seek(HEADER)
        while len(record := file.read(size)) == size:
            numbers = array.array("f", record)
            yield numbers[:3 * points], numbers[3 * points:]


def write_input(path, who, drivers, options, samples):
    joints = {n: j for j, n in enumerate(who.joints)}
    helpers = [joints[drivers["joints"][h["joint"]]["node"]] for h in drivers["helpers"]]
    parents = [joints[who.parent[who.joints[j]]] for j in helpers]
    points = len(who.rest) // 3
    made = list(records(samples, points, len(who.gltf["nodes"])))
    made = made[options.held_out:] + made[:options.held_out]  # held-out ones are first in the file
    if len(made) != options.poses + options.held_out:
        sys.exit(f"{samples}: {len(made)} samples, not {options.poses + options.held_out}")
    with open(path, "wb") as out:
        array.array("i", [points, len(who.corners) // 3, options.poses, options.held_out, len(joints), len(helpers), 4]).tofile(out)
        who.rest.tofile(out)
        array.array("i", who.corners).tofile(out)
        for skin, _ in made:
            skin.tofile(out)
        for _, nodes in made:
            array.array("d", (x for m in who.matrices(nodes) for row in m for x in row)).tofile(out)
        array.array("i", (j for pair in zip(helpers, parents) for j in pair)).tofile(out)
        array.array("d", (x for j in helpers for x in who.head(j))).tofile(out)
        array.array("i", who.bone).tofile(out)
        who.weight.tofile(out)
    return len(helpers)


def ours(options, folder, character, samples, flags):
    report, before = os.path.join(folder, "report.json"), os.times()
    subprocess.run([options.pelt, "distil", character, "-m", options.method, "--poses", str(options.poses), "--held-out", str(options.held_out), "--no-clips", "--samples", samples,
                    "-o", os.path.join(folder, "out.glb"), "--report", report, "-q"] + flags, check=True)
    after, errors = os.times(), {e["poses"]: e for e in json.load(open(report))["errors"]}
    numbers = [errors[p]["distilled"][k] for p in ("learnt", "held out") for k in ("rms", "p99", "largest")]
    return numbers, after.children_user - before.children_user


def row(name, numbers, seconds):
    mm = [f"{1000 * x:.2f}" for x in numbers]
    print(f"| {name} | {' / '.join(mm[:3])} | {' / '.join(mm[3:])} | {seconds} |", flush=True)


def compare(options, folder):
    character = os.path.join(folder, "who.glb")
    samples, data = os.path.join(folder, "who.samples"), os.path.join(folder, "input")
    subprocess.run([options.pelt, "make", options.character, "--vertices", str(options.vertices), "-o", character, "-q"], check=True)
    ours(options, folder, character, samples, ["--helpers", "0", "--correctives", "0", "--threads", "1"])  # makes the samples
    lines = [("weights", *ours(options, folder, character, samples, ["--helpers", "0", "--correctives", "0", "--threads", "1"])),
             ("all", *ours(options, folder, character, samples, ["--threads", "1"])),
             ("helpers", *ours(options, folder, character, samples, ["--correctives", "0", "--threads", "1"]))]
    mine = {name: (numbers, f"{seconds:.1f}") for name, numbers, seconds in lines}
    drivers = json.load(open(os.path.join(folder, "out.drivers.json")))
    count = write_input(data, Character(character), drivers, options, samples)
    print("| mm | learnt from, RMS / p99 / largest | held out | seconds |\n|---|---|---|---|")
    theirs = subprocess.Popen(shlex.split(options.tool) + [data, str(options.iterations)], stdout=subprocess.PIPE, text=True)
    for line in theirs.stdout:
        name, *numbers = line.split()
        label = {"original": "original weights", "weights": "Dem Bones, weights alone", "helpers": f"Dem Bones, {count} free helpers (fitted to the held-out poses too)"}[name]
        row(label, [float(x) for x in numbers[:6]], "" if name == "original" else f"{float(numbers[6]):.1f}")
    if theirs.wait():
        sys.exit(f"{options.tool} failed")
    row("Pelt, weights alone", *mine["weights"])
    row(f"Pelt, {count} helpers by rules", *mine["helpers"])
    row(f"Pelt, {count} helpers and 64 correctives by rules", *mine["all"])


def main():
    options = arguments()
    if options.work:
        os.makedirs(options.work, exist_ok=True)
        return compare(options, options.work)
    with tempfile.TemporaryDirectory() as folder:
        compare(options, folder)


main()
