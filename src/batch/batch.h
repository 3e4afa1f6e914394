/// A batch: many bakes, each a run of `pelt bake`, with a manifest of what was made from what. What jobs.c reads, run.c does.
#ifndef PELTI_BATCH_BATCH_H
#define PELTI_BATCH_BATCH_H

#include "core/file.h"
#include "core/memory.h"

#include <pelt/batch.h>

#include <stdint.h>

/// 128 bits of a file or of all that an entry depends on (XXH3): enough to tell any two apart, not to stop a forger.
typedef struct PeltiFingerprint {
    uint64_t high, low;
} PeltiFingerprint;

/// A file as it was when it was last hashed. Size, time and inode unchanged: so are the bytes.
typedef struct PeltiBatchFile {
    const char *path;
    int64_t size, mtime_ns, inode; ///< size -1: there is none
    PeltiFingerprint hash;
} PeltiBatchFile;

typedef enum PeltiBatchState { PELTI_BATCH_TODO, PELTI_BATCH_DONE, PELTI_BATCH_FAILED, PELTI_BATCH_ELSEWHERE } PeltiBatchState;

/// One run of the command: one clip of one character by one method, or some of its frames; or the joining of such parts.
typedef struct PeltiBatchEntry {
    int line;               ///< in the jobs file; 0: a folder or a pattern
    const char **arguments; ///< of `pelt bake`, outputs included, NULL at the end
    int argument_count;
    const char *inputs[3]; ///< character, rig, scene
    int input_count;
    const char **outputs; ///< what appears: caches and the report
    int output_count;
    int parts_first, parts_count; ///< entries that come before this one: caches that it joins, or samples that it fits
    bool fits;                    ///< it is run after its parts; else they are joined here
    int join;                     ///< the entry that this one is a part of; -1: none
    PeltiFingerprint key;
    PeltiBatchState state;
    int code;        ///< exit code of a failure, 128 + signal where one ended it
    char words[240]; ///< its last line
} PeltiBatchEntry;

/// What is remembered of an entry that was done: its key, and the files it left.
typedef struct PeltiBatchRecord {
    PeltiFingerprint key;
    PeltiBatchFile *outputs;
    int output_count;
} PeltiBatchRecord;

typedef struct PeltiBatch {
    const PeltBatchDef *def;
    PeltiPool pool;
    char *jobs;                  ///< absolute path of the jobs file, folder or pattern
    char *folder;                ///< that its paths are relative to
    char *manifest;              ///< path
    char *own;                   ///< path this run appends to: the manifest, or a part of it
    PeltiArray entries;          ///< of PeltiBatchEntry
    PeltiArray files;            ///< of PeltiBatchFile, sorted by path once read: what was hashed before
    PeltiArray records;          ///< of PeltiBatchRecord, sorted by key once read
    PeltiBatchFile recent[1024]; ///< hashed in this run, by path: many entries read one character
    PeltiFile merging;           ///< the manifest that parts are written into
    int part_count;              ///< of the manifest
    char program[4096];          ///< the command to run
} PeltiBatch;

static inline PeltiBatchEntry *pelti_batch_entry(const PeltiBatch *batch, int i)
{
    return &((PeltiBatchEntry *)(void *)batch->entries.data)[i];
}
/// 1: as soon as there is room; 2: after its parts, which are of stage 1.
static inline int pelti_batch_stage(const PeltiBatchEntry *entry)
{
    return entry->fits ? 2 : 1;
}
/// Joined by this process, not run.
static inline bool pelti_batch_is_join(const PeltiBatchEntry *entry)
{
    return entry->parts_count > 0 && !entry->fits;
}
static inline int pelti_batch_count(const PeltiBatch *batch)
{
    return (int)batch->entries.count;
}

// jobs.c
PeltStatus pelti_batch_read(PeltiBatch *batch, PeltError *err); ///< fills `entries`
// entry.c
/// One job of the file, defaults filled in; texts live in the pool.
typedef struct PeltiBatchJob {
    int line;
    const char *method, *output, *report, *frames, *rig, *scene; ///< NULL: not given
    const char **settings;                                       ///< "key=value"
    int setting_count;
    double fps;             ///< 0: not given
    int range;              ///< frames a part; 0: whole clips
    bool distil;            ///< an engine-ready file in place of a cache
    const char **distilled; ///< its options, "--poses", "500", ...
    int distilled_count;
    int parts; ///< that its samples are made in; 0: one run does all
} PeltiBatchJob;
PeltStatus pelti_batch_add(PeltiBatch *batch, const PeltiBatchJob *job, const char *character, const char *clip, int frames,
                           PeltError *err);
PeltStatus pelti_batch_add_distil(PeltiBatch *batch, const PeltiBatchJob *job, const char *character, PeltError *err);
char *pelti_batch_path(PeltiBatch *batch, const char *path); ///< absolute, from the jobs' folder
char *pelti_batch_format(PeltiBatch *batch, const char *format, ...) PELT_PRINTF(2, 3);
// fingerprint.c
PeltiFingerprint pelti_fingerprint_bytes(PeltiFingerprint seed, const void *bytes, size_t size);
PeltStatus pelti_fingerprint_file(PeltiBatch *batch, const char *path, PeltiBatchFile *out, PeltError *err);
PeltStatus pelti_fingerprint_entry(PeltiBatch *batch, PeltiBatchEntry *entry, PeltError *err); ///< sets its key
void pelti_fingerprint_text(PeltiFingerprint hash, char text[33]);
// manifest.c
PeltStatus pelti_manifest_read(PeltiBatch *batch, PeltError *err);
PeltStatus pelti_manifest_add(PeltiBatch *batch, const PeltiBatchEntry *entry, PeltError *err);
bool pelti_manifest_done(PeltiBatch *batch, const PeltiBatchEntry *entry); ///< its record's files are there, unharmed
PeltStatus pelti_manifest_merge(PeltiBatch *batch, PeltError *err);        ///< parts into one
// run.c
PeltStatus pelti_batch_run(PeltiBatch *batch, PeltError *err); ///< every entry that is to do; failures are kept, not returned
// join.c
PeltStatus pelti_batch_join(PeltiBatch *batch, PeltError *err);                       ///< where all parts are there
void pelti_batch_remove_parts(const PeltiBatch *batch, const PeltiBatchEntry *entry); ///< of an entry that is done
// slurm.c
PeltStatus pelti_batch_slurm(PeltiBatch *batch, PeltError *err);

#endif
