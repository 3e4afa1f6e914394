/// The rules a distilled skin goes by, and linear blending as viewers do it: the reference for every player.
#include "distil/distilled.h"
#include "character/weights.h"
#include "math/elementary.h"

#include <string.h>

PeltiDistilDriven pelti_distil_driven_new(PeltiPool *pool, const PeltiDistilSkin *distilled)
{
    return (PeltiDistilDriven){PELTI_NEW(pool, PeltiHelperPose, distilled->helper_count),
                               PELTI_NEW(pool, float, distilled->drive_count),
                               PELTI_NEW(pool, float, distilled->corrective_count)};
}

Vec3 pelti_distil_rotation_vector(Quat turn)
{
    if (turn.w < 0)
        turn = (Quat){-turn.x, -turn.y, -turn.z, -turn.w};
    Vec3 u = vec3(turn.x, turn.y, turn.z);
    float sine = vec3_length(u); // of half the angle
    float over = sine > 1e-6f ? 2 * pelti_atan2f(sine, turn.w) / sine : 2;
    return vec3_scale(u, over);
}

Quat pelti_distil_twist(Quat turn, Vec3 axis)
{
    float along = turn.x * axis.x + turn.y * axis.y + turn.z * axis.z;
    return quat_normalize((Quat){along * axis.x, along * axis.y, along * axis.z, turn.w});
}

PeltiHelperPose pelti_distil_helper(const PeltiHelper *helper, const PeltiJoint *driver)
{
    Quat whole = helper->kind == PELTI_HELPER_TWIST ? pelti_distil_twist(driver->turn, helper->axis) : driver->turn;
    float angle = vec3_length(pelti_distil_rotation_vector(driver->turn));
    return (PeltiHelperPose){.turn = quat_slerp(quat_identity(), whole, helper->fraction),
                             .at = vec3_mad(driver->head, helper->offset, angle)};
}

void pelti_distil_drives_say(int count, const PeltiDistilDrive *drives, const PeltiJoint *joints, float *out)
{
    Vec3 r = vec3(0, 0, 0);
    for (int d = 0; d < count; d++) {
        if (d == 0 || drives[d].joint != drives[d - 1].joint)
            r = pelti_distil_rotation_vector(joints[drives[d].joint].turn);
        out[d] = fminf(fmaxf((vec3_dot(r, drives[d].axis) - drives[d].from) / (drives[d].to - drives[d].from), 0), 1);
    }
}

float pelti_distil_weight(const PeltiCorrective *corrective, const float *drives)
{
    float weight = 0;
    for (int i = 0; i < corrective->term_count; i++) {
        const PeltiDistilTerm *term = &corrective->terms[i];
        weight += term->gain * drives[term->drive[0]] * (term->drive[1] >= 0 ? drives[term->drive[1]] : 1);
    }
    return fminf(fmaxf(weight, corrective->low), corrective->high);
}

void pelti_distil_drive(const PeltiDistilSkin *distilled, const PeltiJoint *joints, PeltiDistilDriven *out)
{
    for (int h = 0; h < distilled->helper_count; h++)
        out->helpers[h] = pelti_distil_helper(&distilled->helpers[h], &joints[distilled->helpers[h].driver]);
    pelti_distil_drives_say(distilled->drive_count, distilled->drives, joints, out->drives);
    for (int c = 0; c < distilled->corrective_count; c++)
        out->correctives[c] = pelti_distil_weight(&distilled->correctives[c], out->drives);
}

void pelti_distil_matrices(const PeltiDistilSkin *distilled, const Mat34 *bones, const PeltiDistilDriven *driven, Mat34 *out)
{
    memcpy(out, bones, (size_t)distilled->joint_count * sizeof *out);
    for (int h = 0; h < distilled->helper_count; h++) {
        const PeltiHelper *helper = &distilled->helpers[h];
        Mat3 turn = quat_to_mat3(driven->helpers[h].turn);
        Mat34 local = mat34_from(turn, vec3_sub(driven->helpers[h].at, mat3_apply(turn, helper->head)));
        out[distilled->joint_count + h] = mat34_mul(bones[helper->parent], local);
    }
}

void pelti_distil_play(const PeltiDistilSkin *distilled, const Mat34 *matrices, const PeltiDistilDriven *driven, const Vec3 *rest,
                       Vec3 *out)
{
    int count = distilled->who->point_count;
    memcpy(out, rest, (size_t)count * sizeof *out);
    for (int c = 0; c < distilled->corrective_count; c++) {
        const PeltiCorrective *corrective = &distilled->correctives[c];
        float weight = driven->correctives[c];
        for (int i = 0; i < corrective->count && weight != 0; i++)
            out[corrective->points[i]] = vec3_mad(out[corrective->points[i]], corrective->offsets[i], weight);
    }
    for (int p = 0; p < count; p++)
        out[p] = pelti_weights_blend(&distilled->weights, p, matrices, out[p]);
}
