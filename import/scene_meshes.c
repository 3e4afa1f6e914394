/// Writes the meshes and skins of FBX and Collada files as glTF.
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- skins

int import_joint(const ImportSkin *skin, int node)
{
    for (int k = 0; k < skin->joint_count; k++)
        if (skin->joints[k] == node)
            return k;
    return -1;
}

static void add_bones(ImportScene *s, const struct aiMesh *mesh, ImportSkin *skin)
{
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        int node = import_find_node(s, mesh->mBones[b]->mName.data);
        if (node < 0 || import_joint(skin, node) >= 0)
            continue;
        skin->joints[skin->joint_count] = node;
        import_columns(&mesh->mBones[b]->mOffsetMatrix, skin->inverse + 16 * skin->joint_count++);
    }
}

static int write_skin(ImportScene *s, const ImportSkin *skin)
{
    int index;
    PeltiJson *json = import_append(s, "skins", &index), *joints = import_open(s, json, "joints", true);
    for (int k = 0; joints && k < skin->joint_count; k++)
        s->out.ok &= pelti_json_push(joints, pelti_json_new_int(skin->joints[k] + 1));
    import_set(s, json, "inverseBindMatrices",
               pelti_json_new_int(import_array(
                   s, (ImportArray){skin->inverse, skin->joint_count, 16 * sizeof(float), "MAT4", PELTI_GLTF_F32, 0})));
    return index;
}

// ---- primitives

/// `width` floats from `offset` of every point's row.
static int write_floats(ImportScene *s, ImportPart *part, int offset, int width, const char *type)
{
    float *values = import_take(s, (size_t)part->point_count, (size_t)width * sizeof *values);
    for (int p = 0; values && p < part->point_count; p++)
        memcpy(values + p * width, import_part_row(part, part->first[p]) + offset, (size_t)width * sizeof *values);
    int accessor = import_array(s, (ImportArray){values, values ? part->point_count : 0, (size_t)width * sizeof(float), type,
                                                 PELTI_GLTF_F32, PELTI_GLTF_VERTICES});
    if (width != 3 || !values)
        return accessor;
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * part->point_count; i++) {
        low[i % 3] = fminf(low[i % 3], values[i]);
        high[i % 3] = fmaxf(high[i % 3], values[i]);
    }
    PeltiJson *json = pelti_json_at(pelti_gltf_out_list(&s->out, "accessors"), accessor);
    import_set_floats(s, json, "min", low, 3);
    import_set_floats(s, json, "max", high, 3);
    return accessor;
}

static void write_weights(ImportScene *s, ImportPart *part, PeltiJson *attributes)
{
    for (int set = 0; set < part->set_count; set++) {
        uint16_t(*joints)[4] = import_take(s, (size_t)part->point_count, sizeof *joints);
        float(*weights)[4] = import_take(s, (size_t)part->point_count, sizeof *weights);
        char key[24];
        if (!joints || !weights)
            return;
        for (int p = 0; p < part->point_count; p++) {
            unsigned at;
            int count = import_part_influences(part, part->first[p], &at) - 4 * set;
            for (int k = 0; k < 4 && k < count; k++) {
                joints[p][k] = part->joint[at + 4 * (unsigned)set + (unsigned)k];
                weights[p][k] = part->weight[at + 4 * (unsigned)set + (unsigned)k];
            }
        }
        snprintf(key, sizeof key, "JOINTS_%d", set);
        import_set(s, attributes, key,
                   pelti_json_new_int(import_array(s, (ImportArray){joints, part->point_count, sizeof *joints, "VEC4",
                                                                    PELTI_GLTF_U16, PELTI_GLTF_VERTICES})));
        snprintf(key, sizeof key, "WEIGHTS_%d", set);
        import_set(s, attributes, key,
                   pelti_json_new_int(import_array(s, (ImportArray){weights, part->point_count, sizeof *weights, "VEC4",
                                                                    PELTI_GLTF_F32, PELTI_GLTF_VERTICES})));
    }
}

static int write_corners(ImportScene *s, ImportPart *part)
{
    const struct aiMesh *m = part->from;
    uint32_t *corners = import_take(s, (size_t)m->mNumFaces, 3 * sizeof *corners);
    int count = 0;
    for (unsigned f = 0; corners && f < m->mNumFaces; f++) {
        const struct aiFace *face = &m->mFaces[f];
        if (face->mNumIndices != 3 || face->mIndices[0] >= m->mNumVertices || face->mIndices[1] >= m->mNumVertices ||
            face->mIndices[2] >= m->mNumVertices)
            continue;
        for (int k = 0; k < 3; k++)
            corners[count++] = (uint32_t)part->point[face->mIndices[k]];
    }
    free(part->point);
    part->point = NULL;
    return import_array(s, (ImportArray){corners, count, sizeof *corners, "SCALAR", PELTI_GLTF_U32, PELTI_GLTF_CORNERS});
}

