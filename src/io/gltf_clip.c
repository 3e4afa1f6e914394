/// Animations: clips of channels over nodes.
#include "io/gltf_parts.h"

#include <string.h>

static const float TIME_MOST_S = 1e6f, VALUE_MOST = 1e15f;

/// Accessors decoded so far: channels share times, and clips may share everything.
typedef struct Cache {
    float **times;      ///< [accessor_count] NULL: not decoded
    float **values;     ///< [accessor_count]
    int *node_instance; ///< [node_count] the instance a node is, -1: none
} Cache;

typedef struct Sampler {
    int input, output;
    PeltiChannelInterpolation interpolation;
} Sampler;

static PeltStatus read_times(PeltiGltfReader *reader, int accessor, float **slot, PeltError *err)
{
    int count = reader->doc->accessors[accessor].count, nudged = 0;
    PELT_TRY(pelti_gltf_spend(reader, accessor, (size_t)count * sizeof(float), err));
    float *times = PELTI_NEW(&reader->who->pool, float, count);
    if (!times)
        return pelti_no_memory(err, (size_t)count * sizeof(float));
    PELT_TRY(pelti_gltf_floats(reader->doc, accessor, 1, times, err));
    for (int k = 0; k < count; k++) {
        if (!(fabsf(times[k]) <= TIME_MOST_S))
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: key %d is at %g s: times go to %g s", accessor, k,
                             (double)times[k], (double)TIME_MOST_S);
        float file_time = times[k];
        if (k > 0 && file_time <= times[k - 1]) { // a jump written as two keys at one time
            times[k] = nextafterf(times[k - 1], 2 * TIME_MOST_S);
            nudged++;
        }
        if (k > 0 && file_time < times[k - 1] - 1e-5f * (1 + fabsf(file_time)))
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: key %d at %g s comes before key %d at %g s", accessor, k,
                             (double)file_time, k - 1, (double)times[k - 1]);
    }
    if (nudged)
        pelti_warn(&reader->who->log, "keys-at-once", "accessor %d: %d key times do not rise; they are moved by the least step",
                   accessor, nudged);
    *slot = times;
    return PELT_OK;
}

static PeltStatus read_values(PeltiGltfReader *reader, int accessor, int width, float **slot, PeltError *err)
{
    const PeltiGltfAccessor *a = &reader->doc->accessors[accessor];
    size_t count = (size_t)a->count * (size_t)a->components;
    PELT_TRY(pelti_gltf_spend(reader, accessor, count * sizeof(float), err));
    float *values = PELTI_NEW(&reader->who->pool, float, count);
    if (!values)
        return pelti_no_memory(err, count * sizeof(float));
    PELT_TRY(pelti_gltf_floats(reader->doc, accessor, width, values, err));
    for (size_t k = 0; k < count; k++)
        if (!(fabsf(values[k]) <= VALUE_MOST))
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: element %zu holds %g: values go to %g", accessor,
                             k / (size_t)width, (double)values[k], (double)VALUE_MOST);
    *slot = values;
    return PELT_OK;
}

static PeltStatus read_sampler(const PeltiGltf *doc, const PeltiJsonAt *item, Sampler *out, PeltError *err)
{
    static const char *const names[] = {
        [PELTI_CHANNEL_LINEAR] = "LINEAR", [PELTI_CHANNEL_STEP] = "STEP", [PELTI_CHANNEL_CUBIC] = "CUBICSPLINE"};
    PeltiJsonAt input = pelti_json_member(item, "input"), output = pelti_json_member(item, "output"),
                mode = pelti_json_member(item, "interpolation");
    const char *name = "LINEAR";
    PELT_TRY(pelti_json_index(&input, PELTI_REQUIRED, doc->accessor_count, "accessor", &out->input, err));
    PELT_TRY(pelti_json_index(&output, PELTI_REQUIRED, doc->accessor_count, "accessor", &out->output, err));
    PELT_TRY(pelti_json_string(&mode, PELTI_OPTIONAL, &name, err));
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, names[i])) {
            out->interpolation = (PeltiChannelInterpolation)i;
            return PELT_OK;
        }
    return PELT_FAIL(err, PELT_BAD_INPUT, "%s: \"%.20s\" is not an interpolation of glTF", PELTI_JSON_PATH(&mode), name);
}

