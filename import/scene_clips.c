/// Clips of FBX and Collada files as glTF animations.
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct ClipMaking {
    ImportScene *scene;
    const struct aiAnimation *from;
    PeltiJson *samplers, *channels;
    double ticks_per_s, start; ///< ticks; taken off, because glTF starts at 0 or later
} ClipMaking;

static double earliest(const struct aiAnimation *clip)
{
    double first = 0;
    for (unsigned c = 0; c < clip->mNumChannels; c++) {
        const struct aiNodeAnim *n = clip->mChannels[c];
        first = n->mNumPositionKeys ? fmin(first, n->mPositionKeys[0].mTime) : first;
        first = n->mNumRotationKeys ? fmin(first, n->mRotationKeys[0].mTime) : first;
        first = n->mNumScalingKeys ? fmin(first, n->mScalingKeys[0].mTime) : first;
    }
    for (unsigned c = 0; c < clip->mNumMorphMeshChannels; c++)
        first = clip->mMorphMeshChannels[c]->mNumKeys ? fmin(first, clip->mMorphMeshChannels[c]->mKeys[0].mTime) : first;
    return first;
}

typedef struct Keys {
    const float *times, *values; ///< [count], [count x width]
    int count, width;
} Keys;

/// `node` of glTF.
static void add_channel(ClipMaking *clip, int node, const char *path, Keys keys)
{
    const float *times = keys.times, *values = keys.values;
    int count = keys.count, width = keys.width;
    ImportScene *s = clip->scene;
    PeltiJson *sampler = pelti_json_new_object(), *channel = pelti_json_new_object();
    int index = pelti_json_count(clip->samplers);
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    bool weights = !strcmp(path, "weights"); // one number after the other, however many targets there are
    int times_at = import_array(s, (ImportArray){times, count, sizeof(float), "SCALAR", PELTI_GLTF_F32, 0});
    PeltiJson *accessor = pelti_json_at(pelti_gltf_out_list(&s->out, "accessors"), times_at);
    import_set_floats(s, accessor, "min", times, 1);
    import_set_floats(s, accessor, "max", times + count - 1, 1);
    import_set(s, sampler, "input", pelti_json_new_int(times_at));
    import_set(s, sampler, "output",
               pelti_json_new_int(import_array(s, (ImportArray){values, weights ? count * width : count,
                                                                (weights ? 1 : (size_t)width) * sizeof(float),
                                                                weights ? "SCALAR" : types[width], PELTI_GLTF_F32, 0})));
    import_set(s, channel, "sampler", pelti_json_new_int(index));
    PeltiJson *target = import_open(s, channel, "target", false);
    import_set(s, target, "node", pelti_json_new_int(node));
    import_set(s, target, "path", pelti_json_new_text(path));
    s->out.ok &= pelti_json_push(clip->samplers, sampler);
    s->out.ok &= pelti_json_push(clip->channels, channel);
}

/// `inverse`: one by each value.
static void add_vectors(ClipMaking *clip, int node, const char *path, const struct aiVectorKey *keys, unsigned count,
                        bool inverse)
{
    float *times = import_take(clip->scene, count, sizeof *times), *values = import_take(clip->scene, count, 3 * sizeof *values);
    for (unsigned k = 0; times && values && k < count; k++) {
        times[k] = (float)((keys[k].mTime - clip->start) / clip->ticks_per_s);
        values[3 * k] = keys[k].mValue.x;
        values[3 * k + 1] = keys[k].mValue.y;
        values[3 * k + 2] = keys[k].mValue.z;
        for (unsigned i = 3 * k; inverse && i < 3 * k + 3; i++)
            values[i] = 1 / values[i];
    }
    if (times && values && count)
        add_channel(clip, node, path, (Keys){times, values, (int)count, 3});
}

