#!/bin/sh
# Makes the pictures of docs/figures: the built-in characters at rest, and the worst frame of each of their clips by lbs and dqs
# (worst: most deep crossings by lbs, then most stretch). Usage: tools/figures.sh path/to/pelt [folder]
set -eu
pelt=${1:?path to pelt}
out=${2:-docs/figures}
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

for name in cylinder arm hand biped; do
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
du -sh "$out"
