/// Reads baked .glb, .vrm and .gltf: morph targets by their curves of weights, and nodes that move.
/// The keys of the weights are the frames.
#include "io/cache_kinds.h"

#include "character/skeleton.h"
#include "character/targets.h"
#include "io/gltf.h"

#include <float.h>

typedef struct GltfCache {
    PeltiCache head;
    PeltiCharacter *baked; ///< what the file shows
    int *order;            ///< [order_count] instances of `baked`, as their points come
    int order_count;
    int *shown;                ///< [node_count] instances, -1: none
    bool *skinned;             ///< [node_count] shows what was skinned
    bool has_skin;             ///< one does
    const PeltiClip *clip;     ///< NULL: nothing moves
    const PeltiChannel *curve; ///< its keys are the frames; NULL: frames come by fps
    PeltiTargetMix mix;
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix; ///< [node_count]
    Mat34 *bones;                 ///< [bone_count]
} GltfCache;

// ---- whose points

/// A bake keeps the nodes of the file it is of. Where one stands for more than its mesh, the mesh hangs on a new one, which come
/// in the order of the instances; those of objects follow. So a mesh that several nodes show, and that was copied, is found.
static bool order_as(GltfCache *cache, const PeltiCharacter *who)
{
    int next = who->node_count, nodes = cache->baked->node_count;
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *instance = &who->instances[i];
        if (instance->point_count == 0)
            continue;
        int shown = instance->node < nodes ? cache->shown[instance->node] : -1;
        if (shown < 0 && next < nodes)
            shown = cache->shown[next++];
        if (shown < 0 || cache->baked->instances[shown].point_count != instance->point_count)
            return false;
        cache->order[cache->order_count++] = shown;
        cache->skinned[cache->baked->instances[shown].node] = instance->skin >= 0;
        cache->has_skin = cache->has_skin || instance->skin >= 0;
    }
    return true;
}

static PeltStatus order_instances(GltfCache *cache, const PeltiCharacter *who, PeltError *err)
{
    const PeltiCharacter *baked = cache->baked;
    int room = who && who->instance_count > baked->instance_count ? who->instance_count : baked->instance_count;
    cache->order = PELTI_NEW(&cache->head.pool, int, room);
    cache->shown = PELTI_NEW(&cache->head.pool, int, baked->node_count);
    cache->skinned = PELTI_NEW(&cache->head.pool, bool, baked->node_count);
    if (cache->head.pool.failed)
        return pelti_no_memory(err, (size_t)room * sizeof(int));
    for (int n = 0; n < baked->node_count; n++)
        cache->shown[n] = -1;
    for (int i = 0; i < baked->instance_count; i++)
        cache->shown[baked->instances[i].node] = i;
    if (!who || !order_as(cache, who)) { // as the file has them
        cache->order_count = 0;
        cache->has_skin = false;
        for (int i = 0; i < baked->instance_count; i++) {
            cache->order[cache->order_count++] = i;
            cache->skinned[baked->instances[i].node] = true; // who knows
        }
    }
    int64_t points = 0;
    for (int i = 0; i < cache->order_count; i++) {
        const PeltiInstance *instance = &baked->instances[cache->order[i]];
        points += instance->point_count;
        if (instance->skin >= 0 && instance->point_count > 0)
            return PELT_FAIL(err, PELT_BAD_INPUT,
                             "node %d (\"%.60s\") has a skin: this is a character, not a bake of one (pelt bake makes one)",
                             instance->node, baked->nodes[instance->node].name);
    }
    if (points == 0 || points > INT32_MAX)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the scene shows no mesh");
    cache->head.frames.point_count = (int)points;
    return PELT_OK;
}

// ---- which frames

/// The curve of weights, and its clip: that of a bake is the first, and its own curves come last. A prop keeps its own weights,
/// whose keys are no frames.
static void find_curve(GltfCache *cache)
{
    const PeltiCharacter *baked = cache->baked;
    cache->clip = baked->clip_count ? &baked->clips[0] : NULL;
    for (int c = 0; c < baked->clip_count; c++)
        for (int i = baked->clips[c].channel_count - 1; i >= 0; i--) {
            const PeltiChannel *channel = &baked->clips[c].channels[i];
            if (channel->path != PELTI_CHANNEL_MORPH || !cache->skinned[channel->node])
                continue;
            cache->clip = &baked->clips[c];
            cache->curve = channel;
            return;
        }
}

static PeltStatus count_keys(GltfCache *cache, double fps, PeltError *err)
{
    const PeltiChannel *curve = cache->curve;
    PeltiSinkFrames *frames = &cache->head.frames;
    double first = (double)curve->times[0], last = (double)curve->times[curve->key_count - 1];
    frames->frame_count = curve->key_count;
    pelti_cache_times(frames, first, last, fps);
    if (curve->key_count < 2)
        return PELT_OK;
    double step = (last - first) / (curve->key_count - 1);
    for (int k = 0; k < curve->key_count; k++) {
        double off = (double)curve->times[k] - (first + k * step);
        if (!(step >= 1e-5 && fabs(off) <= 0.01 * step + 2 * (double)FLT_EPSILON * fabs(last)))
            return PELT_FAIL(err, PELT_BAD_INPUT,
                             "clip \"%.60s\": key %d of the weights is at %g s: they are to be a key a frame", cache->clip->name,
                             k, (double)curve->times[k]);
    }
    return PELT_OK;
}

