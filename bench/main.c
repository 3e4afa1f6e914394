/// `pelt bench`: groups of rows, each with the machine's limit and the paper's value beside it, printed and kept as CSV.
#include "bench.h"
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bench_foundation(Bench *bench);
void bench_see(Bench *bench);
void bench_contact(Bench *bench);
void bench_projective(Bench *bench);
void bench_layered(Bench *bench);
void bench_layered_steps(Bench *bench);
void bench_tracking(Bench *bench);

const BenchGroup bench_groups[] = {
    {"foundation", "lbs, dqs, reading, automatic weights", bench_foundation},
    {"see", "built-in characters, measures, pictures", bench_see},
    {"tracking", "implicit skin: Table 1 of the paper, field evaluations, solvers", bench_tracking},
    {"contact", "friction contact that bends the skeleton", bench_contact},
    {"projective", "elastic tissue on volumetric bones", bench_projective},
    {"layered", "four layers of oriented particles", bench_layered},
    {"layered-steps", "layered: time step against iterations, cost of a second of the arm's bend", bench_layered_steps},
    {0},
};

typedef struct Row {
    char group[24], name[72], unit[16], note[240];
    double value, limit;
    double paper;        // 0: none
    double over_machine; // measured time / least time at the calibrated peaks; 0: not said
} Row;

enum { MOST_ROWS = 1024 };
struct Bench {
    int threads, quick, row_count, shown_count;
    const char *data, *group;
    double fma_gflops, memory_gbs;
    Row rows[MOST_ROWS];
};

int bench_threads(const Bench *bench)
{
    return bench->threads;
}

int bench_quick(const Bench *bench)
{
    return bench->quick;
}

const char *bench_data(const Bench *bench)
{
    return bench->data;
}

double bench_fma_gflops(const Bench *bench)
{
    return bench->fma_gflops;
}

double bench_memory_gbs(const Bench *bench)
{
    return bench->memory_gbs;
}

static void print_row(const Row *row)
{
    fprintf(stderr, "%-11s %-46s %12.4g %-8s", row->group, row->name, row->value, row->unit);
    if (row->limit > 0)
        fprintf(stderr, " (wanted %.4g)", row->limit);
    if (row->paper > 0)
        fprintf(stderr, " (paper %.4g)", row->paper);
    if (row->over_machine > 0)
        fprintf(stderr, " (%.3g x machine limit)", row->over_machine);
    fprintf(stderr, " %s\n", row->note);
}

/// The last row is complete: nothing more will be said of it.
static void show_last(Bench *bench)
{
    if (bench->shown_count < bench->row_count)
        print_row(&bench->rows[bench->row_count - 1]);
    bench->shown_count = bench->row_count;
}

void bench_row(Bench *bench, const char *name, double value, const char *unit, double limit, const char *format, ...)
{
    show_last(bench);
    if (bench->row_count == MOST_ROWS)
        return;
    Row *row = &bench->rows[bench->row_count++];
    *row = (Row){.value = value, .limit = limit};
    snprintf(row->group, sizeof row->group, "%s", bench->group);
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    va_list args;
    va_start(args, format);
    vsnprintf(row->note, sizeof row->note, format, args);
    va_end(args);
}

void bench_paper(Bench *bench, double value)
{
    if (bench->row_count > 0)
        bench->rows[bench->row_count - 1].paper = value;
}

void bench_bound(Bench *bench, double ms, int threads, double flops, double bytes)
{
    double arithmetic = flops / (bench->fma_gflops * 1e6 * threads), traffic = bytes / (bench->memory_gbs * 1e6);
    double least = fmax(arithmetic, traffic); // ms
    if (bench->row_count > 0 && least > 0)
        bench->rows[bench->row_count - 1].over_machine = ms / least;
}

void bench_skip(Bench *bench, const char *name, const char *why)
{
    bench_row(bench, name, NAN, "-", 0, "skipped: %s", why);
}

double bench_best_ms(void (*fn)(void *context), void *context, int repeats, int inner)
{
    double best = INFINITY;
    fn(context);
    for (int r = 0; r < repeats; r++) {
        double start = pelti_clock_ms();
        for (int i = 0; i < inner; i++)
            fn(context);
        best = fmin(best, (pelti_clock_ms() - start) / inner);
    }
    return best;
}

