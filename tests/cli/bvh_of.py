"""bvh_of.py IN.glb CLIP OUT.bvh: a clip of a rigged .glb as Biovision text, in centimetres and under the names of Mixamo. Written from the format's
description, for tests: joints rest without any turn, so the file has another rest frame for every joint than the .glb."""
import json, math, struct, sys

MIXAMO = {"Hips": "Hips", "Spine": "Spine", "Chest": "Spine1", "UpperChest": "Spine2", "Neck": "Neck", "Head": "Head"}
for side in ("Left", "Right"):
    for ours, theirs in (("Shoulder", "Shoulder"), ("UpperArm", "Arm"), ("LowerArm", "ForeArm"), ("Hand", "Hand"), ("UpperLeg", "UpLeg"), ("LowerLeg", "Leg"),
                         ("Foot", "Foot"), ("Toes", "ToeBase")):
        MIXAMO[side + ours] = side + theirs
    for finger, theirs in (("Thumb", "Thumb"), ("Index", "Index"), ("Middle", "Middle"), ("Ring", "Ring"), ("Little", "Pinky")):
        for k, part in enumerate(("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")):
            MIXAMO[side + finger + part] = f"{side}Hand{theirs}{k + 1}"

def mul(a, b):
    ax, ay, az, aw = a; bx, by, bz, bw = b
    return (aw*bx + ax*bw + ay*bz - az*by, aw*by - ax*bz + ay*bw + az*bx, aw*bz + ax*by - ay*bx + az*bw, aw*bw - ax*bx - ay*by - az*bz)

def conj(q): return (-q[0], -q[1], -q[2], q[3])
def turn(q, v):
    r = mul(mul(q, (*v, 0)), conj(q))
    return r[:3]

def slerp(a, b, u):
    d = sum(x*y for x, y in zip(a, b)); s = 1
    if d < 0: d, s = -d, -1
    if d > 0.9999: q = [(1 - u)*x + s*u*y for x, y in zip(a, b)]
    else:
        w = math.acos(d); q = [(math.sin((1 - u)*w)*x + s*math.sin(u*w)*y)/math.sin(w) for x, y in zip(a, b)]
    n = math.sqrt(sum(x*x for x in q))
    return tuple(x/n for x in q)

raw = open(sys.argv[1], "rb").read(); n, = struct.unpack_from("<I", raw, 12); doc = json.loads(raw[20:20 + n]); data = raw[28 + n:]
def floats(index):
    a = doc["accessors"][index]; v = doc["bufferViews"][a["bufferView"]]; k = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
    at = v.get("byteOffset", 0) + a.get("byteOffset", 0)
    rows = struct.unpack_from(f"<{k*a['count']}f", data, at)
    return [rows[i*k:i*k + k] for i in range(a["count"])]
nodes = doc["nodes"]; parent = {c: i for i, node in enumerate(nodes) for c in node.get("children", [])}
clip = next(a for a in doc["animations"] if a["name"] == sys.argv[2])
curves = {}
for c in clip["channels"]:
    s = clip["samplers"][c["sampler"]]
    curves[c["target"]["node"], c["target"]["path"]] = ([t[0] for t in floats(s["input"])], floats(s["output"]))
def at(node, path, default, time):
    if time is None or (node, path) not in curves: return tuple(nodes[node].get(path, default))
    times, values = curves[node, path]
    if time <= times[0]: return values[0]
    if time >= times[-1]: return values[-1]
    k = max(i for i, t in enumerate(times) if t <= time); u = (time - times[k])/(times[k + 1] - times[k])
    if path == "rotation": return slerp(values[k], values[k + 1], u)
    return tuple((1 - u)*a + u*b for a, b in zip(values[k], values[k + 1]))
def world(node, time):
    r, t = at(node, "rotation", (0, 0, 0, 1), time), at(node, "translation", (0, 0, 0), time)
    if node not in parent: return r, t
    q, p = world(parent[node], time)
    return mul(q, r), tuple(a + b for a, b in zip(p, turn(q, t)))
hips = next(i for i, node in enumerate(nodes) if node.get("name") == "Hips")
order, lines = [], ["HIERARCHY"]
def say(node, depth):
    order.append(node); pad = "\t"*depth; rest = world(node, None)[1]; base = world(parent[node], None)[1] if depth else rest
    lines.append(f"{pad}{'JOINT' if depth else 'ROOT'} {MIXAMO.get(nodes[node]['name'], nodes[node]['name'])}"); lines.append(pad + "{")
    lines.append(pad + "\tOFFSET " + " ".join(f"{100*(a - b):.5f}" for a, b in zip(rest, base)))
    lines.append(pad + ("\tCHANNELS 3 " if depth else "\tCHANNELS 6 Xposition Yposition Zposition ") + "Zrotation Xrotation Yrotation")
    for c in nodes[node].get("children", []): say(c, depth + 1)
    if not nodes[node].get("children"): lines.extend([pad + "\tEnd Site", pad + "\t{", pad + "\t\tOFFSET 0 " + ("-8.0" if "Toes" in nodes[node]["name"] else "0") + " 0", pad + "\t}"])
    lines.append(pad + "}")
say(hips, 0)
last = max(t[-1] for t, _ in curves.values()); frames = round(last*30) + 1
lines += ["MOTION", f"Frames: {frames}", f"Frame Time: {1/30:.9f}"]
height = None
for f in range(frames):
    row, deltas = [], {}
    for node in order:
        q, p = world(node, f/30)
        deltas[node] = mul(q, conj(world(node, None)[0]))
        if node == hips: row += [100*x for x in p]
        x, y, z, w = deltas[node] if node == hips else mul(conj(deltas[parent[node]]), deltas[node])
        # R = Rz Rx Ry
        sx = max(-1, min(1, 2*(y*z + x*w)))
        row += [math.degrees(math.atan2(-2*(x*y - z*w), 1 - 2*(x*x + z*z))), math.degrees(math.asin(sx)), math.degrees(math.atan2(-2*(x*z - y*w), 1 - 2*(x*x + y*y)))]
    lines.append(" ".join(f"{v:.6f}" for v in row))
open(sys.argv[3], "w").write("\n".join(lines) + "\n")
print(f"{sum((a - b)**2 for a, b in zip(world(hips, None)[1], (0, 0, 0)))**.5:.4f}", frames)
