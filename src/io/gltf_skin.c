/// Skins, their scale and the bones they make.
#include "core/hash.h"
#include "io/gltf_parts.h"
#include "math/elementary.h"
#include "math/order.h"

#include <stdlib.h>
#include <string.h>

double pelti_gltf_determinant(double a[3][4])
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

bool pelti_gltf_finite(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

bool pelti_gltf_invert(double a[3][4], double out[3][4])
{
    double det = pelti_gltf_determinant(a), size = 0, r[3][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            size = fmax(size, fabs(a[i][j]));
    if (!(fabs(det) > 1e-12 * size * size * size) || !isfinite(det)) // flat, to the accuracy of float matrices in a file
        return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            r[j][i] = (a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1]) / det;
        }
    for (int i = 0; i < 3; i++)
        r[i][3] = -(r[i][0] * a[0][3] + r[i][1] * a[1][3] + r[i][2] * a[2][3]);
    if (!pelti_gltf_finite(&r[0][0], 12))
        return false;
    memcpy(out, r, sizeof r);
    return true;
}

PeltStatus pelti_gltf_spend(PeltiGltfReader *reader, int accessor, size_t bytes, PeltError *err)
{
    if (bytes > reader->budget)
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: skins and animations name more data than a file of this size holds",
                         accessor);
    reader->budget -= bytes;
    return PELT_OK;
}

// ---- skins

static void set_identity(double m[3][4])
{
    memset(m, 0, 12 * sizeof(double));
    m[0][0] = m[1][1] = m[2][2] = 1;
}

/// A bind matrix nothing can be recovered from becomes the joint's place in the file's pose; identity if that is flat too.
static bool mend_bind(PeltiGltfReader *reader, PeltiGltfSkin *skin, int k)
{
    double unused[3][4];
    if (pelti_gltf_invert(skin->bind[k], unused))
        return false;
    if (!pelti_gltf_invert(reader->node_matrix[skin->joints[k]].m, skin->bind[k]))
        set_identity(skin->bind[k]);
    return true;
}

static PeltStatus read_binds(PeltiGltfReader *reader, const PeltiJsonAt *item, int index, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    PeltiGltfSkin *skin = &reader->skins[index];
    PeltiJsonAt binds = pelti_json_member(item, "inverseBindMatrices");
    int accessor = -1, mended = 0, first_mended = 0;
    PELT_TRY(pelti_json_index(&binds, PELTI_OPTIONAL, doc->accessor_count, "accessor", &accessor, err));
    if (accessor >= 0 && doc->accessors[accessor].count < skin->joint_count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "skin %d: %d joints but %d inverse bind matrices (accessor %d)", index,
                         skin->joint_count, doc->accessors[accessor].count, accessor);
    for (int k = 0; k < skin->joint_count; k++) {
        float column_major[16];
        set_identity(skin->bind[k]);
        if (accessor < 0)
            continue;
        PELT_TRY(pelti_gltf_floats_of(doc, (PeltiGltfSpan){accessor, 16, k, 1}, column_major, err));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++)
                skin->bind[k][i][j] = (double)column_major[4 * j + i] + 0.0; // no negative zeros: binds are compared as bytes
        if (!pelti_gltf_finite(&skin->bind[k][0][0], 12))
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: inverse bind matrix %d is not finite", accessor, k);
        if (mend_bind(reader, skin, k) && mended++ == 0)
            first_mended = k;
    }
    if (mended)
        pelti_warn(
            &reader->who->log, "bind-singular",
            "skin %d: %d inverse bind matrices are singular (the first is \"%.60s\"); the pose of the file is their bind pose",
            index, mended, reader->who->nodes[skin->joints[first_mended]].name);
    return PELT_OK;
}

/// Skins of one skeleton differ by rounding: one scale, so that they share bones.
static void share_scale(PeltiGltfReader *reader, PeltiGltfSkin *skin)
{
    for (int k = 0; k < reader->scale_count; k++)
        if (fabs(reader->scales[k] / skin->scale - 1) < 1e-5) {
            skin->scale = reader->scales[k];
            return;
        }
    if (reader->scale_count < PELTI_GLTF_SCALES)
        reader->scales[reader->scale_count++] = skin->scale;
}

/// Median over the joints of the cube root of |det| of world * bind in the file's pose: bind units -> world units.
static PeltStatus measure_scale(PeltiGltfReader *reader, int index, PeltError *err)
{
    PeltiGltfSkin *skin = &reader->skins[index];
    int count = skin->joint_count;
    double *scale = PELTI_NEW(&reader->work, double, count);
    if (!scale)
        return pelti_no_memory(err, (size_t)count * sizeof *scale);
    for (int k = 0; k < count; k++) {
        double m[3][4];
        mat34_mul_double(reader->node_matrix[skin->joints[k]].m, skin->bind[k], m);
        scale[k] = pelti_cbrt(fabs(pelti_gltf_determinant(m)));
    }
    qsort(scale, (size_t)count, sizeof *scale, pelti_double_order);
    skin->scale = count % 2 ? scale[count / 2] : 0.5 * (scale[count / 2 - 1] + scale[count / 2]);
    if (!(skin->scale > 1e-12) || !(skin->scale < 1e12)) {
        pelti_warn(&reader->who->log, "bind-scale",
                   "skin %d: its joints are flat in the file's pose; its bind pose is taken as it is", index);
        skin->scale = 1;
    }
    share_scale(reader, skin);
    return PELT_OK;
}

