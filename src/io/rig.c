/// The table of a rig's keys, and settings that stand for one of them.
#include "io/rig.h"

#include "io/form.h"
#include "io/operator.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AT(type, member) offsetof(type, member)

// ---- joints

static PeltStatus check_rising(PeltiForm *form, const PeltiJsonAt *at, const float *values, int count, PeltError *err)
{
    for (int i = 1; i < count; i++)
        if (!(values[i] >= values[i - 1]))
            return pelti_form_fail(form, at, err, "%g comes after %g: they must rise", (double)values[i], (double)values[i - 1]);
    return PELT_OK;
}

typedef struct GivenRange {
    float range[2];
    bool given;
} GivenRange;

static PeltStatus read_range(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    GivenRange *limits = target;
    PELT_TRY(pelti_form_floats(form, at, &(PeltiFormField){.count = 2, .least = -360, .most = 360}, limits->range, err));
    limits->given = true;
    return check_rising(form, at, limits->range, 2, err);
}

static PeltStatus read_limits(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    struct Both {
        GivenRange bend, twist;
    } both = {0};
    static const PeltiFormField fields[] = {
        {.key = "bend", .kind = PELTI_FORM_CUSTOM, .offset = AT(struct Both, bend), .read = read_range},
        {.key = "twist", .kind = PELTI_FORM_CUSTOM, .offset = AT(struct Both, twist), .read = read_range},
        {0},
    };
    PELT_TRY(pelti_form_fill(form, at, fields, &both, err));
    PeltRigJoint *joint = target;
    joint->has_bend_limits = both.bend.given;
    joint->has_twist_limits = both.twist.given;
    memcpy(joint->bend_limits_deg, both.bend.range, sizeof joint->bend_limits_deg);
    memcpy(joint->twist_limits_deg, both.twist.range, sizeof joint->twist_limits_deg);
    return PELT_OK;
}

static PeltStatus read_controller(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltRigJoint *joint = target;
    int count;
    if (pelti_json_array(at, PELTI_REQUIRED, &count, NULL) != PELT_OK || count < 1 || count > 256)
        return pelti_form_fail(form, at, err, "1 to 256 pairs [angle, d] were expected");
    float(*points)[2] = pelti_pool_take(&form->pool, (size_t)count, sizeof *points);
    if (!points)
        return pelti_no_memory(err, (size_t)count * sizeof *points);
    for (int i = 0; i < count; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        double pair[2];
        if (pelti_json_doubles(&item, PELTI_REQUIRED, 2, pair, NULL) != PELT_OK || !(pair[0] >= 0 && pair[0] <= 180) ||
            !(pair[1] >= 0 && pair[1] <= 1))
            return pelti_form_fail(form, &item, err, "a pair [angle from 0 to 180, d from 0 to 1] was expected");
        points[i][0] = (float)pair[0];
        points[i][1] = (float)pair[1];
        if (i && !(points[i][0] > points[i - 1][0]))
            return pelti_form_fail(form, &item, err, "angles must rise");
    }
    joint->controller_count = count;
    joint->controller = (const float(*)[2])points;
    return PELT_OK;
}

static PeltStatus read_projection(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PELT_TRY(pelti_form_floats(form, at, &(PeltiFormField){.count = PELT_RIG_LAYERS - 1, .least = 0, .most = 1}, target, err));
    return check_rising(form, at, target, PELT_RIG_LAYERS - 1, err);
}

static PeltStatus read_layers(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "projection", .kind = PELTI_FORM_CUSTOM, .offset = AT(PeltRigJoint, projection), .read = read_projection},
        {.key = "stiffness",
         .kind = PELTI_FORM_FLOATS,
         .offset = AT(PeltRigJoint, layer_stiffness),
         .count = PELT_RIG_LAYERS,
         .most = 1},
        {.key = "density",
         .kind = PELTI_FORM_FLOATS,
         .offset = AT(PeltRigJoint, layer_density),
         .count = PELT_RIG_LAYERS,
         .least = 1e-6,
         .most = 1e9},
        {0},
    };
    return pelti_form_fill(form, at, fields, target, err);
}

