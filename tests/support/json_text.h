/// JSON as text, for tests that compare or pack it.
#ifndef PELT_TESTS_JSON_TEXT_H
#define PELT_TESTS_JSON_TEXT_H

#include "check.h"
#include "io/json.h"

#include <string.h>

/// The caller releases it.
static inline PeltiArray json_text(const PeltiJson *json, bool pretty)
{
    PeltiArray text;
    pelti_array_init(&text, NULL, 1);
    assert_true(pelti_json_print(json, pretty, &text));
    assert_int_equal(text.count, strlen(text.data));
    return text;
}

static inline void assert_json(const PeltiJson *json, bool pretty, const char *wanted)
{
    PeltiArray text = json_text(json, pretty);
    assert_string_equal(text.data, wanted);
    pelti_array_release(&text);
}

#endif
