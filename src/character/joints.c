/// Joints from a pose, without the way over world matrices and their polar decomposition.
#include "character/joints.h"
#include "character/pose_math.h"

#include <string.h>

/// The rotation in a matrix; of its negative where it mirrors, so that mirror images of a chain turn as the chain does.
static Quat turn_of(double m[3][4])
{
    Mat3 linear;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            linear.m[i][j] = (float)m[i][j];
    if (mat3_det(linear) < 0)
        linear = mat3_scale(linear, -1);
    return quat_from_mat3(mat3_polar(linear, NULL));
}

static bool invert(double m[3][4], double out[3][4])
{
    Mat34 a, back;
    for (int i = 0; i < 12; i++)
        (&a.m[0][0])[i] = (float)(&m[0][0])[i];
    bool fine = mat34_inverse(a, &back);
    if (!fine)
        back = mat34_identity();
    for (int i = 0; i < 12; i++)
        (&out[0][0])[i] = (double)(&back.m[0][0])[i];
    return fine;
}

void pelti_joints_bind(PeltiCharacter *who)
{
    for (int n = 0; n < who->node_count; n++)
        who->nodes[n].matrix_turn = who->nodes[n].has_matrix ? turn_of(who->nodes[n].matrix) : quat_identity();
    for (int b = 0; b < who->bone_count; b++) {
        PeltiBone *bone = &who->bones[b];
        bone->bind_turn = invert(bone->rest_to_bone, bone->bone_to_rest) ? turn_of(bone->rest_to_bone) : quat_identity();
    }
}

/// The turn in a node's local transform. Negative scales: a mirror image is minus a rotation, two mirrored axes are half a turn
/// about the third.
static Quat node_turn(const PeltiCharacter *who, const PeltiPose *pose, int n)
{
    if (who->nodes[n].has_matrix && !pose->touched[n])
        return who->nodes[n].matrix_turn;
    Trs trs = pose->local[n];
    bool x = trs.scale.x < 0, y = trs.scale.y < 0, z = trs.scale.z < 0;
    if ((x + y + z) % 2 == 1) {
        x = !x;
        y = !y;
        z = !z;
    }
    if (!x && !y && !z)
        return trs.rotation;
    return quat_mul(trs.rotation, (Quat){!x ? 1.0f : 0, !y ? 1.0f : 0, !z ? 1.0f : 0, 0});
}

void pelti_joints_pose(const PeltiCharacter *who, const PeltiPose *pose, PeltiJoint *joints)
{
    for (int b = 0; b < who->bone_count; b++) {
        PeltiBone *bone = &who->bones[b], *parent = bone->parent >= 0 ? &who->bones[bone->parent] : NULL;
        double from[3][4], to[3][4], local[3][4];
        Quat turn = bone->bind_turn;
        memcpy(from, bone->rest_to_bone, sizeof from);
        for (int n = bone->node; n >= 0 && (!parent || n != parent->node); n = who->nodes[n].parent) {
            turn = quat_mul(node_turn(who, pose, n), turn);
            pelti_pose_local(who, pose, n, local);
            mat34_mul_double(local, from, to);
            memcpy(from, to, sizeof from);
        }
        if (parent) {
            turn = quat_mul(quat_conjugate(parent->bind_turn), turn);
            mat34_mul_double(parent->bone_to_rest, from, to);
            memcpy(from, to, sizeof from);
        }
        Mat34 motion;
        for (int i = 0; i < 12; i++)
            (&motion.m[0][0])[i] = (float)(&from[0][0])[i];
        turn = quat_normalize(turn);
        joints[b] = (PeltiJoint){.turn = turn,
                                 .head = mat34_apply(motion, bone->head),
                                 .stretch = mat3_mul(mat3_transpose(quat_to_mat3(turn)), mat34_linear(motion))};
    }
}
