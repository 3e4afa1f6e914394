/// hero.drivers.json: the rules in the frames an engine has at hand.
/// A joint's turn is what its rotation against its parent joint has on top of the one at rest, turn = rotation * rest^-1, in
/// the parent's own axes; every vector is in those axes too.
#include "distil/write.h"

#include <string.h>

typedef struct Rules {
    const PeltiDistilSkin *distilled;
    const PeltiReskinResult *result;
    PeltiJson *root;
    int *joint; ///< [bone_count] number in "joints", -1: not yet
    bool ok;
} Rules;

static void set(Rules *r, PeltiJson *object, const char *key, PeltiJson *value)
{
    if (!object)
        pelti_json_release(value);
    r->ok &= object && pelti_json_set(object, key, value);
}

static PeltiJson *push_object(Rules *r, PeltiJson *list)
{
    r->ok &= list && pelti_json_push(list, pelti_json_new_object());
    return pelti_json_at(list, pelti_json_count(list) - 1);
}

static PeltiJson *open_list(Rules *r, PeltiJson *object, const char *key)
{
    set(r, object, key, pelti_json_new_array());
    return pelti_json_get(object, key);
}

/// From the rest space a rule is written in to the axes of the joint's parent.
static Vec3 in_parent(const Rules *r, int bone, Vec3 axis)
{
    int parent = r->distilled->who->bones[bone].parent;
    return parent < 0 ? axis : quat_rotate(r->distilled->who->bones[parent].bind_turn, axis);
}

static Vec3 push_in_parent(const Rules *r, int bone, Vec3 v)
{
    int parent = r->distilled->who->bones[bone].parent;
    double(*m)[4] = r->distilled->who->bones[parent < 0 ? bone : parent].rest_to_bone;
    if (parent < 0)
        return v;
    double x = (double)v.x, y = (double)v.y, z = (double)v.z;
    return vec3((float)(m[0][0] * x + m[0][1] * y + m[0][2] * z), (float)(m[1][0] * x + m[1][1] * y + m[1][2] * z),
                (float)(m[2][0] * x + m[2][1] * y + m[2][2] * z));
}

static int joint_number(Rules *r, int bone)
{
    const PeltiCharacter *who = r->distilled->who;
    const PeltiBone *b = &who->bones[bone], *parent = b->parent >= 0 ? &who->bones[b->parent] : NULL;
    PeltiJson *list = pelti_json_get(r->root, "joints");
    if (r->joint[bone] >= 0)
        return r->joint[bone];
    r->joint[bone] = pelti_json_count(list);
    PeltiJson *json = push_object(r, list);
    Quat rest = quat_conjugate(b->bind_turn);
    if (parent)
        rest = quat_normalize(quat_mul(parent->bind_turn, rest));
    set(r, json, "name", pelti_json_new_text(who->nodes[b->node].name));
    set(r, json, "node", pelti_json_new_int(b->node));
    if (parent) {
        set(r, json, "parent", pelti_json_new_text(who->nodes[parent->node].name));
        set(r, json, "parent_node", pelti_json_new_int(parent->node));
    }
    set(r, json, "rest", pelti_gltf_out_floats(&rest.x, 4));
    return r->joint[bone];
}

static void add_helper(Rules *r, PeltiJson *list, int index)
{
    const PeltiHelper *helper = &r->distilled->helpers[index];
    PeltiJson *json = push_object(r, list);
    bool twist = helper->kind == PELTI_HELPER_TWIST;
    set(r, json, "name", pelti_json_new_text(helper->name));
    set(r, json, "node", pelti_json_new_int(r->result->nodes[index]));
    set(r, json, "joint", pelti_json_new_int(joint_number(r, helper->driver)));
    set(r, json, "rule", pelti_json_new_text(twist ? "twist" : "turn"));
    set(r, json, "fraction", pelti_json_new_float(helper->fraction));
    if (twist) {
        Vec3 axis = in_parent(r, helper->driver, helper->axis);
        set(r, json, "axis", pelti_gltf_out_floats(&axis.x, 3));
    }
    if (vec3_length(helper->offset) > 0) {
        Vec3 push = push_in_parent(r, helper->driver, helper->offset);
        set(r, json, "push", pelti_gltf_out_floats(&push.x, 3));
    }
}

