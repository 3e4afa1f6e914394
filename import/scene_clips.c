/// Clips of FBX and Collada files as glTF animations.
#include "scene.h"

#include <math.h>

typedef struct Clip {
    ImportScene *scene;
    const struct aiAnimation *from;
    PeltiJson *samplers, *channels;
    double ticks_per_s, start; ///< ticks; taken off, because glTF starts at 0 or later
} Clip;

static double earliest(const struct aiAnimation *clip)
{
    double first = 0;
    for (unsigned c = 0; c < clip->mNumChannels; c++) {
        const struct aiNodeAnim *n = clip->mChannels[c];
        first = n->mNumPositionKeys ? fmin(first, n->mPositionKeys[0].mTime) : first;
        first = n->mNumRotationKeys ? fmin(first, n->mRotationKeys[0].mTime) : first;
        first = n->mNumScalingKeys ? fmin(first, n->mScalingKeys[0].mTime) : first;
    }
    return first;
}

/// `node` of glTF.
static void add_channel(Clip *clip, int node, const char *path, const float *times, const float *values, int count, int width)
{
    ImportScene *s = clip->scene;
    PeltiJson *sampler = pelti_json_new_object(), *channel = pelti_json_new_object();
    int index = pelti_json_count(clip->samplers);
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    int times_at = import_array(s, times, count, sizeof(float), "SCALAR", PELTI_GLTF_F32, 0);
    PeltiJson *accessor = pelti_json_at(pelti_gltf_out_list(&s->out, "accessors"), times_at);
    import_set_floats(s, accessor, "min", times, 1);
    import_set_floats(s, accessor, "max", times + count - 1, 1);
    import_set(s, sampler, "input", pelti_json_new_int(times_at));
    import_set(
        s, sampler, "output",
        pelti_json_new_int(import_array(s, values, count, (size_t)width * sizeof(float), types[width], PELTI_GLTF_F32, 0)));
    import_set(s, channel, "sampler", pelti_json_new_int(index));
    PeltiJson *target = import_open(s, channel, "target", false);
    import_set(s, target, "node", pelti_json_new_int(node));
    import_set(s, target, "path", pelti_json_new_text(path));
    s->out.ok &= pelti_json_push(clip->samplers, sampler);
    s->out.ok &= pelti_json_push(clip->channels, channel);
}

/// `inverse`: one by each value.
static void add_vectors(Clip *clip, int node, const char *path, const struct aiVectorKey *keys, unsigned count, bool inverse)
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
        add_channel(clip, node, path, times, values, (int)count, 3);
}

static void add_turns(Clip *clip, int node, const struct aiQuatKey *keys, unsigned count)
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
        add_channel(clip, node, "rotation", times, values, (int)count, 4);
}

void import_clips(ImportScene *s)
{
    for (unsigned a = 0; a < s->from->mNumAnimations; a++) {
        const struct aiAnimation *from = s->from->mAnimations[a];
        if (from->mNumChannels == 0)
            continue;
        PeltiJson *json = import_append(s, "animations", NULL);
        if (from->mName.length)
            import_set(s, json, "name", pelti_json_new_text(from->mName.data));
        Clip clip = {s,
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
    }
}
