/// A rig that a program filled, not a reader.
#ifndef PELTI_BAKE_RIG_CHECK_H
#define PELTI_BAKE_RIG_CHECK_H

#include "character/character.h"

#include <pelt/rig.h>

/// BAD_INPUT names the first entry that a rig file could not hold either: names no joint has, numbers out of range, points
/// that are not there, lists that are missing.
PeltStatus pelti_bake_rig_check(const PeltRig *rig, const PeltiCharacter *who, PeltError *err);

#endif
