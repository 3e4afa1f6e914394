/// Many rays at once give what a tree gives ray by ray: in a soup, on corners and edges, far out, for any number of threads.
#include "check.h"
#include "geometry/box_tree.h"
#include "geometry/stab.h"

enum { TRIANGLES = 600, POINTS = 3 * TRIANGLES, RAYS = 1500 };

static unsigned seed;
static float noise(void) // in [-1, 1)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1;
}

static Vec3 points[POINTS];
static int triangles[TRIANGLES][3];
static double origins[RAYS][3];

/// `shared`: corners are taken from few places, so that triangles have edges in common.
static void make(float size, float offset, bool shared)
{
    seed = 11;
    for (int t = 0; t < TRIANGLES; t++) {
        Vec3 c = vec3(noise() + offset, noise() - offset, noise());
        for (int k = 0; k < 3; k++) {
            points[3 * t + k] = vec3_add(c, vec3_scale(vec3(noise(), noise(), noise()), size));
            triangles[t][k] = shared ? (int)((unsigned)(t * 7 + k * 31 + t * t) % 90) : 3 * t + k;
        }
    }
    for (int i = 0; i < RAYS; i++) { // on corners, in the middle of edges, and anywhere
        const int *t = triangles[i % TRIANGLES];
        Vec3 a = points[t[0]], b = points[t[1]];
        Vec3 p = i % 3 == 0   ? a
                 : i % 3 == 1 ? vec3_scale(vec3_add(a, b), 0.5f)
                              : vec3(noise() + offset, noise() - offset, noise());
        origins[i][0] = (double)p.x, origins[i][1] = (double)p.y, origins[i][2] = (double)p.z;
        for (int k = 0; k < 3 && i % 2; k++) // less than float can tell
            origins[i][k] += 4e-8 * (double)noise() * fabs(origins[i][k]);
    }
}

static void compare(void)
{
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiBoxTree *tree;
    PeltiStab *stab;
    PeltError err = {0};
    const int(*t)[3] = (const int(*)[3])triangles;
    static int found[RAYS];
    long hits = 0;
    assert_int_equal(pelti_box_tree_build_triangles(&pool, TRIANGLES, t, points, &tree, &err), PELT_OK);
    assert_int_equal(pelti_stab_create(&pool, RAYS, &stab, &err), PELT_OK);
    for (int threads = 1; threads <= 3; threads += 2)
        for (int axis = 0; axis < 3; axis++)
            for (int count = RAYS; count > 0; count /= 37) { // many, few, one
                PeltiJobs *jobs = pelti_jobs_create(threads);
                pelti_stab_count(stab, &(PeltiStabRays){count, (const double(*)[3])origins, TRIANGLES, t, points}, axis, jobs,
                                 found);
                pelti_jobs_destroy(jobs);
                for (int i = 0; i < count; i++) {
                    int wanted = pelti_box_tree_crossings(tree, t, points, origins[i], axis);
                    if (found[i] != wanted)
                        fail_msg("ray %d along %d: %d, the tree says %d", i, axis, found[i], wanted);
                    hits += wanted != 0;
                }
            }
    assert_true(hits > 200);
    pelti_pool_release(&pool);
}

static void a_soup(void **state)
{
    (void)state;
    make(0.3f, 0, false);
    compare();
    make(0.02f, 0, false); // slivers of shadow: rays hit only what they start on
    make(2, 0, false);
    compare();
}

static void shared_edges_count_once(void **state)
{
    (void)state;
    make(0.5f, 0, true);
    compare();
}

static void far_from_the_origin_where_float_is_coarse(void **state)
{
    (void)state;
    make(0.3f, 5000, false);
    compare();
    make(0.3f, 1e7f, true);
    compare();
}

static void one_point_far_out_and_flat_triangles(void **state)
{
    (void)state;
    make(0.3f, 0, false);
    points[5] = vec3(1e9f, -1e9f, 1e9f);
    points[9] = vec3(3e38f, 0, 0); // left out
    points[12] = vec3(NAN, 0, 0);  // left out
    points[16] = points[15];       // no area
    points[19] = vec3_mad(points[18], vec3_sub(points[20], points[18]), 0.5f);
    for (int i = 0; i < RAYS; i++) // origins must be finite
        for (int k = 0; k < 3; k++)
            if (!(fabs(origins[i][k]) < 1e8))
                origins[i][k] = 0.1 * k;
    origins[7][1] = -1e9;
    compare();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soup),
        cmocka_unit_test(shared_edges_count_once),
        cmocka_unit_test(far_from_the_origin_where_float_is_coarse),
        cmocka_unit_test(one_point_far_out_and_flat_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
