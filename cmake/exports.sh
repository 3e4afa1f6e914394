#!/bin/sh
# exports.sh VERSION OUT NM OBJECTS...: the linker's version script for libpelt.so, given the objects of libpelt-tools.
set -eu
version=$1 out=$2 nm=$3
shift 3
symbols() { "$nm" "$@" | sed -n 's/.* \(pelti_[a-zA-Z0-9_]*\)$/\1/p' | LC_ALL=C sort -u; }
symbols --defined-only "$@" >"$out.own"
symbols -u "$@" >"$out.called"
{
    echo "PELT_${version%.*} { global: pelt_*; local: *; };"
    echo "PELT_PRIVATE_$version { global:"
    LC_ALL=C comm -13 "$out.own" "$out.called" | sed 's/$/;/'
    echo "};"
} >"$out"
rm -f "$out.own" "$out.called"
