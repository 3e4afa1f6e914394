#!/bin/bash
# What Pelt does not know, or does not change, stays: VRM 0.x and 1.0 with spring bones, constraints, looks and morph targets, and texture transforms, through `pelt convert` and,
# but for what a bake replaces, through `pelt bake`.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
"$PELT" make biped --vertices 1000 --uv -o b.glb -q || exit 1
cat > vrm.py <<'P'
import json, struct
def read(path):
    raw = open(path, 'rb').read(); n, = struct.unpack_from('<I', raw, 12); return json.loads(raw[20:20 + n]), raw[28 + n:]
def write(path, doc, data):
    text = json.dumps(doc).encode(); text += b' ' * (-len(text) % 4); data += b'\0' * (-len(data) % 4)
    open(path, 'wb').write(struct.pack('<4sIII4s', b'glTF', 2, 28 + len(text) + len(data), len(text), b'JSON') + text + struct.pack('<I4s', len(data), b'BIN\0') + data)
def values(doc, data, index):
    a = doc['accessors'][index]; v = doc['bufferViews'][a['bufferView']]; at = v.get('byteOffset', 0) + a.get('byteOffset', 0)
    width = {5121: 1, 5123: 2, 5125: 4, 5126: 4}[a['componentType']] * {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}[a['type']]; stride = v.get('byteStride', width)
    return b''.join(data[at + i * stride:at + i * stride + width] for i in range(a['count']))
P
python3 - <<'P' || exit 1
from vrm import *
doc, data = read('b.glb'); node = {n.get('name'): i for i, n in enumerate(doc['nodes'])}; mesh_node = next(i for i, n in enumerate(doc['nodes']) if 'mesh' in n)
prim = doc['meshes'][0]['primitives'][0]; count = doc['accessors'][prim['attributes']['POSITION']]['count']
data += b'\0' * (-len(data) % 4); at = len(data); smile = struct.pack('<3f', 0, 0.01, 0) * count; data += smile
doc['bufferViews'].append({'buffer': 0, 'byteOffset': at, 'byteLength': len(smile)})
doc['accessors'].append({'bufferView': len(doc['bufferViews']) - 1, 'componentType': 5126, 'count': count, 'type': 'VEC3', 'min': [0, 0.01, 0], 'max': [0, 0.01, 0]})
prim['targets'] = [{'POSITION': len(doc['accessors']) - 1}]; doc['meshes'][0]['weights'] = [0]; doc['meshes'][0]['extras'] = {'targetNames': ['smile']}
# a hat without a skin, with a target of its own: it is not baked
hat = {'primitives': [{k: v for k, v in prim.items()}], 'weights': [0], 'extras': {'targetNames': ['dent']}}; hat['primitives'][0]['attributes'] = {'POSITION': prim['attributes']['POSITION']}
doc['meshes'].append(hat); doc['nodes'].append({'name': 'hat', 'mesh': 1}); hat_node = len(doc['nodes']) - 1; doc['nodes'][node['Head']].setdefault('children', []).append(hat_node)
doc['buffers'][0]['byteLength'] = len(data); doc['samplers'] = [{}]; doc['images'] = [{'uri': 'data:image/png;base64,iVBORw0KGgo='}]; doc['textures'] = [{'source': 0, 'sampler': 0}]
doc['materials'] = [{'pbrMetallicRoughness': {'baseColorTexture': {'index': 0, 'extensions': {'KHR_texture_transform': {'offset': [0.25, 0.5], 'scale': [2, 3], 'rotation': 0.1}}}},
                     'extensions': {'VRMC_materials_mtoon': {'specVersion': '1.0', 'shadeColorFactor': [1, 0.5, 0.25]}}}]; prim['material'] = 0
doc['extensionsUsed'] = ['KHR_texture_transform', 'VRMC_materials_mtoon']
human = {name[0].lower() + name[1:]: {'node': i} for name, i in node.items() if name in ('Hips', 'Spine', 'Chest', 'Neck', 'Head', 'LeftUpperArm', 'RightUpperArm', 'LeftLowerArm', 'RightLowerArm', 'LeftHand', 'RightHand',
         'LeftUpperLeg', 'RightUpperLeg', 'LeftLowerLeg', 'RightLowerLeg', 'LeftFoot', 'RightFoot')}
one = json.loads(json.dumps(doc)); one['extensionsUsed'] += ['VRMC_vrm', 'VRMC_springBone', 'VRMC_node_constraint']
one['extensions'] = {'VRMC_vrm': {'specVersion': '1.0', 'meta': {'name': 'test', 'authors': ['us'], 'licenseUrl': 'https://vrm.dev/licenses/1.0/'}, 'humanoid': {'humanBones': human},
    'expressions': {'preset': {'happy': {'morphTargetBinds': [{'node': hat_node, 'index': 0, 'weight': 1}, {'node': mesh_node, 'index': 0, 'weight': 0.5}]}}}, 'lookAt': {'type': 'bone'}},
    'VRMC_springBone': {'specVersion': '1.0', 'colliders': [{'node': node['Head'], 'shape': {'sphere': {'offset': [0, 0, 0], 'radius': 0.1}}}], 'springs': [{'name': 'hair', 'joints': [{'node': node['Neck'], 'stiffness': 0.5}, {'node': node['Head']}]}]}}
