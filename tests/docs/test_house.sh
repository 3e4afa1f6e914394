#!/usr/bin/env bash
# tools/house.py --names, which `make lint` runs, on a small tree: a type name that two files define is told, with both; one that is
# opaque in a header and has its fields in a source, and one that another file only uses, are not.
set -u
house=$PELT_SOURCE/tools/house.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
mkdir -p "$work"/{tools,cli,import,include/pelt,src/core,src/io}
echo "core: text" >"$work/tools/names.txt"
cat >"$work/src/core/text.h" <<'C'
typedef struct PeltiText PeltiText;
typedef struct PeltiMark { int at; } PeltiMark;
C
cat >"$work/src/core/text.c" <<'C'
struct PeltiText { int length; };
typedef struct TextWork {
    PeltiText *text; // typedef struct Request { in a comment is none
} TextWork;
typedef int TextRow[3];
C
cat >"$work/src/io/read.c" <<'C'
typedef struct Reading {
    struct PeltiMark mark;
    TextWork *work;
} Reading;
typedef bool (*ReadRow)(Reading *r, int row);
C
names() { "$house" "$work" --names; }
said=$(names) || fail "a tree with one meaning a name is refused: $said"

twice() { # FILE LINE NAME OTHER-FILE: a line more, and what is to be told of it
    cp "$work/$1" "$work/kept" 2>/dev/null || : >"$work/kept"
    echo "$2" >>"$work/$1"
    said=$(names) && fail "$3 in $1 and $4 is not told"
    [ "$(wc -l <<<"$said")" = 1 ] && grep -q "\b$3 is a type of" <<<"$said" && grep -qF "$1" <<<"$said" && grep -qF "$4" <<<"$said" || fail "$3: $said"
    cp "$work/kept" "$work/$1"
}
twice src/io/read.c "typedef struct TextWork { int other; } TextWork;" TextWork src/core/text.c
twice src/io/read.c "typedef enum TextWork { A, B } TextWork;" TextWork src/core/text.c
twice src/io/read.c "typedef float TextRow __attribute__((vector_size(16)));" TextRow src/core/text.c
twice src/io/read.c "struct PeltiText { float x; };" PeltiText src/core/text.c
twice src/io/read.c "typedef struct { int at; } PeltiMark;" PeltiMark src/core/text.h
twice cli/main.c "typedef struct Reading { int argc; } Reading;" Reading src/io/read.c
twice import/main.c "    typedef int (*ReadRow)(void);" ReadRow src/io/read.c
twice include/pelt/text.h "typedef struct PeltiMark { int at; } PeltiMark;" PeltiMark src/core/text.h
echo "under work: io" >>"$work/tools/names.txt"
echo "typedef int TextRow;" >>"$work/src/io/read.c"
said=$(names) || fail "a room whose names are not settled is refused: $said"
