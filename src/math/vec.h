/// Small vectors, quaternions and transforms, by value. Column vectors; a Mat3 is stored by rows; angles in radians.
#ifndef PELTI_MATH_VEC_H
#define PELTI_MATH_VEC_H

#include <math.h>
#include <stdbool.h>

typedef struct Vec3 {
    float x, y, z;
} Vec3;

typedef struct Dvec { ///< where floats would cancel
    double x, y, z;
} Dvec;

typedef struct Quat { ///< x,y,z,w as in glTF
    float x, y, z, w;
} Quat;

typedef struct Mat3 {
    float m[3][3]; ///< m[row][column]
} Mat3;

typedef struct Mat34 { ///< affine: [R|t], rows
    float m[3][4];
} Mat34;

typedef struct Trs {
    Vec3 translation;
    Quat rotation;
    Vec3 scale;
} Trs;

/// The lesser and the larger by comparison, b where one is NaN: fminf and fmaxf are calls, for its sake.
static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

/// t in [0, 1]: from 0 to 1 and level at both.
static inline float smooth_step(float t)
{
    return t * t * (3 - 2 * t);
}
/// The same of any t: 0 below 0, 1 above 1.
static inline float smooth_rise(float t)
{
    return smooth_step(t < 0 ? 0 : t > 1 ? 1 : t);
}

