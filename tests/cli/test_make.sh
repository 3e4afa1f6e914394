#!/bin/bash
# `pelt make`: the same bytes for any number of threads, counts within 10 %, exit codes, nothing half written.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0
fail() { echo "failed: $1"; failed=1; }
expect() { # CODE ARGUMENTS...
  local code=$1
  shift
  "$PELT" make "$@" >"$out/text" 2>&1
  local got=$?
  [ $got -eq "$code" ] || fail "exit code $got, not $code: pelt make $*"
}

expect 0 hand --vertices 1200 --threads 1 -o "$out/one.glb"
expect 0 hand --vertices 1200 --threads 3 -o "$out/three.glb" --quiet
cmp -s "$out/one.glb" "$out/three.glb" || fail "one and three threads give different files"
count=$("$PELT" inspect "$out/one.glb" --json | sed -n 's/.*"welded": *\([0-9]*\).*/\1/p' | head -1)
[ "${count:-0}" -ge 1080 ] && [ "$count" -le 1320 ] || fail "1200 vertices wanted, ${count:-none} made"
expect 0 cylinder --no-weights --uv -o "$out/cylinder.gltf"
expect 1 horse -o "$out/horse.glb"
expect 1 hand --vertices 12 -o "$out/small.glb"
expect 1 hand --vertices many -o "$out/many.glb"
expect 1 hand
expect 1 hand -o "$out/hand.fbx"
expect 2 cylinder -o "$out/no such folder/c.glb"
expect 0 cylinder --seed 4 --clip random --threads 1 -o "$out/four.glb"
expect 0 cylinder --seed 4 --clip random --threads 2 -o "$out/again.glb"
cmp -s "$out/four.glb" "$out/again.glb" || fail "one seed gives two files"
expect 0 cylinder --seed 5 --clip random -o "$out/five.glb"
cmp -s "$out/four.glb" "$out/five.glb" && fail "two seeds give one file"
for kind in cylinder beast; do
  expect 0 $kind --seed 2 --vertices 900 --dress all --weights missing --clip random -o "$out/dressed.glb"
  "$PELT" inspect "$out/dressed.glb" >"$out/text" || fail "inspect refuses a dressed $kind"
  grep -q 'random: 4.000 s' "$out/text" || fail "no random clip in a dressed $kind"
  grep -q ' open, ' "$out/text" || fail "no open shell on a dressed $kind"
done
expect 0 biped --vertices 900 --clip touches -o "$out/touches.glb"
"$PELT" inspect "$out/touches.glb" | grep -q 'touches: 4.000 s' || fail "no clip of touches"
expect 1 beast --clip touches -o "$out/many.glb"
expect 1 cylinder --seed 0 -o "$out/many.glb"
expect 1 cylinder --dress twice -o "$out/many.glb"
expect 1 cylinder --weights good -o "$out/many.glb"
expect 1 cylinder --clip walk -o "$out/many.glb"
grep -q 'bend, twist, and random' "$out/text" || fail "the clips are not named: $(cat "$out/text")"
ls "$out" | grep -qE 'horse|small|many|fbx' && fail "a failed make left a file"
[ $failed -eq 0 ]
