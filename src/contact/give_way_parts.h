/// What the files of giving way share.
#ifndef PELTI_CONTACT_GIVE_WAY_PARTS_H
#define PELTI_CONTACT_GIVE_WAY_PARTS_H

#include "contact/coulomb.h"
#include "contact/give_way.h"
#include "contact/parts.h"
#include "contact/skin.h"

/// Sizes of arrays: contacts beyond are counted as dropped, as many looks are taken at once.
enum { GIVE_MOST_CONTACTS = 1024, GIVE_REMEMBERED = 2, GIVE_LOOKS = 128 };

typedef struct GiveContact { ///< a sample of one part in or near another
    int sample, a, b;        ///< parts: of the sample, and the one it is in
    Vec3 point, normal;      ///< of the sample; out of b, unit; world
    Vec3 home;               ///< the sample in b's rest space
    float deep;              ///< share of b's depth; below 0: outside
    double gap;              ///< with what flesh takes; negative: beyond that
    double mu;
    Vec3 force; ///< on a, world, of the last solve
    Vec3 bend;  ///< of its memory
} GiveContact;

typedef struct GiveHit { ///< a sample near or in another part
    int sample;
    float phi, allow;    ///< depth there, and what flesh takes of it; rest lengths
    Vec3 gradient, home; ///< of phi, and the sample, in that part's rest space
} GiveHit;

typedef struct GiveLook { ///< of one part's samples into another part
    int a, b, count;
    float clear;   ///< how far its samples may move before one is seen that is not now; 0: some are
    GiveHit *hits; ///< [samples of the part with most]
} GiveLook;

typedef struct GiveSide { ///< of a pair of parts, the lower number's rest space: which side the higher one is on
    Vec3 out;             ///< unit, from the lower part to the higher one
    bool held;            ///< the side is kept: contacts that would push on through the other part are turned to `out`
    bool pushed;          ///< by the last solve
    float clear_s;        ///< for how long the clip's own pose would be free while the pair is held
    float let;            ///< how much deeper than flesh takes the pair may be while it is let go; rest length
    struct {
        Vec3 sum;    ///< of the ways out of its contacts
        bool seen;   ///< they are in contact
        bool inside; ///< one is in the other, by however little
    } scratch;       ///< of a round: pelti_give_way_detect begins it anew
} GiveSide;

typedef struct GiveMemory { ///< forces of a sample's last contacts
    int part;               ///< -1: none
    Vec3 force;             ///< world
    /// What sticks gives by epsilon f, the solver's regularisation. Kept from step to step (as the bend of a bristle) it is a
    /// give and not a creep. World; at the start of the step, and by the last solve.
    Vec3 bend, give;
} GiveMemory;

typedef struct GivePull { ///< of a bone on a sample; 20 bytes
    int bone;
    float share;
    Vec3 rest;
} GivePull;

/// What parts may sink into each other. Made once, at rest: give_way.c writes `crush`, give_way_rest.c the others;
/// give_way_contacts.c and give_way_release.c read them.
typedef struct GiveFlesh {
    float *crush; ///< [part_count] how deep others may sink into it: the rig's share of its depth, or the settings'. rest length
    int *allow_row; ///< [part_count x part_count] into `allow`, a row of the first part's samples; -1: what flesh takes
    float *allow;   ///< how deep a sample may be in another part, rest length; negative: it is not judged
} GiveFlesh;

typedef struct GivePlaces { ///< of bones and parts at some time
    Mat34 *bones;           ///< [bone_count] rest space to world
    Mat34 *inverse;         ///< [part_count] and back
} GivePlaces;

/// Where samples and parts are in the corrected pose. give_way.c lists the pulls once, and keeps `before` and `last` at the end
/// of a step; give_way_contacts.c writes the places whenever the skin was posed. All of giving way reads them.
typedef struct GivePlaced {
    int *pull_start; ///< [sample_count + 1] into `pulls`
    GivePull *pulls;
    Vec3 *x, *before; ///< [sample_count] world, now and at the end of the last step
    Mat34 *inverse;   ///< [part_count] world to rest space
    GivePlaces last;  ///< at the end of the last step
    Vec3 *centre;     ///< [part_count] and radius of a ball around the samples
    float *ball;
    PeltiBox *bounds; ///< [part_count] of the samples
    PeltiBox *reach;  ///< [part_count] of the field's grid, world
} GivePlaced;

/// What is remembered from step to step; all of it is kept in snapshots. give_way_contacts.c writes the sides and the memory,
/// give_way_release.c lets sides go, give_way.c writes the others; give_way_told.c reads the steps.
typedef struct GivePast {
    GiveSide *sides; ///< [part_count x part_count] lower number first
    GiveMemory (*memory)[GIVE_REMEMBERED];
    PeltiPose from; ///< free pose of the last step
    bool started;
    long steps;
} GivePast;

