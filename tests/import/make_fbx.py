"""make_fbx.py OUT.fbx [options]: writes a binary FBX 7.4 of a skinned tube, from the format's description, with the standard library alone. For tests:
files with a known answer, of any size, and with what real exporters write: joints turned at rest, units, axes, several clips and meshes, a morph target with
curves. --answers writes OUT.clipN.pc2, what the points do by the rules of FBX and of linear blending, computed here, in metres and y up; --scale: a joint
swells and its children do not inherit that (Maya's segment scale compensation). --rings R --around A: points; --joints J --clips C --frames F; --morph; --unit CM; --z-up; --meshes M; --plain: arrays not deflated.
--paint: each mesh has texture coordinates and a material; the first with a picture inside the file, the second with one beside it, the others a colour. OUT.paint.json says which."""
import argparse, json, math, os, struct, zlib

TICKS = 46186158000  # of a second
parser = argparse.ArgumentParser()
parser.add_argument("out")
for name, value in (("rings", 24), ("around", 10), ("joints", 4), ("clips", 2), ("frames", 16), ("meshes", 1)):
    parser.add_argument("--" + name, type=int, default=value)
parser.add_argument("--unit", type=float, default=1.0)
for flag in ("morph", "z-up", "plain", "scale", "answers", "paint"):
    parser.add_argument("--" + flag, action="store_true")
args = parser.parse_args()

# ---- the container: records of (end, count, size, name, properties, records)

class Array:
    def __init__(self, code, values): self.code, self.values = code, values

def prop(value):
    if isinstance(value, Array):
        raw = struct.pack(f"<{len(value.values)}{value.code}", *value.values)
        packed = raw if args.plain or len(raw) < 128 else zlib.compress(raw, 1)
        return {"q": b"l", "i": b"i", "d": b"d", "f": b"f"}[value.code] + struct.pack("<III", len(value.values), packed is not raw, len(packed)) + packed
    if isinstance(value, bytes): return b"R" + struct.pack("<I", len(value)) + value
    if isinstance(value, str): value = value.encode(); return b"S" + struct.pack("<I", len(value)) + value
    if isinstance(value, bool): return b"C" + struct.pack("<?", value)
    if isinstance(value, float): return b"D" + struct.pack("<d", value)
    return b"I" + struct.pack("<i", value) if -2**31 <= value < 2**31 and not isinstance(value, Id) else b"L" + struct.pack("<q", value)

class Id(int): pass

def record(out, name, props, children=()):
    at = out.tell(); body = b"".join(map(prop, props))
    out.write(struct.pack("<III", 0, len(props), len(body)) + bytes([len(name)]) + name.encode() + body)
    for child in children: record(out, *child)
    if children or not props: out.write(b"\0" * 13)
    end = out.tell(); out.seek(at); out.write(struct.pack("<I", end)); out.seek(end)

def properties(*rows): return ("Properties70", [], [("P", list(row)) for row in rows])
def number(name, value): return (name, "Number" if isinstance(value, float) else "int", "", "A" if isinstance(value, float) else "", value)
def vector(name, kind, v): return (name, kind, "", "A", *map(float, v))
count = iter(range(1000, 1 << 30))
def new(): return Id(next(count))
def named(name, kind): return name + "\0\1" + kind

# ---- turns: Euler degrees, x first

def euler(x, y, z):
    def r(axis, degrees):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees)); i, j = (axis + 1) % 3, (axis + 2) % 3
        m = [[float(a == b) for b in range(3)] for a in range(3)]; m[i][i] = m[j][j] = c; m[i][j], m[j][i] = -s, s
        return m
    return mul(r(2, z), mul(r(1, y), r(0, x)))
def mul(a, b): return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
def apply(a, v): return [sum(a[i][k] * v[k] for k in range(3)) for i in range(3)]
def matrix(r, t): return [r[0][0], r[1][0], r[2][0], 0., r[0][1], r[1][1], r[2][1], 0., r[0][2], r[1][2], r[2][2], 0., *t, 1.]  # by columns

