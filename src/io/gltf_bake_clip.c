/// Writes the clips of a baked result.
/// The baked one comes first, so that viewers that play one clip play it: its channels stay, for props and cameras that ride on
/// the skeleton, and the weights of the morph targets join them on the same time line.
#include "io/gltf_write.h"

#include <stdio.h>
#include <string.h>

typedef struct Clips {
    PeltiGltfBake *bake;
    PeltiGltfOut *out;
    bool *shows; // [node_count] of the document: it or something below it can be seen or heard, other than baked meshes
    int times;   // accessor of the frames' times; -1: not yet made
} Clips;

static int target_node(const PeltiJson *channel)
{
    return (int)pelti_json_int_of(pelti_json_get(pelti_json_get(channel, "target"), "node"), -1);
}

static bool is_path(const PeltiJson *channel, const char *path)
{
    const char *text = pelti_json_text_of(pelti_json_get(pelti_json_get(channel, "target"), "path"));
    return text && strcmp(text, path) == 0;
}

static bool find_shown(Clips *clips)
{
    const PeltiGltf *doc = clips->bake->def->document;
    PeltiJson *nodes = pelti_json_get(clips->out->root, "nodes");
    clips->shows = PELTI_NEW(&clips->out->pool, bool, doc->node_count);
    if (!clips->shows)
        return false;
    for (int i = doc->node_count - 1; i >= 0; i--) {
        int node = doc->node_order[i], parent = doc->nodes[node].parent;
        PeltiJson *json = pelti_json_at(nodes, node);
        bool baked = false;
        for (int k = 0; k < clips->bake->baked_count; k++)
            baked |= clips->bake->baked[k].node == node;
        clips->shows[node] |=
            (!baked && pelti_json_get(json, "mesh")) || pelti_json_get(json, "camera") || pelti_json_get(json, "extensions");
        if (parent >= 0)
            clips->shows[parent] |= clips->shows[node];
    }
    return true;
}

/// Channels the result cannot play: weights of meshes that have other targets now, and what a pose replaces.
static bool is_stale(const Clips *clips, const PeltiJson *channel, bool replaced)
{
    const PeltiGltfBake *bake = clips->bake;
    int node = target_node(channel);
    if (is_path(channel, "weights"))
        for (int i = 0; i < bake->baked_count; i++)
            if (bake->def->who->instances[bake->baked[i].instance].node == node)
                return true;
    if (!replaced || is_path(channel, "weights")) // a prop keeps its own targets
        return false;
    for (int i = 0; i < bake->def->who->bone_count; i++)
        if (bake->def->who->bones[i].node == node)
            return true;
    return false;
}

/// A copy of a clip without stale channels; `*shown`: one of the others moves something that can be seen.
static PeltiJson *copy_clip(const Clips *clips, int index, bool replaced, bool *shown)
{
    const PeltiGltf *doc = clips->bake->def->document;
    PeltiJson *clip = pelti_json_copy(pelti_json_at(pelti_json_get(doc->root, "animations"), index));
    PeltiJson *old = pelti_json_get(clip, "channels"), *kept = pelti_json_new_array();
    bool ok = clip && kept;
    *shown = false;
    for (int i = 0; ok && i < pelti_json_count(old); i++) {
        PeltiJson *channel = pelti_json_at(old, i);
        if (is_stale(clips, channel, replaced))
            continue;
        int node = target_node(channel);
        *shown |= node < 0 || node >= doc->node_count || clips->shows[node];
        ok = pelti_json_push(kept, pelti_json_keep(channel));
    }
    if (ok && pelti_json_set(clip, "channels", kept))
        return clip;
    if (!ok)
        pelti_json_release(kept);
    pelti_json_release(clip);
    return NULL;
}

static PeltiJson *new_clip(void)
{
    PeltiJson *clip = pelti_json_new_object();
    if (clip && pelti_json_set(clip, "name", pelti_json_new_text("bake")) &&
        pelti_json_set(clip, "channels", pelti_json_new_array()) && pelti_json_set(clip, "samplers", pelti_json_new_array()))
        return clip;
    pelti_json_release(clip);
    return NULL;
}

/// Clip time of frame f is f / fps, whatever frame the bake began with, so that kept channels stay in step.
static int times_accessor(Clips *clips)
{
    const PeltiSinkFrames *frames = &clips->bake->def->frames;
    if (clips->times >= 0)
        return clips->times;
    float *times = PELTI_NEW(&clips->out->pool, float, frames->frame_count);
    if (!times) {
        clips->out->ok = false;
        return 0;
    }
    for (int f = 0; f < frames->frame_count; f++)
        times[f] = (float)((frames->start_frame + f) / frames->fps);
    return clips->times = pelti_gltf_out_times(clips->out, times, frames->frame_count);
}

/// Weights of all targets over the frames: the file's own rest, what they do is in the others.
static int weights_sampler(Clips *clips, PeltiJson *clip, int own)
{
    const PeltiMorph *morph = &clips->bake->morph;
    int frames = clips->bake->def->frames.frame_count, all = own + morph->target_count;
    float *values = PELTI_NEW(&clips->out->pool, float, own ? (size_t)frames *(size_t)all : 0);
    clips->out->ok &= values != NULL;
    for (int f = 0; own && values && f < frames; f++)
        memcpy(values + (size_t)f * (size_t)all + own, morph->weights + (size_t)f * (size_t)morph->target_count,
               (size_t)morph->target_count * sizeof *values);
    PeltiGltfOutCurve curve = {
        .times = times_accessor(clips), .values = own ? values : morph->weights, .count = frames * all, .components = 1};
    return pelti_gltf_out_sampler(clips->out, clip, &curve);
}