static PeltStatus read_skin(PeltiGltfReader *reader, const PeltiJsonAt *item, int index, PeltError *err)
{
    PeltiGltfSkin *skin = &reader->skins[index];
    PeltiJsonAt joints = pelti_json_member(item, "joints");
    PELT_TRY(pelti_json_array(&joints, PELTI_REQUIRED, &skin->joint_count, err));
    if (skin->joint_count == 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "skin %d: has no joints", index);
    skin->joints = PELTI_NEW(&reader->work, int, skin->joint_count);
    skin->bones = PELTI_NEW(&reader->who->pool, int, skin->joint_count);
    skin->bind = pelti_pool_take(&reader->work, (size_t)skin->joint_count, sizeof *skin->bind);
    skin->rest_to_bone = pelti_pool_take(&reader->work, (size_t)skin->joint_count, sizeof *skin->rest_to_bone);
    if (!skin->joints || !skin->bones || !skin->bind || !skin->rest_to_bone)
        return pelti_no_memory(err, (size_t)skin->joint_count * sizeof *skin->bind);
    for (int k = 0; k < skin->joint_count; k++) {
        PeltiJsonAt joint = pelti_json_item(&joints, k);
        PELT_TRY(pelti_json_index(&joint, PELTI_REQUIRED, reader->doc->node_count, "node", &skin->joints[k], err));
    }
    PELT_TRY(read_binds(reader, item, index, err));
    return measure_scale(reader, index, err);
}

PeltStatus pelti_gltf_read_skins(PeltiGltfReader *reader, PeltError *err)
{
    PeltiJsonAt list = pelti_json_member(&reader->root, "skins");
    reader->skins = PELTI_NEW(&reader->work, PeltiGltfSkin, reader->doc->skin_count);
    if (!reader->skins)
        return pelti_no_memory(err, (size_t)reader->doc->skin_count * sizeof *reader->skins);
    for (int i = 0; i < reader->who->instance_count; i++)
        if (reader->who->instances[i].skin >= 0)
            reader->skins[reader->who->instances[i].skin].used = true;
    for (int s = 0; s < reader->doc->skin_count; s++) {
        PeltiJsonAt item = pelti_json_item(&list, s);
        if (reader->skins[s].used)
            PELT_TRY(read_skin(reader, &item, s, err));
    }
    reader->who->skin_count = reader->doc->skin_count;
    return PELT_OK;
}

// ---- bones: one for each different pair of node and bind

typedef struct BoneTable { ///< open addressing, at most half full
    int *slots;            ///< bone or -1
    size_t mask;
    int *bone_above; ///< [node_count] first joint bone of the node or of its nearest ancestor that has one, -1: none
    int top_bone;    ///< of the joint nearest to the root of the node tree, -1: there is no joint
} BoneTable;

static int find_or_add_bone(PeltiCharacter *who, BoneTable *table, int node, double rest_to_bone[3][4])
{
    uint64_t hash = pelti_hash(pelti_hash(PELTI_HASH_START, &node, sizeof node), rest_to_bone, 12 * sizeof(double));
    size_t slot = (size_t)pelti_hash_mix(hash) & table->mask;
    for (; table->slots[slot] >= 0; slot = (slot + 1) & table->mask) {
        const PeltiBone *bone = &who->bones[table->slots[slot]];
        if (bone->node == node && !memcmp(bone->rest_to_bone, rest_to_bone, sizeof bone->rest_to_bone))
            return table->slots[slot];
    }
    int b = who->bone_count++;
    table->slots[slot] = b;
    who->bones[b].node = node;
    memcpy(who->bones[b].rest_to_bone, rest_to_bone, sizeof who->bones[b].rest_to_bone);
    if (table->bone_above[node] < 0)
        table->bone_above[node] = b;
    return b;
}

static void add_joint_bones(PeltiGltfReader *reader, int index, BoneTable *table, int *last_skin_of_node)
{
    PeltiGltfSkin *skin = &reader->skins[index];
    for (int k = 0; k < skin->joint_count; k++) {
        skin->bones[k] = find_or_add_bone(reader->who, table, skin->joints[k], skin->rest_to_bone[k]);
        if (last_skin_of_node[skin->joints[k]] == index + 1)
            pelti_warn(&reader->who->log, "joint-twice", "skin %d: lists the joint \"%.60s\" more than once", index,
                       reader->who->nodes[skin->joints[k]].name);
        last_skin_of_node[skin->joints[k]] = index + 1;
    }
}

