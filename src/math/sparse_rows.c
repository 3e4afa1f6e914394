/// Solves in float with three right-hand sides as rows of four.
#include "math/sparse_parts.h"
#include "math/wide.h"

static int top_count(const PeltiSparse *s)
{
    return s->n - s->order.part_start[s->order.part_count];
}

size_t pelti_sparse_row_work(const PeltiSparse *s)
{
    return 4 * ((size_t)s->n + (size_t)s->order.part_count * (size_t)top_count(s)) + 16;
}

typedef struct RowSolve {
    const PeltiSparse *s;
    const int *first;  // [part_count + 1] where parts and the top begin, in `column`
    const int *column; // that take part, whole blocks; NULL: all
    PeltiFloat4 *x;
    PeltiFloat4 *sums; // [part_count x top_count] what each part adds to the top
    PeltiSparseRows made;
    bool ends, begins; // what the parts do in this round: see turn_parts
} RowSolve;

typedef struct RowRange { // rows of a block from begin to end; x holds those from `zero` on
    PeltiFloat4 *x;
    int zero, begin, end;
} RowRange;

/// Of part p; what comes after the parts is the top.
static int range_end(const PeltiSparse *s, int p)
{
    return p < s->order.part_count ? s->order.part_start[p + 1] : s->n;
}
static void rows_before(const RowSolve *solve, int p)
{
    if (solve->made.before)
        solve->made.before(solve->made.context, solve->s->order.part_start[p], range_end(solve->s, p), p);
}
static void rows_after(const RowSolve *solve, int p)
{
    if (solve->made.after)
        solve->made.after(solve->made.context, solve->s->order.part_start[p], range_end(solve->s, p), p);
}

/// The block of the i-th column that takes part.
static inline const PeltiSparseBlock *block_at(const RowSolve *solve, int i)
{
    return &solve->s->pack.blocks[solve->s->pack.block_of[solve->column ? solve->column[i] : i]];
}

/// Rows of a block less what its columns v make there.
PELTI_WIDE void subtract(const PeltiSparse *s, const PeltiSparseBlock *block, const int width, const PeltiFloat4 *v,
                         const RowRange *range)
{
    const int *rows = s->pack.rows + block->row_first;
    const float *value = s->pack.x + block->value_first + range->begin * width;
    for (int i = range->begin; i < range->end; i++, value += width) {
        PeltiFloat4 sum = value[0] * v[0];
        PELTI_UNROLL
        for (int k = 1; k < width; k++)
            sum += value[k] * v[k];
        range->x[rows[i] - range->zero] -= sum;
    }
}

/// `width` is the block's, known to the compiler. What goes to the top goes to `sums`; NULL: the block is of the top.
PELTI_WIDE void forward_block(const RowSolve *solve, const PeltiSparseBlock *block, const int width, PeltiFloat4 *sums)
{
    PeltiFloat4 *x = solve->x + block->first, v[PELTI_SPARSE_WIDTH];
    PELTI_UNROLL
    for (int k = 0; k < width; k++) {
        v[k] = x[k];
        PELTI_UNROLL
        for (int i = 0; i < k; i++)
            v[k] -= block->inner[k][i] * v[i];
        x[k] = v[k];
    }
    subtract(solve->s, block, width, v, &(RowRange){solve->x, 0, 0, sums ? block->inside : block->row_count});
    if (sums)
        subtract(solve->s, block, width, v,
                 &(RowRange){sums, solve->s->order.part_start[solve->s->order.part_count], block->inside, block->row_count});
}

/// Columns [begin, end) of those that take part.
PELTI_CLONES static void forward(const RowSolve *solve, int begin, int end, PeltiFloat4 *sums)
{
    for (int i = begin; i < end;) {
        const PeltiSparseBlock *block = block_at(solve, i);
        switch (block->width) {
        case 1:
            forward_block(solve, block, 1, sums);
            break;
        case 2:
            forward_block(solve, block, 2, sums);
            break;
        case 3:
            forward_block(solve, block, 3, sums);
            break;
        default:
            forward_block(solve, block, PELTI_SPARSE_WIDTH, sums);
            break;
        }
        i += block->width;
    }
}

/// Two sums of every column side by side, since each waits for itself.
PELTI_WIDE void backward_block(const RowSolve *solve, const PeltiSparseBlock *block, const int width)
{
    const PeltiSparse *s = solve->s;
    const int *rows = s->pack.rows + block->row_first;
    const float *value = s->pack.x + block->value_first;
    PeltiFloat4 *x = solve->x + block->first, even[PELTI_SPARSE_WIDTH], odd[PELTI_SPARSE_WIDTH];
    int i = 0;
    PELTI_UNROLL
    for (int k = 0; k < width; k++) {
        even[k] = s->pack.d[block->first + k] * x[k];
        odd[k] = (PeltiFloat4){0};
    }
    for (; i + 1 < block->row_count; i += 2, value += 2 * width) {
        PeltiFloat4 a = solve->x[rows[i]], b = solve->x[rows[i + 1]];
        PELTI_UNROLL
        for (int k = 0; k < width; k++) {
            even[k] -= value[k] * a;
            odd[k] -= value[width + k] * b;
        }
    }
    PELTI_UNROLL
    for (int k = width - 1; k >= 0; k--) {
        if (i < block->row_count)
            even[k] -= value[k] * solve->x[rows[i]];
        even[k] += odd[k];
        PELTI_UNROLL
        for (int j = k + 1; j < width; j++)
            even[k] -= block->inner[j][k] * even[j];
        x[k] = even[k];
    }
}

