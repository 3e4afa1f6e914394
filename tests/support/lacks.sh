# Sourced by scripts of tests: what they say of what a clone or a machine does not have. tools/test.sh counts the tests that print lines
# beginning with "skipped: ", and gathers the reasons; those of absent files it knows by "not beside this checkout".
lacks() { echo "skipped: $*"; }         # goes on: only part of the test is left out
skip() { lacks "$*"; exit 77; }         # the whole of it
beside() { # FILE...: true where all of them, below ../shared, are there
    local file
    for file; do
        [ -r "$file" ] && continue
        file=${file#"${PELT_SHARED:-}/"}
        lacks "${file#data/} is not beside this checkout"
        return 1
    done
}
has_numpy() { "${1:-python3}" -c 'import numpy' 2>/dev/null || { lacks "python3-numpy is not installed"; return 1; }; }