static const PeltiFormField joint_fields[] = {
    {.key = "operator", .kind = PELTI_FORM_TEXT, .offset = AT(PeltRigJoint, operator_name)},
    {.key = "controller", .kind = PELTI_FORM_CUSTOM, .read = read_controller},
    {.key = "limits", .kind = PELTI_FORM_CUSTOM, .read = read_limits},
    {.key = "stiffness", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigJoint, joint_stiffness), .most = 1e12},
    {.key = "crush", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigJoint, crush), .most = 1},
    {.key = "firmness", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigJoint, firmness), .most = 1e6},
    {.key = "layers", .kind = PELTI_FORM_CUSTOM, .read = read_layers},
    {0},
};

typedef struct JointList {
    PeltiForm *form;
    const PeltRig *rig; ///< whose operators are read already
    PeltRigJoint *joints;
    int count;
} JointList;

static PeltStatus count_joint(const PeltiJsonAt *member, void *user, PeltError *err)
{
    (void)member;
    (void)err;
    ((JointList *)user)->count++;
    return PELT_OK;
}

static bool is_builtin(const char *operator_name)
{
    return !strcmp(operator_name, "contact") || !strcmp(operator_name, "bulge") || !strcmp(operator_name, "union");
}

static bool is_file(const char *operator_name)
{
    size_t length = strlen(operator_name);
    return length > 5 && !strcmp(operator_name + length - 5, ".json");
}

static PeltStatus check_operator(const JointList *list, const PeltiJsonAt *joint_at, const char *name, PeltError *err)
{
    if (!name || is_builtin(name) || is_file(name))
        return PELT_OK;
    for (int i = 0; i < list->rig->operator_count; i++)
        if (!strcmp(list->rig->operators[i].name, name))
            return PELT_OK;
    PeltiJsonAt at = pelti_json_member(joint_at, "operator");
    return pelti_form_fail(
        list->form, &at, err,
        "\"%.60s\" is none of contact, bulge, union, none of \"operators\", and no .json file of `pelt operator`", name);
}

// ---- operators of its own

typedef struct OperatorList {
    PeltiForm *form;
    PeltOperator *operators;
    int count;
} OperatorList;

static PeltStatus count_operator(const PeltiJsonAt *member, void *user, PeltError *err)
{
    (void)member;
    (void)err;
    ((OperatorList *)user)->count++;
    return PELT_OK;
}

static PeltStatus read_own_operator(const PeltiJsonAt *member, void *user, PeltError *err)
{
    OperatorList *list = user;
    PeltOperator *op = &list->operators[list->count++];
    *op = (PeltOperator){0};
    if (is_builtin(member->key) || is_file(member->key) || !*member->key || strlen(member->key) >= sizeof op->name)
        return pelti_form_fail(list->form, member, err,
                               "a name of at most %d letters was expected that is not built in and does not end in .json",
                               (int)sizeof op->name - 1);
    snprintf(op->name, sizeof op->name, "%s", member->key);
    PELT_TRY(pelti_io_operator_fill(list->form, member, op, err));
    snprintf(op->name, sizeof op->name, "%s", member->key); // joints call it by its key
    return PELT_OK;
}

static PeltStatus read_operators(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltRig *rig = target;
    OperatorList list = {.form = form};
    if (pelti_json_each(at, count_operator, &list, NULL) != PELT_OK)
        return pelti_form_fail(form, at, err, "an object of operators by name was expected");
    list.operators = PELTI_NEW(&form->pool, PeltOperator, list.count);
    if (!list.operators)
        return pelti_no_memory(err, (size_t)list.count * sizeof *list.operators);
    list.count = 0;
    PELT_TRY(pelti_json_each(at, read_own_operator, &list, err));
    rig->operators = list.operators;
    rig->operator_count = list.count;
    return PELT_OK;
}

// ---- joints

PeltRigJoint pelt_rig_joint_default(const char *name)
{
    PeltRigJoint joint = {.joint = name, .joint_stiffness = -1, .crush = -1, .firmness = -1};
    for (int k = 0; k < PELT_RIG_LAYERS; k++) {
        joint.layer_stiffness[k] = joint.layer_density[k] = -1;
        if (k < PELT_RIG_LAYERS - 1)
            joint.projection[k] = -1;
    }
    return joint;
}

static PeltStatus read_joint(const PeltiJsonAt *member, void *user, PeltError *err)
{
    JointList *list = user;
    PeltRigJoint *joint = &list->joints[list->count++];
    *joint = pelt_rig_joint_default(pelti_pool_text(&list->form->pool, member->key));
    PELT_TRY(pelti_form_check_bone(list->form, member, member->key, err));
    if (!joint->joint)
        return pelti_no_memory(err, 0);
    PELT_TRY(pelti_form_fill(list->form, member, joint_fields, joint, err));
    return check_operator(list, member, joint->operator_name, err);
}

