/// Meshes of the new skin: weights, and the new morph targets behind the file's own.
/// A mesh gets the targets that move one of its points; each is kept sparse where that takes fewer bytes.
#include "io/gltf_parts.h"
#include "io/gltf_reskin.h"

#include <stdio.h>
#include <string.h>

typedef struct Part { ///< a primitive and its points
    const PeltiGltfPrimitive *facts;
    PeltiJson *json;
    int first_point;
} Part;

static int push_array(PeltiGltfOut *out, const void *bytes, size_t size, PeltiGltfOutAccessor accessor)
{
    accessor.view = pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, bytes, size), size, 0, PELTI_GLTF_VERTICES);
    return pelti_gltf_out_accessor(out, &accessor);
}

// ---- weights

/// Four influences of every point of a part, from the `set`-th four on: slots 0 where the weight is 0.
static void put_row(const PeltiReskinWork *work, const int *slot, size_t from, uint16_t *joints, float *weights)
{
    const PeltiWeights *w = &work->def->weights;
    for (size_t k = 0; k < 4; k++) {
        bool held = w->weight[from + k] > 0;
        joints[k] = held ? (uint16_t)slot[w->bone[from + k]] : 0;
        weights[k] = held ? w->weight[from + k] : 0;
    }
}

/// Joints as bytes where they fit.
static void narrow(uint16_t *joints, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)joints)[i] = (unsigned char)joints[i];
}

static PeltStatus set_influences(PeltiReskinWork *work, const PeltiInstance *instance, const Part *part, PeltError *err)
{
    const PeltiReskinSkin *skin = &work->skins[instance->skin];
    PeltiJson *attributes = pelti_json_get(part->json, "attributes");
    size_t points = (size_t)part->facts->point_count, influences = (size_t)work->def->weights.influences;
    bool small = skin->joint_count <= 256;
    pelti_gltf_out_drop_influences(part->json);
    for (size_t set = 0; set < influences / 4; set++) {
        uint16_t *joints = PELTI_NEW(&work->out->pool, uint16_t, 4 * points);
        float *weights = PELTI_NEW(&work->out->pool, float, 4 * points);
        char key[24];
        if (!joints || !weights)
            return pelti_no_memory(err, 4 * points * sizeof(float));
        for (size_t p = 0; p < points; p++)
            put_row(work, skin->slot, ((size_t)part->first_point + p) * influences + 4 * set, joints + 4 * p, weights + 4 * p);
        if (small)
            narrow(joints, 4 * points);
        PeltiGltfOutAccessor accessor = {
            .count = (int)points, .type = "VEC4", .component = small ? PELTI_GLTF_U8 : PELTI_GLTF_U16};
        int at = push_array(work->out, joints, 4 * points * (small ? 1 : sizeof(uint16_t)), accessor);
        snprintf(key, sizeof key, "JOINTS_%d", (int)set);
        bool ok = pelti_json_set(attributes, key, pelti_json_new_int(at));
        accessor.component = PELTI_GLTF_F32;
        at = push_array(work->out, weights, 4 * points * sizeof(float), accessor);
        snprintf(key, sizeof key, "WEIGHTS_%d", (int)set);
        work->out->ok &= ok && pelti_json_set(attributes, key, pelti_json_new_int(at));
    }
    return PELT_OK;
}

// ---- targets

static bool moves(const PeltiTarget *target, int first, int count)
{
    int low = 0, high = target->count; // the first point that is not before `first`
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (target->points[mid] < first)
            low = mid + 1;
        else
            high = mid;
    }
    return low < target->count && target->points[low] < first + count;
}

