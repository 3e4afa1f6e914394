/// Ogawa: blocks, groups, and Alembic's properties in them. Little-endian, as the format is and as everything Pelt runs on.
#include "io/ogawa.h"

#include <stdbool.h>
#include <string.h>

PeltStatus pelti_ogawa_begin(PeltiOgawa *ogawa, const char *path, PeltError *err)
{
    static const char header[16] = {'O', 'g', 'a', 'w', 'a', 0, 0, 1}; // not complete, version 1, no root yet
    PELT_TRY(pelti_file_begin(&ogawa->file, path, err));
    ogawa->at = sizeof header;
    return pelti_file_write(&ogawa->file, header, sizeof header, err);
}

static PeltStatus put(PeltiOgawa *ogawa, const void *data, size_t bytes, PeltError *err)
{
    ogawa->at += bytes;
    return pelti_file_write(&ogawa->file, data, bytes, err);
}

PeltStatus pelti_ogawa_data(PeltiOgawa *ogawa, const void *data, size_t bytes, uint64_t *where, PeltError *err)
{
    uint64_t size = bytes;
    *where = PELTI_OGAWA_NO_DATA;
    if (bytes == 0)
        return PELT_OK;
    *where |= ogawa->at;
    PELT_TRY(put(ogawa, &size, sizeof size, err));
    return put(ogawa, data, bytes, err);
}

PeltStatus pelti_ogawa_group(PeltiOgawa *ogawa, const uint64_t *children, size_t count, uint64_t *where, PeltError *err)
{
    uint64_t size = count;
    *where = 0;
    if (count == 0)
        return PELT_OK;
    *where = ogawa->at;
    PELT_TRY(put(ogawa, &size, sizeof size, err));
    return put(ogawa, children, count * sizeof *children, err);
}

PeltStatus pelti_ogawa_complete(PeltiOgawa *ogawa, uint64_t root, PeltError *err)
{
    static const unsigned char complete = 0xFF;
    PELT_TRY(pelti_file_patch(&ogawa->file, 8, &root, sizeof root, err));
    PELT_TRY(pelti_file_patch(&ogawa->file, 5, &complete, 1, err));
    return pelti_file_complete(&ogawa->file, err);
}

