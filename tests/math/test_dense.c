#include "check.h"
#include "math/dense.h"

static double value(int i, int j)
{
    return sin(1.0 + 3.1 * i * j + 0.7 * (i + j)) + (i == j ? (i % 2 ? 2.0 : -2.0) : 0.0);
}

static void symmetric_indefinite_systems_are_solved(void **state)
{
    (void)state;
    enum { N = 60, RHS = 3 };
    double a[N * N], x[RHS * N], b[RHS * N], rcond = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = i <= j ? value(i, j) : -77; // the lower triangle by rows is not read
    for (int k = 0; k < RHS; k++)
        for (int i = 0; i < N; i++)
            x[k * N + i] = cos(i + 10.0 * k);
    for (int k = 0; k < RHS; k++)
        for (int i = 0; i < N; i++) {
            b[k * N + i] = 0;
            for (int j = 0; j < N; j++)
                b[k * N + i] += (i <= j ? value(i, j) : value(j, i)) * x[k * N + j];
        }
    assert_int_equal(pelti_dense_solve_symmetric(NULL, N, a, RHS, b, &rcond, NULL), PELT_OK);
    for (int i = 0; i < RHS * N; i++)
        CHECK_NEAR(b[i], x[i], 1e-9);
    assert_true(rcond > 1e-6 && rcond < 1);
}

static void general_systems_are_solved_by_rows(void **state)
{
    (void)state;
    double a[9] = {0, 2, 1, 1, 0, 0, 3, 0, 1}, b[6] = {2 * 5 + 7, 3, 9 + 7, 1, 0, 0}, rcond = 0; // x = 3 5 7
    assert_int_equal(pelti_dense_solve_general(NULL, 3, a, 2, b, &rcond, NULL), PELT_OK);
    CHECK_NEAR(b[0], 3, 1e-12);
    CHECK_NEAR(b[1], 5, 1e-12);
    CHECK_NEAR(b[2], 7, 1e-12);
    CHECK_NEAR(b[3], 0, 1e-12); // A (0, 1/2, 0) = (1, 0, 0)
    CHECK_NEAR(b[4], 0.5, 1e-12);
    CHECK_NEAR(b[5], 0, 1e-12);
    assert_true(rcond > 0.01 && rcond <= 1);
}

static void singular_and_bad_systems_are_errors(void **state)
{
    (void)state;
    PeltError err = {0};
    double zero[4] = {0, 0, 0, 0}, one[4] = {1, 2, 2, 4}, b[2] = {1, 1};
    assert_int_equal(pelti_dense_solve_symmetric(NULL, 2, zero, 1, b, NULL, &err), PELT_FAILED);
    assert_true(err.text[0] != 0);
    assert_int_equal(pelti_dense_solve_general(NULL, 2, one, 1, b, NULL, &err), PELT_FAILED);
    double bad[4] = {1, NAN, NAN, 1}, good[4] = {1, 0, 0, 1}, c[2] = {1, INFINITY};
    assert_int_equal(pelti_dense_solve_general(NULL, 2, bad, 1, b, NULL, &err), PELT_FAILED);
    assert_int_equal(pelti_dense_solve_symmetric(NULL, 2, bad, 1, b, NULL, &err), PELT_FAILED);
    assert_int_equal(pelti_dense_solve_symmetric(NULL, 2, good, 1, c, NULL, &err), PELT_FAILED);
    assert_int_equal(pelti_dense_solve_symmetric(NULL, 0, good, 1, c, NULL, &err), PELT_OK);
}

static void *refuse(size_t bytes, void *user)
{
    (void)bytes, (void)user;
    return NULL;
}

static void refused_memory_is_an_error(void **state)
{
    (void)state;
    PeltAllocator none = {.alloc = refuse};
    double a[4] = {1, 0, 0, 1}, b[2] = {1, 1};
    assert_int_equal(pelti_dense_solve_symmetric(&none, 2, a, 1, b, NULL, NULL), PELT_FAILED);
    assert_int_equal(pelti_dense_solve_general(&none, 2, a, 1, b, NULL, NULL), PELT_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_indefinite_systems_are_solved),
        cmocka_unit_test(general_systems_are_solved_by_rows),
        cmocka_unit_test(singular_and_bad_systems_are_errors),
        cmocka_unit_test(refused_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
