/// Fitted fields meet their samples, are nearly a distance, and end where they would run away; grids follow them.
#include "check.h"

#include "field/grid.h"
#include "field/sample.h"

enum { N = 60 };

/// Points spread over the unit sphere (golden spiral).
static void sphere(int count, Vec3 *points)
{
    for (int k = 0; k < count; k++) {
        float z = 1 - 2 * ((float)k + 0.5f) / (float)count, r = sqrtf(1 - z * z), a = 2.3999632f * (float)k;
        points[k] = vec3(r * cosf(a), r * sinf(a), z);
    }
}

static void fit_meets_its_samples(void **state)
{
    (void)state;
    Vec3 p[N], q[N], n[N], g[N];
    float d[N];
    sphere(N, n);
    for (int k = 0; k < N; k++) // an ellipsoid off the origin: normals n / axis
        p[k] = vec3(3 + 0.2f * n[k].x, -1 + 0.1f * n[k].y, 5 + 0.4f * n[k].z);
    for (int k = 0; k < N; k++)
        q[k] = vec3_normalize_or(vec3(n[k].x / 0.2f, n[k].y / 0.1f, n[k].z / 0.4f), n[k]);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiHrbf h;
    assert_int_equal(pelti_hrbf_fit(&pool, N, p, q, &h, NULL), PELT_OK);
    pelti_hrbf_eval(&h, N, p, d, g);
    for (int k = 0; k < N; k++) {
        CHECK_NEAR(d[k], 0, 1e-6);
        CHECK_NEAR(vec3_distance(g[k], q[k]), 0, 1e-5);
    }
    pelti_pool_release(&pool);
}

/// Outside, the fit grows faster than the distance; inside and near the skin it is close.
static void sphere_is_nearly_a_distance(void **state)
{
    (void)state;
    Vec3 p[N], x[4] = {{0.7f, 0, 0}, {0, 1.4f, 0}, {0.6f, 0.6f, 0.6f}, {0, 0, -0.5f}}, g[4];
    float d[4];
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiHrbf h;
    sphere(N, p);
    assert_int_equal(pelti_hrbf_fit(&pool, N, p, p, &h, NULL), PELT_OK);
    pelti_hrbf_eval(&h, 4, x, d, g);
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(d[k], vec3_length(x[k]) - 1, 0.2);
        Vec3 y[6];
        float e[6];
        Vec3 unused[6];
        for (int i = 0; i < 6; i++)
            y[i] = vec3_add(x[k], vec3_scale(vec3(i / 2 == 0, i / 2 == 1, i / 2 == 2), i & 1 ? -1e-3f : 1e-3f));
        pelti_hrbf_eval(&h, 6, y, e, unused);
        CHECK_NEAR((e[0] - e[1]) / 2e-3f, g[k].x, 1e-3);
        CHECK_NEAR((e[2] - e[3]) / 2e-3f, g[k].y, 1e-3);
        CHECK_NEAR((e[4] - e[5]) / 2e-3f, g[k].z, 1e-3);
    }
    pelti_pool_release(&pool);
}

static void coinciding_samples_fail(void **state)
{
    (void)state;
    Vec3 p[3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}, n[3] = {{0, 0, 1}, {0, 0, 1}, {0, 1, 0}};
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiHrbf h;
    assert_int_equal(pelti_hrbf_fit(&pool, 3, p, n, &h, NULL), PELT_FAILED);
    pelti_pool_release(&pool);
}

static void grid_follows_the_fit(void **state)
{
    (void)state;
    Vec3 p[N];
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiHrbf h;
    sphere(N, p);
    assert_int_equal(pelti_hrbf_fit(&pool, N, p, p, &h, NULL), PELT_OK);
    PeltiGrid grid;
    PeltiFieldGuard none = {0};
    pelti_grid_layout(&grid, mat34_identity(), vec3(-2.4f, -2.4f, -2.4f), vec3(2.4f, 2.4f, 2.4f), 1.0f / 7, 60000);
    grid.nodes = pelti_pool_take(&pool, pelti_grid_nodes(&grid), sizeof(int16_t[4]));
    assert_int_equal(pelti_grid_bake(&grid, &h, 1, &none, NULL, NULL), PELT_OK);
    double worst = 0, slope_error = 0;
    for (int k = 0; k < 2000; k++) {
        float r = 0.4f + 1.2f * (float)(k % 97) / 97, a = 0.37f * (float)k, b = 0.11f * (float)k, f = 1, want, slope;
        Vec3 x = vec3(r * cosf(a) * cosf(b), r * sinf(a) * cosf(b), r * sinf(b)), g, exact;
        pelti_hrbf_eval(&h, 1, &x, &want, &exact);
        want = pelti_field_support(want, 1, &slope);
        assert_true(pelti_grid_fetch(&grid, mat34_apply(grid.rest_to_grid, x), &f, &g));
        worst = fmax(worst, fabs((double)(f - want)));
        float scale = vec3_length(mat34_apply_vector(grid.rest_to_grid, vec3(1, 0, 0)));
        slope_error = fmax(slope_error, (double)vec3_distance(vec3_scale(g, scale), vec3_scale(exact, slope)));
    }
    if (!(worst < 3e-3))
        fail_msg("grid value is off by %g", worst);
    if (!(slope_error < 0.2))
        fail_msg("grid gradient is off by %g", slope_error);
    float f = 1;
    Vec3 g;
    assert_false(pelti_grid_fetch(&grid, vec3(-0.01f, 5, 5), &f, &g));
    assert_true(pelti_grid_fetch(&grid, vec3(0, 5, 5), &f, &g));
    CHECK_NEAR(f, 0, 1e-4); // fades to nothing on its border
    pelti_pool_release(&pool);
}

