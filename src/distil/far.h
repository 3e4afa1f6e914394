/// Poses that no body takes: parts that lie far from each other along the skeleton pass through each other. What a method makes
/// of these depends on joints far away, which no corrective hears of.
#ifndef PELTI_DISTIL_FAR_H
#define PELTI_DISTIL_FAR_H

#include "character/weights.h"

typedef struct PeltiDistilFar PeltiDistilFar;

/// `who` and `weights` (of vertices) must outlive it; lives in `pool`.
PeltStatus pelti_distil_far(const PeltiCharacter *who, const PeltiWeights *weights, PeltiJobs *jobs, PeltiPool *pool,
                            PeltiDistilFar **out, PeltError *err);
/// Whether far parts cross when the skin is blended by `bones` [bone_count].
bool pelti_distil_far_crosses(PeltiDistilFar *far, const Mat34 *bones);

/// Joints along the skeleton from one bone to another; -1: they are of different skeletons.
int pelti_distil_apart(const PeltiCharacter *who, int a, int b);

#endif
