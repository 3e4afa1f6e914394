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

typedef struct CorrectorKnown { ///< a contact with its force: the guess for the next solve
    PeltiContactTouch touch;
    Vec3 force; ///< on a, world
    /// Sticking contacts give by epsilon f, the solver's regularisation. Kept from step to step (as the bend of a bristle), it is
    /// a give and not a creep. World, at the start of the step.
    Vec3 bend;
    double epsilon;
    bool slides;
    bool guessed; ///< of this solve: its force was guessed from an older one
    bool claimed; ///< of the solve before: some contact took its force as the guess
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

typedef struct PeltiCorrectorEscapes {
    PeltiCorrectorEscape list[CORRECTOR_MOST_ESCAPES];
    int count;
    bool look; ///< the next detection looks whether they have left each other
    /// For so long steps are sparing: they take no more than WORK_INSIDE visits to contacts, since haste helps nothing where
    /// contacts contradict each other. ESCAPE_S while something is deep in something else; then it runs out. s
    double sparing_s;
} PeltiCorrectorEscapes;

typedef struct PeltiCorrectorThings {          ///< what can touch, as it is now
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

typedef struct PeltiCorrectorDetection { ///< in: places of the things; out: touches
    PeltiBoxTree *broad;                 ///< over the surfaces' bounds
    PeltiBox *bounds;
    PeltiPairs near;
    PeltiContactNearMemory *memory;
    PeltiContactTouches touches;
} PeltiCorrectorDetection;

typedef struct PeltiCorrectorGuess { ///< in: contacts with forces of the solve before; out: the guess for this one
    CorrectorKnown *known, *older;   ///< [CORRECTOR_MOST_CONTACTS] of this solve and of the one before
    int known_count, older_count;
    int *match_scratch; ///< [CORRECTOR_MATCH_SLOTS] open hash over `older`
} PeltiCorrectorGuess;

typedef struct PeltiCorrectorLinear { ///< in: touches; out: the contact problem and its solution
    PeltiContactSystem system;
    PeltiCoulombConstraint *constraints;
    PeltiContactBlock *blocks;
    PeltiContactBlock *side_scratch; ///< of one body
    CorrectorFrame *frames;
    int fixed_slots, block_count;
    int *slot_group;
    PeltiCoulombCompliance *groups;
    double (*u)[3], (*u_now)[3]; ///< the solution, and where the problem was linearised
} PeltiCorrectorLinear;

typedef struct PeltiCorrectorSoft { ///< scratch of soft bodies
    double *compliance;             ///< of all of them, of one linearised problem
    double (*force)[3];             ///< [PELTI_SOFT_SLOTS] of one body
} PeltiCorrectorSoft;

typedef struct PeltiCorrectorPushing { ///< scratch of the last resort
    PeltiCorrectorPush *push;          ///< [vertices of the largest skin]
    int *queue;                        ///< [2 x as many]
} PeltiCorrectorPushing;

struct PeltiCorrector {
    const PeltScene *scene;
    PeltiCorrectorSettings settings;
    PeltiPool pool;
    PeltiLog *log;   ///< may be NULL
    PeltiJobs *jobs; ///< may be NULL
    double size, alarm, gravity[3];
    bool started;
    PeltiCorrectorThings things;
    PeltiCorrectorEscapes escapes;
    PeltiCorrectorDetection detection;
    PeltiCorrectorGuess guess;
    PeltiCorrectorLinear linear;
    PeltiCorrectorSoft soft_scratch;
    PeltiCorrectorPushing push_scratch;
};

/// Detection at the present places, within `reach`: fills `touches`.
void pelti_corrector_detect(PeltiCorrector *c, double reach);
/// The linearised problem about the present places, forces guessed from `older`. Fills `system`.
void pelti_corrector_assemble(PeltiCorrector *c, double h);
/// Takes the solution to the bodies and joints; `known` holds the contacts with their forces.
void pelti_corrector_take(PeltiCorrector *c, double h);

/// Pairs that start deeper in each other than contacts can resolve, as detected last.
void pelti_corrector_find_escapes(PeltiCorrector *c);
/// Puts one contact straight out in the place of all of such a pair.
void pelti_corrector_lead_out(PeltiCorrector *c);
void pelti_corrector_forget_escapes(PeltiCorrector *c, double h); ///< of pairs that have left each other in a step of length h
bool pelti_corrector_leaves(PeltiCorrector *c, int a, int b);     ///< a pair on its way out

#endif
