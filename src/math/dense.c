#include "math/dense.h"

#include <lapacke.h>
#include <math.h>
#include <pthread.h>

// The BLAS flavour is chosen at run time by the system: the threaded ones would fight with our own threads.
extern void openblas_set_num_threads(int threads) __attribute__((weak));
static pthread_once_t blas_once = PTHREAD_ONCE_INIT;
static void one_blas_thread(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
}

void pelti_dense_one_thread(void)
{
    pthread_once(&blas_once, one_blas_thread);
}

static bool all_finite(const double *v, size_t count)
{
    double sum = 0; // NaN and infinity survive a product with zero
    for (size_t i = 0; i < count; i++)
        sum += v[i] * 0.0;
    return sum == 0;
}

/// Largest column sum; of the upper triangle by rows when symmetric.
static double norm_one(const double *a, int n, bool symmetric)
{
    double most = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += fabs(symmetric && i > j ? a[(size_t)j * n + i] : a[(size_t)i * n + j]);
        most = sum > most ? sum : most;
    }
    return most;
}

typedef struct Work {
    double *values;
    lapack_int *pivots, *integers;
    lapack_int value_count;
    size_t bytes;
    void *block;
} Work;

static PeltStatus take_work(const PeltAllocator *allocator, int n, int value_count, Work *w, PeltError *err)
{
    w->value_count = value_count > 4 * n ? value_count : 4 * n;
    w->bytes = (size_t)w->value_count * sizeof(double) + 2 * (size_t)n * sizeof(lapack_int);
    w->block = pelti_alloc(allocator, w->bytes);
    if (!w->block)
        return pelti_no_memory(err, w->bytes);
    w->values = w->block;
    w->pivots = (lapack_int *)(w->values + w->value_count);
    w->integers = w->pivots + n;
    return PELT_OK;
}

static PeltStatus check_result(int info, int n, const double *b, int rhs_count, PeltError *err)
{
    if (info != 0)
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the matrix is singular (pivot %d)", n, info);
    if (!all_finite(b, (size_t)n * (size_t)rhs_count))
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the solution is not finite", n);
    return PELT_OK;
}

PeltStatus pelti_dense_solve_symmetric(const PeltAllocator *allocator, int n, double *a, int rhs_count, double *b, double *rcond,
                                       PeltError *err)
{
    if (n <= 0 || rhs_count <= 0)
        return PELT_OK;
    pelti_dense_one_thread();
    if (!all_finite(b, (size_t)n * (size_t)rhs_count))
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the right-hand side is not finite", n);
    double norm = norm_one(a, n, true);
    if (!isfinite(norm))
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the matrix is not finite", n);
    double best = 0;
    LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, a, n, NULL, &best, -1);
    Work w;
    PELT_TRY(take_work(allocator, n, (int)best, &w, err));
    int info = LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, a, n, w.pivots, w.values, w.value_count);
    if (info == 0) {
        info = LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, rhs_count, a, n, w.pivots, b, n);
        if (rcond)
            LAPACKE_dsycon_work(LAPACK_COL_MAJOR, 'L', n, a, n, w.pivots, norm, rcond, w.values, w.integers);
    }
    pelti_free(allocator, w.block, w.bytes);
    return check_result(info, n, b, rhs_count, err);
}

PeltStatus pelti_dense_solve_general(const PeltAllocator *allocator, int n, double *a, int rhs_count, double *b, double *rcond,
                                     PeltError *err)
{
    if (n <= 0 || rhs_count <= 0)
        return PELT_OK;
    pelti_dense_one_thread();
    if (!all_finite(b, (size_t)n * (size_t)rhs_count))
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the right-hand side is not finite", n);
    double norm = norm_one(a, n, false);
    if (!isfinite(norm))
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the matrix is not finite", n);
    Work w;
    PELT_TRY(take_work(allocator, n, 4 * n, &w, err));
    // LAPACK reads our rows as columns: it factors A^T, and 'T' solves with its transpose
    int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, w.pivots);
    if (info == 0) {
        info = LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, rhs_count, a, n, w.pivots, b, n);
        if (rcond) // |A|_1 = |A^T|_inf
            LAPACKE_dgecon_work(LAPACK_COL_MAJOR, 'I', n, a, n, norm, rcond, w.values, w.integers);
    }
    pelti_free(allocator, w.block, w.bytes);
    return check_result(info, n, b, rhs_count, err);
}
