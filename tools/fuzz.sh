#!/usr/bin/env bash
# Fuzzes the readers with libFuzzer. Usage: tools/fuzz.sh [seconds a target, default 600]
# Finds land in build-fuzz/; a fixed find becomes a case in tests/io.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
cmake --preset fuzz >/dev/null
targets=$(for source in fuzz/fuzz_*.c; do basename "$source" .c; done)
cmake --build build-fuzz -j "${JOBS:-$(nproc)}" --target $targets >build-fuzz/build.log || { cat build-fuzz/build.log; exit 1; }
for target in $targets; do
    name=${target#fuzz_}
    work=build-fuzz/corpus-$name
    mkdir -p "$work"
    dictionary=fuzz/$name.dict
    echo "== $name for $seconds s"
    build-fuzz/"$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=65536 -artifact_prefix=build-fuzz/ \
        $([ -f "$dictionary" ] && echo "-dict=$dictionary") -print_final_stats=1 "$work" "fuzz/corpus/$name" >"$work.log" 2>&1 ||
        { tail -n 40 "$work.log"; echo "fuzz: $name found something; the input is in build-fuzz/"; exit 1; }
    grep -E 'number_of_executed_units|peak_rss' "$work.log"
done
