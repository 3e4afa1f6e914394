/// Output that is never half written: bytes go to a temporary file in the target's folder and take its name by rename.
#ifndef PELTI_CORE_FILE_H
#define PELTI_CORE_FILE_H

#include "core/error.h"

#include <stdbool.h>
#include <stdio.h>

/// A file being written. Plain struct of the caller's; `begin` fills it, exactly one of `commit` and `abort` ends it.
/// A target that exists and is no regular file (a terminal, a device) is written directly; a pipe, whose bytes nobody can take
/// back, when the file is committed. A link is followed.
typedef struct PeltiFile {
    FILE *stream;    ///< NULL: not open
    char *path;      ///< where it will appear
    char *temporary; ///< NULL: written directly, or to a pipe: then `stream` is a file without a name
} PeltiFile;

/// The folder must exist. Stories name the file and the cause.
PeltStatus pelti_file_begin(PeltiFile *file, const char *path, PeltError *err);
PeltStatus pelti_file_write(PeltiFile *file, const void *data, size_t bytes, PeltError *err);
/// Overwrites bytes already written (a header whose counts come last); the next write goes to the end again.
PeltStatus pelti_file_patch(PeltiFile *file, long offset, const void *data, size_t bytes, PeltError *err);
/// Flushes, checks and closes, without renaming: all that can run out of space is then behind. For several files that
/// should appear together: complete each, then commit each. On failure the file is ended, as `commit` does.
PeltStatus pelti_file_complete(PeltiFile *file, PeltError *err);
/// Completes if that was not done, and renames. On failure nothing of the new file stays and the old one is untouched. Always
/// ends the file.
PeltStatus pelti_file_commit(PeltiFile *file, PeltError *err);
void pelti_file_abort(PeltiFile *file); ///< nothing stays; a zeroed or ended file is fine

/// All of the above for bytes that are in memory.
PeltStatus pelti_file_save(const char *path, const void *data, size_t bytes, PeltError *err);
/// Makes the folder and its parents; one that exists is fine.
PeltStatus pelti_folder_make(const char *path, PeltError *err);

#endif