static PeltStatus gather(PeltiReskinWork *work, const Part *part, const PeltiTarget *target, double from_rest[3][4],
                         PeltiGltfOutOffsets *out, PeltError *err)
{
    PeltiPool *pool = &work->out->pool;
    int first = part->first_point, end = first + part->facts->point_count, from = 0;
    while (from < target->count && target->points[from] < first)
        from++;
    int to = from;
    while (to < target->count && target->points[to] < end)
        to++;
    *out = (PeltiGltfOutOffsets){.points = PELTI_NEW(pool, uint32_t, to - from), .moves = PELTI_NEW(pool, Vec3, to - from)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)(to - from) * sizeof(Vec3));
    for (int i = from; i < to; i++) {
        double v[3] = {(double)target->offsets[i].x, (double)target->offsets[i].y, (double)target->offsets[i].z};
        float m[3];
        for (int r = 0; r < 3; r++)
            m[r] = (float)(from_rest[r][0] * v[0] + from_rest[r][1] * v[1] + from_rest[r][2] * v[2]);
        out->points[out->count] = (uint32_t)(target->points[i] - first);
        out->moves[out->count++] = vec3(m[0], m[1], m[2]);
    }
    return PELT_OK;
}

/// Target `index` of a primitive; those between the last it has and this one move nothing.
static bool set_target(PeltiReskinWork *work, const Part *part, int index, const PeltiGltfOutOffsets *offsets)
{
    if (!pelti_json_get(part->json, "targets") && !pelti_json_set(part->json, "targets", pelti_json_new_array()))
        return false;
    PeltiJson *targets = pelti_json_get(part->json, "targets");
    bool ok = true;
    while (ok && pelti_json_count(targets) <= index) {
        PeltiGltfOutOffsets nothing = {0};
        const PeltiGltfOutOffsets *these = pelti_json_count(targets) == index ? offsets : &nothing;
        int at = pelti_json_count(targets);
        ok = pelti_json_push(targets, pelti_json_new_object()) &&
             pelti_json_set(pelti_json_at(targets, at), "POSITION",
                            pelti_json_new_int(pelti_gltf_out_offsets(work->out, part->facts->point_count, these)));
    }
    return ok;
}

static PeltStatus set_targets(PeltiReskinWork *work, int instance, const Part *part, PeltError *err)
{
    const PeltiInstance *shown = &work->def->who->instances[instance];
    double from_rest[3][4];
    if (!pelti_gltf_invert(work->skins[shown->skin].to_rest, from_rest))
        return PELT_FAIL(err, PELT_BAD_INPUT, "skin %d: its bind pose is flat", shown->skin);
    for (int k = work->instance_places[instance]; k < work->result->place_count; k++) {
        const PeltiReskinPlace *place = &work->result->places[k];
        PeltiGltfOutOffsets offsets;
        PELT_TRY(gather(work, part, &work->def->targets[place->target].moves, from_rest, &offsets, err));
        if (!set_target(work, part, place->index, &offsets))
            return pelti_no_memory(err, 0);
    }
    return PELT_OK;
}

/// Weights an object (mesh or node) gives its targets, made as long as there are targets now.
static bool fill_weights(PeltiJson *object, int count)
{
    PeltiJson *list = pelti_json_get(object, "weights");
    bool ok = list || pelti_json_set(object, "weights", pelti_json_new_array());
    list = pelti_json_get(object, "weights");
    while (ok && pelti_json_count(list) < count)
        ok = pelti_json_push(list, pelti_json_new_int(0));
    return ok;
}

/// Names are where viewers look for them: extras.targetNames.
static bool name_targets(PeltiReskinWork *work, int instance, PeltiJson *mesh)
{
    int own = work->def->who->instances[instance].target_count;
    char text[32];
    if (!pelti_json_get(mesh, "extras") && !pelti_json_set(mesh, "extras", pelti_json_new_object()))
        return false;
    PeltiJson *extras = pelti_json_get(mesh, "extras");
    if (!pelti_json_get(extras, "targetNames") && !pelti_json_set(extras, "targetNames", pelti_json_new_array()))
        return false;
    PeltiJson *names = pelti_json_get(extras, "targetNames");
    bool ok = true;
    for (int k = pelti_json_count(names); ok && k < own; k++) {
        snprintf(text, sizeof text, "target %d", k);
        ok = pelti_json_push(names, pelti_json_new_text(text));
    }
    for (int k = work->instance_places[instance]; ok && k < work->result->place_count; k++)
        ok = pelti_json_push(names, pelti_json_new_text(work->def->targets[work->result->places[k].target].name));
    return ok;
}

