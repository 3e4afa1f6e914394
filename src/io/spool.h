/// Scratch on disk and reading at an offset: frames of a long clip stay out of memory.
#ifndef PELTI_IO_SPOOL_H
#define PELTI_IO_SPOOL_H

#include "core/error.h"

#include <stddef.h>
#include <stdint.h>

/// A file of this process that has no name (made in the folder of `path`, where the result will need room too), so nothing
/// is left behind whatever happens. Random access; threads may read at once.
typedef struct PeltiSpool {
    int descriptor; ///< -1: closed
} PeltiSpool;
PeltStatus pelti_spool_open(const char *path, PeltiSpool *out, PeltError *err);
/// The same with a name, and what is in it already: work that is to be gone on with. `bytes`: how long it is.
PeltStatus pelti_spool_named(const char *path, PeltiSpool *out, uint64_t *bytes, PeltError *err);
PeltStatus pelti_spool_write(const PeltiSpool *spool, uint64_t offset, const void *data, size_t bytes, PeltError *err);
PeltStatus pelti_spool_read(const PeltiSpool *spool, uint64_t offset, void *data, size_t bytes, PeltError *err);
void pelti_spool_close(PeltiSpool *spool); ///< closed is fine

/// A file to read at offsets. Bytes that are not there give PELT_BAD_INPUT.
typedef struct PeltiSource {
    int descriptor; ///< -1: closed
    uint64_t bytes; ///< length when opened
} PeltiSource;
PeltStatus pelti_source_open(const char *path, PeltiSource *out, PeltError *err); ///< regular files only
PeltStatus pelti_source_read(const PeltiSource *source, uint64_t offset, void *data, size_t bytes, PeltError *err);
void pelti_source_close(PeltiSource *source);

#endif
