/// Runs entries here: as many at once as there are cores and memory, each a child process.
#define _GNU_SOURCE // wait4, mkostemp
#include "batch/batch.h"

#include "core/clock.h"
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_WORKERS = 256, MOST_TRIES = 3 };

typedef struct Child {
    pid_t process; // 0: free
    int entry, tries;
    int words; // file that holds what it said
    double start_ms;
    bool late;
} Child;

typedef struct Pool {
    PeltiBatch *batch;
    Child children[MOST_WORKERS];
    int size, running;
    int next, stage; // entry to look at; those that wait for parts come when all others are done
    int total, done; // of this run
    long peak_kb;    // largest child so far
    double start_ms, told_ms;
    bool cancelled;
    int again[MOST_WORKERS], again_tries[MOST_WORKERS], again_count; // to try once more
    double again_ms;                                                 // not before
} Pool;

// ---- children ----

/// What is free for another child. One that has not been seen yet may be as large as the largest.
static bool has_room(const Pool *pool)
{
    const long usual_kb = 400000;
    char line[128];
    long free_kb = -1;
    FILE *file = pool->running ? fopen("/proc/meminfo", "r") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %ld", &free_kb) == 1)
            break;
    if (file)
        fclose(file);
    return free_kb < 0 || free_kb > 2 * (pool->peak_kb > usual_kb ? pool->peak_kb : usual_kb);
}

static PeltStatus make_folders(const PeltiBatchEntry *entry, PeltError *err)
{
    for (int k = 0; k < entry->output_count; k++) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%s", entry->outputs[k]);
        char *slash = strrchr(folder, '/');
        if (slash && slash != folder) {
            *slash = 0;
            PELT_TRY(pelti_folder_make(folder, err));
        }
    }
    return PELT_OK;
}

static void fail(PeltiBatchEntry *entry, int code, const char *words)
{
    entry->state = PELTI_BATCH_FAILED;
    entry->code = code;
    snprintf(entry->words, sizeof entry->words, "%.239s", words);
}

static bool spawn(Child *child, const PeltiBatch *batch, const PeltiBatchEntry *entry)
{
    const char *arguments[512];
    char threads[16];
    int count = 0;
    snprintf(threads, sizeof threads, "%d", batch->def->threads > 0 ? batch->def->threads : 1);
    arguments[count++] = "pelt";
    for (int i = 0; i < entry->argument_count && count < 500; i++)
        arguments[count++] = entry->arguments[i];
    arguments[count++] = "--threads";
    arguments[count++] = threads;
    arguments[count] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, child->words, 1);
    posix_spawn_file_actions_adddup2(&actions, child->words, 2);
    int failed = posix_spawn(&child->process, batch->program, &actions, NULL, (char **)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !failed;
}

