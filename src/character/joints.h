/// Joints as a pose turns them: each bone against its parent bone, from the turns the pose is made of.
#ifndef PELTI_CHARACTER_JOINTS_H
#define PELTI_CHARACTER_JOINTS_H

#include "character/character.h"

/// A bone's motion in its parent's rest space (the world where it has none): x -> head' + turn * stretch * (x - head).
typedef struct PeltiJoint {
    Quat turn;    ///< unit; its sign says nothing
    Vec3 head;    ///< head', where the parent carries this joint
    Mat3 stretch; ///< what is left of the linear part: the identity where nothing scales
} PeltiJoint;

/// Once per character, when bones have parents: what of turns lies in the bind pose and in nodes that are given by a matrix.
void pelti_joints_bind(PeltiCharacter *who);

/// joints [bone_count] of a pose. Costs a matrix product a node between a bone and its parent. Where scales differ along the axes
/// above a joint that turns, the turn is still the product of the nodes' turns, and the shear is left to the stretch.
void pelti_joints_pose(const PeltiCharacter *who, const PeltiPose *pose, PeltiJoint *joints);

#endif
