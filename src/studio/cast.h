/// The character on show: read from bytes that stay in memory, or made by the program; counted, as the solver, the preparing
/// threads and the answers use it at once.
#ifndef PELTI_STUDIO_CAST_H
#define PELTI_STUDIO_CAST_H

#include "studio/messages.h"

#include <pelt/tools.h>

enum { PELTI_CAST_LABEL = 200 };
typedef struct PeltiCast {
    PeltCharacter *who;
    void *bytes; ///< glTF as it was given, or written from another format; NULL: there is none
    size_t size;
    char label[PELTI_CAST_LABEL + 1]; ///< what people call it
    uint32_t epoch;                   ///< which of all that were on show; the session's lock guards it and `uses`
    int uses;
} PeltiCast;

/// From a file named on the command line; its bytes are kept, as a .glb where it is none.
PeltStatus pelti_cast_load(const char *path, PeltiCast **out, PeltError *err);
/// From bytes, which are taken over (freed on failure too).
PeltStatus pelti_cast_read(void *bytes, size_t size, PeltiCast **out, PeltError *err);
/// A built-in character. `vertices` 0: the biped that is built in comes at once, others have their own default.
PeltStatus pelti_cast_make(const char *name, int vertices, PeltiCast **out, PeltError *err);
void pelti_cast_destroy(PeltiCast *cast); ///< NULL is fine

/// Appends Character to an answer.
PeltStatus pelti_cast_describe(const PeltiCast *cast, PeltiArray *answer, PeltError *err);
/// Appends Weights of a node, of the file's weights or those that were made for it.
PeltStatus pelti_cast_weights(const PeltiCast *cast, int node, PeltiArray *answer, PeltError *err);

/// A name of our own in the folder for temporary files; the file exists afterwards.
PeltStatus pelti_cast_temporary(char *path, size_t size, PeltError *err);
PeltStatus pelti_cast_temporary_folder(char *path, size_t size, PeltError *err); ///< the same, a folder
/// A whole file or stream in memory of malloc's; at most `most` bytes.
PeltStatus pelti_cast_slurp(const char *path, size_t most, void **bytes, size_t *size, PeltError *err);

#endif