# ---- the tube

length = 100.0; step = length / args.joints
rest = [(0, 0, 0)] + [(10.0 * k, -7.0 * k, 5.0 * k) for k in range(1, args.joints)]  # Lcl Rotation at rest
before = [(0, 0, 0)] + [(0, 90.0 * (k % 3), 15.0 * (k % 2)) for k in range(1, args.joints)]  # PreRotation
worlds = []
for k in range(args.joints):
    r, t = mul(euler(*before[k]), euler(*rest[k])), [0.0, 0.0 if k == 0 else step, 0.0]
    if k: t = [a + b for a, b in zip(worlds[-1][1], apply(worlds[-1][0], t))]; r = mul(worlds[-1][0], r)
    worlds.append((r, t))
def skeleton_point(y):  # the tube goes along the joints as they rest
    k = min(int(y / step), args.joints - 1); r, t = worlds[k]
    return k, lambda v: [a + b for a, b in zip(t, apply(r, [v[0], v[1] - k * step, v[2]]))]

def tube(mesh):
    points, faces, weights, bulge = [], [], [[] for _ in range(args.joints)], []
    for i in range(args.rings):
        y = length * i / (args.rings - 1); k, place = skeleton_point(y); share = min(max((y / step - k), 0), 1)
        for j in range(args.around):
            a = 2 * math.pi * j / args.around; radius = 8 + 2 * mesh
            v = len(points); points.append(place([radius * math.cos(a), y, radius * math.sin(a)])); bulge.append([0, 0, 3.0 * math.sin(math.pi * y / length)])
            next_share = 0.5 * share if k + 1 < args.joints else 0
            weights[k].append((v, 1 - next_share))
            if next_share > 0: weights[k + 1].append((v, next_share))
            if i: b = v - args.around; w = v - j + (j + 1) % args.around; faces += [b, v, w, ~(w - args.around)]
    return points, faces, weights, bulge

# ---- paint

def picture(seed):
    """A PNG of 4 x 4 points."""
    def chunk(name, body): return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    rows = b"".join(b"\0" + bytes((seed + 31 * x + 57 * y * c) % 256 for x in range(4) for c in (1, 2, 3)) for y in range(4))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")

def paint_layers(points, faces, said):
    """Texture coordinates by corner, around and along, with a seam; what each corner has goes to `said`."""
    uv = []
    for c, f in enumerate(faces):
        v = f if f >= 0 else ~f; i, j = divmod(v, args.around)
        uv.append(((args.around if j == 0 and c % 4 > 1 else j) / args.around, i / (args.rings - 1)))
        said.append([*points[v], uv[-1][0], 1 - uv[-1][1]])  # glTF counts from the top
    return [("LayerElementUV", [0], [("Version", [101]), ("Name", ["map"]), ("MappingInformationType", ["ByPolygonVertex"]), ("ReferenceInformationType", ["IndexToDirect"]),
             ("UV", [Array("d", [x for pair in uv for x in pair])]), ("UVIndex", [Array("i", list(range(len(uv))))])]),
            ("LayerElementMaterial", [0], [("Version", [101]), ("Name", [""]), ("MappingInformationType", ["AllSame"]), ("ReferenceInformationType", ["IndexToDirect"]), ("Materials", [Array("i", [0])])])]

def paint(mesh, model):
    material, texture, video = new(), new(), new(); colour = [0.25 + 0.125 * mesh, 0.5, 0.75]; name = f"skin{mesh}.png"; image = picture(40 * mesh)
    objects.append(("Material", [material, named(f"paint{mesh}", "Material"), ""], [("Version", [102]), ("ShadingModel", ["phong"]), ("MultiLayer", [0]),
                    properties(vector("DiffuseColor", "Color", colour), number("DiffuseFactor", 1.0))]))
    connect(material, model)
    if mesh < 2:
        far = "C:\\art\\" + name  # as exporters write it: where it was on the machine the file was made on
        if mesh == 1: open(os.path.join(os.path.dirname(args.out), name), "wb").write(image)
        objects.append(("Texture", [texture, named(name, "Texture"), ""], [("Type", ["TextureVideoClip"]), ("Version", [202]), ("TextureName", [named(name, "Texture")]),
                        ("Media", [named(name, "Video")]), ("FileName", [far]), ("RelativeFilename", [far])]))
        objects.append(("Video", [video, named(name, "Video"), "Clip"], [("Type", ["Clip"]), ("UseMipMap", [0]), ("Filename", [far]), ("RelativeFilename", [far])] + [("Content", [image])] * (mesh == 0)))
        connect(texture, material, "DiffuseColor"); connect(video, texture)
    return {"material": f"paint{mesh}", "colour": colour, "image": image.hex() if mesh < 2 else None}

