#!/bin/bash
# A small batch on a real Slurm of one node, where that is installed: tools/test-slurm.sh with fewer entries (`make test-slurm` has 200).
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
ENTRIES=36 exec bash "$PELT_SOURCE/tools/test-slurm.sh" "$PELT"
