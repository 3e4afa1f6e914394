#!/bin/bash
# Our report's quality beside the independent reference on the same caches: pairs exactly, the rest to 1 %.
# The whole table of docs/measures.md: compare_evaluate.py --all.
set -u
here=$(dirname "$0")
[ -x "$PELT" ] || { echo "skipped: no $PELT"; exit 77; }
[ -r "$PELT_SHARED/tools/evaluate.py" ] || { echo "skipped: ../shared is not beside this checkout"; exit 77; }
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "skipped: no python3-numpy"; exit 77; }
exec /usr/bin/python3 "$here/compare_evaluate.py" --pelt "$PELT" --shared "$PELT_SHARED" --fps 6 \
  hand.glb:bend:lbs arm.glb:twist:dqs cylinder2.glb:bend:dqs makehuman-cc0.glb:bend:lbs makehuman-cc0-noweights.glb:bend:dqs \
  RiggedFigure.glb:0:lbs RiggedSimple.glb:0:dqs SimpleSkin.gltf:0:lbs