/// Contacts of the places at the last detection: pelti_give_way_detect writes them, pelti_give_way_assemble their bends and
/// pelti_give_way_remember their forces. The report and what is told of sides read them.
typedef struct GiveDetection {
    int contact_count, dropped;
    GiveContact *contacts;
    double deepest;
    struct {
        int look_count; ///< looks are taken in parallel, GIVE_LOOKS at a time
        GiveLook *looks;
    } scratch;
} GiveDetection;

/// The contact problem of the contacts, and its solution. pelti_give_way_assemble writes the problem, pelti_coulomb_solve forces,
/// `delta` and `u`; pelti_give_way_remember reads the forces, and a round takes `u` to the joints.
typedef struct GiveLinear {
    PeltiContactSystem system;
    PeltiCoulombConstraint *constraints;
    PeltiContactBlock *blocks;
    int block_count, block_room;
    double (*u)[3], (*u_now)[3];
    struct {
        PeltiContactBlock *side;  ///< of one contact
        double (*turn_before)[3]; ///< [joint_count] turns at the start of the round
    } scratch;
} GiveLinear;

/// What is told of pairs that were held on their sides: give_way_told.c writes, for give_way_release.c too.
typedef struct GiveKept {
    int count;
    PeltiGiveWaySide *sides; ///< [PELTI_MOST_KEPT_SIDES]
    int (*parts)[2];         ///< [PELTI_MOST_KEPT_SIDES] lower number first
} GiveKept;

/// Scratch of each stage that asks: the clip's own pose. give_way_limit.c and give_way_release.c write it, the latter for
/// give_way_told.c too.
typedef struct GiveOwn {
    Mat34 *bones_free;                 ///< [bone_count]
    PeltiNodeMatrix *node_matrix_free; ///< [node_count]
} GiveOwn;

/// Turns that are not shown at once, or not in full: from those of the corrected pose to those that are shown. give_way_shown.c
/// writes it, give_way_weigh.c takes from `turn`, give_way_limit.c scales `turn` and `now` and writes its share of the scratch;
/// `wanted`, `now` and `speed` are kept in snapshots.
typedef struct GiveHeldBack {
    double *reach;       ///< [joint_count] of what it carries at rest, from the joint; length
    float (*head)[3];    ///< [joint_count] the joint at rest
    double (*turn)[3];   ///< [joint_count] of this step, what the stages leave of it is to be shown
    double (*wanted)[3]; ///< [joint_count] `turn` of the last step
    double (*now)[3];    ///< [joint_count] the turns that are shown
    double (*speed)[3];  ///< [joint_count] and their change in the last step
    PeltiPose shown;
    struct {
        PeltiContactSkinTrial pose; ///< the pose that is tried: of one look (give_way_limit.c and give_way_weigh.c too)
        double *turn_share;         ///< [joint_count] of its turn that a joint may show
        double (*change)[3];        ///< [joint_count] by which `speed` is to change
        double *change_share;       ///< [joint_count] of that change that a joint may take
        double (*was)[3];           ///< [joint_count] `now` of the last step
        double (*tried)[3];         ///< [joint_count] turns that are posed to see how far skin moves
        Vec3 *x;                    ///< [sample_count] where they take it
    } scratch;
} GiveHeldBack;

/// Bounds on how parts move against each other. Made once: what is of the rest pose. pelti_give_way_place writes where bones are
/// placed, pelti_give_way_looked where they were looked at, and pelti_give_way_detect what is clear.
typedef struct GiveMotion {
    int *bone_start; ///< [part_count + 1] into `bones`: those that pull samples of a part
    int *bones;
    Vec3 *centre; ///< [part_count] and radius of a ball around what is pulled, at rest
    float *radius;
    float *border;     ///< [part_count] the least value at the border of its table
    Mat34 *placed;     ///< [bone_count] bones when samples were placed last
    GivePlaces looked; ///< at the last detection
    float *clear;      ///< [part_count x part_count] so far samples of the first may move in the second's rest space before
                       ///< any of them is seen; 0: not known
    struct {
        bool *left_place; ///< [bone_count] it is not where it was in `placed`
    } scratch;            ///< of pelti_give_way_place
} GiveMotion;

