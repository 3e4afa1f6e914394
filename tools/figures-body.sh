#!/usr/bin/env bash
# Pictures of docs/body.md: a dressed random character by blending, its body, and tracked on the file's own mesh and on the body.
set -e
pelt=$(realpath "${1:-build/pelt}")
out=$(cd "$(dirname "$0")/.." && pwd)/docs/figures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$pelt" make biped --seed 12 --dress all --vertices 4000 --clip random --quiet -o "$work/who.glb"
look="--clip 0 --fps 10 --frame 13 --size 440x560 --samples 4 --camera 25,10 --quiet"
"$pelt" render "$work/who.glb" -m lbs $look -o "$out/body-lbs.webp"
"$pelt" render "$work/who.glb" -m tracking --inside body $look -o "$out/body-inside.webp"
"$pelt" render "$work/who.glb" -m tracking $look -o "$out/body-tracking.webp"
"$pelt" render "$work/who.glb" -m tracking --set body=file $look -o "$out/body-file.webp"