/// Peak of what a kernel can do here: eight independent chains of eight-wide multiply-adds.
typedef float Wide __attribute__((vector_size(32)));
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
static void
spin_fma(void *context)
{
    float *out = context;
    float unit = out[0]; // 1, but not to the compiler
    Wide one = {unit, unit, unit, unit, unit, unit, unit, unit}, b = one * 1e-9f;
    Wide s0 = one, s1 = one * 2, s2 = one * 3, s3 = one * 4, s4 = one * 5, s5 = one * 6, s6 = one * 7, s7 = one * 8;
    for (int i = 0; i < 100000; i++) {
        s0 = s0 * one + b;
        s1 = s1 * one + b;
        s2 = s2 * one + b;
        s3 = s3 * one + b;
        s4 = s4 * one + b;
        s5 = s5 * one + b;
        s6 = s6 * one + b;
        s7 = s7 * one + b;
    }
    Wide sum = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    for (int k = 0; k < 8; k++)
        out[k] = k ? sum[k] : 1;
}

static void copy_block(void *context)
{
    char *block = context;
    memcpy(block, block + (32 << 20), 32 << 20);
}

static void calibrate(Bench *bench)
{
    float out[8] = {1};
    char *block = malloc(64 << 20);
    double ms = bench_best_ms(spin_fma, out, 20, 1);
    bench->fma_gflops = 100000.0 * 8 * 8 * 2 / (ms * 1e6);
    bench->group = "machine";
    bench_row(bench, "fused multiply-add peak, one thread", bench->fma_gflops, "Gflop/s", 0, "%s", "");
    if (!block)
        return;
    memset(block, 1, 64 << 20);
    bench->memory_gbs = 2 * (32 << 20) / (bench_best_ms(copy_block, block, 10, 1) * 1e6);
    bench_row(bench, "memory bandwidth, one thread", bench->memory_gbs, "GB/s", 0, "%s", "copy of 32 MB, read + write");
    free(block);
}

// ---- output ----

static void write_json(const Bench *bench, FILE *file)
{
    fprintf(file, "{\n \"pelt\": \"%s\",\n \"threads\": %d,\n \"rows\": [\n", pelt_version(), bench->threads);
    for (int i = 0; i < bench->row_count; i++) {
        const Row *row = &bench->rows[i];
        fprintf(file, "  {\"group\": \"%s\", \"name\": \"%s\", \"value\": ", row->group, row->name);
        fprintf(file, isfinite(row->value) ? "%.6g" : "null", row->value);
        fprintf(file, ", \"unit\": \"%s\", \"wanted\": %.6g, \"paper\": %.6g, \"over_machine\": %.6g, \"note\": \"%s\"}%s\n",
                row->unit, row->limit, row->paper, row->over_machine, row->note, i + 1 < bench->row_count ? "," : "");
    }
    fprintf(file, " ]\n}\n");
}

static void write_csv(const Bench *bench, FILE *file)
{
    fprintf(file, "group,name,value,unit,wanted,paper,over_machine,note\n");
    for (int i = 0; i < bench->row_count; i++) {
        const Row *row = &bench->rows[i];
        fprintf(file, "%s,\"%s\",%.6g,%s,%.6g,%.6g,%.6g,\"%s\"\n", row->group, row->name, row->value, row->unit, row->limit,
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

static bool wanted(const char *name, const char *const *groups, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(groups[i], name))
            return true;
    return count == 0;
}

static bool is_group(const char *name)
{
    for (const BenchGroup *group = bench_groups; group->name; group++)
        if (!strcmp(group->name, name))
            return true;
    return false;
}

static int save(const CliCommand *command, const Bench *bench, const char *path)
{
    const char *dot = strrchr(path, '.');
    FILE *file = fopen(path, "w");
    if (!file)
        return cli_fail(command, PELT_IO, "cannot write %s", path);
    if (dot && !strcmp(dot, ".csv"))
        write_csv(bench, file);
    else
        write_json(bench, file);
    return fclose(file) ? cli_fail(command, PELT_IO, "cannot write %s", path) : 0;
}

static int run(const CliCommand *command, int argc, char **argv)
{
    static Bench bench;
    Request r = {.threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (r.threads < 1)
        return cli_usage(command, "--threads %d: at least 1", r.threads);
    if (r.diff)
        return r.groups.count == 1 ? print_difference(command, r.diff, r.groups.items[0])
                                   : cli_usage(command, "--diff OLD.csv NEW.csv");
    for (int i = 0; i < r.groups.count; i++)
        if (!is_group(r.groups.items[i]))
            return cli_usage(command, "there is no group '%s'", r.groups.items[i]);
    bench = (Bench){.threads = r.threads, .quick = r.quick, .data = r.data};
    calibrate(&bench);
    for (const BenchGroup *group = bench_groups; group->name; group++)
        if (wanted(group->name, r.groups.items, r.groups.count)) {
            bench.group = group->name;
            group->run(&bench);
            show_last(&bench);
        }
    int code = r.output ? save(command, &bench, r.output) : 0;
    if (r.json)
        write_json(&bench, stdout);
    else if (r.csv)
        write_csv(&bench, stdout);
    return code;
}
