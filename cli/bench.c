/// `pelt bench`: the benchmark table, as text, CSV or JSON, and what changed between two of them.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Row { // a PeltBenchRow that keeps its texts
    char group[24], name[72], unit[16], note[240];
    double value, wanted, paper, over_machine;
} Row;

enum { MOST_ROWS = 1024 };
typedef struct Rows {
    Row list[MOST_ROWS];
    int count, threads;
} Rows;

/// Keeps a row and shows it on stderr.
static void take_row(const PeltBenchRow *told, void *user)
{
    Rows *rows = user;
    if (rows->count == MOST_ROWS)
        return;
    Row *row = &rows->list[rows->count++];
    *row = (Row){.value = told->value, .wanted = told->wanted, .paper = told->paper, .over_machine = told->over_machine};
    snprintf(row->group, sizeof row->group, "%s", told->group);
    snprintf(row->name, sizeof row->name, "%s", told->name);
    snprintf(row->unit, sizeof row->unit, "%s", told->unit);
    snprintf(row->note, sizeof row->note, "%s", told->note);
    fprintf(stderr, "%-11s %-46s %12.4g %-8s", row->group, row->name, row->value, row->unit);
    if (row->wanted > 0)
        fprintf(stderr, " (wanted %.4g)", row->wanted);
    if (row->paper > 0)
        fprintf(stderr, " (paper %.4g)", row->paper);
    if (row->over_machine > 0)
        fprintf(stderr, " (%.3g x machine limit)", row->over_machine);
    fprintf(stderr, " %s\n", row->note);
}

// ---- output ----

static void write_json(const Rows *rows, FILE *file)
{
    fprintf(file, "{\n \"pelt\": \"%s\",\n \"threads\": %d,\n \"rows\": [\n", pelt_version(), rows->threads);
    for (int i = 0; i < rows->count; i++) {
        const Row *row = &rows->list[i];
        fprintf(file, "  {\"group\": \"%s\", \"name\": \"%s\", \"value\": ", row->group, row->name);
        fprintf(file, isfinite(row->value) ? "%.6g" : "null", row->value);
        fprintf(file, ", \"unit\": \"%s\", \"wanted\": %.6g, \"paper\": %.6g, \"over_machine\": %.6g, \"note\": \"%s\"}%s\n",
                row->unit, row->wanted, row->paper, row->over_machine, row->note, i + 1 < rows->count ? "," : "");
    }
    fprintf(file, " ]\n}\n");
}

static void write_csv(const Rows *rows, FILE *file)
{
    fprintf(file, "group,name,value,unit,wanted,paper,over_machine,note\n");
    for (int i = 0; i < rows->count; i++) {
        const Row *row = &rows->list[i];
        fprintf(file, "%s,\"%s\",%.6g,%s,%.6g,%.6g,%.6g,\"%s\"\n", row->group, row->name, row->value, row->unit, row->wanted,
                row->paper, row->over_machine, row->note);
    }
}

// ---- comparing two result files ----

typedef struct Old {
    char key[128];
    double value;
} Old;

/// A csv line's group+name and value; false for lines that are none.
static bool read_csv_row(char *line, Old *out)
{
    char group[32], name[80];
    double value;
    if (sscanf(line, "%31[^,],\"%79[^\"]\",%lf", group, name, &value) != 3)
        return false;
    snprintf(out->key, sizeof out->key, "%s %s", group, name);
    out->value = value;
    return true;
}

static int print_difference(const CliCommand *command, const char *before_path, const char *after_path)
{
    static Old before[MOST_ROWS];
    int count = 0;
    char line[1024];
    FILE *files[2] = {fopen(before_path, "r"), fopen(after_path, "r")};
    if (!files[0] || !files[1]) {
        for (int i = 0; i < 2; i++)
            if (files[i])
                fclose(files[i]);
        return cli_fail(command, PELT_IO, "cannot read %s", files[0] ? after_path : before_path);
    }
    while (count < MOST_ROWS && fgets(line, sizeof line, files[0]))
        count += read_csv_row(line, &before[count]);
    while (fgets(line, sizeof line, files[1])) {
        Old now;
        if (!read_csv_row(line, &now))
            continue;
        for (int i = 0; i < count; i++)
            if (!strcmp(before[i].key, now.key))
                printf("%-60s %12.4g -> %-12.4g x%.2f\n", now.key, before[i].value, now.value, now.value / before[i].value);
    }
    fclose(files[0]);
    fclose(files[1]);
    return 0;
}

// ---- the command ----

static int run(const CliCommand *command, int argc, char **argv);

typedef struct Request {
    int json, csv, quick, threads;
    const char *output, *data, *diff;
    CliList groups;
} Request;

static const CliOption options[] = {
    {"json", 0, NULL, "print JSON in place of the table", CLI_TO(CLI_FLAG, Request, json)},
    {"csv", 0, NULL, "print CSV in place of the table", CLI_TO(CLI_FLAG, Request, csv)},
    {"output", 'o', "FILE", "write .json or .csv there too", CLI_TO(CLI_TEXT, Request, output)},
    {"threads", 0, "N", "most threads (default: as many as there are)", CLI_TO(CLI_INT, Request, threads)},
    {"quick", 0, NULL, "fewer repeats", CLI_TO(CLI_FLAG, Request, quick)},
    {"data", 0, "DIR", "real characters to time as well", CLI_TO(CLI_TEXT, Request, data)},
    {"diff", 0, "OLD.csv", "with one more FILE.csv: print what changed between two result files",
     CLI_TO(CLI_TEXT, Request, diff)},
    {"", 0, NULL, "", CLI_TO(CLI_LIST, Request, groups)},
    {0},
};

extern const CliCommand cli_bench;
const CliCommand cli_bench = {
    "bench",
    "[GROUP...] [options]",
    "the benchmark table",
    "Without groups all are run. Each row shows what is wanted beside what was measured, and the machine's own\n"
    "limits are measured in the same run: a row says how many times longer it took than its arithmetic or its memory\n"
    "traffic alone would have to. Rows appear on stderr as they are ready.\n",
    options,
    run,
};

static int save(const CliCommand *command, const Rows *rows, const char *path)
{
    const char *dot = strrchr(path, '.');
    FILE *file = fopen(path, "w");
    if (!file)
        return cli_fail(command, PELT_IO, "cannot write %s", path);
    if (dot && !strcmp(dot, ".csv"))
        write_csv(rows, file);
    else
        write_json(rows, file);
    return fclose(file) ? cli_fail(command, PELT_IO, "cannot write %s", path) : 0;
}

static int run(const CliCommand *command, int argc, char **argv)
{
    static Rows rows;
    PeltError err = {0};
    Request r = {.threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (r.threads < 1)
        return cli_usage(command, "--threads %d: at least 1", r.threads);
    if (r.diff)
        return r.groups.count == 1 ? print_difference(command, r.diff, r.groups.items[0])
                                   : cli_usage(command, "--diff OLD.csv NEW.csv");
    rows = (Rows){.threads = r.threads};
    PeltBenchDef def = pelt_bench_def_default();
    def.groups = r.groups.items, def.group_count = r.groups.count;
    def.threads = r.threads, def.quick = r.quick, def.data = r.data;
    def.row = take_row, def.row_user = &rows;
    if (pelt_bench(&def, &err) != PELT_OK)
        return cli_usage(command, "%s", err.text);
    int code = r.output ? save(command, &rows, r.output) : 0;
    if (r.json)
        write_json(&rows, stdout);
    else if (r.csv)
        write_csv(&rows, stdout);
    return code;
}
