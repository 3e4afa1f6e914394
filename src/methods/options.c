/// Options from key=value text, checked against a method's table.
#include "core/text.h"
#include "methods/options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const PeltiOptionDef pelti_options_common[] = {
    {"weights", PELTI_OPTION_CHOICE, "best", "best|file|auto|rigid", 0, 0,
     "whose weights: the file's, automatic ones around joints where those tear or turn over skin (best); or one of them by name"},
    {"body", PELTI_OPTION_CHOICE, "auto", "auto|file|proxy", 0, 0,
     "what flesh is solved on: the file's mesh where it is one closed skin, else a body made from it (auto); or one of them"},
    {"body-vertices", PELTI_OPTION_INT, "0", NULL, 0, 200000,
     "of a body that is made from the file, 200 at least; 0: 6000, by layered 4000 where it is made of pieces (but in final)"},
    {"give-way", PELTI_OPTION_CHOICE, "auto", "auto|off|on", 0, 0,
     "joints give way where parts of a body overlap by more than flesh takes (auto; not lbs, dqs, implicit), or at all "
     "(on)"},
    {"quality", PELTI_OPTION_CHOICE, "normal", "preview|normal|final", 0, 0,
     "how far what iterates is carried: layered 5, 10 or 20 iterations (preview: steps of 6.7 ms on a body of no "
     "more than body-vertices, else 5 ms; a made body 8.4 but in final), contact laws of a scene to 1e-4, in final to 1e-6 of "
     "the largest force and the size"},
    {"touch", PELTI_OPTION_CHOICE, "auto", "auto|off|on", 0, 0,
     "skin that is shown never passes through skin: tracking, projective and layered, on a file's own closed skin that crosses "
     "nothing at rest (auto); on bodies made of pieces too (on)"},
    {0},
};

static PeltiOptionValue *find(const PeltiOptions *options, const char *key)
{
    for (int i = 0; i < options->count; i++)
        if (!strcmp(options->values[i].info->name, key))
            return (PeltiOptionValue *)&options->values[i];
    return NULL;
}

bool pelti_option_among(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *p = choices; p && length;) {
        const char *end = strchr(p, '|');
        size_t size = end ? (size_t)(end - p) : strlen(p);
        if (size == length && !strncmp(p, value, size))
            return true;
        p = end ? end + 1 : NULL;
    }
    return false;
}

static PeltStatus set_value(PeltiOptionValue *v, const char *value, PeltError *err)
{
    const PeltiOptionDef *info = v->info;
    if (strlen(value) >= sizeof v->text)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "option %s: value is too long", info->name);
    if (info->kind == PELTI_OPTION_FLOAT || info->kind == PELTI_OPTION_INT) {
        char *end;
        double number = strtod(value, &end);
        while (isspace((unsigned char)*end))
            end++;
        if (*end || end == value || !isfinite(number) || (info->kind == PELTI_OPTION_INT && number != floor(number)))
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "option %s: '%s' is not a%s number", info->name, value,
                             info->kind == PELTI_OPTION_INT ? " whole" : "");
        if ((info->least != 0 || info->most != 0) && !(number >= info->least && number <= info->most))
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "option %s: %s is outside %g to %g", info->name, value, info->least,
                             info->most);
        v->number = number;
    } else if (info->kind == PELTI_OPTION_BOOL) {
        bool yes = pelti_option_among("on|true|yes|1", value);
        if (!yes && !pelti_option_among("off|false|no|0", value))
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "option %s: '%s' is neither on nor off", info->name, value);
        v->number = yes;
    } else if (info->kind == PELTI_OPTION_CHOICE && !pelti_option_among(info->choices, value)) {
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "option %s: '%s' is not one of %s", info->name, value, info->choices);
    }
    snprintf(v->text, sizeof v->text, "%s", value);
    return PELT_OK;
}

static void add_table(PeltiOptions *out, const PeltiOptionDef *table)
{
    for (; table && table->name; table++) {
        PELT_ASSERT(!find(out, table->name)); // one name, one meaning: a method has no option of a common one's name
        PELT_ASSERT(out->count < PELTI_MAX_OPTIONS);
        PeltiOptionValue *v = &out->values[out->count++];
        v->info = table;
        PeltStatus status = set_value(v, table->value, NULL);
        PELT_ASSERT(status == PELT_OK); // a default outside its own range
        (void)status;
    }
}

void pelti_options_init(PeltiOptions *out, const PeltiOptionDef *method_options)
{
    memset(out, 0, sizeof *out);
    add_table(out, pelti_options_common);
    add_table(out, method_options);
}

PeltStatus pelti_options_set(PeltiOptions *options, const char *key, const char *value, PeltError *err)
{
    PeltiOptionValue *v = find(options, key);
    if (v)
        return set_value(v, value, err);
    const char *nearest = NULL;
    int least = 4;
    for (int i = 0; i < options->count; i++) {
        int d = pelti_text_distance(key, options->values[i].info->name);
        if (d < least) {
            least = d;
            nearest = options->values[i].info->name;
        }
    }
    if (nearest)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "unknown option '%s': did you mean '%s'?", key, nearest);
    return PELT_FAIL(err, PELT_BAD_ARGUMENT, "unknown option '%s': `pelt methods` lists them", key);
}

static const PeltiOptionValue *get(const PeltiOptions *options, const char *key)
{
    const PeltiOptionValue *v = find(options, key);
    PELT_ASSERT(v != NULL);
    return v;
}

float pelti_option_float(const PeltiOptions *options, const char *key)
{
    return (float)get(options, key)->number;
}

int pelti_option_int(const PeltiOptions *options, const char *key)
{
    return (int)get(options, key)->number;
}

bool pelti_option_bool(const PeltiOptions *options, const char *key)
{
    return get(options, key)->number != 0;
}

bool pelti_option_above_default(const PeltiOptions *options, const char *key)
{
    const PeltiOptionValue *v = get(options, key);
    return v->number > strtod(v->info->value, NULL);
}

const char *pelti_option_text(const PeltiOptions *options, const char *key)
{
    return get(options, key)->text;
}

bool pelti_option_is(const PeltiOptions *options, const char *key, const char *choice)
{
    return !strcmp(get(options, key)->text, choice);
}
