/// Baking from the page: the same work as `pelt bake`, on a thread of its own, into memory.
#include "studio/session_parts.h"

#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPORT = 3, CANCEL = 4 };
static const char *const ENDINGS[] = {".glb", ".pc2", ".mdd", ".json", NULL, ".abc", ".usda", ".npz"}; // by Bake's `what`
enum { IDLE, AT_WORK, DONE, FAILED };

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

static PeltStatus bake_to(PeltiOven *oven, const char *path, const char *rig_path, PeltError *err)
{
    const char *lines[PELTI_SETTINGS / 2];
    char clip[16];
    PeltBakeDef def = pelt_bake_def_default();
    snprintf(clip, sizeof clip, "%d", oven->clip);
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
    if (oven->what == REPORT)
        def.report_path = path;
    else {
        def.outputs = &path;
        def.output_count = 1;
    }
    return pelt_bake(&def, oven->cast->who, NULL, err);
}

static void *bake(void *user)
{
    PeltiOven *oven = user;
    PeltError err = {0};
    char blank[300], path[320], rig[320];
    void *bytes = NULL;
    size_t size = 0;
    PeltStatus status = pelti_session_rig_write(oven->rig, rig, &err);
    if (status == PELT_OK)
        status = pelti_cast_temporary(blank, sizeof blank, &err);
    if (status == PELT_OK) {
        snprintf(path, sizeof path, "%s%s", blank, ENDINGS[oven->what]);
        status = bake_to(oven, path, rig, &err);
        if (status == PELT_OK)
            status = pelti_cast_slurp(path, (size_t)2 << 30, &bytes, &size, &err);
        unlink(path);
        unlink(blank);
    }
    if (*rig)
        unlink(rig);
    pelti_session_rig_tell(&err, rig);
    pthread_mutex_lock(&oven->session->lock);
    oven->bytes = bytes;
    oven->size = size;
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
