/// include/pelt/character.h: a character with the motion of another file.
#include "bake/objects.h"
#include "character/retarget.h"
#include "io/bvh.h"

#include <stdio.h>
#include <string.h>

static PeltStatus open_motion(const char *path, const PeltAllocator *allocator, PeltiPool *pool, PeltiCharacter **who,
                              const char *const **said, PeltError *err)
{
    PeltiGltf *document = NULL;
    *said = NULL;
    if (pelti_bvh_is(path))
        return pelti_bvh_read(path, allocator, who, err);
    PELT_TRY(pelti_bake_open(path, allocator, &document, err));
    PeltStatus status = pelti_gltf_motion(document, allocator, who, err);
    *said = pelti_gltf_said(document, pool);
    pelti_gltf_close(document);
    return status;
}

/// What of the motion went where, in the words of `inspect`.
static void tell_motion(PeltiLog *log, const PeltiRetarget *moved)
{
    char names[200] = "";
    for (int i = 0, used = 0; i < 4 && i < moved->unmatched_count && used < (int)sizeof names; i++)
        used += snprintf(names + used, sizeof names - (size_t)used, "%s%.40s", i ? ", " : "", moved->unmatched[i]);
    if (moved->unmatched_count)
        pelti_warn(log, "motion-unmatched", "%d of the %d joints that the motion moves have no pair here and are left out: %s%s",
                   moved->unmatched_count, moved->from_count, names, moved->unmatched_count > 4 ? ", ..." : "");
    if (moved->unmatched_count && (!moved->words || !moved->from_words))
        pelti_warn(log, "motion-names", "joints of the %s go by no names of the usual rigs: equal names alone count",
                   moved->words ? "motion" : "character");
}

static PeltStatus move(PeltiGltf *document, const char *motion, const PeltAllocator *allocator, PeltiPool *pool,
                       PeltiRetarget *moved, PeltError *err)
{
    PeltiRetargetEnd from = {0}, to = {0};
    PeltiCharacter *source = NULL, *own = NULL;
    PeltStatus status = open_motion(motion, allocator, pool, &source, &from.said, err);
    if (status == PELT_OK)
        status = pelti_gltf_character(document, allocator, &own, err);
    if (status == PELT_OK && source->clip_count == 0)
        status = PELT_FAIL(err, PELT_BAD_INPUT, "%s has no clip", motion);
    if (status == PELT_OK) {
        from.who = source;
        to = (PeltiRetargetEnd){own, pelti_gltf_said(document, pool)};
        status = pelti_retarget(&from, &to, pool, moved, err);
    }
    for (int i = 0; status == PELT_OK && i < moved->unmatched_count && i < 4; i++)
        moved->unmatched[i] = pelti_pool_text(pool, moved->unmatched[i]);
    for (int c = 0; status == PELT_OK && c < moved->clip_count; c++) // scales of a node given by a matrix lie in the character
        for (int k = 0; k < moved->clips[c].channel_count; k++) {
            PeltiChannel *channel = (PeltiChannel *)&moved->clips[c].channels[k];
            float *scale = channel->path == PELTI_CHANNEL_SCALE ? PELTI_NEW(pool, float, 3) : NULL;
            if (scale)
                channel->values = memcpy(scale, channel->values, 3 * sizeof *scale);
        }
    pelti_character_destroy(own);
    pelti_character_destroy(source);
    return pool->failed && status == PELT_OK ? pelti_no_memory(err, 0) : status;
}

PeltStatus pelt_character_load_motion(const char *path, const char *motion, const PeltAllocator *allocator, PeltCharacter **out,
                                      PeltError *err)
{
    PeltiGltf *document = NULL, *with = NULL;
    PeltiPool pool;
    PeltiRetarget moved = {0};
    *out = NULL;
    pelti_pool_init(&pool, allocator);
    PeltStatus status = pelti_bake_open(path, allocator, &document, err);
    if (status != PELT_OK && status != PELT_IO)
        pelti_error_prefix(err, "%s", path);
    if (status == PELT_OK) {
        status = move(document, motion, allocator, &pool, &moved, err);
        if (status == PELT_OK)
            status = pelti_gltf_with_clips(document, moved.clips, moved.clip_count, allocator, &with, err);
        if (status == PELT_OK)
            status = pelti_bake_from_document(with, allocator, out, err);
        if (status != PELT_OK && status != PELT_IO)
            pelti_error_prefix(err, "%s", motion);
    }
    if (status == PELT_OK)
        tell_motion(&(*out)->who->log, &moved);
    pelti_gltf_close(document);
    pelti_pool_release(&pool);
    return status;
}
