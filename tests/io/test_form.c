/// Documents that people write: every kind of field, and errors that name the line, the key and the cure.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "folder.h"

#include "io/form.h"

typedef struct Thing {
    float size, place[3];
    int count, kind;
    bool on;
    const char *name;
} Thing;

static const char *const kinds[] = {"round", "square", NULL};
static const PeltiFormField fields[] = {
    {.key = "size", .kind = PELTI_FORM_FLOAT, .offset = offsetof(Thing, size), .required = true, .least = 0, .most = 10},
    {.key = "place", .kind = PELTI_FORM_FLOATS, .offset = offsetof(Thing, place), .count = 3, .least = -100, .most = 100},
    {.key = "count", .kind = PELTI_FORM_INT, .offset = offsetof(Thing, count), .least = 1, .most = 5},
    {.key = "kind", .kind = PELTI_FORM_CHOICE, .offset = offsetof(Thing, kind), .choices = kinds},
    {.key = "on", .kind = PELTI_FORM_BOOL, .offset = offsetof(Thing, on)},
    {.key = "name", .kind = PELTI_FORM_TEXT, .offset = offsetof(Thing, name)},
    {0},
};

static PeltError err;

static PeltStatus read_thing(const char *text, Thing *out, PeltiForm *form)
{
    FILE *f = fopen(at("thing.json"), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    err = (PeltError){0};
    PeltStatus status = pelti_form_open(form, at("thing.json"), NULL, &err);
    PeltiJsonAt root = pelti_json_root(form->root);
    return status == PELT_OK ? pelti_form_fill(form, &root, fields, out, &err) : status;
}

static void fields_are_filled_and_others_kept(void **state)
{
    (void)state;
    Thing thing = {.count = 3, .kind = 0, .on = true, .name = "kept"};
    PeltiForm form;
    assert_int_equal(read_thing("{\"size\": 2.5, \"place\": [1, -2, 3.5], \"kind\": \"square\"}", &thing, &form), PELT_OK);
    CHECK_NEAR(thing.size, 2.5, 0);
    CHECK_NEAR(thing.place[2], 3.5, 0);
    assert_int_equal(thing.kind, 1);
    assert_int_equal(thing.count, 3);
    assert_true(thing.on);
    assert_string_equal(thing.name, "kept");
    pelti_form_close(&form, NULL);
    assert_int_equal(read_thing("{\"size\": 1, \"on\": false, \"name\": \"box\", \"count\": 5}", &thing, &form), PELT_OK);
    assert_false(thing.on);
    assert_int_equal(thing.count, 5);
    PeltiPool kept;
    pelti_form_close(&form, &kept); // the text goes, what was filled stays
    assert_string_equal(thing.name, "box");
    pelti_pool_release(&kept);
}

static void errors_name_the_line_and_the_cure(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says[3];
    } cases[] = {
        {"{\n\"size\": 1,\n\"plce\": [1, 2, 3]\n}", {":3:", "plce", "place"}},
        {"{\n\"place\": [1, 2, 3]\n}", {"size", "thing.json", ""}},
        {"{\"size\": 11}", {"size", "10", ""}},
        {"{\"size\": 1, \"place\": [1, 2]}", {"place", "3", ""}},
        {"{\"size\": 1,\n\"kind\": \"sqare\"}", {":2:", "sqare", "square"}},
        {"{\"size\": 1, \"count\": 2.5}", {"count", "", ""}},
        {"{\"size\": 1, \"name\": \"\"}", {"name", "", ""}},
        {"{\"size\": true}", {"size", "", ""}},
        {"{\"size\": 1,}", {"thing.json", "", ""}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Thing thing = {0};
        PeltiForm form;
        assert_int_equal(read_thing(cases[k].text, &thing, &form), PELT_BAD_INPUT);
        for (int s = 0; s < 3; s++)
            if (!strstr(err.text, cases[k].says[s]))
                fail_msg("%s: \"%s\" does not say \"%s\"", cases[k].text, err.text, cases[k].says[s]);
        pelti_form_close(&form, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields_are_filled_and_others_kept, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(errors_name_the_line_and_the_cure, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
