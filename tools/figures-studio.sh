#!/usr/bin/env bash
# Pictures and film of docs/studio.md and the README, from the running page. Needs node, chromium and img2webp, cwebp (Debian: webp).
set -e
pelt=$(realpath "${1:-build/pelt}")
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PELT_WEB_MODULES=${PELT_WEB_MODULES:-$here/studio} node "$here/tests/web/studio_pictures.mjs" "$pelt" "$work"
for name in turn wipe world dark rig; do
    cwebp -quiet -q 80 -resize 800 0 "$work/studio-$name.png" -o "$here/docs/figures/studio-$name.webp"
done
for frame in "$work"/film-*.png; do # img2webp does not scale
    cwebp -quiet -lossless -z 1 -resize 640 0 "$frame" -o "${frame%.png}.webp"
done
img2webp -loop 0 -lossy -q 45 -m 6 -d 185 "$work"/film-*.webp -o "$here/docs/figures/studio-film.webp" >/dev/null