static uint64_t stir(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

/// Readers compare digests with one another only, so any good function will do: two lanes, a word each in turn.
PeltiOgawaDigest pelti_ogawa_digest(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t a = bytes, b = ~(uint64_t)bytes;
    for (; bytes > 0; bytes -= bytes < 16 ? bytes : 16, p += 16) {
        uint64_t word[2] = {0};
        memcpy(word, p, bytes < 16 ? bytes : 16);
        a = stir(a, word[0]);
        b = stir(b, word[1]);
    }
    return (PeltiOgawaDigest){{stir(a, b), stir(b, ~a)}};
}

static PeltiOgawaDigest join(PeltiOgawaDigest a, PeltiOgawaDigest b)
{
    PeltiOgawaDigest both[2] = {a, b};
    return pelti_ogawa_digest(both, sizeof both);
}

PeltStatus pelti_ogawa_sample(PeltiOgawa *ogawa, PeltiOgawaSamples *samples, const void *data, size_t bytes, PeltError *err)
{
    PeltiOgawaDigest digest = pelti_ogawa_digest(data, bytes);
    int index = samples->count++;
    uint64_t size = sizeof digest + bytes;
    if (index > 0 && memcmp(&digest, &samples->last, sizeof digest) == 0) {
        samples->where[index] = samples->where[index - 1];
        return PELT_OK;
    }
    samples->last = digest;
    samples->where[index] = ogawa->at | PELTI_OGAWA_NO_DATA;
    samples->first_change = samples->first_change ? samples->first_change : index;
    samples->last_change = index;
    PELT_TRY(put(ogawa, &size, sizeof size, err));
    PELT_TRY(put(ogawa, &digest, sizeof digest, err));
    return put(ogawa, data, bytes, err);
}

// ---- properties ----

static void say(PeltiOgawaCompound *into, uint32_t value, int bytes)
{
    PELT_ASSERT(into->used + (size_t)bytes <= sizeof into->headers);
    for (int i = 0; i < bytes; i++)
        into->headers[into->used++] = (unsigned char)(value >> 8 * i);
}

/// Bits of a header: kind, width of the counts, type, a time of its own, first and last change
/// given, samples of one size, all samples the same, extent, meta data.
static void say_header(PeltiOgawaCompound *into, const PeltiOgawaProperty *what, const PeltiOgawaSamples *samples)
{
    uint32_t length = (uint32_t)strlen(what->name), count = samples ? (uint32_t)samples->count : 0;
    uint32_t most = length > count ? length : count, width = most < 256 ? 0 : most < 65536 ? 1 : 2;
    uint32_t info = width << 2 | (uint32_t)what->meta << 20;
    bool same = samples && samples->last_change == 0;
    bool changes = samples && !same && (samples->first_change != 1 || samples->last_change != samples->count - 1);
    int bytes = 1 << width;
    if (samples)
        info |= (uint32_t)what->kind | (uint32_t)what->type << 4 | (what->time ? 0x100u : 0u) | (changes ? 0x200u : 0u) | 0x400u |
                (same ? 0x800u : 0u) | (uint32_t)what->extent << 12;
    say(into, info, 4);
    if (samples)
        say(into, count, bytes);
    if (changes) {
        say(into, (uint32_t)samples->first_change, bytes);
        say(into, (uint32_t)samples->last_change, bytes);
    }
    if (samples && what->time)
        say(into, (uint32_t)what->time, bytes);
    say(into, length, bytes);
    for (uint32_t i = 0; i < length; i++)
        say(into, (unsigned char)what->name[i], 1);
}

static void add(PeltiOgawaCompound *into, uint64_t child, PeltiOgawaDigest digest)
{
    PELT_ASSERT(into->count < (int)(sizeof into->children / sizeof *into->children) - 1); // one is for the headers
    into->children[into->count++] = child;
    into->digest = join(into->digest, digest);
}

/// The first sample, then those from the first change to the last; an array's each with its dimensions, which follow from the
/// length of the block and are left out. In parts, since they may be many.
static PeltStatus put_samples(PeltiOgawa *ogawa, const PeltiOgawaSamples *samples, bool array, uint64_t *where, PeltError *err)
{
    uint64_t one[2] = {0, PELTI_OGAWA_NO_DATA};
    int kept = samples->last_change ? samples->last_change - samples->first_change + 2 : 1;
    size_t each = array ? 2 : 1;
    uint64_t size = each * (uint64_t)kept;
    *where = ogawa->at;
    PELT_TRY(put(ogawa, &size, sizeof size, err));
    for (int i = 0; i < kept; i++) {
        one[0] = samples->where[i ? samples->first_change + i - 1 : 0];
        PELT_TRY(put(ogawa, one, each * sizeof *one, err));
    }
    return PELT_OK;
}

PeltStatus pelti_ogawa_property(PeltiOgawa *ogawa, PeltiOgawaCompound *into, const PeltiOgawaProperty *what,
                                const PeltiOgawaSamples *samples, PeltError *err)
{
    uint64_t where;
    PELT_TRY(put_samples(ogawa, samples, what->kind == PELTI_OGAWA_ARRAY, &where, err));
    say_header(into, what, samples);
    add(into, where, join(samples->last, pelti_ogawa_digest(what->name, strlen(what->name))));
    return PELT_OK;
}

PeltStatus pelti_ogawa_constant(PeltiOgawa *ogawa, PeltiOgawaCompound *into, const PeltiOgawaProperty *what, const void *data,
                                size_t bytes, PeltError *err)
{
    uint64_t where;
    PeltiOgawaSamples samples = {.where = &where};
    PELT_TRY(pelti_ogawa_sample(ogawa, &samples, data, bytes, err));
    return pelti_ogawa_property(ogawa, into, what, &samples, err);
}

PeltStatus pelti_ogawa_compound(PeltiOgawa *ogawa, PeltiOgawaCompound *into, const PeltiOgawaProperty *what,
                                const PeltiOgawaCompound *inner, uint64_t *where, PeltError *err)
{
    uint64_t children[sizeof inner->children / sizeof *inner->children];
    memcpy(children, inner->children, sizeof children);
    if (inner->count > 0)
        PELT_TRY(pelti_ogawa_data(ogawa, inner->headers, inner->used, &children[inner->count], err));
    PELT_TRY(pelti_ogawa_group(ogawa, children, inner->count ? (size_t)inner->count + 1 : 0, where, err));
    if (!into || !what)
        return PELT_OK;
    say_header(into, what, NULL);
    add(into, *where, inner->digest);
    return PELT_OK;
}
