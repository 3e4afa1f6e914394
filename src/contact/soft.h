/// Soft objects: linear elasticity on tetrahedra, in a frame that turns with the body as a whole ([Terzopoulos1988]; here it is
/// fitted to the nodes), so that one factorisation serves the whole run ([Duriez2008] sec. 5 refers to such compliances).
/// Implicit steps: (M/h^2 + (1 + d/h) K) u = f.
#ifndef PELTI_CONTACT_SOFT_H
#define PELTI_CONTACT_SOFT_H

#include "contact/body.h"

/// Tetrahedra of the description, or made from the closed surface. `mesh` is the object's surface, `local` its vertices
/// relative to the centre of mass, both outlive it; the state starts at rest in the body's place.
PeltStatus pelti_soft_create(PeltiPool *pool, const PeltiContactBody *body, const PeltiMesh *mesh, PeltiSoft **out,
                             PeltError *err);
void pelti_soft_destroy(PeltiSoft *soft); ///< frees the factorisation; NULL is fine

/// Motion without contact. A new h means a new factorisation (allocates, milliseconds); false: it failed.
bool pelti_soft_free_step(PeltiSoft *soft, const double gravity[3], double h);
void pelti_soft_place(const PeltiSoft *soft, Vec3 *x); ///< the surface's vertices: free motion and what contact moved

/// Vertices in contact get slots, counted from 0 in order of appearance.
void pelti_soft_clear_slots(PeltiSoft *soft);
int pelti_soft_slot(PeltiSoft *soft, int vertex); ///< -1: no room
int pelti_soft_slot_count(const PeltiSoft *soft);
void pelti_soft_compliance(PeltiSoft *soft, double *c);          ///< [3 slots x 3 slots] world axes
void pelti_soft_moved(const PeltiSoft *soft, double (*u)[3]);    ///< [slots] how far contact has moved them from the free motion
void pelti_soft_take(PeltiSoft *soft, const double (*force)[3]); ///< [slots] forces, world: moves all nodes
void pelti_soft_end_step(PeltiSoft *soft, double h);
void pelti_soft_momentum(const PeltiSoft *soft, double linear[3]); ///< kg units/s
void pelti_soft_centre(const PeltiSoft *soft, double centre[3]);   ///< of mass, world

/// In a hand: its middle is led to `goal` and it does not spin; what touches it may push it aside meanwhile. Let go, it flies on.
void pelti_soft_hold(PeltiSoft *soft, const double goal[3]);
void pelti_soft_let_go(PeltiSoft *soft);
/// The start of a frame of `dt` seconds: how a held one gets to its goal. dt 0: it is there at once.
void pelti_soft_drive(PeltiSoft *soft, double dt);
enum { PELTI_SOFT_SLOTS = 512 };

#endif
