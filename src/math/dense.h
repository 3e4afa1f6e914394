/// Dense symmetric solves, one thread each: parallelise over systems. Safe to call from several threads. Our own and not
/// LAPACK's, whose kernels are chosen by the processor it runs on and round differently from one make to the next.
#ifndef PELTI_MATH_DENSE_H
#define PELTI_MATH_DENSE_H

#include "core/memory.h"

typedef struct PeltiDenseSystem {
    int n;         ///< unknowns
    double *a;     ///< [n x n] both triangles or the upper one by rows (the lower by columns); destroyed
    int rhs_count; ///< right-hand sides
    double *b;     ///< [rhs_count x n], each right-hand side contiguous; becomes X
} PeltiDenseSystem;

/// A X = B with A symmetric, maybe indefinite (Bunch-Kaufman). `rcond` (may be NULL): estimate of 1 / (|A| |A^-1|); 1e-16 is
/// singular to rounding. Singular or non-finite: PELT_FAILED, b undefined.
PeltStatus pelti_dense_solve_symmetric(const PeltAllocator *allocator, const PeltiDenseSystem *system, double *rcond,
                                       PeltError *err);

#endif
