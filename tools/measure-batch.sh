#!/bin/bash
# What a batch costs beside its bakes: overhead an entry, entries a minute, and how fast a done batch of 10 000 is recognised.
# measure-batch.sh PELT prints lines for docs/lab/scale.md. Timings of a busy machine are worth little.
set -eu
pelt=$(realpath "${1:?which pelt}")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
now() { date +%s%N; }
"$pelt" make cylinder --vertices 500 -o one.glb -q
python3 - <<'P'
import json
entry = lambda i, folder: {"character": "one.glb", "method": "lbs", "frames": "0:0", "fps": 10 + i * 0.25, "output": "%s/%05d.pc2" % (folder, i)}
json.dump({"jobs": [entry(i, "few") for i in range(100)]}, open("few.json", "w"))
json.dump({"jobs": [entry(i, "many%d" % (i % 50)) for i in range(10000)]}, open("many.json", "w"))
P
a=$(now); for i in $(seq 100); do "$pelt" bake one.glb -m lbs --frames 0:0 --fps $((9 + i)) --threads 1 -q -o alone.pc2; done; b=$(now)
"$pelt" batch few.json --workers 1 -q; c=$(now)
rm -rf few few.manifest; d=$(now); "$pelt" batch few.json -q; e=$(now)
echo "- overhead of an entry beside its bake: $(awk "BEGIN {printf \"%.2f\", $(( c - b - (b - a) )) / 1e8}") ms (100 bakes of one frame, one at a time: $(( (b - a) / 1000000 )) ms alone, $(( (c - b) / 1000000 )) ms as a batch)"
echo "- $(( 60 * 100 * 1000 / ((e - d) / 1000000) )) such entries a minute on $(nproc) cores"
"$pelt" batch many.json -q
f=$(now); "$pelt" batch many.json -q; g=$(now)
echo "- a done batch of 10 000 entries is recognised in $(( (g - f) / 1000000 )) ms"
