/// Eigenvectors of dense symmetric matrices, and the products that make them; one thread.
#ifndef PELTI_MATH_EIGEN_H
#define PELTI_MATH_EIGEN_H

#include "core/memory.h"

/// A = V diag(values) V^T. `a` [n x n] symmetric, becomes the eigenvectors, one a row; `values` [n], largest first. The
/// component of largest size of each vector is positive (the first such), so equal input gives equal output.
PeltStatus pelti_eigen_symmetric(const PeltAllocator *allocator, int n, double *a, double *values, PeltError *err);

/// out[i][j] += sum_k a[i][k] b[j][k]; a [rows x columns], b [others x columns], out [rows x others].
void pelti_dense_add_products(int rows, int others, int columns, const double *a, const double *b, double *out);

#endif
