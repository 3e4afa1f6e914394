/// The skeleton gives way to the body itself: contact of a skin with its own other parts, before any method. Takes the animated
/// ("free") pose and returns one in which parts that are apart on the skeleton overlap by no more than flesh can take.
/// [Duriez2008] with both points of a contact on one skin, J = J_a - J_b; docs/touching.md.
#ifndef PELTI_CONTACT_GIVE_WAY_H
#define PELTI_CONTACT_GIVE_WAY_H

#include "core/snapshot.h"
#include "character/weights.h"

#include <pelt/rig.h>

typedef struct PeltiGiveWay PeltiGiveWay;

typedef struct PeltiGiveWaySettings {
    float crush;        ///< share of the thickness of both parts by which they may overlap; a rig may say it per joint
    float friction;     ///< mu of skin on skin
    const PeltRig *rig; ///< crush and stiffness of joints; NULL: none
    float most_moved;   ///< share of the size by which skin may be taken from its clip; 0: as far as it must
    bool weigh;         ///< turns are shown only as far as blending crosses less by them, and in no haste
    bool no_memory;     ///< contacts do not keep their sides, to compare
} PeltiGiveWaySettings;

typedef struct PeltiGiveWayReport { ///< of one step
    int contacts, active;           ///< watched, with a force
    int substeps, rounds, sweeps;
    double most_turn;  ///< rad
    int most_joint;    ///< joint number of it, -1: none turned
    double depth_free; ///< deepest overlap beyond what flesh takes, in the animated pose as corrected last; share of the size
    double depth;      ///< the same that is left
    int held;          ///< pairs of parts that are kept on their sides
} PeltiGiveWayReport;

typedef struct PeltiGiveWayDef {
    const PeltiCharacter *who;   ///< outlives it
    const PeltiWeights *weights; ///< per vertex of who's mesh; outlive it
    PeltiGiveWaySettings settings;
    PeltiJobs *jobs; ///< for create and every step; may be NULL
} PeltiGiveWayDef;
PeltStatus pelti_give_way_create(const PeltiGiveWayDef *def, const PeltAllocator *allocator, PeltiGiveWay **out, PeltError *err);
void pelti_give_way_destroy(PeltiGiveWay *g); ///< NULL is fine

/// The pose to show; valid until the next step, `free` itself where nothing gave way. dt_s 0: no time passes, joints are at rest.
/// `restart`: a start or a cut, nothing is remembered. Does not allocate; the same bytes for any number of threads; `report` may
/// be NULL.
const PeltiPose *pelti_give_way_step(PeltiGiveWay *g, const PeltiPose *free, double dt_s, bool restart,
                                     PeltiGiveWayReport *report);

/// Joints that may turn, and by how much they do now and did at most since the start (rad).
int pelti_give_way_joint_count(const PeltiGiveWay *g);
typedef struct PeltiGiveWayJoint {
    const char *joint;
    double now, most;
    long steps;     ///< in which it turned by more than half a degree
    long most_step; ///< when it turned most
} PeltiGiveWayJoint;
PeltiGiveWayJoint pelti_give_way_joint(const PeltiGiveWay *g, int joint);

/// Two parts that a clip takes through each other, past the middle of the other one, and that were held on the side where they
/// were; steps since the start, -1: never.
typedef struct PeltiGiveWaySide {
    const char *a, *b; ///< bones of the two parts, the smaller part's first
    long first, last;  ///< when they were held
    long steps;        ///< in how many of these
    long let_go;       ///< when they were let go last: the clip stays on the other side
    long through;      ///< when they were past each other, after that
    double most;       ///< how far the clip has taken one beyond where it was held; share of the size
} PeltiGiveWaySide;
enum { PELTI_MOST_KEPT_SIDES = 256 };                 ///< further pairs are not told
int pelti_give_way_side_count(const PeltiGiveWay *g); ///< in the order in which they were first held
PeltiGiveWaySide pelti_give_way_side(const PeltiGiveWay *g, int side);

/// Contacts of the last step that push, for pictures: force in shares of the largest.
typedef struct PeltiGivePush {
    Vec3 point, normal, force; ///< on the first part
    const char *a, *b;         ///< bones of the two parts
} PeltiGivePush;
int pelti_give_way_push_count(const PeltiGiveWay *g);
PeltiGivePush pelti_give_way_push(const PeltiGiveWay *g, int push);

/// What it carries from step to step.
void pelti_give_way_keep(PeltiGiveWay *give_way, PeltiSnapshot *snapshot);

#endif
