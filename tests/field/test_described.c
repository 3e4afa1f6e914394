/// Operators as a user describes them and as fields use them: nothing is lost on the way.
#include "check.h"

#include "field/described.h"

#include <string.h>

static void there_and_back_is_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"contact", "bulge", "union"};
    for (int n = 0; n < 3; n++) {
        PeltiProfile profile, back;
        assert_true(pelti_profile_named(names[n], &profile));
        assert_string_equal(profile.name, names[n]);
        assert_null(pelti_profile_problem(&profile));
        PeltOperator op = pelti_profile_describe(&profile);
        back = pelti_profile_from(&op);
        assert_null(pelti_profile_problem(&back));
        assert_string_equal(back.name, names[n]);
        for (int k = 0; k <= 10; k++) {
            float d = 0.1f * (float)k;
            ProfilePoint a = pelti_profile_at(&profile, d, 0.37f), b = pelti_profile_at(&back, d, 0.37f);
            CHECK_NEAR(a.x, b.x, 0);
            CHECK_NEAR(a.y, b.y, 0);
            CHECK_NEAR(pelti_profile_depth(&profile, 18 * (float)k), pelti_profile_depth(&back, 18 * (float)k), 0);
        }
    }
}

static void the_union_never_touches(void **state)
{
    (void)state;
    PeltiProfile profile;
    assert_true(pelti_profile_named("union", &profile));
    for (int k = 0; k <= 18; k++) {
        float d = pelti_profile_depth(&profile, 10 * (float)k), from, to;
        CHECK_NEAR(d, 0, 0);
        pelti_profile_line(&profile, d, &from, &to);
        assert_true(to <= from);
    }
    assert_true(pelti_profile_named("contact", &profile)); // which does
    assert_true(pelti_profile_depth(&profile, 170) > 0.9f);
}

static void other_names_are_none(void **state)
{
    (void)state;
    PeltiProfile profile;
    assert_false(pelti_profile_named("Contact", &profile));
    assert_false(pelti_profile_named("", &profile));
    PeltOperator long_name = pelti_profile_describe(&profile);
    memset(long_name.name, 'a', sizeof long_name.name); // not ended: cut, not read past
    profile = pelti_profile_from(&long_name);
    assert_int_equal(strlen(profile.name), 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back_is_the_same), cmocka_unit_test(the_union_never_touches),
                                       cmocka_unit_test(other_names_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