static PeltStatus read_joints(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltRig *rig = target;
    JointList list = {.form = form, .rig = rig};
    if (pelti_json_each(at, count_joint, &list, NULL) != PELT_OK)
        return pelti_form_fail(form, at, err, "an object of joints by name was expected");
    list.joints = PELTI_NEW(&form->pool, PeltRigJoint, list.count);
    if (!list.joints)
        return pelti_no_memory(err, (size_t)list.count * sizeof *list.joints);
    list.count = 0;
    PELT_TRY(pelti_json_each(at, read_joint, &list, err));
    rig->joints = list.joints;
    rig->joint_count = list.count;
    return PELT_OK;
}

// ---- places and muscles

static PeltStatus read_place(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "bone", .kind = PELTI_FORM_BONE, .offset = AT(PeltRigPlace, bone), .required = true},
        {.key = "along", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigPlace, along), .least = -10, .most = 10},
        {.key = "offset", .kind = PELTI_FORM_FLOATS, .offset = AT(PeltRigPlace, offset), .count = 3, .least = -10, .most = 10},
        {0},
    };
    return pelti_form_fill(form, at, fields, target, err);
}

static PeltStatus read_angles(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    GivenRange limits = {0};
    PELT_TRY(read_range(form, at, &limits, err));
    memcpy(target, limits.range, sizeof limits.range);
    return limits.range[1] > limits.range[0] ? PELT_OK : pelti_form_fail(form, at, err, "the two angles are the same");
}

static PeltStatus read_muscles(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "name", .kind = PELTI_FORM_TEXT, .offset = AT(PeltRigMuscle, name), .required = true},
        {.key = "from", .kind = PELTI_FORM_CUSTOM, .offset = AT(PeltRigMuscle, from), .required = true, .read = read_place},
        {.key = "to", .kind = PELTI_FORM_CUSTOM, .offset = AT(PeltRigMuscle, to), .required = true, .read = read_place},
        {.key = "radius",
         .kind = PELTI_FORM_FLOAT,
         .offset = AT(PeltRigMuscle, radius),
         .required = true,
         .least = 1e-6,
         .most = 1},
        {.key = "driver", .kind = PELTI_FORM_BONE, .offset = AT(PeltRigMuscle, driver), .required = true},
        {.key = "angles", .kind = PELTI_FORM_CUSTOM, .offset = AT(PeltRigMuscle, angles_deg), .read = read_angles},
        {.key = "swell", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigMuscle, swell), .least = 0.1, .most = 10},
        {0},
    };
    static const PeltRigMuscle initial = {.angles_deg = {0, 120}, .swell = 1.4f};
    PeltRig *rig = target;
    return pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &rig->muscle_count, &rig->muscles, err);
}

// ---- regions, anchors, volumes

static int point_count(const PeltiForm *form)
{
    return form->who ? form->who->point_count : INT32_MAX;
}

static PeltStatus check_point(PeltiForm *form, const PeltiJsonAt *at, int *out, PeltError *err)
{
    int64_t point = -1;
    if (pelti_json_int(at, PELTI_REQUIRED, 0, INT32_MAX, &point, NULL) != PELT_OK || point >= point_count(form))
        return pelti_form_fail(form, at, err, "the number of a point was expected, below %d", point_count(form));
    *out = (int)point;
    return PELT_OK;
}

static PeltStatus read_point_list(PeltiForm *form, const PeltiJsonAt *at, int *count, const int **out, PeltError *err)
{
    if (pelti_json_array(at, PELTI_REQUIRED, count, NULL) != PELT_OK)
        return pelti_form_fail(form, at, err, "an array of point numbers was expected");
    int *points = PELTI_NEW(&form->pool, int, *count);
    if (!points)
        return pelti_no_memory(err, (size_t)*count * sizeof *points);
    for (int i = 0; i < *count; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        PELT_TRY(check_point(form, &item, &points[i], err));
    }
    *out = points;
    return PELT_OK;
}

static PeltStatus read_points(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltRigRegion *region = target;
    return read_point_list(form, at, &region->point_count, &region->points, err);
}

