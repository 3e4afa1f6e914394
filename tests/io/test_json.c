/// JSON: what is allowed is read and comes back byte for byte, what is not is refused with its place.
#include "check.h"
#include "json_text.h"
#include "refusing.h"

#include <string.h>

static PeltStatus parse(const char *text, PeltiJson **out, PeltError *err)
{
    return pelti_json_parse(text, strlen(text), out, err);
}

static void an_unchanged_document_comes_back_byte_for_byte(void **state)
{
    (void)state;
    const char *text = "{\"z\":0.10,\"a\":[1.0,1e-7,-3,18446744073709551615,true,null],\"n\":\"\xc3\xa9/\",\"o\":{},\"e\":[]}";
    PeltiJson *json = NULL;
    PeltError err;
    assert_int_equal(parse(text, &json, &err), PELT_OK);
    assert_json(json, false, text);
    PeltiJson *copy = pelti_json_copy(json);
    pelti_json_release(json);
    assert_json(copy, false, text);
    pelti_json_release(copy);
}

static void what_json_does_not_allow_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "  ",
        "1",
        "\"x\"",
        "NaN",
        "[NaN]",
        "[Infinity]",
        "[-Infinity]",
        "['a']",
        "{'a':1}",
        "{a:1}",
        "[1,]",
        "{\"a\":1,}",
        "[1] 2",
        "[1]]",
        "[01]",
        "[+1]",
        "[.5]",
        "[1.]",
        "[1e]",
        "[-]",
        "[tru]",
        "[True]",
        "[nan]",
        "[\"a]",
        "[\"\\x\"]",
        "[\"\\u12g4\"]",
        "[\"\n\"]",
        "[1 2]",
        "{\"a\" 1}",
        "{\"a\":}",
        "// c\n[1]",
        "[1]/**/",
        "[\"\xff\"]",
        "[\"\xc0\x80\"]",
        "[\"\xed\xa0\x80\"]",
        "[1",
        "{\"a\":1",
        "[99999999999999999999999]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        PeltiJson *json = NULL;
        PeltError err = {0};
        if (parse(bad[i], &json, &err) != PELT_BAD_INPUT)
            fail_msg("accepted: %s", bad[i]);
        assert_null(json);
        assert_non_null(strstr(err.text, "JSON"));
    }
    PeltError err;
    PeltiJson *json;
    assert_int_equal(parse("{\n  \"a\": 1,\n  \"b\": NaN\n}", &json, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "line 3, column 8"));
}

static void deep_and_swollen_documents_are_refused(void **state)
{
    (void)state;
    PeltError err;
    PeltiJson *json;
    char deep[2 * 65 + 1];
    for (int depth = PELTI_JSON_DEPTH; depth <= PELTI_JSON_DEPTH + 1; depth++) {
        memset(deep, '[', (size_t)depth);
        memset(deep + depth, ']', (size_t)depth);
        deep[2 * depth] = 0;
        PeltStatus status = parse(deep, &json, &err);
        assert_int_equal(status, depth == PELTI_JSON_DEPTH ? PELT_OK : PELT_BAD_INPUT);
        if (status == PELT_OK)
            pelti_json_release(json);
    }
    size_t size = 12u << 20; // 4 million empty objects: gigabytes once parsed
    char *many = malloc(size);
    assert_non_null(many);
    for (size_t i = 0; i < size; i++)
        many[i] = "{},"[i % 3];
    many[0] = '[';
    many[1] = '1';
    many[size - 1] = ']';
    assert_int_equal(pelti_json_parse(many, size, &json, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "too many values"));
    free(many);
}

static void escapes_say_what_they_mean(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"\\u00e9\\u20AC\\ud83d\\ude00", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\\ud800x\\udc00\\ud800\\u0041", "\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd"
                                          "A"}, // halves of pairs
        {"a\\n\\t\\r\\b\\f\\/\\\\\\\"z", "a\n\t\r\b\f/\\\"z"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[200];
        snprintf(text, sizeof text, "{\"k%s\":[\"%s\"],\"k%s\":[\"%s\"]}", pairs[i][0], "first", pairs[i][0], pairs[i][0]);
        PeltiJson *json = NULL;
        PeltError err;
        assert_int_equal(parse(text, &json, &err), PELT_OK);
        char key[100];
        snprintf(key, sizeof key, "k%s", pairs[i][1]);
        PeltiJson *list = pelti_json_get(json, key); // of two with one key, the last
        assert_int_equal(pelti_json_count(list), 1);
        assert_string_equal(pelti_json_text_of(pelti_json_at(list, 0)), pairs[i][1]);
        pelti_json_release(json);
    }
}

