/// Affine matrices in double, as skins' bind poses need them: inverses that undo, and none where there is none.
#include "check.h"

#include "io/gltf_parts.h"

#include <string.h>

static uint32_t seed = 3;
static double draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1;
}

static void inverses_undo(void **state)
{
    (void)state;
    for (int k = 0; k < 200; k++) {
        double a[3][4], back[3][4], both[3][4], scale = pow(10, 3 * draw());
        for (int i = 0; i < 12; i++)
            (&a[0][0])[i] = i % 4 == 3 ? 100 * draw() : scale * draw();
        if (fabs(pelti_gltf_determinant(a)) < 0.05 * scale * scale * scale)
            continue;
        assert_true(pelti_gltf_invert(a, back));
        mat34_mul_double(a, back, both);
        for (int i = 0; i < 12; i++)
            CHECK_NEAR((&both[0][0])[i], i % 5 == 0, 1e-9 * (1 + 100 / scale));
        CHECK_NEAR(pelti_gltf_determinant(a) * pelti_gltf_determinant(back), 1, 1e-9);
    }
}

static void products_apply_one_after_the_other(void **state)
{
    (void)state;
    double a[3][4], b[3][4], ab[3][4];
    for (int i = 0; i < 12; i++) {
        (&a[0][0])[i] = draw();
        (&b[0][0])[i] = draw();
    }
    mat34_mul_double(a, b, ab);
    const double x[4] = {draw(), draw(), draw(), 1};
    for (int i = 0; i < 3; i++) {
        double one[4] = {0, 0, 0, 1}, want = 0, got = 0;
        for (int r = 0; r < 3; r++)
            for (int j = 0; j < 4; j++)
                one[r] += b[r][j] * x[j];
        for (int j = 0; j < 4; j++) {
            want += a[i][j] * one[j];
            got += ab[i][j] * x[j];
        }
        CHECK_NEAR(got, want, 1e-12);
    }
}

static void flat_and_broken_ones_have_none(void **state)
{
    (void)state;
    double flat[3][4] = {{1, 0, 0, 5}, {0, 1, 0, 5}, {1, 1, 0, 5}}, out[3][4] = {{7}};
    assert_false(pelti_gltf_invert(flat, out));
    CHECK_NEAR(out[0][0], 7, 0);                                             // untouched
    double tiny[3][4] = {{1e-9, 0, 0, 0}, {0, 1e-9, 0, 0}, {0, 0, 1e-9, 0}}; // small is not flat
    assert_true(pelti_gltf_invert(tiny, out));
    CHECK_NEAR(out[1][1], 1e9, 1);
    tiny[1][1] = NAN;
    assert_false(pelti_gltf_invert(tiny, out));
    assert_false(pelti_gltf_finite(&tiny[0][0], 12));
    assert_true(pelti_gltf_finite(&flat[0][0], 12));
    PeltiGltfReader reader = {.budget = 100};
    PeltError err = {0};
    assert_int_equal(pelti_gltf_spend(&reader, 3, 60, &err), PELT_OK);
    assert_int_equal(pelti_gltf_spend(&reader, 3, 41, &err), PELT_BAD_INPUT); // what a file names more often than it holds
    assert_non_null(strstr(err.text, "accessor 3"));
    assert_int_equal(pelti_gltf_spend(&reader, 3, 40, &err), PELT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inverses_undo), cmocka_unit_test(products_apply_one_after_the_other),
                                       cmocka_unit_test(flat_and_broken_ones_have_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
