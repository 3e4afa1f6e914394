/// A clip for characters that have none: every joint is taken through a range of motion made from the skeleton.
#ifndef PELTI_CHARACTER_RANGE_H
#define PELTI_CHARACTER_RANGE_H

#include "character/character.h"

/// Puts the clip behind the file's own: who->clips[who->clip_count], named "range", found by that name and counted by nobody.
/// Six moves of a second each, away from the file's pose and back: hinges (elbows, knees, fingers), limbs, trunk and neck, hands
/// and feet, sideways, twists. How far is typical of the part its joint's name tells of (in the words of the usual rigs); joints
/// whose names say nothing move a little. Needs bones, parents and order: the last step of pelti_character_finish.
PeltStatus pelti_range_clip(PeltiCharacter *who, PeltError *err);

#endif