/// What of a joint's turn helps, from two poses of the skin by blending. give_way_weigh.c alone writes and reads it; `gate` is
/// kept in snapshots.
typedef struct GiveWeigh {
    PeltiBoxTree *tree; ///< of all triangles
    int *joint;         ///< [triangle_count] that carries most of it
    int *node_joint;    ///< [tree's node_count] the one that carries all below it most; MIXED: several
    int rest_count;
    int64_t *rest_keys; ///< [rest_count] sorted: pairs that cross at rest
    bool at_rest;       ///< the search is for these
    double *gate;       ///< [joint_count] share of its turn that is shown
    struct {
        PeltiPairs pairs;     ///< that cross and do not at rest, by the last search
        Vec3 *x, *other;      ///< [vertex_count] of the pose that is judged, and of the other one
        bool *moved;          ///< [tree's node_count] the poses differ there
        bool *triangle_moved; ///< [triangle_count]
        bool *on_path;        ///< [joint_count] false
        int *by_clip;         ///< [joint_count] crossing pairs that it moves against each other, in the clip's pose
        int *by_turn;         ///< [joint_count] and in the corrected one
    } scratch;
} GiveWeigh;

struct PeltiGiveWay {
    PeltiPool pool;
    PeltiJobs *jobs;
    PeltiGiveWaySettings settings;
    double size;  ///< diagonal of the skin at rest. length
    double alarm; ///< so near contacts are all kept; of farther ones, of pairs that touch, the nearest few: SELF_ALARM of the
                  ///< size. length
    PeltiContactSkin skin;
    PeltiContactParts parts;
    PeltiGiveWayJoint *gave; ///< [joint_count]
    GiveFlesh flesh;
    GivePlaced placed;
    GivePast past;
    GiveDetection detection;
    GiveLinear linear;
    GiveOwn own;
    GiveKept kept;
    GiveHeldBack held_back;
    GiveWeigh weigh;
    GiveMotion motion;
};

/// By what flesh of both can take; never so deep that it could come out at the other side.
float pelti_give_way_sunk(const PeltiGiveWay *g, int a, int b);
PeltStatus pelti_give_way_allow(PeltiGiveWay *g, PeltError *err); ///< fills `allow`: once, at rest
/// Samples, boxes and inverse matrices of the present pose.
void pelti_give_way_place(PeltiGiveWay *g);
/// Whether samples of part a are looked for in part b: the smaller one's in the larger, whose surface is smooth beside them; of
/// two that are alike, both.
bool pelti_give_way_asks(const PeltiGiveWay *g, int a, int b);
/// Contacts of the present places; `deepest` is the deepest overlap beyond what flesh takes.
void pelti_give_way_detect(PeltiGiveWay *g);
/// The linearised problem about the present pose, forces guessed from memory.
void pelti_give_way_assemble(PeltiGiveWay *g);
void pelti_give_way_remember(PeltiGiveWay *g); ///< the solver's forces, and the sides
void pelti_give_way_bend(PeltiGiveWay *g);     ///< at the end of a step: what sticks has given by so much
void pelti_give_way_forget(PeltiGiveWay *g);   ///< all of it
/// After a step: pairs that the clip took through each other for good are let go, and what is done with such pairs is noted.
void pelti_give_way_release(PeltiGiveWay *g, double dt_s);
/// What is told of two parts; NULL: there is no more room.
PeltiGiveWaySide *pelti_give_way_kept(PeltiGiveWay *g, int a, int b);
void pelti_give_way_note_held(PeltiGiveWay *g); ///< in: contacts with forces, bones of the clip's own pose
/// Holds turns back where they take the skin farther from the clip than the settings allow; false: they do not.
bool pelti_give_way_limit(PeltiGiveWay *g, double (*turn)[3]);
/// Bounds the shares [joint_count] of the joints that move a sample: with all of them turned by `share` of their turns it moves
/// by no more than that share of its way, to first order.
void pelti_give_way_bound_chain(const PeltiGiveWay *g, int sample, double share, double *shares);
PeltStatus pelti_give_way_weigh_create(PeltiGiveWay *g, PeltError *err);
void pelti_give_way_weigh(PeltiGiveWay *g, double dt_s, bool restart); ///< held_back.turn, where it does not help
PeltStatus pelti_give_way_shown_create(PeltiGiveWay *g, PeltError *err);
const PeltiPose *pelti_give_way_shown(PeltiGiveWay *g, double dt_s, bool restart); ///< the pose to show
double pelti_give_way_angle(const double turn[3]);
PeltStatus pelti_give_way_motion_create(PeltiGiveWay *g, PeltError *err);
/// How far samples of part a have moved at most in the rest space of part b since `was`.
float pelti_give_way_moved(const PeltiGiveWay *g, int a, int b, const GivePlaces *was);
bool pelti_give_way_left_place(const PeltiGiveWay *g, int part); ///< a bone that carries it has moved since it was placed
void pelti_give_way_looked(PeltiGiveWay *g);                     ///< keeps the places of a detection
/// How far a point must move before it is seen within `far` of a part: phi at most doubles the way. phi INFINITY: not in the
/// table.
float pelti_give_way_clearance(const PeltiGiveWay *g, int part, Vec3 home, float phi, float far);
Vec3 pelti_give_way_sample(const PeltiGiveWay *g, int sample, const Mat34 *bones); ///< where these bones take it

#endif
