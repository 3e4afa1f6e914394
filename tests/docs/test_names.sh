#!/usr/bin/env bash
# Every function, type, field and path that README.md and the pages of docs/ name in backticks is what the page says it is (names.py has the
# rules), and names.py sees it where one is not: a page that speaks of what is gone, or is elsewhere, fails here.
set -u
cd "$PELT_SOURCE" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
tests/docs/names.py "$PELT_SOURCE" || exit 1

# docs/architecture.md, each time with one thing that is not so, and what is to be told of it
number=0
spoil() { # FROM TO TOLD...
    number=$((number + 1))
    mkdir "$work/$number"
    sed "s/$1/$2/" docs/architecture.md >"$work/$number/architecture.md"
    cmp -s docs/architecture.md "$work/$number/architecture.md" && fail "docs/architecture.md has no $1"
    shift 2
    printf '%s\n' "$@" >"$work/$number/told"
}
spoil '`pelti_scatter`' '`pelti_scattered`' '`pelti_scattered` is no function'
spoil '`pelti_scatter`' '`pelti_page_html`' '`pelti_page_html` is no function' # a word of the sources, and none
spoil '`run_method()` in `bake\/skin.c`' '`run_method()` in `bake\/bake.c`' '`run_method` is no function of `bake/bake.c`'
spoil '`pelt_bake` in `bake\/bake.c`' '`pelt_bake` in `bake\/skin.c`' '`pelt_bake` is no function of `bake/skin.c`'
spoil '`meet_objects()` in `bake\/skin.c`' '`meet_nobody()`' '`meet_nobody()` is no function'
spoil '`step` of `PeltiMethod`' '`step` of `PeltSkin`' '`step` is no field of `PeltSkin`'
spoil 'is a `PeltSkin` (' 'is a `PeltHide` (' '`PeltHide` is no type'
spoil 'what is `posed`' 'what is `poised`' '`poised` is no field of `PeltSkin`'
spoil '`bake\/objects.h`' '`bake\/subjects.h`' '`bake/subjects.h` does not exist'
spoil '`tests\/golden\/goldens.txt`' '`tests\/golden\/silvers.txt`' '`tests/golden/silvers.txt` does not exist'
spoil '^| `touch` |' '| `tuch` |' 'room `tuch` is not built' 'no row for the room `touch`'
spoil '^| `render` |' '| `rendering` |' 'room `rendering` is not built as TOOLS' 'no row for the room `render`'
spoil '-- remesh ' '-- remash ' '`remash` of the drawing is no room' 'the room `remesh` is not drawn'
spoil ' character   ' ' math        ' 'the room `character` is not drawn' '`math`, which `geometry` may include, is drawn above it'
spoil '`methods\/\*`' '`means\/*`' 'room `means/*` is not built' 'no row for the room `methods/*`' '`means/*` is no folder'
spoil '`pelt-import`' '`pelt-imports`' '`pelt-imports` is neither built nor installed'
spoil '`dense.h`' '`thin.h`' 'no file is called `thin.h`'
spoil '`make goldens`' '`make silvers`' '`make silvers` is no target'
spoil '`pelt studio`' '`pelt salon`' '`pelt salon` is no command'
spoil '--method tracking' '--method trackong' '`trackong` of `pelt bake F.glb --method trackong --scene S.json -o out.glb --report R.json` is no method'
spoil '`bake_frame()` in `bake\/bake.c`' '`run()`' '`run()`: the file it is in is not named'
said=$(tests/docs/names.py "$PELT_SOURCE" "$work"/*/architecture.md) && fail "names that are not so are not told"
for ((i = 1; i <= number; i++)); do
    while read -r told; do grep -F "$work/$i/" <<<"$said" | grep -qF "$told" || fail "not told: $told"; done <"$work/$i/told"
    [ "$(grep -cF "$work/$i/" <<<"$said")" = "$(wc -l <"$work/$i/told")" ] || fail "too much is told: $(grep -F "$work/$i/" <<<"$said")"
done
