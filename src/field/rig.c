/// Operators at joints and muscles of a rig, as fields [Vaillant2014].
#include "field/rig.h"

#include "field/constants.def"
#include "field/described.h"
#include "math/elementary.h"

#include <string.h>

static const float DEGREE = 0.01745329f;

int pelti_rig_bone(const PeltiCharacter *who, const char *joint)
{
    for (int b = 0; joint && b < who->bone_count; b++)
        if (!strcmp(who->nodes[who->bones[b].node].name, joint))
            return b;
    return -1;
}

static PeltStatus find_bone(const PeltiCharacter *who, const char *joint, const char *of, int *out, PeltError *err)
{
    *out = pelti_rig_bone(who, joint);
    return *out < 0 ? PELT_FAIL(err, PELT_BAD_INPUT, "rig: %s: no joint is called '%s'", of, joint ? joint : "") : PELT_OK;
}

/// Direction and end of a bone: along its first segment.
static Vec3 bone_end(const PeltiCharacter *who, int bone)
{
    const PeltiBone *b = &who->bones[bone];
    return b->segment_count ? who->segments[b->segment_first].b : b->head;
}

PeltStatus pelti_rig_place(const PeltiCharacter *who, const PeltRigPlace *place, int *bone, Vec3 *out, PeltError *err)
{
    PELT_TRY(find_bone(who, place->bone, "a place", bone, err));
    Vec3 head = who->bones[*bone].head, offset = vec3(place->offset[0], place->offset[1], place->offset[2]);
    *out = vec3_mad(vec3_lerp(head, bone_end(who, *bone), place->along), offset, who->mesh->diagonal);
    return PELT_OK;
}

// ---- operators at joints

typedef struct Gather {
    const PeltiCharacter *who;
    const PeltiArtist *artist;
    PeltiProfile *profiles; ///< [joint_count]
    int profile_count;
    int *bone_operator;
} Gather;

static PeltStatus base_profile(const Gather *g, const PeltRigJoint *joint, PeltiProfile *out, PeltError *err)
{
    const char *name = joint->operator_name ? joint->operator_name : "contact";
    if (pelti_profile_named(name, out))
        return PELT_OK;
    for (int k = 0; k < g->artist->operator_count; k++)
        if (!strcmp(g->artist->operator_names[k], name)) {
            *out = pelti_profile_from(&g->artist->operators[k]);
            return PELT_OK;
        }
    return PELT_FAIL(err, PELT_BAD_INPUT, "rig: joint %s: there is no operator '%s'", joint->joint, name);
}

/// The operator of one joint: a built-in one by its number, else a profile of its own, shared with joints that ask the same.
static PeltStatus add_joint(Gather *g, const PeltRigJoint *joint, PeltError *err)
{
    if (!joint->operator_name && !joint->controller_count)
        return PELT_OK;
    int bone;
    PeltiProfile profile;
    PELT_TRY(find_bone(g->who, joint->joint, "joints", &bone, err));
    PELT_TRY(base_profile(g, joint, &profile, err));
    if (!joint->controller_count && joint->operator_name && !strcmp(joint->operator_name, "contact"))
        return PELT_OK;
    if (!joint->controller_count && joint->operator_name && !strcmp(joint->operator_name, "bulge")) {
        g->bone_operator[bone] = 1;
        return PELT_OK;
    }
    if (joint->controller_count > PELTI_CONTROLLER_POINTS)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: joint %s: a controller has at most %d points, not %d", joint->joint,
                         PELTI_CONTROLLER_POINTS, joint->controller_count);
    if (joint->controller_count)
        profile.point_count = joint->controller_count;
    for (int k = 0; k < joint->controller_count; k++) {
        profile.angle_deg[k] = joint->controller[k][0];
        profile.depth[k] = joint->controller[k][1];
    }
    // a name of its own: fields.c takes a profile called as a built-in one for its replacement everywhere
    memmove(profile.name + 1, profile.name, sizeof profile.name - 2);
    profile.name[0] = '@';
    int same = 0;
    while (same < g->profile_count && memcmp(&g->profiles[same], &profile, sizeof profile))
        same++;
    if (same == g->profile_count)
        g->profiles[g->profile_count++] = profile;
    g->bone_operator[bone] = 2 + same;
    return PELT_OK;
}

// ---- muscles

