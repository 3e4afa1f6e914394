/// What the files of poses share.
#ifndef PELTI_CHARACTER_POSE_MATH_H
#define PELTI_CHARACTER_POSE_MATH_H

#include "character/character.h"

/// The matrix of node n against its parent.
void pelti_pose_local(const PeltiCharacter *who, const PeltiPose *pose, int n, double out[3][4]);
/// The world matrix of node n from its parent's, which comes first.
void pelti_pose_node_matrix(const PeltiCharacter *who, const PeltiPose *pose, int n, PeltiNodeMatrix *node_matrix);

#endif
