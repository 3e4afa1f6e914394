/// Clothes, eyes, buttons, hair and things to hold, for each built-in character.
#ifndef PELTI_BUILTIN_DRESS_H
#define PELTI_BUILTIN_DRESS_H

#include "builtin/builtin.h"
#include "builtin/pieces.h"

/// Adds the pieces that `seed` draws, or all there are for this body. Nothing for PELTI_DRESS_NONE.
PeltStatus pelti_builtin_dress(PeltiWear *pieces, uint64_t seed, PeltiBuiltinDress dressing, PeltError *err);

#endif
