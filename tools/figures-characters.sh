#!/usr/bin/env bash
# Pictures of docs/characters.md: dressed characters before (by blending, and solved on the file's own pieces) and after (on a body),
# and one painted to the nearest bone alone, with the file's weights and with those that the trial chooses.
set -e
pelt=$(realpath "${1:-build/pelt}")
out=$(cd "$(dirname "$0")/.." && pwd)/docs/figures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
show() { # character picture method frame camera setting...
    local who=$1 picture=$2 method=$3 frame=$4 camera=$5
    shift 5
    "$pelt" render "$work/$who.glb" -m "$method" --clip 0 --fps 10 --frame "$frame" --size 360x400 --samples 4 --camera "$camera" --quiet \
        "$@" -o "$out/characters-$picture.webp"
}
"$pelt" make biped --seed 21 --dress all --vertices 3000 --clip random --quiet -o "$work/figure.glb"
show figure figure-lbs lbs 17 20,8
show figure figure-file tracking 17 20,8 --set body=file
show figure figure-after tracking 17 20,8
"$pelt" make beast --seed 6 --dress all --vertices 3000 --clip random --quiet -o "$work/beast.glb"
show beast beast-lbs lbs 15 60,12
show beast beast-file projective 15 60,12 --set body=file
show beast beast-after projective 15 60,12
"$pelt" make biped --vertices 4000 --weights one-joint --clip bend --quiet -o "$work/hard.glb"
show hard hard-file lbs 10 30,10 --set weights=file
show hard hard-best lbs 10 30,10
show hard hard-after tracking 10 30,10
