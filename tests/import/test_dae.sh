#!/bin/bash
# Collada files made here, against what the format says their points do in every frame of every clip: joints moved by matrices and by angles, units, axes, a bind shape, a bind pose
# other than the file's own pose.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
make() { name=$1; shift; python3 "$here/make_dae.py" $name.dae "$@" || fail "make $name"; }
make matrices; make turns --turns; make inches --unit 0.0254 --z-up; make several --turns --clips 2 --z-up --unit 0.01
"$PELT" inspect matrices.dae > said.txt 2>&1; code=$?
[ $code = 5 ] && { echo "skipped: $(cat said.txt)"; exit 77; }
[ $code = 0 ] || fail "$(cat said.txt)"
for name in matrices turns inches several; do
    size=$("$PELT" inspect $name.dae | sed -n 's/.*diagonal //p')
    for answer in $name.dae.clip*.pc2; do
        clip=${answer#*clip}; clip=${clip%.pc2}
        "$PELT" bake $name.dae -m lbs --set weights=file --clip $clip --fps 30 --frames 0:15 -q -o a.pc2 2>err.txt || fail "$name: $(cat err.txt)"
        said=$(python3 "$here/apart.py" a.pc2 $answer 1e-6 "$size") || fail "$name $clip is not what Collada says: $said"
        echo "$name $clip: $said"
    done
done
echo "dae: good"
