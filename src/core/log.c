/// Warnings kept for a person, and progress that can cancel.
#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PELTI_MAX_WARNINGS = 4096 };

void pelti_log_init(PeltiLog *log, const PeltAllocator *allocator)
{
    *log = (PeltiLog){0};
    pelti_array_init(&log->warnings, allocator, sizeof(PeltWarning));
}

void pelti_log_release(PeltiLog *log)
{
    pelti_array_release(&log->warnings);
    log->dropped = 0;
}

int pelti_log_count(const PeltiLog *log)
{
    return log ? (int)log->warnings.count : 0;
}

const PeltWarning *pelti_log_get(const PeltiLog *log, int index)
{
    return (const PeltWarning *)(const void *)log->warnings.data + index;
}

void pelti_warn(PeltiLog *log, const char *code, const char *format, ...)
{
    if (!log)
        return;
    if (log->warnings.count >= PELTI_MAX_WARNINGS) { // full: do not even compare, a file may warn a million times
        log->dropped++;
        return;
    }
    PeltWarning warning = {0};
    snprintf(warning.code, sizeof warning.code, "%s", code);
    va_list args;
    va_start(args, format);
    vsnprintf(warning.text, sizeof warning.text, format, args);
    va_end(args);
    for (char *c = warning.text; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
    for (int i = 0; i < pelti_log_count(log); i++)
        if (!strcmp(pelti_log_get(log, i)->code, warning.code) && !strcmp(pelti_log_get(log, i)->text, warning.text))
            return;
    if (!pelti_array_push(&log->warnings, &warning))
        log->dropped++;
}

PeltStatus pelti_progress(const PeltiProgressSink *progress, const char *stage, double share, PeltError *err)
{
    if (progress && progress->fn && progress->fn(stage, share, progress->user))
        return PELT_FAIL(err, PELT_FAILED, "cancelled");
    return PELT_OK;
}
