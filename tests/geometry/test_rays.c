#include "check.h"

#include "core/jobs.h"
#include "geometry/rays.h"

#include <string.h>

enum { TRIANGLES = 300, RAYS = 2000 };

static uint32_t seed;
static float next_random(void) // in [-1, 1)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1;
}
static Vec3 random_vec(float scale)
{
    float x = next_random(), y = next_random(), z = next_random();
    return vec3(x * scale, y * scale, z * scale);
}

typedef struct Soup {
    Vec3 p[TRIANGLES * 3];
    int t[TRIANGLES][3];
    PeltiRay rays[RAYS];
} Soup;

static void make_soup(Soup *s, float size)
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
        s->rays[i] = (PeltiRay){from, 0, vec3_sub(random_vec(1), from), i % 2 ? INFINITY : 0.7f};
    }
}

// [Moeller1997] in double, one triangle after another: the reference
static double hit_distance(const PeltiRay *ray, const Vec3 *p, const int *t, double *least_margin)
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

/// Compares with all triangles tried; rays that pass within 1e-5 of a border are left out.
static int compare(const PeltiRays *rays, const Soup *s)
{
    static PeltiHit hits[RAYS];
    static uint8_t blocked[RAYS];
    int found = 0;
    pelti_rays_closest(rays, RAYS, s->rays, hits);
    pelti_rays_blocked(rays, RAYS, s->rays, blocked);
    for (int i = 0; i < RAYS; i++) {
        double best = INFINITY, margin = INFINITY, least = INFINITY;
        int which = -1;
        for (int t = 0; t < TRIANGLES; t++) {
            double at = hit_distance(&s->rays[i], s->p, s->t[t], &margin);
            least = fmin(least, margin);
            if (at < best) {
                best = at;
                which = t;
            }
        }
        if (least < 1e-5)
            continue;
        assert_int_equal(hits[i].triangle, which);
        assert_int_equal(blocked[i], which >= 0);
        if (which < 0)
            continue;
        found++;
        CHECK_NEAR(hits[i].distance, best, 1e-4 * (1 + best));
        const int *t = s->t[which];
        Vec3 on =
            vec3_mad(vec3_mad(vec3_scale(s->p[t[0]], 1 - hits[i].u - hits[i].v), s->p[t[1]], hits[i].u), s->p[t[2]], hits[i].v);
        CHECK_NEAR(vec3_distance(on, vec3_mad(s->rays[i].origin, s->rays[i].direction, hits[i].distance)), 0, 1e-4);
    }
    return found;
}

static void hits_are_those_of_all_triangles_tried(void **state)
{
    (void)state;
    static Soup s;
    make_soup(&s, 0.3f);
    PeltiRays *rays = NULL;
    PeltError err;
    assert_int_equal(pelti_rays_create(TRIANGLES * 3, s.p, TRIANGLES, (const int(*)[3])s.t, &rays, &err), PELT_OK);
    assert_true(compare(rays, &s) > RAYS / 3);
    for (int i = 0; i < TRIANGLES * 3; i++) // moved and bent: the refitted scene must follow
        s.p[i] = vec3(s.p[i].y + 0.3f * s.p[i].x * s.p[i].x, -s.p[i].x, s.p[i].z * 1.2f);
    pelti_rays_update(rays, s.p);
    assert_true(compare(rays, &s) > RAYS / 3);
    pelti_rays_destroy(rays);
}

