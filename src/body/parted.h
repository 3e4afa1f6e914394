/// The last look at the shown skin of a character of several pieces: where it passes through itself, not at rest and not deeply,
/// the two sides are parted along the plane between them.
#ifndef PELTI_BODY_PARTED_H
#define PELTI_BODY_PARTED_H

#include "body/lean.h"
#include "core/snapshot.h"

typedef struct PeltiParted PeltiParted;

/// Lives in `pool`; what `def` names and `lean`, of the same mesh, must outlive it.
PeltStatus pelti_parted_create(const PeltiLeanDef *def, PeltiLean *lean, PeltiPool *pool, PeltiParted **out, PeltError *err);
/// Changes the vertices that need it; returns how many. `restart` forgets the step before. Does not allocate.
int pelti_parted_apply(PeltiParted *parted, const Mat34 *bones, bool restart, PeltiJobs *jobs, Vec3 *vertices);
/// What it carries from step to step.
void pelti_parted_keep(PeltiParted *parted, PeltiSnapshot *snapshot);

#endif
