#!/bin/sh
# Makes the pictures of docs/figures: the built-in characters at rest, the worst frame of each of their clips by lbs and dqs
# (worst: most deep crossings by lbs, then most stretch), and the gallery: one bend, one fist and one squat by every method
# (tools/measured.py writes gallery.md, the measures of the same bakes). Usage: tools/figures.sh path/to/pelt [folder [clips|random|gallery]]
set -eu
pelt=${1:?path to pelt}
out=${2:-docs/figures}
what=${3:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# the frame with the highest "deep_pairs" (ties: stretch_p99) in a report
worst() {
    awk '/"frame":/ {gsub(/[^0-9]/, "", $2); frame = $2}
         /"deep_pairs":/ && seen {gsub(/[^0-9.]/, "", $2); pairs = $2}
         /"per_frame":/ {seen = 1}
         /"stretch_p99":/ && seen {gsub(/[^0-9.e+-]/, "", $2); score = pairs * 1000 + $2; if (score > best) {best = score; at = frame}}
         END {print at + 0}' "$1"
}

camera() {
    case $1 in
    arm) echo -52,22 ;;
    hand) echo 24,8 ;;
    *) echo three-quarter ;;
    esac
}

clips() {
    for name in cylinder arm hand biped beast; do
        "$pelt" make $name -q -o "$work/$name.glb"
        "$pelt" render "$work/$name.glb" --rest --camera "$(camera $name)" --size 640x480 --quality 84 -q -o "$out/$name-rest.webp"
        case $name in # more views at rest, for docs/characters.md
        biped) views="front:front side:right back:back face:25,2,5.6,0,1.62,0" ;;
        hand) views="palm:back" ;;
        *) views="" ;;
        esac
        for view in $views; do
            "$pelt" render "$work/$name.glb" --rest --camera "${view#*:}" --size 360x440 --quality 84 -q -o "$out/$name-rest-${view%%:*}.webp"
        done
        for clip in $("$pelt" inspect "$work/$name.glb" | sed -n 's/^clip *[0-9]* *\([^:]*\):.*/\1/p'); do
            "$pelt" bake "$work/$name.glb" -m lbs --clip "$clip" --report "$work/r.json" -q
            frame=$(worst "$work/r.json")
            for method in lbs dqs; do
                "$pelt" render "$work/$name.glb" -m $method --clip "$clip" --frame "$frame" --camera "$(camera $name)" \
                    --title "$name, $clip, frame $frame: $method" --size 640x480 --quality 84 -q -o "$out/$name-$clip-$method.webp"
            done
        done
    done
}

# characters drawn from seeds, at rest and in the middle of their random clip
random() {
    for seed in biped-1 biped-7 beast-2 hand-5; do
        "$pelt" make "${seed%-*}" --seed "${seed#*-}" --clip random -q -o "$work/$seed.glb"
        "$pelt" render "$work/$seed.glb" --rest --size 320x320 --quality 84 -q -o "$out/random-$seed-rest.webp"
        "$pelt" render "$work/$seed.glb" -m lbs --frame 60 --size 320x320 --quality 84 -q -o "$out/random-$seed-moved.webp"
    done
}

# gallery_row NAME VERTICES CLIP FRAME CAMERA
gallery_row() {
    "$pelt" make "$1" --vertices "$2" -q -o "$work/$1.glb"
    for method in $methods; do
        "$pelt" bake "$work/$1.glb" -m "$method" --clip "$3" -o "$work/c.pc2" -q 2>/dev/null || continue
        "$pelt" render "$work/$1.glb" --cache "$work/c.pc2" --frame "$4" --camera "$5" --size 400x300 --quality 84 -q \
            -o "$out/gallery-$1-$method.webp"
    done
}

gallery() {
    methods=$("$pelt" methods --json | python3 -c 'import json, sys; print(*(m["name"] for m in json.load(sys.stdin)["methods"]))')
    gallery_row arm 4000 bend 30 0,60,1.7,0.2,0,0.06
    gallery_row hand 4000 fist 30 -160,5
    gallery_row biped 6000 bend 29 60,8
}

case $what in
clips | random | gallery) $what ;;
*) clips && random && gallery ;;
esac
du -sh "$out"
