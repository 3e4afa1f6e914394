#!/bin/bash
# An FBX with materials, a picture inside it, one beside it and none becomes a .glb that has them, byte for byte, with the texture coordinates of every corner; converted and baked.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
python3 "$here/make_fbx.py" a.fbx --paint --meshes 3 --clips 1 || fail "make"
"$PELT" inspect a.fbx > said.txt 2>&1; code=$?
[ $code = 5 ] && { echo "skipped: $(cat said.txt)"; exit 77; }
[ $code = 0 ] || fail "$(cat said.txt)"
grep -q import-picture said.txt && fail "a picture is missed: $(cat said.txt)"
"$PELT" convert a.fbx a.glb >out.txt 2>&1 || fail "$(cat out.txt)"
python3 "$here/painted.py" a.glb a.fbx.paint.json || fail "convert"
"$PELT" bake a.fbx -m lbs --set weights=file --frames 0:2 -q -o b.glb 2>err.txt || fail "$(cat err.txt)"
python3 "$here/painted.py" b.glb a.fbx.paint.json moved || fail "bake"
rm skin1.png
"$PELT" inspect a.fbx 2>&1 | grep -q 'import-picture.*skin1.png' || fail "a picture that is gone is not told"
echo "paint: good"
