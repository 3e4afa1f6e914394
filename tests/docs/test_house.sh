#!/usr/bin/env bash
# tools/house.py, which `make lint` runs, on a small tree.
# --names: a type name that two files define is told, with both; one that is opaque in a header and has its fields in a source, and
# one that another file only uses, are not. Functions and types that do not begin with a word of their room are told too; so are
# enum constants and inlines of headers that do not, that begin with a word of another or that two rooms have; and a `world` that is
# no PeltWorld.
set -u
house=$PELT_SOURCE/tools/house.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
mkdir -p "$work"/{cli,docs,import,include/pelt,src/core,src/io}
words() { # CORE IO: the table of words
    printf '# The house\n\n## Names\n\n| room | its words |\n|---|---|\n| `core` | %s |\n| `io` | %s |\n\n## Next\n' "$1" "$2" >"$work/docs/architecture.md"
}
words '`text`, `mark`' '`read`'
cat >"$work/src/core/text.h" <<'C'
typedef struct PeltiText PeltiText;
typedef struct PeltiMark { int at; } PeltiMark;
int pelti_texts_count(const PeltiText *text);
C
cat >"$work/src/core/text.c" <<'C'
struct PeltiText { int length; };
typedef struct TextWork {
    PeltiText *text; // typedef struct Request { in a comment is none
} TextWork;
typedef int TextRow[3];
int pelti_texts_count(const PeltiText *text)
{
    return text->length;
}
C
cat >"$work/src/io/read.h" <<'C'
typedef struct PeltiRead8 { int at[8]; } PeltiRead8;
typedef struct PeltiIoMark { int at; } PeltiIoMark;
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
twice src/core/mark.c "struct PeltiText { float x; };" PeltiText src/core/text.c
twice src/core/mark.c "typedef struct { int at; } PeltiMark;" PeltiMark src/core/text.h
twice cli/main.c "typedef struct Reading { int argc; } Reading;" Reading src/io/read.c
twice import/main.c "    typedef int (*ReadRow)(void);" ReadRow src/io/read.c
twice include/pelt/text.h "typedef struct PeltiMark { int at; } PeltiMark;" PeltiMark src/core/text.h

