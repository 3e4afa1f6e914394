/// A batch as a job array of Slurm: written, submitted, watched; what is missing at its end is submitted again.
#define _GNU_SOURCE
#include "batch/batch.h"

#include "core/clock.h"
#include "core/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST_TASKS = 1000, MOST_ROUNDS = 4 };

/// One job array: entries of one stage.
typedef struct Array {
    int stage, tasks;
    char *script, *log;
    char id[64]; ///< "": not submitted
} Array;

static int left_to_do(const PeltiBatch *batch)
{
    int left = 0;
    for (int i = 0; i < pelti_batch_count(batch); i++)
        left += pelti_batch_entry(batch, i)->state != PELTI_BATCH_DONE;
    return left;
}

/// 'a path' as one word of a shell.
static void put_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
    }
    fputc('\'', to);
}

/// Each task is a shard: entries it finds done are skipped, so that a task that is requeued goes on where it was ended.
static PeltStatus write_script(const PeltiBatch *batch, const Array *array, PeltError *err)
{
    PeltiFile file;
    int threads = batch->def->threads > 0 ? batch->def->threads : 1;
    PELT_TRY(pelti_file_begin(&file, array->script, err));
    FILE *to = file.stream;
    fprintf(to, "#!/bin/bash\n#SBATCH --job-name=pelt-batch\n#SBATCH --array=0-%d\n#SBATCH --cpus-per-task=%d\n",
            array->tasks - 1, threads);
    fprintf(to, "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output=%s\nexec ", array->log);
    put_quoted(to, batch->program);
    fprintf(to, " batch ");
    put_quoted(to, batch->jobs);
    fprintf(to, " --manifest ");
    put_quoted(to, batch->manifest);
    if (batch->def->method) {
        fprintf(to, " -m ");
        put_quoted(to, batch->def->method);
    }
    if (batch->def->output) {
        fprintf(to, " -o ");
        put_quoted(to, batch->def->output);
    }
    if (batch->def->clip) {
        fprintf(to, " --clip ");
        put_quoted(to, batch->def->clip);
    }
    fprintf(to, " --stage %d --shard \"$SLURM_ARRAY_TASK_ID\"/%d --workers 1 --threads %d -q\n", array->stage, array->tasks,
            threads);
    return pelti_file_commit(&file, err);
}

/// First line that a command prints; false: it failed.
static bool ask(const char *command, char *line, size_t room)
{
    FILE *answer = popen(command, "re");
    *line = 0;
    if (!answer)
        return false;
    bool any = fgets(line, (int)room, answer) != NULL;
    char rest[256];
    while (fgets(rest, sizeof rest, answer))
        ;
    line[strcspn(line, "\n")] = 0;
    return pclose(answer) == 0 && any;
}

/// An array that has another to wait for starts when all tasks of that have ended, however they did: what they left undone it
/// does itself, or the next round does.
static PeltStatus submit(Array *array, const Array *after, PeltError *err)
{
    char command[4400], answer[256], wait[96] = "";
    if (strchr(array->script, '\''))
        return PELT_FAIL(err, PELT_UNSUPPORTED, "%s: sbatch is not given paths with a quote in them", array->script);
    if (!ask("command -v sbatch 2>/dev/null", answer, sizeof answer))
        return PELT_FAIL(err, PELT_UNSUPPORTED, "sbatch is not on the PATH: run this where Slurm is, or use --list");
    if (after && after->id[0])
        snprintf(wait, sizeof wait, "--dependency=afterany:%s ", after->id);
    snprintf(command, sizeof command, "sbatch --parsable %s'%s' 2>&1", wait, array->script);
    bool good = ask(command, answer, sizeof answer) && isdigit((unsigned char)answer[0]);
    snprintf(array->id, sizeof array->id, "%.*s", (int)strspn(answer, "0123456789"), answer);
    return good ? PELT_OK : PELT_FAIL(err, PELT_FAILED, "sbatch refused the job array: %s", answer);
}

