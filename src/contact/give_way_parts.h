/// What the files of giving way share.
#ifndef PELTI_CONTACT_GIVE_WAY_PARTS_H
#define PELTI_CONTACT_GIVE_WAY_PARTS_H

#include "contact/coulomb.h"
#include "contact/give_way.h"
#include "contact/parts.h"
#include "contact/skin.h"

enum { GIVE_MOST_CONTACTS = 1024, GIVE_REMEMBERED = 2, GIVE_LOOKS = 128 };

typedef struct GiveContact { ///< a sample of one part in or near another
    int sample, a, b;        ///< parts: of the sample, and the one it is in
    Vec3 point, normal;      ///< of the sample; out of b, unit; world
    Vec3 home;               ///< the sample in b's rest space
    float deep;              ///< share of b's depth; below 0: outside
    double gap;              ///< with what flesh takes; negative: beyond that
    double mu;
    Vec3 force; ///< on a, world, of the last solve
} GiveContact;

typedef struct GiveHit { ///< a sample near or in another part
    int sample;
    float phi, allow;    ///< depth there, and what flesh takes of it; rest lengths
    Vec3 gradient, home; ///< of phi, and the sample, in that part's rest space
} GiveHit;

typedef struct GiveLook { ///< of one part's samples into another part
    int a, b, count;
    GiveHit *hits; ///< [most_samples]
} GiveLook;

typedef struct GiveSide { ///< of a pair of parts, the lower number's rest space: which side the higher one is on
    Vec3 out;             ///< unit, from the lower part to the higher one
    Vec3 sum;             ///< work: of the contacts of this round
    bool held, seen;
    bool pushed;   ///< by the last solve
    bool inside;   ///< work: one is in the other, by however little
    float clear_s; ///< for how long the clip's own pose would be free while the pair is held
    float let;     ///< how much deeper than flesh takes the pair may be while it is let go; rest length
} GiveSide;

typedef struct GiveMemory { ///< forces of a sample's last contacts
    int part;               ///< -1: none
    Vec3 force;             ///< world
} GiveMemory;

typedef struct GivePull { ///< of a bone on a sample; 20 bytes
    int bone;
    float share;
    Vec3 rest;
} GivePull;

typedef struct GiveFlesh { ///< what parts may sink into each other; made once, at rest
    float *crush;          ///< [part_count] length
    int *allow_row;        ///< [part_count x part_count] into `allow`, a row of the first part's samples; -1: what flesh takes
    float *allow;          ///< how deep a sample may be in another part, rest length; negative: it is not judged
} GiveFlesh;

typedef struct GivePlaced { ///< in: bones of the corrected pose; out: where samples and parts are
    int *pull_start;        ///< [sample_count + 1] into `pulls`
    GivePull *pulls;
    Vec3 *x, *before;   ///< [sample_count] world, now and at the end of the last step
    Mat34 *inverse;     ///< [part_count] world to rest space
    Mat34 *bone_before; ///< [part_count] rest space to world at the end of the last step
    Vec3 *centre;       ///< [part_count] and radius of a ball around the samples
    float *ball;
    PeltiBox *bounds; ///< [part_count] of the samples
    PeltiBox *reach;  ///< [part_count] of the field's grid, world
} GivePlaced;

typedef struct GivePast { ///< what is remembered from step to step
    GiveSide *sides;      ///< [part_count x part_count] lower number first
    GiveMemory (*memory)[GIVE_REMEMBERED];
    PeltiPose from; ///< free pose of the last step
    bool started;
    long steps;
} GivePast;

typedef struct GiveDetection { ///< in: places; out: contacts
    int look_count;            ///< looks are taken in parallel, GIVE_LOOKS at a time
    GiveLook *looks;           ///< scratch
    int contact_count, dropped;
    GiveContact *contacts;
    double deepest;
} GiveDetection;

typedef struct GiveLinear { ///< in: contacts; out: the contact problem and its solution
    PeltiContactSystem system;
    PeltiConstraint *constraints;
    PeltiContactBlock *blocks, *side; ///< side: scratch of one contact
    int block_count, block_room;
    double (*u)[3], (*u_now)[3];
} GiveLinear;

typedef struct GiveOwn {    ///< scratch: the clip's own pose
    Mat34 *bones_free;      ///< [bone_count]
    PeltiWorld *world_free; ///< [node_count]
} GiveOwn;

typedef struct GiveHeldBack { ///< in: the corrected pose; out: the one to show
    double (*work)[3];        ///< [joint_count] scratch: turns to go back to
    double *share;            ///< [joint_count] scratch: of its turn that a joint shows
    PeltiPose shown;          ///< where the limit holds turns back
} GiveHeldBack;

struct PeltiGiveWay {
    PeltiPool pool;
    PeltiJobs *jobs;
    PeltiGiveWaySettings settings;
    double size, alarm;
    PeltiContactSkin skin;
    PeltiSkinParts parts;
    PeltiGaveWay *gave; ///< [joint_count]
    GiveFlesh flesh;
    GivePlaced placed;
    GivePast past;
    GiveDetection detection;
    GiveLinear linear;
    GiveOwn own;
    GiveHeldBack held_back;
};

/// By what flesh of both can take; never so deep that it could come out at the other side.
float pelti_give_way_sunk(const PeltiGiveWay *g, int a, int b);
PeltStatus pelti_give_way_allow(PeltiGiveWay *g, PeltError *err); ///< fills `allow`: once, at rest
/// Samples, boxes and inverse matrices of the present pose.
void pelti_give_way_place(PeltiGiveWay *g);
/// Whether samples of part a are looked for in part b: the smaller one's in the larger, whose surface is smooth beside them; of
/// two that are alike, both.
bool pelti_give_way_asks(const PeltiGiveWay *g, int a, int b);
bool pelti_give_way_near(const PeltiGiveWay *g, int a, int b, double reach); ///< and may be so near now
/// Contacts of the present places; `deepest` is the deepest overlap beyond what flesh takes.
void pelti_give_way_detect(PeltiGiveWay *g);
/// The linearised problem about the present pose, forces guessed from memory.
void pelti_give_way_assemble(PeltiGiveWay *g);
void pelti_give_way_remember(PeltiGiveWay *g); ///< the solver's forces, and the sides
void pelti_give_way_forget(PeltiGiveWay *g);   ///< all of it
/// After a step: pairs that the clip took through each other for good are let go.
void pelti_give_way_release(PeltiGiveWay *g, double dt_s);
/// The pose to show: the corrected one, its turns held back where they take the skin farther from the clip than the settings
/// allow.
const PeltiPose *pelti_give_way_limit(PeltiGiveWay *g);
Vec3 pelti_give_way_sample(const PeltiGiveWay *g, int sample, const Mat34 *bones); ///< where these bones take it

#endif
