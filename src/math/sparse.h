/// Sparse symmetric positive definite systems: order once (METIS, or AMD), factor L D L^T in double, solve in double or in
/// float with three right-hand sides side by side as 16-byte rows. Solves only read the object: any number of threads may
/// solve at once, each with work of its own. Creating and refactoring need a thread to themselves per object.
#ifndef PELTI_MATH_SPARSE_H
#define PELTI_MATH_SPARSE_H

#include "core/jobs.h"
#include "core/memory.h"

typedef struct PeltiSparse PeltiSparse;

enum { PELTI_SPARSE_PARTS = 4 }; ///< that a float solve is cut into, at most

/// One entry of a symmetric matrix: an off-diagonal pair is given once, in either triangle; repeated entries add up.
typedef struct PeltiSparseEntry {
    int row, column;
    double value;
} PeltiSparseEntry;

typedef enum PeltiSparseOrdering { PELTI_ORDER_BEST, PELTI_ORDER_METIS, PELTI_ORDER_AMD } PeltiSparseOrdering;

typedef struct PeltiSparseEntries { ///< a whole symmetric matrix
    int n;                          ///< unknowns
    int count;
    const PeltiSparseEntry *list; ///< [count]
} PeltiSparseEntries;

/// Orders and factors. PELT_FAILED: not positive definite (which unknown is said), not finite, out of memory.
PeltStatus pelti_sparse_create(const PeltAllocator *allocator, const PeltiSparseEntries *matrix, PeltiSparseOrdering ordering,
                               PeltiSparse **out, PeltError *err);
/// Another matrix of the same pattern (the same entries but for `value`), in the same order: no ordering is sought.
PeltStatus pelti_sparse_create_like(const PeltiSparse *like, const PeltiSparseEntry *entries, PeltiSparse **out, PeltError *err);
void pelti_sparse_destroy(PeltiSparse *sparse); ///< NULL is fine

/// New values for the entries given to create (same count, rows and columns; only `value` is read): numeric factorisation
/// alone. After a failure the object can only be refactored or destroyed.
PeltStatus pelti_sparse_refactor(PeltiSparse *sparse, const PeltiSparseEntry *entries, PeltError *err);

long pelti_sparse_fill(const PeltiSparse *sparse);        ///< off-diagonal non-zeros of L
const int *pelti_sparse_order(const PeltiSparse *sparse); ///< [n] place in the factor -> unknown

/// A x = b in double; `work` [n]. x may be b.
void pelti_sparse_solve(const PeltiSparse *sparse, const double *b, double *x, double *work);

/// Floats of work for the two float solves below.
size_t pelti_sparse_row_work(const PeltiSparse *sparse);

/// A X = B in float, X and B [n] rows of four floats (three right-hand sides and a pad), 16-byte aligned. In place and in the
/// factor's own order (pelti_sparse_order): a caller that numbers its unknowns so streams through memory. `jobs` may be NULL; the
/// result has the same bits for any number of threads.
void pelti_sparse_solve_rows_ordered(const PeltiSparse *sparse, PeltiJobs *jobs, float (*x)[4], float *work);

/// Rows in ranges: parts that have to do only with themselves and with the top, and the top, which is last. Two rows that an
/// entry of the matrix joins are of one range, or one of them is of the top. first[k] begins range k, the last one ends at n;
/// says how many.
enum { PELTI_SPARSE_RANGES = PELTI_SPARSE_PARTS + 1 }; ///< at most
int pelti_sparse_ranges(const PeltiSparse *sparse, int first[PELTI_SPARSE_RANGES + 1]);

/// The same for a caller that makes its right-hand side row by row and uses the result row by row: `before` fills the rows of a
/// range, `after` is called when those of a range are solved; both from several threads, for the ranges above. With `times`
/// right-hand sides, each made from the answer before it, a part goes from one to the next without waiting for the others: its
/// `before` may read what `after` made of its own rows and of the top's, and what other `before`s of its range made; the top's
/// may read all. One wait for all threads a solve, and rows that are still in the cache.
typedef struct PeltiSparseRows {
    void (*before)(void *context, int begin, int end, int range); ///< NULL: the rows are there
    void (*after)(void *context, int begin, int end, int range);  ///< NULL: nothing to do
    void *context;
    int times; ///< 0: once
} PeltiSparseRows;
void pelti_sparse_solve_made_rows(const PeltiSparse *sparse, PeltiJobs *jobs, const PeltiSparseRows *made, float (*x)[4],
                                  float *work);

/// Columns of the factor that a solve needs whose right-hand side is 0, and whose answer is not wanted, in all other rows: the
/// wanted ones and what lies above them in the elimination tree, in whole blocks of columns.
typedef struct PeltiSparseSome {
    int count;
    int *column;                            ///< [n] ascending; the caller's memory
    int part_first[PELTI_SPARSE_PARTS + 1]; ///< where each part begins in `column`, then the top
} PeltiSparseSome;

/// mark [n], in the factor's order: wanted rows are not 0 on entry, needed ones are not 0 on return.
void pelti_sparse_some(const PeltiSparse *sparse, unsigned char *mark, PeltiSparseSome *out);

/// pelti_sparse_solve_rows_ordered in some rows: those of `some` that are not wanted have to be 0 on entry, all others are left
/// as they are. To the bit what the whole solve gives there.
void pelti_sparse_solve_rows_some(const PeltiSparse *sparse, PeltiJobs *jobs, const PeltiSparseSome *some, float (*x)[4],
                                  float *work);

/// The same with the caller's numbering: b is kept unless x is b.
void pelti_sparse_solve_rows(const PeltiSparse *sparse, PeltiJobs *jobs, const float (*b)[4], float (*x)[4], float *work);

#endif
