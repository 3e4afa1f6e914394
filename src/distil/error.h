/// How far a distilled skin is from the method's: all points of all poses, and by joint, beside the file's own weights.
#ifndef PELTI_DISTIL_ERROR_H
#define PELTI_DISTIL_ERROR_H

#include "distil/distilled.h"

#include <pelt/distil.h>

enum { PELTI_DISTIL_ERROR_BINS = 1 << 15 };

/// Distances of one skin. Percentiles are read off a histogram, a bin a hundred-thousandth of the size.
typedef struct PeltiDistilErrorSum {
    double square;
    double *joint_square; ///< [bone_count] by the bone that a point hangs on most
    float *joint_most;    ///< [bone_count]
    float largest;
    int worst_pose, worst_point; ///< of the largest distance
    uint64_t *bins;              ///< [PELTI_DISTIL_ERROR_BINS] the last holds all above
} PeltiDistilErrorSum;

typedef struct PeltiDistilErrors {
    const PeltiCharacter *who;
    const int *main_bone;   ///< [point_count]
    uint64_t *joint_points; ///< [bone_count] how many
    int poses, worse;
    PeltiDistilErrorSum distilled, original;
} PeltiDistilErrors;

PeltStatus pelti_distil_errors(PeltiDistilErrors *errors, const PeltiCharacter *who, const PeltiWeights *points_weights,
                               PeltiPool *pool, PeltError *err);
/// One more pose: what the method made, what the distilled skin and the file's own weights make of it.
void pelti_distil_errors_add(PeltiDistilErrors *errors, const Vec3 *truth, const Vec3 *distilled, const Vec3 *original);
PeltDistilError pelti_distil_errors_tell(const PeltiDistilErrors *errors);

#endif
