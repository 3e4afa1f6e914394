/// Factors and solves sparse symmetric positive definite systems.
#include "math/order.h"
#include "math/sparse_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/ldl.h>

/// Neighbours of each unknown, both triangles, sorted, without repeats and without the diagonal.
static PeltStatus build_graph(PeltiPool *temp, int n, int entry_count, const PeltiSparseEntry *entries, SparseGraph *g,
                              PeltError *err)
{
    int *start = PELTI_NEW(temp, int, (size_t)n + 2);
    if (!start)
        return pelti_no_memory(err, (size_t)n * sizeof(int));
    long total = 0;
    for (int e = 0; e < entry_count; e++) {
        int r = entries[e].row, c = entries[e].column;
        if (r < 0 || c < 0 || r >= n || c >= n)
            return PELT_FAIL(err, PELT_FAILED, "sparse matrix: entry %d is at (%d, %d) of %d unknowns", e, r, c, n);
        if (r != c) {
            start[r + 2]++;
            start[c + 2]++;
            total += 2;
        }
    }
    int *list = PELTI_NEW(temp, int, (size_t)total + 1);
    if (!list)
        return pelti_no_memory(err, (size_t)total * sizeof(int));
    for (int i = 0; i < n; i++)
        start[i + 2] += start[i + 1];
    for (int e = 0; e < entry_count; e++) {
        int r = entries[e].row, c = entries[e].column;
        if (r != c) {
            list[start[r + 1]++] = c;
            list[start[c + 1]++] = r;
        }
    }
    int kept = 0;
    for (int i = 0, begin = 0; i < n; i++) {
        int end = start[i + 1];
        qsort(list + begin, (size_t)(end - begin), sizeof(int), pelti_int_order);
        int first = kept;
        for (int k = begin; k < end; k++)
            if (kept == first || list[kept - 1] != list[k])
                list[kept++] = list[k];
        begin = end;
        start[i + 1] = kept;
    }
    start[0] = 0;
    *g = (SparseGraph){start, list};
    return PELT_OK;
}

/// Pattern of the upper triangle in the final order, by columns, and where each given entry adds.
static PeltStatus build_pattern(PeltiSparse *s, const SparseGraph *g, const PeltiSparseEntry *entries, PeltError *err)
{
    int n = s->n;
    long count = g->start[n] / 2 + (long)n;
    s->a.p = PELTI_NEW(&s->pool, int, (size_t)n + 1);
    s->a.i = PELTI_NEW(&s->pool, int, (size_t)count);
    s->a.x = PELTI_NEW(&s->pool, double, (size_t)count);
    s->a.entry_at = PELTI_NEW(&s->pool, int, (size_t)s->entry_count);
    if (s->pool.failed)
        return pelti_no_memory(err, (size_t)count * 16);
    int used = 0;
    for (int k = 0; k < n; k++) {
        s->a.p[k] = used;
        int old = s->order.unknown[k];
        for (int e = g->start[old]; e < g->start[old + 1]; e++)
            if (s->order.place[g->list[e]] < k)
                s->a.i[used++] = s->order.place[g->list[e]];
        s->a.i[used++] = k;
        qsort(s->a.i + s->a.p[k], (size_t)(used - s->a.p[k]), sizeof(int), pelti_int_order);
    }
    s->a.p[n] = used;
    for (int e = 0; e < s->entry_count; e++) {
        int a = s->order.place[entries[e].row], b = s->order.place[entries[e].column];
        int row = a < b ? a : b, column = a < b ? b : a;
        const int *at =
            bsearch(&row, s->a.i + s->a.p[column], (size_t)(s->a.p[column + 1] - s->a.p[column]), sizeof(int), pelti_int_order);
        s->a.entry_at[e] = (int)(at - s->a.i);
    }
    return PELT_OK;
}

static PeltStatus take_factor(PeltiSparse *s, PeltError *err)
{
    size_t n = (size_t)s->n;
    s->l.p = PELTI_NEW(&s->pool, int, n + 1);
    s->l.parent = PELTI_NEW(&s->pool, int, n);
    s->l.count = PELTI_NEW(&s->pool, int, n);
    s->scratch.flag = PELTI_NEW(&s->pool, int, n);
    s->scratch.pattern = PELTI_NEW(&s->pool, int, n);
    s->scratch.y = PELTI_NEW(&s->pool, double, n);
    s->l.d = PELTI_NEW(&s->pool, double, n);
    if (s->pool.failed)
        return pelti_no_memory(err, n * 40);
    ldl_symbolic(s->n, s->a.p, s->a.i, s->l.p, s->l.parent, s->l.count, s->scratch.flag, NULL, NULL);
    long fill = 0;
    for (int k = 0; k < s->n; k++)
        fill += s->l.count[k];
    if (fill > 0x7fffffffL)
        return PELT_FAIL(err, PELT_FAILED, "sparse matrix: the factor of %d unknowns has %ld non-zeros, more than 2^31", s->n,
                         fill);
    s->l.i = PELTI_NEW(&s->pool, int, (size_t)fill + 1);
    s->l.x = PELTI_NEW(&s->pool, double, (size_t)fill + 1);
    if (s->pool.failed)
        return pelti_no_memory(err, (size_t)fill * 12);
    return PELT_OK;
}

