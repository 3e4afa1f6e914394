/// Dense symmetric systems are solved, indefinite ones too; singular and bad ones are errors.
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
    assert_int_equal(
        pelti_dense_solve_symmetric(NULL, &(PeltiDenseSystem){.n = N, .a = a, .rhs_count = RHS, .b = b}, &rcond, NULL), PELT_OK);
    for (int i = 0; i < RHS * N; i++)
        CHECK_NEAR(b[i], x[i], 1e-9);
    assert_true(rcond > 1e-6 && rcond < 1);
}

/// Nothing on the diagonal: every pivot takes two rows, across the border of a panel too.
static void pivots_of_two_rows(void **state)
{
    (void)state;
    enum { N = 77 };
    static double a[N * N];
    double x[N], b[N] = {0}, rcond = 0;
    for (int i = 0; i < N; i++) {
        x[i] = 1 + cos(i);
        for (int j = 0; j < N; j++)
            a[i * N + j] = i == j ? 0 : 1.0 / (1 + abs(i - j)) + (abs(i - j) == 1) * 2;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[i] += a[i * N + j] * x[j];
    assert_int_equal(pelti_dense_solve_symmetric(NULL, &(PeltiDenseSystem){.n = N, .a = a, .rhs_count = 1, .b = b}, &rcond, NULL),
                     PELT_OK);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(b[i], x[i], 1e-11);
    assert_true(rcond > 1e-5 && rcond < 1);
}

static PeltStatus solve_two(double a[4], double b[2], PeltError *err)
{
    return pelti_dense_solve_symmetric(NULL, &(PeltiDenseSystem){.n = 2, .a = a, .rhs_count = 1, .b = b}, NULL, err);
}

static void singular_and_bad_systems_are_errors(void **state)
{
    (void)state;
    PeltError err = {0};
    double zero[4] = {0, 0, 0, 0}, one[4] = {1, 2, 2, 4}, b[2] = {1, 1};
    assert_int_equal(solve_two(zero, b, &err), PELT_FAILED);
    assert_true(err.text[0] != 0);
    assert_int_equal(solve_two(one, b, &err), PELT_FAILED);
    double bad[4] = {1, NAN, NAN, 1}, good[4] = {1, 0, 0, 1}, c[2] = {1, INFINITY};
    assert_int_equal(solve_two(bad, b, &err), PELT_FAILED);
    assert_int_equal(solve_two(good, c, &err), PELT_FAILED);
    assert_int_equal(
        pelti_dense_solve_symmetric(NULL, &(PeltiDenseSystem){.n = 0, .a = good, .rhs_count = 1, .b = c}, NULL, &err), PELT_OK);
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
    assert_int_equal(pelti_dense_solve_symmetric(&none, &(PeltiDenseSystem){.n = 2, .a = a, .rhs_count = 1, .b = b}, NULL, NULL),
                     PELT_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_indefinite_systems_are_solved),
        cmocka_unit_test(pivots_of_two_rows),
        cmocka_unit_test(singular_and_bad_systems_are_errors),
        cmocka_unit_test(refused_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
