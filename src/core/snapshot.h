/// State as bytes: an object names what it carries from step to step once, and is measured, saved and restored by the same
/// walk. Pointers are never among them: what is saved by one process is restored by another that prepared the same.
#ifndef PELTI_CORE_SNAPSHOT_H
#define PELTI_CORE_SNAPSHOT_H

#include <stddef.h>
#include <string.h>

typedef enum PeltiSnapshotMode { PELTI_SNAPSHOT_MEASURE, PELTI_SNAPSHOT_SAVE, PELTI_SNAPSHOT_RESTORE } PeltiSnapshotMode;
typedef struct PeltiSnapshot {
    PeltiSnapshotMode mode;
    char *bytes; ///< NULL while measuring
    size_t used;
} PeltiSnapshot;

static inline void pelti_snapshot(PeltiSnapshot *snapshot, void *data, size_t bytes)
{
    char *place = snapshot->bytes ? snapshot->bytes + snapshot->used : NULL;
    if (snapshot->mode == PELTI_SNAPSHOT_SAVE && bytes)
        memcpy(place, data, bytes);
    else if (snapshot->mode == PELTI_SNAPSHOT_RESTORE && bytes)
        memcpy(data, place, bytes);
    snapshot->used += bytes;
}
/// `count` elements of the array `array`.
#define PELTI_KEEP(snapshot, array, count) pelti_snapshot((snapshot), (array), (size_t)(count) * sizeof *(array))

#endif
