/// Sums over the samples that modes are found from.
#ifndef PELTI_DISTIL_MODES_H
#define PELTI_DISTIL_MODES_H

#include "distil/drives.h"

enum {
    PELTI_MODES_NEAR = PELTI_MODEL_NEAR,
    PELTI_MODES_K = PELTI_BASIS_MOST,
    PELTI_MODES_SLOTS = PELTI_MODES_NEAR * PELTI_MODES_K,
};

typedef struct PeltiDistilModeSums {
    PeltiDistilModel *model;
    PeltiDistilDrives drives;
    int bones;
    int *block_of;   ///< [bones x bones] -1: no vertex is near both
    double **blocks; ///< sums of products of functions, [count of a x count of b], both ways round
    int block_count;
    double *phi; ///< [drives.total] functions of the sample at hand
    int vertex_count;
    int *vertices; ///< those that are looked at
    double *right; ///< [vertex_count x SLOTS x 3] sums of function * residual, by near joint and its function
    double *error; ///< [vertex_count] squared residual, summed over samples
} PeltiDistilModeSums;

/// One pass over the samples. Lives in `pool`.
PeltStatus pelti_distil_mode_sums(PeltiDistilModel *model, PeltiPool *pool, PeltiDistilModeSums *out, PeltError *err);

/// Products of joint a's functions (rows) with joint b's; NULL: no vertex is near both.
static inline const double *pelti_distil_mode_block(const PeltiDistilModeSums *sums, int a, int b)
{
    int at = sums->block_of[(size_t)a * (size_t)sums->bones + (size_t)b];
    return at < 0 ? NULL : sums->blocks[at];
}

#endif
