#!/usr/bin/env bash
# pelt measure: what a bake reports and what its cache measures are the same, and a bake without --report does not measure.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
"$PELT" make arm --vertices 1500 -o "$work/arm.glb" >/dev/null || exit 1
"$PELT" bake "$work/arm.glb" -m dqs --clip bend --frames 12:20 -q -o "$work/a.pc2" --report "$work/bake.json" || fail "bake"
out=$("$PELT" measure "$work/arm.glb" --cache "$work/a.pc2" --clip bend --report "$work/measure.json" 2>/dev/null) || fail "measure"
grep -q '^verdict: ' <<<"$out" || fail "no verdict: $out"
python3 - "$work" <<'PY' || failures=$((failures + 1))
import json, sys
a, b = (json.load(open('%s/%s.json' % (sys.argv[1], n))) for n in ('bake', 'measure'))
assert a['quality'] == b['quality'], 'quality differs'
for key in ('torn', 'flown', 'crossings_new', 'rigid_error', 'component_volume_min', 'component_volume_vs_lbs', 'verdict', 'verdict_worse', 'lbs', 'components'):
    assert key in a['quality'], key
assert a['quality']['flown'] > 0 and a['quality']['lbs']['flown'] == 0
assert len(a['quality']['components']) == 1 and a['mesh']['closed']
assert b['first_frame'] == 12 and [f['frame'] for f in b['per_frame']] == list(range(12, 21))
for x, y in zip(a['per_frame'], b['per_frame']):
    assert all(x[k] == v for k, v in y.items()), (x, y)
PY
"$PELT" measure "$work/arm.glb" --cache "$work/a.pc2" --clip bend --json -q | python3 -c 'import json, sys; q = json.load(sys.stdin); assert q["frames"] == 9 and "verdict" in q' || fail "json"
"$PELT" bake "$work/arm.glb" -m lbs --clip bend --frames 0:3 --json -q -o "$work/b.pc2" 2>/dev/null | python3 -c 'import json, sys; assert "deep_pairs" not in json.load(sys.stdin)' || fail "a bake without --report measured"
# refusals say the cure
"$PELT" measure "$work/arm.glb" 2>"$work/err"
[ $? = 1 ] && grep -q -- "--cache" "$work/err" || fail "no cache: $(cat "$work/err")"
"$PELT" measure "$work/arm.glb" --cache "$work/a.pc2" --clip bend --first 5000 2>"$work/err"
[ $? = 3 ] && grep -q -- "--first" "$work/err" || fail "frames beyond the clip: $(cat "$work/err")"
"$PELT" bake "$work/arm.glb" -m lbs --clip bend --frames 0:1 -q -o "$work/a.npz" -o "$work/a.abc" || fail "bake .npz and .abc"
for kind in npz abc; do
    "$PELT" measure "$work/arm.glb" --cache "$work/a.$kind" --clip bend 2>"$work/err"
    [ $? = 1 ] && grep -q "read from .pc2 and .mdd, not from .$kind: .*pelt bake FILE -o a.pc2" "$work/err" || fail ".$kind: $(cat "$work/err")"
done
"$PELT" make cylinder --vertices 500 -o "$work/c.glb" >/dev/null
"$PELT" measure "$work/c.glb" --cache "$work/a.pc2" 2>"$work/err"
[ $? = 3 ] && grep -q "points a frame" "$work/err" || fail "another character: $(cat "$work/err")"
# a picture of a cache counts as the clip does
"$PELT" render "$work/arm.glb" --cache "$work/a.pc2" --clip bend --frame 14 --size 80x60 -q -o "$work/c.png" || fail "render --cache"
"$PELT" render "$work/arm.glb" -m dqs --clip bend --frame 14 --size 80x60 -q -o "$work/m.png" || fail "render"
cmp -s "$work/c.png" "$work/m.png" || fail "frame 14 of the cache is not frame 14 of the clip"
"$PELT" render "$work/arm.glb" --cache "$work/a.pc2" --clip bend --frame 2 --size 80x60 -q -o "$work/c.png" 2>"$work/err"
[ $? = 1 ] && grep -q "12:20" "$work/err" || fail "a frame the cache does not have: $(cat "$work/err")"
exit $((failures > 0))
