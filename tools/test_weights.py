#!/usr/bin/env python3
"""How far useless weights end from painted ones: single skins blended with the file's weights, and by default (weights=best) with
those of the same file painted to the strongest joint alone, with all of them on the root, and with weights=auto. Prints the median
and the largest distance of all vertices and frames, in % of the size; with --markdown a table of them, with how many vertices are ever
farther than 3 %. The built-in characters always; those of --folder where it is there. Exit code 1: a bake failed, or, with --strict, a median is above 0.3 % or a largest distance above 3 %.
  tools/test_weights.py --frames 20 --only hand,biped
"""
import argparse
import array
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT_IN = ("cylinder", "arm", "hand", "biped", "beast")
SINGLE_SKINS = ("arm.glb", "hand.glb", "cylinder2.glb", "makehuman-cc0.glb")
MOST_MEDIAN, MOST_LARGEST = 0.3, 3.0  # % of the size
JOINT_BYTES = {5121: 1, 5123: 2}
WEIGHT_FORMS = {5126: ("<f", 1.0), 5121: ("<B", 255), 5123: ("<H", 65535)}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pelt", default=os.environ.get("PELT", "build/pelt"), help="the command (default: $PELT or build/pelt)")
    p.add_argument("--folder", default=os.path.join(HERE, "..", "..", "shared", "data"), help="with single skins")
    p.add_argument("--only", default=None, metavar="NAMES", help="only these, with commas between")
    p.add_argument("--vertices", type=int, default=2400, metavar="N", help="of the built-in ones (default 2400)")
    p.add_argument("--frames", type=int, default=None, metavar="N", help="the first N of the first clip (default: all)")
    p.add_argument("--markdown", action="store_true", help="print a table by characters too")
    p.add_argument("--strict", action="store_true", help="exit code 1 where a figure is missed")
    return p.parse_args()


def open_glb(path):
    """The JSON of a .glb, and all its bytes, with where its binary chunk begins."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    length, = struct.unpack_from("<I", data, 12)
    return json.loads(data[20:20 + length]), data, 20 + length + 8


def rows_of(gltf, begin, accessor, size):
    """Where in the file each row of four of an accessor lies."""
    a = gltf["accessors"][accessor]
    view = gltf["bufferViews"][a["bufferView"]]
    first = begin + view.get("byteOffset", 0) + a.get("byteOffset", 0)
    step = view.get("byteStride", 4 * size)
    return [first + step * i for i in range(a["count"])]


def spoil(path, out, on_root):
    """Writes the file with each vertex on its strongest joint alone, or on the first joint."""
    gltf, data, begin = open_glb(path)
    for primitive in (p for m in gltf["meshes"] for p in m["primitives"] if "WEIGHTS_0" in p["attributes"]):
        joints, weights = primitive["attributes"]["JOINTS_0"], primitive["attributes"]["WEIGHTS_0"]
        joint_size = JOINT_BYTES[gltf["accessors"][joints]["componentType"]]
        form, one = WEIGHT_FORMS[gltf["accessors"][weights]["componentType"]]
        size = struct.calcsize(form)
        for at_joint, at_weight in zip(rows_of(gltf, begin, joints, joint_size), rows_of(gltf, begin, weights, size)):
            row = [struct.unpack_from(form, data, at_weight + size * k)[0] for k in range(4)]
            best = row.index(max(row))
            for k in range(4):
                struct.pack_into(form, data, at_weight + size * k, one if k == best else 0)
                if on_root:
                    data[at_joint + joint_size * k:at_joint + joint_size * (k + 1)] = bytes(joint_size)
    with open(out, "wb") as f:
        f.write(data)


def blend(a, path, folder, *settings):
    """Vertices of all frames by lbs, one flat array of floats a frame."""
    out = os.path.join(folder, "blended.pc2")
    command = [a.pelt, "bake", path, "-m", "lbs", "-q", "-o", out] + (["--frames", "0:%d" % (a.frames - 1)] if a.frames else [])
    p = subprocess.run(command + [w for s in settings for w in ("--set", s)], capture_output=True, text=True, check=False)
    if p.returncode:
        raise RuntimeError("%s: exit code %d: %s" % (os.path.basename(path), p.returncode, p.stderr.strip()[-120:]))
    with open(out, "rb") as f:
        data = f.read()
    count, = struct.unpack_from("<i", data, 16)
    floats = array.array("f", data[32:])
    return [floats[i:i + 3 * count] for i in range(0, len(floats), 3 * count)]


def compare(painted, other):
    """Median and largest distance, % of the size of the first frame; vertices that are ever beyond what is wanted."""
    size = math.dist([min(painted[0][k::3]) for k in range(3)], [max(painted[0][k::3]) for k in range(3)])
    far = [[100 * math.dist(p[i:i + 3], q[i:i + 3]) / size for i in range(0, len(p), 3)] for p, q in zip(painted, other)]
    flat = sorted(d for frame in far for d in frame)
    return flat[len(flat) // 2], flat[-1], sum(max(d) > MOST_LARGEST for d in zip(*far))


def characters(a, folder):
    for name in BUILT_IN:
        path = os.path.join(folder, name + ".glb")
        if not a.only or name in a.only.split(","):
            subprocess.run([a.pelt, "make", name, "--vertices", str(a.vertices), "--quiet", "-o", path], check=True)
            yield name, path
    for name in SINGLE_SKINS:
        path = os.path.join(a.folder, name)
        if os.path.exists(path) and (not a.only or name in a.only.split(",")):
            yield name, path


def markdown(found):
    """A column a character; a range where the three kinds of useless weights end in different places, bold what is beyond what is wanted."""
    def row(title, figure, form, most):
        cells = []
        for _, _, kinds in found:
            low, high = min(k[figure] for k in kinds), max(k[figure] for k in kinds)
            text = form % low if form % low == form % high else form % low + " to " + form % high
            cells.append("**%s**" % text if high > most else text)
        print("| %s | %s |" % (title, " | ".join(cells)))
    print("| | %s |" % " | ".join("%s, %s vertices" % (name, format(count, ",").replace(",", " ")) for name, count, _ in found))
    print("|---|" + "---|" * len(found))
    row("median, % of the size", 0, "%.2f", MOST_MEDIAN)
    row("largest", 1, "%.2f", MOST_LARGEST)
    row("vertices that are ever beyond %g %%" % MOST_LARGEST, 2, "%d", math.inf)


def main():
    a, missed, found = arguments(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        print("%-20s %20s %20s %20s   median / largest, %% of the size" % ("", "weights=auto", "strongest joint", "all on the root"))
        for name, path in characters(a, folder):
            painted, cells = blend(a, path, folder, "weights=file"), []
            found.append((name, len(painted[0]) // 3, []))
            spoilt = os.path.join(folder, "spoilt.glb")
            for kind in ("auto", "one", "root"):
                if kind != "auto":
                    spoil(path, spoilt, kind == "root")
                found[-1][2].append(compare(painted, blend(a, *((path, folder, "weights=auto") if kind == "auto" else (spoilt, folder)))))
                median, largest, _ = found[-1][2][-1]
                missed += median > MOST_MEDIAN or largest > MOST_LARGEST
                cells.append("%.2f / %.2f" % (median, largest))
            print("%-20s %20s %20s %20s" % (name, *cells), flush=True)
    print("%d of the figures above are missed (median %.1f, largest %.0f)" % (missed, MOST_MEDIAN, MOST_LARGEST))
    if a.markdown:
        markdown(found)
    return 1 if a.strict and missed else 0


if __name__ == "__main__":
    sys.exit(main())
