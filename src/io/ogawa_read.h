/// Ogawa, read: groups and blocks of an Alembic file, and the properties in them. Every place is checked against the length of
/// the file, and what is read of names and headers is bounded by it: files may name the same bytes again and again.
#ifndef PELTI_IO_OGAWA_READ_H
#define PELTI_IO_OGAWA_READ_H

#include "core/memory.h"
#include "io/ogawa.h"
#include "io/spool.h"

typedef struct PeltiOgawaSource {
    PeltiSource file;
    PeltAllocator allocator;
    uint64_t budget; ///< bytes of headers that may still be read
} PeltiOgawaSource;

typedef struct PeltiOgawaGroup {
    uint64_t at, count; ///< of its children's names, 8 bytes each
} PeltiOgawaGroup;

typedef struct PeltiOgawaBlock { ///< in memory, until pelti_ogawa_release
    unsigned char *bytes;
    size_t size, used; ///< `used` is how far it has been read
} PeltiOgawaBlock;

/// The file and the group everything hangs from. PELT_UNSUPPORTED: the other kind of Alembic file.
PeltStatus pelti_ogawa_open(PeltiOgawaSource *source, const char *path, const PeltAllocator *allocator, PeltiOgawaGroup *root,
                            PeltError *err);
PeltStatus pelti_ogawa_child(const PeltiOgawaSource *source, const PeltiOgawaGroup *group, uint64_t index, uint64_t *where,
                             PeltError *err);
PeltStatus pelti_ogawa_enter(const PeltiOgawaSource *source, uint64_t where, PeltiOgawaGroup *out, PeltError *err);
/// Where the bytes of a block are, and how many.
PeltStatus pelti_ogawa_place(const PeltiOgawaSource *source, uint64_t where, uint64_t *at, uint64_t *bytes, PeltError *err);
PeltStatus pelti_ogawa_read(PeltiOgawaSource *source, uint64_t where, PeltiOgawaBlock *out, PeltError *err);
void pelti_ogawa_release(const PeltiOgawaSource *source, PeltiOgawaBlock *block);
/// The next `count` bytes of a block, at most 8, as a number; false: they are not there.
bool pelti_ogawa_take(PeltiOgawaBlock *block, int count, uint64_t *out);
/// Text that comes with its length before it, in `width` bytes; what does not fit `text` [room] is cut. false: it is not there.
bool pelti_ogawa_text(PeltiOgawaBlock *block, int width, char *text, size_t room);

enum { PELTI_OGAWA_NAME = 64 };
typedef struct PeltiOgawaFound { ///< a property, as it was written
    bool there;
    uint64_t where;         ///< the group of its samples, or of what is in a compound
    int kind, type, extent; ///< as in PeltiOgawaProperty
    uint64_t count;         ///< samples
    uint64_t first, last;   ///< changes; 0, 0: none
    uint64_t time;          ///< which of the archive's time samplings
} PeltiOgawaFound;
/// The property of that name in a compound; `there` false where it has none.
PeltStatus pelti_ogawa_find(PeltiOgawaSource *source, const PeltiOgawaGroup *compound, const char *name, PeltiOgawaFound *out,
                            PeltError *err);

#endif
