/// Reads JSON text strictly into the library's values, in one walk; without building anything, finds the line of a value.
#include "io/json_read.h"

#include "io/json.h"

#include <json-c/json.h>

#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/// The most a document may take: a file of a few megabytes of "{}" would take gigabytes.
#define JSON_BYTES_MOST ((size_t)1 << 30)

/// What the library spends on a value, measured with version 0.16: an object starts with a table of 16 entries.
enum { COST_OBJECT = 800, COST_ARRAY = 112, COST_VALUE = 80, COST_MEMBER = 140, COST_ITEM = 16 };

typedef struct JsonWalk {
    const char *p, *end;
    const char *problem;
    bool builds;  ///< values are made
    bool refused; ///< memory was
    char *text;   ///< scratch: a string without escapes, or a number; grows
    size_t room;
    size_t cost, most;
    int depth;
} JsonWalk;

static bool stop(JsonWalk *w, const char *problem)
{
    w->problem = problem;
    return false;
}

/// A value that was made, or the end of the walk.
static bool made(JsonWalk *w, PeltiJson *value, PeltiJson **out)
{
    *out = value;
    if (value)
        return true;
    w->refused = true;
    return stop(w, "memory was refused");
}

static bool need(JsonWalk *w, size_t bytes)
{
    if (bytes <= w->room)
        return true;
    char *more = realloc(w->text, 2 * bytes);
    if (!more)
        return made(w, NULL, &(PeltiJson *){NULL});
    w->text = more;
    w->room = 2 * bytes;
    return true;
}

static void skip_space(JsonWalk *w)
{
    while (w->p < w->end && (*w->p == ' ' || *w->p == '\n' || *w->p == '\r' || *w->p == '\t'))
        w->p++;
}

int pelti_utf8_length(const char *p, const char *end)
{
    const unsigned char *u = (const unsigned char *)p;
    if (u[0] < 0x80)
        return 1;
    int length = u[0] >= 0xc2 && u[0] < 0xe0 ? 2 : u[0] >= 0xe0 && u[0] < 0xf0 ? 3 : u[0] >= 0xf0 && u[0] < 0xf5 ? 4 : 0;
    if (length == 0 || end - p < length)
        return 0;
    for (int i = 1; i < length; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90);
    bool beyond = (u[0] == 0xed && u[1] >= 0xa0) || (u[0] == 0xf4 && u[1] >= 0x90); // surrogates, > U+10FFFF
    return overlong || beyond ? 0 : length;
}

static bool is_digit(const JsonWalk *w)
{
    return w->p < w->end && *w->p >= '0' && *w->p <= '9';
}

static bool walk_escape(JsonWalk *w)
{
    if (++w->p >= w->end)
        return stop(w, "the text ends within a string");
    if (*w->p == 'u') {
        for (int i = 1; i <= 4; i++)
            if (w->p + i >= w->end || !strchr("0123456789abcdefABCDEF", w->p[i]) || !w->p[i])
                return stop(w, "\\u wants four hexadecimal digits");
        w->p += 5;
        return true;
    }
    if (!*w->p || !strchr("\"\\/bfnrt", *w->p))
        return stop(w, "unknown escape in a string");
    w->p++;
    return true;
}

static bool walk_string(JsonWalk *w)
{
    const char *start = ++w->p;
    while (w->p < w->end) {
        unsigned char c = (unsigned char)*w->p;
        if (c == '"') {
            w->cost += (size_t)(w->p++ - start);
            return true;
        }
        if (c == '\\') {
            if (!walk_escape(w))
                return false;
        } else if (c < 0x20) {
            return stop(w, "control character in a string");
        } else if (c < 0x80) {
            w->p++;
        } else {
            int length = pelti_utf8_length(w->p, w->end);
            if (!length)
                return stop(w, "bytes that are not UTF-8");
            w->p += length;
        }
    }
    return stop(w, "the text ends within a string");
}

static unsigned four_digits(const char *p)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++)
        code = 16 * code + (unsigned)(p[i] <= '9' ? p[i] - '0' : (p[i] | 32) - 'a' + 10);
    return code;
}

static size_t put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    for (size_t k = more; k > 0; k--, code >>= 6)
        to[k] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(code | (more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0));
    return more + 1;
}

