#!/bin/bash
# What distilling a character really writes: rules that keep to docs/schema/drivers.schema.json in types and ranges, not by the
# names of keys alone (test_write.c), with all three kinds of helpers; the page's table of joints; and
# the .npz of `pelt sample`, as a reader without numpy has it.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
check="$PELT_SOURCE/tests/distil/check_files.py"
schema="$PELT_SOURCE/docs/schema/drivers.schema.json"
fail() { echo "FAILED: $*"; exit 1; }
for name in cylinder arm; do
  "$PELT" make "$name" --vertices 600 -o "$name.glb" -q || exit 1
  "$PELT" distil "$name.glb" -m dqs --poses 60 --held-out 5 --helpers 30 --correctives 8 --no-clips -q -o "$name-out.glb" \
    --page "$name.html" || exit 1
  python3 "$check" rules "$schema" "$name-out.drivers.json" "$name-out.glb" || fail "rules of the $name"
done
grep -q '"rule": "twist"' cylinder-out.drivers.json && grep -q '"push"' cylinder-out.drivers.json || fail "no twist or push to look at"
grep -A3 '<h2 id="joints">' cylinder.html | grep -q '<th scope="row">Upper</th>' || fail "no table of joints on the page"
"$PELT" sample arm.glb -m lbs --poses 20 -q -o s.npz || exit 1
nodes=$(python3 -c 'import json; print(len(json.load(open("s.npz.poses.json"))["nodes"]))')
python3 "$check" samples s.npz 20 "$nodes" || fail "samples"
