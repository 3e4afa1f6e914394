#!/bin/bash
# Every glTF result passes the Khronos validator with 0 errors: all characters beside the checkout and the file that has a bit
# of everything, several methods, both kinds of morph targets, .glb and .gltf, and the built-in characters.
# Skipped (77) where node, npm or its registry are absent.
set -u
. "$(dirname "$0")/../support/lacks.sh"
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are not installed (Debian packages nodejs, npm)"
[ -x "$PELT" ] || skip "no command at $PELT"

tools=$(dirname "$PELT")/validator
if [ ! -d "$tools/node_modules/gltf-validator" ]; then
  mkdir -p "$tools" && cp "$PELT_SOURCE/tests/io/validator/package.json" "$tools/" || exit 1
  (cd "$tools" && timeout 100 npm install --no-audit --no-fund --silent) || skip "npm cannot install gltf-validator"
fi
cp "$PELT_SOURCE/tests/io/validator/validate.js" "$tools/" || exit 1

out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
count=0
failed=0
bake() { # NAME.EXTENSION INPUT METHOD [more]
  local name=$1 input=$2 method=$3
  shift 3
  "$PELT" bake "$input" -m "$method" -o "$out/$name" --quiet --no-measure "$@" 2>/dev/null || { echo "bake failed: $name"; failed=1; return; }
  count=$((count + 1))
}

bake kept.glb "$PELT_SOURCE/tests/io/kept/kept.gltf" lbs
bake kept-text.gltf "$PELT_SOURCE/tests/io/kept/kept.gltf" dqs
bake kept-each.glb "$PELT_SOURCE/tests/io/kept/kept.gltf" lbs --morph-per-frame --fps 10
bake kept-one.glb "$PELT_SOURCE/tests/io/kept/kept.gltf" lbs --frames 3:3
for input in "$PELT_SHARED"/data/*.glb "$PELT_SHARED"/data/*.gltf; do
  beside "$input" || continue
  name=$(basename "${input%.*}")
  bake "$name-lbs.glb" "$input" lbs --fps 12
  bake "$name-dqs.gltf" "$input" dqs --frames 2:9
  bake "$name-each.glb" "$input" lbs --morph-per-frame --fps 6
done
for name in cylinder arm hand biped; do
  "$PELT" make "$name" --vertices 800 -o "$out/make-$name.glb" >/dev/null 2>&1 || { echo "make failed: $name"; failed=1; continue; }
  count=$((count + 1))
  bake "make-$name-baked.glb" "$out/make-$name.glb" lbs --fps 12
done
methods=$("$PELT" methods --json | sed -n 's/^ *{"name": "\([a-z]*\)", "summary".*/\1/p')
[ "$(wc -w <<<"$methods")" -ge 6 ] || { echo "of the methods only these were found: $methods"; failed=1; }
for method in $methods; do
  bake "method-$method.glb" "$out/make-cylinder.glb" "$method" --frames 0:5
done

node "$tools/validate.js" "$out"/* || failed=1
echo "$count files checked"
[ $failed -eq 0 ]