/// One escape at *p, which was checked, to UTF-8; half of a surrogate pair is U+FFFD.
static size_t put_escape(const char **p, const char *end, char *to)
{
    const char *from = *p + 1;
    if (*from != 'u') {
        static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
        *to = meant[strchr(names, *from) - names];
        *p += 2;
        return 1;
    }
    unsigned code = four_digits(from + 1);
    *p += 6;
    if (code >= 0xd800 && code < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
        unsigned low = four_digits(*p + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            *p += 6;
            return put_utf8(to, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
        }
    }
    return put_utf8(to, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
}

/// The string [p, end) between its quotes as text, ended by a zero; escapes only ever shrink.
static bool unescape(JsonWalk *w, const char *p, const char *end, size_t *length)
{
    if (!need(w, (size_t)(end - p) + 1))
        return false;
    char *to = w->text;
    while (p < end)
        if (*p == '\\')
            to += put_escape(&p, end, to);
        else
            *to++ = *p++;
    *to = 0;
    *length = (size_t)(to - w->text);
    return true;
}

static bool read_string(JsonWalk *w, PeltiJson **out)
{
    size_t length;
    const char *start = w->p + 1;
    if (!walk_string(w))
        return false;
    if (!w->builds)
        return true;
    return unescape(w, start, w->p - 1, &length) && made(w, json_object_new_string_len(w->text, (int)length), out);
}

static bool walk_digits(JsonWalk *w)
{
    if (!is_digit(w))
        return stop(w, "a digit was expected");
    while (is_digit(w))
        w->p++;
    return true;
}

/// Whole numbers are kept in 64 bits.
static bool fits_64_bits(const char *digits, size_t count, bool negative)
{
    const char *most = negative ? "9223372036854775808" : "18446744073709551615";
    size_t length = strlen(most);
    return count < length || (count == length && memcmp(digits, most, count) <= 0);
}

static bool walk_number(JsonWalk *w)
{
    bool negative = *w->p == '-';
    if (negative)
        w->p++;
    const char *digits = w->p;
    if (w->p < w->end && *w->p == '0') {
        w->p++;
        if (is_digit(w))
            return stop(w, "a number may not start with 0");
    } else if (!walk_digits(w)) {
        return false;
    }
    if (w->p < w->end && *w->p == '.') {
        w->p++;
        if (!walk_digits(w))
            return false;
    }
    if (w->p < w->end && (*w->p == 'e' || *w->p == 'E')) {
        w->p++;
        if (w->p < w->end && (*w->p == '+' || *w->p == '-'))
            w->p++;
        return walk_digits(w);
    }
    size_t count = (size_t)(w->p - digits);
    if (!memchr(digits, '.', count) && !fits_64_bits(digits, count, negative))
        return stop(w, "a whole number beyond 64 bits");
    return true;
}

/// Whole numbers as such; others with their text, so that they are written as they were read.
static bool read_number(JsonWalk *w, PeltiJson **out)
{
    const char *start = w->p;
    if (!walk_number(w))
        return false;
    size_t length = (size_t)(w->p - start);
    if (!w->builds)
        return true;
    if (!need(w, length + 1))
        return false;
    memcpy(w->text, start, length);
    w->text[length] = 0;
    if (strpbrk(w->text, ".eE"))
        return made(w, json_object_new_double_s(strtod(w->text, NULL), w->text), out);
    if (*w->text == '-')
        return made(w, json_object_new_int64(strtoll(w->text, NULL, 10)), out);
    unsigned long long whole = strtoull(w->text, NULL, 10);
    return made(w, whole <= INT64_MAX ? json_object_new_int64((int64_t)whole) : json_object_new_uint64(whole), out);
}

static bool read_word(JsonWalk *w, PeltiJson **out)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(w->end - w->p) >= length && memcmp(w->p, words[i], length) == 0) {
            w->p += length;
            return i == 2 || !w->builds || made(w, json_object_new_boolean(i == 0), out);
        }
    }
    return stop(w, *w->p == '\'' ? "strings take double quotes" : "a value was expected");
}

static bool read_value(JsonWalk *w, PeltiJson **out);

static bool read_member(JsonWalk *w, PeltiJson *object)
{
    if (w->p >= w->end || *w->p != '"')
        return stop(w, "a key in double quotes was expected");
    const char *start = w->p + 1;
    if (!walk_string(w))
        return false;
    const char *end = w->p - 1;
    skip_space(w);
    if (w->p >= w->end || *w->p != ':')
        return stop(w, "':' was expected");
    w->p++;
    w->cost += COST_MEMBER;
    PeltiJson *value = NULL;
    size_t length;
    bool good = read_value(w, &value);
    if (!w->builds)
        return good;
    good = good && unescape(w, start, end, &length);
    if (good && json_object_object_add(object, w->text, value) == 0) // a key that comes again takes the place of the first
        return true;
    json_object_put(value);
    return good ? made(w, NULL, &value) : false;
}

static bool read_item(JsonWalk *w, PeltiJson *array)
{
    PeltiJson *value = NULL;
    bool good = read_value(w, &value);
    if (!w->builds || (good && json_object_array_add(array, value) == 0))
        return good;
    json_object_put(value);
    return good ? made(w, NULL, &value) : false;
}

