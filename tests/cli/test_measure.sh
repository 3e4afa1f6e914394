#!/usr/bin/env bash
# pelt measure: what a bake reports and what its cache measures are the same, and a bake without --report does not measure.
set -uo pipefail
. "$(dirname "$0")/../support/lacks.sh"
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
# outputs and report appear together: a report that cannot be written costs no bake, and leaves what was there
echo old >"$work/together.pc2"
for report in "$work/nowhere/r.json" "$work"; do
    "$PELT" bake "$work/arm.glb" -m lbs --clip bend --frames 0:3 -q -o "$work/together.pc2" --report "$report" 2>"$work/err"
    [ $? = 2 ] && [ "$(cat "$work/together.pc2")" = old ] || fail "a report that cannot be written: $(cat "$work/err")"
done
mkdir "$work/kept_0000.obj"
"$PELT" bake "$work/arm.glb" -m lbs --clip bend --frames 0:3 -q -o "$work/together.pc2" -o "$work/kept.obj" 2>"$work/err"
[ $? = 2 ] && [ "$(cat "$work/together.pc2")" = old ] || fail "a folder in the place of a frame: $(cat "$work/err")"
"$PELT" bake "$work/arm.glb" -m lbs --clip bend --frames 0:3 -q -o "$work/together.pc2" --report "$work/together.pc2" 2>"$work/err"
[ $? = 1 ] && [ "$(cat "$work/together.pc2")" = old ] || fail "a report by the name of an output: $(cat "$work/err")"
"$PELT" bake "$work/arm.glb" -m lbs --clip bend --frames 0:3 --no-measure -q --report /dev/stdout | python3 -c 'import json, sys; assert json.load(sys.stdin)["frames"] == 4' || fail "a report into a pipe"
# refusals say the cure
"$PELT" measure "$work/arm.glb" 2>"$work/err"
[ $? = 1 ] && grep -q -- "--cache" "$work/err" || fail "no cache: $(cat "$work/err")"
"$PELT" measure "$work/arm.glb" --cache "$work/a.pc2" --clip bend --first 5000 2>"$work/err"
[ $? = 3 ] && grep -q -- "--first" "$work/err" || fail "frames beyond the clip: $(cat "$work/err")"
# a character without clips, and a cache that starts before the first frame: no clip is asked for what it says
"$PELT" make cylinder --vertices 500 -q -o "$work/still.gltf" || fail "make"
python3 - "$work/still.gltf" <<'END' || fail "a file without clips"
import json, sys
text = json.load(open(sys.argv[1]))
del text["animations"]
json.dump(text, open(sys.argv[1], "w"))
END
"$PELT" bake "$work/still.gltf" -m lbs -q -o "$work/still.pc2" || fail "a bake without clips"
python3 - "$work/still.pc2" <<'END' || fail "its header"
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<f", data, 20, -3)
open(sys.argv[1], "wb").write(data)
END
"$PELT" measure "$work/still.gltf" --cache "$work/still.pc2" -q 2>"$work/err" || fail "a still cache that starts at -3: $(cat "$work/err")"
# every kind that a bake writes is measured, and shown, as the .pc2 is; --fps is as the cache says where it says
(cd "$work" && mkdir kinds && "$PELT" bake arm.glb -m dqs --clip bend --frames 12:15 -q $(printf -- '-o kinds/a.%s ' pc2 mdd npz obj usda abc glb gltf)) ||
    fail "bake all kinds"
want=$("$PELT" measure "$work/arm.glb" --cache "$work/kinds/a.pc2" --clip bend --json -q)
"$PELT" render "$work/arm.glb" --cache "$work/kinds/a.pc2" --clip bend --frame 14 --size 80x60 -q -o "$work/want.png" || fail "render a .pc2"
for kind in mdd npz obj usda abc glb gltf; do
    got=$("$PELT" measure "$work/arm.glb" --cache "$work/kinds/a.$kind" --clip bend --json -q 2>"$work/err") || fail ".$kind: $(cat "$work/err")"
    case $kind in
    glb | gltf) [ "$(grep -o '"frames": [0-9]*\|"verdict": "[^"]*"' <<<"$got")" = "$(grep -o '"frames": [0-9]*\|"verdict": "[^"]*"' <<<"$want")" ] || fail "measures of .$kind: $got" ;;
    *) [ "$got" = "$want" ] || fail "measures of .$kind: $got" ;;
    esac
    "$PELT" render "$work/arm.glb" --cache "$work/kinds/a.$kind" --clip bend --frame 14 --size 80x60 -q -o "$work/got.png" || fail "render a .$kind"
    case $kind in glb | gltf) ;; *) cmp -s "$work/got.png" "$work/want.png" || fail "the picture of a .$kind" ;; esac
done
# one frame alone is measured in its own pose, or one is told that nothing says which it is
(cd "$work" && mkdir one && "$PELT" bake arm.glb -m lbs --clip bend --frames 18:18 -q $(printf -- '-o one/a.%s ' pc2 mdd npz obj usda abc glb gltf)) ||
    fail "bake one frame"
