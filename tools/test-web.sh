#!/bin/sh
# The browser test of `pelt compare`: needs node, npm and Debian's chromium. Usage: tools/test-web.sh path/to/pelt [screenshot.png]
# Skips (exit 77) where they are not installed.
set -eu
pelt=${1:?path to pelt}
here=$(dirname "$0")/..
chromium=${CHROMIUM:-$(command -v chromium || true)}
for need in node npm; do
    command -v $need >/dev/null || { echo "skipped: $need is not installed" >&2; exit 77; }
done
[ -x "$chromium" ] || { echo "skipped: chromium is not installed (apt install chromium)" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
modules=${PELT_WEB_MODULES:-$work}
[ -d "$modules/node_modules/playwright-core" ] || timeout 60 npm install --prefix "$modules" --no-audit --no-fund --no-save --silent playwright-core@1 ||
    { echo "skipped: playwright-core could not be installed" >&2; exit 77; }
"$pelt" make hand --vertices 1500 -q -o "$work/hand.glb"
"$pelt" compare "$work/hand.glb" -m lbs,dqs --clip fist --fps 8 --pictures 2 --size 320x240 -q -o "$work/out"
CHROMIUM=$chromium PELT_WEB_MODULES=$modules node "$here/tests/web/compare.mjs" "$work/out/index.html" ${2:+"$2"}
