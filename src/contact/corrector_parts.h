/// What the files of the corrector share.
#ifndef PELTI_CONTACT_CORRECTOR_PARTS_H
#define PELTI_CONTACT_CORRECTOR_PARTS_H

#include "contact/body.h"
#include "contact/corrector.h"
#include "contact/coulomb.h"
#include "contact/near.h"
#include "contact/newton.h"
#include "contact/skin.h"
#include "contact/soft.h"
#include "contact/swing.h"

/// Sizes of arrays, also of structs and on the stack, so no constants that a sweep could change. Contacts beyond are left out
/// and counted; surfaces deep in each other beyond these escapes have contacts like others.
enum {
    CORRECTOR_MOST_CONTACTS = 2048,
    CORRECTOR_BLOCKS_A_CONTACT = 28,
    CORRECTOR_MATCH_SLOTS = 8192,
    CORRECTOR_MOST_ESCAPES = 64
};

typedef struct CorrectorKnown { ///< a contact with its force
    PeltiContactTouch touch;
    Vec3 force; ///< on a, world
    /// Sticking contacts give by epsilon f, the solver's regularisation. Kept from step to step (as the bend of a bristle), it is
    /// a give and not a creep. World, at the start of the step.
    Vec3 bend;
    double epsilon;
    bool slides;
    bool guessed; ///< while it is `next`: its force is guessed from one that is `solved`
    bool claimed; ///< while it is `solved`: some contact of `next` took its force as the guess
} CorrectorKnown;

typedef struct CorrectorFrame { ///< contact frame, rows n, t, s
    double m[3][3];
} CorrectorFrame;

typedef struct PeltiCorrectorPush { ///< of a vertex out of an object
    Vec3 way;                       ///< unit
    float by;                       ///< 0: not pushed
    bool queued;
} PeltiCorrectorPush;

typedef struct PeltiCorrectorEscape { ///< two surfaces that started deep in each other
    int a, b;
    Vec3 way;     ///< unit: the smaller one leaves the larger one so
    double speed; ///< and so fast, units/s
    bool inside;  ///< as detected last
} PeltiCorrectorEscape;

/// escape.c writes the list and the time, corrector.c says when to look; these and assemble.c read them.
typedef struct PeltiCorrectorEscapes {
    PeltiCorrectorEscape list[CORRECTOR_MOST_ESCAPES];
    int count;
    bool look; ///< the next detection looks whether they have left each other
    /// For so long steps are sparing: they take no more than WORK_INSIDE visits to contacts, since haste helps nothing where
    /// contacts contradict each other. ESCAPE_S while something is deep in something else; then it runs out. s
    double sparing_s;
} PeltiCorrectorEscapes;

/// What can touch, as it is now. corrector.c makes it and leads it through a step, assemble.c places the surfaces and takes
/// solutions to skins and bodies, push_out.c writes the surface of the skin that it pushes; escape.c reads it.
typedef struct PeltiCorrectorThings {
    int skin_count, body_count, surface_count; ///< surfaces: skins, then bodies
    PeltiContactSkin *skins;
    PeltiSwing *swings; ///< [skin_count]
    PeltiContactBody *bodies;
    PeltiSurface *surfaces;
    const char **names; ///< [surface_count]
    PeltiPose *from;    ///< [skin_count] free poses of the last step
    /// [surface_count + 1] fixed objects (the last: the ground) that a skin started inside of and has not left yet
    bool *overlaps;
} PeltiCorrectorThings;

/// What is near what, at the places of the things. pelti_corrector_detect writes it, and for pairs on their way out
/// pelti_corrector_lead_out; a step reads bounds, pairs and touches of the last detection, and begins anew to count what is
/// dropped.
typedef struct PeltiCorrectorDetection {
    PeltiBoxTree *broad;            ///< over the surfaces' bounds
    PeltiBox *bounds;               ///< [surface_count]
    PeltiPairs near;                ///< surfaces whose bounds are within reach of each other
    PeltiContactNearMemory *memory; ///< what vertices remember of when they were asked
    PeltiContactTouches touches;    ///< features within reach of each other
} PeltiCorrectorDetection;

