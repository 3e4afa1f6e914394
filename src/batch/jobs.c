/// The jobs of a batch: a JSON file (docs/schema/batch.schema.json), a folder, or a pattern of file names.
#include "batch/batch.h"

#include "core/text.h"
#include "io/json.h"

#include <pelt/character.h>
#include <pelt/skin.h>

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char DEFAULT_OUTPUT[] = "baked/{character}-{clip}-{method}.pc2";
static const char *const KEYS[] = {"character", "clip", "method", "output", "report", "frames", "rig",
                                   "scene",     "set",  "fps",    "range",  "distil", NULL};

/// What a job says, or else what the defaults say.
typedef struct Said {
    PeltiBatch *batch;
    PeltiJsonAt job, defaults;
    int line;
} Said;

static PeltiJsonAt find(const Said *said, const char *key)
{
    PeltiJsonAt at = pelti_json_member(&said->job, key);
    return at.value ? at : pelti_json_member(&said->defaults, key);
}

/// A text or a list of texts.
typedef struct TextList {
    const char **items;
    int count;
} TextList;

static PeltStatus read_list(const Said *said, const char *key, TextList *out, PeltError *err)
{
    PeltiJsonAt at = find(said, key);
    *out = (TextList){0};
    if (!at.value)
        return PELT_OK;
    int count = 0;
    bool single = pelti_json_text_of(at.value) != NULL;
    if (!single)
        PELT_TRY(pelti_json_array(&at, PELTI_REQUIRED, &count, err));
    out->items = PELTI_NEW(&said->batch->pool, const char *, single ? 1 : count);
    if (said->batch->pool.failed)
        return pelti_no_memory(err, sizeof(char *) * (size_t)count);
    for (int i = 0; i < (single ? 1 : count); i++) {
        PeltiJsonAt item = single ? at : pelti_json_item(&at, i);
        const char *text = NULL;
        PELT_TRY(pelti_json_string(&item, PELTI_REQUIRED, &text, err));
        out->items[out->count++] = pelti_pool_text(&said->batch->pool, text);
    }
    return PELT_OK;
}

static PeltStatus read_text(const Said *said, const char *key, const char **out, PeltError *err)
{
    PeltiJsonAt at = find(said, key);
    const char *text = NULL;
    PELT_TRY(pelti_json_string(&at, PELTI_OPTIONAL, &text, err));
    if (text)
        *out = pelti_pool_text(&said->batch->pool, text);
    return PELT_OK;
}

/// What an option is set to, as the command line has it: a string itself, of all else the JSON. Lives in the pool.
static PeltStatus take_value(Said *said, const PeltiJsonAt *member, const char **out, PeltError *err)
{
    if (!member->value)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s is no value an option can have", PELTI_JSON_PATH(member));
    PeltiArray text;
    pelti_array_init(&text, NULL, 1);
    const char *own = pelti_json_text_of(member->value);
    bool ok = own || pelti_json_print(member->value, false, &text);
    *out = ok ? pelti_pool_text(&said->batch->pool, own ? own : text.data) : NULL;
    pelti_array_release(&text);
    return *out ? PELT_OK : pelti_no_memory(err, 1);
}

static PeltStatus add_setting(const PeltiJsonAt *member, void *user, PeltError *err)
{
    Said *said = ((void **)user)[0];
    PeltiBatchJob *job = ((void **)user)[1];
    const char *text;
    PELT_TRY(take_value(said, member, &text, err));
    job->settings[job->setting_count++] = pelti_batch_format(said->batch, "%s=%s", member->key, text);
    return PELT_OK;
}

static PeltStatus count_member(const PeltiJsonAt *member, void *user, PeltError *err)
{
    (void)member;
    (void)err;
    ++*(int *)user;
    return PELT_OK;
}

static PeltStatus read_settings(Said *said, PeltiBatchJob *job, PeltError *err)
{
    PeltiJsonAt at = find(said, "set");
    int count = 0;
    void *both[2] = {said, job};
    if (!at.value)
        return PELT_OK;
    PELT_TRY(pelti_json_object(&at, PELTI_REQUIRED, err));
    PELT_TRY(pelti_json_each(&at, count_member, &count, err));
    job->settings = PELTI_NEW(&said->batch->pool, const char *, count);
    return said->batch->pool.failed ? pelti_no_memory(err, sizeof(char *)) : pelti_json_each(&at, add_setting, both, err);
}

/// Options of `pelt distil`, by their names there.
static const char *const DISTIL_KEYS[] = {"poses",       "held-out", "seed",  "unseen", "weights", "helpers",
                                          "correctives", "error",    "bytes", "parts",  NULL};

static const char *key_at(const void *list, int index)
{
    return ((const char *const *)list)[index];
}

