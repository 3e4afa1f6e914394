#!/usr/bin/env bash
# Every public header alone, as C17 and as C++17, pedantic and with warnings as errors, by each compiler there is.
set -u
. "$(dirname "$0")/../support/lacks.sh"
failed=0 tried=0
check() { # compiler language standard
    command -v "$1" >/dev/null || { lacks "$1 is not installed"; return 0; }
    for header in "$PELT_SOURCE"/include/pelt/*.h; do
        printf '#include <pelt/%s>\nint main(void) { return 0; }\n' "$(basename "$header")" |
            "$1" -x "$2" "-std=$3" -pedantic -Wall -Wextra -Werror -I "$PELT_SOURCE/include" -fsyntax-only - ||
            { echo "pelt/$(basename "$header") does not stand alone in $3 ($1)"; failed=1; }
        tried=$((tried + 1))
    done
}
check gcc c c17
check g++ c++ c++17
check clang-14 c c17
check clang++-14 c++ c++17
[ $tried -gt 0 ] || { echo "no compiler found"; exit 1; }
exit $failed
