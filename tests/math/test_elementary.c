/// Our sine, cosine and their kind agree with libm's to a few units in the last place, and keep to the edges.
#include "check.h"
#include "math/elementary.h"

/// Relative error against the system's function, over `count` arguments from `from` to `to`.
static double worst(double (*ours)(double), double (*theirs)(double), double from, double to, int count)
{
    double most = 0;
    for (int i = 0; i <= count; i++) {
        double x = from + (to - from) * i / count, a = ours(x), b = theirs(x);
        double error = fabs(a - b) / fmax(fabs(b), 1e-3);
        most = error > most || isnan(error) ? error : most;
    }
    return most;
}

static void agrees_with_libm(void **state)
{
    (void)state;
    CHECK_NEAR(worst(pelti_sin, sin, -40, 40, 20011), 0, 1e-15);
    CHECK_NEAR(worst(pelti_cos, cos, -40, 40, 20011), 0, 1e-15);
    CHECK_NEAR(worst(pelti_sin, sin, -1e5, 1e5, 20011), 0, 1e-15);
    CHECK_NEAR(worst(pelti_tan, tan, -1.5, 1.5, 20011), 0, 2e-15);
    CHECK_NEAR(worst(pelti_acos, acos, -1, 1, 20011), 0, 1e-15);
    CHECK_NEAR(worst(pelti_log, log, 1e-4, 1e4, 20011), 0, 1e-15);
    CHECK_NEAR(worst(pelti_cbrt, cbrt, -1e3, 1e3, 20011), 0, 1e-15);
    for (int i = 0; i < 360; i++) {
        double a = (i - 180) * 0.01745, x = 3 * cos(a), y = 3 * sin(a);
        CHECK_NEAR(pelti_atan2(y, x), atan2(y, x), 1e-15);
        CHECK_NEAR(pelti_powf((float)i * 0.1f, 2.4f), powf((float)i * 0.1f, 2.4f), 2e-7 * pow(i * 0.1, 2.4));
    }
}

static void keeps_to_the_edges(void **state)
{
    (void)state;
    assert_true(pelti_sin(0) == 0 && pelti_cos(0) == 1 && pelti_log(1) == 0 && pelti_acos(1) == 0);
    assert_true(pelti_atan2(0, 0) == 0 && pelti_cbrt(0) == 0 && pelti_cbrt(27) == 3 && pelti_powf(0, 0.5f) == 0);
    assert_true(isnan(pelti_sin(INFINITY)) && isnan(pelti_acos(1.5)) && isnan(pelti_log(-1)));
    assert_true(isinf(pelti_log(0)) && isinf(pelti_cbrt(INFINITY)));
    assert_true(isnan(pelti_atan2(NAN, 1)) && isnan(pelti_cbrt(NAN)) && isinf(pelti_log(INFINITY)));
    CHECK_NEAR(pelti_log(5e-324), log(5e-324), 1e-12);
    CHECK_NEAR(pelti_cbrt(5e-324) / cbrt(5e-324), 1, 1e-14);
    CHECK_NEAR(pelti_acos(-1), acos(-1), 1e-15);
    CHECK_NEAR(pelti_atan2(0, -1), acos(-1), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_libm), cmocka_unit_test(keeps_to_the_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
