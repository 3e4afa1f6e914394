#!/bin/bash
# The players that no engine runs here, as far as they go: the C# compiles against stand-ins (where mcs is installed), and the
# arithmetic of the Unreal script takes turns through the importer's axes as matrices do. tests/web runs the one of three.js.
set -u
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
if command -v mcs >/dev/null; then
  mcs -nologo -warnaserror -nowarn:649 -target:library -out:"$out/players.dll" \
    "$PELT_SOURCE/tests/players/UnityEngine.cs" "$PELT_SOURCE/players/unity/PeltDrivers.cs" || { echo "PeltDrivers.cs does not compile"; exit 1; }
else
  echo "skipped: mcs is not installed (Debian: mono-mcs)"
fi
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PELT_SOURCE/players/unreal" python3 - <<'P'
import math
import pelt_drivers

def turned(r, p):  # Rodrigues
    angle = math.sqrt(sum(v * v for v in r))
    k = [v / angle for v in r]
    cross = [k[1] * p[2] - k[2] * p[1], k[2] * p[0] - k[0] * p[2], k[0] * p[1] - k[1] * p[0]]
    along = sum(a * b for a, b in zip(k, p)) * (1 - math.cos(angle))
    return [p[i] * math.cos(angle) + cross[i] * math.sin(angle) + k[i] * along for i in range(3)]

def imported(p):
    return [p[0], p[2], p[1]]

r, p = [0.3, -0.9, 0.5], [1.0, 2.0, -0.7]
there, here = imported(turned(r, p)), turned(pelt_drivers.through_import(r), imported(p))
assert max(abs(a - b) for a, b in zip(there, here)) < 1e-12, (there, here)
rules = {'joints': [{'name': 'elbow'}, {'name': 'wrist'}], 'helpers': [],
         'drives': [{'joint': 0, 'axis': [0, 0, 1], 'from': 0.5, 'to': 1.5}, {'joint': 1, 'axis': [1, 0, 0], 'from': 0, 'to': -1}],
         'correctives': [{'name': 'c', 'low': -0.25, 'high': 1, 'terms': [{'gain': 0.5, 'drives': [0]}, {'gain': -2, 'drives': [0, 1]}]}]}
assert abs(pelt_drivers.weights(rules, {0: [0, 0, 1.1]})['c'] - 0.3) < 1e-12
assert abs(pelt_drivers.weights(rules, {0: [0, 0, 2], 1: [-0.3, 0, 0]})['c'] + 0.1) < 1e-12
assert pelt_drivers.weights(rules, {0: [0, 0, 2], 1: [-1, 0, 0]})['c'] == -0.25
(row,) = pelt_drivers.pose_driver_table(rules)
assert row[0] == 'elbow' and abs(row[2] - math.degrees(1.5)) < 1e-9 and abs(row[1][1] + 1) < 1e-12 and row[3] == {'c': 0.5}, row
P
