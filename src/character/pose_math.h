/// What the files of poses share.
#ifndef PELTI_CHARACTER_POSE_MATH_H
#define PELTI_CHARACTER_POSE_MATH_H

#include "character/character.h"

/// The world matrix of node n from its parent's, which comes first.
void pelti_pose_node_world(const PeltiCharacter *who, const PeltiPose *pose, int n, PeltiWorld *node_world);

#endif
