#!/usr/bin/env bash
# Every C example runs to its end on a small character, and the two for hosts say what they must.
set -u
bin=$(dirname "$PELT")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PELT" make cylinder --vertices 600 -o "$work/c.glb" --quiet >/dev/null 2>&1 || "$PELT" make cylinder --vertices 600 -o "$work/c.glb" >/dev/null || exit 1
failed=0
for source in "$PELT_SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    case $name in
    bake_clip) set -- "$work/c.glb" "$work/out.pc2" ;;
    distil_skin) set -- "$work/c.glb" dqs "$work/distilled.glb" 0.002 ;;
    live_grasp) continue ;; # seconds: tests/contact/test_grasp.c plays it
    from_arrays) set -- ;;
    *) set -- "$work/c.glb" ;;
    esac
    if ! "$bin/example_$name" "$@" >"$work/$name.txt" 2>&1; then
        echo "example_$name failed:"
        cat "$work/$name.txt"
        failed=1
    fi
done
# the tip of a bar of 50 cm bent by 103 degrees about x points down and towards -y, a few cm off for the way skin takes it
awk '/^bent/ { gsub(/[()]/, ""); if ($8 < -35 && $8 > -60 && $9 < 50 && $9 > 25) ok++ } /^back/ { ok++ } END { exit ok != 2 }' "$work/from_arrays.txt" ||
    { echo "from_arrays:"; cat "$work/from_arrays.txt"; failed=1; }
awk '/frame 20/ { if ($NF > 3) ok++ } /frame 60/ { if ($NF < 3) ok++ } END { exit ok != 2 }' "$work/hold_objects.txt" ||
    { echo "hold_objects:"; cat "$work/hold_objects.txt"; failed=1; }
# pulled by a tenth of its size, a metre or two, in centimetres, and back
awk '/^pulled/ { if ($(NF - 1) > 5) ok++ } /^let go/ { if ($NF * $NF < 1e-4) ok++ } END { exit ok != 2 }' \
    "$work/pull_skin.txt" || { echo "pull_skin:"; cat "$work/pull_skin.txt"; failed=1; }
exit $failed
