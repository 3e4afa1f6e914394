/// Finds eigenvalues and eigenvectors of symmetric matrices.
/// A = Q T Q^T by reflections, T = S diag S^T by the implicit QL algorithm (Golub and Van Loan, 8.3). It is our own for the same
/// reason as in dense.h.
#include "math/eigen.h"
#include "math/wide.h"

#include <math.h>
#include <string.h>

enum { LANES = 4, TILE = 4, STRIP = 1024 }; // STRIP: columns of a tile's rows that stay in the first cache

PELTI_CLONES static double dot(int n, const double *a, const double *b)
{
    double sum[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

PELTI_CLONES static void add_scaled(int n, double s, const double *restrict a, double *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] += s * a[i];
}

PELTI_CLONES static void rotate(int n, double c, double s, double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++) {
        double kept = b[i];
        b[i] = s * a[i] + c * kept;
        a[i] = c * a[i] - s * kept;
    }
}

static void swap(double *a, double *b, int count)
{
    for (int i = 0; i < count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

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

/// Reflections that make `a` tridiagonal: `d` its diagonal, e[i] between i and i + 1; row k of `a` keeps the k-th one's vector
/// from column k + 1 on, beta[k] its factor (H = 1 - beta v v^T).
static void tridiagonalise(int n, double *a, double *d, double *e, double *beta, double *p)
{
    for (int k = 0; k < n; k++) {
        double *v = a + (size_t)k * (size_t)n, tail;
        int from = k + 1, count = n - from;
        d[k] = v[k];
        e[k] = count == 1 ? v[from] : 0;
        beta[k] = 0;
        if (count < 2 || (tail = dot(count - 1, v + from + 1, v + from + 1)) == 0) {
            e[k] = count > 0 ? v[from] : 0;
            continue;
        }
        double length = sqrt(v[from] * v[from] + tail);
        e[k] = v[from] > 0 ? -length : length;
        v[from] -= e[k];
        beta[k] = 2 / (v[from] * v[from] + tail);
        for (int i = from; i < n; i++)
            p[i] = beta[k] * dot(count, a + (size_t)i * (size_t)n + from, v + from);
        add_scaled(count, -0.5 * beta[k] * dot(count, p + from, v + from), v + from, p + from);
        for (int i = from; i < n; i++) { // A - v p^T - p v^T
            double *row = a + (size_t)i * (size_t)n + from;
            add_scaled(count, -v[i], p + from, row);
            add_scaled(count, -p[i], v + from, row);
        }
    }
}

/// Rows of `a`: the reflections' vectors on entry, Q^T after. `v` [n] is scratch.
static void accumulate(int n, double *a, const double *beta, double *v)
{
    for (int k = n - 1; k >= 0; k--) {
        double *row = a + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; i++) {
            v[i] = row[i];
            row[i] = 0;
            a[(size_t)i * (size_t)n + (size_t)k] = 0;
        }
        row[k] = 1;
        for (int i = k + 1; i < n && beta[k] != 0; i++) {
            double *other = a + (size_t)i * (size_t)n + k + 1;
            add_scaled(n - k - 1, -beta[k] * dot(n - k - 1, other, v + k + 1), v + k + 1, other);
        }
    }
}

/// One implicit QL sweep over rows l to m of the tridiagonal matrix; `a` turns with it.
static void sweep(int n, int l, int m, double *a, double *d, double *e)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrt(g * g + 1), s = 1, c = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g + (g >= 0 ? r : -r)); // Wilkinson's shift
    for (int i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) { // splits here
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(n, c, s, a + (size_t)i * (size_t)n, a + (size_t)(i + 1) * (size_t)n);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/// Entries are at most 1: what is below a rounding of that is none. Values of a matrix of low rank are noise of that size, and
/// beside them nothing is ever small: so this counts once the usual number of sweeps is long past.
static bool diagonalise(int n, double *a, double *d, double *e)
{
    enum { MOST_SWEEPS = 60, LONG = 20 }; // about two a value is usual
    for (int l = 0; l < n; l++)
        for (int turn = 0;; turn++) {
            int m = l;
            double none = turn < LONG ? 0 : 1.1e-16;
            while (m + 1 < n && fabs(e[m]) > fmax(1.1e-16 * (fabs(d[m]) + fabs(d[m + 1])), none))
                m++;
            if (m == l)
                break;
            if (turn == MOST_SWEEPS)
                return false;
            sweep(n, l, m, a, d, e);
        }
    return true;
}

PeltStatus pelti_eigen_symmetric(const PeltAllocator *allocator, int n, double *a, double *values, PeltError *err)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        if (!isfinite(a[i]))
            return PELT_FAIL(err, PELT_FAILED, "eigenvectors of a matrix that is not finite");
        most = fmax(most, fabs(a[i]));
    }
    size_t bytes = 3 * (size_t)n * sizeof(double);
    double *e = pelti_alloc(allocator, bytes), unit = most > 0 ? most : 1;
    if (!e)
        return pelti_no_memory(err, bytes);
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        a[i] /= unit; // squares neither overflow nor vanish
    tridiagonalise(n, a, values, e, e + n, e + 2 * (size_t)n);
    accumulate(n, a, e + n, e + 2 * (size_t)n);
    bool done = diagonalise(n, a, values, e);
    pelti_free(allocator, e, bytes);
    if (!done)
        return PELT_FAIL(err, PELT_FAILED, "eigenvectors of %d rows did not converge", n);
    for (int i = 0; i < n; i++) {
        int largest = i;
        for (int j = i + 1; j < n; j++)
            largest = values[j] > values[largest] ? j : largest;
        if (largest != i) {
            swap(values + i, values + largest, 1);
            swap(a + (size_t)i * (size_t)n, a + (size_t)largest * (size_t)n, n);
        }
        values[i] *= unit;
        point_up(n, a + (size_t)i * (size_t)n);
    }
    return PELT_OK;
}

