/// From a job, a character and a clip to the command that bakes it: names, arguments, and parts where frames can be split.
#include "batch/batch.h"

#include <pelt/skin.h>

#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *pelti_batch_format(PeltiBatch *batch, const char *format, ...)
{
    char text[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return pelti_pool_text(&batch->pool, text);
}

char *pelti_batch_path(PeltiBatch *batch, const char *path)
{
    return path[0] == '/' ? pelti_pool_text(&batch->pool, path) : pelti_batch_format(batch, "%s/%s", batch->folder, path);
}

/// Appends a name as part of a file's name: what a path or a shell could trip over becomes "_".
static size_t put_name(char *text, size_t used, size_t room, const char *name, size_t length)
{
    for (size_t i = 0; i < length && used + 1 < room; i++) {
        unsigned char c = (unsigned char)name[i];
        text[used++] = c < 33 || strchr("/\\|:*?\"<>'`$&;{}", c) ? '_' : (char)c;
    }
    return used;
}

/// "{character}-{clip}-{method}.pc2" with its names.
static char *fill_in(PeltiBatch *batch, const PeltiBatchJob *job, const char *character, const char *clip, const char *pattern)
{
    char text[4096];
    size_t used = 0;
    const char *slash = strrchr(character, '/'), *base = slash ? slash + 1 : character, *dot = strrchr(base, '.');
    while (*pattern && used + 1 < sizeof text) {
        if (!strncmp(pattern, "{character}", 11)) {
            used = put_name(text, used, sizeof text, base, dot ? (size_t)(dot - base) : strlen(base));
            pattern += 11;
        } else if (!strncmp(pattern, "{clip}", 6)) {
            const char *name = clip ? clip : "first";
            used = put_name(text, used, sizeof text, name, strlen(name));
            pattern += 6;
        } else if (!strncmp(pattern, "{method}", 8)) {
            used = put_name(text, used, sizeof text, job->method, strlen(job->method));
            pattern += 8;
        } else {
            text[used++] = *pattern++;
        }
    }
    text[used] = 0;
    return pelti_batch_path(batch, text);
}

typedef struct Words {
    PeltiBatch *batch;
    PeltiBatchEntry *entry;
} Words;

static void say(const Words *words, const char *option, const char *value)
{
    PeltiBatchEntry *entry = words->entry;
    if (option)
        entry->arguments[entry->argument_count++] = option;
    if (value)
        entry->arguments[entry->argument_count++] = value;
}

static void leave(const Words *words, const char *option, char *path)
{
    say(words, option, path);
    words->entry->outputs[words->entry->output_count++] = path;
}

static void depend(const Words *words, const char *option, const char *path)
{
    if (!path)
        return;
    const char *absolute = pelti_batch_path(words->batch, path);
    words->entry->inputs[words->entry->input_count++] = absolute;
    say(words, option, absolute);
}

/// The arguments of a bake, without outputs and frames.
static bool write_words(const Words *words, const PeltiBatchJob *job, const char *character, const char *clip)
{
    PeltiBatchEntry *entry = words->entry;
    PeltiPool *pool = &words->batch->pool;
    entry->arguments = PELTI_NEW(pool, const char *, 32 + 2 * job->setting_count + job->distilled_count);
    entry->outputs = PELTI_NEW(pool, const char *, 4);
    if (pool->failed)
        return false;
    depend(words, job->distil ? "distil" : "bake", character);
    say(words, "-m", job->method);
    if (clip)
        say(words, "--clip", clip);
    if (job->fps > 0)
        say(words, "--fps", pelti_batch_format(words->batch, "%.9g", job->fps));
    depend(words, "--rig", job->rig);
    depend(words, "--scene", job->scene);
    for (int i = 0; i < job->setting_count; i++) {
        say(words, "--set", job->settings[i]);
    }
    for (int i = 0; i < job->distilled_count; i++)
        say(words, NULL, job->distilled[i]);
    say(words, "-q", NULL);
    return !pool->failed;
}

static PeltStatus push(PeltiBatch *batch, const PeltiBatchEntry *entry, PeltError *err)
{
    return pelti_array_push(&batch->entries, entry) ? PELT_OK : pelti_no_memory(err, sizeof *entry);
}

/// Whether frames may be baked apart: the method remembers nothing of the frame before, and caches can be joined.
static bool may_split(const PeltiBatchJob *job, const char *output, int frames)
{
    const char *dot = strrchr(output, '.');
    for (int i = 0; i < job->setting_count; i++)
        if (!strncmp(job->settings[i], "give-way", 8) || !strncmp(job->settings[i], "touch", 5))
            return false; // these remember
    return job->range > 0 && frames > job->range && !job->scene && !job->report && !job->frames && dot && !strcmp(dot, ".pc2") &&
           !pelt_method_remembers(pelt_method_find(job->method));
}

static PeltStatus add_parts(PeltiBatch *batch, const PeltiBatchJob *job, const char *names[2], const PeltiBatchEntry *whole,
                            int frames, PeltError *err)
{
    PeltiBatchEntry join = *whole;
    int index = pelti_batch_count(batch);
    join.parts_first = index + 1;
    join.parts_count = (frames + job->range - 1) / job->range;
    PELT_TRY(push(batch, &join, err));
    for (int first = 0; first < frames; first += job->range) {
        PeltiBatchEntry part = {.line = job->line, .join = index};
        Words words = {batch, &part};
        int last = first + job->range < frames ? first + job->range - 1 : frames - 1;
        if (!write_words(&words, job, names[0], names[1]))
            return pelti_no_memory(err, sizeof part);
        say(&words, "--frames", pelti_batch_format(batch, "%d:%d", first, last));
        leave(&words, "-o", pelti_batch_format(batch, "%s.part-%06d.pc2", whole->outputs[0], first));
        PELT_TRY(push(batch, &part, err));
    }
    return batch->pool.failed ? pelti_no_memory(err, sizeof join) : PELT_OK;
}

PeltStatus pelti_batch_add(PeltiBatch *batch, const PeltiBatchJob *job, const char *character, const char *clip, int frames,
                           PeltError *err)
{
    PeltiBatchEntry entry = {.line = job->line, .join = -1};
    Words words = {batch, &entry};
    if (!write_words(&words, job, character, clip))
        return pelti_no_memory(err, sizeof entry);
    char *output = fill_in(batch, job, character, clip, job->output);
    if (job->frames)
        say(&words, "--frames", job->frames);
    leave(&words, "-o", output);
    if (job->report)
        leave(&words, "--report", fill_in(batch, job, character, clip, job->report));
    if (batch->pool.failed)
        return pelti_no_memory(err, sizeof entry);
    if (may_split(job, output, frames)) {
        const char *names[2] = {character, clip};
        return add_parts(batch, job, names, &entry, frames, err);
    }
    return push(batch, &entry, err);
}

/// Samples in parts, each by itself, for the fit before them. They lie beside its output until that is made.
static PeltStatus add_samples(PeltiBatch *batch, const PeltiBatchJob *job, const char *character, const char *samples,
                              PeltError *err)
{
    int fit = pelti_batch_count(batch) - 1;
    for (int p = 0; p < job->parts; p++) {
        PeltiBatchEntry part = {.line = job->line, .join = fit};
        Words words = {batch, &part};
        if (!write_words(&words, job, character, NULL))
            return pelti_no_memory(err, sizeof part);
        say(&words, "--samples", samples);
        say(&words, "--part", pelti_batch_format(batch, "%d/%d", p, job->parts));
        leave(&words, NULL, pelti_batch_format(batch, "%s.part-%d-%d", samples, p, job->parts));
        part.arguments[--part.argument_count] = NULL; // the command itself names it
        PELT_TRY(push(batch, &part, err));
    }
    return PELT_OK;
}

PeltStatus pelti_batch_add_distil(PeltiBatch *batch, const PeltiBatchJob *job, const char *character, PeltError *err)
{
    PeltiBatchEntry fit = {.line = job->line, .join = -1, .fits = job->parts > 0, .parts_count = job->parts};
    Words words = {batch, &fit};
    char *output = fill_in(batch, job, character, NULL, job->output);
    const char *dot = output ? strrchr(output, '.') : NULL,
               *samples = pelti_batch_format(batch, "%s.samples", output ? output : "");
    if (!dot || (strcmp(dot, ".glb") != 0 && strcmp(dot, ".gltf") != 0))
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: a distilled character is a .glb or .gltf", output ? output : "");
    fit.parts_first = pelti_batch_count(batch) + 1;
    if (!write_words(&words, job, character, NULL))
        return pelti_no_memory(err, sizeof fit);
    if (job->parts > 0) {
        say(&words, "--samples", samples);
        say(&words, "--parts", pelti_batch_format(batch, "%d", job->parts));
    }
    leave(&words, "-o", output);
    fit.outputs[fit.output_count++] = pelti_batch_format(batch, "%.*s.drivers.json", (int)(dot - output), output);
    if (job->report)
        leave(&words, "--report", fill_in(batch, job, character, NULL, job->report));
    if (batch->pool.failed)
        return pelti_no_memory(err, sizeof fit);
    PELT_TRY(push(batch, &fit, err));
    return add_samples(batch, job, character, samples, err);
}
