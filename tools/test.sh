#!/usr/bin/env bash
# What `make test` does, with the processor time each stage took: the tests of the build in $BUILD, then the short ones of other
# builds of the same sources, each in a folder of its own. And what `make sanitize` does: stages sanitize and thread.
# Usage: tools/test.sh [stage...]: tests clang scalar address fuzz (these, unless told); sanitize thread
set -uo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build} jobs=${JOBS:-$(nproc)}
stages=${*:-tests clang scalar address fuzz}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
failed=""

# configure and build; all that a compiler says is shown only when it fails, warnings always. Other builds than $build take over its
# page of `pelt studio`: a sanitized one needs half a minute for the character alone
page() { [ ! -s "$build/studio/biped.glb" ] || echo "-DPELT_PAGE_FROM=$(cd "$build/studio" && pwd)"; }
make_build() { # folder targets configure-arguments...
    local folder=$1 targets=$2
    shift 2
    { cmake -B "$folder" "$@" && cmake --build "$folder" -j "$jobs" ${targets:+--target $targets}; } >"$logs/build" 2>&1 ||
        { grep -E 'error|warning|FAILED|No rule' "$logs/build" | head -n 40 || tail -n 20 "$logs/build"; return 1; }
    grep 'warning:' "$logs/build" | sort -u | head -n 20
    return 0
}
run_tests() { # folder ctest-arguments...
    local folder=$1 result
    shift
    ctest --test-dir "$folder" -j "$jobs" --output-on-failure "$@" | grep --line-buffered -vE '^ +Start +[0-9]'
    result=${PIPESTATUS[0]}
    cp "$folder/Testing/Temporary/LastTest.log" "$logs/$(basename "$folder").log" 2>/dev/null
    return "$result"
}
# Other builds are made to be tried once: -O1 where there is little to run, no symbols where no sanitizer names lines.
# of another build, one line where all is well: the summary of ctest that is read is that of the first stage
run_short_tests() { # folder ctest-arguments...
    run_tests "$@" >"$logs/short" || { cat "$logs/short"; return 1; }
    sed -n 's/^100% tests passed.* out of \([0-9]*\)$/\1 short tests of this build pass/p' "$logs/short"
}
stage_tests() { make_build "$build" "" --preset dev && run_tests "$build"; }
stage_clang() { make_build build-clang "pelt goldens" --preset clang -DPELT_OPTIMISE="-O2 -g0" $(page) && run_short_tests build-clang -L '^golden$'; } # both compilers: the same bytes
stage_scalar() { make_build build-scalar "quick_tests goldens" --preset scalar -DPELT_WERROR=ON -DPELT_OPTIMISE="-O1 -g0" $(page) && run_short_tests build-scalar -L '^(quick|golden)$'; }
# gcc without the clones for newer processors, so that the goldens are what a processor without AVX2 makes, too
stage_address() { make_build build-address "quick_tests goldens" --preset address $(page) && run_short_tests build-address -L '^(quick|golden)$'; }
# every test but the scripts, which drive the command through the same code for minutes, and a few cases (NOT_SANITIZED), which are counted
stage_sanitize() { make_build build-address "" --preset address $(page) && run_tests build-address -LE '^script$'; }
# the tests that start threads, and the goldens with two
stage_thread() { make_build build-thread "thread_tests pelt" --preset thread $(page) && run_tests build-thread -L '^(threads|golden)$'; }
stage_fuzz() { JOBS=$jobs tools/fuzz.sh 20; }

for stage in $stages; do
    echo "==== $stage"
    times >"$logs/before" # in this shell: a pipe's own has no children yet
    "stage_$stage" || failed="$failed $stage"
    times >"$logs/after"
    awk -v stage="$stage" '
        function seconds(t) { split(t, p, /[ms]/); return p[1] * 60 + p[2] }
        FNR == 2 { sum = (NR == FNR ? -1 : 1) * (seconds($1) + seconds($2)) + sum }
        END { printf "%s: %.0f s of processor time\n", stage, sum }' "$logs/before" "$logs/after"
done
awk '/^[0-9]+\/[0-9]+ Test(ing)?: / { name = $NF }
    /^not sanitized: / && !($0 in left) { left[$0] = 1; dear++ }
    /^skipped: / {
        reason = /not beside/ ? "files of ../shared" : substr($0, 10)
        if (!(name in tests)) { tests[name] = 1; n++ }
        if (!(reason in reasons)) { reasons[reason] = 1; list = list (list ? ", " : "") reason }
    }
    END {
        if (dear) printf "%d cases are left out under sanitizers, where they take minutes: others go the same ways\n", dear
        if (n) printf "%d tests were left out or cut short, for want of what a clone does not have: %s\n", n, list
    }' \
    "$logs"/*.log 2>/dev/null >"$logs/skipped"
# for tools/house.py: how long all of it took, by the clock
[ -n "$failed" ] || [ $# != 0 ] || echo "$SECONDS" >"$build/test-seconds"
[ -z "$failed" ] || echo "tools/test.sh: failed in:$failed (one stage again: tools/test.sh STAGE)"
cat "$logs/skipped"
[ -z "$failed" ]
