#!/bin/sh
# The figures of `pelt studio` as a table (docs/studio.md): measure-studio.sh PELT [--minutes N]; N minutes of random posing, 1 by default, with which
# all of it takes some three minutes; or --posing N, that alone. Wants a quiet machine, node, npm and Debian's chromium; tools/measured.py studio-times writes the table into the page, studio-memory ten minutes of posing.
set -eu
pelt=$(realpath "${1:?which pelt}")
shift
here=$(cd "$(dirname "$0")/.." && pwd)
export PELT_WEB_MODULES="${PELT_WEB_MODULES:-$here/studio}"
exec node "$here/tests/web/studio_times.mjs" "$pelt" "$@"
