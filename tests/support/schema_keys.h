/// Do a schema and a document that uses every key have the same keys?
#ifndef PELT_TESTS_SCHEMA_KEYS_H
#define PELT_TESTS_SCHEMA_KEYS_H

#include "io/json.h"

#include <string.h>

typedef struct Names {
    char list[64][32];
    int count;
    const char *named; ///< below these keys (words) the keys are names of the user's
} Names;

static inline void add_name(Names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (!strcmp(names->list[i], name))
            return;
    assert_true(names->count < 64);
    snprintf(names->list[names->count++], 32, "%s", name);
}

static inline PeltStatus gather_property(const PeltiJsonAt *member, void *user, PeltError *err)
{
    (void)err;
    add_name(user, member->key);
    return PELT_OK;
}

/// Visits a value and all below it; `below` is called on each.
static inline PeltStatus gather_all(const PeltiJsonAt *at, PeltiJsonVisit below, void *user, PeltError *err)
{
    int count;
    if (pelti_json_object(at, PELTI_REQUIRED, NULL) == PELT_OK)
        return pelti_json_each(at, below, user, err);
    if (pelti_json_array(at, PELTI_REQUIRED, &count, NULL) == PELT_OK)
        for (int i = 0; i < count; i++) {
            PeltiJsonAt item = pelti_json_item(at, i);
            PELT_TRY(below(&item, user, err));
        }
    return PELT_OK;
}

static inline PeltStatus gather_schema(const PeltiJsonAt *at, void *user, PeltError *err)
{
    if (at->key && !strcmp(at->key, "properties"))
        PELT_TRY(pelti_json_each(at, gather_property, user, err));
    return gather_all(at, gather_schema, user, err);
}

static inline PeltStatus gather_keys(const PeltiJsonAt *at, void *user, PeltError *err)
{
    Names *names = user;
    bool named = names->named && at->up && at->up->key && strstr(names->named, at->up->key);
    if (at->key && !named)
        add_name(names, at->key);
    return gather_all(at, gather_keys, user, err);
}

static inline PeltiJson *parse_file(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    PeltiJson *json = NULL;
    PeltError err = {0};
    if (pelti_json_parse(text, size, &json, &err) != PELT_OK)
        fail_msg("%s: %s", path, err.text);
    return json;
}

static inline void check_same_keys(const char *schema_path, const char *document_path, const char *named)
{
    PeltiJson *schema = parse_file(schema_path), *document = parse_file(document_path);
    Names in_schema = {.count = 0}, in_document = {.named = named};
    PeltError err;
    PeltiJsonAt at = pelti_json_root(schema);
    gather_schema(&at, &in_schema, &err);
    at = pelti_json_root(document);
    gather_keys(&at, &in_document, &err);
    for (int i = 0; i < in_schema.count; i++) {
        int before = in_document.count;
        add_name(&in_document, in_schema.list[i]);
        if (in_document.count != before)
            fail_msg("the schema has %s, %s has not", in_schema.list[i], document_path);
    }
    assert_int_equal(in_schema.count, in_document.count);
    pelti_json_release(schema);
    pelti_json_release(document);
}
#endif
