/// Pairs of triangles of one mesh in some shape `x`.
#ifndef PELTI_GEOMETRY_TRIANGLES_H
#define PELTI_GEOMETRY_TRIANGLES_H

#include "geometry/exact.h"

#include <math.h>

static inline bool pelti_triangles_share(const int *s, const int *t) ///< a corner
{
    bool shared = false;
    for (int i = 0; i < 3; i++)
        shared |= (s[i] == t[0]) | (s[i] == t[1]) | (s[i] == t[2]);
    return shared;
}

static inline bool pelti_triangles_cross(const Vec3 *x, const int *s, const int *t)
{
    const Vec3 p[3] = {x[s[0]], x[s[1]], x[s[2]]}, q[3] = {x[t[0]], x[t[1]], x[t[2]]};
    return pelti_triangles_meet(p, q) != PELTI_TRIANGLES_APART;
}

static inline Vec3 pelti_triangle_normal(const Vec3 *x, const int *t) ///< twice the area long
{
    return vec3_cross(vec3_sub(x[t[1]], x[t[0]]), vec3_sub(x[t[2]], x[t[0]]));
}

static inline Vec3 pelti_triangle_centre(const Vec3 *x, const int *t)
{
    return vec3_scale(vec3_add(vec3_add(x[t[0]], x[t[1]]), x[t[2]]), 1.0f / 3);
}

/// How far triangle a reaches to the lesser side of the plane of b. Comparisons in place of fmaxf, which is a call; they leave
/// NaN out as it does. No root where it does not straddle the plane, as most do not.
static inline float pelti_triangle_reach(const Vec3 *x, const int *a, const int *b)
{
    Vec3 n = pelti_triangle_normal(x, b);
    float high = 0, low = 0;
    for (int k = 0; k < 3; k++) {
        float h = vec3_dot(vec3_sub(x[a[k]], x[b[0]]), n);
        high = h > high ? h : high;
        low = -h > low ? -h : low;
    }
    float reach = lesser(high, low), length = reach > 0 ? vec3_length(n) : 1;
    return reach / (length > 1e-30f ? length : 1e-30f);
}

/// How far two triangles that cross would have to move along one of their normals to come apart.
static inline float pelti_triangles_depth(const Vec3 *x, const int *s, const int *t)
{
    return fminf(pelti_triangle_reach(x, s, t), pelti_triangle_reach(x, t, s));
}

/// Whether that is `least` or more.
static inline bool pelti_triangles_as_deep(const Vec3 *x, const int *s, const int *t, float least)
{
    return pelti_triangle_reach(x, s, t) >= least && pelti_triangle_reach(x, t, s) >= least;
}

#endif
