/// What the files of retargeting share.
#ifndef PELTI_CHARACTER_RETARGET_PARTS_H
#define PELTI_CHARACTER_RETARGET_PARTS_H

#include "character/retarget.h"

/// One of the two skeletons.
typedef struct PeltiRetargetBody {
    const PeltiCharacter *who;
    PeltiHumanoid parts;
    bool *usable;   ///< [node_count] joints of skins and nodes above and below them; all where there is no skin
    Quat *turn;     ///< [node_count] world, at rest
    Vec3 *head;     ///< [node_count] world, at rest
    bool *moves;    ///< [node_count] a clip turns or shifts it; of `from`
    bool *slides;   ///< [node_count] a clip shifts it; of `from`
    Vec3 left, up;  ///< world, of the body
    bool has_sides; ///< left and up are known
} PeltiRetargetBody;

/// A joint of `to` and what it follows: the joint `a` of `from`, or the turn a share `t` of the way from `a` to `b`.
typedef struct PeltiRetargetPair {
    int node, a, b;
    float t;
    Quat align;    ///< A
    bool is_free;  ///< no pair above it: its place follows too
    bool is_limb;  ///< A is taken from its direction; else from the pair above where it is no part of the trunk
    int next;      ///< node of `to` that the limb points to, -1: none
    int next_from; ///< and of `from`
    bool is_named; ///< same name in both
    int hangs_on;  ///< node of `to` it keeps its distance to though it hangs elsewhere (feet of rigs with goals), -1: none
} PeltiRetargetPair;

typedef struct PeltiRetargetWork {
    PeltiPool *pool; ///< dies with the work
    PeltiRetargetBody from, to;
    PeltiRetargetPair *pairs; ///< [pair_count] parents first
    int pair_count;
    int *pair_of; ///< [to.node_count] -1: none
    Quat facing;  ///< F
    float ratio;  ///< lengths of `to` / lengths of `from`
} PeltiRetargetWork;

PeltStatus pelti_retarget_body(PeltiRetargetWork *w, const PeltiRetargetEnd *end, PeltiRetargetBody *body, PeltError *err);
PeltStatus pelti_retarget_pairs(PeltiRetargetWork *w, PeltError *err);

#endif
