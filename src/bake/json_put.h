/// Filling JSON objects, with refusals of memory remembered in one flag.
#ifndef PELTI_BAKE_JSON_PUT_H
#define PELTI_BAKE_JSON_PUT_H

#include "io/json.h"

#include <math.h>

/// Adds key: value, and remembers a refusal of memory; a number that is none becomes null.
static inline void pelti_put(PeltiJson *object, const char *key, PeltiJson *value, bool *ok)
{
    *ok = pelti_json_set(object, key, value) && *ok;
}

static inline void pelti_put_int(PeltiJson *object, const char *key, int64_t value, bool *ok)
{
    pelti_put(object, key, pelti_json_new_int(value), ok);
}

static inline void pelti_put_number(PeltiJson *object, const char *key, double value, bool *ok)
{
    if (isfinite(value))
        pelti_put(object, key, pelti_json_new_number(value), ok);
    else
        *ok = pelti_json_set_null(object, key) && *ok;
}

static inline void pelti_put_text(PeltiJson *object, const char *key, const char *value, bool *ok)
{
    pelti_put(object, key, pelti_json_new_text(value), ok);
}

#endif
