#!/usr/bin/env bash
# What the add-on costs beside the library, on the built-in biped of 13 300 vertices: tools/measure-blender.sh [build folder]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/pelt" make biped --vertices 13300 -q -o "$work/biped.glb"
tools/blender.py "$build/libpelt.so" "$work/pelt_skin.zip" "$work/scripts"
# Blender looks for its modules beside the first python3 of PATH: the system's, whichever python3 runs this
PATH="/usr/bin:$PATH" PELT="$build/pelt" BLENDER_USER_SCRIPTS="$work/scripts" "${BLENDER:-blender}" --background --factory-startup --python-exit-code 3 \
    --python tests/blender/cost.py -- "$work/biped.glb" "$work" 2>&1 | grep -E '^\||Error|Traceback|File'
