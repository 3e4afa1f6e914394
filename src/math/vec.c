/// Rotations by angles, from matrices and nearest to matrices: what is too long for vec.h.
#include "math/vec.h"
#include "math/elementary.h"

Quat pelti_quat_axis_angle(Vec3 unit_axis, float angle_rad)
{
    float s = pelti_sinf(0.5f * angle_rad);
    return (Quat){unit_axis.x * s, unit_axis.y * s, unit_axis.z * s, pelti_cosf(0.5f * angle_rad)};
}

Quat pelti_quat_slerp(Quat a, Quat b, float t)
{
    float d = quat_dot(a, b), u = 1 - t, v = t;
    if (d < 0) {
        b = (Quat){-b.x, -b.y, -b.z, -b.w};
        d = -d;
    }
    if (d < 0.9995f) { // nearer than this the chord is exact to float
        float angle = pelti_acosf(d), s = pelti_sinf(angle);
        u = pelti_sinf((1 - t) * angle) / s;
        v = pelti_sinf(t * angle) / s;
    }
    return quat_normalize((Quat){u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z, u * a.w + v * b.w});
}

float pelti_quat_angle(Quat q)
{
    return 2 * pelti_atan2f(sqrtf(q.x * q.x + q.y * q.y + q.z * q.z), fabsf(q.w));
}

Quat pelti_quat_from_mat3(Mat3 r)
{
    float trace = r.m[0][0] + r.m[1][1] + r.m[2][2];
    if (trace > r.m[0][0] && trace > r.m[1][1] && trace > r.m[2][2]) {
        float s = 2 * sqrtf(fmaxf(trace + 1, 0));
        return quat_normalize(
            (Quat){(r.m[2][1] - r.m[1][2]) / s, (r.m[0][2] - r.m[2][0]) / s, (r.m[1][0] - r.m[0][1]) / s, s / 4});
    }
    int i = r.m[1][1] > r.m[0][0] ? 1 : 0;
    if (r.m[2][2] > r.m[i][i])
        i = 2;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    float s = 2 * sqrtf(fmaxf(1 + r.m[i][i] - r.m[j][j] - r.m[k][k], 1e-20f));
    float v[3];
    v[i] = s / 4;
    v[j] = (r.m[j][i] + r.m[i][j]) / s;
    v[k] = (r.m[k][i] + r.m[i][k]) / s;
    return quat_normalize((Quat){v[0], v[1], v[2], (r.m[k][j] - r.m[j][k]) / s});
}

/// Cofactor matrix of rows: cofactor(a) = det(a) a^-T.
static void cofactor(double c[3][3], double a[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[i][j] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
        }
}

bool pelti_mat3_inverse(Mat3 a, Mat3 *out)
{
    double d[3][3], c[3][3], size = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            d[i][j] = (double)a.m[i][j];
            size = fmax(size, fabs(d[i][j]));
        }
    cofactor(c, d);
    double det = d[0][0] * c[0][0] + d[0][1] * c[0][1] + d[0][2] * c[0][2];
    if (!(fabs(det) > 1e-12 * size * size * size) || !isfinite(det))
        return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->m[i][j] = (float)(c[j][i] / det);
    return true;
}

/// One Jacobi rotation of the symmetric s in the plane (p,q); v gathers the eigenvectors as columns.
static void jacobi_rotate(double s[3][3], double v[3][3], int p, int q)
{
    if (fabs(s[p][q]) < 1e-300)
        return;
    double theta = (s[q][q] - s[p][p]) / (2 * s[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), sn = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = s[k][p], kq = s[k][q];
        s[k][p] = c * kp - sn * kq;
        s[k][q] = sn * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = s[p][k], qk = s[q][k];
        s[p][k] = c * pk - sn * qk;
        s[q][k] = sn * pk + c * qk;
    }
    for (int k = 0; k < 3; k++) {
        double kp = v[k][p], kq = v[k][q];
        v[k][p] = c * kp - sn * kq;
        v[k][q] = sn * kp + c * kq;
    }
}