static void guard_ends_a_runaway_field(void **state)
{
    (void)state;
    enum { AROUND = 12, RINGS = 4 };
    Vec3 p[AROUND * RINGS], n[AROUND * RINGS]; // a cone that opens: its fit goes on opening
    for (int k = 0; k < AROUND * RINGS; k++) {
        float a = 6.2831853f * (float)(k % AROUND) / AROUND, z = 0.1f * (float)(k / AROUND), r = 0.1f + z;
        p[k] = vec3(r * cosf(a), r * sinf(a), z);
        n[k] = vec3(0.70710678f * cosf(a), 0.70710678f * sinf(a), -0.70710678f);
    }
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiHrbf h;
    assert_int_equal(pelti_hrbf_fit(&pool, AROUND * RINGS, p, n, &h, NULL), PELT_OK);
    float value[2];
    for (int guarded = 0; guarded < 2; guarded++) {
        PeltiGrid grid;
        PeltiFieldGuard guard = {.count = guarded, .radius = 0.48f};
        guard.b[0] = vec3(0, 0, 0.3f);
        pelti_grid_layout(&grid, mat34_identity(), vec3(-1.5f, -1.5f, -1.5f), vec3(1.5f, 1.5f, 1.5f), 0.08f, 60000);
        grid.nodes = pelti_pool_take(&pool, pelti_grid_nodes(&grid), sizeof(int16_t[4]));
        assert_int_equal(pelti_grid_bake(&grid, &h, 0.5f, &guard, NULL, NULL), PELT_OK);
        Vec3 g;
        assert_true(pelti_grid_fetch(&grid, mat34_apply(grid.rest_to_grid, vec3(0.6f, 0, 1.0f)), &value[guarded], &g));
    }
    assert_true(value[0] > 0.5f); // what the guard is for
    assert_true(value[1] < 0.3f);
    pelti_pool_release(&pool);
}

static void disk_samples_keep_their_distance(void **state)
{
    (void)state;
    enum { MANY = 900, WANTED = 40 };
    Vec3 p[MANY];
    int all[MANY], picked[WANTED];
    float scratch[MANY];
    sphere(MANY, p);
    for (int k = 0; k < MANY; k++)
        all[k] = k;
    assert_int_equal(pelti_sample_disk(&(PeltiSampleDisk){MANY, all, p, WANTED, 0, {0, 0, 0}}, scratch, picked), WANTED);
    float apart = 10, cover = 0;
    for (int a = 0; a < WANTED; a++)
        for (int b = 0; b < a; b++)
            apart = fminf(apart, vec3_distance(p[picked[a]], p[picked[b]]));
    for (int k = 0; k < MANY; k++) {
        float nearest = 10;
        for (int a = 0; a < WANTED; a++)
            nearest = fminf(nearest, vec3_distance(p[k], p[picked[a]]));
        cover = fmaxf(cover, nearest);
    }
    assert_true(apart > 0.3f);
    assert_true(cover <= apart); // maximal: no candidate could be added
    assert_int_equal(pelti_sample_disk(&(PeltiSampleDisk){3, all, p, WANTED, 0, {0, 0, 0}}, scratch, picked), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_meets_its_samples),      cmocka_unit_test(sphere_is_nearly_a_distance),
        cmocka_unit_test(coinciding_samples_fail),    cmocka_unit_test(grid_follows_the_fit),
        cmocka_unit_test(guard_ends_a_runaway_field), cmocka_unit_test(disk_samples_keep_their_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
