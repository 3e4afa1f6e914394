/// Options of methods: declared as a table, given as key=value text, read by name.
#ifndef PELTI_METHODS_OPTIONS_H
#define PELTI_METHODS_OPTIONS_H

#include "core/memory.h"

typedef enum PeltiOptionType {
    PELTI_OPTION_FLOAT,
    PELTI_OPTION_INT,
    PELTI_OPTION_BOOL,
    PELTI_OPTION_CHOICE,
    PELTI_OPTION_TEXT
} PeltiOptionType;

typedef struct PeltiOptionDef {
    const char *name; ///< human, dashes: "fold-depth"
    PeltiOptionType kind;
    const char *value;   ///< default, as text
    const char *choices; ///< "a|b|c" for CHOICE
    double least, most;  ///< range of numbers; both 0: any
    const char *help;    ///< one line, with the paper's symbol and the unit
} PeltiOptionDef;

/// A set of values for one method; unset keys answer with the default.
typedef struct PeltiOptionValue {
    const PeltiOptionDef *info;
    char text[120];
    double number;
} PeltiOptionValue;
enum { PELTI_MAX_OPTIONS = 96 };
typedef struct PeltiOptions {
    int count;
    PeltiOptionValue values[PELTI_MAX_OPTIONS];
} PeltiOptions;

/// Fills `out` with defaults of the common table and the method's own.
void pelti_options_init(PeltiOptions *out, const PeltiOptionDef *method_options);
/// Sets one key; unknown keys are errors with a suggestion, values are checked for kind and range.
PeltStatus pelti_options_set(PeltiOptions *options, const char *key, const char *value, PeltError *err);

/// Whether `word` is one of "a|b|c"; `choices` may be NULL.
bool pelti_option_among(const char *choices, const char *word);

/// Asking for a key that is not in the tables is the caller's mistake (asserts).
float pelti_option_float(const PeltiOptions *options, const char *key);
int pelti_option_int(const PeltiOptions *options, const char *key);
bool pelti_option_bool(const PeltiOptions *options, const char *key);
bool pelti_option_above_default(const PeltiOptions *options, const char *key); ///< of numbers
const char *pelti_option_text(const PeltiOptions *options, const char *key);
bool pelti_option_is(const PeltiOptions *options, const char *key, const char *choice);

extern const PeltiOptionDef pelti_options_common[]; ///< weights=auto..., ends with name == NULL

#endif