// ---- meshes

/// Which targets the instance gets, and their numbers.
static int list_places(PeltiReskinWork *work, int instance, int mesh)
{
    const PeltiInstance *shown = &work->def->who->instances[instance];
    PeltiReskinResult *result = work->result;
    int index = shown->target_count;
    for (int t = 0; t < work->def->target_count; t++)
        if (moves(&work->def->targets[t].moves, shown->first_point, shown->point_count))
            result->places[result->place_count++] = (PeltiReskinPlace){t, shown->node, mesh, index++};
    return index;
}

static PeltStatus edit_mesh(PeltiReskinWork *work, int instance, PeltiJson *mesh, int target_count, PeltError *err)
{
    const PeltiInstance *shown = &work->def->who->instances[instance];
    const PeltiGltf *doc = work->def->document;
    const PeltiGltfMesh *facts = &doc->meshes[shown->mesh];
    PeltiJson *old = pelti_json_get(mesh, "primitives"), *kept = pelti_json_new_array();
    PeltStatus status = kept ? PELT_OK : pelti_no_memory(err, 0);
    Part part = {.first_point = shown->first_point};
    for (int k = 0; status == PELT_OK && k < facts->primitive_count; k++) {
        part.facts = &doc->primitives[facts->first_primitive + k];
        part.json = pelti_json_at(old, k);
        if (part.facts->position < 0)
            continue; // draws nothing, and cannot have targets
        status = set_influences(work, shown, &part, err);
        if (status == PELT_OK)
            status = set_targets(work, instance, &part, err);
        if (status == PELT_OK && !pelti_json_push(kept, pelti_json_keep(part.json)))
            status = pelti_no_memory(err, 0);
        part.first_point += part.facts->point_count;
    }
    if (status != PELT_OK) {
        pelti_json_release(kept);
        return status;
    }
    bool ok = pelti_json_set(mesh, "primitives", kept);
    if (target_count > shown->target_count)
        ok = ok && fill_weights(mesh, target_count) && name_targets(work, instance, mesh);
    return ok ? PELT_OK : pelti_no_memory(err, 0);
}

PeltStatus pelti_gltf_reskin_meshes(PeltiReskinWork *work, PeltError *err)
{
    const PeltiCharacter *who = work->def->who;
    PeltiGltfOut *out = work->out;
    int *users = pelti_gltf_out_mesh_users(out, work->def->document);
    if (!users)
        return pelti_no_memory(err, 0);
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *shown = &who->instances[i];
        work->instance_places[i] = work->result->place_count;
        if (shown->skin < 0 || shown->point_count == 0)
            continue;
        int mesh = pelti_gltf_out_own_mesh(out, work->def->document, users, shown->mesh);
        PeltiJson *json = pelti_json_at(pelti_json_get(out->root, "meshes"), mesh),
                  *node = pelti_json_at(pelti_json_get(out->root, "nodes"), shown->node);
        if (mesh < 0 || !json || !pelti_json_set(node, "mesh", pelti_json_new_int(mesh)))
            return pelti_no_memory(err, 0);
        int target_count = list_places(work, i, mesh);
        PELT_TRY(edit_mesh(work, i, json, target_count, err));
        if (pelti_json_get(node, "weights") && !fill_weights(node, target_count))
            return pelti_no_memory(err, 0);
    }
    work->instance_places[who->instance_count] = work->result->place_count;
    return out->ok ? PELT_OK : pelti_no_memory(err, 0);
}
