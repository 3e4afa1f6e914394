/// Which joints are joints. Rigs cut thighs and forearms in two so that the skin can twist; no clip bends them there, and for
/// touching the two halves are one limb.
#ifndef PELTI_CONTACT_BENDS_H
#define PELTI_CONTACT_BENDS_H

#include "character/character.h"

/// limb [bone_count]: the bone that a bone's limb starts at: itself, or one above that it goes on from in a straight line
/// without ever bending in the character's clips. Without clips every bone is a limb of its own.
PeltStatus pelti_contact_bone_limbs(const PeltiCharacter *who, PeltiPool *work, int *limb, PeltError *err);

#endif
