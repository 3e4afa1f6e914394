#!/bin/sh
# Makes our versions of the figures of [Vaillant2014] from built-in characters, as docs/tracking.md shows them.
# Usage: tools/figures-tracking.sh path/to/pelt [folder]
set -eu
pelt=${1:?path to pelt}
out=${2:-docs/figures}
rigs=$(dirname "$0")/../examples/rigs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

"$pelt" make cylinder --vertices 2500 -q -o "$work/cylinder.glb"
"$pelt" make arm --vertices 4000 -q -o "$work/arm.glb"
"$pelt" make hand --vertices 4000 -q -o "$work/hand.glb"
"$pelt" make biped --vertices 6000 -q -o "$work/biped.glb"

# picture NAME CHARACTER METHOD CLIP FRAME CAMERA TITLE [more options]
picture() {
    name=$1 who=$2 method=$3 clip=$4 frame=$5 camera=$6 title=$7
    shift 7
    "$pelt" render "$work/$who.glb" -m "$method" --clip "$clip" --frame "$frame" --camera="$camera" --title "$title" \
        --size 400x300 --quality 86 -q -o "$out/tracking-$name.webp" "$@"
}

# 2: one joint, bent far
for method in dqs implicit tracking; do
    picture 02-$method cylinder $method bend 30 three-quarter "$method" --wire
done

# 5, 6: the operators, and a section through a fold
for d in 0 0.5 1; do
    "$pelt" operator contact -d $d --size 300 -q -o "$out/tracking-05-contact-$d.png"
    "$pelt" operator bulge -d $d --size 300 -q -o "$out/tracking-06-bulge-$d.png"
done
picture 05-section cylinder tracking bend 30 front "the field, cut" --section z

# 7: target rotations
for target in polar rigid blended; do
    picture 07-$target cylinder tracking twist 30 35,10,2.3 "targets: $target" --wire --colour stretch --set target=$target
done

# 8: how much the weights matter
for weights in rigid smooth smoother; do
    picture 08-implicit-$weights cylinder implicit bend 22 three-quarter "implicit, weights $weights" --wire --set blend=$weights
    picture 08-tracking-$weights cylinder tracking bend 22 three-quarter "tracking, weights $weights" --wire --set blend=$weights
done

# 9: weights of the file, automatic weights
for weights in file auto; do
    for method in dqs implicit tracking; do
        picture 09-$method-$weights arm $method bend 30 -25,40 "$method, weights $weights" --set weights=$weights
    done
done

# 10: a biceps
picture 10-none arm tracking bend 30 -25,40 "no muscle"
picture 10-tracking arm tracking bend 30 -25,40 "biceps, tracking" --rig "$rigs/biceps.json"
picture 10-implicit arm implicit bend 30 -25,40 "biceps, implicit" --rig "$rigs/biceps.json"

# 11: painted skin, global contact
picture 11-plain arm tracking bend 30 120,20,2.2,0.29,0,0 "sliding skin" --wire --colour stretch
picture 11-painted arm tracking bend 30 120,20,2.2,0.29,0,0 "forearm painted" --wire --colour stretch --rig "$rigs/painted.json"
picture 11-contact biped tracking bend 30 three-quarter "thigh and belly touch"

# 12: union, contact operator alone, tracking
picture 12-union cylinder implicit bend 30 three-quarter "implicit, union" --set operator=union
picture 12-contact cylinder implicit bend 30 three-quarter "implicit, contact operator" --set operator=contact
picture 12-tracking cylinder tracking bend 30 three-quarter "tracking"

# 13: bulge at the fingers
picture 13-contact hand tracking fist 30 120,0,2.2,0,0.08,0 "contact"
picture 13-bulge hand tracking fist 30 120,0,2.2,0,0.08,0 "bulge in contact" --rig "$rigs/bulge.json"