one['nodes'][node['LeftHand']]['extensions'] = {'VRMC_node_constraint': {'specVersion': '1.0', 'constraint': {'rotation': {'source': node['RightHand'], 'weight': 0.5}}}}
write('one.vrm', one, data)
old = doc; old['extensionsUsed'] += ['VRM']
old['extensions'] = {'VRM': {'specVersion': '0.0', 'humanoid': {'humanBones': [{'bone': k, 'node': v['node'], 'useDefaultValues': True} for k, v in human.items()]},
    'secondaryAnimation': {'boneGroups': [{'comment': '', 'stiffiness': 1, 'bones': [node['Neck']], 'colliderGroups': [0]}], 'colliderGroups': [{'node': node['Head'], 'colliders': [{'offset': {'x': 0, 'y': 0, 'z': 0}, 'radius': 0.1}]}]},
    'blendShapeMaster': {'blendShapeGroups': [{'name': 'Joy', 'presetName': 'joy', 'binds': [{'mesh': 1, 'index': 0, 'weight': 100}, {'mesh': 0, 'index': 0, 'weight': 50}]}]}, 'materialProperties': [{'name': 'm', 'shader': 'VRM/MToon'}]}}
write('old.vrm', old, data)
P
for v in one old; do
    "$PELT" convert $v.vrm $v-out.vrm -q 2>warned.txt || fail "convert $v.vrm: $(cat warned.txt)"
    "$PELT" bake $v.vrm -m lbs --set weights=file --clip walk --frames 0:3 -q -o $v-baked.vrm 2>warned.txt || fail "bake $v.vrm: $(cat warned.txt)"
    python3 - $v <<'P' || exit 1
import sys
from vrm import *
v = sys.argv[1]; (a, x), (b, y), (c, z) = read(v + '.vrm'), read(v + '-out.vrm'), read(v + '-baked.vrm')
def same(what, p, q):
    if p != q: sys.exit(f'FAILED: {v}: {what}: {p} became {q}')
for key in ('extensions', 'extensionsUsed', 'nodes', 'skins', 'meshes', 'materials', 'textures'): same('convert: ' + key, a.get(key), b.get(key))
for p, q in zip(a['accessors'], b['accessors']): same('an accessor', {k: p[k] for k in ('count', 'type', 'componentType')}, {k: q[k] for k in ('count', 'type', 'componentType')})
for i in range(len(a['accessors'])): same(f'bytes of accessor {i}', values(a, x, i), values(b, y, i))
same('bake: extensions', a['extensions'], c['extensions'])
same('bake: materials', a['materials'], c['materials'])
same('bake: what is used', set(a['extensionsUsed']) - set(c['extensionsUsed']), set())
for i, n in enumerate(a['nodes']): same('bake: a constraint', n.get('extensions'), c['nodes'][i].get('extensions'))
same('bake: the hat\'s target', values(a, x, a['meshes'][1]['primitives'][0]['targets'][0]['POSITION']), values(c, z, c['meshes'][1]['primitives'][0]['targets'][0]['POSITION']))
body = c['meshes'][0]; n = len(body['primitives'][0]['targets'])
same('bake: how many names and weights', (len(body['extras']['targetNames']), len(body['weights'])), (n, n))
same('bake: the body\'s own target comes first, unplayed', (body['extras']['targetNames'][0], body['weights'][0], n > 1), ('smile', 0, True))
moves = values(c, z, body['primitives'][0]['targets'][0]['POSITION']); moves = struct.unpack(f'<{len(moves) // 4}f', moves)
far = max(abs(sum(m * m for m in moves[i:i + 3]) ** 0.5 - 0.01) for i in range(0, len(moves), 3))
if not far < 0.002: sys.exit(f'FAILED: {v}: the smile moves points by {far} more or less than it did')
for channel in c['animations'][0]['channels']:
    if channel['target']['path'] == 'weights':
        curve = c['accessors'][c['animations'][0]['samplers'][channel['sampler']]['output']]['count']; same('bake: weights a frame', curve, 4 * n)
same('bake: the hat\'s names', a['meshes'][1]['extras'], c['meshes'][1]['extras'])
P
done
# VRM 0.x looks along -z, 1.0 along +z: the front of the one is the back of the other, which has the same skin
picture() { "$PELT" render "$1" --rest --camera "$2" --size 96x128 --samples 1 --no-ground --threads 1 -q -o "$3" 2>/dev/null || fail "render $1"; }
picture old.vrm front old-front.png; picture one.vrm back one-back.png; picture one.vrm front one-front.png
cmp -s old-front.png one-back.png || fail "a VRM 0.x is not drawn from its front"
cmp -s one-front.png one-back.png && fail "front and back look the same"
"$PELT" bake b.glb --motion one.vrm --clip walk -m lbs -q -o m.pc2 --frames 0:1 2>/dev/null || fail "a VRM as motion"
echo "kept: good"
