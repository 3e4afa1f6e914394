#!/usr/bin/env bash
# Fuzzes the readers with libFuzzer, as many targets at once as there are processors: each has all its seconds of one. Usage: tools/fuzz.sh [seconds a target, default 600]
# Finds land in build-fuzz/; a fixed find becomes a case in tests/io.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
cmake --preset fuzz >/dev/null
targets=$(for source in fuzz/fuzz_*.c; do basename "$source" .c; done)
cmake --build build-fuzz -j "${JOBS:-$(nproc)}" --target $targets >build-fuzz/build.log || { cat build-fuzz/build.log; exit 1; }

fuzz() { # target
    local name=${1#fuzz_} work=build-fuzz/corpus-${1#fuzz_}
    local dictionary=fuzz/$name.dict
    mkdir -p "$work"
    build-fuzz/"$1" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=65536 -artifact_prefix=build-fuzz/ \
        $([ -f "$dictionary" ] && echo "-dict=$dictionary") -print_final_stats=1 "$work" "fuzz/corpus/$name" >"$work.log" 2>&1
}
tell() { # target: fuzzes it and says what came of it
    local name=${1#fuzz_} log=build-fuzz/corpus-${1#fuzz_}.log
    if fuzz "$1"; then
        echo "$name: $seconds s, $(awk '/number_of_executed_units/ { n = $2 } /peak_rss/ { m = $2 } END { print n " inputs, at most " m " MB" }' "$log")"
    else
        tail -n 40 "$log"
        echo "fuzz: $name found something; the input is in build-fuzz/"
        return 1
    fi
}
export seconds
export -f fuzz tell
printf '%s\n' $targets | xargs -P "$(nproc)" -I{} bash -c 'tell {}' || exit 1
