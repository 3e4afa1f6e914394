/// Solves in float with three right-hand sides as rows of four.
#include "math/sparse_parts.h"
#include "math/wide.h"

typedef float Float4 __attribute__((vector_size(16)));

PeltStatus pelti_sparse_take_pack(PeltiSparse *s, PeltError *err)
{
    size_t fill = (size_t)s->lp[s->n];
    s->fx = PELTI_NEW(&s->pool, float, fill + 1);
    s->fd = PELTI_NEW(&s->pool, float, (size_t)s->n);
    s->top_at = PELTI_NEW(&s->pool, int, (size_t)s->n);
    s->twin = PELTI_NEW(&s->pool, bool, (size_t)s->n + 1);
    return s->pool.failed ? pelti_no_memory(err, fill * sizeof(float)) : PELT_OK;
}

/// Below its own diagonal a column's pattern is contained in its parent's, so equal counts are equal patterns. Twins do not
/// reach over the border of a part.
static void mark_twins(PeltiSparse *s)
{
    for (int k = 0, part = 0; k < s->n; k++) {
        while (part <= s->part_count && s->part_start[part] <= k)
            part++;
        bool border = part <= s->part_count && s->part_start[part] == k + 1;
        s->twin[k] = k + 1 < s->n && !border && s->lp[k] < s->lp[k + 1] && s->li[s->lp[k]] == k + 1 &&
                     s->lp[k + 1] - s->lp[k] == s->lp[k + 2] - s->lp[k + 1] + 1;
    }
}

void pelti_sparse_pack(PeltiSparse *s)
{
    int top = s->part_start[s->part_count];
    for (int e = 0; e < s->lp[s->n]; e++)
        s->fx[e] = (float)s->lx[e];
    for (int k = 0; k < s->n; k++) {
        s->fd[k] = (float)(1 / s->d[k]);
        int e = s->lp[k];
        while (e < s->lp[k + 1] && s->li[e] < top)
            e++;
        s->top_at[k] = e;
    }
    mark_twins(s);
}

static int top_count(const PeltiSparse *s)
{
    return s->n - s->part_start[s->part_count];
}

size_t pelti_sparse_row_work(const PeltiSparse *s)
{
    return 4 * ((size_t)s->n + (size_t)s->part_count * (size_t)top_count(s)) + 16;
}

typedef struct RowSolve {
    const PeltiSparse *s;
    const int *first;  // [part_count + 1] where parts and the top begin, in `column`
    const int *column; // that take part; NULL: all
    Float4 *x;
    Float4 *sums; // [part_count x top_count] what each part adds to the top
    PeltiSparseRows made;
} RowSolve;

/// Of part p; what comes after the parts is the top.
static int range_end(const PeltiSparse *s, int p)
{
    return p < s->part_count ? s->part_start[p + 1] : s->n;
}
static void rows_before(const RowSolve *solve, int p)
{
    if (solve->made.before)
        solve->made.before(solve->made.context, solve->s->part_start[p], range_end(solve->s, p));
}
static void rows_after(const RowSolve *solve, int p)
{
    if (solve->made.after)
        solve->made.after(solve->made.context, solve->s->part_start[p], range_end(solve->s, p), p);
}

/// x holds the rows from `first` on.
static inline void scatter(const PeltiSparse *s, Float4 *restrict x, int first, Float4 xj, int begin, int end)
{
    for (int e = begin; e < end; e++)
        x[s->li[e] - first] -= s->fx[e] * xj;
}

typedef struct Twins { // two columns with one pattern
    Float4 x[2];
    int ahead; // from an entry of the first to that of the second in the same row
} Twins;

/// The first is subtracted from the second.
static inline Twins twins_at(const PeltiSparse *s, Float4 *x, int j)
{
    x[j + 1] -= s->fx[s->lp[j]] * x[j];
    return (Twins){{x[j], x[j + 1]}, s->lp[j + 1] - s->lp[j] - 1};
}

/// As `scatter`, of both: rows are read and written once, to the bits of one column after the other.
static inline void scatter_twins(const PeltiSparse *s, Float4 *restrict x, int first, const Twins *twins, int begin, int end)
{
    for (int e = begin; e < end; e++) {
        Float4 *row = &x[s->li[e] - first];
        *row = (*row - s->fx[e] * twins->x[0]) - s->fx[e + twins->ahead] * twins->x[1];
    }
}

static inline int column_at(const RowSolve *solve, int i)
{
    return solve->column ? solve->column[i] : i;
}

static void forward_parts(void *context, int begin, int end, int worker)
{
    (void)worker;
    const RowSolve *solve = context;
    const PeltiSparse *s = solve->s;
    int top = s->part_start[s->part_count], rows = s->n - top;
    for (int p = begin; p < end; p++) {
        rows_before(solve, p);
        if (p == s->part_count)
            return; // the top waits for the parts
        Float4 *sums = solve->sums + (size_t)p * (size_t)rows;
        memset(sums, 0, (size_t)rows * sizeof *sums);
        for (int i = solve->first[p]; i < solve->first[p + 1]; i++) {
            int j = column_at(solve, i);
            Float4 xj = solve->x[j];
            if (s->twin[j]) { // the columns that take part have their ancestors with them
                Twins twins = twins_at(s, solve->x, j);
                scatter_twins(s, solve->x, 0, &twins, s->lp[j] + 1, s->top_at[j]);
                scatter_twins(s, sums, top, &twins, s->top_at[j], s->lp[j + 1]);
                i++;
                continue;
            }
            scatter(s, solve->x, 0, xj, s->lp[j], s->top_at[j]);
            scatter(s, sums, top, xj, s->top_at[j], s->lp[j + 1]);
        }
    }
}

