/// Morph targets: offsets of positions, dense or sparse, of every instance that shows a mesh with targets.
#include "io/gltf_parts.h"

#include <string.h>

static const float OFFSET_MOST = 1e15f;

/// Weights of the node, else of the mesh, else zeros.
static PeltStatus read_defaults(PeltiGltfReader *reader, const PeltiInstance *instance, float *out, PeltError *err)
{
    PeltiJsonAt nodes = pelti_json_member(&reader->root, "nodes"), meshes = pelti_json_member(&reader->root, "meshes");
    PeltiJsonAt node = pelti_json_item(&nodes, instance->node), mesh = pelti_json_item(&meshes, instance->mesh);
    PeltiJsonAt list = pelti_json_member(&node, "weights");
    int count = 0;
    if (!list.value)
        list = pelti_json_member(&mesh, "weights");
    PELT_TRY(pelti_json_array(&list, PELTI_OPTIONAL, &count, err));
    for (int t = 0; t < instance->target_count && t < count; t++) {
        PeltiJsonAt item = pelti_json_item(&list, t);
        double weight = 0;
        PELT_TRY(pelti_json_double(&item, PELTI_REQUIRED, -1e6, 1e6, &weight, err));
        out[t] = (float)weight;
    }
    return PELT_OK;
}

/// Offsets of one primitive in one target, zero where it has none.
static PeltStatus decode_offsets(PeltiGltfReader *reader, int accessor, int count, Vec3 *out, PeltError *err)
{
    if (accessor < 0) {
        memset(out, 0, (size_t)count * sizeof *out);
        return PELT_OK;
    }
    if (reader->doc->accessors[accessor].count < count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: a morph target of %d offsets for %d vertices", accessor,
                         reader->doc->accessors[accessor].count, count);
    PELT_TRY(
        pelti_gltf_spend(reader, accessor, (size_t)count, err)); // a sparse one may be long for nothing: some time, no memory
    PELT_TRY(pelti_gltf_floats_of(reader->doc, (PeltiGltfSpan){accessor, 3, 0, count}, &out->x, err));
    for (int i = 0; i < count; i++)
        if (!(fabsf(out[i].x) <= OFFSET_MOST && fabsf(out[i].y) <= OFFSET_MOST && fabsf(out[i].z) <= OFFSET_MOST))
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: the morph target moves vertex %d by (%g, %g, %g)", accessor, i,
                             (double)out[i].x, (double)out[i].y, (double)out[i].z);
    return PELT_OK;
}

/// Turned and scaled to rest space like the points themselves; points it does not move are left out.
static PeltStatus keep_target(PeltiGltfReader *reader, const PeltiInstance *instance, const Vec3 *offsets, PeltiTarget *target,
                              PeltError *err)
{
    PeltiPool *pool = &reader->who->pool;
    double m[3][4];
    int count = 0;
    for (int i = 0; i < instance->point_count; i++)
        count += offsets[i].x != 0 || offsets[i].y != 0 || offsets[i].z != 0;
    int *points = PELTI_NEW(pool, int, count);
    Vec3 *kept = PELTI_NEW(pool, Vec3, count);
    if (!points || !kept)
        return pelti_no_memory(err, (size_t)count * sizeof *kept);
    pelti_gltf_to_rest(reader, instance, m);
    for (int i = 0; i < instance->point_count; i++) {
        double x = (double)offsets[i].x, y = (double)offsets[i].y, z = (double)offsets[i].z;
        if (x == 0 && y == 0 && z == 0)
            continue;
        points[target->count] = instance->first_point + i;
        kept[target->count] =
            vec3((float)(m[0][0] * x + m[0][1] * y + m[0][2] * z), (float)(m[1][0] * x + m[1][1] * y + m[1][2] * z),
                 (float)(m[2][0] * x + m[2][1] * y + m[2][2] * z));
        if (!vec3_finite(kept[target->count++]))
            return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %d: a morph target is too large for the world", instance->mesh);
    }
    target->points = points;
    target->offsets = kept;
    return PELT_OK;
}

static PeltStatus read_instance(PeltiGltfReader *reader, const PeltiInstance *instance, Vec3 *offsets, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    const PeltiGltfMesh *mesh = &doc->meshes[instance->mesh];
    for (int t = 0; t < instance->target_count; t++) {
        int at = 0, moved = 0;
        for (int p = 0; p < mesh->primitive_count; p++) {
            const PeltiGltfPrimitive *primitive = &doc->primitives[mesh->first_primitive + p];
            int accessor = t < primitive->target_count ? primitive->targets[t] : -1;
            PELT_TRY(decode_offsets(reader, accessor, primitive->point_count, offsets + at, err));
            at += primitive->point_count;
        }
        for (int i = 0; i < at; i++)
            moved += offsets[i].x != 0 || offsets[i].y != 0 || offsets[i].z != 0;
        PELT_TRY(pelti_gltf_spend(reader, 0, (size_t)moved * (sizeof(Vec3) + sizeof(int)), err));
        PELT_TRY(keep_target(reader, instance, offsets, &reader->who->targets[instance->first_target + t], err));
    }
    return read_defaults(reader, instance, reader->who->target_weights + instance->first_target, err);
}

PeltStatus pelti_gltf_read_targets(PeltiGltfReader *reader, PeltError *err)
{
    PeltiCharacter *who = reader->who;
    int most = 0;
    size_t count = 0;
    for (int i = 0; i < who->instance_count; i++) {
        PeltiInstance *instance = &who->instances[i];
        instance->first_target = (int)count;
        instance->target_count = reader->doc->meshes[instance->mesh].target_count;
        count += (size_t)instance->target_count;
        most = instance->target_count && instance->point_count > most ? instance->point_count : most;
        if (count > reader->doc->point_limit)
            return PELT_FAIL(err, PELT_BAD_INPUT,
                             "mesh %d: the scene now has %zu morph targets, more than a file of this size may", instance->mesh,
                             count);
    }
    who->target_count = (int)count;
    who->targets = PELTI_NEW(&who->pool, PeltiTarget, count);
    who->target_weights = PELTI_NEW(&who->pool, float, count);
    Vec3 *offsets = PELTI_NEW(&reader->work, Vec3, most);
    if (who->pool.failed || reader->work.failed)
        return pelti_no_memory(err, (size_t)most * sizeof(Vec3));
    for (int i = 0; i < who->instance_count; i++)
        if (who->instances[i].target_count)
            PELT_TRY(read_instance(reader, &who->instances[i], offsets, err));
    return PELT_OK;
}
