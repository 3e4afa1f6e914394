#!/usr/bin/env bash
# Every function, type and path that docs/*.md names in backticks exists: a page that speaks of what is gone fails here.
# Names: pelt_..., pelti_..., PeltX, and of other shapes those of docs/architecture.md that stand with brackets, `step()`.
set -u
cd "$PELT_SOURCE" || exit 1
failed=0
words=$(mktemp)
trap 'rm -f "$words"' EXIT
find src include cli bench fuzz tests tools import -name '*.[ch]' -exec cat {} + | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | LC_ALL=C sort -u >"$words"
has() { LC_ALL=C grep -qxF "$1" "$words"; }
for page in docs/*.md README.md; do
    for name in $(grep -oE '`[^`]+`' "$page" | grep -v '^`build/' | grep -oE '\b(pelti?_[a-z0-9_]*[a-z0-9]|Pelti?[A-Z][A-Za-z0-9]*)\b(_\*)?' | sort -u); do
        case $name in *_\*) continue ;; esac # a family: `pelt_measure_*`
        has "$name" || { echo "$page: \`$name\` is in no source"; failed=1; }
    done
    # paths, from the top of the checkout
    for path in $(grep -oE '`(src|tests|tools|docs|cmake|fuzz|bench|include|examples)/[A-Za-z0-9_./-]+`' "$page" | tr -d '`' | sort -u); do
        [ -e "$path" ] || { echo "$page: \`$path\` does not exist"; failed=1; }
    done
done
for name in $(grep -oE '`[A-Za-z_0-9]+\(\)`' docs/architecture.md | tr -d '`()' | sort -u); do
    has "$name" || { echo "docs/architecture.md: \`$name()\` is in no source"; failed=1; }
done
# files of rooms, `room/file.c`
for file in $(grep -oE '`[a-z_/]+\.[ch]`' docs/architecture.md | tr -d '`' | sort -u); do
    [ -e "src/$file" ] || [ -e "src/methods/$file" ] || [ -e "$file" ] || [ -n "$(find src cli -path "*/$file")" ] ||
        { echo "docs/architecture.md: \`$file\` does not exist"; failed=1; }
done
exit $failed