/// `into` is NULL where nothing is built.
static bool read_container(JsonWalk *w, char close, PeltiJson *into)
{
    bool object = close == '}';
    w->cost += object ? COST_OBJECT : COST_ARRAY;
    if (w->depth-- == 0)
        return stop(w, "nested too deep");
    w->p++;
    skip_space(w);
    if (w->p < w->end && *w->p == close) {
        w->p++;
        w->depth++;
        return true;
    }
    for (;;) {
        skip_space(w);
        w->cost += COST_ITEM;
        if (!(object ? read_member(w, into) : read_item(w, into)))
            return false;
        skip_space(w);
        if (w->p < w->end && *w->p == close) {
            w->p++;
            w->depth++;
            return true;
        }
        if (w->p >= w->end || *w->p != ',')
            return stop(w, w->p >= w->end ? "the text ends too early"
                           : object       ? "',' or '}' was expected"
                                          : "',' or ']' was expected");
        w->p++;
    }
}

/// A value that fails half way stays in *out for the caller to release.
static bool read_value(JsonWalk *w, PeltiJson **out)
{
    skip_space(w);
    if (w->p >= w->end)
        return stop(w, "the text ends too early");
    w->cost += COST_VALUE;
    if (w->cost > w->most)
        return stop(w, "too many values");
    char c = *w->p;
    if (c == '{')
        return (!w->builds || made(w, json_object_new_object(), out)) && read_container(w, '}', *out);
    if (c == '[')
        return (!w->builds || made(w, json_object_new_array(), out)) && read_container(w, ']', *out);
    if (c == '"')
        return read_string(w, out);
    if (c == '-' || (c >= '0' && c <= '9'))
        return read_number(w, out);
    return read_word(w, out);
}

static int line_of(const char *text, const char *p, int *column)
{
    int line = 1;
    const char *start = text;
    for (const char *q = text; q < p && (q = memchr(q, '\n', (size_t)(p - q))); q++) {
        line++;
        start = q + 1;
    }
    if (column)
        *column = (int)(p - start) + 1;
    return line;
}

static void read_document(JsonWalk *w, PeltiJson **out)
{
    skip_space(w);
    if (w->p >= w->end)
        stop(w, "the text is empty");
    else if (*w->p != '{' && *w->p != '[')
        stop(w, "an object or an array was expected");
    else if (read_value(w, out)) {
        skip_space(w);
        if (w->p < w->end)
            stop(w, "text after the end of the document");
    }
}

PeltStatus pelti_json_parse(const char *text, size_t size, PeltiJson **out, PeltError *err)
{
    *out = NULL;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        size -= 3;
    }
    if (size > INT_MAX - 16)
        return PELT_FAIL(err, PELT_BAD_INPUT, "JSON of %zu bytes is larger than 2 GiB", size);
    JsonWalk w = {.p = text, .end = text + size, .most = JSON_BYTES_MOST, .depth = PELTI_JSON_DEPTH, .builds = true};
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(plain); // a host may write 0,5
    PeltiJson *root = NULL;
    read_document(&w, &root);
    uselocale(before);
    if (plain)
        freelocale(plain);
    free(w.text);
    if (!w.problem) {
        *out = root;
        return PELT_OK;
    }
    json_object_put(root);
    if (w.refused)
        return pelti_no_memory(err, w.cost);
    int column, line = line_of(text, w.p, &column);
    return PELT_FAIL(err, PELT_BAD_INPUT, "JSON line %d, column %d: %s", line, column, w.problem);
}

/// From the start of a container to the value of its member or item; *key is where its name starts. The text was parsed.
static bool walk_to(JsonWalk *w, const PeltiJsonAt *step, const char **key)
{
    bool object = *w->p == '{';
    if (object != (step->key != NULL) || (!object && *w->p != '['))
        return false;
    const char *found = NULL;
    w->p++;
    for (int index = 0; w->p < w->end; index++) {
        skip_space(w);
        const char *name = w->p;
        if (object) {
            if (*w->p != '"' || !walk_string(w))
                break;
            const char *name_end = w->p - 1;
            skip_space(w);
            w->p++;
            skip_space(w);
            size_t length = strlen(step->key);
            if ((size_t)(name_end - name - 1) == length && memcmp(name + 1, step->key, length) == 0) {
                found = w->p; // of several, the last one counts: that is the one the parser keeps
                *key = name;
            }
        } else if (index == step->index) {
            found = *key = w->p;
            break;
        }
        PeltiJson *none = NULL;
        if (!read_value(w, &none))
            break;
        skip_space(w);
        if (w->p >= w->end || *w->p != ',')
            break;
        w->p++;
    }
    w->p = found;
    return found != NULL;
}

int pelti_json_line(const PeltiJsonAt *at, const char *text, size_t size)
{
    const PeltiJsonAt *steps[PELTI_JSON_DEPTH + 1];
    int count = 0;
    for (; at && at->up && count <= PELTI_JSON_DEPTH; at = at->up)
        steps[count++] = at;
    JsonWalk w = {.p = text, .end = text + size, .most = SIZE_MAX, .depth = PELTI_JSON_DEPTH + 1};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        w.p += 3;
    skip_space(&w);
    if (w.p >= w.end)
        return 0;
    const char *key = w.p;
    while (count > 0)
        if (!walk_to(&w, steps[--count], &key))
            break; // an absent value: the line of what should hold it
    free(w.text);  // nothing was built
    return line_of(text, key, NULL);
}
