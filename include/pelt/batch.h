/// Many bakes (libpelt-tools): resumed, hashed, here or on a cluster. The command `pelt batch` is this.
#ifndef PELT_BATCH_H
#define PELT_BATCH_H

#include <pelt/base.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PeltBatchMode {
    PELT_BATCH_RUN,   ///< here, on all cores
    PELT_BATCH_LIST,  ///< one command a line through `print`, for whoever starts them
    PELT_BATCH_SLURM, ///< a job array, watched until it is done
    PELT_BATCH_STATE  ///< only says what is done and what is not
} PeltBatchMode;

typedef struct PeltBatchDef {
    const char *jobs;   ///< a jobs file (.json), a folder of characters, or a pattern ("shots/*.glb")
    const char *method; ///< for a folder or a pattern; NULL: the default
    const char
        *output;      ///< for these: where to, with {character}, {clip} and {method}; NULL: baked/{character}-{clip}-{method}.pc2
    const char *clip; ///< for these: name, index or "all"; NULL: the first
    const char *manifest; ///< NULL: the jobs' name with .manifest in place of .json
    PeltBatchMode mode;
    int shard, shards;   ///< only every shards-th entry, from the shard-th; shards 0: all
    int stage;           ///< 1: only what waits for nothing; 2: only what waits for parts (fits, for their samples); 0: all
    const char *only;    ///< only the entry with this key, as the list names it; NULL: all
    int workers;         ///< entries at once; 0: as many as cores / threads
    int threads;         ///< of each; 0: 1
    int chunk;           ///< entries a task of Slurm; 0: 8 (a task costs the cluster about a second, a small bake a tenth)
    bool verify;         ///< outputs are hashed again even where size and time say they are what they were
    double timeout_s;    ///< an entry that takes longer is ended and has failed; 0: none
    const char *program; ///< the command `pelt`; NULL: the running program
    void (*print)(const char *line, void *user); ///< lines of the list, and failures as they happen; may be NULL
    void *print_user;
    PeltProgress progress; ///< stage is "12 of 40, 3 min left"; may be NULL
    void *progress_user;
    uint32_t guard; ///< filled by pelt_batch_def_default
} PeltBatchDef;
/// Returns a description that runs everything, here, on all cores; `jobs` is still to be said. Any thread may call it, and it
/// costs nothing.
PELT_API PeltBatchDef pelt_batch_def_default(void);

typedef struct PeltBatchResult {
    int entries; ///< of this shard
    int skipped; ///< done before, and still what they were
    int made;
    int failed;
    int left; ///< not begun: cancelled, or only asked for
    double seconds;
} PeltBatchResult;

/// Runs what is not done yet. Entries run as children of this process; outputs appear whole or not at all, and each finished
/// entry is in the manifest before the next begins, so that whatever ends this process, the same call goes on from there. Any
/// thread may call it, but not two at once on one manifest. It takes as long as the bakes do (ten thousand done entries are
/// recognised in less than a second). `def` stays the caller's, and `result` may be NULL. It fails with PELT_BAD_ARGUMENT,
/// PELT_IO or PELT_BAD_INPUT where the jobs cannot be read or are not sound. An entry that fails does not stop the others;
/// PELT_FAILED is returned at the end, with how many did, or where there is no memory.
PELT_API PeltStatus pelt_batch(const PeltBatchDef *def, PeltBatchResult *result, PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
