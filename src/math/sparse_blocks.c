/// Blocks of columns that the float solves go by: a few columns in a row with one list of rows, the union of theirs.
/// Where a column has no entry it holds 0: a block costs its rows once and not once a column, which is worth some zeros.
#include "math/order.h"
#include "math/sparse_parts.h"

typedef struct Choice { // the cheapest way to cut all columns before one
    long cost;
    int width; // of the last block
} Choice;

/// What a block costs in both directions, in cycles: its own start and the loops' ends, a row's read, write and number, its
/// products.
static long block_cost(int width, int rows)
{
    return 60 + (long)rows * (8 + 2 * width) + 6L * width * width;
}

/// Tries blocks that start at column k: `seen` holds for each row the column whose try met it last.
static void try_widths(const PeltiSparse *s, int k, int most, int *seen, Choice *best)
{
    int rows = 0;
    for (int width = 1; width <= most; width++) {
        int j = k + width - 1;
        rows -= seen[j] == k + 1; // a row so far, now a column of the block
        for (int e = s->l.p[j]; e < s->l.p[j + 1]; e++) {
            rows += seen[s->l.i[e]] != k + 1;
            seen[s->l.i[e]] = k + 1;
        }
        long cost = best[k].cost + block_cost(width, rows);
        if (best[j + 1].width == 0 || cost < best[j + 1].cost)
            best[j + 1] = (Choice){cost, width};
    }
}

/// No block reaches over the border of a part.
static int widest_at(const PeltiSparse *s, int k)
{
    int end = s->n;
    for (int p = s->order.part_count; p >= 0; p--)
        end = s->order.part_start[p] > k ? s->order.part_start[p] : end;
    return end - k < PELTI_SPARSE_WIDTH ? end - k : PELTI_SPARSE_WIDTH;
}

/// The rows below a block, ascending; says how many. `rows` NULL: only that.
static int list_rows(const PeltiSparse *s, const PeltiSparseBlock *block, int *seen, int *rows)
{
    int count = 0, end = block->first + block->width;
    for (int j = block->first; j < end; j++)
        for (int e = s->l.p[j]; e < s->l.p[j + 1]; e++) {
            int row = s->l.i[e];
            if (row < end || seen[row] == end)
                continue;
            seen[row] = end;
            if (rows)
                rows[count] = row;
            count++;
        }
    if (rows)
        qsort(rows, (size_t)count, sizeof(int), pelti_int_order);
    return count;
}

/// Blocks from the choices, with room for their rows and values.
static bool take_blocks(PeltiSparse *s, const Choice *best, int *seen)
{
    int rows = 0, values = 0;
    s->pack.block_count = 0;
    for (int k = s->n; k > 0; k -= best[k].width)
        s->pack.block_count++;
    s->pack.blocks = PELTI_NEW(&s->pool, PeltiSparseBlock, (size_t)s->pack.block_count + 1);
    if (s->pool.failed)
        return false;
    for (int k = s->n, b = s->pack.block_count - 1; k > 0; k -= best[k].width, b--)
        s->pack.blocks[b] = (PeltiSparseBlock){.first = k - best[k].width, .width = best[k].width};
    for (int b = 0; b < s->pack.block_count; b++) {
        PeltiSparseBlock *block = &s->pack.blocks[b];
        block->row_first = rows;
        block->value_first = values;
        block->row_count = list_rows(s, block, seen, NULL);
        rows += block->row_count;
        values += block->row_count * block->width;
    }
    s->pack.rows = PELTI_NEW(&s->pool, int, (size_t)rows + 1);
    s->pack.x = PELTI_NEW(&s->pool, float, (size_t)values + 1);
    s->pack.d = PELTI_NEW(&s->pool, float, (size_t)s->n + 1);
    s->pack.block_of = PELTI_NEW(&s->pool, int, (size_t)s->n + 1);
    return !s->pool.failed;
}

static void fill_rows(PeltiSparse *s, int *seen)
{
    int top = s->order.part_start[s->order.part_count];
    memset(seen, 0, (size_t)s->n * sizeof *seen);
    for (int b = 0; b < s->pack.block_count; b++) {
        PeltiSparseBlock *block = &s->pack.blocks[b];
        int *rows = s->pack.rows + block->row_first;
        list_rows(s, block, seen, rows);
        while (block->inside < block->row_count && rows[block->inside] < top)
            block->inside++;
        for (int j = block->first; j < block->first + block->width; j++)
            s->pack.block_of[j] = b;
    }
}

PeltStatus pelti_sparse_take_pack(PeltiSparse *s, PeltiPool *temp, PeltError *err)
{
    int *seen = PELTI_NEW(temp, int, (size_t)s->n + 1);
    Choice *best = PELTI_NEW(temp, Choice, (size_t)s->n + 1);
    if (temp->failed)
        return pelti_no_memory(err, (size_t)s->n * sizeof *best);
    for (int k = 0; k < s->n; k++)
        try_widths(s, k, widest_at(s, k), seen, best);
    memset(seen, 0, (size_t)s->n * sizeof *seen);
    if (!take_blocks(s, best, seen))
        return pelti_no_memory(err, (size_t)s->l.p[s->n] * sizeof(float));
    fill_rows(s, seen);
    return PELT_OK;
}

/// Column j of its block: what couples it to the block's later columns, and its values in the block's rows.
static void pack_column(PeltiSparse *s, PeltiSparseBlock *block, int j)
{
    const int *rows = s->pack.rows + block->row_first;
    float *value = s->pack.x + block->value_first + (j - block->first);
    int at = 0, e = s->l.p[j], last = s->l.p[j + 1];
    for (int k = j + 1; k < block->first + block->width; k++) {
        bool there = e < last && s->l.i[e] == k;
        block->inner[k - block->first][j - block->first] = there ? (float)s->l.x[e] : 0;
        e += there;
    }
    for (; at < block->row_count; at++) {
        bool there = e < last && s->l.i[e] == rows[at];
        value[at * block->width] = there ? (float)s->l.x[e] : 0;
        e += there;
    }
}

void pelti_sparse_pack(PeltiSparse *s)
{
    for (int b = 0; b < s->pack.block_count; b++) {
        PeltiSparseBlock *block = &s->pack.blocks[b];
        for (int j = block->first; j < block->first + block->width; j++) {
            s->pack.d[j] = (float)(1 / s->l.d[j]);
            pack_column(s, block, j);
        }
    }
}
