/// Joints of the new skin: nodes below the file's, and skins that list them with their inverse bind matrices.
/// A skin keeps its joints and their numbers; those its points hold to now and did not before follow them.
#include "io/gltf_parts.h"
#include "io/gltf_reskin.h"

#include <stdio.h>
#include <string.h>

/// A node below another; its index.
static int push_child(PeltiGltfOut *out, int parent, const char *name)
{
    PeltiJson *node = pelti_json_new_object(), *above = pelti_json_at(pelti_json_get(out->root, "nodes"), parent);
    bool ok = node && pelti_json_set(node, "name", pelti_json_new_text(name));
    int index = pelti_gltf_out_push(out, "nodes", node);
    if (!pelti_json_get(above, "children"))
        ok = ok && pelti_json_set(above, "children", pelti_json_new_array());
    out->ok &= ok && pelti_json_push(pelti_json_get(above, "children"), pelti_json_new_int(index));
    return index;
}

static bool set_link(PeltiJson *node, const PeltiReskinJoint *joint)
{
    bool roll = joint->link == PELTI_RESKIN_ROLL;
    const char *kind = roll ? "roll" : "rotation";
    PeltiJson *link = pelti_json_new_object(), *constraint = pelti_json_new_object(), *whole = pelti_json_new_object(),
              *extensions = pelti_json_new_object();
    bool ok = link && constraint && whole && extensions && pelti_json_set(link, "source", pelti_json_new_int(joint->source));
    if (roll)
        ok = ok && pelti_json_set(link, "rollAxis", pelti_json_new_text(joint->axis));
    ok = ok && pelti_json_set(link, "weight", pelti_json_new_float(joint->share));
    ok = ok && pelti_json_set(constraint, kind, pelti_json_keep(link));
    ok = ok && pelti_json_set(whole, "specVersion", pelti_json_new_text("1.0"));
    ok = ok && pelti_json_set(whole, "constraint", pelti_json_keep(constraint));
    ok = ok && pelti_json_set(extensions, "VRMC_node_constraint", pelti_json_keep(whole));
    ok = ok && pelti_json_set(node, "extensions", pelti_json_keep(extensions));
    pelti_json_release(link);
    pelti_json_release(constraint);
    pelti_json_release(whole);
    pelti_json_release(extensions);
    return ok;
}

static bool use_extension(PeltiGltfOut *out, const char *name)
{
    PeltiJson *used = pelti_gltf_out_list(out, "extensionsUsed");
    for (int i = 0; i < pelti_json_count(used); i++) {
        const char *text = pelti_json_text_of(pelti_json_at(used, i));
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return used && pelti_json_push(used, pelti_json_new_text(name));
}

static void add_node(PeltiReskinWork *work, int index)
{
    const PeltiReskinJoint *joint = &work->def->joints[index];
    PeltiGltfOut *out = work->out;
    int number = work->result->nodes[index] = push_child(out, joint->parent, joint->name);
    PeltiJson *node = pelti_json_at(pelti_json_get(out->root, "nodes"), number);
    Quat q = quat_normalize(joint->local.rotation);
    bool ok = node && pelti_json_set(node, "translation", pelti_gltf_out_floats(&joint->local.translation.x, 3)) &&
              pelti_json_set(node, "rotation", pelti_gltf_out_floats(&q.x, 4));
    Vec3 s = joint->local.scale;
    if (s.x != 1 || s.y != 1 || s.z != 1)
        ok = ok && pelti_json_set(node, "scale", pelti_gltf_out_floats(&s.x, 3));
    if (joint->link != PELTI_RESKIN_FREE)
        ok = ok && set_link(node, joint) && use_extension(out, "VRMC_node_constraint");
    out->ok &= ok;
}

// ---- skins

/// The file's own inverse bind matrices, column by column; identities where it gives none.
static PeltStatus read_binds(const PeltiGltf *doc, int accessor, int count, float (*binds)[16], PeltError *err)
{
    memset(binds, 0, (size_t)count * sizeof *binds);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 4; i++)
            binds[k][5 * i] = 1;
    return accessor < 0 || count == 0 ? PELT_OK
                                      : pelti_gltf_floats_of(doc, (PeltiGltfSpan){accessor, 16, 0, count}, &binds[0][0], err);
}