static void write_primitive(ImportScene *s, ImportPart *part, PeltiJson *primitives)
{
    PeltiJson *json = pelti_json_new_object();
    PeltiJson *attributes = import_open(s, json, "attributes", false);
    import_set(s, json, "indices", pelti_json_new_int(write_corners(s, part))); // first: `point` is large and goes then
    import_set(s, attributes, "POSITION", pelti_json_new_int(write_floats(s, part, 0, 3, "VEC3")));
    if (part->from->mNormals)
        import_set(s, attributes, "NORMAL", pelti_json_new_int(write_floats(s, part, IMPORT_NORMAL, 3, "VEC3")));
    if (part->from->mTextureCoords[0])
        import_set(s, attributes, "TEXCOORD_0", pelti_json_new_int(write_floats(s, part, IMPORT_UV, 2, "VEC2")));
    write_weights(s, part, attributes);
    if (part->from->mMaterialIndex < s->from->mNumMaterials)
        import_set(s, json, "material", pelti_json_new_int((int)part->from->mMaterialIndex));
    PeltiJson *targets = part->targets ? import_open(s, json, "targets", true) : NULL;
    for (int t = 0; targets && t < part->targets; t++) {
        PeltiJson *target = pelti_json_new_object();
        import_set(s, target, "POSITION", pelti_json_new_int(write_floats(s, part, IMPORT_FIXED + 3 * t, 3, "VEC3")));
        s->out.ok &= pelti_json_push(targets, target);
    }
    s->out.ok &= pelti_json_push(primitives, json);
}

// ---- nodes with meshes

/// Triangles, and a number of vertices that glTF can count.
static bool is_drawn(const struct aiMesh *mesh)
{
    return mesh->mNumFaces > 0 && mesh->mNumVertices > 0 && mesh->mNumVertices < (1u << 30) && mesh->mVertices;
}

static void write_defaults(ImportScene *s, const struct aiMesh *mesh, ImportNode *node, PeltiJson *json)
{
    int targets = node->target_count;
    node->weights = import_take(s, (size_t)targets, sizeof *node->weights);
    PeltiJson *weights = import_open(s, json, "weights", true);
    PeltiJson *names = import_open(s, import_open(s, json, "extras", false), "targetNames", true);
    for (int t = 0; weights && names && t < targets; t++) {
        float weight = isfinite(mesh->mAnimMeshes[t]->mWeight) ? mesh->mAnimMeshes[t]->mWeight : 0;
        if (node->weights)
            node->weights[t] = weight;
        s->out.ok &= pelti_json_push(weights, pelti_json_new_float(weight));
        s->out.ok &= pelti_json_push(names, pelti_json_new_text(mesh->mAnimMeshes[t]->mName.data));
    }
}

static PeltStatus write_mesh(ImportScene *s, int node, ImportSkin *skin, PeltError *err)
{
    const struct aiNode *from = s->nodes[node].from;
    int drawn = 0, targets = INT32_MAX, bones = 0, index;
    const struct aiMesh *first = NULL;
    for (unsigned i = 0; i < from->mNumMeshes; i++) {
        const struct aiMesh *mesh = s->from->mMeshes[from->mMeshes[i]];
        if (!is_drawn(mesh))
            continue;
        first = first ? first : mesh;
        drawn++;
        bones += mesh->mNumBones > 0;
        targets = (int)mesh->mNumAnimMeshes < targets ? (int)mesh->mNumAnimMeshes : targets;
        add_bones(s, mesh, skin);
    }
    if (drawn == 0)
        return PELT_OK;
    PeltiJson *json = import_append(s, "meshes", &index), *primitives = import_open(s, json, "primitives", true);
    import_set(s, json, "name", pelti_json_new_text(from->mName.data));
    for (unsigned i = 0; i < from->mNumMeshes; i++) {
        const struct aiMesh *mesh = s->from->mMeshes[from->mMeshes[i]];
        ImportPart part = {0};
        if (!is_drawn(mesh))
            continue;
        bool ok = import_part(s, mesh, skin, targets, &part);
        if (ok)
            write_primitive(s, &part, primitives);
        import_part_release(&part);
        if (!ok || !s->out.ok)
            return pelti_no_memory(err, (size_t)mesh->mNumVertices * sizeof(float));
    }
    s->nodes[node].target_count = targets;
    if (targets > 0)
        write_defaults(s, first, &s->nodes[node], json);
    PeltiJson *shown = pelti_json_at(pelti_gltf_out_list(&s->out, "nodes"), node + 1);
    import_set(s, shown, "mesh", pelti_json_new_int(index));
    if (bones && skin->joint_count)
        import_set(s, shown, "skin", pelti_json_new_int(write_skin(s, skin)));
    return PELT_OK;
}

PeltStatus import_meshes(ImportScene *s, PeltError *err)
{
    for (int n = 0; n < s->node_count; n++) {
        const struct aiNode *from = s->nodes[n].from;
        ImportSkin skin = {0};
        size_t most = 0;
        for (unsigned i = 0; i < from->mNumMeshes; i++)
            most += s->from->mMeshes[from->mMeshes[i]]->mNumBones;
        if (from->mNumMeshes == 0)
            continue;
        skin.joints = import_take(s, most, sizeof *skin.joints);
        skin.inverse = import_take(s, most, 16 * sizeof *skin.inverse);
        if (!skin.joints || !skin.inverse)
            return pelti_no_memory(err, most * 16 * sizeof(float));
        PELT_TRY(write_mesh(s, n, &skin, err));
    }
    return PELT_OK;
}
