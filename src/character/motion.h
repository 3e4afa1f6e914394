/// Bones on the way from one pose to another: each turns about its head relative to its parent, so that limbs keep their
/// length. Needs bone matrices alone, so the bind pose (all identity) is a start like any other: that is how a method with
/// state settles into its first pose, and how it cuts a large step into small ones.
#ifndef PELTI_CHARACTER_MOTION_H
#define PELTI_CHARACTER_MOTION_H

#include "character/character.h"

typedef struct PeltiMotionBone {
    int bone;        ///< parents come first
    int parent;      ///< of this motion: -1 also where the parent collapses (no inverse) at an end
    Quat turn[2];    ///< relative to the parent bone, at the start and at the end
    Mat3 stretch[2]; ///< the rest of the linear part: linear = turn * stretch
    Vec3 head[2];    ///< where the head goes, in the parent's rest space
} PeltiMotionBone;

typedef struct PeltiMotion {
    const PeltiCharacter *who;
    PeltiMotionBone *bones; ///< [bone_count]
    int *first, *next;      ///< bones of each node, as lists
    const Mat34 *from, *to; ///< as set; NULL: the bind pose
} PeltiMotion;

/// Room for one motion in a layout arena (see core/memory.h); pelti_motion_order fills the order once it is placed.
PeltiMotion pelti_motion_in(PeltiArena *arena, const PeltiCharacter *who);
void pelti_motion_order(PeltiMotion *motion);

/// `from` and `to` [bone_count] stay the caller's and must live while the motion is asked; NULL: the bind pose.
void pelti_motion_set(PeltiMotion *motion, const Mat34 *from, const Mat34 *to);
/// t in [0,1]; the ends are reproduced exactly.
void pelti_motion_at(const PeltiMotion *motion, float t, Mat34 *out);
/// The largest turn of a bone relative to its parent, from start to end, in radians.
float pelti_motion_largest_turn(const PeltiMotion *motion);

#endif
