/// What a sweep build (cmake --preset sweep) makes of a tuning constant. Compiled here with the switch on, whatever the build.
#define _XOPEN_SOURCE 700
#ifndef PELT_SWEEP
#define PELT_SWEEP
#endif
#include "core/constants.c"
#include "check.h"

PELT_CONSTANT(SWEPT_SHARE, 0.25f, "of the edge", "a constant of this test")
PELT_CONSTANT(SWEPT_COUNT, 12, "rounds", "another, whole")

static const char *const CONTACT = "rooms/contact/contact/constants.def", *const TOUCH = "rooms/touch/touch/constants.def";

static void only_the_named_one_is_another(void **state)
{
    (void)state;
    setenv("PELT_SWEEP", "/touch/constants.def:RELAX=1", 1);
    CHECK_NEAR(pelti_constant_swept(TOUCH, "RELAX", 0.5), 1, 0);
    CHECK_NEAR(pelti_constant_swept(CONTACT, "RELAX", 0.5), 0.5, 0);     // another room's of the same name
    CHECK_NEAR(pelti_constant_swept("x.def", "RELAX", 0.5), 0.5, 0);     // shorter than the table's name
    CHECK_NEAR(pelti_constant_swept(TOUCH, "RELAX_STILL", 0.5), 0.5, 0); // longer
    CHECK_NEAR(pelti_constant_swept(TOUCH, "REL", 0.5), 0.5, 0);         // shorter
    setenv("PELT_SWEEP", "/touch/constants.def:RELAX_STILL=4", 1);
    CHECK_NEAR(pelti_constant_swept(TOUCH, "RELAX", 8), 8, 0);
    CHECK_NEAR(pelti_constant_swept(TOUCH, "RELAX_STILL", 8), 4, 0);
    unsetenv("PELT_SWEEP");
    CHECK_NEAR(pelti_constant_swept(TOUCH, "RELAX_STILL", 8), 8, 0);
}

static void constants_keep_their_type(void **state)
{
    (void)state;
    assert_true(_Generic(SWEPT_SHARE, float : 1, default : 0) && _Generic(SWEPT_COUNT, int : 1, default : 0));
    CHECK_NEAR(SWEPT_SHARE, 0.25, 0);
    setenv("PELT_SWEEP", "/core/test_constants.c:SWEPT_COUNT=6.9", 1);
    sweep_SWEPT_COUNT();
    sweep_SWEPT_SHARE();
    assert_int_equal(SWEPT_COUNT, 6);
    CHECK_NEAR(SWEPT_SHARE, 0.25, 0);
    unsetenv("PELT_SWEEP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_named_one_is_another),
                                       cmocka_unit_test(constants_keep_their_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
