#!/usr/bin/env bash
# Format, includes, first lines, keys of papers, names, tables of docs/, tuning constants, cppcheck and clang-tidy over the project's own sources. Usage: tools/lint.sh [build folder]
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
failed=0
sources=$(git ls-files 'src/*.c' 'src/*.h' 'cli/*.c' 'cli/*.h' 'import/*.c' 'import/*.h' 'include/*.h' 'tests/*.c' 'tests/*.h' 'examples/*.c' 'fuzz/*.c')
echo "format"
clang-format --dry-run --Werror $sources || failed=1
echo "includes (a path with .. would walk around the rooms)"
if git grep -nE '#include "\.\./' -- '*.c' '*.h'; then failed=1; fi
echo "first lines (each source and test says in a sentence what it is for) keys of papers (docs/bibliography.md), and no notes left"
tools/house.py --sources || failed=1
echo "names (docs/architecture.md, "Names")"
tools/house.py --names || failed=1
echo "sizes of functions (60 lines, six parameters)"
tools/house.py --sizes || failed=1
echo "structs that say which sources write them"
tools/house.py --writers || failed=1
echo "externals that nothing outside their file uses"
tools/house.py --unused || failed=1
echo "public headers (each function's own comment says thread, cost, ownership and errors, in whole sentences)"
tools/house.py --headers || failed=1
echo "tables of docs/"
tools/measured.py --check || failed=1
echo "tuning constants (docs/constants.md: every one has a unit, a reason and a row that is not old)"
tools/sweep.py --check || failed=1
echo "cppcheck"
cppcheck --quiet --max-configs=1 --error-exitcode=1 --std=c11 --inline-suppr --enable=warning,portability --suppressions-list=tools/cppcheck.txt \
    -j "$(nproc)" -I include $(printf -- '-I %s ' "$build"/rooms/*) src cli || failed=1
echo "clang-tidy"
git ls-files 'src/*.c' 'cli/*.c' | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" 2>/dev/null || failed=1
[ $failed = 0 ] && echo "lint: clean"
exit $failed
