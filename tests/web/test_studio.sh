#!/bin/sh
# The studio in a browser, its short parts (`make test-web` runs all); skips (77) where chromium or node are not installed.
PELT_SHARED= exec sh "$PELT_SOURCE/tools/test-web.sh" "$PELT" studio open doors
