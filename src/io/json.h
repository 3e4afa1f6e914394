/// JSON, strictly read and written: the one place that knows the JSON library. A document that is read and written again
/// keeps its numbers' text, the order of its keys and whatever nobody here understands.
#ifndef PELTI_IO_JSON_H
#define PELTI_IO_JSON_H

#include "core/file.h"
#include "core/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_object PeltiJson; ///< a value, reference counted; JSON null is NULL

enum { PELTI_JSON_DEPTH = 64 }; ///< deepest nesting that is read

/// Parses a whole document (UTF-8, a byte order mark is skipped). Refused, with line and column: anything JSON does not
/// allow (NaN, single quotes, comments, trailing commas or text), nesting deeper than PELTI_JSON_DEPTH, and documents
/// whose values would take more than 1 GiB. The caller releases `*out`.
PeltStatus pelti_json_parse(const char *text, size_t size, PeltiJson **out, PeltError *err);
PeltiJson *pelti_json_keep(PeltiJson *json); ///< one more owner; returns json
void pelti_json_release(PeltiJson *json);    ///< NULL is fine

/// A value and the way to it, so that a message can say "accessors[7].count". Lives on the stack beside what it points to;
/// `value` is NULL where the key is absent (or null).
typedef struct PeltiJsonAt {
    const struct PeltiJsonAt *up; ///< NULL: the document
    const char *key;              ///< NULL: an item
    int index;
    PeltiJson *value;
} PeltiJsonAt;
PeltiJsonAt pelti_json_root(PeltiJson *root);
PeltiJsonAt pelti_json_member(const PeltiJsonAt *object, const char *key); ///< absent if `object` is no object
PeltiJsonAt pelti_json_item(const PeltiJsonAt *array, int index);
/// "accessors[7].count"; "document" for the root. Returns `text`.
char *pelti_json_path(const PeltiJsonAt *at, char *text, size_t size);
#define PELTI_JSON_PATH(at) pelti_json_path((at), (char[160]){0}, 160)
/// The line (from 1) of the value in the text it was parsed from, of its key if it has one; 0 when it is not there. O(text).
int pelti_json_line(const PeltiJsonAt *at, const char *text, size_t size);

/// Typed getters. A value of the wrong kind or out of range fails with PELT_BAD_INPUT and the path. `required`: so does
/// an absent one; else it leaves `*out` as it is.
typedef enum PeltiJsonNeed { PELTI_OPTIONAL, PELTI_REQUIRED } PeltiJsonNeed;
PeltStatus pelti_json_int(const PeltiJsonAt *at, PeltiJsonNeed need, int64_t least, int64_t most, int64_t *out, PeltError *err);
PeltStatus pelti_json_index(const PeltiJsonAt *at, PeltiJsonNeed need, int count, const char *what, int *out,
                            PeltError *err);                                                        ///< [0,count)
PeltStatus pelti_json_size(const PeltiJsonAt *at, PeltiJsonNeed need, size_t *out, PeltError *err); ///< [0, 2^53]
PeltStatus pelti_json_double(const PeltiJsonAt *at, PeltiJsonNeed need, double least, double most, double *out, PeltError *err);
PeltStatus pelti_json_bool(const PeltiJsonAt *at, PeltiJsonNeed need, bool *out, PeltError *err);
PeltStatus pelti_json_string(const PeltiJsonAt *at, PeltiJsonNeed need, const char **out,
                             PeltError *err); ///< lives as long as the value
PeltStatus pelti_json_doubles(const PeltiJsonAt *at, PeltiJsonNeed need, int count, double *out,
                              PeltError *err); ///< exactly count, finite
/// Checks the kind; `*count` is 0 where absent.
PeltStatus pelti_json_array(const PeltiJsonAt *at, PeltiJsonNeed need, int *count, PeltError *err);
PeltStatus pelti_json_object(const PeltiJsonAt *at, PeltiJsonNeed need, PeltError *err);
/// Visits the members in file order; stop at the first failure.
typedef PeltStatus (*PeltiJsonVisit)(const PeltiJsonAt *member, void *user, PeltError *err);
PeltStatus pelti_json_each(const PeltiJsonAt *object, PeltiJsonVisit visit, void *user, PeltError *err);

/// Without a path, for code that builds or edits: NULL or -1 where absent or of another kind.
PeltiJson *pelti_json_get(const PeltiJson *object, const char *key);
PeltiJson *pelti_json_at(const PeltiJson *array, int index);
int pelti_json_count(const PeltiJson *array);      ///< 0 for anything but an array
bool pelti_json_is_empty(const PeltiJson *object); ///< an object without members
const char *pelti_json_text_of(PeltiJson *string);
int64_t pelti_json_int_of(const PeltiJson *number, int64_t fallback);

/// Building. The new_ functions return NULL when memory is refused; set, push and put take over the value (and release it
/// when they fail) and return false when memory is refused or the value is NULL. So a writer may gather `ok &= ...`.
PeltiJson *pelti_json_new_object(void);
PeltiJson *pelti_json_new_array(void);
PeltiJson *pelti_json_new_int(int64_t value);
PeltiJson *pelti_json_new_bool(bool value);
PeltiJson *
pelti_json_new_number(double value); ///< shortest text that reads back the same; NaN and infinities give the string "nan"...
PeltiJson *pelti_json_new_float(float value);                              ///< shortest text that reads back the same float
PeltiJson *pelti_json_new_text(const char *text);                          ///< bytes that are not UTF-8 become '?'
PeltiJson *pelti_json_copy(PeltiJson *json);                               ///< deep, keeps number text; NULL when refused
bool pelti_json_set(PeltiJson *object, const char *key, PeltiJson *value); ///< adds or replaces in place
bool pelti_json_set_null(PeltiJson *object, const char *key);
bool pelti_json_push(PeltiJson *array, PeltiJson *value);
bool pelti_json_put(PeltiJson *array, int index, PeltiJson *value); ///< replaces
void pelti_json_remove(PeltiJson *object, const char *key);
/// Appends the document as text to an array of char, in lines where `pretty`, with a 0 behind it that does not count. False where
/// memory is refused.
bool pelti_json_print(const PeltiJson *json, bool pretty, PeltiArray *text);
/// Writes it in lines, or saves it whole or not at all, and releases it whatever comes of it. `ok`: what the writer gathered.
PeltStatus pelti_json_write(PeltiJson *json, bool ok, const PeltAllocator *allocator, PeltiFile *file, PeltError *err);
PeltStatus pelti_json_save(PeltiJson *json, bool ok, const PeltAllocator *allocator, const char *path, PeltError *err);

#endif
