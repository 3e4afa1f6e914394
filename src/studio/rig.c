/// What an artist adds to the character on show: JSON from the page, checked here, read by the library as a rig file is.
#include "studio/session_parts.h"

#include "bake/objects.h"
#include "core/error.h"
#include "io/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PeltStatus pelti_session_rig_write(const char *rig, char path[320], PeltError *err)
{
    path[0] = 0;
    if (!rig)
        return PELT_OK;
    PELT_TRY(pelti_cast_temporary(path, 320, err));
    FILE *file = fopen(path, "wb");
    bool whole = file && fwrite(rig, 1, strlen(rig), file) == strlen(rig);
    whole = file && fclose(file) == 0 && whole;
    return whole ? PELT_OK : PELT_FAIL(err, PELT_IO, "the rig could not be written to the folder for temporary files");
}

void pelti_session_rig_tell(PeltError *err, const char *path)
{
    size_t length = strlen(path);
    char *found = length && err ? strstr(err->text, path) : NULL;
    if (!found)
        return;
    memmove(found + 3, found + length, strlen(found + length) + 1); // a path of ours is longer than "rig"
    memcpy(found, (const char[3]){'r', 'i', 'g'}, 3);
}

/// A page names no files: operators are those the rig holds.
static PeltStatus no_files(const PeltRig *rig, PeltError *err)
{
    for (int j = 0; j < rig->joint_count; j++) {
        const char *name = rig->joints[j].operator_name;
        size_t length = name ? strlen(name) : 0;
        if (length > 5 && !strcmp(name + length - 5, ".json"))
            return PELT_FAIL(err, PELT_BAD_INPUT,
                             "rig: joint %s: operator %.60s is a file: put what is in it under \"operators\" of the rig",
                             rig->joints[j].joint, name);
    }
    return PELT_OK;
}

static PeltStatus check(const char *json, const PeltCharacter *who, PeltError *err)
{
    char path[320];
    PeltiIoRig *rig = NULL;
    PELT_TRY(pelti_session_rig_write(json, path, err));
    PeltStatus status = pelti_io_rig_load((PeltiIoRigSource){.path = path}, who->who, NULL, &rig, err);
    unlink(path);
    if (status == PELT_OK)
        status = no_files(&rig->rig, err);
    pelti_io_rig_destroy(rig);
    pelti_session_rig_tell(err, path);
    return status;
}

/// With the lock held: kept, and both slots begin anew with what they were asked for last.
static void keep(PeltiSession *s, char *json)
{
    free(s->rig);
    s->rig = json;
    for (int i = 0; i < PELTI_SLOTS; i++) {
        PeltiSlot *slot = &s->slots[i];
        char method[sizeof slot->method], settings[sizeof slot->settings];
        memcpy(method, slot->method, sizeof method);
        memcpy(settings, slot->settings, sizeof settings);
        if (*method)
            pelti_slot_ask(slot, method, settings);
    }
    pthread_cond_broadcast(&s->asked);
}

PeltStatus pelti_session_rig(PeltiSession *s, const PeltiMsgRig *wish, PeltError *err)
{
    char *json = wish->json.count ? strndup(wish->json.data, wish->json.count) : NULL;
    if (wish->json.count && !json)
        return pelti_no_memory(err, wish->json.count);
    PeltiCast *cast = pelti_session_take(s);
    PeltStatus status = cast && json ? check(json, cast->who, err) : PELT_OK;
    pthread_mutex_lock(&s->lock);
    pelti_session_drop(s, cast);
    if (status == PELT_OK && s->cast == cast && wish->epoch == s->epoch) {
        keep(s, json);
        json = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    free(json);
    return status;
}
