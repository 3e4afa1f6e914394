/// Rows over several runs, to a file and back, and a verdict that knows the noise.
#include "bench/table.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PeltBenchTable *table_of(const char *name, const char *unit, int count, const double *values)
{
    PeltBenchTable *table = NULL;
    assert_int_equal(pelt_bench_table_create(&table, NULL), PELT_OK);
    for (int k = 0; k < count; k++)
        pelt_bench_table_add(&(PeltBenchRow){.group = "field",
                                             .name = name,
                                             .unit = unit,
                                             .note = "a note, with a comma",
                                             .value = values[k],
                                             .wanted = 3,
                                             .paper = 9,
                                             .over_machine = 2,
                                             .parts = "solve 1.5, rest 2"},
                             table);
    return table;
}

static void runs_give_a_median_and_their_ends(void **state)
{
    (void)state;
    PeltBenchTable *table = table_of("a", "ms", 4, (const double[]){7, 3, 4, NAN});
    PeltBenchRow row = pelt_bench_table_row(table, 0);
    assert_int_equal(pelt_bench_table_count(table), 1);
    assert_int_equal(row.runs, 3);
    assert_true(row.value == 4 && row.low == 3 && row.high == 7);
    pelt_bench_table_destroy(table);
}

static void what_is_written_can_be_read(void **state)
{
    (void)state;
    char path[] = "/tmp/pelt-bench-XXXXXX";
    close(mkstemp(path));
    PeltBenchTable *table = table_of("a, b (c)", "ns", 3, (const double[]){1, 2, 6}), *back = NULL;
    assert_int_equal(pelt_bench_table_write(table, path, "csv", NULL), PELT_OK);
    assert_int_equal(pelt_bench_table_read(path, &back, NULL), PELT_OK);
    PeltBenchRow a = pelt_bench_table_row(table, 0), b = pelt_bench_table_row(back, 0);
    assert_int_equal(pelt_bench_table_count(back), 1);
    assert_string_equal(a.name, b.name);
    assert_string_equal(a.note, b.note);
    assert_string_equal(a.parts, b.parts);
    assert_string_equal(a.unit, b.unit);
    assert_true(a.value == b.value && a.low == b.low && a.high == b.high && a.runs == b.runs && a.wanted == b.wanted &&
                a.paper == b.paper && a.over_machine == b.over_machine);
    pelt_bench_table_destroy(back);
    PeltError err = {0};
    assert_int_equal(pelt_bench_table_write(table, path, "yaml", NULL), PELT_BAD_ARGUMENT);
    assert_int_equal(pelt_bench_table_write(table, path, "json", NULL), PELT_OK);
    assert_int_equal(pelt_bench_table_read(path, &back, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, ".csv"));
    pelt_bench_table_destroy(table);
    unlink(path);
}

static void keep_verdict(const PeltBenchChange *change, void *user)
{
    *(int *)user = change->verdict;
}

static int verdict(const char *unit, int before_count, const double *before, int after_count, const double *after)
{
    int out = 9;
    PeltBenchTable *a = table_of("a", unit, before_count, before), *b = table_of("a", unit, after_count, after);
    pelt_bench_compare(a, b, keep_verdict, &out);
    pelt_bench_table_destroy(a);
    pelt_bench_table_destroy(b);
    return out;
}

static void a_change_within_the_spread_is_none(void **state)
{
    (void)state;
    const double quiet[] = {10, 10.1, 10.2}, less[] = {9, 9.1, 9.2}, noisy[] = {8, 10, 12}, half[] = {5}, nine[] = {9};
    assert_int_equal(verdict("ms", 3, quiet, 3, less), 1);
    assert_int_equal(verdict("ms", 3, less, 3, quiet), -1);
    assert_int_equal(verdict("GB/s", 3, quiet, 3, less), -1); // more is better
    assert_int_equal(verdict("ms", 3, noisy, 3, less), 0);
    assert_int_equal(verdict("ms", 1, quiet, 1, nine), 0); // one run knows nothing of its noise
    assert_int_equal(verdict("ms", 1, quiet, 1, half), 1);
}

static void a_page_draws_bars_and_lines(void **state)
{
    (void)state;
    PeltiPage page;
    PeltBenchTable *table = table_of("skin <5.0k>, 1 thread", "ms", 1, (const double[]){4});
    pelt_bench_table_add(
        &(PeltBenchRow){.group = "field", .name = "skin <5.0k>, 2 threads", .unit = "ms", .note = "", .value = 2}, table);
    for (int i = 0; i < 2; i++)
        pelt_bench_table_add(
            &(PeltBenchRow){.group = "field",
                            .name = i ? "cost, 6000 vertices, 1 thread" : "cost, 3000 simulated vertices, 1 thread",
                            .unit = "ns",
                            .note = "",
                            .value = 5 + i},
            table);
    pelti_page_init(&page);
    pelti_bench_page(table, &page);
    pelti_array_append(&page.bytes, "", 1);
    const char *text = page.bytes.data;
    assert_non_null(strstr(text, "<figcaption>cost, 1 thread, ns</figcaption>"));
    assert_non_null(strstr(text, "<title>machine limit 2</title>"));
    assert_non_null(strstr(text, "<title>wanted 3</title>"));
    assert_non_null(strstr(text, "<title>paper 9</title>"));
    assert_non_null(strstr(text, "<title>solve 1.5</title>"));
    assert_non_null(strstr(text, "<polyline"));
    assert_non_null(strstr(text, "<figcaption>skin &lt;5.0k&gt;, ms</figcaption>"));
    assert_null(strstr(text, "skin <"));
    assert_non_null(strstr(text, "</html>"));
    pelti_page_release(&page);
    pelt_bench_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_give_a_median_and_their_ends), cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(a_change_within_the_spread_is_none), cmocka_unit_test(a_page_draws_bars_and_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
