#!/usr/bin/env python3
"""A coarsely triangulated cuboid on two bones, as in the paper's Fig. 5: tools/cuboid.py out.gltf

Four long, one wide and high, cut into six along its length: 28 vertices, 52 triangles. `bend` turns the second bone by 120 degrees in a
second. For tools/figures-projective.sh."""
import base64
import json
import math
import struct
import sys

CUTS, LONG, HALF = 6, 4.0, 0.5
CORNERS = ((-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF))  # y, z

points, joints, weights, triangles = [], [], [], []
for cut in range(CUTS + 1):
    x = LONG * cut / CUTS - LONG / 2
    for y, z in CORNERS:
        points.append((x, y, z))
        joints.append((0, 1, 0, 0))
        weights.append((1.0, 0.0, 0.0, 0.0) if x < -1e-6 else (0.0, 1.0, 0.0, 0.0) if x > 1e-6 else (0.5, 0.5, 0.0, 0.0))
for cut in range(CUTS):
    for side in range(4):
        a, b = 4 * cut + side, 4 * cut + (side + 1) % 4
        triangles += [(a, b + 4, a + 4), (a, b, b + 4)]
triangles += [(0, 2, 1), (0, 3, 2)]
end = 4 * CUTS
triangles += [(end, end + 1, end + 2), (end, end + 2, end + 3)]

times = [i / 30 for i in range(31)]
turns = [(0.0, 0.0, math.sin(math.radians(120 * t) / 2), math.cos(math.radians(120 * t) / 2)) for t in times]
heads = (-0.45 * LONG, 0.0, 0.45 * LONG)  # inside the skin
binds = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, 0, 0, 1) for x in heads]

data, views, accessors = b"", [], []


def add(rows, kind, code, bounds=False):
    """Rows of numbers as an accessor; returns its number."""
    global data
    rows = [row if isinstance(row, tuple) else (row,) for row in rows]
    packed = b"".join(struct.pack(f"<{len(row)}{code}", *row) for row in rows)
    views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(packed)})
    data += packed + b"\0" * (-len(packed) % 4)
    accessor = {"bufferView": len(views) - 1, "componentType": {"f": 5126, "H": 5123}[code], "count": len(rows), "type": kind}
    if bounds:
        accessor["min"], accessor["max"] = ([float(f"{pick(c):.9g}") for c in zip(*rows)] for pick in (min, max))
    accessors.append(accessor)
    return len(accessors) - 1


primitive = {"attributes": {"POSITION": add(points, "VEC3", "f", True), "JOINTS_0": add(joints, "VEC4", "H"),
                            "WEIGHTS_0": add(weights, "VEC4", "f")},
             "indices": add([i for t in triangles for i in t], "SCALAR", "H")}
document = {
    "asset": {"version": "2.0", "generator": "tools/cuboid.py"},
    "scene": 0, "scenes": [{"nodes": [0, 3]}],
    "nodes": [{"name": "first", "translation": [heads[0], 0, 0], "children": [1]},
              {"name": "second", "translation": [heads[1] - heads[0], 0, 0], "children": [2]},
              {"name": "end", "translation": [heads[2] - heads[1], 0, 0]},
              {"name": "cuboid", "mesh": 0, "skin": 0}],
    "meshes": [{"primitives": [primitive]}],
    "skins": [{"joints": [0, 1, 2], "inverseBindMatrices": add(binds, "MAT4", "f")}],
    "animations": [{"name": "bend", "samplers": [{"input": add(times, "SCALAR", "f", True), "output": add(turns, "VEC4", "f")}],
                    "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}],
}
document |= {"bufferViews": views, "accessors": accessors,
             "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}
with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump(document, out)
