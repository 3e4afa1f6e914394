/// Makes and writes JSON.
#include "io/json.h"

#include "io/json_read.h"

#include <json-c/json.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PeltiJson *pelti_json_new_object(void)
{
    return json_object_new_object();
}

PeltiJson *pelti_json_new_array(void)
{
    return json_object_new_array();
}

PeltiJson *pelti_json_new_int(int64_t value)
{
    return json_object_new_int64(value);
}

PeltiJson *pelti_json_new_bool(bool value)
{
    return json_object_new_boolean(value);
}

/// JSON has no NaN: a report that has one should say so and not be unreadable.
static PeltiJson *new_odd(double value)
{
    return json_object_new_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

/// The C library writes the decimal point of the user's locale; JSON has one only.
static void point(char *text)
{
    for (; *text; text++)
        if (*text == ',')
            *text = '.';
}

PeltiJson *pelti_json_new_number(double value)
{
    char text[40];
    if (!isfinite(value))
        return new_odd(value);
    for (int digits = 6; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    point(text);
    return json_object_new_double_s(value, text);
}

PeltiJson *pelti_json_new_float(float value)
{
    char text[40];
    if (!isfinite(value))
        return new_odd((double)value);
    for (int digits = 6; digits <= FLT_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    point(text);
    return json_object_new_double_s((double)value, text);
}

PeltiJson *pelti_json_new_text(const char *text)
{
    size_t length = strlen(text);
    if (length > INT_MAX)
        return NULL;
    const char *end = text + length, *p = text;
    int step = 1;
    while (p < end && (step = pelti_utf8_length(p, end)) > 0)
        p += step;
    if (p == end)
        return json_object_new_string_len(text, (int)length);
    char *clean = malloc(length + 1);
    if (!clean)
        return NULL;
    memcpy(clean, text, length + 1);
    for (char *q = clean + (p - text); q < clean + length; q += step) {
        step = pelti_utf8_length(q, clean + length);
        if (step == 0) {
            *q = '?';
            step = 1;
        }
    }
    PeltiJson *json = json_object_new_string_len(clean, (int)length);
    free(clean);
    return json;
}

PeltiJson *pelti_json_copy(PeltiJson *json)
{
    PeltiJson *copy = NULL;
    if (!json || json_object_deep_copy(json, &copy, NULL) != 0) {
        json_object_put(copy);
        return NULL;
    }
    return copy;
}

static bool kept(bool ok, PeltiJson *value)
{
    if (!ok)
        json_object_put(value);
    return ok;
}

bool pelti_json_set(PeltiJson *object, const char *key, PeltiJson *value)
{
    return kept(value && json_object_is_type(object, json_type_object) && json_object_object_add(object, key, value) == 0, value);
}

bool pelti_json_set_null(PeltiJson *object, const char *key)
{
    return json_object_is_type(object, json_type_object) && json_object_object_add(object, key, NULL) == 0;
}

bool pelti_json_push(PeltiJson *array, PeltiJson *value)
{
    return kept(value && json_object_is_type(array, json_type_array) && json_object_array_add(array, value) == 0, value);
}

bool pelti_json_put(PeltiJson *array, int index, PeltiJson *value)
{
    bool there = index >= 0 && index < pelti_json_count(array);
    return kept(value && there && json_object_array_put_idx(array, (size_t)index, value) == 0, value);
}

void pelti_json_remove(PeltiJson *object, const char *key)
{
    if (json_object_is_type(object, json_type_object))
        json_object_object_del(object, key);
}
