/// Factors and solves dense symmetric systems: P A P^T = L D L^T with pivots of one or two rows [Bunch1977].
/// It goes in panels of PANEL columns. Within a panel a column is brought up to date when its turn comes, the columns after it
/// once, at its end.
#include "math/dense.h"
#include "math/wide.h"

#include <math.h>

enum { PANEL = 32, ROW = PANEL + 1 }; // a pivot of two may end one column beyond a panel

typedef struct Factor {
    int n;
    double *a;          ///< [n x n] by columns, lower triangle: D on its diagonal blocks, L below them
    double *w;          ///< [n x ROW] by rows: L D of the panel's columns
    double *column[2];  ///< [n] the column at work and the one it may be exchanged with
    double *x, *y;      ///< [n]
    int *order, *pivot; ///< [n] row of A in each place; size of the pivot that begins there, 0 within one
    void *block;
    size_t bytes;
} Factor;

static double *entry(const Factor *f, int row, int column)
{
    return f->a + (size_t)column * (size_t)f->n + row;
}

static bool all_finite(const double *v, size_t count)
{
    double sum = 0; // NaN and infinity survive a product with zero
    for (size_t i = 0; i < count; i++)
        sum += v[i] * 0.0;
    return sum == 0;
}

/// Largest column sum of the symmetric matrix whose lower triangle by columns is given; `sums` [n] is scratch.
static double norm_one(const double *a, int n, double *sums)
{
    double most = 0;
    for (int j = 0; j < n; j++)
        sums[j] = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double size = fabs(a[(size_t)j * (size_t)n + (size_t)i]);
            sums[j] += size;
            sums[i] += i > j ? size : 0;
        }
    for (int j = 0; j < n; j++)
        most = sums[j] > most || isnan(sums[j]) ? sums[j] : most;
    return most;
}

/// out[i] -= sum_p l[p stride + i] c[p]
PELTI_CLONES static void subtract(int count, int columns, size_t stride, const double *restrict l, const double *restrict c,
                                  double *restrict out)
{
    int p = 0;
    for (; p + 4 <= columns; p += 4) {
        const double *restrict l0 = l + (size_t)p * stride, *restrict l1 = l0 + stride, *restrict l2 = l1 + stride;
        const double *restrict l3 = l2 + stride;
        double c0 = c[p], c1 = c[p + 1], c2 = c[p + 2], c3 = c[p + 3];
        for (int i = 0; i < count; i++)
            out[i] -= (l0[i] * c0 + l1[i] * c1) + (l2[i] * c2 + l3[i] * c3);
    }
    for (; p < columns; p++)
        for (int i = 0; i < count; i++)
            out[i] -= l[(size_t)p * stride + (size_t)i] * c[p];
}

/// Column `j` of what is left of A, from row `k` on, brought up to date with the panel's columns from `first` to k.
static void take_column(const Factor *f, int first, int k, int j, double *out)
{
    for (int i = k; i < j; i++)
        out[i] = *entry(f, j, i);
    for (int i = j; i < f->n; i++)
        out[i] = *entry(f, i, j);
    subtract(f->n - k, k - first, (size_t)f->n, entry(f, k, first), f->w + (size_t)j * ROW, out + k);
}

