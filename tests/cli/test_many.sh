#!/bin/bash
# Eight random characters, dressed, by two of the flesh methods each: they are made and read, lbs is sound on them, nothing crashes
# or loses its numbers, and as many as tests/many.txt asks are as good as lbs or better. `make test-many` plays more, and longer.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
many() { python3 "$PELT_SOURCE/tools/test_many.py" --pelt "$PELT" --vertices 1000 "$@"; }
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
echo "projective 1" >"$wanted" # parting once turned triangles over that stayed where they were, by moving those around them
many --seeds 1 --first 608 --kinds cylinder --methods projective --dress all --frames 10:11 --at-least "$wanted" || exit 1
many --seeds 8 --each 2 --frames 12:14 --jobs 2 --at-least "$PELT_SOURCE/tests/many.txt"