#ifndef PELT_NO_SIMD
typedef double PartialSums __attribute__((vector_size(8 * LANES)));
#else
typedef struct PartialSums {
    double v[LANES];
} PartialSums;
#endif

PELTI_WIDE void add_lanes(PartialSums *sum, const double *a, const double *b)
{
#ifndef PELT_NO_SIMD
    PartialSums x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    *sum += x * y;
#else
    for (int k = 0; k < LANES; k++)
        sum->v[k] += a[k] * b[k];
#endif
}

PELTI_WIDE double sum_of_lanes(const PartialSums *sum)
{
    double v[LANES];
    memcpy(v, sum, sizeof v);
    return (v[0] + v[1]) + (v[2] + v[3]);
}

/// out[i][j] += a[i] . b[j] for two rows a and TILE rows b, over `columns` of them, a multiple of LANES.
PELTI_CLONES static void add_tile(int columns, const double *a, const double *b, size_t stride, double *out, size_t out_stride)
{
    PartialSums s0 = {0}, s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    const double *a1 = a + stride, *b1 = b + stride, *b2 = b1 + stride, *b3 = b2 + stride;
    for (int c = 0; c < columns; c += LANES) {
        add_lanes(&s0, a + c, b + c);
        add_lanes(&s1, a + c, b1 + c);
        add_lanes(&s2, a + c, b2 + c);
        add_lanes(&s3, a + c, b3 + c);
        add_lanes(&t0, a1 + c, b + c);
        add_lanes(&t1, a1 + c, b1 + c);
        add_lanes(&t2, a1 + c, b2 + c);
        add_lanes(&t3, a1 + c, b3 + c);
    }
    const PartialSums *s[2][TILE] = {{&s0, &s1, &s2, &s3}, {&t0, &t1, &t2, &t3}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < TILE; j++)
            out[(size_t)i * out_stride + (size_t)j] += sum_of_lanes(s[i][j]);
}

void pelti_dense_add_products(int rows, int others, int columns, const double *a, const double *b, double *out)
{
    size_t stride = (size_t)columns, across = (size_t)others;
    int tiled_rows = rows - rows % 2, tiled_others = others - others % TILE, tiled_columns = columns - columns % LANES;
    for (int from = 0; from < tiled_columns; from += STRIP) {
        int count = tiled_columns - from < STRIP ? tiled_columns - from : STRIP;
        for (int j = 0; j < tiled_others; j += TILE)
            for (int i = 0; i < tiled_rows; i += 2)
                add_tile(count, a + (size_t)i * stride + from, b + (size_t)j * stride + from, stride,
                         out + (size_t)i * across + j, across);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < others; j++) {
            int from = i < tiled_rows && j < tiled_others ? tiled_columns : 0; // what the tiles left out
            out[(size_t)i * across + (size_t)j] +=
                dot(columns - from, a + (size_t)i * stride + from, b + (size_t)j * stride + from);
        }
}
