/// Newton steps on the contacts that push. Gauss-Seidel finds quickly which contacts stick, slip and part, but a light object
/// between stiff fingers takes it hundreds of sweeps to balance: the forces all but cancel. With W of those few contacts formed,
/// the laws written as equations without kinks but at changes of state ([Alart1991]) are solved in a handful of steps.
#ifndef PELTI_CONTACT_NEWTON_H
#define PELTI_CONTACT_NEWTON_H

#include "contact/coulomb.h"
#include "core/memory.h"

enum { PELTI_NEWTON_MOST = 48 }; ///< contacts; with more, elimination costs more than the sweeps it saves. Size of arrays

PeltiNewton *pelti_newton_new(PeltiPool *pool); ///< NULL: no memory

/// Improves the forces of contacts that push or are closer than `near`; the others must have none. Returns the steps taken,
/// 0: it came no closer, -1: too many contacts (forces unchanged). The caller must compute u anew.
int pelti_newton_solve(PeltiContactSystem *system, double near, double tolerance);

#endif
