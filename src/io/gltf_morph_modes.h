/// Principal modes of a clip: how frames combine, before any target is made.
#ifndef PELTI_IO_GLTF_MORPH_MODES_H
#define PELTI_IO_GLTF_MORPH_MODES_H

#include "io/gltf_morph.h"

typedef struct PeltiModes {
    int count;   ///< no more than asked for, or than the motion has
    double *u;   ///< [frame_count x count] orthonormal columns, strongest first; row 0 is zero
    double *rms; ///< [count + 1] distance left, on average over sampled points and frames, after so many modes
} PeltiModes;

/// From the offsets to frame 0 of at most some thousand points, spread evenly. In `pool`.
PeltStatus pelti_modes_make(const PeltiMorphDef *def, PeltiPool *pool, PeltiModes *out, PeltError *err);

#endif
