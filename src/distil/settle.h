/// A skin brought into a pose: led there from the file's pose, so that what touches on the way does, and no farther than it goes.
#ifndef PELTI_DISTIL_SETTLE_H
#define PELTI_DISTIL_SETTLE_H

#include "bake/objects.h"

typedef struct PeltiDistilSettle {
    PeltSkin *skin;
    PeltiPose pose; ///< reached: the one that was asked for, or the last one before the skin was caught
    Vec3 *points;   ///< [point_count] the skin in it
    int steps;      ///< of the skin, in all
    int short_of;   ///< poses that were not reached
    PeltiPose start, station;
} PeltiDistilSettle;

void pelti_distil_settle_init(PeltiDistilSettle *settle, PeltSkin *skin, PeltiPool *pool); ///< the caller looks at pool->failed
void pelti_distil_settle(PeltiDistilSettle *settle, const PeltiPose *pose);

#endif
