/// Runs groups of rows and tells each row when nothing more will be said of it.
#include "bench/bench.h"

#include <pelt/bench.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct BenchGroup {
    const char *name, *what;
    void (*run)(PeltiBench *bench);
} BenchGroup;

static const BenchGroup groups[] = {
    {"foundation", "lbs, dqs, reading, automatic weights", pelti_bench_foundation},
    {"files", "frames into files", pelti_bench_files},
    {"see", "built-in characters, measures, pictures", pelti_bench_see},
    {"rays", "the box tree's rays beside Embree's", pelti_bench_rays},
    {"frames", "where a frame's time goes, method by method", pelti_bench_frames},
    {"field", "composed fields: one evaluation", pelti_bench_field},
    {"tracking", "implicit skin: Table 1 of the paper, solvers", pelti_bench_tracking},
    {"contact", "friction contact that bends the skeleton", pelti_bench_contact},
    {"projective", "elastic tissue on volumetric bones", pelti_bench_projective},
    {"layered", "four layers of oriented particles", pelti_bench_layered},
    {"layered-steps", "layered: time step against iterations, cost of a second of the arm's bend", pelti_bench_layered_steps},
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups, BENCH_GUARD = 0x62656e63 };

struct PeltiBench {
    const PeltBenchDef *def;
    int threads;
    double fma_gflops, memory_gbs;
    bool open;        ///< `row` may still be added to
    PeltBenchRow row; ///< the last
    char name[72], unit[16], note[240], parts[240];
};

int pelti_bench_threads(const PeltiBench *bench)
{
    return bench->threads;
}

int pelti_bench_quick(const PeltiBench *bench)
{
    return bench->def->quick;
}

const char *pelti_bench_data(const PeltiBench *bench)
{
    return bench->def->data;
}

void pelti_bench_set_machine(PeltiBench *bench, double fma_gflops, double memory_gbs)
{
    bench->fma_gflops = fma_gflops;
    bench->memory_gbs = memory_gbs;
}

static bool asked_for(const PeltBenchDef *def, const char *name)
{
    for (int i = 0; i < def->only_count; i++)
        if (strstr(name, def->only[i]))
            return true;
    return def->only_count == 0;
}

bool pelti_bench_wants(const PeltiBench *bench, const char *format, ...)
{
    char name[sizeof bench->name];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return asked_for(bench->def, name);
}

/// The last row is complete.
static void tell_last(PeltiBench *bench)
{
    bool machine = bench->row.group && !strcmp(bench->row.group, "machine"); // figures say nothing without it
    if (bench->open && bench->def->row && (machine || asked_for(bench->def, bench->name)))
        bench->def->row(&bench->row, bench->def->row_user);
    bench->open = false;
}

void pelti_bench_row(PeltiBench *bench, const char *name, PeltiBenchFigure figure, const char *format, ...)
{
    tell_last(bench);
    bench->open = true;
    bench->parts[0] = 0;
    snprintf(bench->name, sizeof bench->name, "%s", name);
    snprintf(bench->unit, sizeof bench->unit, "%s", figure.unit);
    va_list args;
    va_start(args, format);
    vsnprintf(bench->note, sizeof bench->note, format, args);
    va_end(args);
    bench->row = (PeltBenchRow){.group = bench->row.group,
                                .name = bench->name,
                                .unit = bench->unit,
                                .note = bench->note,
                                .value = figure.value,
                                .wanted = figure.limit};
}

void pelti_bench_part(PeltiBench *bench, const char *name, double value)
{
    size_t used = strlen(bench->parts);
    snprintf(bench->parts + used, sizeof bench->parts - used, "%s%s %.3g", used ? ", " : "", name, value);
    bench->row.parts = bench->parts;
}

void pelti_bench_paper(PeltiBench *bench, double value)
{
    bench->row.paper = value;
}

void pelti_bench_bound(PeltiBench *bench, double ms, int threads, double flops, double bytes)
{
    double arithmetic = flops / (bench->fma_gflops * 1e6 * threads), traffic = bytes / (bench->memory_gbs * 1e6);
    double least = fmax(arithmetic, traffic); // ms
    if (least > 0)
        bench->row.over_machine = ms / least;
}

void pelti_bench_skip(PeltiBench *bench, const char *name, const char *why)
{
    pelti_bench_row(bench, name, (PeltiBenchFigure){.value = NAN, .unit = "-"}, "skipped: %s", why);
}

double pelti_bench_best_ms(void (*fn)(void *context), void *context, int repeats, int inner)
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

// ---- the API ----

int pelt_bench_group_count(void)
{
    return GROUP_COUNT;
}

const char *pelt_bench_group_name(int group)
{
    return group >= 0 && group < GROUP_COUNT ? groups[group].name : NULL;
}

const char *pelt_bench_group_about(int group)
{
    return group >= 0 && group < GROUP_COUNT ? groups[group].what : NULL;
}

PeltBenchDef pelt_bench_def_default(void)
{
    return (PeltBenchDef){.guard = BENCH_GUARD};
}

static bool wanted(const PeltBenchDef *def, const char *name)
{
    for (int i = 0; i < def->group_count; i++)
        if (!strcmp(def->groups[i], name))
            return true;
    return def->group_count == 0;
}

static PeltStatus check_groups(const PeltBenchDef *def, PeltError *err)
{
    for (int i = 0; i < def->group_count; i++) {
        bool known = false;
        for (int g = 0; g < GROUP_COUNT; g++)
            known = known || !strcmp(def->groups[i], groups[g].name);
        if (!known)
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no group '%s'", def->groups[i]);
    }
    return PELT_OK;
}

PeltStatus pelt_bench(const PeltBenchDef *def, PeltError *err)
{
    PELT_ASSERT(def->guard == BENCH_GUARD); // start from pelt_bench_def_default
    PELT_TRY(check_groups(def, err));
    PeltiBench bench = {.def = def, .threads = def->threads > 0 ? def->threads : (int)sysconf(_SC_NPROCESSORS_ONLN)};
    for (int run = 0; run < (def->runs > 1 ? def->runs : 1); run++) {
        bench.row.group = "machine";
        pelti_bench_calibrate(&bench);
        for (int g = 0; g < GROUP_COUNT; g++)
            if (wanted(def, groups[g].name)) {
                tell_last(&bench);
                bench.row.group = groups[g].name;
                groups[g].run(&bench);
            }
        tell_last(&bench);
    }
    return PELT_OK;
}
