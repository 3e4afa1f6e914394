#!/usr/bin/env bash
# Tables nobody types: which tables of docs/ count as typed by hand, that every table has its place, and that claims are read out of tests.
set -u
python3 -c '' 2>/dev/null || { echo "skipped: no python3"; exit 77; }
exec python3 -B "$PELT_SOURCE/tests/docs/check_measured.py"
