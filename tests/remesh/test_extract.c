/// Surfaces extracted on a grid: closed, outward, near the shape, the same for any number of threads.
#include "check.h"

#include "volume.h"

#include <string.h>

/// A ball with a smaller one apart from it, or with a hole through it.
typedef struct Balls {
    float radius, apart, drilled;
} Balls;

static float distance(const void *context, Vec3 p)
{
    const Balls *b = context;
    float ball = vec3_length(p) - b->radius;
    if (b->apart > 0)
        ball = fminf(ball, vec3_distance(p, vec3(b->apart, 0, 0)) - 0.25f * b->radius);
    if (b->drilled > 0)
        ball = fmaxf(ball, b->drilled - sqrtf(p.x * p.x + p.z * p.z));
    return ball;
}

static PeltStatus extract(const Balls *balls, float voxel, int threads, PeltiRemeshSurface *out, PeltError *err)
{
    PeltiRemeshShape shape = {.context = balls, .low = {-0.5f, -0.5f, -0.5f}, .high = {0.9f, 0.5f, 0.5f}, .distance = distance};
    PeltiJobs *jobs = pelti_jobs_create(threads);
    PeltStatus status = pelti_remesh_extract(&shape, voxel, jobs, NULL, out, err);
    pelti_jobs_destroy(jobs);
    return status;
}

static void a_ball_is_closed_outward_and_round(void **state)
{
    (void)state;
    Balls ball = {.radius = 0.4f};
    PeltiRemeshSurface coarse, fine;
    assert_int_equal(extract(&ball, 0.05f, 1, &coarse, NULL), PELT_OK);
    assert_int_equal(extract(&ball, 0.025f, 3, &fine, NULL), PELT_OK);
    double whole = 4.18879 * 0.064;
    CHECK_NEAR(volume(&fine) / whole, 1, 0.01); // positive: outward
    assert_true(fabs(volume(&fine) - whole) < fabs(volume(&coarse) - whole));
    assert_int_equal(fine.vertex_count - fine.triangle_count / 2, 2); // Euler: no handles
    for (int v = 0; v < fine.vertex_count; v++)
        CHECK_NEAR(vec3_length(fine.position[v]), 0.4, 0.006);
    for (int h = 0; h < 3 * fine.triangle_count; h++) {
        int twin = fine.opposite[h];
        assert_int_equal(fine.opposite[twin], h);
        assert_int_equal(fine.corner[twin], fine.corner[pelti_remesh_next(h)]);
    }
    pelti_remesh_release(&coarse);
    pelti_remesh_release(&fine);
}

static void only_the_largest_piece_is_kept(void **state)
{
    (void)state;
    Balls both = {.radius = 0.4f, .apart = 0.65f}, one = {.radius = 0.4f};
    PeltiRemeshSurface with, without;
    assert_int_equal(extract(&both, 0.04f, 1, &with, NULL), PELT_OK);
    assert_int_equal(extract(&one, 0.04f, 2, &without, NULL), PELT_OK);
    assert_int_equal(with.vertex_count, without.vertex_count);
    CHECK_NEAR(volume(&with), volume(&without), 1e-6);
    pelti_remesh_release(&with);
    pelti_remesh_release(&without);
}

static void a_ball_with_a_hole_through_it_is_refused(void **state)
{
    (void)state;
    Balls ring = {.radius = 0.4f, .drilled = 0.15f};
    PeltiRemeshSurface out;
    PeltError err = {0};
    assert_int_equal(extract(&ring, 0.04f, 1, &out, &err), PELT_FAILED);
    assert_non_null(strstr(err.text, "Euler"));
    assert_null(out.position);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    Balls ball = {.radius = 0.37f};
    PeltiRemeshSurface a, b;
    assert_int_equal(extract(&ball, 0.03f, 1, &a, NULL), PELT_OK);
    assert_int_equal(extract(&ball, 0.03f, 4, &b, NULL), PELT_OK);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_memory_equal(a.position, b.position, sizeof(Vec3) * (size_t)a.vertex_count);
    assert_memory_equal(a.corner, b.corner, sizeof(int[3]) * (size_t)a.triangle_count);
    pelti_remesh_release(&a);
    pelti_remesh_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_closed_outward_and_round), cmocka_unit_test(only_the_largest_piece_is_kept),
        cmocka_unit_test(a_ball_with_a_hole_through_it_is_refused), cmocka_unit_test(threads_do_not_change_a_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
