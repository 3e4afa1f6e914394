/// Reads Ogawa: groups, blocks, and the headers of properties.
#include "io/ogawa_read.h"

#include <string.h>

PeltStatus pelti_ogawa_open(PeltiOgawaSource *source, const char *path, const PeltAllocator *allocator, PeltiOgawaGroup *root,
                            PeltError *err)
{
    unsigned char header[16];
    uint64_t where;
    if (allocator)
        source->allocator = *allocator;
    PELT_TRY(pelti_source_open(path, &source->file, err));
    source->budget = 8 * source->file.bytes + 4096;
    if (source->file.bytes < sizeof header)
        return PELT_FAIL(err, PELT_BAD_INPUT, "too short for Alembic");
    PELT_TRY(pelti_source_read(&source->file, 0, header, sizeof header, err));
    if (memcmp(header, "\x89HDF\r\n\x1a\n", 8) == 0)
        return PELT_FAIL(err, PELT_UNSUPPORTED,
                         "Alembic in its old form, HDF5: `abcconvert -toOgawa IN.abc OUT.abc` makes the one that is read");
    if (memcmp(header, "Ogawa", 5) != 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "is no Alembic file: it does not begin with Ogawa");
    if (header[5] != 0xFF)
        return PELT_FAIL(err, PELT_BAD_INPUT, "whoever wrote it did not end it");
    memcpy(&where, header + 8, sizeof where);
    return pelti_ogawa_enter(source, where, root, err);
}

static PeltStatus outside(uint64_t where, PeltError *err)
{
    return PELT_FAIL(err, PELT_BAD_INPUT, "byte %llu: what is to begin there is not in the file",
                     (unsigned long long)(where & ~PELTI_OGAWA_NO_DATA));
}

/// What stands at `where` begins with a count; `*at` is behind it.
static PeltStatus begin(const PeltiOgawaSource *source, uint64_t where, uint64_t *at, uint64_t *count, PeltError *err)
{
    uint64_t from = where & ~PELTI_OGAWA_NO_DATA;
    *at = *count = 0;
    if (from == 0) // nothing
        return PELT_OK;
    if (from < 16 || source->file.bytes < 24 || from > source->file.bytes - 8)
        return outside(where, err);
    *at = from + 8;
    return pelti_source_read(&source->file, from, count, sizeof *count, err);
}

PeltStatus pelti_ogawa_enter(const PeltiOgawaSource *source, uint64_t where, PeltiOgawaGroup *out, PeltError *err)
{
    if (where & PELTI_OGAWA_NO_DATA)
        return PELT_FAIL(err, PELT_BAD_INPUT, "byte %llu: a block where a group is to be",
                         (unsigned long long)(where & ~PELTI_OGAWA_NO_DATA));
    PELT_TRY(begin(source, where, &out->at, &out->count, err));
    return out->count > (source->file.bytes - out->at) / 8 ? outside(where, err) : PELT_OK;
}

PeltStatus pelti_ogawa_child(const PeltiOgawaSource *source, const PeltiOgawaGroup *group, uint64_t index, uint64_t *where,
                             PeltError *err)
{
    if (index >= group->count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "byte %llu: a group of %llu where more are to be", (unsigned long long)group->at,
                         (unsigned long long)group->count);
    return pelti_source_read(&source->file, group->at + 8 * index, where, sizeof *where, err);
}

PeltStatus pelti_ogawa_place(const PeltiOgawaSource *source, uint64_t where, uint64_t *at, uint64_t *bytes, PeltError *err)
{
    if (!(where & PELTI_OGAWA_NO_DATA))
        return PELT_FAIL(err, PELT_BAD_INPUT, "byte %llu: a group where a block is to be", (unsigned long long)where);
    PELT_TRY(begin(source, where, at, bytes, err));
    return *bytes > source->file.bytes - *at ? outside(where, err) : PELT_OK;
}

PeltStatus pelti_ogawa_read(PeltiOgawaSource *source, uint64_t where, PeltiOgawaBlock *out, PeltError *err)
{
    uint64_t at, bytes;
    *out = (PeltiOgawaBlock){0};
    PELT_TRY(pelti_ogawa_place(source, where, &at, &bytes, err));
    if (bytes + 64 > source->budget)
        return PELT_FAIL(err, PELT_BAD_INPUT, "its objects name the same bytes again and again");
    source->budget -= bytes + 64;
    if (bytes == 0)
        return PELT_OK;
    out->bytes = pelti_alloc(&source->allocator, (size_t)bytes);
    if (!out->bytes)
        return pelti_no_memory(err, (size_t)bytes);
    out->size = (size_t)bytes;
    PeltStatus status = pelti_source_read(&source->file, at, out->bytes, out->size, err);
    if (status != PELT_OK)
        pelti_ogawa_release(source, out);
    return status;
}

