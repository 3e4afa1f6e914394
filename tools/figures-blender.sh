#!/usr/bin/env bash
# Pictures of docs/blender.md: tools/figures-blender.sh [build folder]. Needs Blender, Xvfb and xdotool (Debian: blender, xvfb, xdotool).
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/pelt" make biped --vertices 6000 -q -o "$work/biped.glb"
tools/blender.py "$build/libpelt.so" "$work/pelt_skin.zip" "$work/scripts"
BLENDER_USER_SCRIPTS="$work/scripts" LIBGL_ALWAYS_SOFTWARE=1 timeout 300 xvfb-run -a -s '-screen 0 1280x800x24' "${BLENDER:-blender}" --factory-startup \
    --window-geometry 0 0 1280 800 --python tools/figures-blender.py -- "$work/biped.glb" "$work" "$PWD/docs/figures"
