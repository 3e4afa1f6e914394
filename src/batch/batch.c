/// `pelt_batch`: reads the jobs, finds what is done, and has the rest done here or elsewhere.
#include "batch/batch.h"

#include "core/clock.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint32_t GUARD = 0x62617463;

PeltBatchDef pelt_batch_def_default(void)
{
    return (PeltBatchDef){.threads = 1, .guard = GUARD};
}

static PeltStatus check(const PeltBatchDef *def, PeltError *err)
{
    if (!def || def->guard != GUARD)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "a PeltBatchDef comes from pelt_batch_def_default()");
    if (!def->jobs || !*def->jobs)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "which jobs?");
    if (def->shards < 0 || def->shards > 1000000 || (def->shards && (def->shard < 0 || def->shard >= def->shards)))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "--shard wants I/N with 0 <= I < N");
    if (def->stage < 0 || def->stage > 2)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "--stage is 1 (what waits for nothing) or 2 (what waits for parts), not %d",
                         def->stage);
    if (def->mode == PELT_BATCH_SLURM && (def->shards || def->only || def->stage))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "--slurm makes its own shards");
    return PELT_OK;
}

/// Absolute names: tasks elsewhere start in other folders.
static PeltStatus find_paths(PeltiBatch *batch, PeltError *err)
{
    const PeltBatchDef *def = batch->def;
    char here[PATH_MAX], folder[PATH_MAX];
    if (!getcwd(here, sizeof here))
        return PELT_FAIL(err, PELT_IO, "the present folder is gone");
    batch->folder = here; // until the jobs' own is known
    batch->jobs = pelti_batch_path(batch, def->jobs);
    const char *dot = batch->jobs ? strrchr(batch->jobs, '.') : NULL;
    bool file = dot && !strcmp(dot, ".json");
    if (batch->jobs && file) {
        snprintf(folder, sizeof folder, "%s", batch->jobs);
        batch->manifest = def->manifest ? pelti_batch_path(batch, def->manifest)
                                        : pelti_batch_format(batch, "%.*s.manifest", (int)(dot - batch->jobs), batch->jobs);
        batch->folder = pelti_pool_text(&batch->pool, dirname(folder));
    } else {
        batch->manifest = pelti_batch_path(batch, def->manifest ? def->manifest : "pelt-batch.manifest");
        batch->folder = pelti_pool_text(&batch->pool, here);
    }
    batch->own = !def->shards && !def->only ? batch->manifest
                 : def->only                ? pelti_batch_format(batch, "%s.part-%.32s", batch->manifest, def->only)
                             : pelti_batch_format(batch, "%s.part-%d-%d", batch->manifest, def->shard, def->shards);
    ssize_t length = def->program ? snprintf(batch->program, sizeof batch->program, "%s", def->program)
                                  : readlink("/proc/self/exe", batch->program, sizeof batch->program - 1);
    batch->program[length > 0 && length < (ssize_t)sizeof batch->program ? length : 0] = 0;
    return batch->pool.failed ? pelti_no_memory(err, PATH_MAX) : PELT_OK;
}

static bool is_mine(const PeltiBatch *batch, int i)
{
    const PeltBatchDef *def = batch->def;
    char key[33];
    pelti_fingerprint_text(pelti_batch_entry(batch, i)->key, key);
    if (def->stage && pelti_batch_stage(pelti_batch_entry(batch, i)) != def->stage)
        return false;
    return def->only ? !strcmp(key, def->only) : !def->shards || i % def->shards == def->shard;
}

/// Keys, and what is done already. An entry whose input cannot be read fails by itself; parts of what is done are done.
static PeltStatus sort_out(PeltiBatch *batch, PeltBatchResult *result, PeltError *err)
{
    PELT_TRY(pelti_manifest_read(batch, err));
    for (int i = 0; i < pelti_batch_count(batch); i++) {
        PeltiBatchEntry *entry = pelti_batch_entry(batch, i);
        PeltError problem;
        PeltStatus status = pelti_fingerprint_entry(batch, entry, &problem);
        if (status != PELT_OK) {
            entry->state = PELTI_BATCH_FAILED;
            entry->code = (int)status;
            snprintf(entry->words, sizeof entry->words, "%.239s", problem.text);
        } else if (entry->join >= 0 && pelti_batch_entry(batch, entry->join)->state == PELTI_BATCH_DONE) {
            entry->state = PELTI_BATCH_DONE;
        } else if (pelti_manifest_done(batch, entry)) {
            entry->state = PELTI_BATCH_DONE;
        }
        if (!is_mine(batch, i) && entry->state != PELTI_BATCH_DONE)
            entry->state = PELTI_BATCH_ELSEWHERE;
        if (is_mine(batch, i)) {
            result->entries++;
            result->skipped += entry->state == PELTI_BATCH_DONE;
        }
    }
    if (batch->def->only && !result->entries)
        return PELT_FAIL(err, PELT_BAD_INPUT, "no entry has the key %s any more: an input, an option or the build has changed",
                         batch->def->only);
    return PELT_OK;
}

