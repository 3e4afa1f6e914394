/// `pelt bench`: timings beside the figures they are to be compared with. A group is one function that adds rows; first runs
/// are untimed, the best of several counts, and quality rides in the same row as time.
#ifndef PELT_BENCH_H
#define PELT_BENCH_H

#include "character/character.h"
#include "core/clock.h"

#include <pelt/tools.h>

typedef struct Bench Bench;

/// One row. `limit`: what an issue or a paper gives for the same thing (0: none); `note`: quality, sizes, what else to know.
void bench_row(Bench *bench, const char *name, double value, const char *unit, double limit, const char *format, ...)
    PELT_PRINTF(6, 7);
/// What a paper or another program gives for the last row's value, in the row's unit.
void bench_paper(Bench *bench, double value);
/// What the machine allows for the last row: `flops` and `bytes` are the arithmetic and the memory traffic that the work cannot
/// do without, `ms` what it took on `threads`. The row then shows how many times the calibrated limit it took.
void bench_bound(Bench *bench, double ms, int threads, double flops, double bytes);
/// A row that could not be run, and why.
void bench_skip(Bench *bench, const char *name, const char *why);
int bench_threads(const Bench *bench);       ///< most threads to use (--threads)
int bench_quick(const Bench *bench);         ///< 1: fewer repeats, for a look
const char *bench_data(const Bench *bench);  ///< folder of real characters (--data); NULL: none
double bench_fma_gflops(const Bench *bench); ///< calibration of this run, one thread
double bench_memory_gbs(const Bench *bench); ///< calibration of this run, one thread

/// Best time in ms of `repeats` runs of fn(context), each of `inner` calls, after one untimed call.
double bench_best_ms(void (*fn)(void *context), void *context, int repeats, int inner);

/// A tube of about `vertices` vertices in a chain of `bones`, four influences a vertex: for kernels that need no shape.
PeltiCharacter *bench_tube(int vertices, int bones);

typedef struct BenchGroup {
    const char *name, *what;
    void (*run)(Bench *bench);
} BenchGroup;
extern const BenchGroup bench_groups[]; ///< ends with name == NULL; in bench/main.c

#endif
