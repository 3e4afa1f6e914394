"""make_dae.py OUT.dae [--turns] [--z-up] [--unit METRES] [--clips C] [--frames F]: writes a Collada 1.4 file of a skinned ribbon on two joints, from the format's description, and
OUT.clipN.pc2, what its points do: the sum of weight x joint x inverse bind x bind shape x point, in metres and y up. Joints are animated by whole matrices, a key each frame,
or with --turns by the angle of one <rotate> of several, a key every fifth frame, straight between them. The joints hang below a node that is turned and moved; the clips
are <animation_clip>s where there are several."""
import argparse, math, struct

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--unit", type=float, default=1.0)
parser.add_argument("--clips", type=int, default=1)
parser.add_argument("--frames", type=int, default=16)
for flag in ("turns", "z-up"): parser.add_argument("--" + flag, action="store_true")
args = parser.parse_args()

# ---- 4 x 4, by rows

def mul(*ms):
    out = ms[0]
    for m in ms[1:]: out = [[sum(out[i][k] * m[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
    return out
def move(x, y, z): return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]
def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees)); i, j = (axis + 1) % 3, (axis + 2) % 3
    m = [[float(a == b) for b in range(4)] for a in range(4)]; m[i][i] = m[j][j] = c; m[i][j], m[j][i] = -s, s
    return m
def inverse(m):
    """Of a turn and a move."""
    t = [m[i][3] for i in range(3)]
    return [[m[0][i], m[1][i], m[2][i], -sum(m[k][i] * t[k] for k in range(3))] for i in range(3)] + [[0, 0, 0, 1]]
def apply(m, p): return [sum(m[i][k] * p[k] for k in range(3)) + m[i][3] for i in range(3)]
def numbers(values): return " ".join(f"{v:.9g}" for v in values)
def flat(m): return [x for row in m for x in row]

# ---- the ribbon: joint 0 at the bottom, joint 1 half way up

above = mul(move(0.3, -0.2, 0.5), turn(0, 25), turn(1, 40))
places, still = ((0.1, 0, 0.2), (0, 1, 0)), (10.0, -20.0)  # of the joints; their own constant <rotate> about x
def angle(joint, clip, f):
    """Of the animated <rotate>, about z, degrees. At rest 15 and -30."""
    key = lambda k: (15, -30)[joint] + (40, -65)[joint] * math.sin(0.15 * k * (1 + 0.5 * clip) + joint)
    if not args.turns: return key(f)
    k = f // 5 * 5; share = (f - k) / 5
    return (1 - share) * key(k) + share * key(k + 5)
def local(joint, z): return mul(move(*places[joint]), turn(2, z), turn(0, still[joint]))
def worlds(z0, z1): m = mul(above, local(0, z0)); return [m, mul(m, local(1, z1))]
rests = (15, -30)
shape = mul(move(0.05, 0, 0), turn(1, 90))  # bind shape
points = [(x, 2 * i / 12, 0.03 * i) for i in range(13) for x in (-0.2, 0.2)]
weights = [[1 - w, w] for i in range(13) for x in (0, 1) for w in [min(max(i / 6 - 0.5, 0), 1)]]
bound = worlds(5, 12)  # the pose in which the skin was bound is not the one the file rests in
offsets = [inverse(m) for m in bound]

def answer(path, clip):
    with open(path, "wb") as out:
        out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(points), 0, 1, args.frames))
        for f in range(args.frames):
            bones = [mul(w, o, shape) for w, o in zip(worlds(angle(0, clip, f), angle(1, clip, f)), offsets)]
            for p, row in zip(points, weights):
                q = [args.unit * sum(w * c for w, c in zip(row, both)) for both in zip(*[apply(b, p) for b in bones])]
                out.write(struct.pack("<3f", *((q[0], q[2], -q[1]) if args.z_up else q)))

# ---- the document

def source(name, kind, values, params):
    """`params`: names and types; of each element all of them."""
    width = sum(16 if t == "float4x4" else 1 for _, t in params); tag = "Name_array" if kind == "Name" else "float_array"
    text = " ".join(values) if kind == "Name" else numbers(values)
    return (f'<source id="{name}"><{tag} id="{name}-array" count="{len(values)}">{text}</{tag}><technique_common><accessor source="#{name}-array" count="{len(values) // width}" '
            f'stride="{width}">' + "".join(f'<param name="{n}" type="{t}"/>' for n, t in params) + "</accessor></technique_common></source>")
xyz = [(c, "float") for c in "XYZ"]
faces = [v for i in range(12) for v in (2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 2, 2 * i + 1, 2 * i + 3)]
shares = [w for row in weights for w in row]

