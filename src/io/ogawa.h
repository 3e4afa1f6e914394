/// Ogawa, the container of Alembic files: blocks of bytes and groups that name blocks and groups by where they begin, each
/// written once and in any order, so that frames stream and what names them comes last.
#ifndef PELTI_IO_OGAWA_H
#define PELTI_IO_OGAWA_H

#include "core/file.h"

#include <stddef.h>
#include <stdint.h>

#define PELTI_OGAWA_NO_DATA 0x8000000000000000ull ///< a block of no bytes, which is not written

typedef struct PeltiOgawa {
    PeltiFile file;
    uint64_t at; ///< bytes written
} PeltiOgawa;

PeltStatus pelti_ogawa_begin(PeltiOgawa *ogawa, const char *path, PeltError *err);
/// A block; `*where` names it in a group.
PeltStatus pelti_ogawa_data(PeltiOgawa *ogawa, const void *data, size_t bytes, uint64_t *where, PeltError *err);
/// A group of these blocks and groups; none is no group, 0.
PeltStatus pelti_ogawa_group(PeltiOgawa *ogawa, const uint64_t *children, size_t count, uint64_t *where, PeltError *err);
/// Closes the file, not yet under its name; `root` is the group everything hangs from.
PeltStatus pelti_ogawa_complete(PeltiOgawa *ogawa, uint64_t root, PeltError *err);

typedef struct PeltiOgawaDigest { ///< tells whether two samples are equal
    uint64_t word[2];
} PeltiOgawaDigest;
PeltiOgawaDigest pelti_ogawa_digest(const void *data, size_t bytes);

/// The samples of a property as they come: one equal to that before it is not written again. `where` is the caller's.
typedef struct PeltiOgawaSamples {
    uint64_t *where; ///< [count] of the blocks
    int count;
    int first_change, last_change; ///< samples that differ from the one before them; 0, 0: all are the same
    PeltiOgawaDigest last;
} PeltiOgawaSamples;
PeltStatus pelti_ogawa_sample(PeltiOgawa *ogawa, PeltiOgawaSamples *samples, const void *data, size_t bytes, PeltError *err);

/// What a property is called and holds; of a compound all but `name` and `meta` is zero.
typedef struct PeltiOgawaProperty {
    const char *name;
    int meta; ///< 1 + place in the archive's table of meta data; 0: none
    enum { PELTI_OGAWA_COMPOUND, PELTI_OGAWA_SCALAR, PELTI_OGAWA_ARRAY } kind;
    enum {
        PELTI_OGAWA_BOOL = 0,
        PELTI_OGAWA_UINT8 = 1,
        PELTI_OGAWA_INT32 = 6,
        PELTI_OGAWA_FLOAT = 10,
        PELTI_OGAWA_DOUBLE = 11
    } type;
    int extent; ///< numbers of that type an element has
    int time;   ///< which of the archive's time samplings
} PeltiOgawaProperty;

/// Properties side by side, until their group is written. Long enough for what an Alembic mesh has.
typedef struct PeltiOgawaCompound {
    uint64_t children[16];
    int count;
    unsigned char headers[1024];
    size_t used;
    PeltiOgawaDigest digest; ///< of all of it
} PeltiOgawaCompound;
/// Adds a property with its samples.
PeltStatus pelti_ogawa_property(PeltiOgawa *ogawa, PeltiOgawaCompound *into, const PeltiOgawaProperty *what,
                                const PeltiOgawaSamples *samples, PeltError *err);
/// Adds a property that has one sample.
PeltStatus pelti_ogawa_constant(PeltiOgawa *ogawa, PeltiOgawaCompound *into, const PeltiOgawaProperty *what, const void *data,
                                size_t bytes, PeltError *err);
/// Writes `inner`, and adds it as the property `what` where there is an `into`.
PeltStatus pelti_ogawa_compound(PeltiOgawa *ogawa, PeltiOgawaCompound *into, const PeltiOgawaProperty *what,
                                const PeltiOgawaCompound *inner, uint64_t *where, PeltError *err);

#endif