PELTI_CLONES static void backward(const RowSolve *solve, int begin, int end)
{
    for (int i = end; i > begin;) {
        const PeltiSparseBlock *block = block_at(solve, i - 1);
        switch (block->width) {
        case 1:
            backward_block(solve, block, 1);
            break;
        case 2:
            backward_block(solve, block, 2);
            break;
        case 3:
            backward_block(solve, block, 3);
            break;
        default:
            backward_block(solve, block, PELTI_SPARSE_WIDTH);
            break;
        }
        i -= block->width;
    }
}

/// What parts have to do between two answers of the top: the rest of one solve, then as much of the next as they can alone.
static void turn_parts(void *context, int begin, int end, int worker)
{
    (void)worker;
    const RowSolve *solve = context;
    size_t rows = (size_t)top_count(solve->s);
    for (int p = begin; p < end; p++) {
        if (solve->ends) {
            backward(solve, solve->first[p], solve->first[p + 1]);
            rows_after(solve, p);
        }
        if (!solve->begins)
            continue;
        PeltiFloat4 *sums = solve->sums + (size_t)p * rows;
        rows_before(solve, p);
        memset(sums, 0, rows * sizeof *sums);
        forward(solve, solve->first[p], solve->first[p + 1], sums);
    }
}

/// count: of the columns that take part
static void solve_top(const RowSolve *solve, int count)
{
    const PeltiSparse *s = solve->s;
    int top = s->order.part_start[s->order.part_count], rows = top_count(s), first = solve->first[s->order.part_count];
    rows_before(solve, s->order.part_count);
    for (int p = 0; p < s->order.part_count; p++)
        for (int i = 0; i < rows; i++)
            solve->x[top + i] += solve->sums[(size_t)p * (size_t)rows + (size_t)i];
    forward(solve, first, count, NULL);
    backward(solve, first, count);
    rows_after(solve, s->order.part_count);
}

static void solve_rows(RowSolve *solve, PeltiJobs *jobs, int count, float *work)
{
    size_t skip = (16 - ((size_t)(uintptr_t)work & 15)) & 15; // callers' work need not be aligned
    int times = solve->made.times > 1 ? solve->made.times : 1;
    solve->sums = (PeltiFloat4 *)(void *)((char *)work + skip);
    for (int k = 0; k <= times; k++) {
        solve->ends = k > 0;
        solve->begins = k < times;
        pelti_parallel_for(jobs, solve->s->order.part_count, 1, turn_parts, solve);
        if (solve->begins)
            solve_top(solve, count);
    }
}

int pelti_sparse_ranges(const PeltiSparse *s, int first[PELTI_SPARSE_RANGES + 1])
{
    for (int p = 0; p <= s->order.part_count; p++)
        first[p] = s->order.part_start[p];
    first[s->order.part_count + 1] = s->n;
    return s->order.part_count + 1;
}

void pelti_sparse_solve_made_rows(const PeltiSparse *s, PeltiJobs *jobs, const PeltiSparseRows *made, float (*rows)[4],
                                  float *work)
{
    RowSolve solve = {.s = s, .first = s->order.part_start, .x = (PeltiFloat4 *)(void *)rows, .made = *made};
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
    for (int b = 0; b < s->pack.block_count; b++) { // parents come after their children
        int first = s->pack.blocks[b].first, end = first + s->pack.blocks[b].width, wanted = 0;
        for (; part <= s->order.part_count && first == s->order.part_start[part]; part++)
            out->part_first[part] = out->count;
        for (int j = first; j < end; j++)
            wanted |= mark[j];
        for (int j = first; wanted && j < end; j++) { // blocks go whole
            out->column[out->count++] = j;
            mark[j] = 1;
            if (s->l.parent[j] >= 0)
                mark[s->l.parent[j]] = 1;
        }
    }
    for (; part <= s->order.part_count; part++)
        out->part_first[part] = out->count;
}

void pelti_sparse_solve_rows_some(const PeltiSparse *s, PeltiJobs *jobs, const PeltiSparseSome *some, float (*rows)[4],
                                  float *work)
{
    RowSolve solve = {.s = s, .first = some->part_first, .column = some->column, .x = (PeltiFloat4 *)(void *)rows};
    solve_rows(&solve, jobs, some->count, work);
}

void pelti_sparse_solve_rows(const PeltiSparse *s, PeltiJobs *jobs, const float (*b)[4], float (*x)[4], float *work)
{
    size_t skip = (16 - ((size_t)(uintptr_t)work & 15)) & 15;
    PeltiFloat4 *y = (PeltiFloat4 *)(void *)((char *)work + skip);
    for (int k = 0; k < s->n; k++)
        memcpy(&y[k], b[s->order.unknown[k]], sizeof *y);
    pelti_sparse_solve_rows_ordered(s, jobs, (float(*)[4])y, (float *)(y + s->n));
    for (int k = 0; k < s->n; k++)
        memcpy(x[s->order.unknown[k]], &y[k], sizeof *y);
}
