/// All failures pass here: one breakpoint catches the first.
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PeltAssertHook g_assert_hook; // the one global: set once by the application before anything else

const char *pelt_version(void)
{
    return PELT_VERSION_STRING;
}

void pelt_set_assert_hook(PeltAssertHook hook)
{
    g_assert_hook = hook;
}

/// A story is one line, whatever a file's names hold.
static void flatten(char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            *text = ' ';
    }
}

PeltStatus pelti_fail(PeltError *err, PeltStatus status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        flatten(err->text);
        err->status = status;
    }
    return status;
}

void pelti_error_prefix(PeltError *err, const char *format, ...)
{
    if (!err)
        return;
    char whole[sizeof err->text];
    va_list args;
    va_start(args, format);
    int used = vsnprintf(whole, sizeof whole, format, args);
    va_end(args);
    if (used < 0 || (size_t)used >= sizeof whole)
        return;
    snprintf(whole + used, sizeof whole - (size_t)used, ": %.*s", (int)(sizeof whole - (size_t)used - 3), err->text);
    memcpy(err->text, whole, sizeof whole);
    flatten(err->text);
}

void pelti_assert_failed(const char *condition, const char *file, int line)
{
    if (g_assert_hook) {
        g_assert_hook(condition, file, line);
        return;
    }
    fprintf(stderr, "pelt: %s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
