/// Composition operators g_d(f1, f2): tables over (f1, f2, d), biharmonic between a profile curve and the borders
/// [Vaillant2014 sec. 4.2].
#ifndef PELTI_FIELD_OPERATOR_H
#define PELTI_FIELD_OPERATOR_H

#include "core/jobs.h"
#include "core/memory.h"
#include "field/profile.h"
#include "math/vec.h"

enum { PELTI_OPERATOR_NODES = 65, PELTI_OPERATOR_SLICES = 17, PELTI_OPERATOR_ANGLES = 257 };

typedef struct PeltiOperatorTables {
    PeltiProfile profile;
    float (*table)[4];                             ///< [slice][f1][f2]: g, dg/df1, dg/df2, 0
    float depth_of_cos[PELTI_OPERATOR_ANGLES + 1]; ///< d (in slices) over cos in [-1, 1]
    float fold_of_cos[PELTI_OPERATOR_ANGLES + 1];  ///< [0, 1] how far a fold takes the joint's bend in place of the local angle
} PeltiOperatorTables;

/// Solves all slices into `pool`. BAD_INPUT for a profile that makes no operator. `depth_scale` multiplies d(angle).
PeltStatus pelti_operator_build(PeltiPool *pool, PeltiJobs *jobs, const PeltiProfile *profile, float depth_scale,
                                PeltiOperatorTables *out, PeltError *err);

/// One slice [nodes x nodes], for plots and tests: index f1 * nodes + f2.
PeltStatus pelti_operator_slice(const PeltiProfile *profile, float d, const PeltAllocator *allocator, double *g, PeltError *err);

#endif