static int largest_but(const double *v, int from, int to, int not )
{
    int best = -1;
    for (int i = from; i < to; i++)
        if (i != not &&(best < 0 || fabs(v[i]) > fabs(v[best])))
            best = i;
    return best;
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/// Exchanges rows and columns `at` and `with` > at: of L whole, of what is left of A without column `at` (to be overwritten).
static void exchange(Factor *f, int first, int k, int at, int with)
{
    *entry(f, with, with) = *entry(f, at, at);
    for (int i = at + 1; i < with; i++)
        *entry(f, with, i) = *entry(f, i, at);
    for (int i = with + 1; i < f->n; i++)
        *entry(f, i, with) = *entry(f, i, at);
    for (int j = 0; j < k; j++)
        swap(entry(f, at, j), entry(f, with, j));
    for (int j = 0; j < k - first; j++)
        swap(f->w + (size_t)at * ROW + j, f->w + (size_t)with * ROW + j);
    swap(f->column[0] + at, f->column[0] + with);
    swap(f->column[1] + at, f->column[1] + with);
    int kept = f->order[at];
    f->order[at] = f->order[with];
    f->order[with] = kept;
}

/// Columns of L and of L D from the up-to-date columns, for the pivot of `size` at `k`.
static void eliminate(Factor *f, int first, int k, int size)
{
    const double *u = f->column[0], *v = f->column[1];
    for (int i = k; i < f->n; i++) {
        f->w[(size_t)i * ROW + (k - first)] = u[i];
        if (size == 2)
            f->w[(size_t)i * ROW + (k + 1 - first)] = v[i];
    }
    *entry(f, k, k) = u[k];
    if (size == 1) {
        for (int i = k + 1; i < f->n; i++)
            *entry(f, i, k) = u[i] / u[k];
        return;
    }
    *entry(f, k + 1, k) = u[k + 1];
    *entry(f, k + 1, k + 1) = v[k + 1];
    double across = u[k + 1], p = v[k + 1] / across, q = u[k] / across, scale = 1 / (p * q - 1) / across;
    for (int i = k + 2; i < f->n; i++) {
        *entry(f, i, k) = scale * (p * u[i] - v[i]);
        *entry(f, i, k + 1) = scale * (q * v[i] - u[i]);
    }
}

/// Chooses the pivot at `k`, moves it there and eliminates it. Returns its size, 0 where the matrix is singular.
static int take_pivot(Factor *f, int first, int k)
{
    const double growth = 0.6403882032022076; // (1 + sqrt(17)) / 8: bounds the growth of entries over two steps
    double *u = f->column[0], *v = f->column[1];
    take_column(f, first, k, k, u);
    double diagonal = fabs(u[k]);
    int row = largest_but(u, k + 1, f->n, -1), size = 1, with = k;
    double off = row < 0 ? 0 : fabs(u[row]);
    if (diagonal == 0 && off == 0)
        return 0;
    if (diagonal < growth * off) {
        take_column(f, first, k, row, v);
        double most = fabs(v[largest_but(v, k, f->n, row)]);
        if (diagonal * most < growth * off * off) {
            with = row;
            size = fabs(v[row]) >= growth * most ? 1 : 2;
        }
    }
    if (with != k && size == 1)
        for (int i = k; i < f->n; i++)
            u[i] = v[i];
    if (with != k + size - 1)
        exchange(f, first, k, k + size - 1, with);
    eliminate(f, first, k, size);
    f->pivot[k] = size;
    if (size == 2)
        f->pivot[k + 1] = 0;
    return size;
}

/// 0, or 1 + the column where the matrix shows itself singular.
static int factorise(Factor *f)
{
    for (int i = 0; i < f->n; i++)
        f->order[i] = i;
    for (int first = 0, k = 0; first < f->n; first = k) {
        while (k < f->n && k - first < PANEL) {
            int size = take_pivot(f, first, k);
            if (size == 0)
                return k + 1;
            k += size;
        }
        for (int j = k; j < f->n; j++)
            subtract(f->n - j, k - first, (size_t)f->n, entry(f, j, first), f->w + (size_t)j * ROW, entry(f, j, j));
    }
    return 0;
}

static void solve(const Factor *f, double *b)
{
    int n = f->n;
    double *y = f->y;
    for (int i = 0; i < n; i++)
        y[i] = b[f->order[i]];
    for (int k = 0; k < n; k += f->pivot[k])
        subtract(n - k - f->pivot[k], f->pivot[k], (size_t)n, entry(f, k + f->pivot[k], k), y + k, y + k + f->pivot[k]);
    for (int k = 0; k < n; k += f->pivot[k]) {
        double a = *entry(f, k, k);
        if (f->pivot[k] == 1) {
            y[k] /= a;
            continue;
        }
        double across = *entry(f, k + 1, k), p = a / across, q = *entry(f, k + 1, k + 1) / across, scale = p * q - 1;
        double s = y[k] / across, t = y[k + 1] / across;
        y[k] = (q * s - t) / scale;
        y[k + 1] = (p * t - s) / scale;
    }
    for (int k = n - 1; k >= 0; k--) {
        int after = f->pivot[k] == 2 ? k + 2 : k + 1; // within a pivot of two L is the identity
        for (int i = after; i < n; i++)
            y[k] -= *entry(f, i, k) * y[i];
    }
    for (int i = 0; i < n; i++)
        b[f->order[i]] = y[i];
}

static double sum_of_sizes(int n, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(v[i]);
    return sum;
}

/// A lower bound of |A^-1| in the 1-norm, nearly always within a factor of three (Higham 1988, algorithm 2.4).
static double inverse_norm(const Factor *f)
{
    int n = f->n, at = -1;
    double *x = f->x, most = 0;
    for (int i = 0; i < n; i++)
        x[i] = 1.0 / n;
    for (int turn = 0; turn < 5; turn++) {
        solve(f, x);
        double size = sum_of_sizes(n, x);
        if (size <= most)
            break;
        most = size;
        for (int i = 0; i < n; i++)
            x[i] = x[i] >= 0 ? 1 : -1;
        solve(f, x);
        int next = largest_but(x, 0, n, -1);
        if (next == at)
            break;
        at = next;
        for (int i = 0; i < n; i++)
            x[i] = i == at;
    }
    for (int i = 0; i < n; i++)
        x[i] = (i % 2 ? -1.0 : 1.0) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
    solve(f, x);
    return fmax(most, 2 * sum_of_sizes(n, x) / (3.0 * n));
}

static PeltStatus take_work(const PeltAllocator *allocator, int n, double *a, Factor *f, PeltError *err)
{
    size_t values = (size_t)n * (ROW + 4);
    f->n = n;
    f->a = a;
    f->bytes = values * sizeof(double) + 2 * (size_t)n * sizeof(int);
    f->block = pelti_alloc(allocator, f->bytes);
    if (!f->block)
        return pelti_no_memory(err, f->bytes);
    f->w = f->block;
    f->column[0] = f->w + (size_t)n * ROW;
    f->column[1] = f->column[0] + n;
    f->x = f->column[1] + n;
    f->y = f->x + n;
    f->order = (int *)(f->w + values);
    f->pivot = f->order + n;
    return PELT_OK;
}

static PeltStatus factor_and_solve(Factor *f, int rhs_count, double *b, double *rcond, PeltError *err)
{
    size_t count = (size_t)f->n * (size_t)rhs_count;
    if (!all_finite(b, count))
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the right-hand side is not finite", f->n);
    double norm = norm_one(f->a, f->n, f->x);
    if (!isfinite(norm))
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the matrix is not finite", f->n);
    int singular = factorise(f);
    if (singular)
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the matrix is singular (pivot %d)", f->n, singular);
    for (int r = 0; r < rhs_count; r++)
        solve(f, b + (size_t)r * (size_t)f->n);
    if (rcond)
        *rcond = 1 / (norm * inverse_norm(f));
    if (!all_finite(b, count))
        return PELT_FAIL(err, PELT_FAILED, "dense solve of %d unknowns: the solution is not finite", f->n);
    return PELT_OK;
}

PeltStatus pelti_dense_solve_symmetric(const PeltAllocator *allocator, const PeltiDenseSystem *system, double *rcond,
                                       PeltError *err)
{
    if (system->n <= 0 || system->rhs_count <= 0)
        return PELT_OK;
    Factor f;
    PELT_TRY(take_work(allocator, system->n, system->a, &f, err));
    PeltStatus status = factor_and_solve(&f, system->rhs_count, system->b, rcond, err);
    pelti_free(allocator, f.block, f.bytes);
    return status;
}