static void print_list(const PeltiBatch *batch)
{
    for (int i = 0; i < pelti_batch_count(batch) && batch->def->print; i++) {
        const PeltiBatchEntry *entry = pelti_batch_entry(batch, i);
        char key[33], line[16384];
        if (entry->state != PELTI_BATCH_TODO || pelti_batch_is_join(entry))
            continue;
        pelti_fingerprint_text(entry->key, key);
        int used = snprintf(line, sizeof line, "'%s' batch '%s' --manifest '%s'", batch->program, batch->jobs, batch->manifest);
        const char *more[3][2] = {{"-m", batch->def->method}, {"-o", batch->def->output}, {"--clip", batch->def->clip}};
        for (int k = 0; k < 3; k++)
            if (more[k][1])
                used += snprintf(line + used, sizeof line - (size_t)used, " %s '%s'", more[k][0], more[k][1]);
        snprintf(line + used, sizeof line - (size_t)used, " --only %s --threads %d -q", key, batch->def->threads);
        batch->def->print(line, batch->def->print_user);
    }
}

static void count(const PeltiBatch *batch, PeltBatchResult *result)
{
    for (int i = 0; i < pelti_batch_count(batch); i++) {
        const PeltiBatchEntry *entry = pelti_batch_entry(batch, i);
        if (!is_mine(batch, i))
            continue;
        result->made += entry->state == PELTI_BATCH_DONE;
        result->failed += entry->state == PELTI_BATCH_FAILED;
        result->left += entry->state == PELTI_BATCH_TODO && !pelti_batch_is_join(entry);
    }
    result->made -= result->skipped;
}

/// At the end each failure once more, with its line of the jobs file and its exit code.
static PeltStatus sum_up(const PeltiBatch *batch, const PeltBatchResult *result, PeltError *err)
{
    int told = 0;
    for (int i = 0; i < pelti_batch_count(batch) && batch->def->print; i++) {
        const PeltiBatchEntry *entry = pelti_batch_entry(batch, i);
        char line[4800];
        if (entry->state != PELTI_BATCH_FAILED)
            continue;
        if (!told++)
            batch->def->print("failed:", batch->def->print_user);
        snprintf(line, sizeof line, "  line %d: %s: exit %d: %s", entry->line, entry->outputs[0], entry->code, entry->words);
        batch->def->print(line, batch->def->print_user);
    }
    if (!result->failed)
        return PELT_OK;
    return PELT_FAIL(err, PELT_FAILED, "%d of %d entries failed; the others are done", result->failed, result->entries);
}

static PeltStatus work(PeltiBatch *batch, PeltBatchResult *result, PeltError *err)
{
    const PeltBatchDef *def = batch->def;
    PELT_TRY(find_paths(batch, err));
    PELT_TRY(pelti_batch_read(batch, err));
    PELT_TRY(sort_out(batch, result, err));
    PeltStatus status = PELT_OK;
    if (def->mode == PELT_BATCH_LIST)
        print_list(batch);
    else if (def->mode == PELT_BATCH_SLURM)
        status = pelti_batch_slurm(batch, err);
    else if (def->mode == PELT_BATCH_RUN)
        status = pelti_batch_run(batch, err);
    if (status == PELT_OK && (def->mode == PELT_BATCH_RUN || def->mode == PELT_BATCH_SLURM)) {
        PELT_TRY(pelti_batch_join(batch, err));
        if (!def->shards && !def->only)
            PELT_TRY(pelti_manifest_merge(batch, err));
    }
    count(batch, result);
    if (status != PELT_OK)
        return status;
    return def->mode == PELT_BATCH_RUN || def->mode == PELT_BATCH_SLURM ? sum_up(batch, result, err) : PELT_OK;
}

PeltStatus pelt_batch(const PeltBatchDef *def, PeltBatchResult *result, PeltError *err)
{
    PeltBatchResult unused, *out = result ? result : &unused;
    PeltError story;
    err = err ? err : &story;
    *out = (PeltBatchResult){0};
    PELT_TRY(check(def, err));
    PeltiBatch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return pelti_no_memory(err, sizeof *batch);
    double start_ms = pelti_clock_ms();
    batch->def = def;
    pelti_pool_init(&batch->pool, NULL);
    pelti_array_init(&batch->entries, NULL, sizeof(PeltiBatchEntry));
    pelti_array_init(&batch->files, NULL, sizeof(PeltiBatchFile));
    pelti_array_init(&batch->records, NULL, sizeof(PeltiBatchRecord));
    PeltStatus status = work(batch, out, err);
    out->seconds = (pelti_clock_ms() - start_ms) / 1000;
    pelti_array_release(&batch->entries);
    pelti_array_release(&batch->files);
    pelti_array_release(&batch->records);
    pelti_pool_release(&batch->pool);
    free(batch);
    return status;
}
