/// Failures of the world (status + story) and of the caller (assert). See style: two kinds, never mixed.
#ifndef PELTI_CORE_ERROR_H
#define PELTI_CORE_ERROR_H

#include <pelt/base.h>

/// Every failure passes here, so one breakpoint catches the first. Returns `status`. `err` may be NULL.
PeltStatus pelti_fail(PeltError *err, PeltStatus status, const char *format, ...) PELT_PRINTF(3, 4);

/// Puts "prefix: " before the story of a failure that is being passed up (a file name, a joint). `err` may be NULL.
void pelti_error_prefix(PeltError *err, const char *format, ...) PELT_PRINTF(2, 3);

#define PELT_FAIL(err, status, ...) pelti_fail((err), (status), __VA_ARGS__)

/// Passes a failure up unchanged.
#define PELT_TRY(call)                                                                                                           \
    do {                                                                                                                         \
        PeltStatus pelti_try_status_ = (call);                                                                                   \
        if (pelti_try_status_ != PELT_OK)                                                                                        \
            return pelti_try_status_;                                                                                            \
    } while (0)

/// As PELT_TRY, but jumps to a clean-up label with `status` set.
#define PELT_TRY_GOTO(status, call, label)                                                                                       \
    do {                                                                                                                         \
        (status) = (call);                                                                                                       \
        if ((status) != PELT_OK)                                                                                                 \
            goto label;                                                                                                          \
    } while (0)

void pelti_assert_failed(const char *condition, const char *file, int line);
#define PELT_ASSERT(condition) ((condition) ? (void)0 : pelti_assert_failed(#condition, __FILE__, __LINE__))

#endif
