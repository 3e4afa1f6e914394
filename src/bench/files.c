/// Times writing frames into files: the caches as the tools of film take them.
#include "bench/bench.h"
#include "io/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POINTS = 34000, FRAMES = 600 };

typedef struct Take {
    char folder[32], path[64];
    PeltiCharacter *who;
    Vec3 *points, *normals;
} Take;

/// ms to write all frames, by the clock and of the processor (a busy disk or machine tells in the first alone); every frame is
/// another, so that none is left out.
static double write_once(const Take *take, uint64_t *bytes, double *processor_ms)
{
    const char *const paths[1] = {take->path};
    PeltiOutputDef def = {.who = take->who,
                          .frames = {.point_count = take->who->point_count, .frame_count = FRAMES, .fps = 30},
                          .has_normals = true};
    PeltiOutput *output = NULL;
    PeltiOutputReport report = {0};
    PeltError err = {0};
    double start = pelti_clock_ms();
    clock_t used = clock();
    PeltStatus status = pelti_output_open(&def, paths, 1, &output, &err);
    for (int f = 0; status == PELT_OK && f < FRAMES; f++) {
        take->points[f].y += 1e-3f;
        take->normals[f].y += 1e-3f;
        status = pelti_output_frame(output, take->points, take->normals, NULL, &err);
    }
    if (status == PELT_OK)
        status = pelti_output_commit(output, NULL, &report, &err);
    double took = pelti_clock_ms() - start;
    *processor_ms = fmin(*processor_ms, (double)(clock() - used) * 1e3 / CLOCKS_PER_SEC);
    pelti_output_destroy(output);
    unlink(take->path);
    *bytes = report.bytes;
    if (status != PELT_OK)
        fprintf(stderr, "bench: %s\n", err.text);
    return status == PELT_OK ? took : INFINITY;
}

static void time_kind(PeltiBench *bench, Take *take, const char *extension, double limit)
{
    char name[80];
    double best = INFINITY, processor_ms = INFINITY;
    uint64_t bytes = 0;
    snprintf(name, sizeof name, "write .%s, %d frames of %dk points", extension, FRAMES, POINTS / 1000);
    snprintf(take->path, sizeof take->path, "%s/a.%s", take->folder, extension);
    for (int r = 0; r < (pelti_bench_quick(bench) ? 2 : 4); r++)
        best = fmin(best, write_once(take, &bytes, &processor_ms));
    if (!isfinite(best)) {
        pelti_bench_skip(bench, name, "no room for a temporary file");
        return;
    }
    pelti_bench_row(bench, name, (PeltiBenchFigure){.value = (double)bytes * 1e-3 / best, .unit = "MB/s", .limit = limit},
                    "%.0f MB in %.0f ms, %.0f ms of the processor", (double)bytes * 1e-6, best, processor_ms);
    pelti_bench_bound(bench, best, 1, 0, 2.0 * (double)bytes); // read once, written once
}

void pelti_bench_files(PeltiBench *bench)
{
    Take take = {.folder = "/tmp/pelt-bench-XXXXXX", .who = pelti_bench_tube(POINTS, 4)};
    if (take.who && mkdtemp(take.folder)) {
        size_t bytes = (size_t)take.who->point_count * sizeof(Vec3);
        take.points = malloc(bytes);
        take.normals = malloc(bytes);
        if (take.points && take.normals) {
            memcpy(take.points, take.who->rest_points, bytes);
            memcpy(take.normals, take.who->rest_points, bytes);
            time_kind(bench, &take, "abc", 400);
            time_kind(bench, &take, "pc2", 0);
        }
        rmdir(take.folder);
    }
    free(take.points);
    free(take.normals);
    pelti_character_destroy(take.who);
}
