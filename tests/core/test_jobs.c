/// The parallel-for visits each index once for any number of threads.
#include "check.h"
#include "core/jobs.h"

#include <stdatomic.h>

typedef struct Sum {
    atomic_int visits[1000];
    atomic_int workers;
    double part[1000];
} Sum;

static void visit(void *context, int begin, int end, int worker)
{
    Sum *sum = context;
    atomic_fetch_or(&sum->workers, 1 << worker);
    for (int i = begin; i < end; i++) {
        atomic_fetch_add(&sum->visits[i], 1);
        sum->part[begin / 7] += 1.0 / (i + 1);
    }
}

static void each_index_is_visited_once_for_any_thread_count(void **state)
{
    (void)state;
    double first = 0;
    for (int threads = 1; threads <= 8; threads++) {
        PeltiJobs *jobs = pelti_jobs_create(threads);
        assert_non_null(jobs);
        for (int repeat = 0; repeat < 50; repeat++) {
            static Sum sum;
            sum = (Sum){0};
            pelti_parallel_for(jobs, 1000, 7, visit, &sum);
            double total = 0;
            for (int i = 0; i < 1000; i++) {
                assert_int_equal(sum.visits[i], 1);
                total += sum.part[i];
            }
            if (threads == 1 && repeat == 0)
                first = total;
            assert_true(total == first); // pieces do not depend on threads: bitwise equal
            assert_true(atomic_load(&sum.workers) < 1 << threads);
        }
        pelti_jobs_destroy(jobs);
    }
}

static void nothing_to_do_calls_nothing(void **state)
{
    (void)state;
    static Sum sum;
    pelti_parallel_for(NULL, 0, 7, visit, &sum);
    pelti_parallel_for(NULL, -3, 7, visit, &sum);
    assert_int_equal(atomic_load(&sum.workers), 0);
    pelti_jobs_destroy(NULL);
    assert_int_equal(pelti_jobs_threads(NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_index_is_visited_once_for_any_thread_count),
        cmocka_unit_test(nothing_to_do_calls_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
