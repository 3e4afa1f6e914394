/// Finds the rigid motion that two shapes have in common.
#include "touch/parts.h"

void pelti_touch_sum_pair(double sum[TOUCH_SUMS], Vec3 a, Vec3 p, Vec3 b, Vec3 q)
{
    double from[3] = {(double)p.x - (double)a.x, (double)p.y - (double)a.y, (double)p.z - (double)a.z};
    double to[3] = {(double)q.x - (double)b.x, (double)q.y - (double)b.y, (double)q.z - (double)b.z};
    for (int i = 0; i < 3; i++) {
        sum[i] += from[i], sum[3 + i] += to[i];
        for (int k = 0; k < 3; k++)
            sum[6 + 3 * i + k] += to[i] * from[k];
    }
}

Mat34 pelti_touch_rigid(const double sum[TOUCH_SUMS], int count, float size, Vec3 a, Vec3 b)
{
    Mat3 m;
    double n = (double)count, square = (double)size * (double)size * n + 1e-300;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            m.m[i][k] = (float)((sum[6 + 3 * i + k] - sum[3 + i] * sum[k] / n) / square);
    Mat3 r = mat3_polar(m, NULL);
    Vec3 p = vec3((float)((double)a.x + sum[0] / n), (float)((double)a.y + sum[1] / n), (float)((double)a.z + sum[2] / n));
    Vec3 q = vec3((float)((double)b.x + sum[3] / n), (float)((double)b.y + sum[4] / n), (float)((double)b.z + sum[5] / n));
    return mat34_from(r, vec3_sub(q, mat3_apply(r, p)));
}
