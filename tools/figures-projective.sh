#!/bin/bash
# Pictures of docs/projective.md: tools/figures-projective.sh build/pelt [folder]
set -eu
pelt=$1
out=${2:-docs/figures}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$pelt" make arm --vertices 3000 -q -o "$work/arm.glb"
"$pelt" make cylinder --vertices 2000 -q -o "$work/cylinder.glb"
"$pelt" make hand --vertices 5000 -q -o "$work/hand.glb"
python3 "$(dirname "$0")/cuboid.py" "$work/cuboid.gltf"
"$pelt" make biped --vertices 5000 -q -o "$work/biped.glb"
show() { # name, character, clip, frame, more
    local name=$1 file=$2 clip=$3 frame=$4
    shift 4
    "$pelt" render "$work/$file".gl* -m projective --clip "$clip" --frame "$frame" --size 420x360 --samples 4 -q "$@" -o "$out/projective-$name.webp"
}
show inside biped bend 0 --inside --camera front                       # Fig. 2
for bones in volume line; do                                           # Fig. 3
    show bones-$bones cylinder twist 30 --wire --set bones=$bones
done
for strain in gradient position gradient-by-G position-by-F; do        # Fig. 5
    show strain-$strain cylinder bend 30 --wire --set strain=$strain --set collisions=off
    show strain-$strain-coarse cuboid bend 30 --wire --set strain=$strain --set collisions=off --set body=file --set touch=off --set give-way=off
done
show slide-on arm bend 30 --wire --set collisions=off                  # Fig. 7 and 9
show slide-off arm bend 30 --wire --set collisions=off --set slide=off
show collisions-off arm bend 30 --set collisions=off                   # Fig. 12
show collisions-on arm bend 30
show collisions-pairs arm bend 30 --set collisions=pairs --set touch=off
show twist cylinder twist 30
show walk biped walk 20
