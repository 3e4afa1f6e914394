#!/bin/bash
# --motion: clips of other files. A clip on its own character is itself; one that went through Biovision text, other names, another unit and other
# rest frames comes back; real rigs of five conventions move each other; what cannot be is told.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
. "$(dirname "$0")/../support/lacks.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$(dirname "$0"); here=$(cd "$here" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
apart() { # largest distance of two .pc2 over 1.8 m, at most $3
    python3 - "$1" "$2" "$3" <<'P' || exit 1
import array, struct, sys
def read(path):
    raw = open(path, 'rb').read(); n, = struct.unpack_from('<i', raw, 16); a = array.array('f'); a.frombytes(raw[32:]); return n, a
(n, a), (m, b) = read(sys.argv[1]), read(sys.argv[2])
if n != m or len(a) != len(b): sys.exit(f'FAILED: {n} points and {m}, {len(a)} numbers and {len(b)}')
worst = max(abs(x - y) for x, y in zip(a, b)) / 1.8
if not worst <= float(sys.argv[3]): sys.exit(f'FAILED: {sys.argv[1]} and {sys.argv[2]} differ by {worst:g} of the size')
print(f'{sys.argv[2]}: within {worst:.2g} of the size')
P
}
bake() { "$PELT" bake "$@" -m lbs --set weights=file -q || fail "bake $*"; }
"$PELT" make biped --vertices 1000 -o b.glb -q || exit 1
bake b.glb --clip walk -o own.pc2
bake b.glb --motion b.glb --clip walk -o again.pc2; apart own.pc2 again.pc2 2e-6
"$PELT" convert b.glb moved.glb --motion b.glb -q || fail "convert with a motion"
bake moved.glb --clip walk -o kept.pc2; cmp -s again.pc2 kept.pc2 || fail "a character with its motion, written and read"
# nothing but a skeleton: no mesh, no skin
python3 - <<'P' || exit 1
import json, struct
raw = open('b.glb', 'rb').read(); n, = struct.unpack_from('<I', raw, 12); doc = json.loads(raw[20:20 + n])
for key in ('meshes', 'skins', 'materials'): doc.pop(key, None)
for node in doc['nodes']: node.pop('mesh', None); node.pop('skin', None)
text = json.dumps(doc).encode(); text += b' ' * (-len(text) % 4); tail = raw[20 + n:]
open('bare.glb', 'wb').write(struct.pack('<4sIII4s', b'glTF', 2, 20 + len(text) + len(tail), len(text), b'JSON') + text + tail)
P
bake b.glb --motion bare.glb --clip walk -o bare.pc2; apart own.pc2 bare.pc2 2e-6
python3 "$here/bvh_of.py" b.glb walk walk.bvh > /dev/null || fail "no .bvh"
sed -i '0,/OFFSET.*/s//OFFSET 0 0 0/' walk.bvh
bake b.glb --motion walk.bvh -o bvh.pc2 # the first clip is the motion's
python3 - <<'P' || exit 1
# where the root is at rest is not in the file (it stands over nothing, on its lowest joint), all else is
import array, struct
def read(path):
    raw = open(path, 'rb').read(); n, = struct.unpack_from('<i', raw, 16); a = array.array('f'); a.frombytes(raw[32:]); return n, a
(n, a), (m, b) = read('own.pc2'), read('bvh.pc2')
lift = [b[k] - a[k] for k in range(3)]; worst = max(abs(x - y + lift[i % 3]) for i, (x, y) in enumerate(zip(a, b))) / 1.8
if len(a) != len(b) or not worst < 2e-5 or max(map(abs, lift)) > 0.1: raise SystemExit(f'FAILED: through .bvh {worst:g} of the size, {lift} m off')
print(f'walk.bvh: within {worst:.2g} of the size')
P
# a cache of another file's motion is measured in that motion, and gives what the bake's report says; in a clip of the character's own it does not
"$PELT" bake b.glb --motion walk.bvh -m dqs --frames 10:20 -q -o moved.pc2 --report baked.json || fail "a report with a motion"
"$PELT" measure b.glb --motion walk.bvh --cache moved.pc2 -q --report measured.json || fail "a cache measured with its motion"
"$PELT" measure b.glb --cache moved.pc2 -q --report other.json || fail "a cache measured without its motion"
python3 - <<'P' || exit 1
import json
baked, measured, other = (json.load(open(name + '.json')) for name in ('baked', 'measured', 'other'))
for key in ('clip', 'fps', 'frames', 'first_frame', 'quality'):
    if baked[key] != measured[key]: raise SystemExit(f'FAILED: {key}: {baked[key]} in the report of the bake, {measured[key]} of its cache')
