#!/usr/bin/env bash
# The add-on in Blender itself, without a window, installed from the zip that `make blender` packs. Arguments: parts of tests' names.
set -u
blender=${BLENDER:-$(command -v blender)}
[ -n "$blender" ] || { echo "skipped: there is no Blender here (Debian: apt-get install blender)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$PELT_SOURCE/tools/blender.py" "$(dirname "$PELT")/libpelt.so" "$work/pelt_skin.zip" "$work/scripts" || exit 1
mkdir -p "$work/files"
BLENDER_USER_SCRIPTS="$work/scripts" timeout 400 "$blender" --background --factory-startup --python-exit-code 3 \
    --python "$PELT_SOURCE/tests/blender/addon.py" -- "$work/files" "$@" >"$work/log" 2>&1
status=$?
grep -E "^(passed|all passed)|of the size|MB more|render of|fallen" "$work/log"
[ $status -eq 0 ] && grep -q "^all passed" "$work/log" && exit 0
tail -40 "$work/log"
exit 1
