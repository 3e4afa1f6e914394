/// Baking from the page: the same work as `pelt bake`, on a thread of its own, into memory.
#include "studio/session_parts.h"

#include "core/error.h"
#include "io/zip.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTO_FILES, REPORT, CANCEL }; // Bake's `what`
enum { KINDS = 9, LONGEST_PATH = 640 };
static const char *const ENDINGS[KINDS] = {".glb", ".vrm", ".gltf", ".abc", ".usda", ".pc2", ".mdd", ".npz", ".obj"};
enum { IDLE, AT_WORK, DONE, FAILED };
static const size_t MOST_BYTES = (size_t)2 << 30;

static int progress(const char *stage, double share, void *user)
{
    PeltiOven *oven = user;
    pthread_mutex_lock(&oven->session->lock);
    int cancel = oven->cancel || oven->session->quit;
    oven->share = share < 0 ? 0 : share > 1 ? 1 : (float)share;
    snprintf(oven->text, sizeof oven->text, "%s", stage ? stage : "");
    pthread_mutex_unlock(&oven->session->lock);
    return cancel;
}

/// The character's name without its ending, as a name of files, and the method's.
static void name_files(const PeltiOven *oven, char name[LONGEST_PATH / 2])
{
    const char *label = oven->cast->label, *dot = strrchr(label, '.');
    int length = dot && dot[1] && strspn(dot + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(dot + 1)
                     ? (int)(dot - label)
                     : (int)strlen(label);
    snprintf(name, LONGEST_PATH / 2, "%.*s-%s", length, label, oven->method);
    for (char *c = name; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ' || (c == name && *c == '.'))
            *c = '_';
}

/// Into the folder: every file that was asked for.
static PeltStatus bake_into(PeltiOven *oven, const char *folder, const char *rig_path, PeltError *err)
{
    const char *lines[PELTI_SETTINGS / 2], *outputs[KINDS];
    char clip[16], name[LONGEST_PATH / 2], paths[KINDS + 1][LONGEST_PATH];
    PeltBakeDef def = pelt_bake_def_default();
    snprintf(clip, sizeof clip, "%d", oven->clip);
    name_files(oven, name);
    bool range = oven->clip == pelt_character_info(oven->cast->who).clip_count; // made from the skeleton: by its name alone
    def.skin.rig_path = *rig_path ? rig_path : NULL;
    def.skin.method = oven->method;
    def.skin.threads = oven->session->def.threads;
    def.skin.settings = lines;
    def.skin.setting_count = pelti_slot_cut_lines(oven->settings, lines, (int)(sizeof lines / sizeof *lines));
    def.skin.progress = progress;
    def.skin.progress_user = oven;
    def.clip = range ? "range" : clip;
    def.fps = oven->fps;
    for (int k = 0; k < KINDS && oven->what == INTO_FILES; k++)
        if (oven->outputs >> k & 1) {
            snprintf(paths[k], sizeof paths[k], "%s/%s%s", folder, name, ENDINGS[k]);
            outputs[def.output_count++] = paths[k];
        }
    def.outputs = outputs;
    if (oven->what == REPORT) {
        snprintf(paths[KINDS], sizeof paths[KINDS], "%s/report.json", folder);
        def.report_path = paths[KINDS];
    }
    return pelt_bake(&def, oven->cast->who, NULL, err);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static PeltStatus put_file(PeltiZip *zip, const char *folder, const char *name, PeltError *err)
{
    char path[LONGEST_PATH];
    void *bytes = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%.255s", folder, name);
    PeltStatus status = pelti_cast_slurp(path, MOST_BYTES, &bytes, &size, err);
    if (status == PELT_OK)
        status = pelti_zip_entry(zip, name, size, err);
    if (status == PELT_OK)
        status = pelti_zip_write(zip, bytes, size, err);
    free(bytes);
    return status == PELT_OK ? pelti_zip_entry_end(zip, err) : status;
}

static PeltStatus put_all(const char *folder, struct dirent *const *list, int count, const char *path, PeltError *err)
{
    PeltiZip zip;
    PeltStatus status = pelti_zip_begin(&zip, NULL, path, err);
    for (int i = 0; i < count && status == PELT_OK; i++)
        status = put_file(&zip, folder, list[i]->d_name, err);
    if (status == PELT_OK)
        status = pelti_zip_complete(&zip, err);
    if (status == PELT_OK)
        return pelti_zip_commit(&zip, err);
    pelti_zip_abort(&zip);
    return status;
}

typedef struct Baked {
    void *bytes;
    size_t size;
    uint32_t files;
} Baked;

/// What lies in the folder, in memory: the one file, or all as a zip. The folder is gone afterwards, whatever was in it.
static PeltStatus collect(const char *folder, PeltStatus status, Baked *out, PeltError *err)
{
    struct dirent **list = NULL;
    char path[LONGEST_PATH];
    int count = scandir(folder, &list, not_hidden, alphasort);
    if (status == PELT_OK && count < 1)
        status = PELT_FAIL(err, PELT_IO, "nothing was written");
    snprintf(path, sizeof path, count == 1 ? "%s/%.255s" : "%s/.zip", folder, count == 1 ? list[0]->d_name : "");
    if (status == PELT_OK && count > 1)
        status = put_all(folder, list, count, path, err);
    if (status == PELT_OK)
        status = pelti_cast_slurp(path, MOST_BYTES, &out->bytes, &out->size, err);
    out->files = count > 0 ? (uint32_t)count : 0;
    unlink(path);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%.255s", folder, list[i]->d_name);
        unlink(path);
        free(list[i]);
    }
    free(list);
    rmdir(folder);
    return status;
}

static void *bake(void *user)
{
    PeltiOven *oven = user;
    PeltError err = {0};
    Baked baked = {0};
    char folder[300], rig[320];
    PeltStatus status = pelti_session_rig_write(oven->rig, rig, &err);
    if (status == PELT_OK)
        status = pelti_cast_temporary_folder(folder, sizeof folder, &err);
    if (status == PELT_OK)
        status = collect(folder, bake_into(oven, folder, rig, &err), &baked, &err);
    if (*rig)
        unlink(rig);
    pelti_session_rig_tell(&err, rig);
    pthread_mutex_lock(&oven->session->lock);
    oven->bytes = baked.bytes;
    oven->size = baked.size;
    oven->files = baked.files;
    oven->state = status == PELT_OK ? DONE : oven->cancel ? IDLE : FAILED;
    snprintf(oven->text, sizeof oven->text, "%s", status == PELT_OK ? "" : err.text);
    pelti_session_drop(oven->session, oven->cast);
    oven->cast = NULL;
    pthread_mutex_unlock(&oven->session->lock);
    return NULL;
}

/// With the lock held, and no thread at work.
static PeltStatus start(PeltiSession *s, const PeltiMsgBake *wish, PeltError *err)
{
    PeltiOven *oven = &s->oven;
    if (oven->runs)
        pthread_join(oven->thread, NULL); // it is past its last lock
    free(oven->bytes);
    free(oven->rig);
    *oven = (PeltiOven){.session = s,
                        .state = AT_WORK,
                        .serial = oven->serial + 1,
                        .what = wish->what,
                        .outputs = wish->outputs,
                        .cast = s->cast,
                        .rig = s->rig ? strdup(s->rig) : NULL,
                        .clip = wish->clip,
                        .fps = (double)wish->fps};
    snprintf(oven->method, sizeof oven->method, "%s", s->slots[0].method);
    snprintf(oven->settings, sizeof oven->settings, "%s", s->slots[0].settings);
    s->cast->uses++;
    oven->runs = pthread_create(&oven->thread, NULL, bake, oven) == 0;
    if (oven->runs)
        return PELT_OK;
    oven->state = IDLE;
    pelti_session_drop(s, s->cast);
    return PELT_FAIL(err, PELT_FAILED, "a thread to bake could not be started");
}

PeltStatus pelti_session_bake(PeltiSession *s, const PeltiMsgBake *wish, PeltError *err)
{
    PeltStatus status = PELT_OK;
    pthread_mutex_lock(&s->lock);
    if (wish->what == CANCEL)
        s->oven.cancel = true;
    else if (!s->cast || wish->epoch != s->epoch || wish->clip > pelt_character_info(s->cast->who).clip_count)
        status = PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no clip %d to bake", wish->clip);
    else if (wish->what == INTO_FILES && !wish->outputs)
        status = PELT_FAIL(err, PELT_BAD_ARGUMENT, "no kind of file was chosen");
    else if (s->oven.state == AT_WORK)
        status = PELT_FAIL(err, PELT_BAD_ARGUMENT, "one bake at a time");
    else
        status = start(s, wish, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

void *pelti_session_baked(PeltiSession *s, size_t *size)
{
    pthread_mutex_lock(&s->lock);
    void *bytes = s->oven.bytes;
    *size = bytes ? s->oven.size : 0;
    s->oven.bytes = NULL;
    pthread_mutex_unlock(&s->lock);
    return bytes;
}

void pelti_oven_end(PeltiSession *s)
{
    if (s->oven.runs)
        pthread_join(s->oven.thread, NULL); // `quit` is set: its next progress cancels it
    free(s->oven.bytes);
    free(s->oven.rig);
}
