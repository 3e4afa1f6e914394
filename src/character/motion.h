/// Bones on the way from one pose to another: each turns about its head relative to its parent, so that limbs keep their
/// length. The way starts in the bind pose (that is how a method with state settles into its first pose) and, once it has
/// arrived, goes on from there; asked in between, it cuts a large step into small ones.
#ifndef PELTI_CHARACTER_MOTION_H
#define PELTI_CHARACTER_MOTION_H

#include "character/joints.h"
#include "core/snapshot.h"

/// One end of the way.
typedef struct PeltiMotionEnd {
    Mat34 *bones;       ///< [bone_count] rest space -> world
    PeltiJoint *joints; ///< [bone_count] the same, each bone against its parent
} PeltiMotionEnd;

typedef struct PeltiMotion {
    const PeltiCharacter *who;
    PeltiMotionEnd from, to;
    int *order;        ///< [bone_count] bones, parents first
    int *first, *next; ///< bones of each node, as lists
} PeltiMotion;

/// Room for one motion in a layout arena (see core/memory.h); pelti_motion_start makes it ready once it is placed.
PeltiMotion pelti_motion_in(PeltiArena *arena, const PeltiCharacter *who);
void pelti_motion_start(PeltiMotion *motion);

/// Both ends are the bind pose.
void pelti_motion_reset(PeltiMotion *motion);
/// Where it goes: bones and joints [bone_count] of one pose; they are copied.
void pelti_motion_to(PeltiMotion *motion, const Mat34 *bones, const PeltiJoint *joints);
/// The end of this way is the start of the next.
void pelti_motion_arrive(PeltiMotion *motion);
/// t in [0,1]; the ends are reproduced exactly.
void pelti_motion_at(const PeltiMotion *motion, float t, Mat34 *out);
/// The joints' turns at t, [bone_count]: what pelti_motion_at turns bones by.
void pelti_motion_turns(const PeltiMotion *motion, float t, Quat *turns);
/// The largest turn of a bone relative to its parent, from start to end, in radians.
float pelti_motion_largest_turn(const PeltiMotion *motion);
/// Where the next way starts, as part of a method's state.
void pelti_motion_keep(PeltiMotion *motion, PeltiSnapshot *snapshot);

#endif