static void backward(const RowSolve *solve, int begin, int end)
{
    const PeltiSparse *s = solve->s;
    Float4 *x = solve->x;
    for (int i = end - 1; i >= begin; i--) {
        int j = column_at(solve, i);
        Float4 even = s->fd[j] * x[j], odd = {0};
        int e = s->lp[j], last = s->lp[j + 1];
        for (; e + 1 < last; e += 2) {
            even -= s->fx[e] * x[s->li[e]];
            odd -= s->fx[e + 1] * x[s->li[e + 1]];
        }
        if (e < last)
            even -= s->fx[e] * x[s->li[e]];
        x[j] = even + odd;
    }
}

static void backward_parts(void *context, int begin, int end, int worker)
{
    (void)worker;
    const RowSolve *solve = context;
    for (int p = begin; p < end; p++) {
        if (p < solve->s->part_count) // the top is done
            backward(solve, solve->first[p], solve->first[p + 1]);
        rows_after(solve, p);
    }
}

/// count: of the columns that take part
static void solve_rows(RowSolve *solve, PeltiJobs *jobs, int count, float *work)
{
    const PeltiSparse *s = solve->s;
    size_t skip = (16 - ((size_t)(uintptr_t)work & 15)) & 15; // callers' work need not be aligned
    int top = s->part_start[s->part_count], rows = top_count(s), first = solve->first[s->part_count];
    solve->sums = (Float4 *)(void *)((char *)work + skip);
    pelti_parallel_for(jobs, s->part_count + (solve->made.before != NULL), 1, forward_parts, solve);
    for (int p = 0; p < s->part_count; p++)
        for (int i = 0; i < rows; i++)
            solve->x[top + i] += solve->sums[(size_t)p * (size_t)rows + (size_t)i];
    for (int i = first; i < count; i++) {
        int j = column_at(solve, i);
        Float4 *x = solve->x;
        if (s->twin[j]) {
            Twins twins = twins_at(s, x, j);
            scatter_twins(s, x, 0, &twins, s->lp[j] + 1, s->lp[j + 1]);
            i++;
            continue;
        }
        scatter(s, x, 0, x[j], s->lp[j], s->lp[j + 1]);
    }
    backward(solve, first, count);
    pelti_parallel_for(jobs, s->part_count + (solve->made.after != NULL), 1, backward_parts, solve);
}

void pelti_sparse_solve_made_rows(const PeltiSparse *s, PeltiJobs *jobs, const PeltiSparseRows *made, float (*rows)[4],
                                  float *work)
{
    RowSolve solve = {.s = s, .first = s->part_start, .x = (Float4 *)(void *)rows, .made = *made};
    solve_rows(&solve, jobs, s->n, work);
}

void pelti_sparse_solve_rows_ordered(const PeltiSparse *s, PeltiJobs *jobs, float (*rows)[4], float *work)
{
    pelti_sparse_solve_made_rows(s, jobs, &(PeltiSparseRows){0}, rows, work);
}

void pelti_sparse_some(const PeltiSparse *s, unsigned char *mark, PeltiSparseSome *out)
{
    int part = 0;
    out->count = 0;
    for (int j = 0; j < s->n; j++) { // parents come after their children
        for (; part <= s->part_count && j == s->part_start[part]; part++)
            out->part_first[part] = out->count;
        if (!mark[j])
            continue;
        out->column[out->count++] = j;
        if (s->parent[j] >= 0)
            mark[s->parent[j]] = 1;
    }
    for (; part <= s->part_count; part++)
        out->part_first[part] = out->count;
}

void pelti_sparse_solve_rows_some(const PeltiSparse *s, PeltiJobs *jobs, const PeltiSparseSome *some, float (*rows)[4],
                                  float *work)
{
    RowSolve solve = {.s = s, .first = some->part_first, .column = some->column, .x = (Float4 *)(void *)rows};
    solve_rows(&solve, jobs, some->count, work);
}

void pelti_sparse_solve_rows(const PeltiSparse *s, PeltiJobs *jobs, const float (*b)[4], float (*x)[4], float *work)
{
    size_t skip = (16 - ((size_t)(uintptr_t)work & 15)) & 15;
    Float4 *y = (Float4 *)(void *)((char *)work + skip);
    for (int k = 0; k < s->n; k++)
        memcpy(&y[k], b[s->order[k]], sizeof *y);
    pelti_sparse_solve_rows_ordered(s, jobs, (float(*)[4])y, (float *)(y + s->n));
    for (int k = 0; k < s->n; k++)
        memcpy(x[s->order[k]], &y[k], sizeof *y);
}