/// The words go to a file without a name: a pipe nobody reads would stop a talkative child.
static int open_words(void)
{
    const char *folder = getenv("TMPDIR");
    char path[1024];
    if (snprintf(path, sizeof path, "%s/pelt-batch-XXXXXX", folder && *folder ? folder : "/tmp") >= (int)sizeof path)
        return -1;
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

static void start(Pool *pool, int index, int tries)
{
    PeltiBatchEntry *entry = pelti_batch_entry(pool->batch, index);
    PeltError err;
    if (make_folders(entry, &err) != PELT_OK) {
        fail(entry, PELT_IO, err.text);
        pool->done++;
        return;
    }
    for (int c = 0; c < pool->size; c++) {
        Child *child = &pool->children[c];
        if (child->process)
            continue;
        *child = (Child){.entry = index, .tries = tries + 1, .start_ms = pelti_clock_ms(), .words = open_words()};
        if (child->words >= 0 && spawn(child, pool->batch, entry)) {
            pool->running++;
            return;
        }
        if (child->words >= 0)
            close(child->words);
        *child = (Child){0};
        fail(entry, PELT_FAILED, "the command could not be started");
        pool->done++;
        return;
    }
}

/// The last line a child said that is no warning, or else the last.
static void read_words(int file, char *text, size_t room)
{
    char tail[4096];
    off_t end = lseek(file, 0, SEEK_END), from = end > (off_t)sizeof tail - 1 ? end - (off_t)sizeof tail + 1 : 0;
    ssize_t size = pread(file, tail, sizeof tail - 1, from);
    tail[size > 0 ? size : 0] = 0;
    *text = 0;
    for (char *line = strtok(tail, "\n"); line; line = strtok(NULL, "\n"))
        snprintf(text, room, "%s", line);
}

// ---- what became of them ----

static void tell(const Pool *pool, const PeltiBatchEntry *entry)
{
    char line[4600];
    if (!pool->batch->def->print)
        return;
    snprintf(line, sizeof line, "line %d: %s: exit %d: %s", entry->line, entry->outputs[0], entry->code, entry->words);
    pool->batch->def->print(line, pool->batch->def->print_user);
}

/// A full disk, a lost mount, a child that was killed: another try may do better. What the file itself is to blame for is final.
static bool may_pass(const PeltiBatchEntry *entry, int code)
{
    for (int i = 0; i < entry->input_count; i++)
        if (access(entry->inputs[i], R_OK) != 0)
            return false;
    return code == PELT_IO || code > 128;
}

static void finish(Pool *pool, Child *child, int status)
{
    PeltiBatchEntry *entry = pelti_batch_entry(pool->batch, child->entry);
    char words[240];
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    read_words(child->words, words, sizeof words);
    close(child->words);
    if (WIFSIGNALED(status) || child->late)
        snprintf(words, sizeof words, child->late ? "took longer than %.0f s" : "ended by signal %.0f",
                 child->late ? pool->batch->def->timeout_s : (double)WTERMSIG(status));
    int tries = child->tries, index = child->entry;
    bool late = child->late;
    *child = (Child){0};
    pool->running--;
    PeltError problem;
    if (code == 0 && pelti_manifest_add(pool->batch, entry, &problem) != PELT_OK) {
        code = PELT_IO; // the manifest's disk is full: made, but not known
        snprintf(words, sizeof words, "%.239s", problem.text);
    }
    if (code == 0) {
        entry->state = PELTI_BATCH_DONE;
        if (entry->fits)
            pelti_batch_remove_parts(pool->batch, entry);
    } else if (tries < MOST_TRIES && !late && !pool->cancelled && may_pass(entry, code) && pool->again_count < MOST_WORKERS) {
        pool->again[pool->again_count] = index;
        pool->again_tries[pool->again_count++] = tries;
        pool->again_ms = pelti_clock_ms() + 500;
        return;
    } else if (!pool->cancelled) {
        fail(entry, code, words);
        tell(pool, entry);
    }
    pool->done++;
}

/// Looks after the children: who ended, who takes too long. Others of the host's children are left alone.
static void look(Pool *pool)
{
    double now_ms = pelti_clock_ms(), limit_ms = pool->batch->def->timeout_s * 1000;
    for (int c = 0; c < pool->size; c++) {
        Child *child = &pool->children[c];
        struct rusage used;
        int status = 0;
        if (!child->process)
            continue;
        pid_t ended = wait4(child->process, &status, WNOHANG, &used);
        if (ended == child->process || (ended < 0 && errno == ECHILD)) {
            pool->peak_kb = ended > 0 && used.ru_maxrss > pool->peak_kb ? used.ru_maxrss : pool->peak_kb;
            finish(pool, child, status);
        } else if (limit_ms > 0 && !child->late && now_ms - child->start_ms > limit_ms) {
            child->late = true;
            kill(child->process, SIGKILL);
        }
    }
}

static void report(Pool *pool)
{
    const PeltBatchDef *def = pool->batch->def;
    double now_ms = pelti_clock_ms();
    char stage[96], left[40] = "";
    if (!def->progress || (now_ms - pool->told_ms < 100 && pool->done < pool->total))
        return;
    if (pool->done) {
        double seconds = (now_ms - pool->start_ms) / 1000 / pool->done * (pool->total - pool->done);
        snprintf(left, sizeof left, seconds < 100 ? ", %.0f s left" : ", %.0f min left", seconds < 100 ? seconds : seconds / 60);
    }
    snprintf(stage, sizeof stage, "%d of %d%s", pool->done, pool->total, left);
    pool->told_ms = now_ms;
    if (def->progress(stage, pool->total ? (double)pool->done / pool->total : 1, def->progress_user) != 0 && !pool->cancelled) {
        pool->cancelled = true;
        for (int c = 0; c < pool->size; c++)
            if (pool->children[c].process)
                kill(pool->children[c].process, SIGTERM);
    }
}

/// The next entry to start, -1: none now. Second tries come first, after a pause.
static int take_next(Pool *pool, int *tries)
{
    *tries = 0;
    if (pool->again_count && pelti_clock_ms() >= pool->again_ms) {
        *tries = pool->again_tries[--pool->again_count];
        return pool->again[pool->again_count];
    }
    while (pool->next < pelti_batch_count(pool->batch)) {
        const PeltiBatchEntry *entry = pelti_batch_entry(pool->batch, pool->next++);
        if (entry->state == PELTI_BATCH_TODO && !pelti_batch_is_join(entry) && pelti_batch_stage(entry) == pool->stage)
            return pool->next - 1;
    }
    if (pool->stage == 1 && !pool->running && !pool->again_count) {
        pool->stage = 2;
        pool->next = 0;
        return take_next(pool, tries);
    }
    return -1;
}

static int pool_size(const PeltBatchDef *def)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), threads = def->threads > 0 ? def->threads : 1;
    long size = def->workers > 0 ? def->workers : cores / threads;
    return (int)(size < 1 ? 1 : size > MOST_WORKERS ? MOST_WORKERS : size);
}

PeltStatus pelti_batch_run(PeltiBatch *batch, PeltError *err)
{
    Pool *pool = PELTI_NEW(&batch->pool, Pool, 1);
    if (!pool)
        return pelti_no_memory(err, sizeof *pool);
    *pool = (Pool){.batch = batch, .size = pool_size(batch->def), .stage = 1, .start_ms = pelti_clock_ms()};
    for (int i = 0; i < pelti_batch_count(batch); i++)
        pool->total +=
            pelti_batch_entry(batch, i)->state == PELTI_BATCH_TODO && !pelti_batch_is_join(pelti_batch_entry(batch, i));
    while (pool->done < pool->total) {
        int tries = 0;
        while (!pool->cancelled && pool->running < pool->size && has_room(pool)) {
            int entry = take_next(pool, &tries);
            if (entry < 0)
                break;
            start(pool, entry, tries);
        }
        look(pool);
        report(pool);
        if (pool->cancelled && !pool->running)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    report(pool);
    return pool->cancelled ? PELT_FAIL(err, PELT_FAILED, "stopped: the same command goes on from here") : PELT_OK;
}
