/// Small vectors, quaternions and transforms, by value. Column vectors; a Mat3 is stored by rows; angles in radians.
#ifndef PELTI_MATH_VEC_H
#define PELTI_MATH_VEC_H

#include <math.h>
#include <stdbool.h>

typedef struct Vec3 {
    float x, y, z;
} Vec3;

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
Vec3 vec3_orthogonal(Vec3 a); ///< some unit vector at right angles to a

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
Quat quat_normalize(Quat q); ///< identity where q is zero or not finite
Quat quat_mul(Quat a, Quat b);
Quat quat_axis_angle(Vec3 unit_axis, float angle_rad);
Quat quat_slerp(Quat a, Quat b, float t); ///< along the shorter way
float quat_angle(Quat q);                 ///< rotation angle in [0, pi]
Vec3 quat_rotate(Quat q, Vec3 v);
Quat quat_from_to(Vec3 unit_from, Vec3 unit_to);
Quat quat_from_mat3(Mat3 r); ///< r a rotation
Mat3 quat_to_mat3(Quat q);   ///< q a unit quaternion

Mat3 mat3_identity(void);
Mat3 mat3_mul(Mat3 a, Mat3 b);
Mat3 mat3_transpose(Mat3 a);
Mat3 mat3_add(Mat3 a, Mat3 b);
Mat3 mat3_scale(Mat3 a, float s);
float mat3_det(Mat3 a);
bool mat3_inverse(Mat3 a, Mat3 *out); ///< false: singular, out untouched
static inline Vec3 mat3_apply(Mat3 a, Vec3 v)
{
    return vec3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z, a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}
Mat3 mat3_polar(
    Mat3 a, Mat3 *stretch); ///< proper rotation R nearest to a (det R = +1); a = R S; stretch may be NULL. Scalar, double inside

Mat34 mat34_identity(void);
Mat34 mat34_mul(Mat34 a, Mat34 b);
bool mat34_inverse(Mat34 a, Mat34 *out); ///< false: singular
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
Mat34 mat34_from(Mat3 linear, Vec3 translation);
Mat34 mat34_from_trs(Trs trs);
Trs trs_identity(void);
Trs trs_from_mat34(Mat34 a);          ///< nearest; shear is lost
Trs trs_blend(Trs a, Trs b, float t); ///< slerp for rotations, linear else

#endif
