/// Eigenvectors diagonalise their matrix, at low rank too; what is not finite is refused.
#include "check.h"
#include "math/eigen.h"

#include <string.h>

enum { N = 23 };

static void vectors_diagonalise(void **state)
{
    (void)state;
    PeltError err;
    double rows[N][5], a[N * N] = {0}, kept[N * N], values[N];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 5; k++)
            rows[i][k] = sin(1.7 * i * i + 3.1 * k) + 0.1 * k;
    pelti_dense_add_products(N, N, 5, rows[0], rows[0], a);
    double sum = 0;
    for (int k = 0; k < 5; k++)
        sum += rows[3][k] * rows[7][k];
    CHECK_NEAR(a[3 * N + 7], sum, 1e-12);
    memcpy(kept, a, sizeof a);
    assert_int_equal(pelti_eigen_symmetric(NULL, N, a, values, &err), PELT_OK);
    for (int i = 0; i < N; i++) {
        assert_true(i == 0 || values[i] <= values[i - 1]);
        for (int r = 0; r < N; r++) { // A v = lambda v
            double av = 0;
            for (int c = 0; c < N; c++)
                av += kept[r * N + c] * a[i * N + c];
            CHECK_NEAR(av, values[i] * a[i * N + r], 1e-11 * values[0]);
        }
        for (int j = 0; j <= i; j++) {
            double dot = 0;
            for (int c = 0; c < N; c++)
                dot += a[i * N + c] * a[j * N + c];
            CHECK_NEAR(dot, i == j, 1e-11);
        }
    }
    CHECK_NEAR(values[5], 0, 1e-11 * values[0]); // rank 5
}

/// Frames of a clip that differ in few ways: nearly all values are rounding noise.
static void low_rank_converges(void **state)
{
    (void)state;
    enum { FRAMES = 61, POINTS = 300 };
    static double rows[FRAMES][POINTS], a[FRAMES * FRAMES], values[FRAMES];
    PeltError err;
    for (int ways = 1; ways <= 6; ways++) {
        for (int i = 0; i < FRAMES; i++)
            for (int k = 0; k < POINTS; k++) {
                rows[i][k] = 0;
                for (int w = 0; w < ways; w++)
                    rows[i][k] += (float)(1e-3 * sin(0.05 * i * (w + 1)) * cos(0.7 * k + w * w));
            }
        memset(a, 0, sizeof a);
        pelti_dense_add_products(FRAMES, FRAMES, POINTS, rows[0], rows[0], a);
        assert_int_equal(pelti_eigen_symmetric(NULL, FRAMES, a, values, &err), PELT_OK);
        assert_true(values[0] > 0 && fabs(values[FRAMES - 1]) < 1e-12 * values[0]);
    }
}

static void refuses_what_is_not_finite(void **state)
{
    (void)state;
    PeltError err;
    double a[4] = {1, 0, 0, NAN}, values[2];
    assert_int_equal(pelti_eigen_symmetric(NULL, 2, a, values, &err), PELT_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_diagonalise), cmocka_unit_test(low_rank_converges),
                                       cmocka_unit_test(refuses_what_is_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