static PeltStatus read_owners(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltRigRegion *region = target;
    return pelti_form_bones(form, at, &region->owner_count, &region->owners, err);
}

static PeltStatus read_regions(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "name", .kind = PELTI_FORM_TEXT, .offset = AT(PeltRigRegion, name), .required = true},
        {.key = "bone", .kind = PELTI_FORM_BONE, .offset = AT(PeltRigRegion, bone), .required = true},
        {.key = "points", .kind = PELTI_FORM_CUSTOM, .read = read_points},
        {.key = "owners", .kind = PELTI_FORM_CUSTOM, .read = read_owners},
        {.key = "centre", .kind = PELTI_FORM_CUSTOM, .offset = AT(PeltRigRegion, centre), .read = read_place},
        {.key = "radius", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigRegion, radius), .most = 10},
        {.key = "falloff", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigRegion, falloff), .most = 10},
        {0},
    };
    static const PeltRigRegion initial = {0};
    PeltRig *rig = target;
    PELT_TRY(
        pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &rig->region_count, &rig->regions, err));
    for (int i = 0; i < rig->region_count; i++) {
        const PeltRigRegion *region = &rig->regions[i];
        PeltiJsonAt item = pelti_json_item(at, i);
        if ((region->radius > 0) != (region->centre.bone != NULL))
            return pelti_form_fail(form, &item, err, "centre and radius go together");
        if (!region->point_count && !region->owner_count && !(region->radius > 0))
            return pelti_form_fail(form, &item, err, "names no points: points, owners or centre and radius are missing");
    }
    return PELT_OK;
}

static PeltStatus read_anchor_point(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    return check_point(form, at, target, err);
}

static PeltStatus read_keys(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "time", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigAnchorKey, time_s), .required = true, .most = 1e6},
        {.key = "offset",
         .kind = PELTI_FORM_FLOATS,
         .offset = AT(PeltRigAnchorKey, offset),
         .count = 3,
         .least = -100,
         .most = 100},
        {.key = "strength", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigAnchorKey, strength), .most = 1},
        {0},
    };
    static const PeltRigAnchorKey initial = {.strength = 1};
    PeltRigAnchor *anchor = target;
    PELT_TRY(
        pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &anchor->key_count, &anchor->keys, err));
    for (int i = 1; i < anchor->key_count; i++)
        if (!(anchor->keys[i].time_s > anchor->keys[i - 1].time_s)) {
            PeltiJsonAt item = pelti_json_item(at, i);
            return pelti_form_fail(form, &item, err, "times must rise");
        }
    return anchor->key_count ? PELT_OK : pelti_form_fail(form, at, err, "has no keys");
}

static PeltStatus read_anchors(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "name", .kind = PELTI_FORM_TEXT, .offset = AT(PeltRigAnchor, name), .required = true},
        {.key = "point",
         .kind = PELTI_FORM_CUSTOM,
         .offset = AT(PeltRigAnchor, point),
         .required = true,
         .read = read_anchor_point},
        {.key = "bone", .kind = PELTI_FORM_BONE, .offset = AT(PeltRigAnchor, bone)},
        {.key = "falloff", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigAnchor, falloff), .most = 10},
        {.key = "keys", .kind = PELTI_FORM_CUSTOM, .required = true, .read = read_keys},
        {0},
    };
    static const PeltRigAnchor initial = {.falloff = 0.05f};
    PeltRig *rig = target;
    return pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &rig->anchor_count, &rig->anchors, err);
}

static PeltStatus read_volume_bones(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltRigVolume *volume = target;
    PELT_TRY(pelti_form_bones(form, at, &volume->bone_count, &volume->bones, err));
    return volume->bone_count ? PELT_OK : pelti_form_fail(form, at, err, "names no bones");
}

static PeltStatus read_volumes(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "name", .kind = PELTI_FORM_TEXT, .offset = AT(PeltRigVolume, name), .required = true},
        {.key = "bones", .kind = PELTI_FORM_CUSTOM, .required = true, .read = read_volume_bones},
        {.key = "cut", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltRigVolume, cut), .most = 1},
        {0},
    };
    static const PeltRigVolume initial = {.cut = 0.5f};
    PeltRig *rig = target;
    return pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &rig->volume_count, &rig->volumes, err);
}

