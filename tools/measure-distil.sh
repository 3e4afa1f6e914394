#!/bin/bash
# What distilling costs: memory must not depend on the number of poses, nor time on more than them.
# measure-distil.sh PELT [FEW MANY VERTICES] prints lines for docs/distil.md: the built-in biped of VERTICES (100000) by dqs with FEW
# (100) and MANY (1000) poses, and, where ../shared is, MakeHuman (13k vertices, 163 joints) with 1000. Processor time is of all
# threads; "by the clock" is of the fit alone, and worth little on a busy machine.
set -eu
pelt=$(realpath "${1:?which pelt}")
few=${2:-100} many=${3:-1000} vertices=${4:-100000}
shared=$(dirname "$(dirname "$(realpath "$0")")")/../shared
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"

# line NAME FILE POSES FLAGS...: samples first, so that the fit is timed alone
line() {
    local name=$1 file=$2 poses=$3; shift 3
    /usr/bin/time -f "%U %M" -o sampled "$pelt" distil "$file" -m dqs --poses "$poses" --held-out 100 --seed 1 --samples "$name.samples" --part 0/1 -q
    mv "$name.samples.part-0-1" "$name.samples"
    /usr/bin/time -f "%U %M" -o fitted "$pelt" distil "$file" -m dqs --poses "$poses" --held-out 100 --seed 1 --samples "$name.samples" --no-clips --report report.json -q "$@"
    python3 - "$name" "$poses" "$(stat -c %s "$name.samples")" <<'P'
import json, sys
name, poses, size = sys.argv[1:]
sampled, fitted = (open(f).read().split() for f in ("sampled", "fitted"))
report = json.load(open("report.json"))
print(f"- {name}, {report['points']} points, {report['joints']} joints, {poses} poses ({int(size) / 1e6:.0f} MB of samples on disk): sampled in {float(sampled[0]):.0f} s of processor time and "
      f"{int(sampled[1]) / 1000:.0f} MB, fitted in {float(fitted[0]):.0f} s and {int(fitted[1]) / 1000:.0f} MB ({report['fit_s']:.0f} s by the clock); {report['errors'][0]['worse_than_original']} of 100 held-out poses worse than by the original weights", flush=True)
P
    rm -f "$name.samples"
}

"$pelt" make biped --vertices "$vertices" -o biped.glb -q
line "biped" biped.glb "$few" --correctives 16
line "biped" biped.glb "$many" --correctives 16
[ ! -e "$shared/data/makehuman-cc0.glb" ] || line "MakeHuman" "$shared/data/makehuman-cc0.glb" "$many"
