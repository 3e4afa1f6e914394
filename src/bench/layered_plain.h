/// Shape matching with sums taken particle by particle: what fast summation replaces, for the cost table over omega.
#ifndef PELT_BENCH_LAYERED_PLAIN_H
#define PELT_BENCH_LAYERED_PLAIN_H

#include "methods/layered/match.h"

typedef struct BenchPlain {
    PeltiLayeredMatch *match;    ///< positions, constants and rotations are its own
    int *member_start;           ///< [slot_count + 1]
    int *members;                ///< slots of each region
    double *terms;               ///< [slot][12][4] m x and A_i + m x x0^T
    float *goals;                ///< [slot][12][4] t and R
    double *centre, *centre_now; ///< [slot][3][4] of regions, at rest and now
} BenchPlain;

bool pelti_bench_plain_build(PeltiPool *pool, PeltiLayeredMatch *match, BenchPlain *out);
/// One iteration on one thread: the same result as pelti_layered_match_iterate, up to rounding.
void pelti_bench_plain_iterate(BenchPlain *plain);

#endif
