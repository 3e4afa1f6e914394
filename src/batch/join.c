/// Point caches baked in parts become one: the bytes that a single bake would have written.
#include "batch/batch.h"

#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/// .pc2: "POINTCACHE2\0", version, points, first frame, frames a sample, samples; then the samples.
typedef struct Pc2Header {
    char name[12];
    int32_t version, points;
    float first, rate;
    int32_t samples;
} Pc2Header;

static PeltStatus copy_part(PeltiFile *to, const char *path, Pc2Header *sum, PeltError *err)
{
    char block[1 << 16];
    Pc2Header header;
    FILE *file = fopen(path, "rb");
    if (!file)
        return PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
    bool good = fread(&header, sizeof header, 1, file) == 1 && !memcmp(header.name, "POINTCACHE2", 12) && header.samples > 0 &&
                (sum->samples == 0 || header.points == sum->points);
    PeltStatus status = good ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "%s is no part of this cache", path);
    if (good && sum->samples == 0) {
        *sum = header;
        sum->samples = 0;
        status = pelti_file_write(to, &header, sizeof header, err);
    }
    if (good)
        sum->samples += header.samples;
    for (size_t size; status == PELT_OK && (size = fread(block, 1, sizeof block, file)) > 0;)
        status = pelti_file_write(to, block, size, err);
    fclose(file);
    return status;
}

static PeltStatus join(const PeltiBatch *batch, const PeltiBatchEntry *entry, PeltError *err)
{
    PeltiFile file;
    Pc2Header sum = {.samples = 0};
    PELT_TRY(pelti_file_begin(&file, entry->outputs[0], err));
    PeltStatus status = PELT_OK;
    for (int i = 0; status == PELT_OK && i < entry->parts_count; i++)
        status = copy_part(&file, pelti_batch_entry(batch, entry->parts_first + i)->outputs[0], &sum, err);
    status = status == PELT_OK ? pelti_file_patch(&file, 0, &sum, sizeof sum, err) : status;
    if (status == PELT_OK)
        return pelti_file_commit(&file, err);
    pelti_file_abort(&file);
    return status;
}

static bool parts_are_there(PeltiBatch *batch, const PeltiBatchEntry *entry)
{
    for (int i = 0; i < entry->parts_count; i++) {
        const PeltiBatchEntry *part = pelti_batch_entry(batch, entry->parts_first + i);
        if (part->state != PELTI_BATCH_DONE && !pelti_manifest_done(batch, part))
            return false;
    }
    return true;
}

void pelti_batch_remove_parts(const PeltiBatch *batch, const PeltiBatchEntry *entry)
{
    for (int i = 0; i < entry->parts_count; i++) {
        const char *path = pelti_batch_entry(batch, entry->parts_first + i)->outputs[0], *end = strstr(path, ".samples.part-");
        char all[4096];
        unlink(path);
        if (entry->fits && end && snprintf(all, sizeof all, "%.*s.samples", (int)(end - path), path) < (int)sizeof all)
            unlink(all);
    }
}

/// Under a lock beside the manifest: of several shards that finish at once one joins, and the others find it done.
PeltStatus pelti_batch_join(PeltiBatch *batch, PeltError *err)
{
    bool any = false;
    for (int i = 0; i < pelti_batch_count(batch) && !any; i++)
        any = pelti_batch_is_join(pelti_batch_entry(batch, i)) && pelti_batch_entry(batch, i)->state != PELTI_BATCH_DONE;
    if (!any)
        return PELT_OK;
    const char *path = pelti_batch_format(batch, "%s.lock", batch->manifest);
    int lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (lock < 0)
        return PELT_FAIL(err, PELT_IO, "%s: %s", path ? path : "lock", strerror(errno));
    flock(lock, LOCK_EX);
    PeltStatus status = pelti_manifest_read(batch, err);
    for (int i = 0; status == PELT_OK && i < pelti_batch_count(batch); i++) {
        PeltiBatchEntry *entry = pelti_batch_entry(batch, i);
        if (!pelti_batch_is_join(entry) || entry->state == PELTI_BATCH_DONE)
            continue;
        bool done = pelti_manifest_done(batch, entry);
        if (!done && parts_are_there(batch, entry)) {
            status = join(batch, entry, err);
            status = status == PELT_OK ? pelti_manifest_add(batch, entry, err) : status;
            done = status == PELT_OK;
        }
        if (done) {
            entry->state = PELTI_BATCH_DONE;
            pelti_batch_remove_parts(batch, entry);
        }
    }
    unlink(path);
    close(lock);
    return status;
}
