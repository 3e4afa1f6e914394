#include "math/eigen.h"
#include "math/dense.h"

#include <cblas.h>
#include <lapacke.h>

#include <math.h>

static void point_up(int n, double *vector)
{
    int largest = 0;
    for (int i = 1; i < n; i++)
        if (fabs(vector[i]) > fabs(vector[largest]) * (1 + 1e-9)) // equal up to rounding: the first
            largest = i;
    if (vector[largest] < 0)
        for (int i = 0; i < n; i++)
            vector[i] = -vector[i];
}

static void swap(double *a, double *b, int count)
{
    for (int i = 0; i < count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

PeltStatus pelti_eigen_symmetric(const PeltAllocator *allocator, int n, double *a, double *values, PeltError *err)
{
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        if (!isfinite(a[i]))
            return PELT_FAIL(err, PELT_FAILED, "eigenvectors of a matrix that is not finite");
    pelti_dense_one_thread();
    lapack_int work_count = -1, integer_count = -1, integer_best;
    double best;
    // Column-major LAPACK sees the transpose, which is the same matrix, and leaves vectors in columns: our rows.
    lapack_int info =
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, &best, work_count, &integer_best, integer_count);
    if (info != 0)
        return PELT_FAIL(err, PELT_FAILED, "eigenvectors: LAPACK answers %d", (int)info);
    work_count = (lapack_int)best;
    integer_count = integer_best;
    size_t bytes = (size_t)work_count * sizeof(double) + (size_t)integer_count * sizeof(lapack_int);
    double *work = pelti_alloc(allocator, bytes);
    if (!work)
        return pelti_no_memory(err, bytes);
    info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, work, work_count, (lapack_int *)(work + work_count),
                               integer_count);
    pelti_free(allocator, work, bytes);
    if (info != 0)
        return PELT_FAIL(err, PELT_FAILED, "eigenvectors did not converge (%d)", (int)info);
    for (int i = 0; i < n / 2; i++) {
        swap(values + i, values + n - 1 - i, 1);
        swap(a + (size_t)i * (size_t)n, a + (size_t)(n - 1 - i) * (size_t)n, n);
    }
    for (int i = 0; i < n; i++)
        point_up(n, a + (size_t)i * (size_t)n);
    return PELT_OK;
}

void pelti_dense_add_products(int rows, int others, int columns, const double *a, const double *b, double *out)
{
    pelti_dense_one_thread();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, others, columns, 1.0, a, columns, b, columns, 1.0, out, others);
}
