/// Texture coordinates of built-in characters: the skin of each bone unrolled around it, packed into one picture.
#ifndef PELTI_BUILTIN_UV_H
#define PELTI_BUILTIN_UV_H

#include "builtin/body.h"
#include "character/character.h"

/// Splits the points of a character whose points are its vertices, with its weights, at the seams of the charts; `uv`
/// [who->point_count] lives in the character's pool. Before pelti_character_finish.
PeltStatus pelti_builtin_uv(const PeltiFigure *body, PeltiCharacter *who, const float (**uv)[2], PeltError *err);

#endif
