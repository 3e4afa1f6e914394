/// `pelt_bench`: timings beside the figures they are to be compared with. A group is one function that adds rows; first runs
/// are untimed, the best of several counts, and quality rides in the same row as time.
#ifndef PELTI_BENCH_BENCH_H
#define PELTI_BENCH_BENCH_H

#include "character/character.h"
#include "core/clock.h"

#include <pelt/tools.h>

typedef struct PeltiBench PeltiBench;

/// What a row shows.
typedef struct PeltiBenchFigure {
    double value;
    const char *unit;
    double limit; ///< what an issue or a paper gives for the same thing; 0: none
} PeltiBenchFigure;

/// One row. `format`: a note of quality, sizes, what else to know.
void pelti_bench_row(PeltiBench *bench, const char *name, PeltiBenchFigure figure, const char *format, ...) PELT_PRINTF(4, 5);
/// What a paper or another program gives for the last row's value, in the row's unit.
void pelti_bench_paper(PeltiBench *bench, double value);
/// A share of the last row's value: where it goes.
void pelti_bench_part(PeltiBench *bench, const char *name, double value);
/// What the machine allows for the last row: `flops` and `bytes` are the arithmetic and the memory traffic that the work cannot
/// do without, `ms` what it took on `threads`. The row then shows how many times the calibrated limit it took.
void pelti_bench_bound(PeltiBench *bench, double ms, int threads, double flops, double bytes);
/// A row that could not be run, and why.
void pelti_bench_skip(PeltiBench *bench, const char *name, const char *why);
/// Whether a row of this name is asked for (--only): what takes long asks before it runs. Other rows are never told.
bool pelti_bench_wants(const PeltiBench *bench, const char *format, ...) PELT_PRINTF(2, 3);
int pelti_bench_threads(const PeltiBench *bench);      ///< most threads to use (--threads)
int pelti_bench_quick(const PeltiBench *bench);        ///< 1: fewer repeats, for a look
const char *pelti_bench_data(const PeltiBench *bench); ///< folder of real characters (--data); NULL: none

/// Best time in ms of `repeats` runs of fn(context), each of `inner` calls, after one untimed call.
double pelti_bench_best_ms(void (*fn)(void *context), void *context, int repeats, int inner);

/// Arithmetic an evaluation of one field cannot do without: into its grid, value and gradient from eight nodes, back to the
/// world.
enum { PELTI_BENCH_FIELD_FLOPS = 18 + 12 + 4 * 8 * 2 + 15 };

/// A tube of about `vertices` vertices in a chain of `bones`, four influences a vertex: for kernels that need no shape.
PeltiCharacter *pelti_bench_tube(int vertices, int bones);

/// Measures what the machine can do at most and keeps it for pelti_bench_bound.
void pelti_bench_calibrate(PeltiBench *bench);
void pelti_bench_set_machine(PeltiBench *bench, double fma_gflops, double memory_gbs);

// the groups
void pelti_bench_foundation(PeltiBench *bench);
void pelti_bench_files(PeltiBench *bench);
void pelti_bench_see(PeltiBench *bench);
void pelti_bench_rays(PeltiBench *bench);
void pelti_bench_contact(PeltiBench *bench);
void pelti_bench_projective(PeltiBench *bench);
void pelti_bench_layered(PeltiBench *bench);
void pelti_bench_layered_steps(PeltiBench *bench);
void pelti_bench_field(PeltiBench *bench);
void pelti_bench_frames(PeltiBench *bench);
void pelti_bench_tracking(PeltiBench *bench);

#endif
