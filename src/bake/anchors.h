/// Anchors: points of the shown skin that are held or pulled with their surroundings, by a rig's keys or by a host, behind any
/// method. The method goes on from where the skin would be.
#ifndef PELTI_BAKE_ANCHORS_H
#define PELTI_BAKE_ANCHORS_H

#include "character/character.h"

#include <pelt/rig.h>

typedef struct PeltiAnchors {
    const PeltiCharacter *who;
    PeltiArray list; ///< of Anchor (anchors.c); the rig's first
} PeltiAnchors;

void pelti_anchors_init(PeltiAnchors *anchors, const PeltiCharacter *who, const PeltAllocator *allocator);
void pelti_anchors_release(PeltiAnchors *anchors);

/// `rig` gives point, bone, falloff and keys, and outlives the anchor; no keys: nothing pulls until told.
PeltStatus pelti_anchors_add(PeltiAnchors *anchors, const PeltRigAnchor *rig, int *anchor, PeltError *err);
bool pelti_anchors_has(const PeltiAnchors *anchors, int anchor);
int pelti_anchors_find(const PeltiAnchors *anchors, const char *name); ///< of a rig; -1: none

void pelti_anchors_pull(PeltiAnchors *anchors, int anchor, Vec3 offset, float strength); ///< from where the skin would be; world
void pelti_anchors_hold(PeltiAnchors *anchors, int anchor, Vec3 at, float strength);     ///< to this place; world
/// Back to the rig's keys; an anchor without a name is gone, and its number may be given to another.
void pelti_anchors_let_go(PeltiAnchors *anchors, int anchor);

/// Moves `positions`: [point_count], or `by_vertex` [vertex_count]. Does not allocate.
void pelti_anchors_apply(const PeltiAnchors *anchors, const Mat34 *bones, double time_s, bool by_vertex, Vec3 *positions);

#endif