static PeltStatus check_among(const PeltiJsonAt *member, const char *const *keys, PeltError *err)
{
    for (int i = 0; keys[i]; i++)
        if (!strcmp(keys[i], member->key))
            return PELT_OK;
    const char *near = pelti_text_nearest(member->key, key_at, keys);
    return PELT_FAIL(err, PELT_BAD_INPUT, "%s: a job has no such key%s%s%s", PELTI_JSON_PATH(member),
                     near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static PeltStatus check_key(const PeltiJsonAt *member, void *user, PeltError *err)
{
    (void)user;
    return check_among(member, KEYS, err);
}

static PeltStatus add_distil_option(const PeltiJsonAt *member, void *user, PeltError *err)
{
    Said *said = ((void **)user)[0];
    PeltiBatchJob *job = ((void **)user)[1];
    const char *text;
    PELT_TRY(check_among(member, DISTIL_KEYS, err));
    if (!strcmp(member->key, "parts")) {
        int64_t parts = 0;
        PELT_TRY(pelti_json_int(member, PELTI_REQUIRED, 1, 10000, &parts, err));
        job->parts = (int)parts;
        return PELT_OK;
    }
    PELT_TRY(take_value(said, member, &text, err));
    job->distilled[job->distilled_count++] = pelti_batch_format(said->batch, "--%s", member->key);
    job->distilled[job->distilled_count++] = text;
    return PELT_OK;
}

static PeltStatus read_distil(Said *said, PeltiBatchJob *job, PeltError *err)
{
    PeltiJsonAt at = find(said, "distil");
    void *both[2] = {said, job};
    if (!at.value)
        return PELT_OK;
    PELT_TRY(pelti_json_object(&at, PELTI_REQUIRED, err));
    job->distil = true;
    job->distilled = PELTI_NEW(&said->batch->pool, const char *, 2 * (sizeof DISTIL_KEYS / sizeof *DISTIL_KEYS));
    return said->batch->pool.failed ? pelti_no_memory(err, sizeof(char *)) : pelti_json_each(&at, add_distil_option, both, err);
}

// ---- characters and clips ----

/// Every file a pattern names, sorted; a pattern without a match, or a file that is not there, is an error.
static PeltStatus each_file(PeltiBatch *batch, const char *pattern,
                            PeltStatus (*visit)(const char *path, void *user, PeltError *), void *user, PeltError *err)
{
    glob_t found = {0};
    const char *absolute = pelti_batch_path(batch, pattern);
    if (!absolute)
        return pelti_no_memory(err, 1);
    if (!strpbrk(pattern, "*?["))
        return visit(absolute, user, err);
    int failed = glob(absolute, 0, NULL, &found);
    PeltStatus status = failed ? PELT_FAIL(err, PELT_IO, "no file is named like %s", absolute) : PELT_OK;
    for (size_t i = 0; status == PELT_OK && i < found.gl_pathc; i++)
        status = visit(pelti_pool_text(&batch->pool, found.gl_pathv[i]), user, err);
    globfree(&found);
    return status;
}

typedef struct JobSpread {
    PeltiBatch *batch;
    PeltiBatchJob job;
    TextList clips, methods;
} JobSpread;

/// A character is opened only where its clips or their lengths must be known.
static bool must_open(const JobSpread *work)
{
    bool all = false;
    for (int i = 0; i < work->clips.count; i++)
        all = all || !strcmp(work->clips.items[i], "all");
    return all || work->job.range > 0;
}

static PeltStatus add_clip(JobSpread *work, const PeltCharacter *who, const char *path, const char *clip, PeltError *err)
{
    int index = who ? pelt_character_clip_find(who, clip ? clip : "0") : -1;
    int frames = index >= 0 ? pelt_character_clip_frames(who, index, work->job.fps > 0 ? work->job.fps : 30) : 0;
    for (int m = 0; m < work->methods.count; m++) {
        PeltiBatchJob job = work->job;
        job.method = work->methods.items[m];
        PELT_TRY(job.distil ? pelti_batch_add_distil(work->batch, &job, path, err)
                            : pelti_batch_add(work->batch, &job, path, clip, frames, err));
    }
    return PELT_OK;
}

static PeltStatus add_clips(JobSpread *work, const PeltCharacter *who, const char *path, PeltError *err)
{
    if (!work->clips.count)
        return add_clip(work, who, path, NULL, err);
    for (int c = 0; c < work->clips.count; c++) {
        const char *clip = work->clips.items[c];
        if (strcmp(clip, "all") != 0) {
            PELT_TRY(add_clip(work, who, path, clip, err));
            continue;
        }
        for (int k = 0; k < pelt_character_info(who).clip_count; k++) {
            const char *name = pelt_character_clip_name(who, k);
            bool mine = pelt_character_clip_find(who, name) == k; // names that are not unique go by number
            PELT_TRY(add_clip(work, who, path,
                              mine ? pelti_pool_text(&work->batch->pool, name) : pelti_batch_format(work->batch, "%d", k), err));
        }
    }
    return PELT_OK;
}

static PeltStatus add_character(const char *path, void *user, PeltError *err)
{
    JobSpread *work = user;
    PeltCharacter *who = NULL;
    if (!path)
        return pelti_no_memory(err, 1);
    if (must_open(work))
        PELT_TRY(pelt_character_load(path, NULL, &who, err));
    PeltStatus status = add_clips(work, who, path, err);
    pelt_character_destroy(who);
    return status;
}

static PeltStatus check_methods(const TextList *methods, PeltError *err)
{
    for (int i = 0; i < methods->count; i++)
        if (pelt_method_find(methods->items[i]) < 0)
            return PELT_FAIL(err, PELT_BAD_INPUT, "there is no method '%s' (`pelt methods` lists them)", methods->items[i]);
    return PELT_OK;
}

static PeltStatus read_job(Said *said, PeltError *err)
{
    PeltiBatch *batch = said->batch;
    JobSpread work = {.batch = batch, .job = {.line = said->line, .output = DEFAULT_OUTPUT}};
    TextList characters;
    PeltiJsonAt fps = find(said, "fps"), range = find(said, "range");
    int64_t frames = 0;
    PELT_TRY(pelti_json_each(&said->job, check_key, NULL, err));
    PELT_TRY(read_list(said, "character", &characters, err));
    PELT_TRY(read_list(said, "clip", &work.clips, err));
    PELT_TRY(read_list(said, "method", &work.methods, err));
    PELT_TRY(read_text(said, "output", &work.job.output, err));
    PELT_TRY(read_text(said, "report", &work.job.report, err));
    PELT_TRY(read_text(said, "frames", &work.job.frames, err));
    PELT_TRY(read_text(said, "rig", &work.job.rig, err));
    PELT_TRY(read_text(said, "scene", &work.job.scene, err));
    PELT_TRY(pelti_json_double(&fps, PELTI_OPTIONAL, 0.001, 10000, &work.job.fps, err));
    PELT_TRY(pelti_json_int(&range, PELTI_OPTIONAL, 1, 1000000, &frames, err));
    PELT_TRY(read_settings(said, &work.job, err));
    PELT_TRY(read_distil(said, &work.job, err));
    work.job.range = (int)frames;
    if (work.job.distil && (work.clips.count || work.job.frames || work.job.scene || work.job.fps > 0 || work.job.range))
        return PELT_FAIL(err, PELT_BAD_INPUT,
                         "%s: a character is distilled from all its clips: no clip, frames, fps, range or scene",
                         PELTI_JSON_PATH(&said->job));
    if (!characters.count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: a job needs a \"character\"", PELTI_JSON_PATH(&said->job));
    const char *usual = pelt_method_default();
    if (!work.methods.count)
        work.methods = (TextList){&usual, 1};
    PELT_TRY(check_methods(&work.methods, err));
    for (int i = 0; i < characters.count; i++)
        PELT_TRY(each_file(batch, characters.items[i], add_character, &work, err));
    return PELT_OK;
}

/// The line on which the next job begins, in one pass over a text that is sound JSON with jobs in it.
typedef struct JobLines {
    const char *at, *end;
    int line, depth;
    bool in_jobs;
} JobLines;

static const char *past_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at;
}

static int next_job_line(JobLines *lines)
{
    for (; lines->at < lines->end; lines->at++) {
        char c = *lines->at;
        lines->line += c == '\n';
        if (c == '"') {
            const char *start = lines->at;
            lines->at = past_string(start, lines->end);
            if (lines->depth == 1)
                lines->in_jobs = lines->at - start == 5 && !strncmp(start, "\"jobs", 5);
        } else if (c == '{' || c == '[') {
            bool job = c == '{' && lines->depth == 2 && lines->in_jobs;
            lines->depth++;
            if (job) {
                lines->at++;
                return lines->line;
            }
        } else if (c == '}' || c == ']') {
            lines->depth--;
        }
    }
    return 0;
}

static PeltStatus read_jobs(PeltiBatch *batch, const char *text, size_t size, PeltError *err)
{
    PeltiJson *root = NULL;
    PELT_TRY(pelti_json_parse(text, size, &root, err));
    PeltiJsonAt top = pelti_json_root(root), jobs = pelti_json_member(&top, "jobs"),
                defaults = pelti_json_member(&top, "defaults");
    int count = 0;
    JobLines lines = {text, text + size, 1, 0, false};
    PeltStatus status = pelti_json_array(&jobs, PELTI_REQUIRED, &count, err);
    if (status == PELT_OK && defaults.value)
        status = pelti_json_each(&defaults, check_key, NULL, err);
    for (int i = 0; status == PELT_OK && i < count; i++) {
        PeltiJsonAt job = pelti_json_item(&jobs, i);
        Said said = {batch, job, defaults, next_job_line(&lines)};
        status = pelti_json_object(&job, PELTI_REQUIRED, err);
        status = status == PELT_OK ? read_job(&said, err) : status;
        if (status != PELT_OK) {
            char cause[400];
            snprintf(cause, sizeof cause, "%.399s", err->text);
            PELT_FAIL(err, status, "line %d: %s", said.line, cause);
        }
    }
    pelti_json_release(root);
    return status;
}

static PeltStatus read_file(PeltiBatch *batch, PeltError *err)
{
    FILE *file = fopen(batch->jobs, "rb");
    PeltiArray text;
    char block[1 << 16];
    if (!file)
        return PELT_FAIL(err, PELT_IO, "%s: %s", batch->jobs, strerror(errno));
    pelti_array_init(&text, NULL, 1);
    size_t size;
    while ((size = fread(block, 1, sizeof block, file)) > 0)
        pelti_array_append(&text, block, size);
    bool broken = ferror(file) != 0;
    fclose(file);
    PeltStatus status = broken        ? PELT_FAIL(err, PELT_IO, "%s could not be read", batch->jobs)
                        : text.failed ? pelti_no_memory(err, text.count)
                                      : read_jobs(batch, text.data, text.count, err);
    pelti_array_release(&text);
    return status;
}

static bool is_character(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".glb") || !strcmp(dot, ".gltf") || !strcmp(dot, ".vrm") || !strcmp(dot, ".fbx") ||
                   !strcmp(dot, ".dae"));
}

