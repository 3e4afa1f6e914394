/// Checks JSON text strictly before the library parses it, and finds the line of a value.
#include "io/json_scan.h"

#include <string.h>

/// What the library spends on a value, measured with version 0.16: an object starts with a table of 16 entries.
enum { COST_OBJECT = 800, COST_ARRAY = 112, COST_VALUE = 80, COST_MEMBER = 140, COST_ITEM = 16 };

typedef struct Walk {
    const char *p, *end;
    const char *problem;
    size_t cost, most;
    int depth;
} Walk;

static bool stop(Walk *w, const char *problem)
{
    w->problem = problem;
    return false;
}

static void skip_space(Walk *w)
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

static bool is_digit(const Walk *w)
{
    return w->p < w->end && *w->p >= '0' && *w->p <= '9';
}

static bool walk_escape(Walk *w)
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

static bool walk_string(Walk *w)
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

static bool walk_digits(Walk *w)
{
    if (!is_digit(w))
        return stop(w, "a digit was expected");
    while (is_digit(w))
        w->p++;
    return true;
}

/// Whole numbers are kept in 64 bits, which the library does not check: it saturates.
static bool fits_64_bits(const char *digits, size_t count, bool negative)
{
    const char *most = negative ? "9223372036854775808" : "18446744073709551615";
    size_t length = strlen(most);
    return count < length || (count == length && memcmp(digits, most, count) <= 0);
}

static bool walk_number(Walk *w)
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

static bool walk_word(Walk *w)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(w->end - w->p) >= length && memcmp(w->p, words[i], length) == 0) {
            w->p += length;
            return true;
        }
    }
    return stop(w, *w->p == '\'' ? "strings take double quotes" : "a value was expected");
}

static bool walk_value(Walk *w);

static bool walk_member(Walk *w)
{
    if (w->p >= w->end || *w->p != '"')
        return stop(w, "a key in double quotes was expected");
    if (!walk_string(w))
        return false;
    skip_space(w);
    if (w->p >= w->end || *w->p != ':')
        return stop(w, "':' was expected");
    w->p++;
    w->cost += COST_MEMBER;
    return walk_value(w);
}

static bool walk_container(Walk *w, char close)
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
        if (!(object ? walk_member(w) : walk_value(w)))
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

static bool walk_value(Walk *w)
{
    skip_space(w);
    if (w->p >= w->end)
        return stop(w, "the text ends too early");
    w->cost += COST_VALUE;
    if (w->cost > w->most)
        return stop(w, "too many values");
    char c = *w->p;
    if (c == '{')
        return walk_container(w, '}');
    if (c == '[')
        return walk_container(w, ']');
    if (c == '"')
        return walk_string(w);
    if (c == '-' || (c >= '0' && c <= '9'))
        return walk_number(w);
    return walk_word(w);
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

PeltiJsonScan pelti_json_scan(const char *text, size_t size, int depth, size_t most_bytes)
{
    Walk w = {.p = text, .end = text + size, .most = most_bytes, .depth = depth};
    skip_space(&w);
    if (w.p >= w.end)
        stop(&w, "the text is empty");
    else if (*w.p != '{' && *w.p != '[')
        stop(&w, "an object or an array was expected");
    else if (walk_value(&w)) {
        skip_space(&w);
        if (w.p < w.end)
            stop(&w, "text after the end of the document");
    }
    PeltiJsonScan scan = {.problem = w.problem, .cost = w.cost};
    scan.line = line_of(text, w.p, &scan.column);
    return scan;
}

/// From the start of a container to the value of its member or item; *key is where its name starts. The text was parsed.
static bool walk_to(Walk *w, const PeltiJsonAt *step, const char **key)
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
        if (!walk_value(w))
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
    Walk w = {.p = text, .end = text + size, .most = SIZE_MAX, .depth = PELTI_JSON_DEPTH + 1};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        w.p += 3;
    skip_space(&w);
    if (w.p >= w.end)
        return 0;
    const char *key = w.p;
    while (count > 0)
        if (!walk_to(&w, steps[--count], &key))
            break; // an absent value: the line of what should hold it
    return line_of(text, key, NULL);
}
