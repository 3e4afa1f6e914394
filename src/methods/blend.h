/// What `lbs` and `dqs` share: rest positions and influences laid out for a blending kernel.
#ifndef PELTI_METHODS_BLEND_H
#define PELTI_METHODS_BLEND_H

#include "methods/method.h"

enum { PELTI_BLEND_LANES = 8 }; ///< items are padded to whole groups of this many

/// Items are the file's points where the file's own weights are used (exact, also at seams), else welded vertices.
typedef struct PeltiBlend {
    int item_count, padded_count;
    int influences;   ///< per item, a multiple of 4
    float *x, *y, *z; ///< [padded_count] rest
    float *weight;    ///< [padded_count x influences] falling
    int *bone;        ///< [padded_count x influences] 0 where the weight is
} PeltiBlend;

/// Runs twice: once with an arena without a base to measure, once to place. `pelti_blend_fill` then fills it.
void pelti_blend_layout(PeltiBlend *blend, PeltiArena *arena, const PeltiMethodPrepare *in);
void pelti_blend_fill(PeltiBlend *blend, const PeltiMethodPrepare *in);

#endif