static PeltStatus add_if_character(const char *path, void *user, PeltError *err)
{
    return path && is_character(path) ? add_character(path, user, err) : PELT_OK;
}

/// A folder or a pattern: one method and one name for all.
static PeltStatus read_folder(PeltiBatch *batch, bool folder, PeltError *err)
{
    const PeltBatchDef *def = batch->def;
    const char *method = def->method ? def->method : pelt_method_default(), *clip = def->clip;
    JobSpread work = {.batch = batch,
                      .job = {.output = def->output ? def->output : DEFAULT_OUTPUT},
                      .clips = {&clip, clip ? 1 : 0},
                      .methods = {&method, 1}};
    PELT_TRY(check_methods(&work.methods, err));
    const char *pattern = folder ? pelti_batch_format(batch, "%s/*", batch->jobs) : batch->jobs;
    if (!pattern)
        return pelti_no_memory(err, 1);
    PELT_TRY(each_file(batch, pattern, add_if_character, &work, err));
    return pelti_batch_count(batch) ? PELT_OK
                                    : PELT_FAIL(err, PELT_IO, "%s: no .glb, .gltf, .vrm, .fbx or .dae there", batch->jobs);
}

typedef struct OutputName {
    const char *path;
    int line;
} OutputName;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const OutputName *)a)->path, ((const OutputName *)b)->path);
}

