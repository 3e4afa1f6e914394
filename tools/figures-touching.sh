#!/usr/bin/env bash
# Pictures of docs/touching.md: seven poses by tracking, skin and skeleton left to themselves and with what keeps them apart, the
# crouch and the fists of hand and biped from four sides, and the crouch by projective and layered.
set -e
pelt=$(realpath "${1:-build/pelt}")
out=$(cd "$(dirname "$0")/.." && pwd)/docs/figures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$pelt" make biped --vertices 6000 --clip touches --quiet -o "$work/touches.glb"
"$pelt" make biped --vertices 6000 --clip bend --quiet -o "$work/crouch.glb"
"$pelt" make biped --vertices 6000 --clip fist --quiet -o "$work/grip.glb"
"$pelt" make hand --clip fist --quiet -o "$work/fist.glb"
bake() { # character, state, what else
  "$pelt" bake "$work/$1.glb" -m "${method:-tracking}" --no-measure --quiet -o "$work/$1-$2.pc2" "${@:3}" 2>/dev/null
}
for who in "touches 110" "crouch 30" "grip 30" "fist 30"; do
  read -r name last <<<"$who"
  bake $name after --frames 0:$last
  bake $name before --frames 0:$last --set give-way=off --set touch=off
done
draw() { # character, state, frame, camera, name
  "$pelt" render "$work/$1.glb" --cache "$work/$1-$2.pc2" --frame "$3" --camera "$4" --size 360x360 --samples 9 --quiet -o "$out/touching-$5.webp"
}
for state in before after; do
  draw crouch $state 30 40,5,1.25 crouch-$state
  draw touches $state 10 30,8,3.2,0,1.22,.1 chest-$state
  draw touches $state 30 30,8,3.2,0,1.22,.1 arms-$state
  draw touches $state 50 30,12,4.5,0,1.2,.35 clap-$state
  draw touches $state 70 30,12,4.5,0,1.15,.35 hands-$state
  draw touches $state 90 60,5,1.8,0,1.05,.1 knees-$state
  draw touches $state 110 70,5,4.2,0,1.45,.05 chin-$state
done
for side in 0 90 180 270; do
  draw crouch after 30 $side,8,1.25 crouch-$side
  draw fist after 30 $side,15,1.1 fist-$side
done
for side in 0 60 120 180; do # its left hand; from elsewhere the body is before it
  draw grip after 30 $side,10,9,.55,.955,.01 grip-$side
done
for method in projective layered; do
  bake crouch $method --frames 0:30
  draw crouch $method 30 40,5,1.25 crouch-$method
  draw crouch $method 30 0,8,1.25 crouch-$method-0
done