static PeltStatus factor(PeltiSparse *s, const PeltiSparseEntry *entries, PeltError *err)
{
    int n = s->n;
    memset(s->a.x, 0, (size_t)s->a.p[n] * sizeof(double));
    for (int e = 0; e < s->entry_count; e++) {
        if (!isfinite(entries[e].value))
            return PELT_FAIL(err, PELT_FAILED, "sparse matrix: entry (%d, %d) is not finite", entries[e].row, entries[e].column);
        s->a.x[s->a.entry_at[e]] += entries[e].value;
    }
    int done = ldl_numeric(n, s->a.p, s->a.i, s->a.x, s->l.p, s->l.parent, s->l.count, s->l.i, s->l.x, s->l.d, s->scratch.y,
                           s->scratch.pattern, s->scratch.flag, NULL, NULL);
    for (int k = 0; k < n; k++) { // a pivot below rounding of its own diagonal entry is no pivot
        double diagonal = s->a.x[s->a.p[k + 1] - 1];
        if (k >= done || !(s->l.d[k] > 1e-14 * fabs(diagonal)))
            return PELT_FAIL(err, PELT_FAILED, "sparse matrix of %d unknowns is not positive definite: pivot %g at unknown %d", n,
                             k < n ? s->l.d[k] : 0.0, s->order.unknown[k]);
    }
    return PELT_OK;
}

PeltStatus pelti_sparse_refactor(PeltiSparse *s, const PeltiSparseEntry *entries, PeltError *err)
{
    PELT_TRY(factor(s, entries, err));
    pelti_sparse_pack(s);
    return PELT_OK;
}

static void copy_order(PeltiSparse *s, const PeltiSparse *like)
{
    memcpy(s->order.unknown, like->order.unknown, (size_t)s->n * sizeof(int));
    memcpy(s->order.place, like->order.place, (size_t)s->n * sizeof(int));
    memcpy(s->order.part_start, like->order.part_start, sizeof s->order.part_start);
    s->order.part_count = like->order.part_count;
}

static PeltStatus build(PeltiSparse *s, PeltiPool *temp, const PeltiSparseEntry *entries, PeltiSparseOrdering ordering,
                        const PeltiSparse *like, PeltError *err)
{
    SparseGraph graph;
    PELT_TRY(build_graph(temp, s->n, s->entry_count, entries, &graph, err));
    s->order.unknown = PELTI_NEW(&s->pool, int, (size_t)s->n);
    s->order.place = PELTI_NEW(&s->pool, int, (size_t)s->n);
    if (s->pool.failed)
        return pelti_no_memory(err, (size_t)s->n * 8);
    if (like)
        copy_order(s, like);
    else
        PELT_TRY(pelti_sparse_find_order(s, temp, &graph, ordering, err));
    PELT_TRY(build_pattern(s, &graph, entries, err));
    PELT_TRY(take_factor(s, err));
    PELT_TRY(factor(s, entries, err));
    PELT_TRY(pelti_sparse_take_pack(s, temp, err));
    pelti_sparse_pack(s);
    return PELT_OK;
}

static PeltStatus create(const PeltAllocator *allocator, const PeltiSparseEntries *matrix, PeltiSparseOrdering ordering,
                         const PeltiSparse *like, PeltiSparse **out, PeltError *err)
{
    *out = NULL;
    if (matrix->n < 0 || matrix->count < 0 || matrix->n > 1 << 28 || matrix->count > 1 << 29)
        return PELT_FAIL(err, PELT_FAILED, "sparse matrix: %d unknowns and %d entries", matrix->n, matrix->count);
    PeltiSparse *s = pelti_alloc(allocator, sizeof *s);
    if (!s)
        return pelti_no_memory(err, sizeof *s);
    memset(s, 0, sizeof *s);
    pelti_pool_init(&s->pool, allocator);
    s->n = matrix->n;
    s->entry_count = matrix->count;
    PeltiPool temp;
    pelti_pool_init(&temp, allocator);
    PeltStatus status = build(s, &temp, matrix->list, ordering, like, err);
    pelti_pool_release(&temp);
    if (status != PELT_OK) {
        pelti_sparse_destroy(s);
        return status;
    }
    *out = s;
    return PELT_OK;
}

PeltStatus pelti_sparse_create(const PeltAllocator *allocator, const PeltiSparseEntries *matrix, PeltiSparseOrdering ordering,
                               PeltiSparse **out, PeltError *err)
{
    return create(allocator, matrix, ordering, NULL, out, err);
}

PeltStatus pelti_sparse_create_like(const PeltiSparse *like, const PeltiSparseEntry *entries, PeltiSparse **out, PeltError *err)
{
    PeltiSparseEntries matrix = {.n = like->n, .count = like->entry_count, .list = entries};
    return create(&like->pool.allocator, &matrix, PELTI_ORDER_BEST, like, out, err);
}

void pelti_sparse_destroy(PeltiSparse *s)
{
    if (!s)
        return;
    PeltAllocator allocator = s->pool.allocator;
    pelti_pool_release(&s->pool);
    pelti_free(&allocator, s, sizeof *s);
}

long pelti_sparse_fill(const PeltiSparse *s)
{
    return s->l.p[s->n];
}

const int *pelti_sparse_order(const PeltiSparse *s)
{
    return s->order.unknown;
}

void pelti_sparse_solve(const PeltiSparse *s, const double *b, double *x, double *work)
{
    for (int k = 0; k < s->n; k++)
        work[k] = b[s->order.unknown[k]];
    for (int j = 0; j < s->n; j++)
        for (int e = s->l.p[j]; e < s->l.p[j + 1]; e++)
            work[s->l.i[e]] -= s->l.x[e] * work[j];
    for (int j = s->n - 1; j >= 0; j--) {
        double sum = work[j] / s->l.d[j];
        for (int e = s->l.p[j]; e < s->l.p[j + 1]; e++)
            sum -= s->l.x[e] * work[s->l.i[e]];
        work[j] = sum;
    }
    for (int k = 0; k < s->n; k++)
        x[s->order.unknown[k]] = work[k];
}
