/// Coarse characters. Methods that let skin slide, fold or swing need vertices between the joints; a character of a few long
/// triangles a limb gets them here: a copy whose long edges are split, for the method alone. The file's own points come first
/// and keep their numbers (so do their welded vertices), and are all that a user sees of the result.
#ifndef PELTI_CHARACTER_REFINE_H
#define PELTI_CHARACTER_REFINE_H

#include "character/character.h"

/// Half of the skin lies in triangles that are long beside the bone they follow.
bool pelti_character_is_coarse(const PeltiCharacter *who);
/// The copy shares nodes, bones and clips with `who`, which must outlive it. New points lie on the old triangles and blend the
/// weights of the edge's ends. *out is NULL where the old vertices could not keep their numbers.
PeltStatus pelti_character_refine(const PeltiCharacter *who, const PeltAllocator *allocator, PeltiCharacter **out,
                                  PeltError *err);

#endif