static void add_turns(ClipMaking *clip, int node, const struct aiQuatKey *keys, unsigned count)
{
    float *times = import_take(clip->scene, count, sizeof *times), *values = import_take(clip->scene, count, 4 * sizeof *values);
    for (unsigned k = 0; times && values && k < count; k++) {
        times[k] = (float)((keys[k].mTime - clip->start) / clip->ticks_per_s);
        values[4 * k] = keys[k].mValue.x;
        values[4 * k + 1] = keys[k].mValue.y;
        values[4 * k + 2] = keys[k].mValue.z;
        values[4 * k + 3] = keys[k].mValue.w;
    }
    if (times && values && count)
        add_channel(clip, node, "rotation", (Keys){times, values, (int)count, 4});
}

/// Weights of morph targets: "node*0" names the first geometry of a node; targets that have no key keep their default.
static void add_weights(ClipMaking *clip, const struct aiMeshMorphAnim *from)
{
    ImportScene *s = clip->scene;
    char name[1100];
    snprintf(name, sizeof name, "%s", from->mName.data);
    char *star = strrchr(name, '*');
    bool first = !star || !strcmp(star, "*0");
    if (star)
        *star = 0;
    int node = first ? import_find_node(s, name) : -1, width = node >= 0 ? s->nodes[node].target_count : 0;
    if (width <= 0 || !from->mNumKeys || !s->nodes[node].weights)
        return;
    float *times = import_take(s, from->mNumKeys, sizeof *times),
          *values = import_take(s, (size_t)from->mNumKeys * (size_t)width, sizeof *values);
    for (unsigned k = 0; times && values && k < from->mNumKeys; k++) {
        const struct aiMeshMorphKey *key = &from->mKeys[k];
        float *row = values + (size_t)k * (size_t)width;
        times[k] = (float)((key->mTime - clip->start) / clip->ticks_per_s);
        memcpy(row, s->nodes[node].weights, (size_t)width * sizeof *row);
        for (unsigned i = 0; i < key->mNumValuesAndWeights; i++)
            if (key->mValues[i] < (unsigned)width && isfinite(key->mWeights[i]))
                row[key->mValues[i]] = (float)key->mWeights[i];
    }
    if (times && values)
        add_channel(clip, node + 1, "weights", (Keys){times, values, (int)from->mNumKeys, width});
}

void import_clips(ImportScene *s)
{
    for (unsigned a = 0; a < s->from->mNumAnimations; a++) {
        const struct aiAnimation *from = s->from->mAnimations[a];
        if (from->mNumChannels == 0 && from->mNumMorphMeshChannels == 0)
            continue;
        PeltiJson *json = import_append(s, "animations", NULL);
        if (from->mName.length)
            import_set(s, json, "name", pelti_json_new_text(from->mName.data));
        ClipMaking clip = {s,
                           from,
                           import_open(s, json, "samplers", true),
                           import_open(s, json, "channels", true),
                           from->mTicksPerSecond > 0 ? from->mTicksPerSecond : 25, // what Assimp says of files that do not
                           earliest(from)};
        for (unsigned c = 0; c < from->mNumChannels; c++) {
            const struct aiNodeAnim *n = from->mChannels[c];
            int node = import_find_node(s, n->mNodeName.data);
            if (node < 0)
                continue;
            int helper = s->nodes[node].helper;
            add_vectors(&clip, helper ? helper : node + 1, "translation", n->mPositionKeys, n->mNumPositionKeys, false);
            add_turns(&clip, node + 1, n->mRotationKeys, n->mNumRotationKeys);
            add_vectors(&clip, node + 1, "scale", n->mScalingKeys, n->mNumScalingKeys, false);
            for (int child = 0; child < s->node_count; child++)
                if (s->nodes[child].helper && s->nodes[child].parent == node)
                    add_vectors(&clip, s->nodes[child].helper, "scale", n->mScalingKeys, n->mNumScalingKeys, true);
        }
        for (unsigned c = 0; c < from->mNumMorphMeshChannels; c++)
            add_weights(&clip, from->mMorphMeshChannels[c]);
    }
}