for kind in pc2 mdd npz usda abc; do
    "$PELT" measure "$work/arm.glb" --cache "$work/one/a.$kind" --clip bend --report "$work/one.json" -q 2>"$work/err" || fail "one frame of .$kind: $(cat "$work/err")"
    python3 -c "import json; r = json.load(open('$work/one.json')); assert r['first_frame'] == 18 and r['quality']['flown'] == 0, r" || fail "the frame of .$kind"
    case $kind in pc2 | mdd) grep -q -- "30 taken (--fps)" "$work/err" || fail "a rate that was guessed for .$kind: $(cat "$work/err")" ;; esac
done
cp "$work/one/a_0018.obj" "$work/one/a.obj"
python3 - "$work/one" <<'END' || fail "caches that do not say their frame"
import re, sys, zipfile
text = open(sys.argv[1] + "/a.usda").read()
open(sys.argv[1] + "/plain.usda", "w").write(re.sub(r"(\w+(?:\[\])? \w+)\.timeSamples = \{\s*[\d.]+: (.*?),\s*\}", r"\1 = \2", text, flags=re.S))
with zipfile.ZipFile(sys.argv[1] + "/a.npz") as old, zipfile.ZipFile(sys.argv[1] + "/plain.npz", "w") as new:
    for name in old.namelist():
        if name != "start_frame.npy":
            new.writestr(name, old.read(name))
END
mv "$work/one/a.obj" "$work/one/plain.obj" && cp "$work/one/a.glb" "$work/one/plain.glb" && cp "$work/one/a.gltf" "$work/one/plain.gltf"
for kind in glb gltf npz obj usda; do
    "$PELT" measure "$work/arm.glb" --cache "$work/one/plain.$kind" --clip bend -q 2>"$work/err"
    [ $? = 3 ] && grep -q -- "--first" "$work/err" || fail "one frame of .$kind: $(cat "$work/err")"
    "$PELT" measure "$work/arm.glb" --cache "$work/one/plain.$kind" --clip bend --first 18 --report "$work/one.json" -q 2>/dev/null || fail "one frame of .$kind, told"
    python3 -c "import json; r = json.load(open('$work/one.json')); assert r['quality']['flown'] < 1e-3, r" || fail "the frame of .$kind, told"
    "$PELT" render "$work/arm.glb" --cache "$work/one/plain.$kind" --clip bend --frame 18 --size 80x60 -q -o "$work/got.png" || fail "the picture of one frame of .$kind"
done
# a clip of one frame has no other
"$PELT" make cylinder --vertices 500 -q -o "$work/pose.gltf" && python3 - "$work/pose.gltf" <<'END' || fail "a clip of one frame"
import json, sys
text = json.load(open(sys.argv[1]))
for clip in text["animations"]:
    for sampler in clip["samplers"]:
        for accessor in (sampler["input"], sampler["output"]):
            text["accessors"][accessor]["count"] = 1
            for bound in ("min", "max"):
                text["accessors"][accessor].pop(bound, None)
        text["accessors"][sampler["input"]].update(min=[0], max=[0])
json.dump(text, open(sys.argv[1], "w"))
END
"$PELT" bake "$work/pose.gltf" -m lbs -q -o "$work/pose.glb" && "$PELT" measure "$work/pose.gltf" --cache "$work/pose.glb" -q 2>"$work/err" || fail "a pose: $(cat "$work/err")"
"$PELT" measure "$work/arm.glb" --cache "$work/kinds/a_0013.obj" --clip bend --json -q >"$work/got" && [ "$(cat "$work/got")" = "$want" ] || fail "a frame's name"
if has_numpy; then
    python3 -c "import numpy; a = numpy.load('$work/kinds/a.npz'); numpy.savez_compressed('$work/packed.npz', points=a['points']); numpy.savez('$work/wide.npz', points=a['points'].astype('f8'), start_frame=12)"
    "$PELT" measure "$work/arm.glb" --cache "$work/packed.npz" --clip bend 2>"$work/err"
    [ $? = 5 ] && grep -q "numpy.savez in place" "$work/err" || fail "a compressed .npz: $(cat "$work/err")"
    [ "$("$PELT" measure "$work/arm.glb" --cache "$work/wide.npz" --clip bend --json -q)" = "$want" ] || fail "an .npz of doubles"
fi
echo "#usda 1.0" >"$work/bad.usda"
for kind in npz usda abc glb obj; do
    [ $kind = usda ] || head -c 100 "$work/kinds/a.pc2" >"$work/bad.$kind"
    "$PELT" measure "$work/arm.glb" --cache "$work/bad.$kind" --clip bend -q 2>"$work/err"
    [ $? = 3 ] && [ "$(wc -l <"$work/err")" = 1 ] || fail "a bad .$kind: $(cat "$work/err")"
done
"$PELT" measure "$work/arm.glb" --cache "$work/a.zip" 2>"$work/err"
[ $? = 1 ] && grep -q "read: .pc2 .mdd .npz" "$work/err" || fail "an unknown ending: $(cat "$work/err")"
"$PELT" measure "$work/arm.glb" --cache "$work/a.usdc" 2>"$work/err"
[ $? = 5 ] && grep -q usdcat "$work/err" || fail ".usdc: $(cat "$work/err")"
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
