/// What correctives can hear: ramps along the axes each joint turns about, and products of two of them.
#ifndef PELTI_DISTIL_DRIVES_H
#define PELTI_DISTIL_DRIVES_H

#include "distil/model.h"

enum { PELTI_BASIS_MOST = 128 }; ///< of one joint

/// One function of a pose: what a drive says, or two of them multiplied.
typedef struct PeltiDistilBasis {
    int drive[2]; ///< of the model's drives; the second -1: only one
} PeltiDistilBasis;

typedef struct PeltiDistilDrives {
    const PeltiCharacter *who;
    int *first, *count; ///< [bone_count] into all: functions that are this joint's, alone or with its parent
    int total;
    PeltiDistilBasis *all;
} PeltiDistilDrives;

/// From how far the joints turn in the samples; fills the model's drives. Lives in `pool`, the drives in the model's.
PeltStatus pelti_distil_drives(PeltiDistilModel *model, PeltiPool *pool, PeltiDistilDrives *out, PeltError *err);

#endif
