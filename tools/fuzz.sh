#!/usr/bin/env bash
# Fuzzes the readers with libFuzzer. Usage: tools/fuzz.sh [seconds a target, default 600]
# Finds land in build-fuzz/; a fixed find becomes a case in tests/io.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
cmake --preset fuzz >/dev/null
cmake --build build-fuzz -j "$(nproc)"
for target in build-fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=$(basename "$target" | sed 's/^fuzz_//')
    work=build-fuzz/corpus-$name
    mkdir -p "$work"
    corpus="fuzz/corpus/$name"
    echo "== $name for $seconds s"
    "$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=65536 -artifact_prefix=build-fuzz/ -dict="fuzz/$name.dict" -print_final_stats=1 "$work" $corpus 2>&1 | tail -n 12
done
