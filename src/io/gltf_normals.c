/// The file's normals, carried to rest space: what lets hard edges stay hard in the result.
#include "io/gltf_parts.h"

/// Turns the normals of an instance as its mesh stands at rest: n' ~ cofactor(M) n.
static void turn_normals(PeltiGltfReader *reader, const PeltiInstance *instance, Vec3 *normals)
{
    double m[3][4];
    pelti_gltf_to_rest(reader, instance, m);
    for (int p = 0; p < instance->point_count; p++) {
        const double n[3] = {(double)normals[p].x, (double)normals[p].y, (double)normals[p].z};
        double turned[3];
        for (int i = 0; i < 3; i++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            turned[i] = 0;
            for (int j = 0; j < 3; j++) {
                int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                turned[i] += (m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1]) * n[j];
            }
        }
        normals[p] = vec3((float)turned[0], (float)turned[1], (float)turned[2]);
    }
}

static bool is_usable(const PeltiGltf *doc, const PeltiGltfPrimitive *primitive)
{
    return primitive->position >= 0 && primitive->normal >= 0 && doc->accessors[primitive->normal].components == 3 &&
           doc->accessors[primitive->normal].count == primitive->point_count;
}

PeltStatus pelti_gltf_read_normals(PeltiGltfReader *reader, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    PeltiCharacter *who = reader->who;
    bool any = false;
    for (int p = 0; p < doc->primitive_count; p++)
        any = any || is_usable(doc, &doc->primitives[p]);
    if (!any)
        return PELT_OK;
    who->file_normals = PELTI_NEW(&who->pool, Vec3, who->point_count);
    if (who->pool.failed)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(Vec3));
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *instance = &who->instances[i];
        const PeltiGltfMesh *mesh = &doc->meshes[instance->mesh];
        Vec3 *at = who->file_normals + instance->first_point;
        for (int p = 0; p < mesh->primitive_count; p++) {
            const PeltiGltfPrimitive *primitive = &doc->primitives[mesh->first_primitive + p];
            if (is_usable(doc, primitive))
                PELT_TRY(pelti_gltf_floats(doc, primitive->normal, 3, &at->x, err));
            at += primitive->point_count;
        }
        at = who->file_normals + instance->first_point;
        if (instance->skin < 0 || !reader->skins[instance->skin].is_scaled_only)
            turn_normals(reader, instance, at);
        for (int p = 0; p < instance->point_count; p++)
            at[p] = vec3_normalize_or(at[p], vec3(0, 0, 0));
    }
    return PELT_OK;
}
