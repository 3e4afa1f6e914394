/// Dense solves (LAPACK), one thread each: parallelise over systems. Safe to call from several threads.
#ifndef PELTI_MATH_DENSE_H
#define PELTI_MATH_DENSE_H

#include "core/memory.h"

/// A X = B with A symmetric, maybe indefinite (Bunch-Kaufman). `a` [n x n] both triangles or the upper one by rows (the
/// lower by columns); destroyed. `b` [rhs_count x n], each right-hand side contiguous, becomes X. `rcond` (may be NULL):
/// estimate of 1 / (|A| |A^-1|); 1e-16 is singular to rounding. Singular or non-finite: PELT_FAILED, b undefined.
PeltStatus pelti_dense_solve_symmetric(const PeltAllocator *allocator, int n, double *a, int rhs_count, double *b, double *rcond,
                                       PeltError *err);

/// The same for a general A, by rows (LU with partial pivoting).
PeltStatus pelti_dense_solve_general(const PeltAllocator *allocator, int n, double *a, int rhs_count, double *b, double *rcond,
                                     PeltError *err);

/// Keeps the BLAS library to the caller's thread; everything in math that calls it does this first.
void pelti_dense_one_thread(void);

#endif
