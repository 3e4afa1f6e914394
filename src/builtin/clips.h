/// Clips of built-in characters: motions that stress a skin, each ending in the pose it starts from.
#ifndef PELTI_BUILTIN_CLIPS_H
#define PELTI_BUILTIN_CLIPS_H

#include "builtin/body.h"
#include "character/character.h"

/// Fills who->clips for a body whose joints are the character's nodes of the same index. `only`: this one; NULL: all but
/// "random", which `seed` makes. Memory of the character's pool; `work` for what is dropped.
PeltStatus pelti_builtin_clips(const PeltiFigure *body, const char *only, uint64_t seed, PeltiPool *work, PeltiCharacter *who,
                               PeltError *err);

#endif
