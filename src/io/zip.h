/// A zip whose entries are stored as they are, every size in its 64-bit form, so that long clips need no other case.
#ifndef PELTI_IO_ZIP_H
#define PELTI_IO_ZIP_H

#include "core/file.h"
#include "core/memory.h"

#include <stdint.h>

enum { PELTI_ZIP_NAME = 255 };

/// One being written. Plain struct of the caller's; `begin` fills it, exactly one of `commit` and `abort` ends it.
typedef struct PeltiZip {
    PeltiFile file;
    PeltiArray entries;
    uint64_t written;
    uint32_t crc;        ///< of what is being written, complemented
    uint32_t table[256]; ///< of CRC-32
} PeltiZip;

PeltStatus pelti_zip_begin(PeltiZip *zip, const PeltAllocator *allocator, const char *path, PeltError *err);
/// An entry of so many bytes, which come by pelti_zip_write, and its end. Names have at most PELTI_ZIP_NAME letters.
PeltStatus pelti_zip_entry(PeltiZip *zip, const char *name, uint64_t bytes, PeltError *err);
PeltStatus pelti_zip_write(PeltiZip *zip, const void *data, size_t bytes, PeltError *err);
PeltStatus pelti_zip_entry_end(PeltiZip *zip, PeltError *err);
PeltStatus pelti_zip_complete(PeltiZip *zip, PeltError *err); ///< the directory, and pelti_file_complete
PeltStatus pelti_zip_commit(PeltiZip *zip, PeltError *err);
void pelti_zip_abort(PeltiZip *zip); ///< nothing stays; one that was ended is fine

#endif