static void normalize_column(double u[3][3], int j, const double fallback[3])
{
    double length = sqrt(u[0][j] * u[0][j] + u[1][j] * u[1][j] + u[2][j] * u[2][j]);
    for (int k = 0; k < 3; k++)
        u[k][j] = length > 1e-150 ? u[k][j] / length : fallback[k];
}

/// SVD by the eigenvectors V of A^T A: U's first two columns are A v normalised (Gram-Schmidt), the third their cross
/// product, which makes U proper; V is made proper too, so R = U V^T has det +1 and is the nearest proper rotation.
Mat3 pelti_mat3_polar(Mat3 a, Mat3 *stretch)
{
    double d[3][3], s[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, u[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            d[i][j] = (double)a.m[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s[i][j] = d[0][i] * d[0][j] + d[1][i] * d[1][j] + d[2][i] * d[2][j];
    for (int sweep = 0; sweep < 12; sweep++) {
        jacobi_rotate(s, v, 0, 1);
        jacobi_rotate(s, v, 0, 2);
        jacobi_rotate(s, v, 1, 2);
    }
    int order[3] = {0, 1, 2}; // largest singular value first
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (s[order[j]][order[j]] < s[order[j + 1]][order[j + 1]]) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
    double w[3][3]; // columns of V in that order, made proper
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 2; j++)
            w[k][j] = v[k][order[j]];
    for (int k = 0; k < 3; k++)
        w[k][2] = w[(k + 1) % 3][0] * w[(k + 2) % 3][1] - w[(k + 2) % 3][0] * w[(k + 1) % 3][1];
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 2; j++)
            u[k][j] = d[k][0] * w[0][j] + d[k][1] * w[1][j] + d[k][2] * w[2][j];
    const double first[3] = {w[0][0], w[1][0], w[2][0]}; // a zero matrix gives the identity
    normalize_column(u, 0, first);
    double along = u[0][0] * u[0][1] + u[1][0] * u[1][1] + u[2][0] * u[2][1];
    double size = sqrt(fabs(s[order[0]][order[0]]));
    for (int k = 0; k < 3; k++)
        u[k][1] -= along * u[k][0];
    double second = sqrt(u[0][1] * u[0][1] + u[1][1] * u[1][1] + u[2][1] * u[2][1]);
    if (second < 1e-12 * size || second < 1e-150) { // rank one or zero: any direction at right angles
        Vec3 free_axis = vec3((float)w[0][1], (float)w[1][1], (float)w[2][1]);
        Vec3 first_axis = vec3((float)u[0][0], (float)u[1][0], (float)u[2][0]);
        free_axis = vec3_sub(free_axis, vec3_scale(first_axis, vec3_dot(free_axis, first_axis)));
        if (vec3_length(free_axis) < 1e-3f)
            free_axis = vec3_orthogonal(first_axis);
        u[0][1] = (double)free_axis.x;
        u[1][1] = (double)free_axis.y;
        u[2][1] = (double)free_axis.z;
    }
    const double none[3] = {0, 0, 0};
    normalize_column(u, 1, none);
    for (int k = 0; k < 3; k++)
        u[k][2] = u[(k + 1) % 3][0] * u[(k + 2) % 3][1] - u[(k + 2) % 3][0] * u[(k + 1) % 3][1];
    Mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = (float)(u[i][0] * w[j][0] + u[i][1] * w[j][1] + u[i][2] * w[j][2]);
    if (stretch)
        *stretch = mat3_mul(mat3_transpose(r), a);
    return r;
}

bool pelti_mat34_inverse(Mat34 a, Mat34 *out)
{
    Mat3 inverse;
    if (!mat3_inverse(mat34_linear(a), &inverse))
        return false;
    *out = mat34_from(inverse, vec3_scale(mat3_apply(inverse, mat34_translation(a)), -1));
    return true;
}