static inline Vec3 vec3(float x, float y, float z)
{
    return (Vec3){x, y, z};
}
static inline Vec3 vec3_add(Vec3 a, Vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline Vec3 vec3_sub(Vec3 a, Vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline Vec3 vec3_scale(Vec3 a, float s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}
static inline Vec3 vec3_mad(Vec3 a, Vec3 b, float s) ///< a + s b
{
    return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline Vec3 vec3_lerp(Vec3 a, Vec3 b, float t)
{
    return vec3_mad(vec3_scale(a, 1 - t), b, t);
}
static inline float vec3_dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3 vec3_cross(Vec3 a, Vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float vec3_length(Vec3 a)
{
    return sqrtf(vec3_dot(a, a));
}
static inline float vec3_distance(Vec3 a, Vec3 b)
{
    return vec3_length(vec3_sub(a, b));
}
static inline Vec3 vec3_normalize_or(Vec3 a, Vec3 fallback) ///< fallback where a has no direction
{
    float length = vec3_length(a);
    return length > 1e-30f && isfinite(length) ? vec3_scale(a, 1 / length) : fallback;
}
static inline Vec3 vec3_min(Vec3 a, Vec3 b)
{
    return vec3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}
static inline Vec3 vec3_max(Vec3 a, Vec3 b)
{
    return vec3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}
static inline bool vec3_finite(Vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline Quat quat_identity(void)
{
    return (Quat){0, 0, 0, 1};
}
static inline float quat_dot(Quat a, Quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline Quat quat_conjugate(Quat q)
{
    return (Quat){-q.x, -q.y, -q.z, q.w};
}

static inline Vec3 mat3_apply(Mat3 a, Vec3 v)
{
    return vec3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z, a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

static inline Mat3 mat34_linear(Mat34 a)
{
    return (Mat3){{{a.m[0][0], a.m[0][1], a.m[0][2]}, {a.m[1][0], a.m[1][1], a.m[1][2]}, {a.m[2][0], a.m[2][1], a.m[2][2]}}};
}
static inline Vec3 mat34_translation(Mat34 a)
{
    return vec3(a.m[0][3], a.m[1][3], a.m[2][3]);
}
static inline Vec3 mat34_apply(Mat34 a, Vec3 v)
{
    return vec3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z + a.m[0][3],
                a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z + a.m[1][3],
                a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z + a.m[2][3]);
}
static inline Vec3 mat34_apply_vector(Mat34 a, Vec3 v) ///< without the translation
{
    return vec3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z, a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

// The longer ones. Those that take a series or a decomposition are in vec.c, under names of the library.

/// some unit vector at right angles to a
static inline Vec3 vec3_orthogonal(Vec3 a)
{
    Vec3 axis = fabsf(a.x) < fabsf(a.y) ? (fabsf(a.x) < fabsf(a.z) ? vec3(1, 0, 0) : vec3(0, 0, 1))
                                        : (fabsf(a.y) < fabsf(a.z) ? vec3(0, 1, 0) : vec3(0, 0, 1));
    return vec3_normalize_or(vec3_cross(a, axis), vec3(1, 0, 0));
}

/// identity where q is zero or not finite
static inline Quat quat_normalize(Quat q)
{
    float length = sqrtf(quat_dot(q, q));
    if (!(length > 1e-30f) || !isfinite(length))
        return quat_identity();
    return (Quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

static inline Quat quat_mul(Quat a, Quat b)
{
    return (Quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline Vec3 quat_rotate(Quat q, Vec3 v)
{
    Vec3 u = vec3(q.x, q.y, q.z);
    Vec3 t = vec3_scale(vec3_cross(u, v), 2);
    return vec3_add(vec3_mad(v, t, q.w), vec3_cross(u, t));
}

static inline Quat quat_from_to(Vec3 unit_from, Vec3 unit_to)
{
    float d = vec3_dot(unit_from, unit_to);
    if (d < -0.999999f) {
        Vec3 axis = vec3_orthogonal(unit_from);
        return (Quat){axis.x, axis.y, axis.z, 0};
    }
    Vec3 c = vec3_cross(unit_from, unit_to);
    return quat_normalize((Quat){c.x, c.y, c.z, 1 + d});
}

/// q a unit quaternion
static inline Mat3 quat_to_mat3(Quat q)
{
    float x = q.x, y = q.y, z = q.z, w = q.w;
    return (Mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                   {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                   {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

/// r a rotation
Quat pelti_quat_from_mat3(Mat3 r);
static inline Quat quat_from_mat3(Mat3 r)
{
    return pelti_quat_from_mat3(r);
}

Quat pelti_quat_axis_angle(Vec3 unit_axis, float angle_rad);
static inline Quat quat_axis_angle(Vec3 unit_axis, float angle_rad)
{
    return pelti_quat_axis_angle(unit_axis, angle_rad);
}

/// along the shorter way
Quat pelti_quat_slerp(Quat a, Quat b, float t);
static inline Quat quat_slerp(Quat a, Quat b, float t)
{
    return pelti_quat_slerp(a, b, t);
}

/// rotation angle in [0, pi]
float pelti_quat_angle(Quat q);
static inline float quat_angle(Quat q)
{
    return pelti_quat_angle(q);
}

static inline Mat3 mat3_identity(void)
{
    return (Mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline Mat3 mat3_mul(Mat3 a, Mat3 b)
{
    Mat3 out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return out;
}

static inline Mat3 mat3_transpose(Mat3 a)
{
    return (Mat3){{{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}

static inline Mat3 mat3_add(Mat3 a, Mat3 b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a.m[i][j] += b.m[i][j];
    return a;
}

static inline Mat3 mat3_scale(Mat3 a, float s)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a.m[i][j] *= s;
    return a;
}

static inline float mat3_det(Mat3 a)
{
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

/// false: singular, out untouched
bool pelti_mat3_inverse(Mat3 a, Mat3 *out);
static inline bool mat3_inverse(Mat3 a, Mat3 *out)
{
    return pelti_mat3_inverse(a, out);
}

/// proper rotation R nearest to a (det R = +1); a = R S; stretch may be NULL. Scalar, double inside
Mat3 pelti_mat3_polar(Mat3 a, Mat3 *stretch);
static inline Mat3 mat3_polar(Mat3 a, Mat3 *stretch)
{
    return pelti_mat3_polar(a, stretch);
}

static inline Mat34 mat34_identity(void)
{
    return (Mat34){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

static inline Mat34 mat34_from(Mat3 l, Vec3 t)
{
    return (Mat34){
        {{l.m[0][0], l.m[0][1], l.m[0][2], t.x}, {l.m[1][0], l.m[1][1], l.m[1][2], t.y}, {l.m[2][0], l.m[2][1], l.m[2][2], t.z}}};
}

static inline Mat34 mat34_mul(Mat34 a, Mat34 b)
{
    Mat34 out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            out.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j] + (j == 3 ? a.m[i][3] : 0);
    return out;
}

/// The same in double, which chains of hundreds need; `out` is neither
static inline void mat34_mul_double(double a[3][4], double b[3][4], double out[3][4])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] + (j == 3 ? a[i][3] : 0);
}

/// false: singular
bool pelti_mat34_inverse(Mat34 a, Mat34 *out);
static inline bool mat34_inverse(Mat34 a, Mat34 *out)
{
    return pelti_mat34_inverse(a, out);
}

static inline Mat34 mat34_from_trs(Trs trs)
{
    Mat3 r = quat_to_mat3(trs.rotation);
    const float scale[3] = {trs.scale.x, trs.scale.y, trs.scale.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] *= scale[j];
    return mat34_from(r, trs.translation);
}

static inline Trs trs_identity(void)
{
    return (Trs){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
}

/// nearest; shear is lost
static inline Trs trs_from_mat34(Mat34 a)
{
    Mat3 stretch, rotation = mat3_polar(mat34_linear(a), &stretch);
    return (Trs){mat34_translation(a), quat_from_mat3(rotation), vec3(stretch.m[0][0], stretch.m[1][1], stretch.m[2][2])};
}

/// slerp for rotations, linear else
static inline Trs trs_blend(Trs a, Trs b, float t)
{
    return (Trs){vec3_lerp(a.translation, b.translation, t), quat_slerp(a.rotation, b.rotation, t),
                 vec3_lerp(a.scale, b.scale, t)};
}

#endif
