#!/bin/bash
# The scenes of examples/scenes with built-in characters, judged by what they must show: from the reports and caches alone.
set -u
[ -x "$PELT" ] || { echo "skipped: no $PELT"; exit 77; }
python3 -c '' 2>/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$PELT_SOURCE"/examples/scenes/*.json "$PELT_SOURCE"/examples/scenes/*.obj "$work"
"$PELT" make hand --vertices 1500 -q -o "$work/hand.glb" && "$PELT" make biped --vertices 1500 -q -o "$work/biped.glb" || exit 1
bake() { # character clip scene [frames]
  "$PELT" bake "$work/$1.glb" -m lbs --clip "$2" ${4:+--frames "$4"} --scene "$work/$3.json" -o "$work/$3.pc2" --report "$work/$3.report" --quiet >/dev/null || exit 1
}
for scene in drop squeeze handshake grasp_toy; do bake hand grasp $scene 0:50; done
for method in lbs dqs implicit tracking projective layered; do # the same grasp with every skin
  "$PELT" bake "$work/hand.glb" -m $method --clip grasp --frames 0:50 --scene "$work/grasp.json" -o "$work/grasp_$method.pc2" \
    --report "$work/grasp_$method.report" --quiet >/dev/null || exit 1
done
for scene in kick_light kick_heavy uneven_ground; do bake biped walk $scene 0:36; done
"$PELT" make biped --vertices 1700 -q -o "$work/walker.glb" || exit 1
bake walker walk push_wall 6:36 # both arms hang: nothing starts inside the wall
"$PELT" bake "$work/biped.glb" -m lbs --clip walk -o "$work/free.pc2" --quiet >/dev/null || exit 1
python3 - "$work" <<'PY'
import json, math, struct, sys
work = sys.argv[1]
failed = 0

def check(what, fact, text):
    global failed
    print(('ok      ' if fact else 'FAILED  ') + what + ': ' + text)
    failed += not fact

def report(name):
    return [f['contact'] for f in json.load(open('%s/%s.report' % (work, name)))['per_frame']]

def cache(name):
    data = open('%s/%s.pc2' % (work, name), 'rb').read()
    points, frames = struct.unpack('<i', data[16:20])[0], struct.unpack('<i', data[28:32])[0]
    values = struct.unpack('<%df' % (points * frames * 3), data[32:32 + 12 * points * frames])
    return [[values[3 * (f * points + p):3 * (f * points + p) + 3] for p in range(points)] for f in range(frames)]

def touching(frame, a, b):
    return any({p['a'], p['b']} == {a, b} for p in frame['points'])

def farthest(x, y):
    return max(math.dist(p, q) for p, q in zip(x, y))

grasp = report('grasp_lbs')
lifted = grasp[48]['objects']['ball'][1] - grasp[0]['objects']['ball'][1]
check('grasp', lifted > 0.08 and touching(grasp[48], 'character', 'ball'), 'the ball rose by %.3f' % lifted)
for method in 'lbs', 'dqs', 'implicit', 'tracking', 'projective', 'layered':
    frames, skin = report('grasp_' + method), cache('grasp_' + method)
    rise = frames[48]['objects']['ball'][1] - frames[0]['objects']['ball'][1]
    deep = max(0.025 - math.dist(p, f['objects']['ball']) for f, frame in zip(frames, skin) for p in frame)
    pushed = max(f['pushed'] for f in frames)
    check('grasp, ' + method, rise > 0.08 and deep < 0.002 * 0.31 and pushed < 0.003,
          'rose by %.3f, deepest %.2g, %.2g of the size pushed out at the end' % (rise, deep, pushed))
slip = abs((grasp[50]['objects']['ball'][1] - grasp[46]['objects']['ball'][1]))
check('grasp', slip < 0.001, 'slips %.2g while held' % slip)
drop = report('drop')
check('drop', drop[48]['objects']['ball'][1] < drop[0]['objects']['ball'][1] - 0.2, 'with low friction it lies at %.2f' % drop[48]['objects']['ball'][1])
soft = report('squeeze')
check('squeeze', soft[48]['objects']['cube'][1] - soft[0]['objects']['cube'][1] > 0.07, 'the soft cube rose by %.3f' % (soft[48]['objects']['cube'][1] - soft[0]['objects']['cube'][1]))
toy = report('grasp_toy')
rise = toy[48]['objects']['toy'][1] - toy[0]['objects']['toy'][1]
most = max(f['watched'] for f in toy)
check('grasp_toy', rise > 0.08 and most >= 60, 'the toy rose by %.3f, up to %d contacts watched' % (rise, most))
check('handshake', touching(report('handshake')[35], 'character', 'other'), 'the hands touch')
light, heavy, free = report('kick_light'), report('kick_heavy'), cache('free')
travel = [max(math.dist(f['objects']['ball'], r[0]['objects']['ball']) for f in r) for r in (light, heavy)]
check('kick', travel[0] > 0.3 and travel[0] > 2 * travel[1], 'the light ball goes %.2f, the heavy one %.2f' % tuple(travel))
legs = cache('kick_light'), cache('kick_heavy')
moved = [max(farthest(a, b) for a, b in zip(leg, free)) for leg in legs]
check('kick', moved[1] > 1.5 * moved[0], 'the leg gives way by %.3f to the light ball, by %.3f to the heavy one' % tuple(moved))
step = report('uneven_ground')
check('uneven ground', any(touching(f, 'character', 'step') or touching(f, 'character', 'stone') for f in step), 'the feet touch what lies there')
check('uneven ground', max(f['depth'] for f in step) < 0.002, 'depth %.2g' % max(f['depth'] for f in step))
inside = max(min(0.03 - p[1], p[0] + 0.3, -p[0], p[2] + 0.05, 0.55 - p[2]) for frame in cache('uneven_ground') for p in frame)
check('uneven ground', inside < 0.004, 'deepest vertex of the skin in the step %.2g' % inside)
wall = cache('push_wall')
through = max(p[2] for p in free[30]) - 0.3, max(p[2] for frame in wall for p in frame) - 0.3
check('wall', through[0] > 0.03 and through[1] < 0.01, 'reaches %.3f past it without the scene, %.3f with it' % through)
sys.exit(1 if failed else 0)
PY