for a, b in zip(baked['per_frame'], measured['per_frame']):
    if any(a[key] != b[key] for key in b): raise SystemExit(f'FAILED: frame {a["frame"]}: {a} and {b}')
far = [report['quality']['flown'] for report in (baked, other)]
if not far[0] < 0.05 < far[1]: raise SystemExit(f'FAILED: {far[0]:g} of the size from lbs in its motion, {far[1]:g} in another')
print(f'measured: {far[0]:.2g} of the size from lbs in its motion, {far[1]:.2g} in another')
P
"$PELT" inspect b.glb --motion walk.bvh | grep -q '^clip 0 *walk: 2.000 s' || fail "the motion's clip is not the first"
printf 'HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n' > alien.bvh
head -c 700 walk.bvh > half.bvh
"$PELT" make arm --vertices 500 -o still.glb -q && python3 - <<'P'
import json, struct
raw = open('still.glb', 'rb').read(); n, = struct.unpack_from('<I', raw, 12); doc = json.loads(raw[20:20 + n]); del doc['animations']
text = json.dumps(doc).encode(); text += b' ' * (-len(text) % 4); tail = raw[20 + n:]
open('still.glb', 'wb').write(struct.pack('<4sIII4s', b'glTF', 2, 20 + len(text) + len(tail), len(text), b'JSON') + text + tail)
P
refuse() { "$PELT" bake b.glb --motion "$1" -m lbs -q -o no.pc2 2>err.txt; code=$?; [ $code = "$2" ] && grep -q "$3" err.txt || fail "$1: exit $code, $(cat err.txt)"; [ -e no.pc2 ] && fail "$1 left something"; }
refuse alien.bvh 3 'no joint of the motion'; refuse half.bvh 3 'line'; refuse gone.bvh 2 'gone.bvh'; refuse gone.glb 2 'gone.glb'; refuse still.glb 3 'has no clip'
# real rigs: Unreal's names on MakeHuman's, VRM's and plain ones, Maya's FBX on itself
data=$PELT_SHARED/data
if beside "$data/corpus/Mannequiny.glb"; then
    for who in "$data/makehuman-cc0.glb" "$data/corpus/VRM-Polydancer.glb" "$data/corpus/KayKitKnight.glb" "$data/corpus/Q-Cyberpunk.glb" b.glb; do
        "$PELT" inspect "$who" --motion "$data/corpus/Mannequiny.glb" --json > said.json || fail "$who"
        python3 - "$who" <<'P' || exit 1
import json, sys
said = json.load(open('said.json')); clip = next(c for c in said['clips'] if c['name'] == 'run_root.001')
left = [p['text'] for p in said['problems'] if p['code'].startswith('motion')]
if clip['channels'] < 15: sys.exit(f"FAILED: {sys.argv[1]}: only {clip['channels']} channels; {left}")
print(f"{sys.argv[1].split('/')[-1]}: {clip['channels']} channels; {left[0][:70] if left else 'every joint has its pair'}")
P
    done
fi
fbx=$data/corpus/maya_kenney_character_7700_binary.fbx
if beside "$fbx"; then
    "$PELT" bake "$fbx" -m lbs --set weights=file --frames 0:5 -q -o fbx.pc2 2>err.txt; code=$?
    if [ $code = 5 ]; then lacks "$(cat err.txt)"; else
        [ $code = 0 ] || fail "$(cat err.txt)"
        "$PELT" inspect "$fbx" --json > said.json; name=$(python3 -c 'import json; print(json.load(open("said.json"))["clips"][0]["name"])')
        "$PELT" bake "$fbx" --motion "$fbx" --clip "$name" -m lbs --set weights=file --frames 0:5 -q -o fbx2.pc2 2>/dev/null || fail "FBX on itself"
        apart fbx.pc2 fbx2.pc2 2e-5
    fi
fi
echo "motion: good"
