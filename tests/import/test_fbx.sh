#!/bin/bash
# FBX files made here, against what the format says their points do in every frame of every clip, and, with the files beside the checkout, against the FBX SDK's own
# converter (npm fbx2gltf; left out with a line where npm or its registry are absent).
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. "$(dirname "$0")/../support/lacks.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
make() { name=$1; shift; python3 "$here/make_fbx.py" $name.fbx --answers "$@" || fail "make $name"; }
make plain --morph; make zup --unit 100 --z-up --morph --meshes 2 --joints 3; make inches --unit 2.54 --joints 7 --clips 3 --meshes 2; make scaled --scale --clips 1
"$PELT" inspect plain.fbx > said.txt 2>&1; code=$?
[ $code = 5 ] && { echo "skipped: $(cat said.txt)"; exit 77; }
[ $code = 0 ] || fail "$(cat said.txt)"
size() { "$PELT" inspect "$1" | sed -n 's/.*diagonal //p'; }
bake() { "$PELT" bake "$1" -m lbs --set weights=file --clip "$2" --fps "$3" -q -o "$4" 2>err.txt || fail "$1: $(cat err.txt)"; }
for name in plain zup inches scaled; do
    for answer in $name.fbx.clip*.pc2; do
        clip=${answer#*clip}; bake $name.fbx clip${clip%.pc2} 30 a.pc2
        said=$(python3 "$here/apart.py" a.pc2 $answer 1e-6 "$(size $name.fbx)") || fail "$name ${clip%.pc2} is not what FBX says: $said"
        echo "$name ${clip%.pc2}: $said"
    done
done
tools=$(dirname "$PELT")/converters
command -v npm >/dev/null || { lacks "npm is not installed"; exit 0; }
if [ ! -d "$tools/node_modules/fbx2gltf" ]; then
    mkdir -p "$tools" && echo '{"private": true}' > "$tools/package.json"
    (cd "$tools" && timeout 100 npm install --no-audit --no-fund --silent fbx2gltf@0.9.7 >/dev/null 2>&1) || { lacks "npm cannot install fbx2gltf"; exit 0; }
fi
other=$tools/node_modules/fbx2gltf/bin/Linux/FBX2glTF; chmod +x "$other" 2>/dev/null
"$other" --help >/dev/null 2>&1 || { lacks "fbx2gltf does not run here"; exit 0; }
convert() { "$other" -b --anim-framerate bake$2 -i "$1" -o "$name.glb" >/dev/null 2>&1; }
ask() { # file, its frames a second, clips left out
    name=$(basename "$1" .fbx); convert "$1" $2 || convert "$1" $2 || fail "fbx2gltf $1"
    "$PELT" inspect "$name.glb" | sed -n 's/^clip [0-9]* *\(.*\): [0-9.]* s, .*/\1/p' > clips.txt
    while read -r clip; do
        case " $3 " in *" $clip "*) echo "$name $clip: left out, the other converter drops segment scale compensation (\`scaled\` above is its test)"; continue;; esac
        bake "$1" "$clip" $2 a.pc2; bake $name.glb "$clip" $2 b.pc2
        said=$(python3 "$here/apart.py" a.pc2 b.pc2 1e-5 "$(size $name.glb)") || fail "$name $clip: $said"
        echo "$name $clip: $said"
    done < clips.txt
}
for name in plain zup inches; do ask $name.fbx 30 ""; done
for file in blender_279_sausage_7400_binary maya_game_sausage_7500_binary_combined maya_kenney_character_7700_binary; do
    beside "$PELT_SHARED/data/corpus/$file.fbx" && ask "$PELT_SHARED/data/corpus/$file.fbx" 24 deform
done
echo "fbx: good"
