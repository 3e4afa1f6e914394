#!/bin/bash
# What is told of touching: the report names the joints that gave way and by how much, and the parts that were held on their side
# and when; warnings name the first few of both, and
# `pelt render --forces` shows where parts push each other. A clip that comes back ends where it began.
set -u
[ -x "$PELT" ] || { echo "skipped: no $PELT"; exit 77; }
python3 -c '' 2>/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
"$PELT" make biped --vertices 800 --threads 1 -q -o "$work/biped.glb" || exit 1
bake() { "$PELT" bake "$work/biped.glb" --clip bend --threads 1 -q -o "$work/out.pc2" --report "$work/report.json" "$@"; }
bake -m lbs --set give-way=on --frames 0:30 --no-measure 2>"$work/said" || fail "no bake"
grep -q "LeftMiddleProximal [0-9]* deg.*\[gave-way\]" "$work/said" || fail "the warning names no finger: $(cat "$work/said")"
grep "gave-way\|kept-side" "$work/said" | grep -qvE "(deg|\)|others) \[(gave-way|kept-side)\]$" && fail "a warning is cut off: $(cat "$work/said")"
grep -q "held on their side .*Left[A-Z][a-z]*Proximal and LeftUpperLeg (frames [0-9]* to [0-9]*).*\[kept-side\]" "$work/said" || fail "the warning names no pair: $(cat "$work/said")"
python3 - "$work/report.json" <<'PY' || failed=1
import json, sys
sides = json.load(open(sys.argv[1]))["give_way_sides"]
pairs = {(s["a"], s["b"]) for s in sides}
print("%d pairs were held on their side: %s" % (len(sides), ", ".join("%s and %s" % p for p in sorted(pairs))))
# fingers against the thigh of their side, while the hands are low: nothing before frame 20, nothing is let go
sys.exit(not any(b == "LeftUpperLeg" and a.startswith("Left") for a, b in pairs) or any(s["from"] < 20 or s["to"] > 30 or s["to"] < s["from"] or s["frames"] < 1 or "let_go" in s or not 0 < s["most"] < 0.1 for s in sides))
PY
python3 - "$work/report.json" <<'PY' || failed=1
import json, sys
turned = {j["joint"]: j for j in json.load(open(sys.argv[1]))["give_way"]}
fingers = [j for n, j in turned.items() if "Proximal" in n and j["most_deg"] > 5]
print("%d joints gave way, fingers by up to %.0f degrees, thighs %.1f" % (len(turned), max(j["most_deg"] for j in fingers), turned["LeftUpperLeg"]["most_deg"]))
# hands driven through thighs: hands yield, thighs hardly do, and not before they touch
sys.exit(len(fingers) < 4 or turned["LeftUpperLeg"]["most_deg"] > 5 or min(j["frame"] for j in fingers) < 10)
PY
# a rig lets fingers and thighs be pressed: fingers turn less than where nothing may be
python3 - "$work/report.json" "$work/rig.json" <<'PY' || failed=1
import json, sys
joints = [j["joint"] for j in json.load(open(sys.argv[1]))["give_way"]]
json.dump({"version": 1, "joints": {j: {"crush": 0.4} for j in joints}}, open(sys.argv[2], "w"))
PY
cp "$work/report.json" "$work/hard.json"
bake -m lbs --set give-way=on --rig "$work/rig.json" --frames 0:30 --no-measure 2>"$work/said" || fail "no bake with a rig: $(cat "$work/said")"
python3 - "$work/hard.json" "$work/report.json" <<'PY' || failed=1
import json, sys
hard, soft = (sum(j["most_deg"] for j in json.load(open(f))["give_way"] if "Proximal" in j["joint"]) for f in sys.argv[1:])
print("fingers turn by %.0f degrees in sum, with crush 0.4 by %.0f" % (hard, soft))
sys.exit(not soft < 0.9 * hard)
PY
draw() { "$PELT" render "$work/biped.glb" -m lbs --clip bend --frame 30 --size 160x160 --samples 1 --threads 1 -q "$@" 2>/dev/null; }
draw --set give-way=on -o "$work/plain.png" && draw --set give-way=on --forces -o "$work/forces.png" || fail "no picture of forces"
cmp -s "$work/plain.png" "$work/forces.png" && fail "--forces shows nothing"
draw --set give-way=off --forces -o "$work/none.png" && fail "forces where nothing pushes"
bake -m lbs --set give-way=off --frames 0:30 --no-measure 2>"$work/said" || fail "no bake"
grep -q "gave-way\|kept-side" "$work/said" && fail "gave way though it was off"
bake -m tracking 2>/dev/null || fail "no bake by tracking" # down and up again
python3 - "$work/report.json" <<'PY' || failed=1
import json, sys
r = json.load(open(sys.argv[1]))
q = r["quality"]
print("crouch and back: %.2g of the size from where it began, %d pairs cross" % (q["loop_error"], q["self_intersections_new"]))
sys.exit(not q["loop_error"] < 0.01 or q["self_intersections_new"] > 0)
PY
exit $failed
