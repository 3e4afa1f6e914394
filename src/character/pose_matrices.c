/// Poses from world matrices: each joint against the parent as it came out, so that rounding does not add up along a chain.
#include "character/character.h"
#include "character/pose_math.h"

#include <math.h>

static bool usable(Mat34 m)
{
    for (int i = 0; i < 12; i++)
        if (!(fabsf((&m.m[0][0])[i]) < 1e18f))
            return false;
    return true;
}

/// inverse(parent) * matrix, in double; false: the parent has no inverse.
static bool against(const PeltiNodeMatrix *parent, Mat34 matrix, Mat34 *out)
{
    const double(*p)[4] = parent->m;
    double c[3][3], inverse[3][3], det = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[i][j] = p[(i + 1) % 3][(j + 1) % 3] * p[(i + 2) % 3][(j + 2) % 3] -
                      p[(i + 1) % 3][(j + 2) % 3] * p[(i + 2) % 3][(j + 1) % 3]; // cofactors
    for (int j = 0; j < 3; j++)
        det += p[0][j] * c[0][j];
    if (!(fabs(det) > 1e-30))
        return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inverse[i][j] = c[j][i] / det;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += inverse[i][k] * ((double)matrix.m[k][j] - (j == 3 ? p[k][3] : 0));
            out->m[i][j] = (float)sum;
        }
    return usable(*out);
}

float pelti_pose_from_matrices(const PeltiCharacter *who, const int *joint, const Mat34 *matrices, PeltiNodeMatrix *node_matrix,
                               PeltiPose *pose)
{
    float worst = 0;
    for (int k = 0; k < who->node_count; k++) {
        int n = who->node_order[k], parent = who->nodes[n].parent;
        Mat34 local;
        const Mat34 *goal = joint[n] >= 0 ? &matrices[joint[n]] : NULL;
        if (goal && !usable(*goal))
            goal = NULL;
        if (goal)
            local = *goal;
        if (goal && parent >= 0 && !against(&node_matrix[parent], *goal, &local))
            goal = NULL;
        if (goal) {
            pose->local[n] = trs_from_mat34(local);
            pose->touched[n] = true;
        }
        pelti_pose_node_matrix(who, pose, n, node_matrix);
        for (int i = 0; i < 9 && goal; i++)
            worst = fmaxf(worst, fabsf(goal->m[i / 3][i % 3] - (float)node_matrix[n].m[i / 3][i % 3]));
    }
    return worst;
}
