/// Embree's rays hit what trying all triangles hits, with the same bits for any batches and threads.
#include "check.h"

#include "core/jobs.h"
#include "render/rays.h"
#include "soup.h"

/// Compares with all triangles tried; rays that pass within 1e-5 of a border are left out.
static int compare(const PeltiRays *rays, const Soup *s)
{
    static PeltiBoxHit hits[RAYS];
    static uint8_t blocked[RAYS];
    int found = 0;
    pelti_rays_closest(rays, RAYS, s->rays, hits);
    pelti_rays_blocked(rays, RAYS, s->rays, blocked);
    for (int i = 0; i < RAYS; i++) {
        double margin;
        int which = soup_first_hit(s, &s->rays[i], &margin);
        if (margin < 1e-5)
            continue;
        assert_int_equal(blocked[i], which >= 0);
        soup_check_hit(s, &s->rays[i], &hits[i], which);
        found += which >= 0;
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
    pelti_rays_destroy(rays);
}

static void bad_rays_and_triangles_hit_nothing(void **state)
{
    (void)state;
    Vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {NAN, 0, 0}, {0.2f, 0.2f, 1}};
    int t[][3] = {{0, 1, 2}, {0, 1, 3}, {4, 4, 4}, {0, 0, 1}};
    PeltiBoxRay ray[] = {{{0.2f, 0.2f, 2}, 0, {0, 0, -1}, INFINITY},
                         {{0.2f, 0.2f, 2}, 0, {0, 0, 0}, INFINITY},
                         {{NAN, 0, 0}, 0, {0, 0, 1}, 1},
                         {{0.2f, 0.2f, 2}, 0, {0, NAN, -1}, 9},
                         {{0.2f, 0.2f, 2}, 3, {0, 0, -1}, 1},
                         {{0.2f, 0.2f, 2}, -3, {0, 0, -1}, 1},
                         {{0.2f, 0.2f, 2}, 2.5f, {0, 0, -1}, 9},
                         {{0.2f, 0.2f, 2}, 0, {0, 0, -1}, NAN}};
    PeltiBoxHit hit[8];
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
    pelti_rays_closest(rays, 1, ray, hit);
    assert_int_equal(hit[0].triangle, -1);
    pelti_rays_destroy(rays);
    pelti_rays_destroy(NULL);
}

typedef struct Batch {
    const PeltiRays *rays;
    const PeltiBoxRay *ray;
    PeltiBoxHit *hit;
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
    static PeltiBoxHit one[RAYS], many[RAYS];
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
        cmocka_unit_test(batches_and_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