/// The contacts that are known, with their forces. assemble.c fills `next`, and corrector.c swaps the two when a problem is
/// solved: but for that moment `solved` is what is known. Both read it, assemble.c for its guess; corrector.c writes its bends.
typedef struct PeltiCorrectorContacts {
    CorrectorKnown *solved; ///< [CORRECTOR_MOST_CONTACTS] of the last solve, with its forces: the contacts now
    int solved_count;
    CorrectorKnown *next; ///< [CORRECTOR_MOST_CONTACTS] of the problem that is assembled; forces only when its solution is taken
    int next_count;       ///< by pelti_corrector_take
    int *match_scratch;   ///< [CORRECTOR_MATCH_SLOTS] open hash over `solved`, while forces are guessed (assemble.c)
} PeltiCorrectorContacts;

/// The contact problem of the touches, and its solution. Its slots are the fixed ones, of joints and rigid bodies, then those of
/// the vertices of soft bodies in contact. pelti_corrector_assemble writes the problem, pelti_coulomb_solve forces, `delta` and
/// `u`; pelti_corrector_take reads them, and a step how far they moved contacts.
typedef struct PeltiCorrectorLinear {
    PeltiContactSystem system;
    PeltiCoulombConstraint *constraints; ///< [CORRECTOR_MOST_CONTACTS]
    PeltiContactBlock *blocks;           ///< [CORRECTOR_BLOCKS_A_CONTACT x as many]
    PeltiContactBlock *side_scratch;     ///< of one body
    CorrectorFrame *frames;              ///< [CORRECTOR_MOST_CONTACTS]
    int fixed_slots, block_count;
    int *slot_group;                ///< [slots] into `groups`: the soft body whose vertex it is; -1: compliance 1, a fixed slot
    PeltiCoulombCompliance *groups; ///< [soft bodies] a group of slots each, with one dense compliance: those in contact only
    double (*u)[3], (*u_now)[3];    ///< [slots] the solution, and where the problem was linearised
} PeltiCorrectorLinear;

typedef struct PeltiCorrectorSoft { ///< scratch of soft bodies: assemble.c writes
    double *compliance;             ///< of all of them, of one linearised problem: `groups` point into it
    double (*force)[3];             ///< [PELTI_SOFT_SLOTS] of one body
} PeltiCorrectorSoft;

typedef struct PeltiCorrectorPushing { ///< scratch of the last resort: push_out.c writes
    PeltiCorrectorPush *push;          ///< [vertices of the largest skin]
    int *queue;                        ///< [2 x as many]
} PeltiCorrectorPushing;

struct PeltiCorrector {
    const PeltScene *scene;
    PeltiCorrectorSettings settings;
    PeltiPool pool;
    PeltiLog *log;     ///< may be NULL
    PeltiJobs *jobs;   ///< may be NULL
    double size;       ///< diagonal of the largest skin; of the largest object that is not fixed where there is none. length
    double alarm;      ///< what is nearer to each other is a contact: the scene's alarm distance, or ALARM of the size. length
    double gravity[3]; ///< units/s^2
    bool started;
    PeltiCorrectorThings things;
    PeltiCorrectorEscapes escapes;
    PeltiCorrectorDetection detection;
    PeltiCorrectorContacts contacts;
    PeltiCorrectorLinear linear;
    PeltiCorrectorSoft soft_scratch;
    PeltiCorrectorPushing push_scratch;
};

/// Detection at the present places, within `reach`: fills `touches`.
void pelti_corrector_detect(PeltiCorrector *c, double reach);
/// The linearised problem about the present places, forces guessed from the contacts that are `solved`. Fills `linear` and
/// the contacts that are `next`.
void pelti_corrector_assemble(PeltiCorrector *c, double h);
/// Takes the solution to the bodies and joints; the contacts that are `next` get their forces.
void pelti_corrector_take(PeltiCorrector *c, double h);

/// Pairs that start deeper in each other than contacts can resolve, as detected last.
void pelti_corrector_find_escapes(PeltiCorrector *c);
/// Puts one contact straight out in the place of all of such a pair.
void pelti_corrector_lead_out(PeltiCorrector *c);
void pelti_corrector_forget_escapes(PeltiCorrector *c, double h); ///< of pairs that have left each other in a step of length h
bool pelti_corrector_leaves(PeltiCorrector *c, int a, int b);     ///< a pair on its way out

#endif
