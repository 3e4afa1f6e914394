/// Clips of the new skin: every clip keeps its curves and gets those of the new joints and targets.
/// A node has one curve for the weights of all its targets, so the file's own are sampled at the new keys.
#include "io/gltf_reskin.h"

#include <string.h>

typedef struct ClipRewriting {
    PeltiReskinWork *work;
    const PeltiReskinClip *curves;
    PeltiJson *json;
    int times; // accessor; -1: not yet made
} ClipRewriting;

static int times_of(ClipRewriting *clip)
{
    if (clip->times < 0)
        clip->times = pelti_gltf_out_times(clip->work->out, clip->curves->times, clip->curves->key_count);
    return clip->times;
}

/// Does a part of the joint's transform ever differ from what the node has?
static bool differs(const ClipRewriting *clip, int joint, PeltiChannelPath path)
{
    const PeltiReskin *def = clip->work->def;
    const Trs *rest = &def->joints[joint].local;
    for (int k = 0; k < clip->curves->key_count; k++) {
        const Trs *trs = &clip->curves->joints[(size_t)k * (size_t)def->joint_count + (size_t)joint];
        if ((path == PELTI_CHANNEL_TRANSLATION && memcmp(&trs->translation, &rest->translation, sizeof(Vec3)) != 0) ||
            (path == PELTI_CHANNEL_ROTATION && memcmp(&trs->rotation, &rest->rotation, sizeof(Quat)) != 0) ||
            (path == PELTI_CHANNEL_SCALE && memcmp(&trs->scale, &rest->scale, sizeof(Vec3)) != 0))
            return true;
    }
    return false;
}

static void add_joints(ClipRewriting *clip)
{
    const PeltiReskin *def = clip->work->def;
    for (int j = 0; j < def->joint_count; j++)
        for (int path = 0; path < 3; path++)
            if (differs(clip, j, (PeltiChannelPath)path))
                pelti_gltf_out_track(clip->work->out, clip->json,
                                     &(PeltiGltfOutTrack){.times = times_of(clip),
                                                          .key_count = clip->curves->key_count,
                                                          .transforms = clip->curves->joints + j,
                                                          .stride = (size_t)def->joint_count,
                                                          .node = clip->work->result->nodes[j]},
                                     (PeltiChannelPath)path);
}

static bool plays_weights(const PeltiJson *channel, int node)
{
    PeltiJson *target = pelti_json_get(channel, "target");
    const char *path = pelti_json_text_of(pelti_json_get(target, "path"));
    return path && strcmp(path, "weights") == 0 && pelti_json_int_of(pelti_json_get(target, "node"), -1) == node;
}

/// Takes the node's own curve of weights out; `*found`: there was one.
static bool drop_weights(ClipRewriting *clip, int node, bool *found)
{
    PeltiJson *old = pelti_json_get(clip->json, "channels"), *kept = pelti_json_new_array();
    bool ok = kept != NULL;
    *found = false;
    for (int i = 0; ok && i < pelti_json_count(old); i++) {
        PeltiJson *channel = pelti_json_at(old, i);
        if (plays_weights(channel, node))
            *found = true;
        else
            ok = pelti_json_push(kept, pelti_json_keep(channel));
    }
    if (ok && *found)
        return pelti_json_set(clip->json, "channels", kept);
    pelti_json_release(kept);
    return ok;
}

/// Are the new targets of an instance asked for in this clip?
static bool is_moved(const ClipRewriting *clip, int from, int to)
{
    for (int k = 0; k < clip->curves->key_count; k++)
        for (int i = from; i < to; i++)
            if (clip->curves->targets[(size_t)k * (size_t)clip->work->def->target_count +
                                      (size_t)clip->work->result->places[i].target] != 0)
                return true;
    return false;
}

static bool add_weights(ClipRewriting *clip, int instance)
{
    PeltiReskinWork *work = clip->work;
    const PeltiReskin *def = work->def;
    const PeltiInstance *shown = &def->who->instances[instance];
    int from = work->instance_places[instance], to = work->instance_places[instance + 1];
    bool found = false;
    if (from == to)
        return true;
    if (!drop_weights(clip, shown->node, &found))
        return false;
    if (!found && !is_moved(clip, from, to))
        return true;
    size_t width = (size_t)(shown->target_count + to - from), keys = (size_t)clip->curves->key_count;
    float *values = PELTI_NEW(&work->out->pool, float, keys *width);
    if (!values)
        return false;
    for (size_t k = 0; k < keys; k++) {
        if (shown->target_count)
            memcpy(values + k * width, clip->curves->morph + k * (size_t)def->who->target_count + shown->first_target,
                   (size_t)shown->target_count * sizeof(float));
        for (int i = from; i < to; i++)
            values[k * width + (size_t)work->result->places[i].index] =
                clip->curves->targets[k * (size_t)def->target_count + (size_t)work->result->places[i].target];
    }
    PeltiGltfOutCurve curve = {.times = times_of(clip), .values = values, .count = (int)(keys * width), .components = 1};
    pelti_gltf_out_channel(work->out, clip->json, pelti_gltf_out_sampler(work->out, clip->json, &curve), shown->node, "weights");
    return true;
}

PeltStatus pelti_gltf_reskin_clips(PeltiReskinWork *work, PeltError *err)
{
    PeltiJson *list = pelti_json_get(work->out->root, "animations");
    for (int c = 0; c < work->def->who->clip_count && c < pelti_json_count(list); c++) {
        ClipRewriting clip = {.work = work, .curves = &work->def->clips[c], .json = pelti_json_at(list, c), .times = -1};
        if (clip.curves->key_count == 0)
            continue;
        add_joints(&clip);
        for (int i = 0; i < work->def->who->instance_count; i++)
            if (!add_weights(&clip, i))
                return pelti_no_memory(err, 0);
    }
    return work->out->ok ? PELT_OK : pelti_no_memory(err, 0);
}
