#!/bin/sh
# Makes the pictures of docs/layered.md: our versions of [Deul2013] figures 1 to 6, and sweeps of firmness and thickness, on the
# built-in characters. Usage: tools/figures-layered.sh path/to/pelt [folder]
set -eu
pelt=${1:?path to pelt}
out=${2:-docs/figures}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
shot() { # name, character, method, clip, frame, camera, more...
    name=$1 character=$2 method=$3 clip=$4 frame=$5 camera=$6
    shift 6
    "$pelt" render "$work/$character.glb" -m "$method" --clip "$clip" --frame "$frame" --camera "$camera" --size 480x360 --quality 84 -q \
        "$@" -o "$out/layered-$name.webp"
}
"$pelt" make arm --vertices 3000 -q -o "$work/arm.glb"
"$pelt" make hand --vertices 4000 -q -o "$work/hand.glb"
"$pelt" make biped --vertices 5000 -q -o "$work/biped.glb"
shot fig1 arm layered bend 0 -52,22 --inside
shot fig2 arm layered bend 0 -30,60,7,0.31,0.05,0.01 --inside --set inside=region
shot fig3 arm layered bend 0 -52,22,0.9 --inside --set inside=volumes
for method in lbs layered; do
    shot fig4-$method arm $method bend 30 -52,22 --title "$method"
    shot fig5-$method hand $method fist 30 24,8 --title "$method"
    shot fig6-$method biped $method walk 10 three-quarter --title "$method"
done
for firm in 0.1 0.9; do
    shot firm-$firm arm layered bend 30 -52,22 --title "fat-firmness $firm" --set fat-firmness=$firm --set muscle-firmness=$firm
done
for bone in 0.5 0.9; do
    shot bone-$bone arm layered bend 30 -52,22 --title "bone $bone" --set bone=$bone
done