/// to_rest = bone_to_rest bind, of the first joint whose bind can be undone: all of them say the same (gltf_rest.c).
static void find_space(const PeltiReskinWork *work, const PeltiInstance *instance, float (*binds)[16], double to_rest[3][4])
{
    memset(to_rest, 0, 12 * sizeof(double));
    for (int i = 0; i < 3; i++)
        to_rest[i][i] = (double)instance->scale;
    for (int k = 0; k < instance->bone_count; k++) {
        double bind[3][4], back[3][4], bone_to_rest[3][4];
        for (int i = 0; i < 12; i++)
            bind[i / 4][i % 4] = (double)binds[k][4 * (i % 4) + i / 4];
        PeltiBone *bone = &work->def->who->bones[instance->bones[k]];
        if (!pelti_gltf_invert(bind, back) || !pelti_gltf_invert(bone->rest_to_bone, bone_to_rest))
            continue;
        mat34_mul_double(bone_to_rest, bind, to_rest);
        return;
    }
}

/// Marks bones that points of the skin hold to and the skin does not list, with -2.
static void mark_missing(const PeltiReskinWork *work, int index)
{
    const PeltiCharacter *who = work->def->who;
    const PeltiWeights *weights = &work->def->weights;
    int *slot = work->skins[index].slot;
    for (int i = 0; i < who->instance_count; i++) {
        if (who->instances[i].skin != index)
            continue;
        size_t from = (size_t)who->instances[i].first_point * (size_t)weights->influences,
               count = (size_t)who->instances[i].point_count * (size_t)weights->influences;
        for (size_t k = from; k < from + count; k++)
            if (weights->weight[k] > 0 && slot[weights->bone[k]] == -1)
                slot[weights->bone[k]] = -2;
    }
}

/// The node that carries a bone in a skin: its own, or one below it where the skin has that node with another bind already (a
/// skin lists a node once).
static int node_of(PeltiReskinWork *work, PeltiJson *joints, int bone)
{
    const PeltiCharacter *who = work->def->who;
    if (bone >= who->bone_count)
        return work->result->nodes[bone - who->bone_count];
    int node = who->bones[bone].node;
    if (!pelti_gltf_out_lists(joints, node))
        return node;
    char name[160];
    snprintf(name, sizeof name, "%.140s.bind", who->nodes[node].name);
    return push_child(work->out, node, name);
}

/// "skeleton" names a node above all joints, a hint: where a new joint hangs elsewhere it goes.
static void check_skeleton(PeltiReskinWork *work, PeltiJson *skin)
{
    const PeltiGltf *doc = work->def->document;
    int top = (int)pelti_json_int_of(pelti_json_get(skin, "skeleton"), -1);
    PeltiJson *joints = pelti_json_get(skin, "joints");
    for (int k = 0; top >= 0 && k < pelti_json_count(joints); k++) {
        int node = (int)pelti_json_int_of(pelti_json_at(joints, k), -1);
        for (int j = 0; j < work->def->joint_count; j++)
            if (work->result->nodes[j] == node)
                node = work->def->joints[j].parent;
        if (node >= doc->node_count) // below one of the skin's own joints
            continue;
        while (node >= 0 && node != top)
            node = doc->nodes[node].parent;
        if (node != top) {
            pelti_json_remove(skin, "skeleton");
            return;
        }
    }
}

