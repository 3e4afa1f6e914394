/// Scratch on disk, read and written at an offset.
#include "io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

PeltStatus pelti_spool_open(const char *path, PeltiSpool *out, PeltError *err)
{
    struct stat about;
    // beside a device (/dev/null) there is no room for scratch
    const char *beside = stat(path, &about) == 0 && !S_ISREG(about.st_mode) ? "/tmp/" : path;
    const char *slash = strrchr(beside, '/');
    int folder = slash ? (int)(slash - beside) + 1 : 0;
    char name[4096];
    int length = snprintf(name, sizeof name, "%.*s.pelt-XXXXXX", folder, beside);
    out->descriptor = -1;
    if (length < 0 || (size_t)length >= sizeof name)
        return PELT_FAIL(err, PELT_IO, "%s: the file name is too long", path);
    out->descriptor = mkstemp(name);
    if (out->descriptor < 0)
        return PELT_FAIL(err, PELT_IO, "%s: cannot write beside it: %s", path, strerror(errno));
    unlink(name);
    return PELT_OK;
}

PeltStatus pelti_spool_named(const char *path, PeltiSpool *out, uint64_t *bytes, PeltError *err)
{
    struct stat about;
    out->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (out->descriptor < 0 || fstat(out->descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
        pelti_spool_close(out);
        return PELT_FAIL(err, PELT_IO, "%s: cannot keep work there: %s", path, errno ? strerror(errno) : "not a regular file");
    }
    *bytes = (uint64_t)about.st_size;
    return PELT_OK;
}

PeltStatus pelti_spool_write(const PeltiSpool *spool, uint64_t offset, const void *data, size_t bytes, PeltError *err)
{
    const char *p = data;
    while (bytes > 0) {
        ssize_t n = pwrite(spool->descriptor, p, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return PELT_FAIL(err, PELT_IO,
                             "cannot write temporary data beside the output: %s; free some space or write to another disk",
                             strerror(n < 0 ? errno : ENOSPC));
        p += n;
        offset += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return PELT_OK;
}

PeltStatus pelti_spool_read(const PeltiSpool *spool, uint64_t offset, void *data, size_t bytes, PeltError *err)
{
    char *p = data;
    while (bytes > 0) {
        ssize_t n = pread(spool->descriptor, p, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return PELT_FAIL(err, PELT_IO, "cannot read: %s", strerror(errno));
        if (n == 0)
            return PELT_FAIL(err, PELT_BAD_INPUT, "the file ends early, at byte %llu", (unsigned long long)offset);
        p += n;
        offset += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return PELT_OK;
}

void pelti_spool_close(PeltiSpool *spool)
{
    if (spool->descriptor >= 0)
        close(spool->descriptor);
    spool->descriptor = -1;
}

PeltStatus pelti_source_open(const char *path, PeltiSource *out, PeltError *err)
{
    *out = (PeltiSource){.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)}; // a pipe must not hang the open
    struct stat about;
    if (out->descriptor < 0 || fstat(out->descriptor, &about) != 0) {
        PeltStatus status = PELT_FAIL(err, PELT_IO, "%s: cannot read: %s", path, strerror(errno));
        pelti_source_close(out);
        return status;
    }
    if (!S_ISREG(about.st_mode)) {
        pelti_source_close(out);
        return PELT_FAIL(err, PELT_IO, "%s: cannot read: not a regular file", path);
    }
    out->bytes = (uint64_t)about.st_size;
    return PELT_OK;
}

PeltStatus pelti_source_read(const PeltiSource *source, uint64_t offset, void *data, size_t bytes, PeltError *err)
{
    PeltiSpool spool = {source->descriptor};
    return pelti_spool_read(&spool, offset, data, bytes, err);
}

void pelti_source_close(PeltiSource *source)
{
    if (source->descriptor >= 0)
        close(source->descriptor);
    source->descriptor = -1;
}
