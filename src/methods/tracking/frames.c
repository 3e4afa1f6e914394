/// Cuts the way between two poses into virtual frames, and gives the bones of each [Vaillant2014].
#include "methods/tracking/tracking.h"
#include "math/elementary.h"
#include "methods/tracking/constants.def"

#include <string.h>

static Mat34 joint_matrix(const PeltiBone *bone, const PeltiJoint *joint, const Mat34 *parent)
{
    Mat3 linear = mat3_mul(quat_to_mat3(joint->turn), joint->stretch);
    Mat34 local = mat34_from(linear, vec3_sub(joint->head, mat3_apply(linear, bone->head)));
    return parent ? mat34_mul(*parent, local) : local;
}

static Quat negated(Quat q)
{
    return (Quat){-q.x, -q.y, -q.z, -q.w};
}

/// Whole rotations down the tree: products of the joints' own, so that a twist beyond 180 degrees stays one.
static void chain(const PeltiCharacter *who, const int *order, TrackingBones *out)
{
    for (int k = 0; k < who->bone_count; k++) {
        int b = order[k], parent = who->bones[b].parent;
        out->turn[b] = parent < 0 ? out->joint[b].turn : quat_normalize(quat_mul(out->turn[parent], out->joint[b].turn));
        out->scale[b] = pelti_cbrtf(fabsf(mat3_det(mat34_linear(out->matrix[b]))));
    }
}

void pelti_tracking_bones_from(const PeltiCharacter *who, const int *order, const PeltiStepInput *in, const TrackingBones *near,
                               TrackingBones *out)
{
    for (int b = 0; b < who->bone_count; b++) {
        PeltiJoint joint = in->joints[b];
        if (near ? quat_dot(near->joint[b].turn, joint.turn) < 0 : joint.turn.w < 0)
            joint.turn = negated(joint.turn);
        out->joint[b] = joint;
        out->matrix[b] = in->bones[b];
    }
    chain(who, order, out);
}

void pelti_tracking_bones_rest(const PeltiCharacter *who, const int *order, TrackingBones *out)
{
    for (int b = 0; b < who->bone_count; b++) {
        out->matrix[b] = mat34_identity();
        out->joint[b] = (PeltiJoint){quat_identity(), who->bones[b].head, mat3_identity()};
    }
    chain(who, order, out);
}

void pelti_tracking_bones_copy(int bone_count, const TrackingBones *from, TrackingBones *to)
{
    size_t count = (size_t)bone_count;
    memcpy(to->matrix, from->matrix, sizeof(Mat34) * count);
    memcpy(to->joint, from->joint, sizeof(PeltiJoint) * count);
    memcpy(to->turn, from->turn, sizeof(Quat) * count);
    memcpy(to->scale, from->scale, sizeof(float) * count);
}

void pelti_tracking_bones_blend(const PeltiCharacter *who, const int *order, const TrackingBones *a, const TrackingBones *b,
                                float share, TrackingBones *out)
{
    if (share >= 1) {
        pelti_tracking_bones_copy(who->bone_count, b, out);
        return;
    }
    for (int k = 0; k < who->bone_count; k++) {
        int i = order[k], parent = who->bones[i].parent;
        const PeltiJoint *from = &a->joint[i], *to = &b->joint[i];
        PeltiJoint joint = {quat_slerp(from->turn, to->turn, share), vec3_lerp(from->head, to->head, share),
                            mat3_add(mat3_scale(from->stretch, 1 - share), mat3_scale(to->stretch, share))};
        if (quat_dot(joint.turn, from->turn) < 0)
            joint.turn = negated(joint.turn);
        out->joint[i] = joint;
        out->matrix[i] = joint_matrix(&who->bones[i], &joint, parent < 0 ? NULL : &out->matrix[parent]);
    }
    chain(who, order, out);
}

/// [Vaillant2014] sec. 5.2: no joint turns by more than a third of its present bending angle, nor (so that a straight joint
/// gets anywhere) by less than the floor.
float pelti_tracking_share(const PeltiCharacter *who, const TrackingSettings *set, const TrackingBones *now,
                           const TrackingBones *goal)
{
    float share = 1;
    if (!set->subdivide)
        return share;
    for (int b = 0; b < who->bone_count; b++) {
        if (who->bones[b].parent < 0)
            continue; // the root carries all: its turn bends nothing
        float bend = quat_angle(now->joint[b].turn),
              turn = quat_angle(quat_mul(quat_conjugate(now->joint[b].turn), goal->joint[b].turn));
        float most = fmaxf(bend * LARGEST_BEND, set->floor_rad);
        if (turn * share > most)
            share = most / turn;
    }
    return share;
}