static void getters_check_kind_and_range_and_name_the_path(void **state)
{
    (void)state;
    PeltError err;
    PeltiJson *json;
    assert_int_equal(parse("{\"accessors\":[{},{\"count\":7.0,\"type\":\"VEC3\",\"big\":1e400,\"half\":1.5,\"neg\":-1,"
                           "\"v\":[1,2.5,3]}],\"flag\":true}",
                           &json, &err),
                     PELT_OK);
    PeltiJsonAt root = pelti_json_root(json), list = pelti_json_member(&root, "accessors"), item = pelti_json_item(&list, 1);
    PeltiJsonAt count = pelti_json_member(&item, "count"), half = pelti_json_member(&item, "half");
    PeltiJsonAt none = pelti_json_member(&item, "none"), big = pelti_json_member(&item, "big");
    PeltiJsonAt neg = pelti_json_member(&item, "neg"), v = pelti_json_member(&item, "v"), type = pelti_json_member(&item, "type");
    int64_t value = 0;
    assert_int_equal(pelti_json_int(&count, PELTI_REQUIRED, 0, 10, &value, &err), PELT_OK);
    assert_int_equal(value, 7);
    assert_int_equal(pelti_json_int(&count, PELTI_REQUIRED, 0, 6, &value, &err), PELT_BAD_INPUT);
    assert_string_equal(err.text, "accessors[1].count: 7 is not within 0 and 6");
    assert_int_equal(pelti_json_int(&half, PELTI_REQUIRED, 0, 6, &value, &err), PELT_BAD_INPUT);
    assert_int_equal(pelti_json_int(&none, PELTI_REQUIRED, 0, 6, &value, &err), PELT_BAD_INPUT);
    assert_string_equal(err.text, "accessors[1].none: missing (a whole number was expected)");
    value = 42;
    assert_int_equal(pelti_json_int(&none, PELTI_OPTIONAL, 0, 6, &value, &err), PELT_OK);
    assert_int_equal(value, 42);
    assert_int_equal(pelti_json_int(&type, PELTI_OPTIONAL, 0, 6, &value, &err), PELT_BAD_INPUT);
    int index = -1;
    assert_int_equal(pelti_json_index(&count, PELTI_REQUIRED, 8, "node", &index, &err), PELT_OK);
    assert_int_equal(index, 7);
    assert_int_equal(pelti_json_index(&count, PELTI_REQUIRED, 7, "node", &index, &err), PELT_BAD_INPUT);
    assert_int_equal(pelti_json_index(&neg, PELTI_REQUIRED, 7, "node", &index, &err), PELT_BAD_INPUT);
    double d = 0, three[3];
    assert_int_equal(pelti_json_double(&big, PELTI_REQUIRED, -HUGE_VAL, HUGE_VAL, &d, &err), PELT_BAD_INPUT);
    assert_int_equal(pelti_json_doubles(&v, PELTI_REQUIRED, 3, three, &err), PELT_OK);
    assert_true(three[0] == 1 && three[1] == 2.5 && three[2] == 3);
    assert_int_equal(pelti_json_doubles(&v, PELTI_REQUIRED, 4, three, &err), PELT_BAD_INPUT);
    const char *text = NULL;
    assert_int_equal(pelti_json_string(&type, PELTI_REQUIRED, &text, &err), PELT_OK);
    assert_string_equal(text, "VEC3");
    assert_int_equal(pelti_json_string(&count, PELTI_REQUIRED, &text, &err), PELT_BAD_INPUT);
    pelti_json_release(json);
}

