#!/bin/bash
# .abc: whole, with the frames of the .pc2, the file's names and placements, read back by a reader written from the format's description, and by
# Alembic's own `abcecho` where that is installed.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$PELT_SOURCE/tests/cli
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
"$PELT" make arm --vertices 600 -o a.glb -q || exit 1
# a prop on a node of its own, turned, scaled and away from the middle, with texture coordinates, and one more of the same name that has no extent
python3 - <<'P' || exit 1
import json, struct
raw = open('a.glb', 'rb').read(); n, = struct.unpack_from('<I', raw, 12); doc = json.loads(raw[20:20 + n]); tail = raw[28 + n:]
tail += struct.pack('<9f', 0, 0, 0, 1, 0, 0, 0, 2, 0) + struct.pack('<6f', 0, 0, 1, 0.25, 0.5, 1)
start = len(tail) - 60
doc['buffers'][0]['byteLength'] = len(tail)
views, accessors = doc['bufferViews'], doc['accessors']
views += [{'buffer': 0, 'byteOffset': start, 'byteLength': 36}, {'buffer': 0, 'byteOffset': start + 36, 'byteLength': 24}]
accessors += [{'bufferView': len(views) - 2, 'componentType': 5126, 'count': 3, 'type': 'VEC3', 'min': [0, 0, 0], 'max': [1, 2, 0]},
              {'bufferView': len(views) - 1, 'componentType': 5126, 'count': 3, 'type': 'VEC2'}]
doc['meshes'].append({'primitives': [{'attributes': {'POSITION': len(accessors) - 2, 'TEXCOORD_0': len(accessors) - 1}}]})
for scale in ([2, 1, 1], [0, 0, 0]):
    doc['nodes'].append({'name': 'flag/pole', 'mesh': len(doc['meshes']) - 1, 'translation': [3, 0.5, -1], 'rotation': [0, 0.6, 0, 0.8], 'scale': scale})
    doc['scenes'][0]['nodes'].append(len(doc['nodes']) - 1)
text = json.dumps(doc).encode(); text += b' ' * (-len(text) % 4)
open('b.glb', 'wb').write(struct.pack('<4sII', b'glTF', 2, 28 + len(text) + len(tail)) + struct.pack('<I4s', len(text), b'JSON') + text + struct.pack('<I4s', len(tail), b'BIN\0') + tail)
P
"$PELT" bake b.glb -m lbs --frames 5:9 -q -o a.pc2 -o a.abc -o a.npz || exit 1
"$PELT" bake b.glb -m lbs --frames 5:9 -q -o b.abc || exit 1
cmp a.abc b.abc || { echo "FAILED: the same bake, other bytes"; exit 1; }
"$PELT" bake b.glb -m lbs -q -o missing/a.abc 2>/dev/null; [ $? = 2 ] || { echo "FAILED: a folder that is not there"; exit 1; }
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here python3 - <<'P' || exit 1
import json, ogawa, struct, sys
def fail(text): print('FAILED:', text); sys.exit(1)
raw = open('a.pc2', 'rb').read(); count, = struct.unpack_from('<i', raw, 16)
want = [struct.unpack_from('<%df' % (3 * count), raw, 32 + 12 * count * f) for f in range(5)]
archive = ogawa.Archive('a.abc')
if archive.times[1] != (5, 1 / 30, (5 / 30,)): fail('times: %s' % (archive.times,))
names = [x.name for x in archive.top.children]
if len(set(names)) != len(names) or 'flag_pole' not in names or 'flag_pole_1' not in names: fail('names: %s' % names)
first = constant = placed = 0; faces = []
for xform in archive.top.children:
    if xform.meta != 'schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform' or len(xform.children) != 1: fail('the Xform ' + xform.name)
    place = xform.properties['.xform'][0]
    m = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    if '.vals' in place: m = place['.vals'][0].sample(0); placed += 1
    mesh = xform.children[0]
    if mesh.name != xform.name + 'Shape' or not mesh.meta.startswith('schema=AbcGeom_PolyMesh_v1;'): fail('the mesh of ' + xform.name)
    geometry = mesh.properties['.geom'][0]
    P, N = geometry['P'][0], geometry['N'][0]
    if P.count != 5 or P.extent != 3 or N.count != 5 or len(N.sample(4)) != len(P.sample(4)): fail('samples of ' + mesh.name)
    points = len(P.sample(0)) // 3
    for f in range(5):
        p, box = P.sample(f), geometry['.selfBnds'][0].sample(f)
        if list(box) != [min(p[k::3]) for k in range(3)] + [max(p[k::3]) for k in range(3)]: fail('bounds of ' + mesh.name)
        for i in range(points):
            for k in range(3):
                x = sum(p[3 * i + r] * m[4 * r + k] for r in range(3)) + m[12 + k]
                if abs(x - want[f][3 * (first + i) + k]) > 2e-6 * (1 if '.vals' in place else 0): fail('point %d of %s, frame %d' % (i, mesh.name, f))
    constant += P.sample(0) == P.sample(4)
    index = geometry['.faceIndices'][0].sample(0)
    if set(geometry['.faceCounts'][0].sample(3)) != {3} or 3 * len(geometry['.faceCounts'][0].sample(0)) != len(index): fail('faces of ' + mesh.name)
    for t in range(0, len(index), 3): faces += [first + index[t + 2], first + index[t + 1], first + index[t]]
    if xform.name == 'flag_pole':
        if p != (0, 0, 0, 1, 0, 0, 0, 2, 0) and max(abs(a - b) for a, b in zip(p, (0, 0, 0, 1, 0, 0, 0, 2, 0))) > 1e-6: fail('the prop is not in its own space')
        if geometry['uv'][0].sample(2) != (0, 1, 1, 0.75, 0.5, 0): fail('texture coordinates')
    first += points
if first != count: fail('%d points of %d' % (first, count))
import zipfile
data = zipfile.ZipFile('a.npz').read('triangles.npy'); size, = struct.unpack_from('<H', data, 8)
if struct.unpack('<%di' % (len(data[10 + size:]) // 4), data[10 + size:]) != tuple(faces): fail('faces')
if placed < 1 or constant < 2: fail('no placement or nothing that stands still')
print('alembic: good, %d meshes, %d placed, %d points' % (len(names), placed, count))
P
command -v abcecho >/dev/null || { echo "skipped: abcecho is not installed"; exit 0; }
abcecho a.abc > echo.txt && grep -q 'flag_pole_1Shape' echo.txt || { echo "FAILED: abcecho does not read it"; exit 1; }
