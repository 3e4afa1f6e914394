#!/bin/bash
# Clips that drive skin into skin, few frames a second, begun in their midst or played whole: nothing that is shown crosses or is
# no number, and no skin is held for want of a way.
set -u
[ -x "$PELT" ] || { echo "skipped: no $PELT"; exit 77; }
python3 -c '' 2>/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
"$PELT" make arm --seed 2 --dress none --vertices 900 --clip random -q -o "$work/arm.glb" || exit 1
"$PELT" make biped --vertices 2000 --clip touches -q -o "$work/biped.glb" || exit 1
"$PELT" make hand --vertices 1500 --clip fist -q -o "$work/hand.glb" || exit 1
try() { # character, method, what else
  "$PELT" bake "$work/$1.glb" -m "$2" "${@:3}" --threads 1 -q -o "$work/out.pc2" --report "$work/report.json" 2>/dev/null || { echo "$*: no bake"; failed=1; return; }
  python3 - "$work/report.json" "$*" <<'PY' || failed=1
import json, sys
r = json.load(open(sys.argv[1]))
s, q = r["method_stats"], r["quality"]
bad = {"crossing pairs": q["self_intersections_new"], "not finite": q["nonfinite"], "frozen": s["touch_frozen"], "unfinished": s["touch_spent"]}
print(sys.argv[2], bad, "behind %d frames, lag %.3f of the size" % (s["touch_behind_frames"], s["touch_lag"]))
sys.exit(any(bad.values()))
PY
}
try arm tracking --fps 10 --frames 0:12   # a fold at the elbow whose triangles cross though no features were seen to meet
try arm tracking --fps 10 --frames 8:10   # led in from the rest pose
try biped tracking --fps 10 --frames 14:18 # a clap
"$PELT" make biped --vertices 800 --clip touches -q -o "$work/small.glb" || exit 1
try small projective --fps 10 --frames 14:18
try small layered --fps 10 --frames 14:18
try small layered --fps 10 --frames 0:18 # a hand on the chest, crossed arms and the clap, from the start
try small projective --fps 10 --frames 16:17 # begun in the clap
try biped tracking --frames 18:32 # crossed arms: all skin stayed behind, by .16 of the size
try hand tracking --fps 10 --frames 0:11
try hand layered --fps 10 --frames 8:11
# a body carries what is shown: 91 and 17 pairs crossed before that had a last word of its own
"$PELT" make hand --vertices 1600 --clip fist -q -o "$work/carried.glb" || exit 1
"$PELT" make hand --vertices 700 --clip fist -q -o "$work/coarse.glb" || exit 1
try carried tracking --fps 10 --frames 9:11 --set body=proxy
try coarse layered --fps 10 --frames 9:11 --set body=proxy
# legs that hook in each other: edges were drawn out up to 49 times, or, let go, 179 pairs crossed
hooks() { # kind, seed, vertices
  "$PELT" make "$1" --seed "$2" --vertices "$3" --dress none --clip random -q -o "$work/hooks.glb" || exit 1
  "$PELT" bake "$work/hooks.glb" -m tracking --frames 0:40 --threads 1 -q --report "$work/report.json" 2>/dev/null || exit 1
  python3 - "$work/report.json" "$*" <<'PY' || failed=1
import json, sys
r = json.load(open(sys.argv[1]))
s, q = r["method_stats"], r["quality"]
crossing = 0 if q["rest_self_intersections"] else q["self_intersections_new"]
print("%s: %d pairs cross, edges up to %.2f, led anew in %d frames" % (sys.argv[2], crossing, q["stretch_max"], s["touch_led_anew"]))
sys.exit(crossing > 0 or q["stretch_max"] > 2.9)
PY
}
hooks biped 215 1200
hooks beast 32 2000
hooks beast 21 2000
# a tube tied into a knot: when the work ran out all of it stayed behind, by .29 of the size; a hand that hooks in a shin and
# drew the whole body along, by 1.15 of the size; a coarse beast on a body: all of it stayed behind and shrank, by .20 of the size
caught() { # kind, seed, vertices, method, frames, what may be behind, of the size, what else
  "$PELT" make "$1" --seed "$2" --vertices "$3" --dress none --clip random -q -o "$work/caught.glb" || exit 1
  "$PELT" bake "$work/caught.glb" -m "$4" --fps 10 --frames "$5" "${@:7}" --threads 1 -q --report "$work/report.json" 2>/dev/null || exit 1
  python3 - "$work/report.json" "$1 $2" "$6" <<'PY' || failed=1
import json, sys
r = json.load(open(sys.argv[1]))
s, q = r["method_stats"], r["quality"]
print("%s: %d pairs cross, lag %.3f of the size" % (sys.argv[2], q["self_intersections_new"], s["touch_lag"]))
sys.exit(q["self_intersections_new"] > 0 or s["touch_lag"] > float(sys.argv[3]))
PY
}
caught cylinder 208 800 tracking 0:20 0.1
caught biped 223 800 tracking 0:20 0.3
caught beast 2 500 tracking 0:8 0.1 --set body=proxy
caught beast 2 500 projective 0:8 0.1 --set body=proxy
exit $failed
