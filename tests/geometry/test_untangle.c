#include "check.h"
#include "geometry/untangle.h"

#include <string.h>

enum { SIDE = 16, SHEET = SIDE * SIDE };

/// Two sheets of 1 x 1 over each other, the lower one facing up, the upper one facing down, 0.02 apart.
static PeltiMesh *sheets(PeltiPool *pool)
{
    Vec3 p[2 * SHEET];
    int t[4 * SHEET][3], zero[2 * SHEET] = {0}, count = 0;
    for (int i = 0; i < 2 * SHEET; i++)
        p[i] = vec3((float)(i % SIDE) / (SIDE - 1) + (i < SHEET ? 0 : 0.013f), (float)(i % SHEET / SIDE) / (SIDE - 1),
                    i < SHEET ? 0 : 0.02f);
    for (int i = 0; i < 2 * SHEET; i++) {
        if (i % SIDE == SIDE - 1 || i % SHEET / SIDE == SIDE - 1)
            continue;
        int a = i, b = i + 1, c = i + SIDE, d = i + SIDE + 1, up = i < SHEET;
        memcpy(t[count++], up ? (int[3]){a, b, d} : (int[3]){a, d, b}, sizeof *t);
        memcpy(t[count++], up ? (int[3]){a, d, c} : (int[3]){a, c, d}, sizeof *t);
    }
    PeltiMesh *mesh = NULL;
    PeltError err;
    PeltiMeshDef def = {.point_count = 2 * SHEET,
                        .triangle_count = count,
                        .weld_positions = p,
                        .rest = p,
                        .instance_of_point = zero,
                        .point_triangles = (const int(*)[3])t};
    assert_int_equal(pelti_mesh_build(pool, &def, &mesh, &err), PELT_OK);
    return mesh;
}

static void a_dent_through_a_sheet_is_parted(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiUntangle untangle;
    PeltError err;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = sheets(&pool);
    assert_int_equal(pelti_untangle_build(&pool, mesh, 1e-3f, &untangle, &err), PELT_OK);
    Vec3 *x = PELTI_NEW(&pool, Vec3, mesh->vertex_count), *before = PELTI_NEW(&pool, Vec3, mesh->vertex_count);
    size_t bytes = sizeof(Vec3) * (size_t)mesh->vertex_count;
    memcpy(x, mesh->rest, bytes);
    assert_int_equal(pelti_untangle(&untangle, NULL, x, PELTI_UNTANGLE_WHOLLY), 0);
    assert_memory_equal(x, mesh->rest, bytes); // what is apart stays to the last bit
    for (int v = SHEET; v < 2 * SHEET; v++) {
        float dx = x[v].x - 0.5f, dy = x[v].y - 0.5f, r2 = dx * dx + dy * dy;
        x[v].z -= 0.045f * expf(-r2 / 0.02f); // 0.025 below the lower sheet in the middle
    }
    memcpy(before, x, bytes);
    int left = pelti_untangle(&untangle, NULL, x, PELTI_UNTANGLE_WHOLLY);
    printf("%d pairs crossed, %d are left\n", untangle.found, left);
    assert_true(untangle.found > 20);
    assert_int_equal(left, 0);
    for (int v = 0; v < mesh->vertex_count; v++) {
        assert_true(vec3_distance(x[v], before[v]) < 0.04f);
        if (fabsf(before[v].x - 0.5f) > 0.45f) // far from it nothing moves
            assert_memory_equal(&x[v], &before[v], sizeof(Vec3));
    }
    assert_int_equal(pelti_untangle(&untangle, NULL, x, PELTI_UNTANGLE_WHOLLY), 0);
    assert_int_equal(untangle.found, 0);
    pelti_pool_release(&pool);
}

static void crumpled_skin_never_gets_worse_and_threads_agree(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiUntangle untangle;
    PeltError err;
    uint32_t seed = 3;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = sheets(&pool);
    assert_int_equal(pelti_untangle_build(&pool, mesh, 1e-3f, &untangle, &err), PELT_OK);
    Vec3 *x[2];
    for (int run = 0; run < 2; run++)
        x[run] = PELTI_NEW(&pool, Vec3, mesh->vertex_count);
    memcpy(x[0], mesh->rest, sizeof(Vec3) * (size_t)mesh->vertex_count);
    for (int v = 0; v < 2 * SHEET; v++)
        for (int k = 0; k < 3; k++) { // folds of one edge: half the triangles of a patch are turned
            seed = seed * 1664525u + 1013904223u;
            if (fabsf(mesh->rest[v].x - 0.5f) < 0.2f && fabsf(mesh->rest[v].y - 0.5f) < 0.2f)
                (&x[0][v].x)[k] += 0.1f * ((float)(seed >> 8) / 16777216.0f - 0.5f);
        }
    memcpy(x[1], x[0], sizeof(Vec3) * (size_t)mesh->vertex_count);
    PeltiJobs *jobs = pelti_jobs_create(3);
    int left = pelti_untangle(&untangle, NULL, x[0], PELTI_UNTANGLE_WHOLLY), found = untangle.found;
    assert_int_equal(pelti_untangle(&untangle, jobs, x[1], PELTI_UNTANGLE_WHOLLY), left);
    printf("crumpled: %d pairs crossed, %d are left\n", found, left);
    assert_true(found > 50 && left < found / 4);
    assert_memory_equal(x[0], x[1], sizeof(Vec3) * (size_t)mesh->vertex_count);
    pelti_jobs_destroy(jobs);
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_dent_through_a_sheet_is_parted),
                                       cmocka_unit_test(crumpled_skin_never_gets_worse_and_threads_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