static PeltStatus check_piece(PeltiForm *form, const PeltiJsonAt *at, const PeltRigPiece *piece, PeltError *err)
{
    bool found = !form->who;
    for (int v = 0; !found && v < form->who->mesh->vertex_count; v++)
        found = pelti_character_vertex_in_piece(form->who, v, piece->name);
    if (!found)
        return pelti_form_fail(form, at, err,
                               "the character has no piece \"%.80s\" (pelt inspect lists its components with their nodes)",
                               piece->name);
    return PELT_OK;
}

static PeltStatus read_pieces(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const char *const kinds[] = {"skin", "shell", "rigid", "thing", "inside", NULL}; // as PeltRigKind
    static const PeltiFormField fields[] = {
        {.key = "name", .kind = PELTI_FORM_TEXT, .offset = AT(PeltRigPiece, name), .required = true},
        {.key = "kind", .kind = PELTI_FORM_CHOICE, .offset = AT(PeltRigPiece, kind), .required = true, .choices = kinds},
        {.key = "bone", .kind = PELTI_FORM_BONE, .offset = AT(PeltRigPiece, bone)},
        {0},
    };
    static const PeltRigPiece initial = {0};
    PeltRig *rig = target;
    PELT_TRY(pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &rig->piece_count, &rig->pieces, err));
    for (int i = 0; i < rig->piece_count; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        PELT_TRY(check_piece(form, &item, &rig->pieces[i], err));
    }
    return PELT_OK;
}

// ---- what is painted on points

static PeltStatus read_painted_points(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltRigPainted *painted = target;
    return read_point_list(form, at, &painted->count, &painted->points, err);
}

/// After `what` and `points`.
static PeltStatus read_values(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltRigPainted *painted = target;
    int count;
    if (pelti_json_array(at, PELTI_REQUIRED, &count, NULL) != PELT_OK || count != painted->count)
        return pelti_form_fail(form, at, err, "as many numbers as there are points were expected: %d", painted->count);
    float *values = PELTI_NEW(&form->pool, float, count);
    if (!values)
        return pelti_no_memory(err, (size_t)count * sizeof *values);
    double most = painted->what == PELT_PAINT_FIRMNESS ? 1e6 : 1;
    PELT_TRY(pelti_form_floats(form, at, &(PeltiFormField){.count = count, .least = 0, .most = most}, values, err));
    painted->values = values;
    return PELT_OK;
}

static PeltStatus read_painted(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const char *const kinds[] = {"firmness", "skin", "fat", "muscle", NULL}; // as PeltRigPaint
    static const PeltiFormField fields[] = {
        {.key = "what", .kind = PELTI_FORM_CHOICE, .offset = AT(PeltRigPainted, what), .required = true, .choices = kinds},
        {.key = "points", .kind = PELTI_FORM_CUSTOM, .required = true, .read = read_painted_points},
        {.key = "values", .kind = PELTI_FORM_CUSTOM, .required = true, .read = read_values},
        {0},
    };
    static const PeltRigPainted initial = {0};
    PeltRig *rig = target;
    return pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &rig->painted_count, &rig->painted, err);
}

static const PeltiFormField rig_fields[] = {
    {.key = "version", .kind = PELTI_FORM_CUSTOM, .read = pelti_form_version},
    {.key = "operators", .kind = PELTI_FORM_CUSTOM, .read = read_operators}, // before the joints that call them
    {.key = "joints", .kind = PELTI_FORM_CUSTOM, .read = read_joints},
    {.key = "muscles", .kind = PELTI_FORM_CUSTOM, .read = read_muscles},
    {.key = "regions", .kind = PELTI_FORM_CUSTOM, .read = read_regions},
    {.key = "anchors", .kind = PELTI_FORM_CUSTOM, .read = read_anchors},
    {.key = "volumes", .kind = PELTI_FORM_CUSTOM, .read = read_volumes},
    {.key = "pieces", .kind = PELTI_FORM_CUSTOM, .read = read_pieces},
    {.key = "painted", .kind = PELTI_FORM_CUSTOM, .read = read_painted},
    {0},
};

// ---- settings: one key of the document each

bool pelti_io_rig_is_setting(const char *text)
{
    return !strncmp(text, "joint.", 6);
}

