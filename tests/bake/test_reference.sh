#!/usr/bin/env bash
# lbs and dqs against the independent reference beside the checkout: every character, every clip, within 1e-5 of the size.
set -euo pipefail
. "$(dirname "$0")/../support/lacks.sh"
tool="$PELT_SHARED/tools/evaluate.py"
python=/usr/bin/python3
beside "$tool" || exit 77
has_numpy "$python" || exit 77
fps=${PELT_FPS:-10} # 30 takes three times as long
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PELT_WORK="$work" PELT_FPS="$fps" "$python" - "$tool" "$PELT" "$PELT_SHARED"/data/*.gl* <<'PY'
import importlib.util, os, subprocess, sys
import numpy as np
spec = importlib.util.spec_from_file_location('evaluate', sys.argv[1])
ev = importlib.util.module_from_spec(spec); spec.loader.exec_module(ev)
pelt, work, worst = sys.argv[2], os.environ['PELT_WORK'], 0
print('%-30s %-12s %6s %12s %12s' % ('character', 'clip', 'frames', 'lbs', 'dqs'))
for path in sys.argv[3:]:
    g = ev.Gltf(path); m = ev.Mesh(g)
    for k, name in enumerate(g.clip_names()):
        row = []
        for method in ('lbs', 'dqs'):
            out = os.path.join(work, 'x.pc2')
            subprocess.run([pelt, 'bake', path, '-m', method, '-o', out, '--clip', str(k), '--fps', os.environ['PELT_FPS'], '--set', 'weights=file', '-q', '--no-measure'], check=True)
            ours = ev.pc2_read(out)[2]
            theirs = ev.bake(g, str(k), float(os.environ['PELT_FPS']), method)
            assert len(ours) == len(theirs), (path, name, len(ours), len(theirs))
            row.append(max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs)) / m.diag)
        worst = max(worst, *row)
        print('%-30s %-12s %6d %12.2e %12.2e' % (os.path.basename(path), name, len(theirs), *row))
print('largest difference %.2e of the size (allowed 1e-5)' % worst)
sys.exit(0 if worst < 1e-5 else 1)
PY