objects, links, painted = [], [], []
def connect(a, b, name=None): links.append(("C", ["OO", a, b]) if name is None else ("C", ["OP", a, b, name]))
root = Id(0); models = []
for k in range(args.joints):
    model, attribute = new(), new(); models.append(model)
    objects.append(("NodeAttribute", [attribute, named(f"joint{k}", "NodeAttribute"), "LimbNode"], [("TypeFlags", ["Skeleton"])]))
    objects.append(("Model", [model, named(f"joint{k}", "Model"), "LimbNode"], [("Version", [232]), properties(
        number("RotationActive", 1), vector("PreRotation", "Vector3D", before[k]), number("InheritType", 2 if args.scale else 1),
        vector("Lcl Translation", "Lcl Translation", (0, 0 if k == 0 else step, 0)), vector("Lcl Rotation", "Lcl Rotation", rest[k]), vector("Lcl Scaling", "Lcl Scaling", (1, 1, 1)))]))
    connect(attribute, model); connect(model, models[k - 1] if k else root)
channels, meshes = [], []
poses = [("PoseNode", [], [("Node", [models[k]]), ("Matrix", [Array("d", matrix(*worlds[k]))])]) for k in range(args.joints)]
for mesh in range(args.meshes):
    points, faces, weights, bulge = tube(mesh); meshes.append((points, weights, bulge))
    geometry, model, skin = new(), new(), new(); name = f"tube{mesh}"; corners = []
    layers = paint_layers(points, faces, corners) if args.paint else []
    if args.paint: painted.append({"corners": corners, **paint(mesh, model)})
    objects.append(("Geometry", [geometry, named(name, "Geometry"), "Mesh"], [("Vertices", [Array("d", [c for p in points for c in p])]),
                    ("PolygonVertexIndex", [Array("i", faces)]), ("GeometryVersion", [124])] + layers +
                    [("Layer", [0], [("Version", [100])] + [("LayerElement", [], [("Type", [layer[0]]), ("TypedIndex", [0])]) for layer in layers])]))
    objects.append(("Model", [model, named(name, "Model"), "Mesh"], [("Version", [232]), properties(number("InheritType", 1), number("DefaultAttributeIndex", 0))]))
    connect(geometry, model); connect(model, root); poses.append(("PoseNode", [], [("Node", [model]), ("Matrix", [Array("d", matrix(euler(0, 0, 0), (0., 0., 0.)))])]))
    objects.append(("Deformer", [skin, named("", "Deformer"), "Skin"], [("Version", [101]), ("Link_DeformAcuracy", [50.0])])); connect(skin, geometry)
    for k in range(args.joints):
        r, t = worlds[k]; back = [list(row) for row in zip(*r)]; cluster = new()
        objects.append(("Deformer", [cluster, named(f"joint{k}", "SubDeformer"), "Cluster"], [("Version", [100]), ("UserData", ["", ""]),
                        ("Indexes", [Array("i", [v for v, _ in weights[k]])]), ("Weights", [Array("d", [w for _, w in weights[k]])]),
                        ("Transform", [Array("d", matrix(back, [-x for x in apply(back, t)]))]), ("TransformLink", [Array("d", matrix(r, t))])]))
        connect(cluster, skin); connect(models[k], cluster)
    if args.morph:
        deformer, channel, shape = new(), new(), new(); channels.append(channel)
        objects.append(("Geometry", [shape, named("bulge", "Geometry"), "Shape"], [("Version", [100]), ("Indexes", [Array("i", list(range(len(points))))]),
                        ("Vertices", [Array("d", [c for p in bulge for c in p])]), ("Normals", [Array("d", [0.0] * (3 * len(points)))])]))
        objects.append(("Deformer", [deformer, named(name, "Deformer"), "BlendShape"], [("Version", [100])]))
        objects.append(("Deformer", [channel, named("bulge", "SubDeformer"), "BlendShapeChannel"], [("Version", [100]), ("DeformPercent", [0.0]), ("FullWeights", [Array("d", [100.0])]),
                        properties(number("DeformPercent", 0.0))]))
        connect(deformer, geometry); connect(channel, deformer); connect(shape, channel)
