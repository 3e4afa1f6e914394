/// Dense symmetric solves, one thread each: parallelise over systems. Safe to call from several threads. Our own and not
/// LAPACK's, whose kernels are chosen by the processor it runs on and round differently from one make to the next.
#ifndef PELTI_MATH_DENSE_H
#define PELTI_MATH_DENSE_H

#include "core/memory.h"

/// A X = B with A symmetric, maybe indefinite (Bunch-Kaufman). `a` [n x n] both triangles or the upper one by rows (the
/// lower by columns); destroyed. `b` [rhs_count x n], each right-hand side contiguous, becomes X. `rcond` (may be NULL):
/// estimate of 1 / (|A| |A^-1|); 1e-16 is singular to rounding. Singular or non-finite: PELT_FAILED, b undefined.
PeltStatus pelti_dense_solve_symmetric(const PeltAllocator *allocator, int n, double *a, int rhs_count, double *b, double *rcond,
                                       PeltError *err);

#endif
