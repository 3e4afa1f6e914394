#!/usr/bin/env bash
# Goldens: the bytes of tests/golden/goldens.txt, whatever the number of threads and whatever the processor can do. The settings
# below make the system's libraries choose other code, as other machines would; they must change nothing. (The clones of our own
# kernels cannot be chosen from outside: the clang build has none, and must give the same bytes.) OPENBLAS_CORETYPE says nothing to
# a library that links no BLAS; it stays, so that one which comes back is seen.
# PELT_GOLDENS=once: only against the file; =threads: the same with two threads (the thread sanitizer's run of every method); =near: in the scalar build, within the tolerance of tests/golden/goldens.c.
set -u
goldens=$(dirname "$PELT")/tests/goldens
stored=$PELT_SOURCE/tests/golden/goldens.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "${PELT_GOLDENS:-}" = near ]; then
    "$goldens" --near --folder "$work" "$stored"
    exit
fi
failed=0
threads=1
[ "${PELT_GOLDENS:-}" = threads ] && threads=2
"$goldens" --folder "$work" --threads $threads "$stored" || failed=1
case ${PELT_GOLDENS:-} in once | threads) exit $failed ;; esac
sed -n 's/^\([a-z-]* [0-9a-f]\{16\}\) .*/\1/p' "$stored" >"$work/stored"
try() { # threads setting...
    local threads=$1
    shift
    env "$@" "$goldens" --hash ${skip:+--skip "$skip"} --folder "$work" --threads "$threads" >"$work/other"
    grep -v -e "${skip:-^$}" "$work/stored" >"$work/these"
    cmp -s "$work/these" "$work/other" && return
    echo "other bytes with $threads threads and $*:"
    diff "$work/these" "$work/other"
    failed=1
}
plain=GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX,-SSE4_1
skip=-dressed- # a body is dear to make: with five threads and plain, and not once more
try 2 OPENBLAS_CORETYPE=Haswell
skip=
try 5 OPENBLAS_CORETYPE=Zen
try 2 OPENBLAS_CORETYPE=Prescott "$plain"
mkdir "$work/plain" # making a character, too
env "$plain" "$PELT" make cylinder --vertices 500 --threads 2 -q -o "$work/plain/cylinder.glb"
cmp "$work/cylinder-500.glb" "$work/plain/cylinder.glb" || failed=1
exit $failed