/// The object behind a key, made where it is missing; NULL when refused.
static PeltiJson *open_object(PeltiJson *in, const char *key)
{
    PeltiJson *object = pelti_json_get(in, key);
    if (!object) {
        object = pelti_json_new_object();
        if (!pelti_json_set(in, key, object))
            return NULL;
    }
    return object;
}

/// A value that is JSON by itself stays that ("[0,150]", "1.5"); anything else is a string.
static PeltiJson *parse_value(const char *text)
{
    char list[300];
    PeltiJson *array = NULL, *value = NULL;
    int length = snprintf(list, sizeof list, "[%s]", text);
    if (length < (int)sizeof list && pelti_json_parse(list, (size_t)length, &array, NULL) == PELT_OK &&
        pelti_json_count(array) == 1)
        value = pelti_json_keep(pelti_json_at(array, 0));
    pelti_json_release(array);
    return value ? value : pelti_json_new_text(text);
}

static bool is_joint_key(const char *text)
{
    size_t length = strcspn(text, ".");
    for (int f = 0; joint_fields[f].key; f++)
        if (strlen(joint_fields[f].key) == length && !strncmp(text, joint_fields[f].key, length))
            return true;
    return false;
}

/// joint.NAME.key=value or joint.NAME.key.key=value; a joint's name may have dots: it ends before the first word that is a key.
static PeltStatus apply_setting(PeltiForm *form, const char *setting, PeltError *err)
{
    char text[256];
    size_t length = strlen(setting);
    if (length >= sizeof text)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "--set %.60s...: too long", setting);
    memcpy(text, setting, length + 1);
    char *equals = strchr(text, '='), *name = text + 6, *key = NULL;
    if (!equals)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "--set %s: joint.NAME.key=value was expected", setting);
    *equals = 0;
    for (char *dot = strchr(name, '.'); dot && !key; dot = strchr(dot + 1, '.'))
        if (is_joint_key(dot + 1))
            key = dot;
    key = key ? key : strrchr(name, '.');
    if (!key || key == name)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "--set %s: joint.NAME.key=value was expected", setting);
    *key++ = 0;
    PeltiJson *joints = open_object(form->root, "joints"), *place = joints ? open_object(joints, name) : NULL;
    for (char *dot = strchr(key, '.'); place && dot; dot = strchr(key, '.')) {
        *dot = 0;
        place = open_object(place, key);
        key = dot + 1;
    }
    return pelti_json_set(place, key, parse_value(equals + 1))
               ? PELT_OK
               : PELT_FAIL(err, PELT_BAD_ARGUMENT, "--set %s: does not fit what the rig file says there", setting);
}

// ---- all of it

static PeltStatus read_rig(PeltiForm *form, const char *const *settings, int setting_count, PeltRig *rig, PeltError *err)
{
    for (int i = 0; i < setting_count; i++)
        if (pelti_io_rig_is_setting(settings[i]))
            PELT_TRY(apply_setting(form, settings[i], err));
    PeltiJsonAt root = pelti_json_root(form->root);
    return pelti_form_fill(form, &root, rig_fields, rig, err);
}

PeltStatus pelti_io_rig_load(PeltiIoRigSource source, const PeltiCharacter *who, const PeltAllocator *allocator, PeltiIoRig **out,
                             PeltError *err)
{
    const char *path = source.path;
    *out = NULL;
    PeltiForm form;
    PeltRig rig = {0};
    PeltStatus status = path ? pelti_form_open(&form, path, allocator, err) : pelti_form_empty(&form, "--set", allocator, err);
    form.who = who;
    if (status == PELT_OK)
        status = read_rig(&form, source.settings, source.setting_count, &rig, err);
    if (status == PELT_BAD_INPUT && !path) { // no file: the command line is wrong
        status = PELT_BAD_ARGUMENT;
        if (err)
            err->status = status;
    }
    PeltiIoRig *made = status == PELT_OK ? pelti_alloc(allocator, sizeof *made) : NULL;
    if (status == PELT_OK && !made)
        status = pelti_no_memory(err, sizeof *made);
    if (made)
        *made = (PeltiIoRig){.rig = rig};
    pelti_form_close(&form, made ? &made->pool : NULL);
    *out = made;
    return status;
}

void pelti_io_rig_destroy(PeltiIoRig *rig)
{
    if (!rig)
        return;
    PeltAllocator allocator = rig->pool.allocator;
    pelti_pool_release(&rig->pool);
    pelti_free(&allocator, rig, sizeof *rig);
}
