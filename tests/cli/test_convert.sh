#!/bin/bash
# pelt convert: the same character in another file, to the last bit of every frame of every clip, with all that hangs on it.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
. "$(dirname "$0")/../support/lacks.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
clips() { "$PELT" inspect "$1" --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["clips"]))'; }
same() { # two files, two frames of every clip
    n=$(clips "$1"); [ "$n" = "$(clips "$2")" ] || fail "$1 and $2 have other clips"
    for ((c = 0; c < n; c++)); do
        "$PELT" bake "$1" -m lbs --clip $c --frames 0:1 -q -o 1.pc2 2>/dev/null && "$PELT" bake "$2" -m lbs --clip $c --frames 0:1 -q -o 2.pc2 2>/dev/null || fail "bake of $1 or $2"
        cmp -s 1.pc2 2.pc2 || fail "clip $c of $2 is not that of $1"
    done
}
"$PELT" make arm --vertices 600 --uv -o a.glb -q || exit 1
python3 - <<'P' || exit 1
import json, struct
raw = open('a.glb', 'rb').read(); n, = struct.unpack_from('<I', raw, 12); doc = json.loads(raw[20:20 + n])
doc['extras'] = {'mood': [1, 'two']}; doc['extensionsUsed'] = ['X_unheard_of']; doc['nodes'][0]['extensions'] = {'X_unheard_of': {'a': 7}}
doc['images'] = [{'uri': 'skin.png'}, {'uri': 'gone.png'}]; doc['textures'] = [{'source': 0}, {'source': 1}]
open('skin.png', 'wb').write(b'\x89PNG\r\n\x1a\n not much of a picture')
text = json.dumps(doc).encode(); text += b' ' * (-len(text) % 4); tail = raw[20 + n:]
open('b.glb', 'wb').write(struct.pack('<4sIII4s', b'glTF', 2, 20 + len(text) + len(tail), len(text), b'JSON') + text + tail)
P
"$PELT" convert b.glb c.gltf > said.txt 2> warned.txt || fail "glb to gltf"
grep -q '^c.gltf: 1 meshes, .* joints, .* clips$' said.txt || fail "what it says: $(cat said.txt)"
grep -q 'gone.png' warned.txt || fail "no word of the picture that is not there"
mkdir away && "$PELT" convert c.gltf away/d.glb -q 2>/dev/null || fail "gltf to glb"
same b.glb c.gltf; same b.glb away/d.glb
python3 - <<'P' || exit 1
import json, struct, sys
raw = open('away/d.glb', 'rb').read(); n, = struct.unpack_from('<I', raw, 12); doc = json.loads(raw[20:20 + n]); data = raw[28 + n:]
old = open('b.glb', 'rb').read(); n, = struct.unpack_from('<I', old, 12); old = json.loads(old[20:20 + n])
for key in ('extras', 'extensionsUsed', 'nodes', 'skins', 'materials', 'scenes', 'textures'):
    if doc.get(key) != old.get(key): print('FAILED:', key, 'is not as it was'); sys.exit(1)
view = doc['bufferViews'][doc['images'][0]['bufferView']]
if data[view['byteOffset']:view['byteOffset'] + view['byteLength']] != open('skin.png', 'rb').read(): print('FAILED: the picture'); sys.exit(1)
P
"$PELT" convert b.glb out.fbx 2>err.txt; [ $? = 1 ] && grep -q '.glb, .vrm or .gltf' err.txt || fail "an .fbx is not written: $(cat err.txt)"
"$PELT" convert b.glb missing/out.glb 2>/dev/null; [ $? = 2 ] || fail "a folder that is not there"
head -c 3000 b.glb > cut.glb; "$PELT" convert cut.glb out.glb 2>/dev/null; [ $? = 3 ] || fail "half a file"
"$PELT" convert b.glb 2>/dev/null; [ $? = 1 ] || fail "no second file"
[ -e out.glb ] && fail "something was left behind"
cp b.glb e.glb && "$PELT" convert e.glb e.glb -q 2>/dev/null && same b.glb e.glb # onto itself
data=$PELT_SHARED/data/corpus
for file in blender_279_sausage_7400_binary.fbx maya_game_sausage_7500_binary_combined.fbx VRM-Polydancer.glb CesiumMan-draco/*.gltf; do
    [ -e "$data/$file" ] || { for one in $data/$file; do file=${one#$data/}; done; }
    beside "$data/$file" || continue
    "$PELT" convert "$data/$file" f.glb -q 2>err.txt; code=$?
    [ $code = 5 ] && { lacks "$(cat err.txt)"; continue; }
    [ $code = 0 ] || fail "$file: $(cat err.txt)"
    same "$data/$file" f.glb
done
echo "convert: good"