/// The path Pelt plays, -1: pointers and whatever else.
static int find_path(const char *name)
{
    static const char *const names[] = {[PELTI_CHANNEL_TRANSLATION] = "translation",
                                        [PELTI_CHANNEL_ROTATION] = "rotation",
                                        [PELTI_CHANNEL_SCALE] = "scale",
                                        [PELTI_CHANNEL_MORPH] = "weights"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

/// Adds the channel to the clip unless it moves no node; its last key counts for the duration all the same.
static PeltStatus read_channel(PeltiGltfReader *reader, Cache *cache, const PeltiJsonAt *item, const PeltiJsonAt *samplers,
                               PeltiClip *clip, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    PeltiChannel *channels = (PeltiChannel *)clip->channels; // still being filled
    PeltiJsonAt sampler_at = pelti_json_member(item, "sampler"), target = pelti_json_member(item, "target"),
                node_at = pelti_json_member(&target, "node"), path_at = pelti_json_member(&target, "path");
    int index = 0, node = -1;
    const char *path_name = "";
    Sampler sampler;
    PELT_TRY(pelti_json_index(&sampler_at, PELTI_REQUIRED, pelti_json_count(samplers->value), "sampler", &index, err));
    PELT_TRY(pelti_json_index(&node_at, PELTI_OPTIONAL, doc->node_count, "node", &node, err));
    PELT_TRY(pelti_json_string(&path_at, PELTI_REQUIRED, &path_name, err));
    PeltiJsonAt sampler_item = pelti_json_item(samplers, index);
    PELT_TRY(read_sampler(doc, &sampler_item, &sampler, err));
    if (!cache->times[sampler.input])
        PELT_TRY(read_times(reader, sampler.input, &cache->times[sampler.input], err));
    int keys = doc->accessors[sampler.input].count, path = find_path(path_name);
    if (keys > 0 && cache->times[sampler.input][keys - 1] > clip->duration_s)
        clip->duration_s = cache->times[sampler.input][keys - 1];
    if (path < 0)
        pelti_warn(&reader->who->log, "channel-unknown", "clip \"%.60s\": channels that move \"%.40s\" are not played",
                   clip->name, path_name);
    const PeltiInstance *shown = path == PELTI_CHANNEL_MORPH && node >= 0 && cache->node_instance[node] >= 0
                                     ? &reader->who->instances[cache->node_instance[node]]
                                     : NULL;
    if (node < 0 || path < 0 || keys == 0 || (path == PELTI_CHANNEL_MORPH && (!shown || shown->target_count == 0)))
        return PELT_OK;
    int width = path == PELTI_CHANNEL_ROTATION ? 4
                : path == PELTI_CHANNEL_MORPH  ? 1
                                               : 3,
        per_key = sampler.interpolation == PELTI_CHANNEL_CUBIC ? 3 : 1;
    int64_t per_value = shown ? shown->target_count : 1;
    if (doc->accessors[sampler.output].components != width ||
        doc->accessors[sampler.output].count < (int64_t)keys * per_key * per_value)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %d keys (accessor %d) and %d values of %d components (accessor %d) for %s",
                         PELTI_JSON_PATH(&sampler_item), keys, sampler.input, doc->accessors[sampler.output].count,
                         doc->accessors[sampler.output].components, sampler.output, path_name);
    if (!cache->values[sampler.output])
        PELT_TRY(read_values(reader, sampler.output, width, &cache->values[sampler.output], err));
    channels[clip->channel_count++] = (PeltiChannel){node,
                                                     (PeltiChannelPath)path,
                                                     sampler.interpolation,
                                                     keys,
                                                     cache->times[sampler.input],
                                                     cache->values[sampler.output],
                                                     shown ? shown->target_count : width,
                                                     shown ? shown->first_target : 0};
    return PELT_OK;
}

static PeltStatus read_clip(PeltiGltfReader *reader, Cache *cache, const PeltiJsonAt *item, int index, PeltError *err)
{
    PeltiClip *clip = &reader->who->clips[index];
    PeltiJsonAt list = pelti_json_member(item, "channels"), samplers = pelti_json_member(item, "samplers");
    int count, sampler_count;
    PELT_TRY(pelti_json_array(&list, PELTI_OPTIONAL, &count, err));
    PELT_TRY(pelti_json_array(&samplers, PELTI_OPTIONAL, &sampler_count, err));
    PeltiChannel *channels = PELTI_NEW(&reader->who->pool, PeltiChannel, count);
    clip->name = pelti_gltf_name(&reader->who->pool, item, "anim%d", index);
    clip->channels = channels;
    if (!channels || !clip->name)
        return pelti_no_memory(err, (size_t)count * sizeof *channels);
    for (int c = 0; c < count; c++) {
        PeltiJsonAt channel = pelti_json_item(&list, c);
        PELT_TRY(read_channel(reader, cache, &channel, &samplers, clip, err));
    }
    if (clip->channel_count == 0)
        pelti_warn(&reader->who->log, "clip-empty", "clip \"%.60s\" moves no node", clip->name);
    return PELT_OK;
}

PeltStatus pelti_gltf_read_clips(PeltiGltfReader *reader, PeltError *err)
{
    PeltiCharacter *who = reader->who;
    PeltiJsonAt list = pelti_json_member(&reader->root, "animations");
    Cache cache = {PELTI_NEW(&reader->work, float *, reader->doc->accessor_count),
                   PELTI_NEW(&reader->work, float *, reader->doc->accessor_count),
                   PELTI_NEW(&reader->work, int, reader->doc->node_count)};
    who->clips = PELTI_NEW(&who->pool, PeltiClip, reader->doc->clip_count);
    if (reader->work.failed || who->pool.failed)
        return pelti_no_memory(err, (size_t)reader->doc->accessor_count * sizeof(float *));
    for (int n = 0; n < reader->doc->node_count; n++)
        cache.node_instance[n] = -1;
    for (int i = 0; i < who->instance_count; i++)
        cache.node_instance[who->instances[i].node] = i;
    who->clip_count = reader->doc->clip_count;
    for (int c = 0; c < who->clip_count; c++) {
        PeltiJsonAt item = pelti_json_item(&list, c);
        PELT_TRY(read_clip(reader, &cache, &item, c, err));
    }
    return PELT_OK;
}