def node(joint, inner=""):
    z = rests[joint]
    how = (f'<translate sid="location">{numbers(places[joint])}</translate><rotate sid="rotationZ">0 0 1 {z}</rotate><rotate sid="rotationX">1 0 0 {still[joint]}</rotate>' if args.turns
           else f'<matrix sid="transform">{numbers(flat(local(joint, z)))}</matrix>')
    return f'<node id="bone{joint}" name="bone{joint}" sid="bone{joint}" type="JOINT">{how}{inner}</node>'

def animated(joint, clip):
    """Sources, sampler and channel."""
    name = f"a{clip}-{joint}"; frames = range(0, args.frames + 5, 5) if args.turns else range(args.frames)
    values = source(name + "-out", "float", [angle(joint, clip, f) for f in frames], [("ANGLE", "float")]) if args.turns else \
        source(name + "-out", "float", [x for f in frames for x in flat(local(joint, angle(joint, clip, f)))], [("TRANSFORM", "float4x4")])
    target = "rotationZ.ANGLE" if args.turns else "transform"
    sources = (source(name + "-in", "float", [f / 30 for f in frames], [("TIME", "float")]) + values +
            source(name + "-how", "Name", ["LINEAR"] * len(frames), [("INTERPOLATION", "name")]))
    sampler = (f'<sampler id="{name}-s"><input semantic="INPUT" source="#{name}-in"/><input semantic="OUTPUT" source="#{name}-out"/><input semantic="INTERPOLATION" source="#{name}-how"/></sampler>')
    return sources, sampler, f'<channel source="#{name}-s" target="bone{joint}/{target}"/>'

def animations(clip):
    """Of one clip all in one element; of a file without clips one for each joint, as exporters have it."""
    both = [animated(j, clip) for j in (0, 1)]
    if args.clips == 1: return "".join(f'<animation id="a{clip}-{j}">{"".join(parts)}</animation>' for j, parts in enumerate(both))
    return f'<animation id="a{clip}" name="clip{clip}">{"".join("".join(kind) for kind in zip(*both))}</animation>'

clips = "" if args.clips == 1 else "<library_animation_clips>" + "".join(
    f'<animation_clip id="clip{c}" name="clip{c}" start="0" end="{(args.frames - 1) / 30:.9g}"><instance_animation url="#a{c}"/></animation_clip>'
    for c in range(args.clips)) + "</library_animation_clips>"
open(args.out, "w").write(f'''<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>1970-01-01T00:00:00Z</created><modified>1970-01-01T00:00:00Z</modified><unit name="unit" meter="{args.unit:g}"/><up_axis>{"Z_UP" if args.z_up else "Y_UP"}</up_axis></asset>
<library_geometries><geometry id="ribbon" name="ribbon"><mesh>{source("ribbon-points", "float", [c for p in points for c in p], xyz)}
<vertices id="ribbon-vertices"><input semantic="POSITION" source="#ribbon-points"/></vertices>
<triangles count="{len(faces) // 3}"><input semantic="VERTEX" source="#ribbon-vertices" offset="0"/><p>{" ".join(map(str, faces))}</p></triangles></mesh></geometry></library_geometries>
<library_controllers><controller id="skin" name="skin"><skin source="#ribbon"><bind_shape_matrix>{numbers(flat(shape))}</bind_shape_matrix>
{source("skin-joints", "Name", ["bone0", "bone1"], [("JOINT", "name")])}{source("skin-binds", "float", [x for m in offsets for x in flat(m)], [("TRANSFORM", "float4x4")])}
{source("skin-weights", "float", shares, [("WEIGHT", "float")])}
<joints><input semantic="JOINT" source="#skin-joints"/><input semantic="INV_BIND_MATRIX" source="#skin-binds"/></joints>
<vertex_weights count="{len(points)}"><input semantic="JOINT" source="#skin-joints" offset="0"/><input semantic="WEIGHT" source="#skin-weights" offset="1"/>
<vcount>{" ".join(["2"] * len(points))}</vcount><v>{" ".join(f"{k % 2} {k}" for k in range(len(shares)))}</v></vertex_weights></skin></controller></library_controllers>
<library_animations>{"".join(animations(c) for c in range(args.clips))}</library_animations>{clips}
<library_visual_scenes><visual_scene id="scene" name="scene"><node id="rig" name="rig" type="NODE"><matrix sid="transform">{numbers(flat(above))}</matrix>{node(0, node(1))}</node>
<node id="body" name="body" type="NODE"><instance_controller url="#skin"><skeleton>#bone0</skeleton></instance_controller></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>
''')
for clip in range(args.clips): answer(f"{args.out}.clip{clip}.pc2", clip)
