/// The frames of a clip, sampled for their principal modes.
#ifndef PELTI_IO_GLTF_MORPH_MODES_H
#define PELTI_IO_GLTF_MORPH_MODES_H

#include "io/gltf_morph.h"
#include "math/principal.h"

/// From the offsets to frame 0 of at most some thousand points, spread evenly. In `pool`.
PeltStatus pelti_morph_modes(const PeltiMorphDef *def, PeltiPool *pool, PeltiPrincipalModes *out, PeltError *err);

#endif
