#!/bin/bash
# pelt inspect in one voice for every format: what was read, what was dropped, what to do about it; files that hold no character are told what they are.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. "$(dirname "$0")/../support/lacks.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
says() { # file, first line
    "$PELT" inspect "$1" > said.txt 2> err.txt; code=$?; [ $code = 5 ] && { lacks "$(cat err.txt)"; return; }
    [ $code = 0 ] || fail "$1: $(cat err.txt)"
    head -1 said.txt | grep -q "^file       $2" || fail "$1: $(head -1 said.txt)"
    for word in mesh size skeleton weights method; do grep -q "^$word " said.txt || fail "$1: no word of $word"; done
    grep -q '^clip' said.txt || fail "$1: no word of clips"
    ! grep '^problem' said.txt | grep -v '; cure: ' | grep -q . || fail "$1: without a cure: $(grep '^problem' said.txt | grep -v '; cure: ')"
    "$PELT" inspect "$1" --json | python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["format"] and "problems" in d' || fail "$1 as JSON"
}
"$PELT" make arm --vertices 500 -o a.glb -q && "$PELT" convert a.glb a.gltf -q || exit 1
says a.glb 'glTF 2.0, written by pelt'; says a.gltf 'glTF 2.0, written by pelt'
python3 "$here/../import/make_fbx.py" a.fbx --rings 6 --around 5 || exit 1
says a.fbx 'FBX, through Assimp'
data=$PELT_SHARED/data/corpus
for pair in "VRM-Polydancer.glb|VRM 0.x (glTF 2.0), written by" "CesiumMan-draco/CesiumMan-draco.gltf|glTF 2.0, unpacked" "maya_kenney_character_7700_binary.fbx|FBX, through Assimp"; do
    beside "$data/${pair%%|*}" && says "$data/${pair%%|*}" "${pair#*|}"
done
[ -r "$data/maya_kenney_character_7700_binary.fbx" ] && "$PELT" inspect "$data/maya_kenney_character_7700_binary.fbx" 2>/dev/null > said.txt && { grep -q "^problem    import-dropped: 1 meshes' vertex colours are not taken over; cure: " said.txt || fail "what was dropped"; }
beside "$data/KayKitKnight.glb" && { "$PELT" inspect "$data/KayKitKnight.glb" 2>/dev/null | grep -q '(node Knight_Head); .*; inside other pieces: 0.0 % of the looks out of it get past them' || fail "no word of the eyes behind the visor"; }
for end in bvh abc usda obj pc2 mdd npz blend ma; do
    echo something > x.$end; "$PELT" inspect x.$end > said.txt 2> err.txt; code=$?
    [ $code = 5 ] && [ ! -s said.txt ] && [ "$(wc -l < err.txt)" = 1 ] && grep -q 'this is' err.txt || fail "x.$end: exit $code, $(cat err.txt)"
done
"$PELT" inspect gone.blend 2>/dev/null; [ $? = 2 ] || fail "a file that is not there"
printf '#!/bin/sh\nkill -SEGV $$\n' > crash; chmod +x crash; PELT_IMPORT=$work/crash "$PELT" inspect a.fbx > said.txt 2> err.txt; code=$?
[ $code = 3 ] && [ "$(wc -l < err.txt)" = 1 ] && grep -q "another program's reader" err.txt || fail "a crash of the reader: exit $code, $(cat err.txt)"
# a joint that two skins list is one joint
python3 - <<'P' || exit 1
import json
doc = json.load(open('a.gltf')); shown = next(i for i, n in enumerate(doc['nodes']) if 'skin' in n)
doc['skins'].append(dict(doc['skins'][0], name='again')); doc['nodes'].append({'name': 'twin', 'mesh': doc['nodes'][shown]['mesh'], 'skin': len(doc['skins']) - 1})
doc['scenes'][0]['nodes'].append(len(doc['nodes']) - 1); json.dump(doc, open('twice.gltf', 'w')); open('joints', 'w').write(str(len(doc['skins'][0]['joints'])))
P
"$PELT" inspect twice.gltf 2>/dev/null | grep -q "^skeleton   $(cat joints) joints in 2 skins," || fail "joints of two skins: $("$PELT" inspect twice.gltf 2>&1 | grep '^skeleton')"
# names of a file begin no line and say nothing to the terminal; as JSON they are what they are
python3 - <<'P' || exit 1
import json
doc = json.load(open('a.gltf')); doc['animations'][0]['name'] = 'walk\nproblem    made-up: \x1b[31m'; doc['nodes'][0]['name'] = 'arm\r\x7f'
json.dump(doc, open('names.gltf', 'w'))
bare = json.load(open('a.gltf'))
for m in bare['meshes']:
    for p in m['primitives']: p['attributes'] = {k: v for k, v in p['attributes'].items() if k[:6] not in ('JOINTS', 'WEIGHT')}
json.dump(bare, open('bare.gltf', 'w'))
for n in bare['nodes']: n.pop('skin', None)
bare.pop('skins'); json.dump(bare, open('still.gltf', 'w'))
P
"$PELT" inspect names.gltf > said.txt 2>/dev/null || fail "names with control characters"
! grep -q '^problem    made-up' said.txt && ! LC_ALL=C grep -q '[^[:print:]]' said.txt && grep -q '^clip 0     walk problem    made-up: ' said.txt || fail "names are printed as they are: $(grep -a walk said.txt)"
"$PELT" inspect names.gltf --json | python3 -c 'import json, sys; assert "\n" in json.load(sys.stdin)["clips"][0]["name"]' || fail "a name as JSON"
# files without weights, and without a skin
"$PELT" inspect bare.gltf > said.txt 2>/dev/null && grep -q '^weights    auto (the file has none)$' said.txt && ! grep -q weights-mended said.txt || fail "no weights: $(grep weights said.txt)"
"$PELT" inspect still.gltf > said.txt 2>/dev/null && grep -q '^weights    none (nothing has a skin)$' said.txt && grep -q '^problem    no-skin: ' said.txt || fail "no skin: $(grep weights said.txt)"
# weights by trial: which joints lost, for lbs and dqs too, and the file's own where one asks for them
"$PELT" make arm --vertices 500 --weights one-joint -o hard.glb -q && "$PELT" inspect hard.glb > said.txt 2>/dev/null || fail "weights of one joint"
for m in lbs dqs; do grep -q "^method     $m: uses the file's weights (automatic ones where those lost) on 1 component\$" said.txt || fail "$m: $(grep "^method     $m" said.txt)"; done
grep -q '^problem    weights-trial: .*joints' said.txt || fail "no word of the joints that lost"
grep -q "^method     lbs: uses the file's weights on" < <("$PELT" inspect a.glb 2>/dev/null) || fail "painted weights are not kept"
echo "inspect: good"