objects.append(("Pose", [new(), named("bind", "Pose"), "BindPose"], [("Type", ["BindPose"]), ("Version", [100]), ("NbPoseNodes", [len(poses)])] + poses))

def curve(values):
    c = new(); times = [TICKS * f // 30 for f in range(len(values))]
    objects.append(("AnimationCurve", [c, named("", "AnimCurve"), ""], [("Default", [float(values[0])]), ("KeyVer", [4008]), ("KeyTime", [Array("q", times)]),
                    ("KeyValueFloat", [Array("f", values)]), ("KeyAttrFlags", [Array("i", [4])]), ("KeyAttrDataFloat", [Array("f", [0.0] * 4)]), ("KeyAttrRefCount", [Array("i", [len(values)])])]))
    return c
def joint_matrices(played, f):
    """Turn and scale, place of every joint; a joint that does not inherit its parent's own scale has R_parent R S, at the place its whole parent carries it to."""
    def at(model, kind, default): return played[model, kind](f) if (model, kind) in played else default
    out = []
    for k, model in enumerate(models):
        t = at(model, "T", (0, 0 if k == 0 else step, 0)); own = mul(euler(*before[k]), euler(*at(model, "R", rest[k]))); s = at(model, "S", (1, 1, 1))
        turn, place = own, list(t)
        if k: above, linear, at_ = out[-1]; turn = mul(above, own); place = [a + b for a, b in zip(at_, apply(linear, t))]
        scaled = [[turn[i][j] * s[j] for j in range(3)] for i in range(3)]  # no joint but one has a scale, so what is above it has none
        out.append((turn if args.scale else scaled, scaled, place))
    return out

def answer(path, played):
    frames = []
    for f in range(args.frames):
        bones = []
        for (r, t), (_, linear, place) in zip(worlds, joint_matrices(played, f)):
            back = [list(row) for row in zip(*r)]; m = mul(linear, back); bones.append((m, [a - b for a, b in zip(place, apply(m, t))]))
        for index, (points, weights, bulge) in enumerate(meshes):
            amount = played[channels[index], "DeformPercent"](f)[0] / 100 if args.morph else 0; moved = [[0.0] * 3 for _ in points]
            for k, rows in enumerate(weights):
                m, t = bones[k]
                for v, w in rows:
                    q = apply(m, [a + amount * b for a, b in zip(points[v], bulge[v])])
                    for i in range(3): moved[v][i] += w * (q[i] + t[i])
            for q in moved:
                q = [c * args.unit / 100 for c in q]; frames.append((q[0], q[2], -q[1]) if args.z_up else q)
    n = len(frames) // args.frames
    with open(path, "wb") as out: out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, n, 0, 1, args.frames) + b"".join(struct.pack("<3f", *q) for q in frames))

