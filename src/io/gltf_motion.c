/// Clips that come from elsewhere as a document's own, and the joints a VRM file names.
#define _GNU_SOURCE // memfd_create
#include "io/gltf_out.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- VRM

/// One humanoid bone: `name` is what the file calls node `node`.
static void say(const PeltiGltf *doc, PeltiPool *pool, const char **said, const char *name, const PeltiJson *node)
{
    int64_t index = pelti_json_int_of(node, -1);
    if (name && index >= 0 && index < doc->node_count)
        said[index] = pelti_pool_text(pool, name);
}

typedef struct Saying {
    const PeltiGltf *doc;
    PeltiPool *pool;
    const char **said;
} Saying;

static PeltStatus say_member(const PeltiJsonAt *member, void *user, PeltError *err)
{
    Saying *s = user;
    (void)err;
    say(s->doc, s->pool, s->said, member->key, pelti_json_get(member->value, "node"));
    return PELT_OK;
}

const char *const *pelti_gltf_said(const PeltiGltf *doc, PeltiPool *pool)
{
    PeltiJson *extensions = pelti_json_get(doc->root, "extensions");
    PeltiJson *old = pelti_json_get(pelti_json_get(pelti_json_get(extensions, "VRM"), "humanoid"), "humanBones");
    PeltiJson *now = pelti_json_get(pelti_json_get(pelti_json_get(extensions, "VRMC_vrm"), "humanoid"), "humanBones");
    Saying saying = {doc, pool, NULL};
    if (!old && !now)
        return NULL;
    saying.said = PELTI_NEW(pool, const char *, doc->node_count);
    if (!saying.said)
        return NULL;
    PeltiJsonAt members = {.value = now};
    if (now)
        pelti_json_each(&members, say_member, &saying, NULL);
    for (int i = 0; !now && i < pelti_json_count(old); i++) {
        PeltiJson *bone = pelti_json_at(old, i);
        say(doc, pool, saying.said, pelti_json_text_of(pelti_json_get(bone, "bone")), pelti_json_get(bone, "node"));
    }
    return saying.said;
}

// ---- clips

static const char *const PATHS[] = {[PELTI_CHANNEL_TRANSLATION] = "translation",
                                    [PELTI_CHANNEL_ROTATION] = "rotation",
                                    [PELTI_CHANNEL_SCALE] = "scale",
                                    [PELTI_CHANNEL_MORPH] = "weights"};

static PeltiJson *clip_json(PeltiGltfOut *out, const PeltiClip *clip)
{
    PeltiJson *json = pelti_json_new_object();
    const float *times = NULL;
    int accessor = -1, keys = 0;
    bool ok = json && pelti_json_set(json, "name", pelti_json_new_text(clip->name)) &&
              pelti_json_set(json, "samplers", pelti_json_new_array()) &&
              pelti_json_set(json, "channels", pelti_json_new_array());
    out->ok &= ok;
    for (int c = 0; ok && c < clip->channel_count; c++) {
        const PeltiChannel *channel = &clip->channels[c];
        if (channel->times != times || channel->key_count != keys) {
            times = channel->times;
            keys = channel->key_count;
            accessor = pelti_gltf_out_times(out, times, keys);
        }
        PeltiGltfOutCurve curve = {accessor, channel->values, channel->key_count, channel->width};
        pelti_gltf_out_channel(out, json, pelti_gltf_out_sampler(out, json, &curve), channel->node, PATHS[channel->path]);
    }
    return json;
}

/// The document's own animations come after.
static void put_clips(PeltiGltfOut *out, const PeltiClip *clips, int clip_count)
{
    PeltiJson *own = pelti_json_get(out->root, "animations"), *list = pelti_json_new_array();
    for (int c = 0; c < clip_count; c++)
        out->ok &= list && pelti_json_push(list, clip_json(out, &clips[c]));
    for (int c = 0; c < pelti_json_count(own); c++)
        out->ok &= list && pelti_json_push(list, pelti_json_copy(pelti_json_at(own, c)));
    out->ok &= list && pelti_json_set(out->root, "animations", list);
}

PeltStatus pelti_gltf_with_clips(const PeltiGltf *doc, const PeltiClip *clips, int clip_count, const PeltAllocator *allocator,
                                 PeltiGltf **out, PeltError *err)
{
    PeltiGltfOut made = {0};
    char path[40];
    int memory = memfd_create("pelt-motion", MFD_CLOEXEC), writing = memory >= 0 ? dup(memory) : -1;
    FILE *stream = writing >= 0 ? fdopen(writing, "wb") : NULL;
    *out = NULL;
    PeltStatus status = stream ? PELT_OK : PELT_FAIL(err, PELT_FAILED, "no memory for the motion");
    if (status == PELT_OK)
        status = pelti_gltf_out_begin(&made, doc, allocator, NULL, err);
    if (status == PELT_OK) {
        PeltiFile file = {.stream = stream};
        put_clips(&made, clips, clip_count);
        status = pelti_gltf_out_write(&made, &file, true, err);
    }
    pelti_gltf_out_end(&made);
    if (stream)
        fclose(stream);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    if (status == PELT_OK)
        status = pelti_gltf_open(path, allocator, out, err);
    if (status == PELT_OK) {
        (*out)->origin = pelti_pool_text(&(*out)->pool, doc->origin);
        (*out)->notes = pelti_pool_text(&(*out)->pool, doc->notes);
    }
    if (memory >= 0)
        close(memory);
    return status;
}
