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

/// How a skin carries offsets: J offset, J the derivative of the blend at the point.
typedef struct PeltiTargetCarry {
    const PeltiPose *pose;
    const Mat34 *bones;
    const PeltiWeights *weights;
    const int *row; ///< [point_count] the row of `weights` of a point; NULL: its own
    bool linear;    ///< J = sum w M, with which linear blending of moved rest points is met exactly; otherwise the rotation of
                    ///< the blended quaternions times the blended stretch, as dual quaternion skinning does
    bool by_vertex; ///< the skin is one of vertices: each goes with its first point
} PeltiTargetCarry;

/// Adds the pose's offsets to a skin [point_count], or [vertex_count]. Does not allocate; touches only what a target moves.
void pelti_targets_carry(PeltiTargetMix *mix, const PeltiTargetCarry *carry, Vec3 *skin);

#endif
