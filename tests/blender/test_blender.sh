#!/usr/bin/env bash
# The Python package in Blender itself, without a window: `make test-blender` alone, and with the other tests where Blender is.
set -u
blender=${BLENDER:-$(command -v blender)}
[ -n "$blender" ] || { echo "skipped: there is no Blender here (Debian: apt-get install blender)"; exit 77; }
PELT_LIBRARY="$(dirname "$PELT")/libpelt.so" timeout 120 "$blender" --background --factory-startup --python-exit-code 3 \
    --python "$PELT_SOURCE/tests/blender/armature.py" -- "$PELT_SOURCE/python" >/tmp/pelt-blender-$$.txt 2>&1
status=$?
[ $status -eq 0 ] || cat /tmp/pelt-blender-$$.txt
grep -h "bones, turned" /tmp/pelt-blender-$$.txt
rm -f /tmp/pelt-blender-$$.txt
exit $status
