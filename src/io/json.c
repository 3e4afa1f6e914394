/// Reads values of a parsed document, with errors that say where.
#include "io/json.h"

#include <json-c/json.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

PeltiJson *pelti_json_keep(PeltiJson *json)
{
    return json_object_get(json);
}

void pelti_json_release(PeltiJson *json)
{
    json_object_put(json);
}

// ---- where a value is

PeltiJsonAt pelti_json_root(PeltiJson *root)
{
    return (PeltiJsonAt){.value = root};
}

PeltiJsonAt pelti_json_member(const PeltiJsonAt *object, const char *key)
{
    return (PeltiJsonAt){.up = object, .key = key, .value = pelti_json_get(object->value, key)};
}

PeltiJsonAt pelti_json_item(const PeltiJsonAt *array, int index)
{
    return (PeltiJsonAt){.up = array, .index = index, .value = pelti_json_at(array->value, index)};
}

/// Appends the steps from the root to `at`; returns the length used.
static size_t write_path(const PeltiJsonAt *at, char *text, size_t size)
{
    if (!at->up)
        return 0;
    size_t used = write_path(at->up, text, size);
    if (used >= size)
        return used;
    int more = at->key ? snprintf(text + used, size - used, "%s%.60s", used ? "." : "", at->key)
                       : snprintf(text + used, size - used, "[%d]", at->index);
    return more < 0 ? used : used + (size_t)more;
}

char *pelti_json_path(const PeltiJsonAt *at, char *text, size_t size)
{
    text[0] = 0;
    if (write_path(at, text, size) == 0)
        snprintf(text, size, "document");
    return text;
}

// ---- typed getters

static const char *kind_name(const PeltiJson *json)
{
    switch (json_object_get_type(json)) {
    case json_type_boolean:
        return "a boolean";
    case json_type_double:
    case json_type_int:
        return "a number";
    case json_type_object:
        return "an object";
    case json_type_array:
        return "an array";
    case json_type_string:
        return "a string";
    default:
        return "null";
    }
}

static PeltStatus wrong_kind(const PeltiJsonAt *at, const char *wanted, PeltError *err)
{
    return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %s was expected, not %s", PELTI_JSON_PATH(at), wanted, kind_name(at->value));
}

/// PELT_OK for a value that is there, or for an absent one that may be.
static PeltStatus check_need(const PeltiJsonAt *at, PeltiJsonNeed need, const char *wanted, PeltError *err)
{
    if (at->value || need == PELTI_OPTIONAL)
        return PELT_OK;
    return PELT_FAIL(err, PELT_BAD_INPUT, "%s: missing (%s was expected)", PELTI_JSON_PATH(at), wanted);
}

PeltStatus pelti_json_int(const PeltiJsonAt *at, PeltiJsonNeed need, int64_t least, int64_t most, int64_t *out, PeltError *err)
{
    PELT_TRY(check_need(at, need, "a whole number", err));
    if (!at->value)
        return PELT_OK;
    enum json_type type = json_object_get_type(at->value);
    if (type != json_type_int && type != json_type_double)
        return wrong_kind(at, "a whole number", err);
    double real = json_object_get_double(at->value); // 7.0 and 7e0 are whole numbers too
    bool whole = type == json_type_int || (real == floor(real) && fabs(real) <= 9007199254740992.0);
    int64_t value = type == json_type_int ? json_object_get_int64(at->value)
                    : whole               ? (int64_t)real
                                          : 0; // saturates above INT64_MAX
    if (!whole)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %g is not a whole number", PELTI_JSON_PATH(at), real);
    if (value < least || value > most)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %lld is not within %lld and %lld", PELTI_JSON_PATH(at), (long long)value,
                         (long long)least, (long long)most);
    *out = value;
    return PELT_OK;
}

PeltStatus pelti_json_index(const PeltiJsonAt *at, PeltiJsonNeed need, int count, const char *what, int *out, PeltError *err)
{
    int64_t value = -1;
    PELT_TRY(pelti_json_int(at, need, 0, INT64_MAX, &value, err));
    if (!at->value)
        return PELT_OK;
    if (value >= count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: there is no %s %lld (%d in all)", PELTI_JSON_PATH(at), what, (long long)value,
                         count);
    *out = (int)value;
    return PELT_OK;
}

PeltStatus pelti_json_size(const PeltiJsonAt *at, PeltiJsonNeed need, size_t *out, PeltError *err)
{
    int64_t value = (int64_t)*out;
    PELT_TRY(pelti_json_int(at, need, 0, (int64_t)1 << 53, &value, err));
    *out = (size_t)value;
    return PELT_OK;
}

