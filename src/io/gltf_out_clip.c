/// What both writers of an edited document need: curves of clips, and a mesh of one's own to change.
#include "io/gltf_out.h"

#include <stdio.h>
#include <string.h>

int pelti_gltf_out_times(PeltiGltfOut *out, const float *times, int count)
{
    size_t bytes = (size_t)count * sizeof(float);
    int view = pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, times, bytes), bytes, 0, 0);
    PeltiGltfOutAccessor accessor = {.view = view,
                                     .count = count,
                                     .type = "SCALAR",
                                     .component = PELTI_GLTF_F32,
                                     .bound_count = 1,
                                     .low = times,
                                     .high = times + count - 1};
    return pelti_gltf_out_accessor(out, &accessor);
}

int pelti_gltf_out_sampler(PeltiGltfOut *out, PeltiJson *clip, const PeltiGltfOutCurve *curve)
{
    size_t bytes = (size_t)curve->count * (size_t)curve->components * sizeof(float);
    int view = pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, curve->values, bytes), bytes, 0, 0);
    const char *type = curve->components == 1 ? "SCALAR" : curve->components == 3 ? "VEC3" : "VEC4";
    PeltiGltfOutAccessor accessor = {.view = view, .count = curve->count, .type = type, .component = PELTI_GLTF_F32};
    PeltiJson *samplers = pelti_json_get(clip, "samplers"), *sampler = pelti_json_new_object();
    int index = pelti_json_count(samplers);
    bool ok = sampler && pelti_json_set(sampler, "input", pelti_json_new_int(curve->times));
    ok = ok && pelti_json_set(sampler, "interpolation", pelti_json_new_text("LINEAR"));
    ok = ok && pelti_json_set(sampler, "output", pelti_json_new_int(pelti_gltf_out_accessor(out, &accessor)));
    out->ok &= pelti_json_push(samplers, sampler) && ok;
    return index;
}

void pelti_gltf_out_channel(PeltiGltfOut *out, PeltiJson *clip, int sampler, int node, const char *path)
{
    PeltiJson *channel = pelti_json_new_object();
    bool ok = channel && pelti_json_set(channel, "sampler", pelti_json_new_int(sampler)) &&
              pelti_json_set(channel, "target", pelti_json_new_object());
    PeltiJson *target = pelti_json_get(channel, "target");
    ok = ok && pelti_json_set(target, "node", pelti_json_new_int(node)) &&
         pelti_json_set(target, "path", pelti_json_new_text(path));
    out->ok &= pelti_json_push(pelti_json_get(clip, "channels"), channel) && ok;
}

void pelti_gltf_out_track(PeltiGltfOut *out, PeltiJson *clip, const PeltiGltfOutTrack *track, PeltiChannelPath path)
{
    static const char *const paths[3] = {"translation", "rotation", "scale"};
    int width = path == PELTI_CHANNEL_ROTATION ? 4 : 3;
    float *values = PELTI_NEW(&out->pool, float, (size_t)track->key_count *(size_t)width);
    out->ok &= values != NULL;
    for (int k = 0; values && k < track->key_count; k++) {
        const Trs *trs = &track->transforms[track->stride * (size_t)k];
        Quat q = quat_normalize(trs->rotation);
        if (path == PELTI_CHANNEL_ROTATION && k > 0) { // the same side of the sphere as the key before
            const float *before = values + 4 * (k - 1);
            if (quat_dot(q, (Quat){before[0], before[1], before[2], before[3]}) < 0)
                q = (Quat){-q.x, -q.y, -q.z, -q.w};
        }
        const float *from = path == PELTI_CHANNEL_TRANSLATION ? &trs->translation.x
                            : path == PELTI_CHANNEL_ROTATION  ? &q.x
                                                              : &trs->scale.x;
        memcpy(values + k * width, from, (size_t)width * sizeof(float));
    }
    if (!values)
        return;
    PeltiGltfOutCurve curve = {.times = track->times, .values = values, .count = track->key_count, .components = width};
    pelti_gltf_out_channel(out, clip, pelti_gltf_out_sampler(out, clip, &curve), track->node, paths[path]);
}

bool pelti_gltf_out_lists(const PeltiJson *list, int value)
{
    for (int i = 0; i < pelti_json_count(list); i++)
        if (pelti_json_int_of(pelti_json_at(list, i), -1) == value)
            return true;
    return false;
}

int *pelti_gltf_out_mesh_users(PeltiGltfOut *out, const PeltiGltf *doc)
{
    int *users = PELTI_NEW(&out->pool, int, doc->mesh_count);
    for (int i = 0; users && i < doc->node_count; i++)
        if (doc->nodes[i].mesh >= 0)
            users[doc->nodes[i].mesh]++;
    return users;
}

int pelti_gltf_out_own_mesh(PeltiGltfOut *out, const PeltiGltf *doc, int *users, int mesh)
{
    if (--users[mesh] == 0)
        return mesh;
    PeltiJson *copy = pelti_json_copy(pelti_json_at(pelti_json_get(doc->root, "meshes"), mesh));
    return copy ? pelti_gltf_out_push(out, "meshes", copy) : -1;
}

void pelti_gltf_out_drop_influences(PeltiJson *primitive)
{
    PeltiJson *attributes = pelti_json_get(primitive, "attributes"), *extensions = pelti_json_get(primitive, "extensions");
    char key[24];
    for (int set = 0; set < 256; set++) {
        snprintf(key, sizeof key, "JOINTS_%d", set);
        pelti_json_remove(attributes, key);
        snprintf(key, sizeof key, "WEIGHTS_%d", set);
        pelti_json_remove(attributes, key);
    }
    if (extensions)
        pelti_json_remove(extensions, "KHR_draco_mesh_compression");
}
