#!/usr/bin/env bash
# Everything `make test-builds` does, stage by stage, with the processor time each took: the tests of the build in $BUILD, then other
# builds of the same sources, each in a folder of its own. Usage: tools/test.sh [stage...]: tests clang scalar address fuzz
set -uo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build} jobs=${JOBS:-$(nproc)}
stages=${*:-tests clang scalar address fuzz}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
failed=""

# configure and build; what a compiler says is shown only when it fails
make_build() { # folder targets configure-arguments...
    local folder=$1 targets=$2
    shift 2
    { cmake -B "$folder" "$@" && cmake --build "$folder" -j "$jobs" ${targets:+--target $targets}; } >"$logs/build" 2>&1 ||
        { grep -E 'error|warning|FAILED|No rule' "$logs/build" | head -n 40 || tail -n 20 "$logs/build"; return 1; }
}
run_tests() { # folder ctest-arguments...
    local folder=$1 result
    shift
    ctest --test-dir "$folder" -j "$jobs" --output-on-failure "$@" | grep -vE '^ +Start +[0-9]'
    result=${PIPESTATUS[0]}
    cp "$folder/Testing/Temporary/LastTest.log" "$logs/$(basename "$folder").log" 2>/dev/null
    return "$result"
}
stage_tests() { make_build "$build" "" --preset dev && run_tests "$build"; }
stage_clang() { make_build build-clang "quick_tests goldens" --preset clang && run_tests build-clang -L '^(quick|golden)$'; }
stage_scalar() { make_build build-scalar "quick_tests goldens" --preset scalar -DPELT_WERROR=ON && run_tests build-scalar -L '^(quick|golden)$'; }
stage_address() { make_build build-address quick_tests --preset address && run_tests build-address -L '^quick$'; }
stage_fuzz() { JOBS=$jobs tools/fuzz.sh 20; }

for stage in $stages; do
    echo "==== $stage"
    before=$(times | awk 'NR == 2')
    "stage_$stage" || failed="$failed $stage"
    times | awk -v before="$before" -v stage="$stage" '
        function seconds(t) { split(t, p, /[ms]/); return p[1] * 60 + p[2] }
        NR == 2 { split(before, b, " "); printf "%s: %.0f s of processor time\n", stage, seconds($1) + seconds($2) - seconds(b[1]) - seconds(b[2]) }'
done
awk '/^[0-9]+\/[0-9]+ Test(ing)?: / { name = $NF } /^skipped: / { if (!(name in seen)) { seen[name] = 1; n++ } why[substr($0, 10)] = 1 }
    END { if (n) { printf "%d tests were left out or cut short, for want of what a clone does not have:", n
                   for (w in why) printf "%s %s", sep, w ~ /not beside/ && !shared++ ? "files of ../shared" : w ~ /not beside/ ? "" : w
                   print "" } }' "$logs"/*.log 2>/dev/null >"$logs/skipped"
[ -z "$failed" ] || echo "make test-builds: failed in:$failed (one stage again: tools/test.sh STAGE)"
cat "$logs/skipped"
[ -z "$failed" ]
