/// A slot's preparing thread: makes the skin that was asked for last, beside the solver that goes on with the one before.
#include "studio/session_parts.h"

#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct PrepareOrder { ///< what one prepare works on: copies, as the slot may be asked for something else meanwhile
    PeltiSlot *slot;
    uint32_t serial;
    PeltiCast *cast;
    char method[41], settings[PELTI_SETTINGS + 1];
    char *rig; ///< a copy; NULL: none
} PrepareOrder;

/// Still of use: asked for last, or the first skin of the character on show. With the lock held.
static bool is_wanted(const PrepareOrder *job)
{
    const PeltiSlot *slot = job->slot;
    return slot->serial == job->serial || (slot->stopgap == job->serial && slot->session->cast == job->cast && *slot->method);
}

/// Tells the page how far it is; cancels when the slot was asked for something else.
static int progress(const char *stage, double share, void *user)
{
    PrepareOrder *job = user;
    PeltiSlot *slot = job->slot;
    pthread_mutex_lock(&slot->session->lock);
    int cancel = slot->session->quit || !is_wanted(job);
    if (!cancel && slot->serial == job->serial) {
        slot->share = share < 0 ? 0 : share > 1 ? 1 : (float)share;
        snprintf(slot->text, sizeof slot->text, "%s", stage ? stage : "");
    }
    pthread_mutex_unlock(&slot->session->lock);
    return cancel;
}

int pelti_slot_cut_lines(char *lines, const char **list, int most)
{
    char *rest = NULL;
    int count = 0;
    for (char *line = strtok_r(lines, "\n", &rest); line && count < most; line = strtok_r(NULL, "\n", &rest))
        list[count++] = line;
    return count;
}

static PeltStatus make_skin(PrepareOrder *job, PeltSkin **skin, PeltError *err)
{
    const char *lines[PELTI_SETTINGS / 2];
    PeltSkinDef def = pelt_skin_def_default();
    def.method = job->method;
    def.threads = job->slot->session->def.threads;
    def.progress = progress;
    def.progress_user = job;
    def.settings = lines;
    def.setting_count = pelti_slot_cut_lines(job->settings, lines, (int)(sizeof lines / sizeof *lines));
    char path[320];
    PELT_TRY(pelti_session_rig_write(job->rig, path, err));
    def.rig_path = *path ? path : NULL;
    PeltStatus status = pelt_skin_create(&def, job->cast->who, skin, err);
    if (*path)
        unlink(path);
    pelti_session_rig_tell(err, path);
    return status;
}

static void note_warnings(PeltiSlot *slot, const PeltSkin *skin)
{
    size_t used = 0;
    slot->warnings[0] = 0;
    for (int w = 0; w < pelt_skin_warning_count(skin) && used + 258 < sizeof slot->warnings; w++)
        used += (size_t)snprintf(slot->warnings + used, sizeof slot->warnings - used, "%s%s", w ? "\n" : "",
                                 pelt_skin_warning(skin, w)->text);
}

/// With the lock held. What came too late is thrown away by the caller: returns the skin to destroy.
static PeltSkin *hand_over(PrepareOrder *job, PeltSkin *skin, PeltStatus status, const PeltError *err)
{
    PeltiSlot *slot = job->slot;
    PeltSkin *old = skin;
    if (is_wanted(job) && status == PELT_OK) {
        old = slot->fresh;
        pelti_session_drop(slot->session, slot->fresh_cast);
        slot->fresh = skin;
        slot->fresh_cast = job->cast;
        slot->fresh_cast->uses++;
        slot->fresh_serial = job->serial;
    }
    if (slot->serial != job->serial)
        return old;
    slot->state = status == PELT_OK ? PELTI_SLOT_READY : PELTI_SLOT_FAILED;
    snprintf(slot->text, sizeof slot->text, "%s", status == PELT_OK ? "" : err->text);
    if (status == PELT_OK) {
        slot->share = 1;
        slot->prepare_ms = (float)pelt_skin_prepare_ms(skin);
        note_warnings(slot, skin);
    }
    return old;
}

static void prepare(PrepareOrder *job)
{
    PeltSkin *skin = NULL;
    PeltError err = {0};
    PeltStatus status = make_skin(job, &skin, &err);
    PeltiSession *s = job->slot->session;
    pthread_mutex_lock(&s->lock);
    PeltSkin *old = hand_over(job, skin, status, &err);
    pthread_cond_broadcast(&s->asked);
    pthread_mutex_unlock(&s->lock);
    pelt_skin_destroy(old);
    free(job->rig);
    pelti_session_give(s, job->cast);
}

/// What to prepare next; false: nothing. The first skin of a character is lbs, whatever was asked since. With the lock held.
static bool take_job(PeltiSlot *slot, PrepareOrder *job)
{
    bool first = slot->index == 0 && slot->taken < slot->stopgap && slot->serial != slot->stopgap && *slot->method;
    *job = (PrepareOrder){.slot = slot, .serial = first ? slot->stopgap : slot->serial, .cast = slot->session->cast};
    slot->taken = job->serial;
    snprintf(job->method, sizeof job->method, "%s", first ? "lbs" : slot->method);
    snprintf(job->settings, sizeof job->settings, "%s", first ? "" : slot->settings);
    if (*job->method && !first && slot->session->rig)
        job->rig = strdup(slot->session->rig);
    return *job->method;
}

void *pelti_slot_prepare(void *user)
{
    PeltiSlot *slot = user;
    PeltiSession *s = slot->session;
    PrepareOrder job;
    pthread_mutex_lock(&s->lock);
    while (!s->quit) {
        if (slot->taken == slot->serial || !s->cast)
            pthread_cond_wait(&s->asked, &s->lock);
        else if (take_job(slot, &job)) {
            job.cast->uses++;
            pthread_mutex_unlock(&s->lock);
            prepare(&job);
            pthread_mutex_lock(&s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}
