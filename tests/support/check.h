/// cmocka with what it needs before it, and a few checks all tests share.
#ifndef PELT_TESTS_CHECK_H
#define PELT_TESTS_CHECK_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// |a - b| <= tolerance, with the values in the message; NaN fails.
#define CHECK_NEAR(a, b, tolerance)                                                                                              \
    do {                                                                                                                         \
        double check_a_ = (double)(a), check_b_ = (double)(b), check_t_ = (double)(tolerance);                                   \
        if (!(fabs(check_a_ - check_b_) <= check_t_))                                                                            \
            fail_msg("%s = %.9g, expected %.9g within %.3g", #a, check_a_, check_b_, check_t_);                                  \
    } while (0)

/// A call of the project succeeds, else the test fails with the line that `err`, a PeltError of the caller, has.
#define OK(call)                                                                                                                 \
    do {                                                                                                                         \
        PeltStatus ok_status_ = (call);                                                                                          \
        if (ok_status_ != PELT_OK)                                                                                               \
            fail_msg("%s: %d %s", #call, ok_status_, err.text);                                                                  \
    } while (0)

/// How much a test does: `all`, or under a sanitizer, which costs five to twenty times, only `some` of it: enough that the same
/// code runs, in as many threads.
#ifdef PELT_SANITIZED
#define TEST_WORK(all, some) (some)
#else
#define TEST_WORK(all, some) (all)
#endif
/// Leaves a test out there: others, or the goldens of every method, go the same ways for less. tools/test.sh counts these.
#define NOT_SANITIZED()                                                                                                          \
    do {                                                                                                                         \
        if (TEST_WORK(0, 1)) {                                                                                                   \
            fflush(stdout);                                                                                                      \
            fprintf(stderr, "not sanitized: %s\n", __func__);                                                                    \
            skip();                                                                                                              \
        }                                                                                                                        \
    } while (0)

/// Says, in the line that tools/test.sh counts, what a test lacks. A test that has nothing else to do then calls skip().
static inline void lacks(const char *what)
{
    fflush(stdout); // cmocka's lines before it: this one begins a line
    fprintf(stderr, "skipped: %s\n", what);
}

/// Path of a file in ../shared/data, or NULL where it is absent, which is told: then skip().
static inline const char *shared_file(const char *name)
{
    static char path[4][1024];
    static int turn;
    char *p = path[turn++ & 3];
    snprintf(p, 1024, "%s/data/%s", PELT_SHARED_DIR, name);
    if (access(p, R_OK) == 0)
        return p;
    snprintf(p, 1024, "%s is not beside this checkout", name);
    lacks(p);
    return NULL;
}
#endif