/// Does the clip move an instance, by its node or one above it?
static PeltStatus find_motion(GltfCache *cache, bool *moves, PeltError *err)
{
    const PeltiCharacter *baked = cache->baked;
    bool *bears = PELTI_NEW(&cache->head.pool, bool, baked->node_count); // nodes that an instance hangs on
    *moves = false;
    if (!bears)
        return pelti_no_memory(err, (size_t)baked->node_count);
    for (int i = 0; i < cache->order_count; i++)
        for (int n = baked->instances[cache->order[i]].node; n >= 0 && !bears[n]; n = baked->nodes[n].parent)
            bears[n] = true;
    for (int c = 0; cache->clip && c < cache->clip->channel_count; c++)
        *moves = *moves || bears[cache->clip->channels[c].node];
    return PELT_OK;
}

static PeltStatus count_frames(GltfCache *cache, double fps, PeltError *err)
{
    PeltiSinkFrames *frames = &cache->head.frames;
    bool moves;
    find_curve(cache);
    if (cache->curve)
        return count_keys(cache, fps, err);
    frames->frame_count = 1;
    PELT_TRY(find_motion(cache, &moves, err));
    if (!moves) {
        cache->clip = NULL;
        cache->head.timeless = true;
        return PELT_OK;
    }
    if (cache->has_skin)
        return PELT_FAIL(err, PELT_BAD_INPUT,
                         "its skin has no curve of weights, so nothing says which frames of the nodes' motion belong to it: "
                         "bake more frames than one, or another kind of cache");
    frames->fps = fps > 0 ? fps : 30;
    frames->frame_count = pelti_clip_frames(cache->clip, frames->fps);
    if (frames->frame_count > PELTI_CACHE_STILL_MOST)
        return PELT_FAIL(err, PELT_BAD_INPUT, "clip \"%.60s\" has %d frames: at most %d are read", cache->clip->name,
                         frames->frame_count, PELTI_CACHE_STILL_MOST);
    return PELT_OK;
}

// ---- all of it

static PeltStatus open_gltf(PeltiCache *head, const PeltiCacheSource *source, PeltError *err)
{
    GltfCache *cache = (GltfCache *)head;
    PeltiGltf *doc = NULL;
    PELT_TRY(pelti_gltf_open(source->path, source->allocator, &doc, err));
    PeltStatus status = pelti_gltf_decode(doc, source->allocator, &cache->baked, err);
    pelti_gltf_close(doc);
    PELT_TRY(status);
    PELT_TRY(pelti_skeleton_order(cache->baked, err));
    PELT_TRY(order_instances(cache, source->who, err));
    PELT_TRY(count_frames(cache, source->fps, err));
    PELT_TRY(pelti_targets_create(&cache->mix, cache->baked, &head->pool, err));
    cache->pose = pelti_pose_new(&head->pool, cache->baked);
    cache->node_matrix = PELTI_NEW(&head->pool, PeltiNodeMatrix, cache->baked->node_count);
    cache->bones = PELTI_NEW(&head->pool, Mat34, cache->baked->bone_count);
    return head->pool.failed ? pelti_no_memory(err, (size_t)cache->baked->node_count * sizeof(PeltiNodeMatrix)) : PELT_OK;
}

static PeltStatus frame_gltf(PeltiCache *head, int index, Vec3 *points, PeltError *err)
{
    GltfCache *cache = (GltfCache *)head;
    const PeltiCharacter *baked = cache->baked;
    double time_s = cache->curve ? (double)cache->curve->times[index] : head->frames.fps > 0 ? index / head->frames.fps : 0;
    (void)err;
    pelti_pose_clip(baked, cache->clip, time_s, &cache->pose);
    pelti_pose_bones(baked, &cache->pose, cache->node_matrix, cache->bones);
    bool morphed = pelti_targets_mix(&cache->mix, &cache->pose);
    for (int i = 0; i < cache->order_count; i++) {
        const PeltiInstance *instance = &baked->instances[cache->order[i]];
        for (int p = instance->first_point; p < instance->first_point + instance->point_count; p++) {
            Vec3 rest = baked->rest_points[p];
            *points++ = mat34_apply(cache->bones[instance->bones[0]], morphed ? vec3_add(rest, cache->mix.offsets[p]) : rest);
        }
    }
    return PELT_OK;
}

static void close_gltf(PeltiCache *head)
{
    pelti_character_destroy(((GltfCache *)head)->baked);
}

const PeltiCacheKind pelti_cache_gltf = {".glb .vrm .gltf ", sizeof(GltfCache), open_gltf, frame_gltf, close_gltf};