void pelti_ogawa_release(const PeltiOgawaSource *source, PeltiOgawaBlock *block)
{
    if (block->bytes)
        pelti_free(&source->allocator, block->bytes, block->size);
    *block = (PeltiOgawaBlock){0};
}

bool pelti_ogawa_take(PeltiOgawaBlock *block, int count, uint64_t *out)
{
    *out = 0;
    if (block->size - block->used < (size_t)count)
        return false;
    for (int i = 0; i < count; i++)
        *out |= (uint64_t)block->bytes[block->used++] << 8 * i;
    return true;
}

bool pelti_ogawa_text(PeltiOgawaBlock *block, int width, char *text, size_t room)
{
    uint64_t length;
    if (!pelti_ogawa_take(block, width, &length) || length > block->size - block->used)
        return false;
    size_t kept = length < room ? (size_t)length : room - 1;
    memcpy(text, block->bytes + block->used, kept);
    text[kept] = 0;
    block->used += (size_t)length;
    return true;
}

// ---- properties

/// One header (say_header of ogawa.c); false: it is cut short.
static bool read_header(PeltiOgawaBlock *block, PeltiOgawaFound *out, char *name)
{
    uint64_t info;
    char meta[4];
    if (!pelti_ogawa_take(block, 4, &info))
        return false;
    int width = 1 << (info >> 2 & 3);
    width = width > 4 ? 4 : width;
    *out = (PeltiOgawaFound){.kind = (int)(info & 3), .type = (int)(info >> 4 & 15), .extent = (int)(info >> 12 & 255)};
    if (out->kind != PELTI_OGAWA_COMPOUND) {
        if (!pelti_ogawa_take(block, width, &out->count))
            return false;
        out->first = 1;
        out->last = out->count ? out->count - 1 : 0;
        if (info & 0x200) {
            if (!pelti_ogawa_take(block, width, &out->first) || !pelti_ogawa_take(block, width, &out->last))
                return false;
        } else if (info & 0x800) {
            out->first = out->last = 0;
        }
        if ((info & 0x100) && !pelti_ogawa_take(block, width, &out->time))
            return false;
    }
    if (!pelti_ogawa_text(block, width, name, PELTI_OGAWA_NAME))
        return false;
    return (info >> 20 & 255) != 255 || pelti_ogawa_text(block, width, meta, sizeof meta);
}

static PeltStatus search(PeltiOgawaSource *source, const PeltiOgawaGroup *compound, PeltiOgawaBlock *headers, const char *name,
                         PeltiOgawaFound *out, PeltError *err)
{
    for (uint64_t i = 0; i + 1 < compound->count; i++) {
        char found[PELTI_OGAWA_NAME];
        if (!read_header(headers, out, found))
            return PELT_FAIL(err, PELT_BAD_INPUT, "the names of properties at byte %llu are cut short",
                             (unsigned long long)compound->at);
        if (strcmp(found, name) != 0)
            continue;
        if (out->count == 1 || out->last == 0) // one sample stands for all
            out->first = out->last = 0;
        if (out->first > out->last || (out->last > 0 && (out->first == 0 || out->last >= out->count)))
            return PELT_FAIL(err, PELT_BAD_INPUT, "%s: changes from sample %llu to %llu, of %llu", name,
                             (unsigned long long)out->first, (unsigned long long)out->last, (unsigned long long)out->count);
        out->there = true;
        return pelti_ogawa_child(source, compound, i, &out->where, err);
    }
    *out = (PeltiOgawaFound){0};
    return PELT_OK;
}

PeltStatus pelti_ogawa_find(PeltiOgawaSource *source, const PeltiOgawaGroup *compound, const char *name, PeltiOgawaFound *out,
                            PeltError *err)
{
    uint64_t where;
    PeltiOgawaBlock headers;
    *out = (PeltiOgawaFound){0};
    if (compound->count == 0)
        return PELT_OK;
    PELT_TRY(pelti_ogawa_child(source, compound, compound->count - 1, &where, err));
    PELT_TRY(pelti_ogawa_read(source, where, &headers, err));
    PeltStatus status = search(source, compound, &headers, name, out, err);
    pelti_ogawa_release(source, &headers);
    return status;
}