static void add_drive(Rules *r, PeltiJson *list, const PeltiDistilDrive *drive)
{
    PeltiJson *json = push_object(r, list);
    Vec3 axis = in_parent(r, drive->joint, drive->axis);
    set(r, json, "joint", pelti_json_new_int(joint_number(r, drive->joint)));
    set(r, json, "axis", pelti_gltf_out_floats(&axis.x, 3));
    set(r, json, "from", pelti_json_new_float(drive->from));
    set(r, json, "to", pelti_json_new_float(drive->to));
}

static void add_term(Rules *r, PeltiJson *list, const PeltiDistilTerm *term)
{
    PeltiJson *json = push_object(r, list);
    set(r, json, "gain", pelti_json_new_float(term->gain));
    PeltiJson *drives = open_list(r, json, "drives");
    for (int i = 0; i < 2 && term->drive[i] >= 0; i++)
        r->ok &= drives && pelti_json_push(drives, pelti_json_new_int(term->drive[i]));
}

static void add_corrective(Rules *r, PeltiJson *list, int index)
{
    const PeltiCorrective *corrective = &r->distilled->correctives[index];
    PeltiJson *json = push_object(r, list);
    set(r, json, "name", pelti_json_new_text(corrective->name));
    set(r, json, "low", pelti_json_new_float(corrective->low));
    set(r, json, "high", pelti_json_new_float(corrective->high));
    PeltiJson *terms = open_list(r, json, "terms"), *places = open_list(r, json, "places");
    for (int i = 0; i < corrective->term_count; i++)
        add_term(r, terms, &corrective->terms[i]);
    for (int i = 0; i < r->result->place_count; i++) {
        const PeltiReskinPlace *at = &r->result->places[i];
        if (at->target != index)
            continue;
        PeltiJson *place = push_object(r, places);
        set(r, place, "node", pelti_json_new_int(at->node));
        set(r, place, "name", pelti_json_new_text(r->distilled->who->nodes[at->node].name));
        set(r, place, "target", pelti_json_new_int(at->index));
    }
}

PeltiJson *pelti_distil_rules(const PeltiDistilWriteDef *def, const PeltiReskinResult *result)
{
    const PeltiDistilSkin *d = def->distilled;
    Rules r = {.distilled = d, .result = result, .root = pelti_json_new_object(), .ok = true};
    PeltiPool pool;
    pelti_pool_init(&pool, def->allocator);
    r.joint = PELTI_NEW(&pool, int, d->who->bone_count);
    const char *slash = strrchr(def->path, '/');
    r.ok = r.root && r.joint;
    if (r.ok) {
        memset(r.joint, 0xff, (size_t)d->who->bone_count * sizeof(int));
        set(&r, r.root, "version", pelti_json_new_int(1));
        set(&r, r.root, "file", pelti_json_new_text(slash ? slash + 1 : def->path));
        set(&r, r.root, "method", pelti_json_new_text(def->method));
        open_list(&r, r.root, "joints");
        PeltiJson *helpers = open_list(&r, r.root, "helpers"), *drives = open_list(&r, r.root, "drives");
        PeltiJson *correctives = open_list(&r, r.root, "correctives");
        for (int i = 0; i < d->drive_count; i++)
            add_drive(&r, drives, &d->drives[i]);
        for (int h = 0; h < d->helper_count; h++)
            add_helper(&r, helpers, h);
        for (int c = 0; c < d->corrective_count; c++)
            add_corrective(&r, correctives, c);
    }
    pelti_pool_release(&pool);
    if (r.ok)
        return r.root;
    pelti_json_release(r.root);
    return NULL;
}
