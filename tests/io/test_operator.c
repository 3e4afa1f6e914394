/// Operators as JSON: what is saved is read back, what is wrong is refused with the key.
#include "check.h"

#include "io/operator.h"

#include <string.h>

static const char *const path = "test_operator.json";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void saved_operators_read_back_the_same(void **state)
{
    (void)state;
    PeltOperator op = {.name = "soft \"one\"", .control_count = 4, .reach = 0.3f, .point_count = 3}, back;
    for (int k = 0; k < 4; k++) {
        op.open[k][0] = op.closed[k][0] = 0.5f - 0.01f * (float)k;
        op.open[k][1] = op.closed[k][1] = 0.1f * (float)k;
    }
    for (int k = 0; k < 3; k++) {
        op.controller[k][0] = 30.1f * (float)(k + 1);
        op.controller[k][1] = 0.45f * (float)k;
    }
    assert_int_equal(pelti_io_operator_write(&op, path, NULL), PELT_OK);
    assert_int_equal(pelti_io_operator_read(path, NULL, &back, NULL), PELT_OK);
    assert_memory_equal(&op, &back, sizeof op);
    remove(path);
}

static void refused(const char *text, const char *said)
{
    PeltOperator op;
    PeltError err = {0};
    write_text(text);
    assert_int_equal(pelti_io_operator_read(path, NULL, &op, &err), PELT_BAD_INPUT);
    if (!strstr(err.text, said))
        fail_msg("'%s' does not say '%s'", err.text, said);
    remove(path);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    refused("{\"name\": \"a\", \"opne\": []}", "open");
    refused("{\"name\": \"a\", \"open\": [[0.5, 0], [0.5, 0.5]], \"closed\": [[0.5, 0]], \"reach\": 1, "
            "\"controller\": [[90, 0]]}",
            "closed");
    refused("{\"name\": \"a\", \"open\": [[0.5, 0], [0.5, 7]], \"closed\": [[0.5, 0], [0.5, 0.5]], \"reach\": 1, "
            "\"controller\": [[90, 0]]}",
            "open[1]");
    refused("{\"name\": \"a\", \"open\": [[0.5, 0], [0.5, 0.5]], \"closed\": [[0.5, 0], [0.5, 0.5]], \"reach\": 3, "
            "\"controller\": [[90, 0]]}",
            "reach");
    refused("{}", "name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_operators_read_back_the_same),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
