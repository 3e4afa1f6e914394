/// Operators as users meet them: built-in ones, new ones from a profile.
#include "check.h"

#include <pelt/operator.h>

#include <string.h>

static float value(const PeltOperator *op, float f1, float f2, float d)
{
    float g;
    assert_int_equal(pelt_operator_value(op, f1, f2, d, &g, NULL), PELT_OK);
    return g;
}

static void builtin_operators_keep_their_promises(void **state)
{
    (void)state;
    PeltOperator contact, bulge, none;
    PeltError err = {0};
    assert_int_equal(pelt_operator_builtin("contact", &contact, NULL), PELT_OK);
    assert_int_equal(pelt_operator_builtin("bulge", &bulge, NULL), PELT_OK);
    assert_int_equal(pelt_operator_builtin("glue", &none, &err), PELT_BAD_ARGUMENT);
    CHECK_NEAR(value(&contact, 0.3f, 0, 0.5f), 0.3, 1e-6); // absent fields change nothing
    CHECK_NEAR(value(&contact, 0.7f, 0.7f, 1), 0.5, 0.01); // the valley
    assert_true(value(&contact, 0.7f, 0.7f, 0) > 0.7f);    // union: inside both is deep inside
    assert_true(value(&bulge, 0.45f, 0.3f, 1) > 0.5f);     // beside the contact the bulge takes in what was outside
    assert_true(value(&contact, 0.45f, 0.3f, 1) < 0.5f);
}

static void a_profile_makes_an_operator(void **state)
{
    (void)state;
    static const float curve[4][2] = {{0.5f, 0}, {0.5f, 0.2f}, {0.42f, 0.3f}, {0.4f, 0.4f}};
    static const float wrong[4][2] = {{0.2f, 0}, {0.5f, 0.2f}, {0.42f, 0.3f}, {0.4f, 0.4f}};
    PeltOperator op, back;
    PeltError err = {0};
    assert_int_equal(pelt_operator_from_profile("soft", 4, curve, &op, NULL), PELT_OK);
    assert_int_equal(pelt_operator_check(&op, NULL), PELT_OK);
    CHECK_NEAR(value(&op, 0.6f, 0.6f, 1), 0.5, 0.01);
    op.reach = 0.2f; // a shorter contact line: the same place is deep inside now
    assert_true(value(&op, 0.6f, 0.6f, 1) > 0.53f);
    assert_int_equal(pelt_operator_save(&op, "test_bake_operator.json", NULL), PELT_OK);
    assert_int_equal(pelt_operator_load("test_bake_operator.json", &back, NULL), PELT_OK);
    assert_memory_equal(&op, &back, sizeof op);
    remove("test_bake_operator.json");
    assert_int_equal(pelt_operator_from_profile("wrong", 4, wrong, &op, NULL), PELT_OK);
    assert_int_equal(pelt_operator_check(&op, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "(0.5, 0)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_operators_keep_their_promises),
        cmocka_unit_test(a_profile_makes_an_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