/// rest = inverse(rest_to_bone) inverse(joint's world) world(node) p, of the nearest joint above or else of the topmost joint:
/// at rest a prop is where it is to that joint in the file's pose. world(node) p in a file without joints.
static void place_prop(const PeltiGltfReader *reader, const BoneTable *table, int node, double to_rest[3][4])
{
    const PeltiCharacter *who = reader->who;
    memcpy(to_rest, reader->node_matrix[node].m, 12 * sizeof(double));
    double bone_to_rest[3][4], world_to_joint[3][4], m[3][4];
    int b = table->bone_above[node] >= 0 ? table->bone_above[node] : table->top_bone;
    if (b >= 0 && pelti_gltf_invert(who->bones[b].rest_to_bone, bone_to_rest) &&
        pelti_gltf_invert(reader->node_matrix[who->bones[b].node].m, world_to_joint)) {
        mat34_mul_double(world_to_joint, reader->node_matrix[node].m, m);
        mat34_mul_double(bone_to_rest, m, to_rest);
    }
}

static PeltStatus add_prop_bone(PeltiGltfReader *reader, PeltiInstance *instance, const BoneTable *table, PeltError *err)
{
    PeltiCharacter *who = reader->who;
    double to_rest[3][4], rest_to_bone[3][4];
    int *bones = PELTI_NEW(&who->pool, int, 1);
    if (!bones)
        return pelti_no_memory(err, sizeof *bones);
    place_prop(reader, table, instance->node, to_rest);
    if (!pelti_gltf_invert(to_rest, rest_to_bone)) {
        set_identity(rest_to_bone);
        pelti_warn(&who->log, "prop-flat",
                   "node %d (\"%.60s\"): has no size in the file's pose; its mesh rests as it is in the file", instance->node,
                   who->nodes[instance->node].name);
    }
    bones[0] = who->bone_count++;
    who->bones[bones[0]].node = instance->node;
    who->bones[bones[0]].is_prop = true;
    memcpy(who->bones[bones[0]].rest_to_bone, rest_to_bone, sizeof rest_to_bone);
    instance->bones = bones;
    instance->bone_count = 1;
    instance->scale = (float)(1 / pelti_cbrt(fabs(pelti_gltf_determinant(rest_to_bone))));
    return PELT_OK;
}

void pelti_gltf_to_rest(const PeltiGltfReader *reader, const PeltiInstance *instance, double out[3][4])
{
    if (instance->skin >= 0)
        memcpy(out, reader->skins[instance->skin].to_rest, 12 * sizeof(double));
    else if (!pelti_gltf_invert(reader->who->bones[instance->bones[0]].rest_to_bone, out))
        set_identity(out);
}

static PeltStatus begin_table(PeltiGltfReader *reader, size_t joints, BoneTable *table, PeltError *err)
{
    size_t slots = 16;
    while (slots < 2 * joints)
        slots *= 2;
    table->mask = slots - 1;
    table->slots = PELTI_NEW(&reader->work, int, slots);
    table->bone_above = PELTI_NEW(&reader->work, int, reader->doc->node_count);
    if (!table->slots || !table->bone_above)
        return pelti_no_memory(err, slots * sizeof(int));
    memset(table->slots, 0xff, slots * sizeof(int));
    memset(table->bone_above, 0xff, (size_t)reader->doc->node_count * sizeof(int));
    return PELT_OK;
}

PeltStatus pelti_gltf_read_bones(PeltiGltfReader *reader, PeltError *err)
{
    PeltiCharacter *who = reader->who;
    size_t joints = 0;
    BoneTable table;
    for (int s = 0; s < reader->doc->skin_count; s++)
        joints += (size_t)(reader->skins[s].used ? reader->skins[s].joint_count : 0);
    PELT_TRY(begin_table(reader, joints, &table, err));
    who->bones = PELTI_NEW(&who->pool, PeltiBone, joints + (size_t)who->instance_count);
    int *last_skin_of_node = PELTI_NEW(&reader->work, int, reader->doc->node_count);
    if (!who->bones || !last_skin_of_node)
        return pelti_no_memory(err, joints * sizeof(PeltiBone));
    for (int s = 0; s < reader->doc->skin_count; s++)
        if (reader->skins[s].used)
            add_joint_bones(reader, s, &table, last_skin_of_node);
    table.top_bone = -1;
    for (int k = 0; k < who->node_count; k++) { // parents first: what hangs below a joint inherits its bone
        int n = reader->doc->node_order[k], up = who->nodes[n].parent;
        if (table.bone_above[n] >= 0 && table.top_bone < 0)
            table.top_bone = table.bone_above[n];
        if (table.bone_above[n] < 0 && up >= 0)
            table.bone_above[n] = table.bone_above[up];
    }
    for (int i = 0; i < who->instance_count; i++) {
        PeltiInstance *instance = &who->instances[i];
        if (instance->skin < 0) {
            PELT_TRY(add_prop_bone(reader, instance, &table, err));
            continue;
        }
        instance->bones = reader->skins[instance->skin].bones;
        instance->bone_count = reader->skins[instance->skin].joint_count;
        instance->scale = (float)pelti_cbrt(fabs(pelti_gltf_determinant(reader->skins[instance->skin].to_rest)));
    }
    return PELT_OK;
}
