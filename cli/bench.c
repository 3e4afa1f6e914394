/// `pelt bench`: the benchmark table, as text, CSV, JSON or a page, and what changed between two of them.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Keeps a row and shows it on stderr.
static void take_row(const PeltBenchRow *row, void *table)
{
    pelt_bench_table_add(row, table);
    fprintf(stderr, "%-11s %-46s %12.4g %-8s", row->group, row->name, row->value, row->unit);
    if (row->wanted > 0)
        fprintf(stderr, " (wanted %.4g)", row->wanted);
    if (row->paper > 0)
        fprintf(stderr, " (paper %.4g)", row->paper);
    if (row->over_machine > 0)
        fprintf(stderr, " (%.3g x machine limit)", row->over_machine);
    if (row->parts)
        fprintf(stderr, " [%s]", row->parts);
    fprintf(stderr, " %s\n", row->note);
}

// ---- comparing two results ----

typedef struct ChangeTally {
    int better, worse, same, alone; ///< alone: of a single run
    double machine;                 ///< largest change of the machine's own rows
} ChangeTally;

static void print_change(const PeltBenchChange *c, void *user)
{
    static const char *const words[3] = {"WORSE", "same", "better"};
    ChangeTally *tally = user;
    double change = fabs(c->ratio - 1);
    if (!strcmp(c->after.group, "machine")) {
        tally->machine = change > tally->machine ? change : tally->machine;
    } else {
        tally->better += c->verdict > 0;
        tally->worse += c->verdict < 0;
        tally->same += c->verdict == 0;
        tally->alone += c->before.runs < 2 || c->after.runs < 2;
    }
    printf("%-11s %-46s %10.4g -> %-10.4g %-8s x%.2f, noise %.0f %%: %s\n", c->after.group, c->after.name, c->before.value,
           c->after.value, c->after.unit, c->ratio, 100 * c->noise, words[c->verdict + 1]);
}

static int print_difference(const CliCommand *command, const char *path, const PeltBenchTable *after)
{
    PeltBenchTable *before = NULL;
    PeltError err = {0};
    ChangeTally tally = {0};
    PeltStatus status = pelt_bench_table_read(path, &before, &err);
    if (status != PELT_OK)
        return cli_fail(command, status, "%s", err.text);
    pelt_bench_compare(before, after, print_change, &tally);
    pelt_bench_table_destroy(before);
    printf("%d better, %d worse, %d within the noise", tally.better, tally.worse, tally.same);
    if (tally.alone)
        printf("; %d rows were run only once on a side, where 15 %% counts as noise: --runs 5 knows better", tally.alone);
    printf("\n");
    if (tally.machine > 0.1)
        printf("the machine's own rows differ by %.0f %%: another machine, or a busy one; do not trust small changes\n",
               100 * tally.machine);
    return 0;
}

static int compare_files(const CliCommand *command, const char *before_path, const char *after_path)
{
    PeltBenchTable *after = NULL;
    PeltError err = {0};
    PeltStatus status = pelt_bench_table_read(after_path, &after, &err);
    int code = status == PELT_OK ? print_difference(command, before_path, after) : cli_fail(command, status, "%s", err.text);
    pelt_bench_table_destroy(after);
    return code;
}

// ---- the command ----

static int run(const CliCommand *command, int argc, char **argv);

typedef struct BenchRequest {
    bool json, csv, quick;
    int threads, runs;
    const char *output, *data, *against;
    CliList groups, only;
} BenchRequest;

static const CliOption options[] = {
    {"json", 0, NULL, "print JSON in place of the table", CLI_TO(CLI_FLAG, BenchRequest, json)},
    {"csv", 0, NULL, "print CSV in place of the table", CLI_TO(CLI_FLAG, BenchRequest, csv)},
    {"output", 'o', "FILE", "write .json, .csv or a page (.html) there too", CLI_TO(CLI_TEXT, BenchRequest, output)},
    {"threads", 0, "N", "most threads (default: as many as there are)", CLI_TO(CLI_INT, BenchRequest, threads)},
    {"runs", 0, "N", "run all of it N times: medians, with least and most (default 1)", CLI_TO(CLI_INT, BenchRequest, runs)},
    {"only", 0, "TEXT", "run only rows whose name holds this text; may be repeated", CLI_TO(CLI_LIST, BenchRequest, only)},
    {"quick", 0, NULL, "fewer repeats", CLI_TO(CLI_FLAG, BenchRequest, quick)},
    {"data", 0, "DIR", "real characters to time as well", CLI_TO(CLI_TEXT, BenchRequest, data)},
    {"against", 0, "OLD.csv", "say what became better or worse since; with a NEW.csv in place of groups nothing is run",
     CLI_TO(CLI_TEXT, BenchRequest, against)},
    {"", 0, NULL, "", CLI_TO(CLI_LIST, BenchRequest, groups)},
    {0},
};

extern const CliCommand cli_bench;
const CliCommand cli_bench = {
    "bench",
    "[GROUP...] [options]",
    "the benchmark table",
    "Without groups all are run. Each row shows what is wanted beside what was measured, and the machine's own\n"
    "limits are measured in the same run: a row says how many times longer it took than its arithmetic or its memory\n"
    "traffic alone would have to. Rows appear on stderr as they are ready. --against calls a change what is more than\n"
    "the spread of the runs on both sides.\n",
    options,
    run,
};

static bool is_csv(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".csv");
}

/// What was asked for, from the rows of a run.
static int tell(const CliCommand *command, const BenchRequest *r, const PeltBenchTable *table)
{
    PeltError err = {0};
    PeltStatus status = PELT_OK;
    if (r->output)
        status = pelt_bench_table_write(table, r->output, NULL, &err);
    if (status == PELT_OK && (r->json || r->csv))
        status = pelt_bench_table_write(table, "-", r->json ? "json" : "csv", &err);
    if (status != PELT_OK)
        return cli_fail(command, status, "%s", err.text);
    return r->against ? print_difference(command, r->against, table) : 0;
}

static int run(const CliCommand *command, int argc, char **argv)
{
    PeltError err = {0};
    PeltBenchTable *table = NULL;
    BenchRequest r = {.threads = (int)sysconf(_SC_NPROCESSORS_ONLN), .runs = 1};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (r.threads < 1)
        return cli_usage(command, "--threads %d: at least 1", r.threads);
    if (r.runs < 1 || r.runs > 32)
        return cli_usage(command, "--runs %d: 1 to 32", r.runs);
    if (r.against && r.groups.count == 1 && is_csv(r.groups.items[0]))
        return compare_files(command, r.against, r.groups.items[0]);
    PeltBenchDef def = pelt_bench_def_default();
    def.groups = r.groups.items, def.group_count = r.groups.count;
    def.only = r.only.items, def.only_count = r.only.count;
    def.threads = r.threads, def.quick = r.quick, def.data = r.data, def.runs = r.runs;
    PeltStatus status = pelt_bench_table_create(&table, &err);
    if (status != PELT_OK)
        return cli_fail(command, status, "%s", err.text);
    def.row = take_row, def.row_user = table;
    int code = pelt_bench(&def, &err) == PELT_OK ? tell(command, &r, table) : cli_usage(command, "%s", err.text);
    pelt_bench_table_destroy(table);
    return code;
}