static void put_bind(PeltiReskinWork *work, int index, int bone, float *out)
{
    const PeltiCharacter *who = work->def->who;
    double rest_to_bone[3][4], bind[3][4];
    if (bone < who->bone_count)
        memcpy(rest_to_bone, who->bones[bone].rest_to_bone, sizeof rest_to_bone);
    else
        memcpy(rest_to_bone, work->def->joints[bone - who->bone_count].rest_to_bone, sizeof rest_to_bone);
    mat34_mul_double(rest_to_bone, work->skins[index].to_rest, bind);
    for (int i = 0; i < 16; i++)
        out[i] = i % 4 < 3 ? (float)bind[i % 4][i / 4] : (float)(i == 15);
}

static PeltStatus add_joints(PeltiReskinWork *work, const PeltiInstance *instance, PeltError *err)
{
    const PeltiGltf *doc = work->def->document;
    PeltiReskinSkin *skin = &work->skins[instance->skin];
    PeltiJson *json = pelti_json_at(pelti_json_get(work->out->root, "skins"), instance->skin),
              *joints = pelti_json_get(json, "joints");
    int bones = work->def->who->bone_count + work->def->joint_count, added = 0;
    for (int b = 0; b < bones; b++)
        added += skin->slot[b] == -2;
    float(*binds)[16] = pelti_pool_take(&work->out->pool, (size_t)(instance->bone_count + added), sizeof *binds);
    if (!binds)
        return pelti_no_memory(err, (size_t)(instance->bone_count + added) * sizeof *binds);
    int accessor = (int)pelti_json_int_of(pelti_json_get(json, "inverseBindMatrices"), -1);
    PELT_TRY(read_binds(doc, accessor, instance->bone_count, binds, err));
    find_space(work, instance, binds, skin->to_rest);
    skin->joint_count = instance->bone_count;
    for (int b = 0; b < bones; b++) {
        if (skin->slot[b] != -2)
            continue;
        put_bind(work, instance->skin, b, binds[skin->joint_count]);
        work->out->ok &= pelti_json_push(joints, pelti_json_new_int(node_of(work, joints, b)));
        skin->slot[b] = skin->joint_count++;
    }
    if (added == 0)
        return PELT_OK;
    size_t bytes = (size_t)skin->joint_count * sizeof *binds;
    int view = pelti_gltf_out_view(work->out, pelti_gltf_out_bytes(work->out, binds, bytes), bytes, 0, 0);
    int fresh = pelti_gltf_out_accessor(
        work->out,
        &(PeltiGltfOutAccessor){.view = view, .count = skin->joint_count, .type = "MAT4", .component = PELTI_GLTF_F32});
    work->out->ok &= pelti_json_set(json, "inverseBindMatrices", pelti_json_new_int(fresh));
    check_skeleton(work, json);
    return PELT_OK;
}

PeltStatus pelti_gltf_reskin_joints(PeltiReskinWork *work, PeltError *err)
{
    const PeltiCharacter *who = work->def->who;
    int bones = who->bone_count + work->def->joint_count;
    for (int j = 0; j < work->def->joint_count; j++)
        add_node(work, j);
    work->skins = PELTI_NEW(&work->out->pool, PeltiReskinSkin, work->def->document->skin_count);
    if (!work->skins)
        return pelti_no_memory(err, 0);
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *instance = &who->instances[i];
        if (instance->skin < 0 || work->skins[instance->skin].used)
            continue;
        PeltiReskinSkin *skin = &work->skins[instance->skin];
        skin->used = true;
        skin->slot = PELTI_NEW(&work->out->pool, int, bones);
        if (!skin->slot)
            return pelti_no_memory(err, (size_t)bones * sizeof(int));
        memset(skin->slot, 0xff, (size_t)bones * sizeof(int));
        for (int k = instance->bone_count - 1; k >= 0; k--)
            skin->slot[instance->bones[k]] = k;
        mark_missing(work, instance->skin);
        PELT_TRY(add_joints(work, instance, err));
    }
    return work->out->ok ? PELT_OK : pelti_no_memory(err, 0);
}