static void add_weights(Clips *clips, PeltiJson *clip)
{
    PeltiGltfBake *bake = clips->bake;
    if (bake->morph.target_count == 0)
        return;
    int sampler = -1, sampler_own = -1; // neighbours that have as many of their own share one
    for (int i = 0; i < bake->baked_count; i++) {
        int own = pelti_gltf_bake_own_count(bake, &bake->baked[i]);
        if (bake->baked[i].node < 0)
            continue;
        if (own != sampler_own)
            sampler = weights_sampler(clips, clip, sampler_own = own);
        pelti_gltf_out_channel(clips->out, clip, sampler, bake->baked[i].node, "weights");
    }
    for (int i = 0; i < bake->def->object_count; i++) {
        if (!bake->def->objects[i].soft)
            continue;
        if (sampler_own != 0)
            sampler = weights_sampler(clips, clip, sampler_own = 0);
        pelti_gltf_out_channel(clips->out, clip, sampler, bake->object_nodes[i], "weights");
    }
}

/// The first `path_count` of translation, rotation and scale of one transform over the frames, one every `stride`.
static void add_tracks(Clips *clips, PeltiJson *clip, const Trs *transforms, size_t stride, int path_count, int node)
{
    PeltiGltfOutTrack track = {.times = times_accessor(clips),
                               .key_count = clips->bake->def->frames.frame_count,
                               .transforms = transforms,
                               .stride = stride,
                               .node = node};
    for (int path = 0; path < path_count; path++)
        pelti_gltf_out_track(clips->out, clip, &track, (PeltiChannelPath)path);
}

/// The joints play the poses of the bake. A node given by a matrix cannot be animated: it gets its parts instead.
static void add_poses(Clips *clips, PeltiJson *clip)
{
    PeltiGltfBake *bake = clips->bake;
    const PeltiCharacter *who = bake->def->who;
    bool *done = PELTI_NEW(&clips->out->pool, bool, who->node_count);
    clips->out->ok &= done != NULL;
    for (int i = 0; done && i < who->bone_count; i++) {
        int node = who->bones[i].node;
        if (done[node])
            continue;
        done[node] = true;
        pelti_json_remove(pelti_json_at(pelti_json_get(clips->out->root, "nodes"), node), "matrix");
        add_tracks(clips, clip, bake->poses + node, (size_t)who->node_count, 3, node);
    }
}

/// Rigid objects; soft ones have weights.
static void add_placements(Clips *clips, PeltiJson *clip)
{
    const PeltiGltfBake *bake = clips->bake;
    for (int i = 0; i < bake->def->object_count; i++)
        if (!bake->def->objects[i].soft)
            add_tracks(clips, clip, bake->placements + i, (size_t)bake->def->object_count, 2, bake->object_nodes[i]);
}

static void keep_others(Clips *clips, PeltiJson *list)
{
    const PeltiOutputDef *def = clips->bake->def;
    PeltiJson *old = pelti_json_get(def->document->root, "animations");
    for (int i = 0; i < pelti_json_count(old); i++) {
        bool shown;
        if (i == def->clip)
            continue;
        PeltiJson *clip = copy_clip(clips, i, false, &shown);
        if (clip && !shown) {
            const char *name = pelti_json_text_of(pelti_json_get(clip, "name"));
            pelti_warn(def->log, "clip-dropped",
                       "clip %d (%.100s) moved the skin only, which is baked for another clip now: left out", i,
                       name ? name : "no name");
            pelti_json_release(clip);
        } else {
            clips->out->ok &= pelti_json_push(list, clip);
        }
    }
}

PeltStatus pelti_gltf_bake_clips(PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err)
{
    Clips clips = {.bake = bake, .out = out, .times = -1};
    int file_clips = pelti_json_count(pelti_json_get(bake->def->document->root, "animations"));
    bool shown, from_file = bake->def->clip >= 0 && bake->def->clip < file_clips;
    PeltiJson *list = pelti_json_new_array();
    if (!list || !find_shown(&clips)) {
        pelti_json_release(list);
        return pelti_no_memory(err, 0);
    }
    PeltiJson *clip = from_file ? copy_clip(&clips, bake->def->clip, bake->poses != NULL, &shown) : new_clip();
    out->ok &= clip != NULL;
    if (clip) {
        add_weights(&clips, clip);
        if (bake->poses)
            add_poses(&clips, clip);
        add_placements(&clips, clip);
    }
    if (pelti_json_count(pelti_json_get(clip, "channels")) > 0)
        out->ok &= pelti_json_push(list, clip);
    else
        pelti_json_release(clip);
    keep_others(&clips, list);
    if (pelti_json_count(list) > 0) {
        out->ok &= pelti_json_set(out->root, "animations", list);
    } else {
        pelti_json_remove(out->root, "animations");
        pelti_json_release(list);
    }
    return out->ok ? PELT_OK : pelti_no_memory(err, 0);
}
