/// Inside of the sparse solver, shared by its files: sparse.c (pattern, factor), sparse_order.c (ordering, parts),
/// sparse_rows.c (float solves).
#ifndef PELTI_MATH_SPARSE_PARTS_H
#define PELTI_MATH_SPARSE_PARTS_H

#include "math/sparse.h"

typedef struct Graph {
    const int *start, *list; ///< neighbours of i: list[start[i] .. start[i+1])
} Graph;

struct PeltiSparse {
    PeltiPool pool;
    int n, entry_count;
    int *order, *place; ///< place in the factor -> unknown, and back
    int *ap, *ai;       ///< upper triangle by columns, in factor order; the diagonal is last in a column
    double *ax;
    int *entry_at; ///< [entry_count] where it adds in ax
    int *lp, *li;  ///< L by columns, rows ascending, unit diagonal not stored
    double *lx, *d;
    int *parent, *lnz, *flag, *pattern; ///< elimination tree and work of the numeric factorisation
    double *y;
    /// Columns [part_start[p], part_start[p+1]) are whole subtrees of the elimination tree: parts touch only themselves and
    /// the top, columns [part_start[part_count], n). Chosen by the pattern alone.
    int part_count, part_start[PELTI_SPARSE_PARTS + 1];
    int *top_at;    ///< [n] first entry of a column whose row is in the top
    float *fx, *fd; ///< L in float; 1 / D
    bool *twin;     ///< [n] the next column has the same rows, but for itself, and is of the same part
};

PeltStatus pelti_sparse_find_order(PeltiSparse *s, PeltiPool *temp, const Graph *g, PeltiOrdering ordering, PeltError *err);
PeltStatus pelti_sparse_take_pack(PeltiSparse *s, PeltError *err); ///< room for the float copy
void pelti_sparse_pack(PeltiSparse *s);                            ///< fills it after each factorisation

#endif
