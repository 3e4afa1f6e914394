#!/bin/bash
# Our report's quality beside the independent reference on the same caches: pairs exactly, the rest to 1 %.
# The whole table of docs/measures.md: compare_evaluate.py --all.
set -u
here=$(dirname "$0")
. "$here/../support/lacks.sh"
[ -x "$PELT" ] || { echo "skipped: no $PELT"; exit 77; }
beside "$PELT_SHARED/tools/evaluate.py" || exit 77
has_numpy /usr/bin/python3 || exit 77
exec /usr/bin/python3 "$here/compare_evaluate.py" --pelt "$PELT" --shared "$PELT_SHARED" --fps 6 \
  hand.glb:bend:lbs arm.glb:twist:dqs cylinder2.glb:bend:dqs makehuman-cc0.glb:bend:lbs makehuman-cc0-noweights.glb:bend:dqs \
  RiggedFigure.glb:0:lbs RiggedSimple.glb:0:dqs SimpleSkin.gltf:0:lbs
