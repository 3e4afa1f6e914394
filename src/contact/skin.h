/// Skinning kinematics for contact ([Duriez2008] sec. 4.2): the skin as a function of joint turns, x = F(Gamma), and its
/// Jacobian. A joint turns by a small rotation vector before its animated rotation; the root may also shift.
#ifndef PELTI_CONTACT_SKIN_H
#define PELTI_CONTACT_SKIN_H

#include "character/weights.h"
#include "contact/coulomb.h"
#include "contact/surface.h"

#include <pelt/scene.h>

/// A joint that may give way. skin.c writes it; give_way.c sets the springs of its own joints and shortens their turns, swing.c
/// writes how firm it is.
typedef struct PeltiGive {
    int node;
    int parent;           ///< nearest ancestor that may give way, -1: none
    double stiffness;     ///< N m / rad, > 0; of the unturned joint
    double hardens;       ///< rad: turned so far it is twice as stiff; 0: it never hardens
    double firm;          ///< stiffer by 1 + firm, so that it swings nothing farther than a contact asks
    bool told;            ///< the scene says how stiff it is: so it stays
    double turn[3];       ///< from the animated pose, in the parent node's axes; rad
    double last[3];       ///< turn at the start of the step
    double slow;          ///< damping time over the length of the step: it is stiffer by 1 + slow within it
    double spring;        ///< linear about the present turn, damper included
    double base[3];       ///< where that is at rest: what is left of the last step's turn when nothing pushes
    double at[3];         ///< the joint, world, in the corrected pose
    Mat3 above;           ///< the parent node's axes, world
    double axes[3][3];    ///< their rotation
    bool has_axes;        ///< it is that of `above`
    double tangent[3][3]; ///< world: how the turn changes when its rotation vector does (1 for a small turn)
} PeltiGive;

typedef struct PeltiContactSkinScratch { ///< `columns`: of one placing of points; the others: of the blocks of one spot
    float (*columns)[16];                ///< [bone_count] bones by columns of four
    double (*sum)[4];                    ///< [joint_count] weighted position and weight below a joint
    int *touched;                        ///< [joint_count] joints that have a sum
    bool *marked;                        ///< [joint_count] in `touched`
} PeltiContactSkinScratch;

typedef struct PeltiContactSkinRoot { ///< the shift of the whole body, a spring like the joints'
    double stiffness;                 ///< N / unit; 0: it does not shift
    bool held;                        ///< the scene says that a root is rigid
    double shift[3];                  ///< world: pelti_contact_skin_set writes, pelti_contact_skin_pose reads
    double base[3];                   ///< where its spring is at rest, by pelti_contact_skin_begin
    double slow; ///< damping time over the length of the step: stiffer by 1 + slow within it; no joint is less
} PeltiContactSkinRoot;

/// A pose that is tried: of the caller of pelti_contact_skin_try, which writes all of it; of the skin nothing else changes.
typedef struct PeltiContactSkinTrial {
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix; ///< [node_count]
    Mat34 *bones;                 ///< [bone_count] rest space to world
} PeltiContactSkinTrial;

typedef struct PeltiContactSkinPose { ///< the caller writes `free`, pelti_contact_skin_pose the others
    PeltiPose free, corrected;
    PeltiNodeMatrix *node_matrix; ///< [node_count] of the corrected pose
    Mat34 *bones;                 ///< [bone_count] of the corrected pose
} PeltiContactSkinPose;

typedef struct PeltiContactSkin {
    const PeltiCharacter *who;
    const PeltiWeights *weights; ///< per vertex
    PeltiJobs *jobs;             ///< may be NULL
    int first_slot;              ///< of the solver: one a joint, then one for the root's shift if it has any
    int joint_count;
    PeltiGive *joints;
    int *bone_joint;    ///< [bone_count] joint that carries the bone, -1: none
    double most_back_s; ///< rad/s: no joint comes back faster; 0: any speed
    PeltiContactSkinRoot root;
    PeltiContactSkinPose pose;
    Vec3 *rest; ///< [vertex_count] what lbs must be given so that it shows the shown skin: pelti_contact_skin_shown writes
    PeltiContactSkinScratch scratch;
} PeltiContactSkin;

typedef struct PeltiContactSkinDef {
    const PeltiCharacter *who;
    const PeltiWeights *weights;
    const PeltScene *scene;
    const char *name; ///< of the character in the scene
    PeltiJobs *jobs;  ///< may be NULL
} PeltiContactSkinDef;
/// Stiffness of each joint: the scene's, or from the mass it carries: enough to hold `subtree mass * gravity * reach` with two
/// degrees.
PeltStatus pelti_contact_skin_init(PeltiContactSkin *skin, PeltiPool *pool, const PeltiContactSkinDef *def, PeltError *err);
int pelti_contact_skin_slots(const PeltiContactSkin *skin);

/// Begins a step of length h. Joints are springs with a damper, [Duriez2008] eq. 7 with a term C dGamma/dt, C = damping_s K:
/// torque = K turn + C (turn - last turn) / h. Without it a correction that loses its contact is gone at once, and what it
/// held springs through whatever is in the way. At rest the turn is the paper's.
/// h 0: no time passes, no damper.
void pelti_contact_skin_begin(PeltiContactSkin *skin, double damping_s, double h);

/// Springs that harden, torque = K (1 + q) turn with q = (|turn| / hardens)^2, and the damper, made linear about the present
/// turn: stiffness K (1 + 3 q + slow), at rest where K (1 + 3 q) (base - turn) + K (1 + q) turn + K slow (base - last) = 0.
void pelti_contact_skin_soften(PeltiContactSkin *skin);

/// corrected = free with the joints' turns and the root's shift; then bones, joint places and axes.
void pelti_contact_skin_pose(PeltiContactSkin *skin);
/// The same with these turns [joint_count] in place of the joints' own; NULL: the clip's own pose.
void pelti_contact_skin_try(const PeltiContactSkin *skin, const double (*turn)[3], PeltiContactSkinTrial *out);
void pelti_contact_skin_columns(const PeltiContactSkin *skin, const Mat34 *bones);        ///< fills scratch.columns
void pelti_contact_skin_place(const PeltiContactSkin *skin, const Mat34 *bones, Vec3 *x); ///< F: [vertex_count]

/// Blocks (world axes, rows x, y, z) of a spot, compliance folded in; returns how many, at most joint_count + 1.
int pelti_contact_skin_blocks(PeltiContactSkin *skin, const PeltiSurfaceSpot *spot, PeltiContactBlock *blocks);

/// The same for the motion of a spot relative to a point that a bone carries, J_a - J_b: contact of the skin with itself. Joints
/// that carry both move neither against the other and are left out.
int pelti_contact_skin_self_blocks(PeltiContactSkin *skin, const PeltiSurfaceSpot *spot, int bone, Vec3 point,
                                   PeltiContactBlock *blocks);

/// Solver coordinates of the present turns and shift, and back.
void pelti_contact_skin_get(const PeltiContactSkin *skin, double (*u)[3]);
void pelti_contact_skin_set(PeltiContactSkin *skin, const double (*u)[3]);

/// The skin as it was shown for the corrected pose, by whatever method: `vertices` [vertex_count]. Later steps touch with it.
/// `share` in (0, 1]: how far what was known goes towards it; less than 1 for a skin that swings about its pose.
void pelti_contact_skin_shown(PeltiContactSkin *skin, const Vec3 *vertices, float share);

#endif
