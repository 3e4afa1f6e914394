/// Inside of the sparse solver, shared by its files: sparse.c (pattern, factor), sparse_order.c (ordering, parts),
/// sparse_blocks.c (the factor in float), sparse_rows.c (float solves).
#ifndef PELTI_MATH_SPARSE_PARTS_H
#define PELTI_MATH_SPARSE_PARTS_H

#include "math/sparse.h"

#include <stdlib.h>
#include <string.h>

typedef struct SparseGraph {
    const int *start, *list; ///< neighbours of i: list[start[i] .. start[i+1])
} SparseGraph;

enum { PELTI_SPARSE_WIDTH = 4 }; ///< columns of a block at most

/// Columns in a row of one part (or of the top), see sparse_blocks.c.
typedef struct PeltiSparseBlock {
    int first, width;
    int row_first, row_count;                            ///< into `rows`: those below the block, ascending
    int inside;                                          ///< of them, below the top
    int value_first;                                     ///< into `x`: row_count times width, a row's side by side
    float inner[PELTI_SPARSE_WIDTH][PELTI_SPARSE_WIDTH]; ///< [row][column] within the block, below the diagonal
} PeltiSparseBlock;

/// Chosen by the pattern alone: sparse_order.c writes it, sparse.c that of a matrix like another one. Columns [part_start[p],
/// part_start[p+1]) are whole subtrees of the elimination tree: parts touch only themselves and the top, columns
/// [part_start[part_count], n).
typedef struct SparseOrder {
    int *unknown, *place; ///< place in the factor -> unknown, and back
    int part_count, part_start[PELTI_SPARSE_PARTS + 1];
} SparseOrder;

/// The matrix' upper triangle by columns, in the factor's order; the diagonal is last in a column. Arrays are called as LDL calls
/// them.
typedef struct SparseMatrix {
    int *p, *i;
    double *x;
    int *entry_at; ///< [entry_count] where it adds in x
} SparseMatrix;

/// L by columns, rows ascending, unit diagonal not stored; and D.
typedef struct SparseFactor {
    int *p, *i;
    double *x, *d;
    int *parent; ///< [n] elimination tree
    int *count;  ///< [n] entries of a column
} SparseFactor;

/// The same in float by blocks of columns: sparse_blocks.c makes it, solves in float read it.
typedef struct SparsePack {
    int block_count;
    PeltiSparseBlock *blocks;
    int *block_of; ///< [n]
    int *rows;     ///< of the blocks
    float *x, *d;  ///< L by blocks; 1 / D
} SparsePack;

/// Of the numeric factorisation, while it runs; all [n].
typedef struct SparseScratch {
    int *flag, *pattern;
    double *y;
} SparseScratch;

struct PeltiSparse {
    PeltiPool pool;
    int n, entry_count;
    SparseOrder order;
    SparseMatrix a;
    SparseFactor l;
    SparsePack pack;
    SparseScratch scratch;
};

PeltStatus pelti_sparse_find_order(PeltiSparse *s, PeltiPool *temp, const SparseGraph *g, PeltiSparseOrdering ordering,
                                   PeltError *err);
/// Blocks for the float copy, once the pattern of the factor is there; pack fills them after each factorisation.
PeltStatus pelti_sparse_take_pack(PeltiSparse *s, PeltiPool *temp, PeltError *err);
void pelti_sparse_pack(PeltiSparse *s);

#endif
