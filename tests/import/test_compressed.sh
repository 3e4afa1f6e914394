#!/bin/bash
# Compressed glTF by the field's own packers (npm @gltf-transform/cli, gltfpack; left out with a line where they cannot be had): what Pelt unpacks bakes to the points of the
# same file unpacked by another's decoder, and within the packer's own error of the character that was packed. KHR_meshopt_compression as EXT_ of the same bytes.
set -u
. "$(dirname "$0")/../support/lacks.sh"
[ -x "$PELT" ] || skip "no command at $PELT"
command -v npm >/dev/null && command -v python3 >/dev/null || skip "npm and python3 are not installed"
here=$(cd "$(dirname "$0")" && pwd); tools=$(dirname "$PELT")/converters
if [ ! -d "$tools/node_modules/gltfpack" ] || [ ! -d "$tools/node_modules/@gltf-transform" ]; then
    mkdir -p "$tools" && { [ -e "$tools/package.json" ] || echo '{"private": true}' > "$tools/package.json"; }
    (cd "$tools" && timeout 240 npm install --no-audit --no-fund --silent gltfpack@1.3.0 @gltf-transform/cli@4.5.1 >/dev/null 2>&1) || skip "npm cannot install gltfpack and @gltf-transform/cli"
fi
bin=$tools/node_modules/.bin; "$bin/gltf-transform" --version >/dev/null 2>&1 || skip "gltf-transform does not run here"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
others() { "$bin/$@" >/dev/null 2>&1 || "$bin/$@" >/dev/null 2>&1 || skip "$* failed twice"; } # no fault of ours: a slow machine is enough
"$PELT" make beast --vertices 900 --uv -o b.glb -q || exit 1
bake() { "$PELT" bake $1.glb -m lbs --set weights=file --clip walk --frames 0:9 -q -o $1.pc2 2>err.txt; code=$?; [ $code = 5 ] && skip "$(cat err.txt)"; [ $code = 0 ] || fail "$1: $(cat err.txt)"; }
size=$("$PELT" inspect b.glb | sed -n 's/.*diagonal //p'); bake b
check() { # name, most error against the character that was packed, as a share of the size
    others gltf-transform copy $1.glb $1-plain.glb
    bake $1; bake $1-plain
    same=$(python3 "$here/apart.py" $1.pc2 $1-plain.pc2 2e-7 $size) || fail "$1, unpacked by others: $same"
    near=$(python3 "$here/apart.py" $1.pc2 b.pc2 $2 $size) || fail "$1, packed: $near"
    echo "$1: ${same%% *} of the size from the same file unpacked by others, ${near%% *} from the character (at most $2)"
}
others gltf-transform draco b.glb draco.glb
others gltf-transform meshopt b.glb meshopt.glb
others gltfpack -i b.glb -o pack.glb -c -kn
others gltfpack -i b.glb -o pack2.glb -cc -kn
check draco 7e-5    # places to 14 bits: 2^-14 of a side
check meshopt 5e-4  # weights to 8 bits: 1/510 of how far bones are from each other; places to 14, turns to 12
check pack 5e-4; check pack2 5e-4
python3 - <<'P' || exit 1
import json, struct
for name, change in (("meshopt", lambda t: t), ("newer", None)):
    raw = open("meshopt.glb", "rb").read(); n, = struct.unpack_from("<I", raw, 12); text = raw[20:20 + n].replace(b"EXT_meshopt", b"KHR_meshopt"); tail = bytearray(raw[20 + n:])
    if change is None: # the second version of the codec for vertices begins with a1
        doc = json.loads(text); view = next(v["extensions"]["KHR_meshopt_compression"] for v in doc["bufferViews"] if v["extensions"]["KHR_meshopt_compression"]["mode"] == "ATTRIBUTES")
        tail[8 + view.get("byteOffset", 0)] = 0xa1
    open("khr.glb" if change else "newer.glb", "wb").write(raw[:20] + text + bytes(tail))
P
bake khr; cmp -s khr.pc2 meshopt.pc2 || fail "KHR_meshopt_compression is not EXT_meshopt_compression"
"$PELT" inspect newer.glb > said.txt 2>&1; code=$?
[ $code = 5 ] && grep -q 'npx' said.txt || [ $code = 0 ] || fail "a newer codec: exit $code, $(cat said.txt)"
"$PELT" convert meshopt.glb plain.glb -q && ! grep -aq 'meshopt_compression' plain.glb && bake plain && cmp -s plain.pc2 meshopt.pc2 || fail "convert of a packed file"
echo "compressed: good"
