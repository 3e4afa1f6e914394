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
    return s->pool.failed ? pelti_no_memory(err, fill * sizeof(float)) : PELT_OK;
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
    Float4 *x;
    Float4 *sums; // [part_count x top_count] what each part adds to the top
} RowSolve;

/// x holds the rows from `first` on.
static inline void scatter(const PeltiSparse *s, Float4 *restrict x, int first, Float4 xj, int begin, int end)
{
    for (int e = begin; e < end; e++)
        x[s->li[e] - first] -= s->fx[e] * xj;
}

static void forward_parts(void *context, int begin, int end, int worker)
{
    (void)worker;
    const RowSolve *solve = context;
    const PeltiSparse *s = solve->s;
    int top = s->part_start[s->part_count], rows = s->n - top;
    for (int p = begin; p < end; p++) {
        Float4 *sums = solve->sums + (size_t)p * (size_t)rows;
        memset(sums, 0, (size_t)rows * sizeof *sums);
        for (int j = s->part_start[p]; j < s->part_start[p + 1]; j++) {
            Float4 xj = solve->x[j];
            scatter(s, solve->x, 0, xj, s->lp[j], s->top_at[j]);
            scatter(s, sums, top, xj, s->top_at[j], s->lp[j + 1]);
        }
    }
}

static void backward(const PeltiSparse *s, Float4 *x, int begin, int end)
{
    for (int j = end - 1; j >= begin; j--) {
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
    for (int p = begin; p < end; p++)
        backward(solve->s, solve->x, solve->s->part_start[p], solve->s->part_start[p + 1]);
}

void pelti_sparse_solve_rows_ordered(const PeltiSparse *s, PeltiJobs *jobs, float (*rows)[4], float *work)
{
    size_t skip = (16 - ((size_t)(uintptr_t)work & 15)) & 15; // callers' work need not be aligned
    RowSolve solve = {s, (Float4 *)(void *)rows, (Float4 *)(void *)((char *)work + skip)};
    int top = s->part_start[s->part_count], count = top_count(s);
    pelti_parallel_for(jobs, s->part_count, 1, forward_parts, &solve);
    for (int p = 0; p < s->part_count; p++)
        for (int i = 0; i < count; i++)
            solve.x[top + i] += solve.sums[(size_t)p * (size_t)count + (size_t)i];
    for (int j = top; j < s->n; j++)
        scatter(s, solve.x, 0, solve.x[j], s->lp[j], s->lp[j + 1]);
    backward(s, solve.x, top, s->n);
    pelti_parallel_for(jobs, s->part_count, 1, backward_parts, &solve);
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