static PeltStatus add_muscle(const PeltiCharacter *who, const PeltRigMuscle *m, PeltiMuscle *out, PeltiFieldPrimitive *primitive,
                             PeltError *err)
{
    PELT_TRY(pelti_rig_place(who, &m->from, &out->bones[0], &out->ends[0], err));
    PELT_TRY(pelti_rig_place(who, &m->to, &out->bones[1], &out->ends[1], err));
    out->driver = -1;
    if (m->driver)
        PELT_TRY(find_bone(who, m->driver, m->name ? m->name : "a muscle", &out->driver, err));
    if (out->driver >= 0)
        out->axis = vec3_normalize_or(vec3_sub(bone_end(who, out->driver), who->bones[out->driver].head), vec3(0, 0, 1));
    out->from = m->angles_deg[0] * DEGREE;
    out->to = m->angles_deg[1] * DEGREE;
    out->swell = m->swell;
    float radius = m->radius * who->mesh->diagonal, length = vec3_distance(out->ends[0], out->ends[1]);
    if (!(radius > 0) || !(length > 0))
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: muscle %s: a radius and two places are needed", m->name ? m->name : "");
    *primitive = (PeltiFieldPrimitive){out->bones[0], out->ends[0], out->ends[1], radius};
    return PELT_OK;
}

PeltStatus pelti_rig_fields(PeltiPool *pool, const PeltiCharacter *who, const PeltiArtist *artist, PeltiFieldOptions *options,
                            PeltiRigFields *out, PeltError *err)
{
    const PeltRig *rig = artist->rig;
    *out = (PeltiRigFields){0};
    if (!rig || (!rig->joint_count && !rig->muscle_count))
        return PELT_OK;
    Gather g = {.who = who, .artist = artist};
    g.profiles = PELTI_NEW(pool, PeltiProfile, rig->joint_count);
    g.bone_operator = PELTI_NEW(pool, int, who->bone_count);
    PeltiFieldPrimitive *primitives = PELTI_NEW(pool, PeltiFieldPrimitive, rig->muscle_count);
    out->muscles = PELTI_NEW(pool, PeltiMuscle, rig->muscle_count);
    if (pool->failed)
        return pelti_no_memory(err, sizeof(PeltiProfile) * (size_t)rig->joint_count);
    for (int k = 0; k < rig->joint_count; k++)
        PELT_TRY(add_joint(&g, &rig->joints[k], err));
    for (int k = 0; k < rig->muscle_count; k++)
        PELT_TRY(add_muscle(who, &rig->muscles[k], &out->muscles[k], &primitives[k], err));
    out->muscle_count = rig->muscle_count;
    options->bone_operator = g.bone_operator;
    options->profile_count = g.profile_count;
    options->profiles = g.profiles;
    options->primitive_count = rig->muscle_count;
    options->primitives = primitives;
    return PELT_OK;
}

float pelti_muscle_contraction(const PeltiMuscle *muscle, const PeltiJoint *joints)
{
    if (muscle->driver < 0)
        return 0;
    const PeltiJoint *joint = &joints[muscle->driver];
    Vec3 axis = mat3_apply(quat_to_mat3(joint->turn), mat3_apply(joint->stretch, muscle->axis));
    float c = vec3_dot(vec3_normalize_or(axis, muscle->axis), muscle->axis), angle = pelti_acosf(fminf(fmaxf(c, -1), 1));
    float t = muscle->to > muscle->from ? (angle - muscle->from) / (muscle->to - muscle->from) : angle >= muscle->to;
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

/// Rest space -> world: turns with the bone of its first end, then so that it points to the second; as long as the two are
/// apart, as thick as its contraction says.
static Mat34 muscle_matrix(const PeltiMuscle *m, const PeltiRigPose *pose)
{
    const Mat34 *bones = pose->bones;
    Vec3 a = mat34_apply(bones[m->bones[0]], m->ends[0]), b = mat34_apply(bones[m->bones[1]], m->ends[1]);
    Vec3 rest = vec3_sub(m->ends[1], m->ends[0]), now = vec3_sub(b, a);
    float length = vec3_length(rest), stretch = fmaxf(vec3_length(now) / length, MUSCLE_SHORTEST);
    Vec3 u = vec3_scale(rest, 1 / length);
    float thick = 1 + (m->swell - 1) * pelti_muscle_contraction(m, pose->joints);
    Mat3 carry = mat3_polar(mat34_linear(bones[m->bones[0]]), NULL);
    Vec3 carried = vec3_normalize_or(mat3_apply(carry, u), u);
    Mat3 turn = mat3_mul(quat_to_mat3(quat_from_to(carried, vec3_normalize_or(now, carried))), carry);
    const float axis[3] = {u.x, u.y, u.z};
    Mat3 shape;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            shape.m[i][j] = thick * (float)(i == j) + (stretch - thick) * axis[i] * axis[j];
    Mat3 linear = mat3_mul(turn, shape);
    return mat34_from(linear, vec3_sub(a, mat3_apply(linear, m->ends[0])));
}

void pelti_rig_matrices(const PeltiRigFields *rig, const PeltiFields *fields, const PeltiRigPose *pose, Mat34 *part_matrix)
{
    for (int p = 0; p < fields->part_count; p++) {
        int primitive = fields->parts[p].primitive;
        part_matrix[p] = primitive < 0 ? pose->bones[fields->parts[p].bone] : muscle_matrix(&rig->muscles[primitive], pose);
    }
}