/// Waits until no task of the array is queued or runs. A controller that does not answer is asked again.
static PeltStatus watch(PeltiBatch *batch, const Array *array, const Array *behind, PeltError *err)
{
    const char *id = array->id;
    int tasks = array->tasks;
    const PeltBatchDef *def = batch->def;
    char command[128], line[256], stage[64];
    int gone = 0;
    snprintf(command, sizeof command, "squeue -h -r -j %s -o %%T 2>/dev/null | wc -l", id);
    while (gone < 2) { // twice, since a task that is requeued is gone for a moment
        bool answered = ask(command, line, sizeof line);
        int waiting = answered ? atoi(line) : tasks;
        char up[256];
        answered = answered && ask("squeue -h 2>/dev/null | wc -l; scontrol ping 2>/dev/null | grep -q UP", up, sizeof up);
        gone = answered && waiting == 0 ? gone + 1 : 0;
        snprintf(stage, sizeof stage, "slurm job %s", id);
        if (def->progress &&
            def->progress(stage, 1 - (double)(waiting < tasks ? waiting : tasks) / tasks, def->progress_user) != 0) {
            snprintf(command, sizeof command, "scancel %s %s", behind ? behind->id : "", id);
            ask(command, line, sizeof line);
            return PELT_FAIL(err, PELT_FAILED, "stopped: job %s was cancelled; the same command goes on from here", id);
        }
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    }
    return PELT_OK;
}

static PeltStatus collect(PeltiBatch *batch, PeltError *err)
{
    PELT_TRY(pelti_manifest_read(batch, err));
    for (int i = 0; i < pelti_batch_count(batch); i++) {
        PeltiBatchEntry *entry = pelti_batch_entry(batch, i);
        bool whole = entry->join >= 0 && pelti_batch_entry(batch, entry->join)->state == PELTI_BATCH_DONE;
        if (entry->state != PELTI_BATCH_DONE && (whole || pelti_manifest_done(batch, entry)))
            entry->state = PELTI_BATCH_DONE;
    }
    return pelti_batch_join(batch, err);
}

static int count_tasks(const PeltiBatch *batch)
{
    int chunk = batch->def->chunk > 0 ? batch->def->chunk : 8, tasks = (pelti_batch_count(batch) + chunk - 1) / chunk;
    return tasks < MOST_TASKS ? tasks : MOST_TASKS;
}

/// Whether an entry of a stage is left.
static bool has_stage(const PeltiBatch *batch, int stage)
{
    for (int i = 0; i < pelti_batch_count(batch); i++) {
        const PeltiBatchEntry *entry = pelti_batch_entry(batch, i);
        if (entry->state != PELTI_BATCH_DONE && pelti_batch_stage(entry) == stage)
            return true;
    }
    return false;
}

/// An array for what waits for nothing, one behind it for what waits for parts (samples, then the fit).
static PeltStatus play_round(PeltiBatch *batch, PeltError *err)
{
    Array arrays[2] = {{.stage = 1}, {.stage = 2}};
    for (int a = 0; a < 2; a++) {
        Array *array = &arrays[a];
        if (!has_stage(batch, array->stage))
            continue;
        array->tasks = count_tasks(batch);
        array->script = pelti_batch_format(batch, "%s.slurm-%d.sh", batch->manifest, array->stage);
        array->log = pelti_batch_format(batch, "%s.slurm-%d-%%a.txt", batch->manifest, array->stage);
        if (!array->script || !array->log)
            return pelti_no_memory(err, 1);
        PELT_TRY(write_script(batch, array, err));
        PELT_TRY(submit(array, a == 1 ? &arrays[0] : NULL, err));
    }
    for (int a = 0; a < 2; a++)
        if (arrays[a].id[0])
            PELT_TRY(watch(batch, &arrays[a], a == 0 ? &arrays[1] : NULL, err));
    return PELT_OK;
}

PeltStatus pelti_batch_slurm(PeltiBatch *batch, PeltError *err)
{
    PELT_TRY(collect(batch, err));
    for (int round = 0; round < MOST_ROUNDS && left_to_do(batch); round++) {
        int left = left_to_do(batch);
        PELT_TRY(play_round(batch, err));
        PELT_TRY(collect(batch, err));
        if (left_to_do(batch) == left && round > 0)
            break; // nothing came of it twice: what is left fails by itself
    }
    for (int i = 0; i < pelti_batch_count(batch); i++) {
        PeltiBatchEntry *entry = pelti_batch_entry(batch, i);
        if (entry->state == PELTI_BATCH_DONE || entry->join >= 0)
            continue;
        entry->state = PELTI_BATCH_FAILED;
        entry->code = PELT_FAILED;
        snprintf(entry->words, sizeof entry->words, "not made by any task: see %.180s.slurm-*.txt", batch->manifest);
    }
    return PELT_OK;
}
