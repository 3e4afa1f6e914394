#!/bin/bash
# Scenes that are wrong, or nearly: a clear error with the right exit code, or a result that stays finite. Never an explosion.
set -u
[ -x "$PELT" ] || { echo "skipped: no $PELT"; exit 77; }
python3 -c '' 2>/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$PELT" make hand --vertices 1000 -q -o hand.glb || exit 1
failed=0
printf 'v 0 0 0\nv 0.05 0 0\nv 0 0.05 0\nv 0 0 0.05\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' >open.obj   # a tetrahedron without its fourth face
printf 'v 0 0 0\nv 0.05 0 0\nv 0 nan 0\nv 0 0 0.05\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >nan.obj
python3 - <<'PY'
import json
thing = lambda i: {"name": "o%d" % i, "shape": "box", "size": [0.01, 0.01, 0.01], "position": [i * 0.02, 1, 0]}
json.dump({"objects": [thing(i) for i in range(10000)]}, open('many.json', 'w'))
PY

refuse() { # name, exit code, words, scene
  [ -n "$4" ] && printf '%s' "$4" >"$1.json"
  text=$("$PELT" bake hand.glb -m lbs --clip grasp --frames 0:2 --scene "$1.json" -o out.pc2 --quiet 2>&1)
  code=$?
  if [ $code -ne "$2" ] || ! grep -q -- "$3" <<<"$text" || [ -e out.pc2 ]; then
    echo "FAILED  $1: exit $code, said: $text"; failed=1; rm -f out.pc2
  else
    echo "ok      $1: $text"
  fi
}
refuse missing 2 'none.obj' '{"objects": [{"name": "a", "shape": "mesh", "file": "none.obj"}]}'
refuse mass 3 'objects\[0\].mass' '{"objects": [{"name": "a", "shape": "sphere", "radius": 0.02, "mass": -1}]}'
refuse soft 3 'closed mesh' '{"objects": [{"name": "a", "shape": "mesh", "file": "open.obj", "kind": "soft"}]}'
refuse number 3 'JSON line 1' '{"gravity": [0, NaN, 0]}'
refuse vertex 3 'nan.obj' '{"objects": [{"name": "a", "shape": "mesh", "file": "nan.obj"}]}'
refuse many 3 '10000 objects, at most 4096' ''
refuse key 3 'did you mean "friction"' '{"frction": 1}'
refuse joint 3 'no such joint\|no joint\|Thmub' '{"joints": [{"joint": "Thmub", "rigid": true}]}'
refuse poisson 3 'poisson_ratio' '{"objects": [{"name": "a", "shape": "sphere", "radius": 0.02, "kind": "soft", "poisson_ratio": 0.6}]}'

survive() { # name, scene: bakes, finite, nothing faster than a metre a second from one frame to the next
  printf '%s' "$2" >"$1.json"
  if ! text=$("$PELT" bake hand.glb -m lbs --clip grasp --frames 0:12 --scene "$1.json" -o "$1.pc2" --report "$1.report" --quiet 2>&1); then
    echo "FAILED  $1: $text"; failed=1; return
  fi
  python3 - "$1" <<'PY' || failed=1
import json, math, struct, sys
name = sys.argv[1]
data = open(name + '.pc2', 'rb').read()
points, frames = struct.unpack('<i', data[16:20])[0], struct.unpack('<i', data[28:32])[0]
values = struct.unpack('<%df' % (points * frames * 3), data[32:])
report = json.load(open(name + '.report'))
far = max(abs(v) for v in values) if all(map(math.isfinite, values)) else math.inf
at = [f['contact']['objects'] for f in report['per_frame']]
speed = max((30 * math.dist(a[o], b[o]) for a, b in zip(at, at[1:]) for o in a), default=0)
said = [w['code'] for w in report['warnings']]
good = far < 1 and speed < 1 and (name != 'shell' or 'scene-open-mesh' in said)
good = good and ('scene-overlap' in said) == (name in ('inside', 'inside_soft', 'inside_fixed', 'each_other'))
print('%s  %s: farthest point %.2f, fastest object %.2f/s, warnings %s' % ('ok    ' if good else 'FAILED', name, far, speed, said))
sys.exit(not good)
PY
}
weightless='"gravity": [0, 0, 0]'
survive inside "{$weightless, \"objects\": [{\"name\": \"a\", \"shape\": \"sphere\", \"radius\": 0.03, \"position\": [-0.1, -0.05, -0.01]}]}"
survive inside_soft "{$weightless, \"objects\": [{\"name\": \"a\", \"shape\": \"box\", \"size\": [0.03, 0.03, 0.03], \"kind\": \"soft\", \"detail\": 3, \"position\": [-0.1, -0.05, -0.01]}]}"
survive inside_fixed "{$weightless, \"objects\": [{\"name\": \"a\", \"shape\": \"box\", \"size\": [0.04, 0.04, 0.04], \"kind\": \"fixed\", \"position\": [-0.1, -0.05, -0.01]}]}"
survive each_other "{$weightless, \"objects\": [{\"name\": \"a\", \"shape\": \"sphere\", \"radius\": 0.03, \"position\": [0.3, 0, 0]}, {\"name\": \"b\", \"shape\": \"sphere\", \"radius\": 0.03, \"position\": [0.31, 0, 0]}]}"
survive shell "{$weightless, \"objects\": [{\"name\": \"a\", \"shape\": \"mesh\", \"file\": \"open.obj\", \"position\": [0.3, 0, 0]}]}"
survive heavy "{$weightless, \"objects\": [{\"name\": \"a\", \"shape\": \"sphere\", \"radius\": 0.025, \"mass\": 1e9, \"position\": [-0.163, -0.063, -0.0385]}]}"
survive feather "{$weightless, \"objects\": [{\"name\": \"a\", \"shape\": \"sphere\", \"radius\": 0.025, \"mass\": 1e-7, \"position\": [-0.163, -0.063, -0.0385]}]}"
survive nothing "{$weightless}"
exit $failed
