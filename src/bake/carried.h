/// The last word on skin that a body carries: it keeps near what it was asked for.
#ifndef PELTI_BAKE_CARRIED_H
#define PELTI_BAKE_CARRIED_H

#include "core/snapshot.h"
#include "geometry/mesh.h"

typedef struct PeltiCarried {
    const PeltiMesh *mesh;
    Vec3 *asked; ///< [vertex_count] of this step, before the last word
    float share; ///< of what the last word changed that is shown
} PeltiCarried;

/// Lives in `pool`.
PeltStatus pelti_carried_create(const PeltiMesh *mesh, PeltiPool *pool, PeltiCarried **out, PeltError *err);
/// Before the last word on `vertices`.
void pelti_carried_begin(PeltiCarried *carried, const Vec3 *vertices);
/// After it: `lag` is the farthest that it left one behind. Not changed where that is near. Does not allocate.
void pelti_carried_end(PeltiCarried *carried, float lag, bool restart, Vec3 *vertices);
/// What it carries from step to step.
void pelti_carried_keep(PeltiCarried *carried, PeltiSnapshot *snapshot);

#endif
