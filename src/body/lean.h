/// The last look at the shown skin beside linear blending: where an edge would be torn, a triangle turned over or two triangles
/// cross that blending leaves whole, the skin leans on blending as far as is needed, and smoothly around it: with a share s of
/// each vertex, shown = blending + s (method - blending). s is 1 where nothing leans. Blending is called "home" in this room.
#ifndef PELTI_BODY_LEAN_H
#define PELTI_BODY_LEAN_H

#include "core/snapshot.h"
#include "body/crossings.h"
#include "body/lean_volume.h"

typedef struct PeltiLean PeltiLean;

/// `weights` per welded vertex; they and `pieces` must outlive it. Lives in `pool`. `crossings` are
/// of the same mesh.
typedef struct PeltiLeanDef {
    const PeltiCharacter *who;
    const PeltiWeights *weights;
    const PeltiPieces *pieces;
    PeltiCrossings *crossings;
} PeltiLeanDef;
PeltStatus pelti_lean_create(const PeltiLeanDef *def, PeltiPool *pool, PeltiLean **out, PeltError *err);
typedef struct PeltiLeanStep {
    const Mat34 *bones; ///< rest space -> world, as the method saw them: what is leant on
    const Mat34 *asked; ///< of the pose that was asked for, where joints gave way; NULL: the same
    bool restart;       ///< forgets the step before, from which skin comes back over some steps
} PeltiLeanStep;

/// Changes the vertices that need it; returns how many. Does not allocate.
int pelti_lean_apply(PeltiLean *lean, const PeltiLeanStep *step, PeltiJobs *jobs, Vec3 *vertices);

/// Whether, after pelti_lean_apply, what the crossings have now is worse than by blending somewhere, as their measure counts;
/// `where` [vertex_count] are the corners of such islands (pairs that cross and hang together, body/lean_islands.h).
bool pelti_lean_worse(PeltiLean *lean, bool *where);

/// Volumes of closed pieces at rest and, after pelti_lean_apply, by blending.
const PeltiLeanVolume *pelti_lean_volumes(const PeltiLean *lean);

/// What it carries from step to step.
void pelti_lean_keep(PeltiLean *lean, PeltiSnapshot *snapshot);

#endif
