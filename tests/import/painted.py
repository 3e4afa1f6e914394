"""painted.py F.glb PAINT.json [moved]: materials, pictures and texture coordinates of a .glb against what make_fbx.py --paint put into the file it came from;
`moved`: the points are elsewhere, as in a bake, and only their texture coordinates are compared."""
import json, struct, sys

raw = open(sys.argv[1], "rb").read(); size = struct.unpack_from("<I", raw, 12)[0]
doc, data = json.loads(raw[20:20 + size]), raw[28 + size:]
asked = {mesh["material"]: mesh for mesh in json.load(open(sys.argv[2]))}
def check(good, said): good or sys.exit("FAILED: " + said)

def view(index): v = doc["bufferViews"][index]; return data[v.get("byteOffset", 0):][:v["byteLength"]]
def floats(index, width):
    a = doc["accessors"][index]; v = doc["bufferViews"][a["bufferView"]]
    check(a["componentType"] == 5126, "coordinates are not floats")
    return [struct.unpack_from(f"<{width}f", data, v.get("byteOffset", 0) + a.get("byteOffset", 0) + i * v.get("byteStride", 4 * width)) for i in range(a["count"])]

seen, moved = set(), len(sys.argv) > 3
for mesh in doc["meshes"]:
    for part in mesh["primitives"]:
        material = doc["materials"][part["material"]]; name = material["name"]; want = asked[name]; surface = material["pbrMetallicRoughness"]; seen.add(name)
        if want["image"]:
            check("baseColorTexture" in surface, f"{name} has lost its texture")
            image = doc["images"][doc["textures"][surface["baseColorTexture"]["index"]]["source"]]
            check(image["mimeType"] == "image/png" and view(image["bufferView"]).hex() == want["image"], f"{name}: the picture is another")
        else:
            check("baseColorTexture" not in surface, f"{name} has a texture from nowhere")
            check(max(abs(a - b) for a, b in zip(surface["baseColorFactor"], want["colour"] + [1])) < 1e-6, f"{name}: the colour is {surface['baseColorFactor']}")
        points, uv = floats(part["attributes"]["POSITION"], 3), floats(part["attributes"]["TEXCOORD_0"], 2)
        rows = list(zip(points, uv)); corners = {tuple(row) for row in want["corners"]}
        check(len(rows) == len(corners), f"{name}: {len(rows)} points for {len(corners)} corners that differ")
        for *place, u, v in corners:
            check(any(abs(u - t[0]) + abs(v - t[1]) < 1e-6 and (moved or max(abs(a - b) for a, b in zip(place, p)) < 1e-4) for p, t in rows), f"{name}: no point has {place} {u} {v}")
check(seen == set(asked), f"materials {sorted(seen)} of {sorted(asked)}")
print(f"{len(seen)} materials, {len(doc.get('images', []))} pictures")