static void bad_rays_and_triangles_hit_nothing(void **state)
{
    (void)state;
    Vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {NAN, 0, 0}, {0.2f, 0.2f, 1}};
    int t[][3] = {{0, 1, 2}, {0, 1, 3}, {4, 4, 4}, {0, 0, 1}};
    PeltiRay ray[] = {{{0.2f, 0.2f, 2}, 0, {0, 0, -1}, INFINITY},
                      {{0.2f, 0.2f, 2}, 0, {0, 0, 0}, INFINITY},
                      {{NAN, 0, 0}, 0, {0, 0, 1}, 1},
                      {{0.2f, 0.2f, 2}, 0, {0, NAN, -1}, 9},
                      {{0.2f, 0.2f, 2}, 3, {0, 0, -1}, 1},
                      {{0.2f, 0.2f, 2}, -3, {0, 0, -1}, 1},
                      {{0.2f, 0.2f, 2}, 2.5f, {0, 0, -1}, 9},
                      {{0.2f, 0.2f, 2}, 0, {0, 0, -1}, NAN}};
    PeltiHit hit[8];
    uint8_t blocked[8];
    PeltiRays *rays = NULL;
    PeltError err;
    assert_int_equal(pelti_rays_create(5, p, 4, (const int(*)[3])t, &rays, &err), PELT_OK);
    pelti_rays_closest(rays, 8, ray, hit);
    pelti_rays_blocked(rays, 8, ray, blocked);
    assert_int_equal(hit[0].triangle, 0);
    CHECK_NEAR(hit[0].distance, 2, 1e-6);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(hit[i].triangle >= 0, i == 0);
        assert_int_equal(blocked[i], i == 0);
    }
    pelti_rays_destroy(rays);
    assert_int_equal(pelti_rays_create(0, p, 0, (const int(*)[3])t, &rays, &err), PELT_OK);
    pelti_rays_update(rays, p);
    pelti_rays_closest(rays, 1, ray, hit);
    assert_int_equal(hit[0].triangle, -1);
    pelti_rays_destroy(rays);
    pelti_rays_destroy(NULL);
}

static void groups_see_only_their_own_triangles(void **state)
{
    (void)state;
    static Soup s, part;
    static uint8_t seen[RAYS], expected[RAYS];
    static int group[TRIANGLES], ray_group[RAYS];
    make_soup(&s, 0.3f);
    for (int t = 0; t < TRIANGLES; t++)
        group[t] = t % 3;
    PeltiRays *rays = NULL;
    PeltError err;
    assert_int_equal(pelti_rays_create(TRIANGLES * 3, s.p, TRIANGLES, (const int(*)[3])s.t, &rays, &err), PELT_OK);
    for (int g = 0; g < 4; g++) { // group 3 has none
        int n = 0, hits = 0;
        for (int t = 0; t < TRIANGLES; t++)
            if (group[t] == g)
                memcpy(part.t[n++], s.t[t], sizeof s.t[t]);
        PeltiRays *alone = NULL;
        assert_int_equal(pelti_rays_create(TRIANGLES * 3, s.p, n, (const int(*)[3])part.t, &alone, &err), PELT_OK);
        for (int i = 0; i < RAYS; i++)
            ray_group[i] = g;
        pelti_rays_blocked(alone, RAYS, s.rays, expected);
        pelti_rays_blocked_in_group(rays, RAYS, s.rays, group, ray_group, seen);
        assert_memory_equal(seen, expected, sizeof seen);
        for (int i = 0; i < RAYS; i++)
            hits += seen[i];
        assert_true(g == 3 ? hits == 0 : hits > RAYS / 8);
        pelti_rays_destroy(alone);
    }
    pelti_rays_destroy(rays);
}

typedef struct Batch {
    const PeltiRays *rays;
    const PeltiRay *ray;
    PeltiHit *hit;
} Batch;
static void trace(void *context, int begin, int end, int worker)
{
    Batch *b = context;
    (void)worker;
    pelti_rays_closest(b->rays, end - begin, b->ray + begin, b->hit + begin);
}

static void batches_and_threads_give_the_same_bits(void **state)
{
    (void)state;
    static Soup s;
    static PeltiHit one[RAYS], many[RAYS];
    make_soup(&s, 0.5f);
    PeltiRays *rays = NULL;
    PeltError err;
    assert_int_equal(pelti_rays_create(TRIANGLES * 3, s.p, TRIANGLES, (const int(*)[3])s.t, &rays, &err), PELT_OK);
    pelti_rays_closest(rays, RAYS, s.rays, one);
    PeltiJobs *jobs = pelti_jobs_create(4);
    Batch batch = {rays, s.rays, many};
    pelti_parallel_for(jobs, RAYS, 37, trace, &batch);
    assert_memory_equal(one, many, sizeof one);
    pelti_jobs_destroy(jobs);
    pelti_rays_destroy(rays);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_those_of_all_triangles_tried),
        cmocka_unit_test(bad_rays_and_triangles_hit_nothing),
        cmocka_unit_test(groups_see_only_their_own_triangles),
        cmocka_unit_test(batches_and_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
