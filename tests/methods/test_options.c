/// Options start with their defaults, take values, and refuse bad ones with a suggestion.
#include "check.h"
#include "methods/options.h"

#include <string.h>

static const PeltiOptionDef table[] = {
    {"fold-depth", PELTI_OPTION_FLOAT, "0.5", NULL, 0, 1, "depth"},
    {"iterations", PELTI_OPTION_INT, "10", NULL, 1, 100, "how often"},
    {"smooth", PELTI_OPTION_BOOL, "on", NULL, 0, 0, "smooth"},
    {"solver", PELTI_OPTION_CHOICE, "fast", "fast|jacobi", 0, 0, "which"},
    {0},
};

static void options_start_with_their_defaults_and_take_values(void **state)
{
    (void)state;
    PeltiOptions o;
    PeltError err;
    pelti_options_init(&o, table);
    CHECK_NEAR(pelti_option_float(&o, "fold-depth"), 0.5, 0);
    assert_true(pelti_option_bool(&o, "smooth"));
    assert_true(pelti_option_is(&o, "weights", "best"));
    assert_int_equal(pelti_options_set(&o, "fold-depth", "0.25", &err), PELT_OK);
    assert_int_equal(pelti_options_set(&o, "iterations", "7", &err), PELT_OK);
    assert_int_equal(pelti_options_set(&o, "smooth", "off", &err), PELT_OK);
    assert_int_equal(pelti_options_set(&o, "solver", "jacobi", &err), PELT_OK);
    CHECK_NEAR(pelti_option_float(&o, "fold-depth"), 0.25, 0);
    assert_int_equal(pelti_option_int(&o, "iterations"), 7);
    assert_false(pelti_option_bool(&o, "smooth"));
    assert_true(pelti_option_is(&o, "solver", "jacobi"));
}

static void bad_values_are_refused_and_change_nothing(void **state)
{
    (void)state;
    static const char *bad[][2] = {{"fold-depth", "1.5"}, {"fold-depth", "nan"},    {"fold-depth", "x"},   {"fold-depth", ""},
                                   {"iterations", "2.5"}, {"iterations", "0"},      {"smooth", "perhaps"}, {"solver", "fas"},
                                   {"solver", ""},        {"solver", "fast|jacobi"}};
    PeltiOptions o;
    PeltError err;
    pelti_options_init(&o, table);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(pelti_options_set(&o, bad[i][0], bad[i][1], &err), PELT_BAD_ARGUMENT);
    CHECK_NEAR(pelti_option_float(&o, "fold-depth"), 0.5, 0);
    assert_int_equal(pelti_option_int(&o, "iterations"), 10);
    assert_true(pelti_option_is(&o, "solver", "fast"));
}

static void a_misspelt_key_gets_a_suggestion(void **state)
{
    (void)state;
    PeltiOptions o;
    PeltError err;
    pelti_options_init(&o, table);
    assert_int_equal(pelti_options_set(&o, "folddepth", "0.5", &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "did you mean 'fold-depth'"));
    assert_int_equal(pelti_options_set(&o, "something-else-entirely", "1", &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "pelt methods"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_start_with_their_defaults_and_take_values),
        cmocka_unit_test(bad_values_are_refused_and_change_nothing),
        cmocka_unit_test(a_misspelt_key_gets_a_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