/// Two entries that write one file would undo each other.
static PeltStatus check_outputs(PeltiBatch *batch, PeltError *err)
{
    size_t count = 0, room = 0;
    for (int i = 0; i < pelti_batch_count(batch); i++)
        room += (size_t)pelti_batch_entry(batch, i)->output_count;
    OutputName *names = PELTI_NEW(&batch->pool, OutputName, room);
    if (batch->pool.failed)
        return pelti_no_memory(err, sizeof *names * room);
    for (int i = 0; i < pelti_batch_count(batch); i++)
        for (int k = 0; k < pelti_batch_entry(batch, i)->output_count; k++)
            names[count++] = (OutputName){pelti_batch_entry(batch, i)->outputs[k], pelti_batch_entry(batch, i)->line};
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(names[i].path, names[i - 1].path))
            return PELT_FAIL(
                err, PELT_BAD_INPUT,
                "lines %d and %d both write %s: give \"output\" a {character}, {clip} or {method} that tells them apart",
                names[i - 1].line, names[i].line, names[i].path);
    return PELT_OK;
}

PeltStatus pelti_batch_read(PeltiBatch *batch, PeltError *err)
{
    struct stat facts;
    bool there = stat(batch->jobs, &facts) == 0;
    if (there && S_ISREG(facts.st_mode))
        PELT_TRY(read_file(batch, err));
    else if (there || strpbrk(batch->jobs, "*?["))
        PELT_TRY(read_folder(batch, there && S_ISDIR(facts.st_mode), err));
    else
        return PELT_FAIL(err, PELT_IO, "%s: %s", batch->jobs, strerror(errno));
    return check_outputs(batch, err);
}
