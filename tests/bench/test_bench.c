/// The benchmark table's own workings: groups by name, rows told when they are complete.
#include "bench/bench.h"
#include "check.h"

#include <pelt/bench.h>

#include <string.h>

static void groups_have_names_and_others_are_refused(void **state)
{
    (void)state;
    assert_true(pelt_bench_group_count() > 3);
    for (int g = 0; g < pelt_bench_group_count(); g++) {
        assert_non_null(pelt_bench_group_name(g));
        assert_non_null(pelt_bench_group_about(g));
    }
    assert_null(pelt_bench_group_name(pelt_bench_group_count()));
    assert_null(pelt_bench_group_name(-1));
    const char *names[] = {"contact", "speed"};
    PeltBenchDef def = pelt_bench_def_default();
    PeltError err = {0};
    def.groups = names, def.group_count = 2;
    assert_int_equal(pelt_bench(&def, &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "speed"));
}

static void count_call(void *context)
{
    ++*(int *)context;
}

static void the_best_of_several_runs_follows_an_untimed_one(void **state)
{
    (void)state;
    int calls = 0;
    double ms = pelti_bench_best_ms(count_call, &calls, 3, 5);
    assert_int_equal(calls, 1 + 3 * 5);
    assert_true(ms >= 0 && ms < 1000);
}

typedef struct Told {
    int machine, rows, others; ///< others: rows that were not asked for
} Told;

static void take_row(const PeltBenchRow *row, void *user)
{
    Told *told = user;
    if (!strcmp(row->group, "machine"))
        told->machine++;
    else if (strstr(row->name, "cylinder"))
        told->rows++;
    else
        told->others++;
}

static void only_the_rows_asked_for_are_run_and_the_machine_beside_them(void **state)
{
    (void)state;
    const char *groups[] = {"field"}, *texts[] = {"no such row", "cylinder"};
    PeltBenchDef def = pelt_bench_def_default();
    Told told = {0};
    def.groups = groups, def.group_count = 1, def.quick = true, def.row = take_row, def.row_user = &told;
    def.only = texts, def.only_count = 2;
    assert_int_equal(pelt_bench(&def, NULL), PELT_OK);
    assert_int_equal(told.rows, 1);
    assert_int_equal(told.others, 0);
    assert_true(told.machine > 0);
    def.only_count = 1;
    told = (Told){0};
    assert_int_equal(pelt_bench(&def, NULL), PELT_OK);
    assert_int_equal(told.rows + told.others, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_have_names_and_others_are_refused),
                                       cmocka_unit_test(the_best_of_several_runs_follows_an_untimed_one),
                                       cmocka_unit_test(only_the_rows_asked_for_are_run_and_the_machine_beside_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
