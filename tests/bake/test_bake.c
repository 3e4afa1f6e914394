/// A bake tells its times with percentiles that rise from the median to the worst.
#include "check.h"

#include "bake/run.h"

enum { MOST = 60 };

static PeltiRunTimes times_of(int count)
{
    PeltiRunFrame records[MOST] = {0};
    PeltiRun run = {.count = count, .records = records};
    pelti_pool_init(&run.pool, NULL);
    for (int i = 0; i < count; i++)
        records[i].step_ms = 1 + (i * 37) % count; // 1 to count in some order, where 37 does not divide it
    PeltiRunTimes times = pelti_run_times(&run);
    pelti_pool_release(&run.pool);
    return times;
}

static void percentiles_rise(void **state)
{
    (void)state;
    for (int count = 1; count <= MOST; count++) {
        if (count % 37 == 0)
            continue; // no order there
        PeltiRunTimes t = times_of(count);
        if (!(t.p50 <= t.p95 && t.p95 <= t.max))
            fail_msg("of %d frames the median is %g, the 95th percentile %g, the most %g", count, t.p50, t.p95, t.max);
        CHECK_NEAR(t.max, count, 0);
        CHECK_NEAR(t.p50, count / 2 + 1, 0);
        assert_true(t.p95 >= 0.95 * count);
        CHECK_NEAR(t.mean, (count + 1) / 2.0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(percentiles_rise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
