/// A distilled skin: what every engine plays. Linear blending with few weights over the file's joints and helpers between them,
/// and morph targets in rest space before that (correctives). Helpers and correctives follow the file's joints by rules short
/// enough for any engine's script (docs/distil.md); `drive.c` is the reference of those rules.
///
/// Joints are the character's bones, by their number. A joint's turn is the one of character/joints.h: relative to its parent
/// bone, in the parent's rest space, the identity in the bind pose.
#ifndef PELTI_DISTIL_DISTILLED_H
#define PELTI_DISTIL_DISTILLED_H

#include "character/joints.h"

typedef enum PeltiHelperKind {
    PELTI_HELPER_TURN,  ///< turns by `fraction` of the driver's turn: slerp(1, turn, fraction)
    PELTI_HELPER_TWIST, ///< turns by `fraction` of the driver's twist about `axis` (VRMC_node_constraint's roll)
} PeltiHelperKind;

/// A helper sits at the head of its driver, beside it: below the driver's parent. In the parent's rest space it maps
/// x -> at + turn (x - head), with `at` where the parent carries the driver's head (+ offset * angle of the driver's turn).
typedef struct PeltiHelper {
    const char *name; ///< "<driver>.half", unlike any node's name
    int parent;       ///< bone whose frame it lives in: the driver's parent, never -1
    int driver;       ///< bone
    PeltiHelperKind kind;
    float fraction; ///< 0 to 1
    Vec3 axis;      ///< unit, the parent's rest space; of a twist
    Vec3 head;      ///< the driver's head, rest space
    Vec3 offset;    ///< how far it is pushed, the parent's rest space, units a radian of the driver's turn; usually zero
} PeltiHelper;

/// What one joint says: clamp((r . axis - from) / (to - from), 0, 1), where r is its turn as a rotation vector (axis times angle
/// in [0, pi], the parent's rest space).
typedef struct PeltiDistilDrive {
    int joint;      ///< bone
    Vec3 axis;      ///< unit
    float from, to; ///< rad; from != to; either may be the larger
} PeltiDistilDrive;

/// A share of a weight: gain times what one or two drives say.
typedef struct PeltiDistilTerm {
    float gain;
    int drive[2]; ///< of the skin's drives; the second -1: only one
} PeltiDistilTerm;

/// A morph target whose weight is clamp(sum of its terms, low, high): 0 in the bind pose, and never beyond what the samples had.
typedef struct PeltiCorrective {
    const char *name; ///< unlike any other target's
    int joint;        ///< bone that all its terms hear, alone or with a neighbour
    int term_count;
    const PeltiDistilTerm *terms;
    float low, high; ///< -1 <= low <= 0 <= high <= 1
    int count;
    const int *points;   ///< [count] ascending
    const Vec3 *offsets; ///< [count] rest space
} PeltiCorrective;

typedef struct PeltiDistilSkin {
    const PeltiCharacter *who;
    int joint_count;      ///< bones of the character
    PeltiWeights weights; ///< of points; a bone >= joint_count is helper joint_count + h. Points of props keep their one bone
    int helper_count, drive_count, corrective_count;
    const PeltiHelper *helpers;
    const PeltiDistilDrive *drives; ///< that terms name, those of a joint one after another
    const PeltiCorrective *correctives;
} PeltiDistilSkin;

/// Where a helper is in its parent's rest space: x -> at + turn (x - head).
typedef struct PeltiHelperPose {
    Quat turn;
    Vec3 at;
} PeltiHelperPose;

/// What the rules make of a pose; arrays are the caller's.
typedef struct PeltiDistilDriven {
    PeltiHelperPose *helpers; ///< [helper_count]
    float *drives;            ///< [drive_count] in [0, 1]
    float *correctives;       ///< [corrective_count] in [-1, 1]
} PeltiDistilDriven;

PeltiDistilDriven pelti_distil_driven_new(PeltiPool *pool, const PeltiDistilSkin *distilled);
/// The rules: helpers and weights of correctives from joints [bone_count] (pelti_joints_pose). Does not allocate.
void pelti_distil_drive(const PeltiDistilSkin *distilled, const PeltiJoint *joints, PeltiDistilDriven *out);
/// The same, of one helper, of some drives, and of one corrective from these.
PeltiHelperPose pelti_distil_helper(const PeltiHelper *helper, const PeltiJoint *driver);
void pelti_distil_drives_say(int count, const PeltiDistilDrive *drives, const PeltiJoint *joints, float *out);
float pelti_distil_weight(const PeltiCorrective *corrective, const float *drives);

/// A joint's turn as a rotation vector.
Vec3 pelti_distil_rotation_vector(Quat turn);
/// The part of a turn that is about a unit axis: turn = swing * twist.
Quat pelti_distil_twist(Quat turn, Vec3 axis);

/// Rest space -> world of joints and helpers, [joint_count + helper_count], the first joint_count copied from `bones`.
void pelti_distil_matrices(const PeltiDistilSkin *distilled, const Mat34 *bones, const PeltiDistilDriven *driven, Mat34 *out);

/// What a viewer makes of it: rest + correctives, blended. `matrices` from pelti_distil_matrices; `rest` [point_count] with the
/// file's own targets added already; out [point_count], world; may not be `rest`.
void pelti_distil_play(const PeltiDistilSkin *distilled, const Mat34 *matrices, const PeltiDistilDriven *driven, const Vec3 *rest,
                       Vec3 *out);

#endif
