#!/bin/sh
# build_key.sh OUT.c OBJECTS...: the source of pelti_tools_build.
set -eu
out=$1
shift
key=$(cat "$@" | sha256sum | cut -d' ' -f1)
printf '#include "tools/build_key.h"\n\nconst char pelti_tools_build[] = "%s";\n' "$key" >"$out"