PeltStatus pelti_json_double(const PeltiJsonAt *at, PeltiJsonNeed need, double least, double most, double *out, PeltError *err)
{
    PELT_TRY(check_need(at, need, "a number", err));
    if (!at->value)
        return PELT_OK;
    enum json_type type = json_object_get_type(at->value);
    if (type != json_type_int && type != json_type_double)
        return wrong_kind(at, "a number", err);
    double value = json_object_get_double(at->value);
    if (!isfinite(value) || value < least || value > most)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %g is not within %g and %g", PELTI_JSON_PATH(at), value, least, most);
    *out = value;
    return PELT_OK;
}

PeltStatus pelti_json_bool(const PeltiJsonAt *at, PeltiJsonNeed need, bool *out, PeltError *err)
{
    PELT_TRY(check_need(at, need, "true or false", err));
    if (!at->value)
        return PELT_OK;
    if (!json_object_is_type(at->value, json_type_boolean))
        return wrong_kind(at, "true or false", err);
    *out = json_object_get_boolean(at->value);
    return PELT_OK;
}

PeltStatus pelti_json_string(const PeltiJsonAt *at, PeltiJsonNeed need, const char **out, PeltError *err)
{
    PELT_TRY(check_need(at, need, "a string", err));
    if (!at->value)
        return PELT_OK;
    if (!json_object_is_type(at->value, json_type_string))
        return wrong_kind(at, "a string", err);
    *out = json_object_get_string(at->value);
    return PELT_OK;
}

PeltStatus pelti_json_array(const PeltiJsonAt *at, PeltiJsonNeed need, int *count, PeltError *err)
{
    *count = 0;
    PELT_TRY(check_need(at, need, "an array", err));
    if (!at->value)
        return PELT_OK;
    if (!json_object_is_type(at->value, json_type_array))
        return wrong_kind(at, "an array", err);
    *count = pelti_json_count(at->value);
    return PELT_OK;
}

PeltStatus pelti_json_object(const PeltiJsonAt *at, PeltiJsonNeed need, PeltError *err)
{
    PELT_TRY(check_need(at, need, "an object", err));
    return at->value && !json_object_is_type(at->value, json_type_object) ? wrong_kind(at, "an object", err) : PELT_OK;
}

PeltStatus pelti_json_doubles(const PeltiJsonAt *at, PeltiJsonNeed need, int count, double *out, PeltError *err)
{
    int length;
    PELT_TRY(pelti_json_array(at, need, &length, err));
    if (!at->value)
        return PELT_OK;
    if (length != count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %d numbers were expected, not %d", PELTI_JSON_PATH(at), count, length);
    for (int i = 0; i < count; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        PELT_TRY(pelti_json_double(&item, PELTI_REQUIRED, -HUGE_VAL, HUGE_VAL, &out[i], err));
    }
    return PELT_OK;
}

PeltStatus pelti_json_each(const PeltiJsonAt *object, PeltiJsonVisit visit, void *user, PeltError *err)
{
    PELT_TRY(pelti_json_object(object, PELTI_OPTIONAL, err));
    if (!object->value)
        return PELT_OK;
    json_object_object_foreach(object->value, key, value)
    {
        PeltiJsonAt member = {.up = object, .key = key, .value = value};
        PELT_TRY(visit(&member, user, err));
    }
    return PELT_OK;
}

// ---- without a path

PeltiJson *pelti_json_get(const PeltiJson *object, const char *key)
{
    PeltiJson *value = NULL;
    return json_object_is_type(object, json_type_object) && json_object_object_get_ex(object, key, &value) ? value : NULL;
}

PeltiJson *pelti_json_at(const PeltiJson *array, int index)
{
    return index >= 0 && index < pelti_json_count(array) ? json_object_array_get_idx(array, (size_t)index) : NULL;
}

int pelti_json_count(const PeltiJson *array)
{
    return json_object_is_type(array, json_type_array) ? (int)json_object_array_length(array) : 0;
}

bool pelti_json_is_empty(const PeltiJson *object)
{
    return json_object_is_type(object, json_type_object) && json_object_object_length(object) == 0;
}

const char *pelti_json_text_of(PeltiJson *string)
{
    return json_object_is_type(string, json_type_string) ? json_object_get_string(string) : NULL;
}

int64_t pelti_json_int_of(const PeltiJson *number, int64_t fallback)
{
    return json_object_is_type(number, json_type_int) ? json_object_get_int64(number) : fallback;
}
