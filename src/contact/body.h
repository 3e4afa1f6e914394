/// Objects of a scene as bodies: fixed ones, and rigid ones with mass and inertia. Double inside: long runs must not drift.
#ifndef PELTI_CONTACT_BODY_H
#define PELTI_CONTACT_BODY_H

#include "contact/shapes.h"
#include "contact/surface.h"
#include "core/log.h"

typedef struct PeltiSoft PeltiSoft; ///< contact/soft.h

typedef struct PeltiContactTurn { ///< rotation matrix, rows
    double m[3][3];
} PeltiContactTurn;

typedef struct PeltiContactBodyState { ///< at the end of the last step: pelti_contact_body_end_step writes, _drive where it is
                                       ///< held
    double at[3];                      ///< centre of mass, world
    PeltiContactTurn turn;
    double velocity[3]; ///< units/s; gravity is added when a step begins
    double momentum[3]; ///< angular, about the centre, world
} PeltiContactBodyState;

typedef struct PeltiContactBodyMotion { ///< of this step
    double free_at[3];                  ///< without contact, by pelti_contact_body_free_step
    PeltiContactTurn free_turn;
    double root_inverse[3][3]; ///< L with L L^T = inverse inertia in world axes; by the same
    double arms_from[3];       ///< centre that the arms of the contact forces are measured from: assembling writes
    double moved[2][3];        ///< by contact: translation, turn (rotation vector), from the free motion; pelti_contact_body_take
    double last[2][3], last_h; ///< `moved` of the last step, and its length in s: where this one starts looking
} PeltiContactBodyMotion;

typedef struct PeltiContactBodyHand { ///< moved from outside, contact does not: pelti_contact_body_hold and _drive write
    bool held;
    double goal[3]; ///< of the centre, at the end of the frame
    PeltiContactTurn goal_turn;
    double drive[2][3]; ///< velocity and spin that lead there, units/s, rad/s
} PeltiContactBodyHand;

typedef struct PeltiContactBody {
    const PeltSceneObject *def;
    PeltObjectKind kind;
    int surface;                ///< index into the scene's surfaces
    int first_slot;             ///< of the solver: rigid: translation, turn; soft: of the problem assembled last; -1: none
    Vec3 *local;                ///< [vertices of the surface] relative to the centre of mass
    double mass, inertia[3][3]; ///< kg, about the centre, body axes
    double centre_offset[3];    ///< centre of mass in the object's own frame
    PeltiSoft *soft;            ///< NULL but for soft ones, whose state and motion are there
    PeltiContactBodyState now;
    PeltiContactBodyMotion motion;
    PeltiContactBodyHand hand;
} PeltiContactBody;

/// Contact moves it, or could: not a fixed object, not one that is held.
static inline bool pelti_contact_body_moves(const PeltiContactBody *body)
{
    return body->kind != PELT_OBJECT_FIXED && !body->hand.held;
}

/// Mass, inertia, place. `pool` holds the arrays; the surface is built by the caller from `mesh`.
PeltStatus pelti_contact_body_init(PeltiContactBody *body, PeltiPool *pool, const PeltSceneObject *def, PeltiMesh **mesh,
                                   PeltiLog *log, PeltError *err);

void pelti_contact_body_free_step(PeltiContactBody *body, const double gravity[3],
                                  double h); ///< where it would be without contact
void pelti_contact_body_current(const PeltiContactBody *body, double at[3],
                                PeltiContactTurn *turn); ///< centre and turn, free motion plus `moved`
/// Places `x` at the free motion plus `moved`. Serial.
void pelti_contact_body_place(const PeltiContactBody *body, Vec3 *x, int vertex_count);
/// Ends the step: velocity and momentum from what contact moved, and the state goes to the place of pelti_contact_body_place.
void pelti_contact_body_end_step(PeltiContactBody *body, double h);

/// Solver blocks of a point of a rigid body: displacement of the point for slots (translation, turn), compliance folded in.
void pelti_contact_body_blocks(const PeltiContactBody *body, const double point[3], double h, double translation[3][3],
                               double turn[3][3]);
void pelti_contact_body_get(const PeltiContactBody *body, double h, double translation[3],
                            double turn[3]); ///< the inverse of pelti_contact_body_take
/// What the solver found for the two slots (u) becomes `moved`.
void pelti_contact_body_take(PeltiContactBody *body, double h, const double translation[3], const double turn[3]);

/// Forces were applied at one point for both bodies, with arms from where their centres come to be; their impulses act from where
/// the centres were. Sliding past each other the two differ, and angular momentum would be lost: gives it back to the spins, more
/// to the body that minds less. `force` on a. Before pelti_contact_body_end_step.
void pelti_contact_body_keep_momentum(PeltiContactBody *a, PeltiContactBody *b, const double force[3], double h);

/// Takes a rigid or fixed body in hand: its frame is to be at `origin` and `turn` at the end of the next frame.
void pelti_contact_body_hold(PeltiContactBody *body, const double origin[3], const PeltiContactTurn *turn);
void pelti_contact_body_let_go(PeltiContactBody *body); ///< a rigid body goes on with the speed it was moved at
/// The start of a frame of `dt` seconds: how a held body gets to its goal. dt 0: it is there at once.
void pelti_contact_body_drive(PeltiContactBody *body, double dt);

/// The object's frame (origin and rotation) as the scene describes it: world = turn * own + origin.
void pelti_contact_body_frame(const PeltiContactBody *body, Mat34 *out);

void pelti_contact_body_spin(const PeltiContactBody *body, double spin[3]); ///< rad/s, world

void pelti_contact_turn_from_quat(const float q[4], PeltiContactTurn *out); ///< x,y,z,w; all zero: none

#endif
