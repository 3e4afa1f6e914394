#!/usr/bin/env python3
"""Makes kept.gltf: a small file that has a bit of everything a writer could lose. Run in its folder."""
import base64, json, math, struct, zlib

data, views, accessors = b"", [], []


def add(values, kind, component, bounds=False, **more):
    global data
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
    code = {5126: "f", 5123: "H", 5121: "B"}[component]
    data += b"\0" * (-len(data) % 4)
    views.append({"buffer": 0, "byteOffset": len(data), "byteLength": struct.calcsize(code) * len(values)})
    data += struct.pack("<%d%s" % (len(values), code), *values)
    a = {"bufferView": len(views) - 1, "componentType": component, "count": len(values) // width, "type": kind, **more}
    if bounds:
        f32 = [struct.unpack("<f", struct.pack("<f", v))[0] for v in values]
        a["min"] = [min(f32[i::width]) for i in range(width)]
        a["max"] = [max(f32[i::width]) for i in range(width)]
    accessors.append(a)
    return len(accessors) - 1


def tube(rings, around, radius, height):
    """Open tube along y; positions, normals, tangents, uv, indices, joints, weights."""
    p, n, t, u, j, w, ix = [], [], [], [], [], [], []
    for r in range(rings):
        for a in range(around):
            angle = 2 * math.pi * a / around
            c, s = math.cos(angle), math.sin(angle)
            p += [radius * c, height * r / (rings - 1), radius * s]
            n += [c, 0, s]
            t += [-s, 0, c, 1]
            u += [a / around, r / (rings - 1)]
            bend = min(max(r / (rings - 1) * 2 - 0.5, 0), 1)
            j += [0, 1 if bend > 0 else 0, 0, 0]
            w += [1 - bend, bend, 0, 0]
    for r in range(rings - 1):
        for a in range(around):
            b = (a + 1) % around
            q = [r * around + a, r * around + b, (r + 1) * around + a, (r + 1) * around + b]
            ix += [q[0], q[2], q[1], q[1], q[2], q[3]]
    return p, n, t, u, ix, j, w


p, n, t, u, ix, j, w = tube(9, 12, 0.2, 2)
shared = {"POSITION": add(p, "VEC3", 5126, True), "JOINTS_0": add(j, "VEC4", 5121), "WEIGHTS_0": add(w, "VEC4", 5126)}
dressed = dict(shared, NORMAL=add(n, "VEC3", 5126), TANGENT=add(t, "VEC4", 5126), TEXCOORD_0=add(u, "VEC2", 5126))
corners = add(ix, "SCALAR", 5123)
smile = {"POSITION": add([0.01] * len(p), "VEC3", 5126, True)}
blade = add([0, 0, 0, 0.1, 0, 0, 0, 1, 0], "VEC3", 5126, True)
bind = add([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1], "MAT4", 5126)
times = add([0, 0.5, 1], "SCALAR", 5126, True)
h = math.sqrt(0.5)
turns = add([0, 0, 0, 1, 0, 0, h, h, 0, 0, 0, 1], "VEC4", 5126)
faces = add([0, 1, 0], "SCALAR", 5126)


def clip(name, *channels):
    return {"name": name, "channels": [{"sampler": i, "target": {"node": c[0], "path": c[1]}} for i, c in enumerate(channels)],
            "samplers": [{"input": times, "output": c[2]} for c in channels]}


def png(width, height):
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + b"".join(bytes([80 * x, 80 * y, 200]) for x in range(width)) for y in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


document = {
    "asset": {"version": "2.0", "generator": "tests", "copyright": "nobody", "extras": {"asset": 1}},
    "extensionsUsed": ["ACME_unknown", "KHR_materials_unlit"],
    "extensions": {"ACME_unknown": {"number": 0.10000000000000001, "list": [1, 2, {"deep": "text"}]}},
    "extras": {"root": "kept"},
    "scene": 0,
    "scenes": [{"name": "stage", "nodes": [0], "extras": {"scene": True}}, {"name": "other", "nodes": [9]}],
    "nodes": [
        {"name": "armature", "translation": [3, 0, 0], "children": [1, 3, 6]},
        {"name": "hip", "children": [2]},
        {"name": "knee", "translation": [0, 1, 0], "children": [4, 5, 8]},
        {"name": "body", "mesh": 0, "skin": 0, "translation": [5, 0, 0], "weights": [0.5], "extras": {"node": "body"}},
        {"name": "sword", "mesh": 1, "translation": [0, 1, 0]},
        {"name": "eye", "camera": 0, "translation": [0, 0.5, 2]},
        {"name": "twin", "mesh": 0, "skin": 0, "children": [7], "rotation": [0, h, 0, h]},
        {"name": "tag", "extras": {"node": "tag"}},
        {"name": "finger", "translation": [0, 1, 0], "extras": {"node": "finger"}},
        {"name": "prop elsewhere", "mesh": 1},
    ],
    "meshes": [
        {"name": "bodymesh", "weights": [0.5], "extras": {"targetNames": ["smile"], "mesh": "extra"},
         "primitives": [{"attributes": dressed, "indices": corners, "material": 0, "targets": [smile], "extras": {"primitive": 0}},
                        {"attributes": shared, "indices": corners, "material": 1, "targets": [smile]}]},
        {"name": "blade", "primitives": [{"attributes": {"POSITION": blade}, "material": 1}]},
    ],
    "skins": [{"name": "bones", "joints": [1, 2], "inverseBindMatrices": bind, "skeleton": 1}],
    "animations": [clip("walk", (2, "rotation", turns), (3, "weights", faces)), clip("finger", (8, "rotation", turns)),
                   clip("swing", (4, "rotation", turns))],
    "cameras": [{"name": "lens", "type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}],
    "materials": [{"name": "skin", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0},
                   "extras": {"material": "skin"}},
                  {"name": "plain", "extensions": {"KHR_materials_unlit": {}, "ACME_unknown": {"shine": 3}}}],
    "textures": [{"source": 0, "sampler": 0, "name": "paint"}],
    "samplers": [{"wrapS": 33071}],
    "images": [{"uri": "kept%20texture.png", "name": "picture"}],
    "bufferViews": views,
    "accessors": accessors,
    "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode(),
                 "name": "bytes"}],
}
with open("kept texture.png", "wb") as f:
    f.write(png(3, 3))
with open("kept.gltf", "w") as f:
    json.dump(document, f, separators=(",", ":"))
    f.write("\n")
