/// How far flesh may stray: no farther from where blending has it than the part is thick, and less where nothing bends.
///
/// A fold, a bulge or a restored elbow moves skin by up to the part's own thickness; a dent or a swing by a share of it. What
/// goes farther has lost its way (a field that does not know the shape, a tetrahedron inside out), by whatever method: it is held
/// back here.
#ifndef PELTI_BODY_LIMIT_H
#define PELTI_BODY_LIMIT_H

#include "character/weights.h"

typedef struct PeltiLimit PeltiLimit;

/// For the vertices of `who`; lives in `pool`. `weights` must outlive it.
PeltStatus pelti_limit_create(const PeltiCharacter *who, const PeltiWeights *weights, PeltiPool *pool, PeltiJobs *jobs,
                              PeltiLimit **out, PeltError *err);
/// Holds the vertices of `shape` [vertex_count] back; returns how many were. Does not allocate.
int pelti_limit_apply(PeltiLimit *limit, const Mat34 *bones, PeltiJobs *jobs, Vec3 *shape);

#endif
