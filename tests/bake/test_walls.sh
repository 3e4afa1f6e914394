#!/bin/bash
# Random characters that a clip presses into a wall by 4 % of their size, in two units, or deep, or that are hit by a ball: no method
# shows skin inside, the last word's methods none that passes through itself, and joints swing nothing much farther than a wall asks.
set -u
[ -x "$PELT" ] || { echo "skipped: no $PELT"; exit 77; }
python3 -c '' 2>/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for seed in 21 22; do
  "$PELT" make beast --seed $seed --vertices 600 --dress none --clip random -q -o "$work/$seed.glb" || exit 1
done
python3 - "$PELT" "$work" "${PELT_SHARED:-}" <<'PY'
import json, math, os, struct, subprocess, sys
pelt, work, shared = sys.argv[1:]
failed = 0

def scaled(name, by): # the same file under a node that scales it
    data = open('%s/%s.glb' % (work, name), 'rb').read()
    size = struct.unpack('<I', data[12:16])[0]
    doc, rest = json.loads(data[20:20 + size]), data[20 + size:]
    scene = doc['scenes'][doc.get('scene', 0)]
    doc['nodes'].append({'name': 'units', 'scale': [by] * 3, 'children': scene['nodes']})
    scene['nodes'] = [len(doc['nodes']) - 1]
    text = json.dumps(doc).encode()
    text += b' ' * (-len(text) % 4)
    out = '%s/%s_%g.glb' % (work, name, by)
    open(out, 'wb').write(data[:8] + struct.pack('<II', 20 + len(text) + len(rest), len(text)) + data[16:20] + text + rest)
    return out

def bake(file, method, frames, scene=None, clip='random'):
    command = [pelt, 'bake', file, '-m', method, '--clip', clip, '--frames', frames, '-o', work + '/out.pc2', '--quiet', '--report', work + '/report.json']
    subprocess.run(command + (['--scene', scene] if scene else []), check=True, stdout=subprocess.DEVNULL)
    data = open(work + '/out.pc2', 'rb').read()
    points, count = struct.unpack('<i', data[16:20])[0], struct.unpack('<i', data[28:32])[0]
    values = struct.unpack('<%df' % (points * count * 3), data[32:32 + 12 * points * count])
    return [[values[3 * (f * points + p):3 * (f * points + p) + 3] for p in range(points)] for f in range(count)]

def crossing(method): # pairs of triangles in the frame where most cross, where nothing may
    return json.load(open(work + '/report.json'))['quality']['self_intersections_new'] if method in ('tracking', 'projective', 'layered') else 0

def press(name, by, sign, methods, frames, axis=0, friction=0, depth=0.04):
    global failed
    file = scaled(name, by)
    free = bake(file, 'lbs', frames)
    size = math.dist([min(p[k] for p in free[0]) for k in range(3)], [max(p[k] for p in free[0]) for k in range(3)])
    face = max(sign * p[axis] for frame in free for p in frame) - depth * size
    wall = {'name': 'wall', 'kind': 'fixed', 'shape': 'box', 'size': [4 * size] * 3, 'position': [sign * (face + 2 * size) if k == axis else 0 for k in range(3)]}
    json.dump({'friction': friction, 'objects': [wall]}, open(work + '/scene.json', 'w'))
    for method in methods:
        shown = bake(file, method, frames, work + '/scene.json')
        inside = max(sign * p[axis] - face for frame in shown for p in frame) / size
        swing = max(math.dist(p, q) for x, y in zip(shown, free) for p, q in zip(x, y)) / size if method == 'lbs' else 0
        cross = crossing(method)
        good = inside < 1e-5 and swing < 0.06 and cross == 0
        print('%s  %s x %g, friction %g, %s: %.2g of the size inside, %d pairs cross, joints swing it by %.3f' % ('ok    ' if good else 'FAILED', name, by, friction, method, inside, cross, swing))
        failed += not good

