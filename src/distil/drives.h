/// All the drives a corrective could have: ramps along the axes each joint turns about, and products of two.
#ifndef PELTI_DISTIL_DRIVES_H
#define PELTI_DISTIL_DRIVES_H

#include "distil/model.h"

enum { PELTI_DRIVES_MOST = 64 }; ///< of one joint

typedef struct PeltiDrives {
    const PeltiCharacter *who;
    int *first, *count; ///< [bone_count] into all
    int total;
    PeltiCorrective *all; ///< without points
} PeltiDrives;

/// From how far the joints turn in the samples. Lives in `pool`.
PeltStatus pelti_distil_drives(PeltiModel *model, PeltiPool *pool, PeltiDrives *out, PeltError *err);

#endif
