/// A soup of triangles with rays through it, and every triangle tried: what rays are compared with.
#ifndef PELT_TESTS_SOUP_H
#define PELT_TESTS_SOUP_H

#include "check.h"
#include "geometry/ray.h"

enum { TRIANGLES = 300, RAYS = 2000 };

static uint32_t seed;
static inline float next_random(void) // in [-1, 1)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1;
}
static inline Vec3 random_vec(float scale)
{
    float x = next_random(), y = next_random(), z = next_random();
    return vec3(x * scale, y * scale, z * scale);
}

typedef struct Soup {
    Vec3 p[TRIANGLES * 3];
    int t[TRIANGLES][3];
    PeltiBoxRay rays[RAYS];
} Soup;

static inline void make_soup(Soup *s, float size)
{
    seed = 7;
    for (int i = 0; i < TRIANGLES; i++) {
        Vec3 c = random_vec(1);
        for (int k = 0; k < 3; k++) {
            s->p[i * 3 + k] = vec3_add(c, random_vec(size));
            s->t[i][k] = i * 3 + k;
        }
    }
    for (int i = 0; i < RAYS; i++) {
        Vec3 from = random_vec(1.5f);
        s->rays[i] = (PeltiBoxRay){from, 0, vec3_sub(random_vec(1), from), i % 2 ? INFINITY : 0.7f};
    }
}

// [Moeller1997] in double, one triangle after another: the reference
static inline double hit_distance(const PeltiBoxRay *ray, const Vec3 *p, const int *t, double *least_margin)
{
    double o[3] = {(double)ray->origin.x, (double)ray->origin.y, (double)ray->origin.z};
    double d[3] = {(double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z}, v[3][3];
    for (int k = 0; k < 3; k++) {
        v[k][0] = (double)p[t[k]].x;
        v[k][1] = (double)p[t[k]].y;
        v[k][2] = (double)p[t[k]].z;
    }
    double e1[3], e2[3], s[3];
    for (int k = 0; k < 3; k++) {
        e1[k] = v[1][k] - v[0][k];
        e2[k] = v[2][k] - v[0][k];
        s[k] = o[k] - v[0][k];
    }
    double h[3] = {d[1] * e2[2] - d[2] * e2[1], d[2] * e2[0] - d[0] * e2[2], d[0] * e2[1] - d[1] * e2[0]};
    double q[3] = {s[1] * e1[2] - s[2] * e1[1], s[2] * e1[0] - s[0] * e1[2], s[0] * e1[1] - s[1] * e1[0]};
    double a = e1[0] * h[0] + e1[1] * h[1] + e1[2] * h[2];
    if (a == 0)
        return INFINITY;
    double u = (s[0] * h[0] + s[1] * h[1] + s[2] * h[2]) / a, w = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / a;
    double at = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / a;
    *least_margin = fmin(fmin(fabs(u), fabs(w)), fmin(fabs(1 - u - w), fmin(fabs(at), fabs(at - (double)ray->far))));
    return u >= 0 && w >= 0 && u + w <= 1 && at >= 0 && at <= (double)ray->far ? at : INFINITY;
}

/// The nearest by trying all, -1: none; `margin`: how close to a border of anything the ray passes.
static inline int soup_first_hit(const Soup *s, const PeltiBoxRay *ray, double *margin)
{
    double best = INFINITY, one = INFINITY;
    int which = -1;
    *margin = INFINITY;
    for (int t = 0; t < TRIANGLES; t++) {
        double at = hit_distance(ray, s->p, s->t[t], &one);
        *margin = fmin(*margin, one);
        if (at < best) {
            best = at;
            which = t;
        }
    }
    return which;
}

/// The hit is on triangle `which`, at the distance and barycentrics it says.
static inline void soup_check_hit(const Soup *s, const PeltiBoxRay *ray, const PeltiBoxHit *hit, int which)
{
    double margin;
    assert_int_equal(hit->triangle, which);
    if (which < 0)
        return;
    const int *t = s->t[which];
    double at = hit_distance(ray, s->p, t, &margin);
    CHECK_NEAR(hit->distance, at, 1e-4 * (1 + at));
    Vec3 on = vec3_mad(vec3_mad(vec3_scale(s->p[t[0]], 1 - hit->u - hit->v), s->p[t[1]], hit->u), s->p[t[2]], hit->v);
    CHECK_NEAR(vec3_distance(on, vec3_mad(ray->origin, ray->direction, hit->distance)), 0, 1e-4);
}

#endif
