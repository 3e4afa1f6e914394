/// Files that appear by rename, whole or not at all.
#define _XOPEN_SOURCE 700 // realpath
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(PeltiFile *file)
{
    free(file->path);
    free(file->temporary);
    *file = (PeltiFile){0};
}

/// ".name.<pid>.<n>.part" beside the target, so that the rename stays within one file system.
static int open_beside(PeltiFile *file, mode_t mode)
{
    const char *slash = strrchr(file->path, '/');
    int folder = slash ? (int)(slash - file->path) + 1 : 0;
    size_t size = strlen(file->path) + 64;
    file->temporary = malloc(size);
    if (!file->temporary)
        return -1;
    for (int n = 0; n < 1000; n++) {
        // The name is cut so that long targets still have a temporary of legal length.
        snprintf(file->temporary, size, "%.*s.%.200s.%ld.%d.part", folder, file->path, file->path + folder, (long)getpid(), n);
        int fd = open(file->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static PeltStatus fail_write(const PeltiFile *file, int code, PeltError *err)
{
    const char *cure = code == ENOSPC || code == EDQUOT ? "; free some space or write to another disk" : "";
    return PELT_FAIL(err, PELT_IO, "%s: cannot write: %s%s", file->path, strerror(code), cure);
}

static PeltStatus end_failed(PeltiFile *file, int code, PeltError *err)
{
    PeltStatus status = fail_write(file, code, err);
    pelti_file_abort(file);
    return status;
}

/// What is written to a pipe waits in a file without a name.
static bool is_pipe(const PeltiFile *file)
{
    struct stat about;
    return !file->temporary && stat(file->path, &about) == 0 && S_ISFIFO(about.st_mode);
}

/// Opened only now: a reader that waits for its end would take an earlier closing for it. Returns why it failed; 0: it did not.
static int hand_to_pipe(PeltiFile *file)
{
    char bytes[1 << 14];
    size_t count;
    int fd = open(file->path, O_WRONLY | O_CLOEXEC), code = 0;
    FILE *pipe = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!pipe) {
        code = errno;
        if (fd >= 0)
            close(fd);
        return code;
    }
    rewind(file->stream);
    while (code == 0 && (count = fread(bytes, 1, sizeof bytes, file->stream)) > 0)
        code = fwrite(bytes, 1, count, pipe) == count ? 0 : errno;
    if (code == 0 && ferror(file->stream))
        code = EIO;
    if (fclose(pipe) != 0 && code == 0)
        code = errno;
    fclose(file->stream);
    file->stream = NULL;
    return code;
}

static FILE *open_stream(PeltiFile *file, const struct stat *exists)
{
    if (exists && S_ISFIFO(exists->st_mode))
        return access(file->path, W_OK) == 0 ? tmpfile() : NULL;
    bool regular = !exists || S_ISREG(exists->st_mode);
    int fd = regular ? open_beside(file, exists ? exists->st_mode & 0777 : 0666) : open(file->path, O_WRONLY | O_CLOEXEC);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !stream) {
        close(fd);
        if (file->temporary)
            unlink(file->temporary);
    }
    return stream;
}

PeltStatus pelti_file_begin(PeltiFile *file, const char *path, PeltError *err)
{
    *file = (PeltiFile){0};
    if (!path || !*path)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "output has an empty name");
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode))
        return PELT_FAIL(err, PELT_IO, "%s: is a folder", path);
    bool regular = exists && S_ISREG(about.st_mode);
    file->path = regular ? realpath(path, NULL) : strdup(path); // a pipe may have no name that leads to it
    if (!file->path)
        return PELT_FAIL(err, errno == ENOMEM ? PELT_FAILED : PELT_IO, "%s: %s", path, strerror(errno));
    file->stream = open_stream(file, exists ? &about : NULL);
    if (file->stream)
        return PELT_OK;
    PeltStatus status = PELT_FAIL(err, errno == ENOMEM ? PELT_FAILED : PELT_IO, "%s: cannot write: %s", path, strerror(errno));
    forget(file);
    return status;
}

PeltStatus pelti_file_write(PeltiFile *file, const void *data, size_t bytes, PeltError *err)
{
    PELT_ASSERT(file->stream);
    if (bytes == 0 || fwrite(data, 1, bytes, file->stream) == bytes)
        return PELT_OK;
    return fail_write(file, errno, err);
}

PeltStatus pelti_file_patch(PeltiFile *file, long offset, const void *data, size_t bytes, PeltError *err)
{
    PELT_ASSERT(file->stream);
    if (fseek(file->stream, offset, SEEK_SET) == 0 && fwrite(data, 1, bytes, file->stream) == bytes &&
        fseek(file->stream, 0, SEEK_END) == 0)
        return PELT_OK;
    return PELT_FAIL(err, PELT_IO, "%s: cannot rewrite bytes at %ld: %s", file->path, offset, strerror(errno));
}

PeltStatus pelti_file_complete(PeltiFile *file, PeltError *err)
{
    PELT_ASSERT(file->stream);
    errno = EIO; // for an error seen earlier, whose cause is gone
    bool good = !ferror(file->stream) && fflush(file->stream) == 0;
    // Some file systems find that they are full only when data reach the disk; devices and pipes have nothing to sync.
    if (good && file->temporary)
        good = fdatasync(fileno(file->stream)) == 0 || errno == EINVAL || errno == EROFS;
    int code = errno;
    if (!is_pipe(file)) {
        if (fclose(file->stream) != 0 && good) {
            code = errno;
            good = false;
        }
        file->stream = NULL;
    }
    return good ? PELT_OK : end_failed(file, code, err);
}

PeltStatus pelti_file_commit(PeltiFile *file, PeltError *err)
{
    PELT_ASSERT(file->path);
    if (file->stream)
        PELT_TRY(pelti_file_complete(file, err));
    int code = file->stream ? hand_to_pipe(file) : 0; // of a pipe alone it is open still
    if (code != 0)
        return end_failed(file, code, err);
    if (file->temporary && rename(file->temporary, file->path) != 0)
        return end_failed(file, errno, err);
    forget(file);
    return PELT_OK;
}

void pelti_file_abort(PeltiFile *file)
{
    if (file->stream)
        fclose(file->stream);
    int fd = file->path && is_pipe(file) ? open(file->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd >= 0)
        close(fd); // so a reader that waits sees the end
    if (file->temporary)
        unlink(file->temporary);
    forget(file);
}

PeltStatus pelti_file_save(const char *path, const void *data, size_t bytes, PeltError *err)
{
    PeltiFile file;
    PELT_TRY(pelti_file_begin(&file, path, err));
    PeltStatus status = pelti_file_write(&file, data, bytes, err);
    if (status != PELT_OK) {
        pelti_file_abort(&file);
        return status;
    }
    return pelti_file_commit(&file, err);
}

PeltStatus pelti_folder_make(const char *path, PeltError *err)
{
    char *part = strdup(path);
    if (!part)
        return PELT_FAIL(err, PELT_FAILED, "out of memory");
    PeltStatus status = PELT_OK;
    for (char *p = part + (*part != 0);; p++) {
        if (*p != '/' && *p != 0)
            continue;
        char kept = *p;
        *p = 0;
        struct stat about;
        if (mkdir(part, 0777) != 0 && !(stat(part, &about) == 0 && S_ISDIR(about.st_mode))) {
            status = PELT_FAIL(err, PELT_IO, "%s: cannot make the folder: %s", part, strerror(errno));
            break;
        }
        *p = kept;
        if (!kept)
            break;
    }
    free(part);
    return status;
}
