/// Plans of the built-in characters: a skeleton and the shape around it. Metres, +Y up, facing +Z; left is +X.
#ifndef PELTI_BUILTIN_BODY_H
#define PELTI_BUILTIN_BODY_H

#include "builtin/shape.h"

enum { PELTI_FIGURE_BONES = 64, PELTI_FINGERS = 5 };

typedef struct PeltiFigureBone {
    char name[32];
    int parent;      ///< -1: root
    Vec3 head, tail; ///< rest space
    float blend;     ///< m, how far the skin's weights fade across the joint at its head
} PeltiFigureBone;

/// Joints of a hand, each -1 where the plan has none. Finger 0 is the thumb.
typedef struct PeltiFigureHand {
    int wrist;
    int joint[PELTI_FINGERS][4]; ///< metacarpal (thumb: none), proximal, middle (thumb: none), distal
    Vec3 side, along, back;      ///< towards the thumb, towards the finger tips, out of the back of the hand
} PeltiFigureHand;

typedef struct PeltiFigure {
    const char *name;
    PeltiSolid *shape;
    int bone_count;
    PeltiFigureBone bones[PELTI_FIGURE_BONES];
    float voxel, cell; ///< m: extraction grid, culling cells
    bool on_ground;    ///< lowest point goes to y = 0
    int hand_count;
    PeltiFigureHand hands[2];
} PeltiFigure;

static inline uint64_t pelti_figure_bit(int bone)
{
    return (uint64_t)1 << bone;
}

/// Where a new bone lies.
typedef struct PeltiFigureSegment {
    Vec3 head, tail; ///< rest space, of the left side where mirrored
    float blend;     ///< as of PeltiFigureBone
    bool mirror;     ///< reflect in x = 0
} PeltiFigureSegment;
int pelti_figure_bone(PeltiFigure *body, const char *prefix, const char *name, int parent, PeltiFigureSegment at);
int pelti_figure_find(const PeltiFigure *body, const char *name); ///< -1: none
float pelti_figure_size(const PeltiFigure *body);                 ///< m, the longest side of the box around its joints
/// A bone's name without its side, "Left" or "Right", and which it is; neither: in the middle.
const char *pelti_figure_side(const char *name, bool *left, bool *right);

/// A left hand (mirrored for a right one) of 0.19 m, its wrist at the place's origin, fingers along +Y, back of the hand
/// +Z, thumb +X. `metacarpals`: bones for these too. Groups `group` ... `group` + 5 are used.
void pelti_figure_hand(PeltiFigure *body, const PeltiSolidPen *pen, const char *prefix, int wrist, int group, bool metacarpals);

/// Upper arm and forearm with the hand, from `shoulder` along `along` with the elbow's hollow towards `front`.
typedef struct PeltiFigureArm {
    Vec3 shoulder, elbow, wrist;
    Vec3 front;
    int upper, lower, hand; ///< bones
} PeltiFigureArm;
void pelti_figure_arm(PeltiFigure *body, const PeltiSolidPen *pen, const char *prefix, const PeltiFigureArm *plan, int group);

void pelti_figure_plan_cylinder(PeltiFigure *body);
void pelti_figure_plan_arm(PeltiFigure *body);
void pelti_figure_plan_hand(PeltiFigure *body);
void pelti_figure_plan_biped(PeltiFigure *body);
void pelti_figure_plan_beast(PeltiFigure *body);

#endif
