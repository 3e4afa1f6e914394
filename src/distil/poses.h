/// Poses to learn from, by number: frames of clips, sweeps of each joint to its limits, pairs of neighbours, all joints around
/// one, and few joints at random, spread evenly (a Kronecker sequence: frac(i sqrt(prime)), low discrepancy in every dimension).
/// Pose i depends on the character, the seed and i alone, so any part of a set can be made anywhere.
#ifndef PELTI_DISTIL_POSES_H
#define PELTI_DISTIL_POSES_H

#include "character/character.h"

#include <pelt/rig.h>

typedef struct PeltiDistilPoseJoint {
    int node, bone;
    int parent;     ///< index among the joints of a set; -1: none
    Vec3 axis[3];   ///< the parent node's frame; the first is the one it turns about most in the clips
    Quat to_world;  ///< from that frame, in the file's pose
    float most[6];  ///< rad, along the axes: towards, away from each, as the clips and the range of motion have them, or given
    Vec3 bone_axis; ///< unit, along the bone, the parent node's frame: what it twists about
    Vec3 bend_axis; ///< unit, across the bone: what it bends about most; bends to the side the clips go farther to are > 0
    float bend[2], twist[2]; ///< rad, given: least, most. Not given: INFINITY either way
} PeltiDistilPoseJoint;

typedef struct PeltiDistilPoseSweep {
    int joint, side; ///< side in [0, 6), of `most`
} PeltiDistilPoseSweep;

typedef struct PeltiDistilPoses {
    const PeltiCharacter *who;
    uint64_t seed;
    int unseen; ///< clip that no pose is taken from; -1: none
    int joint_count, sweep_count, pair_count;
    PeltiDistilPoseJoint *joints;
    PeltiDistilPoseSweep *sweeps;
    int *pairs;             ///< [pair_count] joints whose parent is a joint too
    double *steps;          ///< [4 bone_count + 1] of the sequences, a dimension each
    double *reach;          ///< [joint_count + 1] lengths of the bones before each, summed
    int clip_count, *clips; ///< those that poses are taken from; the range of motion where the file has none
} PeltiDistilPoses;

typedef enum PeltiDistilPoseKind {
    PELTI_DISTIL_POSE_CLIP,
    PELTI_DISTIL_POSE_SWEEP,
    PELTI_DISTIL_POSE_PAIR,
    PELTI_DISTIL_POSE_AROUND,
    PELTI_DISTIL_POSE_RANDOM,
    PELTI_DISTIL_POSE_HELD_OUT
} PeltiDistilPoseKind;
extern const char *const pelti_distil_pose_kinds[]; ///< names, by kind

typedef struct PeltiDistilPosesDef {
    const PeltiCharacter *who;
    uint64_t seed;
    int unseen;         ///< clip whose poses and limits are not looked at; -1: none
    const PeltRig *rig; ///< limits of joints that are given; NULL: none
} PeltiDistilPosesDef;
/// Limits of joints from the rig, else from the clips and from the range of motion that the skeleton is worth. Lives in `pool`.
PeltStatus pelti_distil_poses(const PeltiDistilPosesDef *def, PeltiPool *pool, PeltiDistilPoses *out, PeltError *err);

/// limits.c: takes over what the rig gives, after axes and limits were found; and keeps a pose to it.
void pelti_distil_limits(PeltiDistilPoses *poses, const PeltRig *rig);
void pelti_distil_keep_to_limits(const PeltiDistilPoses *poses, PeltiPose *pose);
/// A joint's turn away from the file's pose, a rotation vector in its parent node's frame.
Vec3 pelti_distil_away(const PeltiCharacter *who, const PeltiPose *pose, int node);

/// Which pose of a set, and how often it was drawn before, in vain.
typedef struct PeltiDistilPoseDraw {
    int index, again;
} PeltiDistilPoseDraw;
PeltiDistilPoseKind pelti_distil_pose_kind(int index); ///< of pose `index` to learn from
/// A pose to learn from.
void pelti_distil_pose(const PeltiDistilPoses *poses, PeltiDistilPoseDraw draw, PeltiPose *out);
/// One of those that no fit sees: random ones of a sequence of their own.
void pelti_distil_pose_held_out(const PeltiDistilPoses *poses, PeltiDistilPoseDraw draw, PeltiPose *out);

#endif
