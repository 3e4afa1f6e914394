/// Principal components: three shapes are three modes, and rows without motion have none.
#include "check.h"

#include "math/principal.h"

/// Rows that combine three shapes, the first of which is strong.
static double *rows_of(PeltiPool *pool, int rows, int points)
{
    int width = 3 * points;
    double *d = PELTI_NEW(pool, double, (size_t)rows *width);
    for (int f = 0; f < rows; f++)
        for (int i = 0; i < width; i++)
            d[(size_t)f * width + i] =
                9 * sin(0.3 * f) * cos(1.7 * i) + 2 * cos(0.7 * f) * sin(0.9 * i * i) + sin(0.11 * f) * cos(3.1 * i + 1);
    return d;
}

/// U is orthonormal, and U U^T D misses D by what rms says.
static void check(int rows, int points, int most, int expected)
{
    PeltiPool pool;
    PeltiPrincipalModes modes;
    pelti_pool_init(&pool, NULL);
    double *d = rows_of(&pool, rows, points);
    int width = 3 * points;
    assert_int_equal(pelti_principal_modes(&(PeltiPrincipal){rows, points, most}, d, &pool, &modes, NULL), PELT_OK);
    assert_int_equal(modes.count, expected);
    for (int a = 0; a < modes.count; a++)
        for (int b = 0; b < modes.count; b++) {
            double dot = 0;
            for (int f = 0; f < rows; f++)
                dot += modes.u[f * modes.count + a] * modes.u[f * modes.count + b];
            CHECK_NEAR(dot, a == b, 1e-9);
        }
    double *left = PELTI_NEW(&pool, double, (size_t)rows *width), sum = 0;
    for (int i = 0; i < width; i++)
        for (int f = 0; f < rows; f++) {
            double fit = 0;
            for (int k = 0; k < modes.count; k++)
                for (int g = 0; g < rows; g++)
                    fit += modes.u[f * modes.count + k] * modes.u[g * modes.count + k] * d[g * width + i];
            left[f * width + i] = d[f * width + i] - fit;
            sum += left[f * width + i] * left[f * width + i];
        }
    CHECK_NEAR(sqrt(sum / rows / points), modes.rms[modes.count], 1e-3 * modes.rms[0]);
    for (int k = 0; k < modes.count; k++)
        assert_true(modes.rms[k + 1] < modes.rms[k]);
    pelti_pool_release(&pool);
}

static void three_shapes_are_three_modes(void **state)
{
    (void)state;
    check(40, 10, 20, 3);
    check(40, 10, 2, 2);
    check(600, 5, 8, 3); // more rows than the eigenvectors are made of
}

static void rows_without_motion_have_no_modes(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiPrincipalModes modes;
    pelti_pool_init(&pool, NULL);
    double *none = PELTI_NEW(&pool, double, 5 * 6);
    assert_int_equal(pelti_principal_modes(&(PeltiPrincipal){5, 2, 4}, none, &pool, &modes, NULL), PELT_OK);
    assert_int_equal(modes.count, 0);
    assert_int_equal(pelti_principal_modes(&(PeltiPrincipal){1, 2, 4}, none, &pool, &modes, NULL), PELT_OK);
    assert_int_equal(modes.count, 0);
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_shapes_are_three_modes),
                                       cmocka_unit_test(rows_without_motion_have_no_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