def throw(name, methods, frames): # a heavy ball, of which 24 facets lie up to 1.5 % of the radius below the sphere
    global failed
    file = scaled(name, 1)
    first = bake(file, 'lbs', '0:0')[0]
    low, high = [min(p[k] for p in first) for k in range(3)], [max(p[k] for p in first) for k in range(3)]
    size = math.dist(low, high)
    radius = 0.15 * size
    ball = {'name': 'ball', 'shape': 'sphere', 'radius': radius, 'detail': 24, 'mass': 1000, 'velocity': [0, 0, -4 * size],
            'position': [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[2] + 1.1 * radius]}
    json.dump({'gravity': [0, 0, 0], 'objects': [ball]}, open(work + '/scene.json', 'w'))
    for method in methods:
        shown = bake(file, method, frames, work + '/scene.json')
        contact = [f['contact'] for f in json.load(open(work + '/report.json'))['per_frame']]
        inside = max(0.985 * radius - math.dist(p, c['objects']['ball']) for x, c in zip(shown, contact) for p in x) / size
        cross, pushed = crossing(method), max(c['pushed'] for c in contact)
        good = inside < 1e-5 and cross == 0 and pushed > 0.001
        print('%s  %s and a ball, %s: %.2g of the size inside, %d pairs cross, pushed by %.4f' % ('ok    ' if good else 'FAILED', name, method, inside, cross, pushed))
        failed += not good

def snout(file): # a clip that starts in the wall: pushing on at skin that did not follow left it .19 of the size away, crumpled
    global failed
    for method in ('tracking', 'projective'):
        free = bake(file, method, '0:8', clip='4')
        size = math.dist([min(p[k] for p in free[0]) for k in range(3)], [max(p[k] for p in free[0]) for k in range(3)])
        face = max(p[2] for frame in free for p in frame) - 0.04 * size
        wall = {'name': 'wall', 'kind': 'fixed', 'shape': 'box', 'size': [4 * size] * 3, 'position': [0, 0.2 * size, face + 2 * size]}
        json.dump({'friction': 0, 'objects': [wall]}, open(work + '/scene.json', 'w'))
        shown = bake(file, method, '0:8', work + '/scene.json', '4')
        inside = max(p[2] - face for frame in shown for p in frame) / size
        far = max(math.dist(p, q) for x, y in zip(shown, free) for p, q in zip(x, y)) / size
        good = inside < 1e-5 and far < 0.06
        print('%s  a snout in a wall, %s: %.2g of the size inside, %.3f from where it would be without' % ('ok    ' if good else 'FAILED', method, inside, far))
        failed += not good

press('21', 1, 1, ['lbs', 'dqs', 'implicit', 'tracking', 'projective', 'layered'], '0:6')
press('21', 97, 1, ['lbs', 'tracking', 'projective', 'layered'], '0:6')
press('22', 97, -1, ['lbs', 'projective'], '0:8')
press('21', 1, 1, ['lbs'], '0:30')          # pressed in the middle of the clip: .07 before joints that swing too far stiffened
press('21', 97, 1, ['lbs'], '0:30', axis=2) # .095
# skin that sticks is dragged along: hardly farther than .04 sqrt(1 + .36) = .047 in all; .069 and .111 where what is dragged was asked
press('21', 97, 1, ['lbs'], '0:22', axis=2, friction=0.6)
press('22', 1, 1, ['lbs'], '0:22', axis=2, friction=0.6)
# deep: flattened on the wall 269 pairs crossed, and skin deeper than a quarter of the size stayed inside
press('21', 1, 1, ['tracking', 'projective', 'layered'], '0:6', axis=2, depth=0.35)
throw('22', ['tracking', 'projective', 'layered'], '0:8')
if os.path.exists(shared + '/data/corpus/Q-Trex.glb'):
    snout(shared + '/data/corpus/Q-Trex.glb')
else:
    print('skipped: corpus/Q-Trex.glb is not beside this checkout')
sys.exit(1 if failed else 0)
PY
