/// What a character derives from its nodes and bones: order, parents, skeletons, segments with tips.
#ifndef PELTI_CHARACTER_SKELETON_H
#define PELTI_CHARACTER_SKELETON_H

#include "character/character.h"

/// node_order, parents first; BAD_INPUT where the nodes form a cycle.
PeltStatus pelti_skeleton_order(PeltiCharacter *who, PeltError *err);
/// Heads, parents and skeleton numbers of bones.
PeltStatus pelti_skeleton_bones(PeltiCharacter *who, PeltError *err);
/// Segments: one to each child bone; a leaf gets a tip as far as the vertices it owns reach.
PeltStatus pelti_skeleton_segments(PeltiCharacter *who, PeltError *err);

/// `depth` [bone_count] of each bone below its root, and `order` [bone_count]: bones by depth, parents first, as they are
/// numbered where that is the same. Time in proportion to the bones, also for a chain of thousands; scratch from `work`.
PeltStatus pelti_skeleton_by_depth(const PeltiCharacter *who, PeltiPool *work, int *depth, int *order, PeltError *err);

/// `moves` [bone_count] comes with the bones that own vertices marked, and marks all that move one through bones below them:
/// helpers, and joints a prop hangs on.
void pelti_skeleton_moves(const PeltiCharacter *who, bool *moves);

/// Squared distance of a point to a segment; `t` (may be NULL) gets the parameter in [0,1].
float pelti_skeleton_segment_distance2(Vec3 p, Vec3 a, Vec3 b, float *t);

#endif
