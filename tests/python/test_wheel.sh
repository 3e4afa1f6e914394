#!/usr/bin/env bash
# A wheel made by Debian's own tools, without a network, installed into a clean environment: `import pelt` and a short play.
# Skips, with a sentence, where Python's tools or numpy are not there.
set -u
python=/usr/bin/python3
. "$(dirname "$0")/../support/lacks.sh"
has_numpy "$python" || exit 77
for module in venv ensurepip setuptools wheel; do
    "$python" -c "import $module" 2>/dev/null || skip "$python has no $module (Debian: python3-venv python3-setuptools python3-wheel)"
done
bin=$(dirname "$PELT")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$PELT_SOURCE/python" "$work/python" || exit 1
(cd "$work/python" && PELT_LIBRARY="$bin/libpelt.so" "$python" setup.py --quiet bdist_wheel --dist-dir "$work") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$python" -m venv --system-site-packages "$work/venv" || exit 1 # numpy is Debian's
"$work/venv/bin/pip" install --quiet --no-index --no-deps "$work"/pelt-*.whl || exit 1
"$PELT" make cylinder --vertices 600 -o "$work/c.glb" >/dev/null || exit 1
cd "$work" && env -u PELT_LIBRARY -u PYTHONPATH venv/bin/python "$PELT_SOURCE/tests/python/play.py" "$work/c.glb" || exit 1
for example in "$PELT_SOURCE"/examples/python/*.py; do
    venv/bin/python "$example" "$work/c.glb" "$work/out" >"$work/log" 2>&1 || { echo "$example:"; cat "$work/log"; exit 1; }
done
