#!/bin/sh
# The three.js player of distilled characters in a browser; skips (77) where chromium or node are not installed.
"$PELT" distil --help >/dev/null 2>&1 || { echo "skipped: this pelt has no distil"; exit 77; }
exec sh "$PELT_SOURCE/tools/test-web.sh" "$PELT" player
