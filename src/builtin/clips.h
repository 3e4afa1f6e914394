/// Clips of built-in characters: motions that stress a skin, each ending in the pose it starts from.
#ifndef PELTI_BUILTIN_CLIPS_H
#define PELTI_BUILTIN_CLIPS_H

#include "builtin/body.h"
#include "character/character.h"

/// Fills who->clips for a body whose joints are the character's nodes of the same index. Memory of the character's pool.
PeltStatus pelti_builtin_clips(const PeltiBody *body, PeltiCharacter *who, PeltError *err);

#endif
