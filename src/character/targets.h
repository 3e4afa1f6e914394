/// Morph targets of a file: offsets added to rest points before they are skinned, each times a weight of the pose.
#ifndef PELTI_CHARACTER_TARGETS_H
#define PELTI_CHARACTER_TARGETS_H

#include "character/character.h"

/// Scratch for one skin's steps, made once. Without targets it is empty and costs nothing.
typedef struct PeltiTargetMix {
    const PeltiCharacter *who;
    int count;
    int *points;   ///< [count] that some target moves, ascending
    Vec3 *offsets; ///< [point_count] rest space, of the last pose
    Quat *turn;    ///< [bone_count]
    Mat3 *stretch; ///< [bone_count]
} PeltiTargetMix;
PeltStatus pelti_targets_create(PeltiTargetMix *mix, const PeltiCharacter *who, PeltiPool *pool, PeltError *err);

/// offsets = sum of weight * target over the pose's weights; false where there is nothing to add.
bool pelti_targets_mix(PeltiTargetMix *mix, const PeltiPose *pose);

/// Adds the pose's offsets to skinned points as the skin carries them: J offset, J the derivative of the blend at the point.
/// `linear`: J = sum w M, with which linear blending of moved rest points is met exactly; otherwise the rotation of the
/// blended quaternions times the blended stretch, as dual quaternion skinning does. `row` [point_count] is the row of
/// `weights` of a point, NULL: its own. Does not allocate; touches only points that a target moves.
void pelti_targets_carry(PeltiTargetMix *mix, const PeltiPose *pose, const PeltiWeights *weights, const int *row,
                         const Mat34 *bones, bool linear, Vec3 *points);

#endif
