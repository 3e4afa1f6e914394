/// Prints JSON: the library's own printer leaves out what it has no memory for, and does not say so.
#include "io/json.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Printer {
    PeltiArray *text; ///< of char
    bool pretty;      ///< a line a value, indented by two blanks a level
    int level;
} Printer;

static void put(Printer *p, const char *text)
{
    pelti_array_append(p->text, text, strlen(text));
}

static void new_line(Printer *p)
{
    if (!p->pretty)
        return;
    put(p, "\n");
    for (int i = 0; i < p->level; i++)
        put(p, "  ");
}

/// Before the n-th value of an object or an array.
static void next(Printer *p, size_t n)
{
    if (n > 0)
        put(p, ",");
    new_line(p);
}

static void open_level(Printer *p, const char *bracket)
{
    put(p, bracket);
    p->level++;
}

static void close_level(Printer *p, const char *bracket, bool empty)
{
    p->level--;
    if (!empty)
        new_line(p);
    put(p, bracket);
}

/// Quoted; what JSON does not let stand in a string is escaped.
static void put_string(Printer *p, const char *string, size_t length)
{
    static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
    size_t start = 0;
    put(p, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)string[i];
        const char *known = c ? strchr(plain, c) : NULL;
        if (c >= 0x20 && !known)
            continue;
        char code[8] = {'\\', known ? escaped[known - plain] : 0};
        if (!known)
            snprintf(code, sizeof code, "\\u%04x", c);
        pelti_array_append(p->text, string + start, i - start);
        put(p, code);
        start = i + 1;
    }
    pelti_array_append(p->text, string + start, length - start);
    put(p, "\"");
}

/// Every number that is no integer has been given its text: when it was made, or as the document that was read has it.
static void put_number(Printer *p, const PeltiJson *number)
{
    char text[24];
    int64_t value = json_object_get_int64(number);
    if (json_object_is_type(number, json_type_double)) {
        const char *own = json_object_get_userdata((PeltiJson *)(uintptr_t)number);
        PELT_ASSERT(own);
        put(p, own);
        return;
    }
    if (value == INT64_MAX) // this, or more
        snprintf(text, sizeof text, "%" PRIu64, json_object_get_uint64(number));
    else
        snprintf(text, sizeof text, "%" PRId64, value);
    put(p, text);
}

static void put_value(Printer *p, const PeltiJson *json);

static void put_object(Printer *p, const PeltiJson *object)
{
    size_t n = 0;
    open_level(p, "{");
    json_object_object_foreach(object, key, value)
    {
        next(p, n++);
        put_string(p, key, strlen(key));
        put(p, p->pretty ? ": " : ":");
        put_value(p, value);
    }
    close_level(p, "}", n == 0);
}

static void put_array(Printer *p, const PeltiJson *array)
{
    size_t count = json_object_array_length(array);
    open_level(p, "[");
    for (size_t i = 0; i < count; i++) {
        next(p, i);
        put_value(p, json_object_array_get_idx(array, i));
    }
    close_level(p, "]", count == 0);
}

static void put_value(Printer *p, const PeltiJson *json)
{
    switch (json_object_get_type(json)) {
    case json_type_null:
        put(p, "null");
        break;
    case json_type_boolean:
        put(p, json_object_get_boolean(json) ? "true" : "false");
        break;
    case json_type_string:
        put_string(p, json_object_get_string((PeltiJson *)(uintptr_t)json), (size_t)json_object_get_string_len(json));
        break;
    case json_type_object:
        put_object(p, json);
        break;
    case json_type_array:
        put_array(p, json);
        break;
    default:
        put_number(p, json);
    }
}

bool pelti_json_print(const PeltiJson *json, bool pretty, PeltiArray *text)
{
    Printer p = {text, pretty, 0};
    PELT_ASSERT(text->size == 1);
    put_value(&p, json);
    pelti_array_append(text, "", 1);
    text->count -= !text->failed; // a C string, whose end does not count
    return !text->failed;
}

/// All of it as text; `ok`: it was made whole.
static PeltStatus print_whole(PeltiJson *json, bool ok, PeltiArray *text, PeltError *err)
{
    ok = ok && json && pelti_json_print(json, true, text);
    pelti_json_release(json);
    return ok ? PELT_OK : pelti_no_memory(err, text->count);
}

PeltStatus pelti_json_write(PeltiJson *json, bool ok, const PeltAllocator *allocator, PeltiFile *file, PeltError *err)
{
    PeltiArray text;
    pelti_array_init(&text, allocator, 1);
    PeltStatus status = print_whole(json, ok, &text, err);
    if (status == PELT_OK)
        status = pelti_file_write(file, text.data, text.count, err);
    pelti_array_release(&text);
    return status;
}

PeltStatus pelti_json_save(PeltiJson *json, bool ok, const PeltAllocator *allocator, const char *path, PeltError *err)
{
    PeltiArray text;
    pelti_array_init(&text, allocator, 1);
    PeltStatus status = print_whole(json, ok, &text, err);
    if (status == PELT_OK)
        status = pelti_file_save(path, text.data, text.count, err);
    pelti_array_release(&text);
    return status;
}