stop = TICKS * (args.frames - 1) // 30
for clip in range(args.clips):
    stack, layer = new(), new()
    objects.append(("AnimationStack", [stack, named(f"clip{clip}", "AnimStack"), ""], [properties(*[(key, "KTime", "Time", "", Id(value)) for key, value in
                    (("LocalStart", 0), ("LocalStop", stop), ("ReferenceStart", 0), ("ReferenceStop", stop))])]))
    objects.append(("AnimationLayer", [layer, named("layer", "AnimLayer"), ""], [properties(number("Weight", 100.0))])); connect(layer, stack)
    played = {}
    def animate(target, property_, kind, start, amount):
        played[target, kind] = lambda f, clip=clip: [v + a * math.sin(f * (0.2 + 0.1 * clip)) for v, a in zip(start, amount)]
        node = new(); axes = "XYZ" if len(start) == 3 else ["DeformPercent"]
        objects.append(("AnimationCurveNode", [node, named(kind, "AnimCurveNode"), ""], [properties(*[("d|" + x, "Number", "", "A", float(v)) for x, v in zip(axes, start)])]))
        connect(node, layer); connect(node, target, property_)
        for x, v, a in zip(axes, start, amount):
            connect(curve([v + a * math.sin(f * (0.2 + 0.1 * clip)) for f in range(args.frames)]), node, "d|" + x)
    for k in range(args.joints):
        animate(models[k], "Lcl Rotation", "R", rest[k], (20.0 + 3 * k, 8.0 * (clip + 1), -12.0))
    animate(models[0], "Lcl Translation", "T", (0, 0, 0), (5.0, 2.0 * clip, 9.0))
    if args.scale: animate(models[1], "Lcl Scaling", "S", (1, 1, 1), (0.3, -0.2, 0.1))
    for channel in channels: animate(channel, "DeformPercent", "DeformPercent", (50.0,), (50.0 - 20 * clip,))

    if args.answers: answer(f"{args.out}.clip{clip}.pc2", played)

if args.paint: json.dump(painted, open(args.out + ".paint.json", "w"))
up = [("UpAxis", 2), ("UpAxisSign", 1), ("FrontAxis", 1), ("FrontAxisSign", -1), ("CoordAxis", 0), ("CoordAxisSign", 1)] if args.z_up else \
     [("UpAxis", 1), ("UpAxisSign", 1), ("FrontAxis", 2), ("FrontAxisSign", 1), ("CoordAxis", 0), ("CoordAxisSign", 1)]
kinds = sorted({o[0] for o in objects})
with open(args.out, "wb") as out:
    out.write(b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400))
    record(out, "FBXHeaderExtension", [], [("FBXHeaderVersion", [1003]), ("FBXVersion", [7400]), ("Creator", ["pelt tests"])])
    record(out, "FileId", [b"\x28\xb3\x2a\xeb\xb6\x24\xcc\xc2\xbf\xc8\xb0\x2a\xa9\x2b\xfc\xf1"])
    record(out, "CreationTime", ["1970-01-01 10:00:00:000"])
    record(out, "Creator", ["pelt tests"])
    record(out, "GlobalSettings", [], [("Version", [1000]), properties(*[number(*row) for row in up], number("UnitScaleFactor", args.unit), number("OriginalUnitScaleFactor", args.unit),
           ("TimeMode", "enum", "", "", 6), ("TimeSpanStart", "KTime", "Time", "", Id(0)), ("TimeSpanStop", "KTime", "Time", "", Id(stop)))])
    record(out, "Documents", [], [("Count", [1]), ("Document", [new(), "", "Scene"], [("RootNode", [root])])])
    record(out, "References", [])
    record(out, "Definitions", [], [("Version", [100]), ("Count", [len(objects)])] + [("ObjectType", [kind], [("Count", [sum(o[0] == kind for o in objects)])]) for kind in kinds])
    record(out, "Objects", [], objects)
    record(out, "Connections", [], links)
    out.write(b"\0" * 13 + b"\xfa\xbc\xab\x09\xd0\xc8\xd4\x66\xb1\x76\xfb\x83\x1c\xf7\x26\x7e" + b"\0" * 4)
    out.write(b"\0" * (-out.tell() % 16 or 16) + struct.pack("<I", 7400) + b"\0" * 120 + b"\xf8\x5a\x8c\x6a\xde\xf5\xd9\x7e\xec\xe9\x0c\xe3\x75\x8f\x29\x0b")