begins() { # FILE LINE TOLD: a line more, and what is to be told of it; nothing where TOLD is empty
    cp "$work/$1" "$work/kept"
    echo "$2" >>"$work/$1"
    said=$(names) && told=no || told=yes
    cp "$work/kept" "$work/$1"
    [ -z "$3" ] && { [ $told = no ] || fail "refused: $2: $said"; return; }
    [ $told = yes ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -qF "$1: $3" <<<"$said" || fail "$2: $said"
}
begins src/io/read.h "typedef struct PeltiReadRow { int at; } PeltiReadRow;" ""
begins src/io/read.h "typedef int PeltiReadRow[3];" ""
begins src/io/read.h "typedef struct PeltiTextRow { int at; } PeltiTextRow;" "PeltiTextRow: does not begin with a word of io (io, read)"
begins src/io/read.h "typedef enum PeltiWay { PELTI_UP } PeltiWay;" "PeltiWay: does not begin with a word of io"
begins src/io/read.h "typedef int (*PeltiReadyFn)(void);" "PeltiReadyFn: does not begin with a word of io"
begins src/io/read.h "typedef struct ReadRow8 { int at; } ReadRow8;" ""
begins src/io/read.h "typedef struct TextRow8 { int at; } TextRow8;" "TextRow8: a type that does not begin with a word of io (io, read)"
begins src/io/read.c "double read_most = 1;" "read_most: a variable that other files can write"
begins src/io/read.c "int read_rows[3][2];" "read_rows: a variable that other files can write"
begins src/io/read.h "static inline int pelti_reads(void) { return 0; }" ""
begins src/io/read.h "static inline int pelti_text_row(void) { return 0; }" "pelti_text_row: does not begin with a word of io"
begins src/core/text.c "const int pelti_marks[] = {1};" ""
begins src/core/text.c "const int pelti_read_most = 1;" "pelti_read_most: does not begin with a word of core"
begins src/core/text.c "const int text_most = 1;" "text_most: does not begin with a word of core"
begins src/io/read.h "enum { PELTI_READ_MOST = 1, READ_LEAST = 2, PELTI_MOST };" ""
begins src/io/read.h "enum { PELTI_READ_MOST = 1, MOST = 2 };" "MOST: does not begin with a word of io (io, read)"
begins src/io/read.h "typedef enum PeltiReadWay { STAGE_UP, PELTI_READ_DOWN } PeltiReadWay;" "STAGE_UP: does not begin with a word of io"
begins src/io/read.h "typedef enum PeltiReadWay { PELTI_TEXT_UP, PELTI_READ_DOWN } PeltiReadWay;" 'PELTI_TEXT_UP: `text` is a word of core, not of io'
begins src/io/read.h "static inline int read_rows(void) { return 0; }" ""
begins src/io/read.h "static inline const int *rows(void) { return 0; }" "rows: does not begin with a word of io"
begins src/io/read.h "static inline __attribute__((always_inline)) int rows(void) { return 0; }" "rows: does not begin with a word of io"
begins src/io/read.h "PELTI_WIDE PeltiFloat8 rows8(int a)" "" # vectors of eight
begins src/io/read.c "enum { MOST = 1 };" "" # its own
both() { # LINE NAME: a line more in a header of each room, and what is to be told of it
    cp "$work/src/core/text.h" "$work/kept" && cp "$work/src/io/read.h" "$work/kept.too"
    echo "$1" | tee -a "$work/src/core/text.h" >>"$work/src/io/read.h"
    said=$(names) && fail "$2 in two rooms is not told"
    cp "$work/kept" "$work/src/core/text.h" && cp "$work/kept.too" "$work/src/io/read.h"
    [ "$said" = "src/core/text.h: $2 stands in src/io/read.h too: one name, one thing" ] || fail "$2: $said"
}
both "enum { PELTI_MOST = 1 };" PELTI_MOST
both "PELTI_WIDE PeltiFloat8 rows8(int a)" rows8
for line in "    double world[3][3];" "    const Mat34 *node_world;" "static void lay(int n, Quat world[4])" "    double at[3] = {0}, world[3];" "    double at = f(1, 2), *row_world = 0;"; do
    begins src/io/read.c "$line" "$(grep -o '\w*world' <<<"$line"): a "
done
for line in "    PeltWorld *world;" "    Mat34 to_world = m, rest_to_world;" "    lay(at, world);" "    return at, world;" "    pelt_world_step(s->world, poses);" "    Mat34 world_to_grid;" "    // double world"; do
    begins src/io/read.c "$line" ""
done
words '`text`, `mark=`' '`read`'
begins src/core/text.c "const int pelti_mark = 1;" ""
begins src/core/text.c "const int pelti_mark_most = 1;" "pelti_mark_most: does not begin with a word of core"
words '`text`, `mark`' '`read`'
echo "typedef struct PeltRead8 PeltRead8; struct PeltRead8 { int at; };" >"$work/include/pelt/read.h"
said=$(names) && fail "a type that differs from a public one by an i is not told"
[ "$said" = "src/io/read.h: PeltiRead8: differs from PeltRead8 by an i alone" ] || fail "$said"
rm "$work/include/pelt/read.h"
table() { # CORE IO TOLD: another table of words, and what is to be told of it
    words "$1" "$2"
    said=$(names) && fail "not told: $3"
    grep -qF "docs/architecture.md: $3" <<<"$said" || fail "$3: $said"
    words '`text`, `mark`' '`read`'
}
table '`text`, `mark`' '`read`, `mark`' '`mark` belongs to core and to io'
table '`text`, `mark`, `io`' '`read`' '`io` belongs to core and to io'
table '`text`, `mark`, `word`' '`read`' '`word`: no name of core begins with it'
table '`texts=`, `mark`' '`read`' '`texts=`: no name of core begins with it'

# --sizes: 60 lines and six parameters pass, one more does not, in sources, programs and tests.
mkdir -p "$work"/{tests/core,import}
sizes() { "$house" "$work" --sizes; }
function_of() { # LINES PARAMETERS [BEFORE [AFTER]]
    echo "${3:-static int many}($(seq -s, 1 "$2" | sed 's/[0-9]*/int a&/g'))${4:-}"
    echo "{"; yes "    a1++;" | head -n "$1"; echo "}"
}
for file in src/core/long.c cli/long.c import/long.cpp tests/core/long.c; do
    function_of 60 6 >"$work/$file"
    said=$(sizes) || fail "$file: $said"
    for size in "61 6" "60 7"; do
        function_of $size >"$work/$file"
        said=$(sizes) && fail "$file: $size is not told"
        grep -q "^$file: many: ${size/ / lines and } parameters" <<<"$said" && [ "$(wc -l <<<"$said")" = 1 ] || fail "$file: $said"
    done
    rm "$work/$file"
done
for before in "PELT_PRINTF(2, 3) static void many" "static const Row *many" "template <typename T> static T many" "static std::vector<int> many"; do
    function_of 61 2 "$before" >"$work/src/core/long.c"
    said=$(sizes) && fail "$before is not seen"
done
function_of 61 2 "static int (*many" ")[3]" >"$work/src/core/long.c"
said=$(sizes) && fail "a function that returns a pointer to an array is not seen"
rm "$work/src/core/long.c"

# --unused: what only tests use is told, what its own file uses as well is not.
echo "int pelti_text_count(void);" >"$work/src/core/count.h"
printf 'int pelti_text_count(void)\n{\n    return 1;\n}\n' >"$work/src/core/count.c"
echo "int tried = pelti_text_count() + 1;" >"$work/tests/core/test_count.c"
unused() { "$house" "$work" --unused | grep "^src/core/count.c"; }
said=$(unused)
[ "$said" = "src/core/count.c: pelti_text_count: only tests use it" ] || fail "$said"
printf 'static int twice(void)\n{\n    return 2 * pelti_text_count();\n}\n' >>"$work/src/core/count.c"
said=$(unused) && fail "an external that its file uses and a test tries is refused: $said"
rm "$work"/tests/core/test_count.c
said=$(unused) || fail "an external that nothing uses outside its file is not told"
rm "$work"/src/core/count.*

# --headers: a comment of whole sentences passes; fragments are told, and so is what only the comment of a group or a type says.
cat >"$work/include/pelt/word.h" <<'C'
/// Words, for a test.
#ifndef PELT_WORD_H

/// A word. One thread at a time may use it.
typedef struct PeltWord PeltWord;
/// Makes a word from a text, which is copied. Any thread may call it; it costs a copy. The caller destroys what `out` gets. It fails
/// only for want of memory (PELT_FAILED).
PELT_API PeltStatus pelt_word_create(const char *text, PeltWord **out, PeltError *err);
/// Frees a word; NULL is fine. No other thread may be using it.
PELT_API void pelt_word_destroy(PeltWord *word);

/// Words are counted from 0 on.

/// Returns how many words there are, 0.5 at least. Any thread may call it, at no cost.
PELT_API int pelt_word_count(void);
PELT_API int pelt_word_find(const char *text);
#endif
C
headers() { "$house" "$work" --headers; }
said=$(headers) && fail "a function without a comment is not told"
[ "$(wc -l <<<"$said")" = 1 ] && grep -q "pelt_word_find: no comment of its own" <<<"$said" || fail "$said"
comment() { # TEXT WHAT [REST]: of pelt_word_find, and what is to be told of it; nothing where WHAT is empty. REST: thread and cost
    sed "s|^PELT_API int pelt_word_find|/// $1${3- Any thread may call it, at no cost.}\n&|" "$work/include/pelt/word.h" >"$work/kept"
    mv "$work/include/pelt/word.h" "$work/word.h" && mv "$work/kept" "$work/include/pelt/word.h"
    said=$(headers) && told=no || told=yes
    mv "$work/word.h" "$work/include/pelt/word.h"
    [ -z "$2" ] && { [ $told = no ] || fail "refused: $1: $said"; return; }
    [ $told = yes ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -qF "$2" <<<"$said" || fail "$1: $said"
}
comment "Returns the number of a word, and -1 where there is none." ""
comment "Returns the number of a word. It may be the first." ""
comment "-1: none" "does not begin with what the function does"
comment "The number of a word, -1 where there is none." "does not begin with what the function does"
comment "returns the number of a word." "does not begin with what the function does"
comment "Returns the number of a word" "does not end with a full stop" " Any thread may call it, at no cost"
comment "Returns the number of a word. From any thread." "no whole sentence"
comment "Returns the number of a word. NULL: none." "no whole sentence"
sed -i '/pelt_word_find/d' "$work/include/pelt/word.h"
sed -i 's/ Any thread may call it, at no cost//;s/^.*Words are counted.*$/\/\/\/ Any thread may call the functions below, at no cost./' "$work/include/pelt/word.h"
said=$(headers) && fail "a function without thread and cost is not told"
grep -q "pelt_word_count: its comment says nothing of thread, cost" <<<"$said" || fail "$said"
sed -i '/pelt_word_count/d;s/ (PELT_FAILED)//;s/ only for want of memory/ at times/;s/The caller destroys/So much for/' "$work/include/pelt/word.h"
said=$(headers) && fail "a function that makes something without an owner is not told"
grep -q "pelt_word_create: its comment says nothing of owner, no memory" <<<"$said" || fail "$said"

# --sources: a first line that is no sentence, no ///, goes on below, or leaves out a paper that the lines below it name; keys unknown, papers unused.
rm -f "$work"/cli/* "$work"/import/* "$work/src/core/mark.c"
mkdir -p "$work"/{fuzz,examples,tests/core}
: >"$work/README.md"
echo "- [Deul2013] C. Deul, J. Bender: Physically-based character skinning." >"$work/docs/bibliography.md"
for file in src/core/text.c src/io/read.c tests/core/test_text.c; do echo "/// Says what this is for [Deul2013 sec. 3]." >"$work/$file"; done
sources() { "$house" "$work" --sources; }
said=$(sources) || fail "first lines as they should be are refused: $said"
opens() { # LINES WHAT: how a source and a test open, and what is to be told of each
    for file in src/core/text.c tests/core/test_text.c; do
        cp "$work/$file" "$work/kept"
        printf '%b\n' "$1" >"$work/$file"
        said=$(sources) && fail "$file is not told: $1"
        [ "$(wc -l <<<"$said")" = 1 ] && grep -q "^$file:.*$2" <<<"$said" || fail "$1: $said"
        cp "$work/kept" "$work/$file"
    done
}
opens '#include "text.h"' "open with a line of ///"
opens '// Says what this is for.' "open with a line of ///"
opens '/// The words.' "open with a line of ///"
opens '/// Says what this is for, which goes on\n/// on another line.' "open with a line of ///"
opens '/// Says what this is for:' "open with a line of ///"
opens '/// Says what this is for.\n/// It is that of [Deul2013].' "does not name Deul2013"
opens '/// Says what this is for [Nobody1999].' "is not in docs/bibliography.md"
printf '/// Says what this is for.\nint word; // as of [Deul2013]\n' >"$work/src/io/read.c"
said=$(sources) && fail "a paper that a source names below its opening alone is not told"
[ "$said" = "src/io/read.c: the line it opens with does not name Deul2013, which the lines below do" ] || fail "$said"
echo "/// Says what this is for [Deul2013 sec. 3]." >"$work/src/io/read.c"
echo "- [Nobody1999] N. Body: Unread." >>"$work/docs/bibliography.md"
said=$(sources) && fail "a paper that no source names is not told"
[ "$said" = "docs/bibliography.md: [Nobody1999]: no source names it" ] || fail "$said"
sed -i '$d' "$work/docs/bibliography.md"
for file in NOTE_FOR_YOU.md docs/notes.txt tests/core/TODO.md src/core/from-me-note.md; do
    echo "Say this." >"$work/$file"
    said=$(sources) && fail "$file is not told"
    [ "$said" = "$file: a note: say it in an issue or a commit's message" ] || fail "$said"
    rm "$work/$file"
done
echo "# How notes of a scale are called" >"$work/docs/notebook.md"
said=$(sources) || fail "a page is taken for a note: $said"

# --writers: what a struct's comment says of sources, beside those that assign to it by member, by pointer or by mem...
writers() { "$house" "$work" --writers; }
cat >"$work/src/core/parts.h" <<'C'
/// What is marked. mark.c writes it, row.c the rows; text.c reads it.
typedef struct Marks {
    int count, *row;
    Mark first;
} Marks;
typedef struct Others { ///< free to all
    int count;
} Others;
typedef struct Taken { ///< mark.c writes it
    int count;
} Taken;
typedef struct OneOf {
    Taken taken;
} OneOf;
/// All of it is made by make.c.
typedef struct All {
    Marks marks;
    Others others, *taken;
    Others taken;
} All;
C
writes() { # FILE LINE [TOLD]: what a source does, and whether it is told
    printf '/// Does what is tried here.\nvoid try_it(All *all, Marks *m, const Marks *read)\n{\n    %s\n}\n' "$2" >"$work/src/core/$1"
    said=$(writers) && told=no || told=yes
    rm "$work/src/core/$1"
    [ $told = "${3:-no}" ] || fail "$1: $2: $said"
    [ $told = no ] || { [ "$(wc -l <<<"$said")" = 1 ] && grep -q "^src/core/$1:4: writes Marks, which parts.h says mark.c, row.c write" <<<"$said"; } || fail "$2: $said"
}
for line in "all->marks.count = 1;" "all->marks.row[m->row[2]] += 1;" "all->marks.count++;" "m->first.at |= 1;" "memset(all->marks.row, 0, 4);"; do
    for file in mark.c row.c make.c; do writes $file "$line"; done
    for file in text_of.c other.c; do writes $file "$line" yes; done
done
for line in "int count = all->marks.count;" "if (all->marks.count == 1) all->others.count = 2;" "int *at = &all->others.count; at[all->marks.row[0]] = 1;" \
    "all->others.count = all->marks.count;" "memcpy(at, all->marks.row, 4);" "read->count == 1;" "all->marks.row = PELTI_NEW(pool, int, 4);" \
    "all->taken.count = 1;" "// all->marks.count = 1;"; do
    writes other.c "$line"
done

# and the project keeps to all of it
for check in --names --sizes --headers --unused --sources --writers; do
    said=$("$house" "$PELT_SOURCE" $check) || fail "$check: $said"
done
