#!/bin/sh
# The compare page in a browser; skips (77) where chromium or node are not installed.
exec sh "$PELT_SOURCE/tools/test-web.sh" "$PELT" compare
