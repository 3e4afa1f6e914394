#!/bin/sh
# The browser tests: the page of `pelt compare`, that of `pelt studio` and the three.js player of `pelt distil`. Needs node, npm
# and Debian's chromium.
# Usage: tools/test-web.sh path/to/pelt [compare [screenshot.png] | player [screenshot.png] | firefox [screenshot.png] | studio
# [part...]]; else all whole.
# Skips (exit 77) where something is not installed.
set -eu
pelt=${1:?path to pelt}
what=${2:-all}
here=$(cd "$(dirname "$0")/.." && pwd)
chromium=${CHROMIUM:-$(command -v chromium || true)}
for need in node npm; do
    command -v $need >/dev/null || { echo "skipped: $need is not installed" >&2; exit 77; }
done
[ -x "$chromium" ] || { echo "skipped: chromium is not installed (apt install chromium)" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# the modules of the studio's lockfile, which its build has installed where it could
export PELT_WEB_MODULES=${PELT_WEB_MODULES:-$here/studio} CHROMIUM="$chromium"
[ -d "$PELT_WEB_MODULES/node_modules/playwright-core" ] || (cd "$PELT_WEB_MODULES" && timeout 120 npm ci --no-audit --no-fund --silent) ||
    { echo "skipped: playwright-core could not be installed (npm ci in studio/)" >&2; exit 77; }
if [ "$what" = all ] || [ "$what" = player ]; then
    play() { # a character, a clip of it, and what more is asked of the fit
        character=$1 clip=$2
        "$pelt" make "$character" --vertices 900 -q -o "$work/source.glb"
        "$pelt" distil "$work/source.glb" -m dqs --poses 60 --correctives 8 $3 -q -o "$work/engine.glb" --report "$work/engine.json" --page "$work/engine.html"
        "$pelt" bake "$work/engine.glb" -m lbs --set weights=file --clip "$clip" --fps 15 --no-measure -q -o "$work/engine.pc2"
        "$pelt" bake "$work/source.glb" -m dqs --clip "$clip" --fps 15 --no-measure -q -o "$work/engine.method.pc2"
    }
    play cylinder twist '--helpers 4'
    for rule in '"rule": "twist"' '"push"'; do
        grep -q "$rule" "$work/engine.drivers.json" || { echo "no helper has $rule" >&2; exit 1; }
    done
    node "$here/tests/web/player.mjs" "$work/engine.glb" twist 15
    play hand fist ''
    node "$here/tests/web/player.mjs" "$work/engine.glb" fist 15 ${3:+"$3"}
fi
if [ "$what" = all ] || [ "$what" = compare ]; then
    "$pelt" make hand --vertices 1500 -q -o "$work/hand.glb"
    "$pelt" compare "$work/hand.glb" -m lbs,dqs --clip fist --fps 8 --pictures 2 --size 320x240 -q -o "$work/out"
    node "$here/tests/web/compare.mjs" "$work/out/index.html" ${3:+"$3"}
fi
if [ "$what" = firefox ] || { [ "$what" = all ] && { [ -x "${FIREFOX:-/usr/bin/firefox-esr}" ] || [ -x /usr/bin/firefox ]; }; }; then
    node "$here/tests/web/firefox.mjs" "$pelt" ${3:+"$3"}
fi
if [ "$what" = all ] || [ "$what" = studio ]; then
    [ $# -lt 2 ] || shift 2
    [ "$what" = studio ] || shift $#
    node "$here/tests/web/studio.mjs" "$pelt" "$@"
fi
