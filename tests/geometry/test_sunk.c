/// A pair of triangles is explained by a crossing at rest only where both its ends are near.
#include "check.h"
#include "geometry/sunk.h"

enum { SIDE = 40 };

/// Small triangles in a row along x, 1 apart, each with corners of its own.
static PeltiMesh row_of_triangles(Vec3 *p, int (*t)[3])
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < 3; k++) {
            p[3 * i + k] = vec3((float)i + 0.01f * (float)(k == 1), 0.01f * (float)(k == 2), 0);
            t[i][k] = 3 * i + k;
        }
    return (PeltiMesh){.vertex_count = 3 * SIDE,
                       .triangle_count = SIDE,
                       .triangles = (const int(*)[3])t,
                       .rest = p,
                       .low = vec3(0, 0, 0),
                       .diagonal = 110}; // a fiftieth of which is 2.2: two triangles to either side
}

static void a_pair_near_both_ends_is_explained_and_no_other(void **state)
{
    (void)state;
    static Vec3 p[3 * SIDE];
    static int t[SIDE][3];
    PeltiMesh mesh = row_of_triangles(p, t);
    const PeltiPair pairs[] = {{5, 20, 1}, {30, 12, 1}};
    PeltiSunk sunk;
    PeltiPool pool;
    PeltError err;
    pelti_pool_init(&pool, NULL);
    assert_int_equal(pelti_sunk_create(&mesh, pairs, 2, &pool, &sunk, &err), PELT_OK);
    for (int a = 0; a < SIDE; a++)
        for (int b = 0; b < SIDE; b++) {
            bool expected = false;
            for (int k = 0; k < 2; k++) {
                expected |= abs(a - pairs[k].a) <= 2 && abs(b - pairs[k].b) <= 2;
                expected |= abs(b - pairs[k].a) <= 2 && abs(a - pairs[k].b) <= 2;
            }
            if (pelti_sunk_explains(&sunk, a, b) != expected)
                fail_msg("%d and %d: explained %d", a, b, !expected);
        }
    assert_int_equal(pelti_sunk_create(&mesh, NULL, 0, &pool, &sunk, &err), PELT_OK);
    assert_false(pelti_sunk_explains(&sunk, 5, 20));
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pair_near_both_ends_is_explained_and_no_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
