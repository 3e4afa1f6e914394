/// The clock counts milliseconds and does not go back; the peak of memory follows what is touched.
#define _XOPEN_SOURCE 700
#include "check.h"

#include "core/clock.h"

#include <string.h>
#include <time.h>

static void it_counts_milliseconds(void **state)
{
    (void)state;
    double before = pelti_clock_ms(), last = before;
    for (int i = 0; i < 1000; i++) {
        double now = pelti_clock_ms();
        assert_true(now >= last);
        last = now;
    }
    before = pelti_clock_ms();
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    double slept = pelti_clock_ms() - before;
    assert_true(slept >= 19.9 && slept < 10000); // a busy machine may wake it late, never early
}

static void laps_add_up_to_the_whole(void **state)
{
    (void)state;
    double began = pelti_clock_ms(), since = began, first = 5, second = 0;
    pelti_clock_lap(&since, &first);
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    pelti_clock_lap(&since, &second);
    assert_true(first >= 5 && second >= 1.9);
    CHECK_NEAR(first - 5 + second, since - began, 1e-6);
}

static void the_peak_grows_with_memory_that_is_touched(void **state)
{
    (void)state;
    enum { MB = 96 };
    double before = pelti_peak_mb();
    assert_true(before > 0.5 && before < 4096);
    volatile char *memory = malloc((size_t)MB << 20);
    assert_non_null((void *)memory);
    for (size_t i = 0; i < (size_t)MB << 20; i += 4096)
        memory[i] = 1;
    double grown = pelti_peak_mb() - before;
    free((void *)memory);
    assert_true(grown > 0.9 * MB - before && grown < 4 * MB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_counts_milliseconds), cmocka_unit_test(laps_add_up_to_the_whole),
                                       cmocka_unit_test(the_peak_grows_with_memory_that_is_touched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
