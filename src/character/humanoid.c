/// Tells which joint is which limb of a humanoid by the names that the usual rigs have.
#include "character/humanoid.h"

#include "character/constants.def"

#include <ctype.h>
#include <string.h>

enum {
#define CONVENTION(id, name) id,
#define PART(id, ...)
#include "character/humanoid.def"
    CONVENTIONS
};

static const char *const NAMES[CONVENTIONS] = {
#define CONVENTION(id, name) [id] = (name),
#define PART(id, ...)
#include "character/humanoid.def"
};

static const struct {
    bool sided;
    int most;
    const char *words[CONVENTIONS];
} PARTS[PELTI_HUMANOID_PARTS] = {
#define CONVENTION(id, name)
#define PART(id, is_sided, count, ...) [PELTI_HUMANOID_##id] = {is_sided, count, {__VA_ARGS__}},
#include "character/humanoid.def"
};

/// A name taken apart.
typedef struct JointName {
    char core[64]; // lower case letters and digits
    int side;      // 0 left, 1 right, -1 neither
    int rank;      // of several joints with one core the highest counts: those that deform before those that drive
} JointName;

const char *pelti_humanoid_short(const char *name)
{
    const char *start = name;
    for (const char *c = name; *c; c++)
        if ((*c == ':' || *c == '|') && c[1])
            start = c + 1;
    return start;
}

static bool is_word(const char *token, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)token[i]) != word[i])
            return false;
    return true;
}

/// "left", "right" or a lone letter at either end of a token; -1: none. What is left of the token comes back in it.
static int take_side(const char **token, size_t *length)
{
    static const char *const words[2] = {"left", "right"}, *const letters[2] = {"l", "r"};
    for (int side = 0; side < 2; side++) {
        size_t word = strlen(words[side]);
        if (is_word(*token, *length, letters[side])) {
            *length = 0;
            return side;
        }
        if (*length >= word && is_word(*token, word, words[side])) {
            *token += word;
            *length -= word;
            return side;
        }
        if (*length > word && is_word(*token + *length - word, word, words[side])) {
            *length -= word;
            return side;
        }
    }
    if (*length > 2 && strchr("lrLR", (*token)[0]) && isupper((unsigned char)(*token)[1]) &&
        islower((unsigned char)(*token)[2])) {
        int side = tolower((unsigned char)(*token)[0]) == 'r'; // lShldr, RThumb
        (*token)++;
        (*length)--;
        return side;
    }
    return -1;
}

/// "DEF-upper_arm.L", "J_Bip_L_UpperArm", "mixamorig:LeftArm", "Bip01 L UpperArm".
static JointName take_apart(const char *name)
{
    static const char *const prefixes[] = {"def", "org", "j", "bip", "c", "bip01", "bip001", "valvebiped", "cc", "base", "b"};
    JointName out = {.side = -1, .rank = 1};
    size_t used = 0;
    for (const char *at = pelti_humanoid_short(name); *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]))
            length++;
        const char *token = at, *next = at + length;
        bool prefix = false;
        for (size_t i = 0; used == 0 && i < sizeof prefixes / sizeof *prefixes; i++)
            prefix = prefix || is_word(token, length, prefixes[i]);
        if (prefix && is_word(token, length, "def"))
            out.rank = 2;
        if (prefix && is_word(token, length, "org"))
            out.rank = 0;
        int side = !prefix && out.side < 0 ? take_side(&token, &length) : -1;
        out.side = side >= 0 ? side : out.side;
        for (size_t i = 0; !prefix && i < length && used < sizeof out.core - 1; i++)
            out.core[used++] = (char)tolower((unsigned char)token[i]);
        at = *next ? next + 1 : next;
    }
    return out;
}

/// Which of the words it is, counted from 1; 0: none.
static int is_among(const char *core, const char *words)
{
    size_t length = strlen(core);
    int index = 1;
    for (const char *at = words; length && *at; index++) {
        size_t word = strcspn(at, " ");
        if (word == length && !memcmp(at, core, length))
            return index;
        at += word + (at[word] == ' ');
    }
    return 0;
}

static int depth_of(const PeltiCharacter *who, int node)
{
    int depth = 0;
    for (int up = who->nodes[node].parent; up >= 0; up = who->nodes[up].parent)
        depth++;
    return depth;
}

/// Into a chain sorted by depth; a node of the same name and a higher rank takes another's place.
static void insert(const PeltiCharacter *who, PeltiHumanoid *out, int part, int side, int node)
{
    int *chain = out->node[part][side], *count = &out->count[part][side], at = 0, depth = depth_of(who, node);
    while (at < *count && depth_of(who, chain[at]) <= depth)
        at++;
    if (at >= PELTI_HUMANOID_CHAIN)
        return;
    int last = *count < PELTI_HUMANOID_CHAIN ? *count : PELTI_HUMANOID_CHAIN - 1;
    for (int i = last; i > at; i--)
        chain[i] = chain[i - 1];
    chain[at] = node;
    *count = last + 1;
}

typedef struct Reading {
    const PeltiCharacter *who;
    const char *const *said;
    const bool *usable;
} Reading;

static const char *name_of(const Reading *r, int node)
{
    if (r->usable && !r->usable[node])
        return NULL;
    return r->said ? r->said[node] : r->who->nodes[node].name;
}

/// The highest rank of a joint that goes by a word of the part.
static int best_rank(const Reading *r, const char *words)
{
    int best = -1;
    for (int n = 0; n < r->who->node_count; n++) {
        const char *given = name_of(r, n);
        JointName name = take_apart(given ? given : "");
        best = is_among(name.core, words) && name.rank > best ? name.rank : best;
    }
    return best;
}

static void fill(const Reading *r, int convention, PeltiHumanoid *out)
{
    *out = (PeltiHumanoid){.convention = NAMES[convention]};
    for (int p = 0; p < PELTI_HUMANOID_PARTS; p++) {
        const char *words = PARTS[p].words[convention];
        int rank = best_rank(r, words);
        for (int n = 0; rank >= 0 && n < r->who->node_count; n++) {
            const char *given = name_of(r, n);
            JointName name = take_apart(given ? given : "");
            if (name.rank == rank && (name.side >= 0) == PARTS[p].sided && is_among(name.core, words))
                insert(r->who, out, p, name.side == 1, n);
        }
        for (int side = 0; side < 2; side++) {
            if (out->count[p][side] > PARTS[p].most)
                out->count[p][side] = PARTS[p].most;
            out->found += out->count[p][side];
        }
    }
}

PeltiHumanoid pelti_humanoid_find(const PeltiCharacter *who, const char *const *said, const bool *usable)
{
    Reading reading = {who, said, usable};
    PeltiHumanoid best = {0}, tried;
    for (int c = 0; c < CONVENTIONS; c++) {
        fill(&reading, c, &tried);
        if (tried.found > best.found)
            best = tried;
    }
    return best;
}

bool pelti_humanoid_is(const PeltiHumanoid *parts)
{
    return parts->found >= HUMANOID_LEAST;
}
