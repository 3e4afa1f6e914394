#!/usr/bin/env bash
# The command from outside: help, exit codes, one-line errors, nothing half written.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
# expect CODE "part of stderr or stdout" command...
expect() {
    local code=$1 text=$2
    shift 2
    local out
    out=$("$@" 2>&1 </dev/null)
    local got=$?
    if [ $got != "$code" ] || ! grep -qF -- "$text" <<<"$out"; then
        echo "FAILED: $* gave $got (wanted $code with '$text'):"
        head -3 <<<"$out"
        failures=$((failures + 1))
    fi
}
expect 0 "usage: pelt COMMAND" "$PELT" --help
expect 1 "usage: pelt COMMAND" "$PELT"
expect 0 "pelt 0." "$PELT" --version
expect 1 "no command 'fly'" "$PELT" fly
for command in inspect bake methods bench render make; do
    "$PELT" --help | grep -q "^  $command " && expect 0 "exit codes" "$PELT" $command --help
done
# two results of the benchmark: a change beyond the spread of the runs is told, the page is whole
printf 'group,name,value,unit,wanted,paper,over_machine,note,runs,low,high,parts\nfield,"a, 1 thread",10,ms,0,0,0,"",3,9.9,10.1,""\nfield,"b",10,ms,0,0,0,"",3,8,12,""\n' >"$work/old.csv"
sed 's/",10,/",8,/; s/9.9,10.1/7.9,8.1/' "$work/old.csv" >"$work/new.csv"
expect 0 "1 better, 0 worse, 1 within the noise" "$PELT" bench --against "$work/old.csv" "$work/new.csv"
expect 0 "0 better, 1 worse, 1 within the noise" "$PELT" bench --against "$work/new.csv" "$work/old.csv"
expect 3 "pelt bench -o FILE.csv" "$PELT" bench --against "$0" "$work/old.csv"
expect 1 "there is no group 'speed'" "$PELT" bench speed
expect 0 "lbs         linear blend skinning" "$PELT" methods
expect 0 '"dynamic": false' "$PELT" methods --json
expect 0 '"common": [' "$PELT" methods tracking --json
lines=$("$PELT" methods | grep -c '^  weights=') # common options are listed once
[ "$lines" = 1 ] || { echo "pelt methods lists weights= $lines times"; exit 1; }
expect 1 "no method 'magic'" "$PELT" methods magic
expect 1 "which file?" "$PELT" inspect
expect 2 "nothing.glb" "$PELT" inspect "$work/nothing.glb"
printf 'not a model' >"$work/bad.glb"
expect 3 "bad.glb" "$PELT" inspect "$work/bad.glb"
printf '{"asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"],"extensionsUsed":["KHR_draco_mesh_compression"]}' >"$work/draco.gltf"
PELT_IMPORT=/nonexistent expect 5 "gltf-transform" "$PELT" inspect "$work/draco.gltf"
# a triangle on two joints
cat >"$work/tri.gltf" <<'JSON'
{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],
"nodes":[{"mesh":0,"skin":0},{"name":"a","children":[2]},{"name":"b","translation":[0,1,0]}],"skins":[{"joints":[1,2]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
JSON
expect 0 "3 vertices" "$PELT" inspect "$work/tri.gltf"
expect 1 "nothing to write" "$PELT" bake "$work/tri.gltf" -m lbs
expect 1 "no method 'magic'" "$PELT" bake "$work/tri.gltf" -m magic -o "$work/x.pc2"
expect 1 "did you mean 'weights'" "$PELT" bake "$work/tri.gltf" -m lbs --set weight=auto -o "$work/x.pc2"
expect 1 "unknown option" "$PELT" bake "$work/tri.gltf" --colour red
expect 1 "--fps" "$PELT" bake "$work/tri.gltf" -m lbs --fps fast -o "$work/x.pc2"
expect 1 "--frames" "$PELT" bake "$work/tri.gltf" -m lbs --frames 5:2 -o "$work/x.pc2"
# numbers that say nothing are refused, not taken for the default or by their low bits
for command in bake compare demo distil make measure render sample batch studio; do
    expect 1 "--threads: -1 is below 0" timeout 5 "$PELT" $command --threads -1 # a studio that takes it would serve on
done
for number in 99999999999 2x '' nan; do
    expect 1 "--threads: '$number' is not a whole number" "$PELT" bake "$work/tri.gltf" -m lbs --threads "$number" -o "$work/x.pc2"
done
expect 1 "--threads 0: at least 1" "$PELT" bench --threads 0
expect 1 "--first: -2 is below 0" "$PELT" measure "$work/tri.gltf" --first -2
expect 1 "--workers: -1 is below 0" "$PELT" batch "$work" --workers -1
expect 1 "--chunk: -1 is below 0" "$PELT" batch "$work" --chunk -1
expect 1 "--timeout -1" "$PELT" batch "$work" --timeout -1
expect 1 "--shard wants I/N" "$PELT" batch "$work" --shard 4294967296/4294967297
expect 1 "--part wants I/N" "$PELT" distil "$work/tri.gltf" --part 4294967296/4294967297
expect 1 "--error wants a length" "$PELT" distil "$work/tri.gltf" --error inf
expect 1 "is not WxH" "$PELT" render "$work/tri.gltf" --size 4294967297x8 -o "$work/x.png"
expect 1 "--frame wants" "$PELT" render "$work/tri.gltf" --frame 4294967296 -o "$work/x.png"
expect 1 "--frames wants" "$PELT" render "$work/tri.gltf" --frames 4294967296:4294967297 -o "$work/x.webp"
expect 1 ".xyz" "$PELT" bake "$work/tri.gltf" -m lbs -o "$work/x.xyz"
expect 2 "no-such-folder" "$PELT" bake "$work/tri.gltf" -m lbs -o "$work/no-such-folder/x.pc2"
[ -z "$(ls "$work" | grep -E 'x\.')" ] || { echo "FAILED: a refused bake left files"; failures=$((failures + 1)); }
# the file that is read is never written over, under whatever name
cp "$work/tri.gltf" "$work/kept.gltf" && ln -s kept.gltf "$work/link.gltf"
expect 1 "is the file that is read" "$PELT" bake "$work/kept.gltf" -m lbs -q -o "$work/./kept.gltf"
expect 1 "is the file that is read" "$PELT" bake "$work/kept.gltf" -m lbs -q -o "$work/x.pc2" -o "$work/link.gltf"
expect 1 "is the file that is read" "$PELT" distil "$work/kept.gltf" -m lbs -q -o "$work/kept.gltf"
ln "$work/kept.gltf" "$work/hard.gltf" && ln -s kept.gltf "$work/link.npz" && ln -s kept.gltf "$work/link.png"
for name in kept.gltf ./kept.gltf link.gltf hard.gltf; do
    expect 1 "is the file that is read" "$PELT" convert -q "$work/kept.gltf" "$work/$name"
done
expect 1 "is the file that is read" "$PELT" convert -q "$work/tri.gltf" --motion "$work/kept.gltf" "$work/kept.gltf"
expect 1 "is the file that is read" "$PELT" bake "$work/tri.gltf" -m lbs -q --motion "$work/kept.gltf" -o "$work/kept.gltf"
expect 1 "is the file that is read" "$PELT" bake "$work/kept.gltf" -m lbs -q --report "$work/kept.gltf"
expect 1 "is the file that is read" "$PELT" distil "$work/kept.gltf" -m lbs -q --report "$work/kept.gltf"
expect 1 "is the file that is read" "$PELT" distil "$work/kept.gltf" -m lbs -q --page "$work/kept.gltf"
expect 1 "is the file that is read" "$PELT" measure "$work/kept.gltf" -q --cache "$work/tri.gltf" --report "$work/kept.gltf"
expect 1 "is the file that is read" "$PELT" measure "$work/tri.gltf" -q --cache "$work/kept.gltf" --report "$work/kept.gltf"
expect 1 "is the file that is read" "$PELT" sample "$work/kept.gltf" -m lbs -q -o "$work/link.npz" --poses 1
expect 1 "is the file that is read" "$PELT" render "$work/kept.gltf" -m lbs -q --size 8x8 -o "$work/link.png"
cmp -s "$work/tri.gltf" "$work/kept.gltf" && [ ! -e "$work/x.pc2" ] || { echo "FAILED: an input was written over"; failures=$((failures + 1)); }
expect 0 "" "$PELT" bake "$work/tri.gltf" -m lbs -q --threads 0 -o "$work/x.pc2" -o "$work/x.mdd" -o "$work/x.glb" -o "$work/x.obj" --report "$work/r.json"
[ "$(stat -c %s "$work/x.pc2")" = 68 ] || { echo "FAILED: one frame of three points is 68 bytes of pc2"; failures=$((failures + 1)); }
ls "$work"/x.mdd "$work"/x.glb "$work"/x_0000.obj "$work"/r.json >/dev/null || failures=$((failures + 1))
# a full disk leaves nothing under the final name
if [ -w /dev/full ]; then
    (ulimit -f 0; trap '' XFSZ; "$PELT" bake "$work/tri.gltf" -m lbs -q -o "$work/full.pc2" 2>"$work/err")
    [ $? = 2 ] && [ ! -e "$work/full.pc2" ] || { echo "FAILED: a full disk: $(cat "$work/err")"; failures=$((failures + 1)); }
    for words in --help --version methods "inspect $work/tri.gltf"; do
        $PELT $words >/dev/full 2>"$work/err"
        [ $? = 2 ] && [ "$(wc -l <"$work/err")" = 1 ] || { echo "FAILED: $words to a full disk: $(cat "$work/err")"; failures=$((failures + 1)); }
    done
fi
[ $failures = 0 ] && echo "the command behaves"
exit $((failures > 0))