static void a_value_knows_its_line(void **state)
{
    (void)state;
    const char *text = "{\n \"a\": {\"b\": [1,\n   2,\n   {\"c\":\n 4}]},\n \"d\": 5}";
    PeltError err;
    PeltiJson *json;
    assert_int_equal(parse(text, &json, &err), PELT_OK);
    PeltiJsonAt root = pelti_json_root(json), a = pelti_json_member(&root, "a"), b = pelti_json_member(&a, "b");
    PeltiJsonAt two = pelti_json_item(&b, 1), three = pelti_json_item(&b, 2), c = pelti_json_member(&three, "c");
    PeltiJsonAt d = pelti_json_member(&root, "d"), absent = pelti_json_member(&three, "x");
    size_t size = strlen(text);
    assert_int_equal(pelti_json_line(&root, text, size), 1);
    assert_int_equal(pelti_json_line(&a, text, size), 2);
    assert_int_equal(pelti_json_line(&b, text, size), 2);
    assert_int_equal(pelti_json_line(&two, text, size), 3);
    assert_int_equal(pelti_json_line(&three, text, size), 4);
    assert_int_equal(pelti_json_line(&c, text, size), 4);
    assert_int_equal(pelti_json_line(&d, text, size), 6);
    assert_int_equal(pelti_json_line(&absent, text, size), 4);
    assert_string_equal(PELTI_JSON_PATH(&c), "a.b[2].c");
    pelti_json_release(json);
}

static void numbers_are_written_as_short_as_they_read_back(void **state)
{
    (void)state;
    PeltiJson *list = pelti_json_new_array();
    bool ok = pelti_json_push(list, pelti_json_new_number(0.1)) && pelti_json_push(list, pelti_json_new_float(0.1f)) &&
              pelti_json_push(list, pelti_json_new_number(1.0 / 3)) && pelti_json_push(list, pelti_json_new_number(NAN)) &&
              pelti_json_push(list, pelti_json_new_text("a\xff/\n")) && pelti_json_push(list, pelti_json_new_int(-5));
    assert_true(ok);
    assert_false(pelti_json_push(list, NULL));
    assert_json(list, false, "[0.1,0.1,0.3333333333333333,\"nan\",\"a?/\\n\",-5]");
    pelti_json_release(list);
}

static void lines_are_indented_and_strings_escaped(void **state)
{
    (void)state;
    const char *text = "{\n"
                       "  \"a\": [\n"
                       "    1,\n"
                       "    {}\n"
                       "  ],\n"
                       "  \"\\\"\\\\\": \"\\b\\f\\n\\r\\t\\u001f/\xc3\xa9\",\n"
                       "  \"o\": {\n"
                       "    \"n\": null\n"
                       "  },\n"
                       "  \"e\": []\n"
                       "}";
    PeltiJson *json = NULL;
    PeltError err;
    assert_int_equal(parse(text, &json, &err), PELT_OK);
    assert_json(json, true, text);
    pelti_json_release(json);
}

static PeltStatus print(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    PeltiArray text;
    pelti_array_init(&text, allocator, 1);
    bool ok = pelti_json_print(user, true, &text);
    PeltStatus status = ok ? PELT_OK : pelti_no_memory(err, text.count);
    if (ok)
        assert_int_equal(text.data[text.count - 1], ']');
    pelti_array_release(&text);
    return status;
}

/// A text is whole or none: what had no memory was once left out of it without a word.
static void refused_memory_is_told(void **state)
{
    (void)state;
    PeltiJson *list = pelti_json_new_array();
    for (int i = 0; i < 2000; i++)
        assert_true(pelti_json_push(list, pelti_json_new_int(i)));
    Refusing counting = {.refuse_at = -1};
    assert_int_equal(run_refusing(print, list, &counting), PELT_OK);
    assert_in_range(counting.calls, 4, 100);
    for (int i = 0; i < counting.calls; i++)
        assert_int_equal(run_refusing(print, list, &(Refusing){.refuse_at = i}), PELT_FAILED);
    pelti_json_release(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_document_comes_back_byte_for_byte),
        cmocka_unit_test(what_json_does_not_allow_is_refused_with_its_place),
        cmocka_unit_test(deep_and_swollen_documents_are_refused),
        cmocka_unit_test(lines_are_indented_and_strings_escaped),
        cmocka_unit_test(refused_memory_is_told),
        cmocka_unit_test(escapes_say_what_they_mean),
        cmocka_unit_test(getters_check_kind_and_range_and_name_the_path),
        cmocka_unit_test(a_value_knows_its_line),
        cmocka_unit_test(numbers_are_written_as_short_as_they_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
