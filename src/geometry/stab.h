/// Signed crossings of many parallel rays with one mesh at once: winding numbers of thousands of points, several times faster
/// than asking a tree for each. Origins are put into strips of equal number, sorted within, so that a triangle finds those its
/// shadow covers by bisection, however unevenly they lie.
#ifndef PELTI_GEOMETRY_STAB_H
#define PELTI_GEOMETRY_STAB_H

#include "core/jobs.h"
#include "core/memory.h"
#include "math/vec.h"

typedef struct PeltiStab PeltiStab;

/// Room for `capacity` rays, in `pool`.
PeltStatus pelti_stab_create(PeltiPool *pool, int capacity, PeltiStab **out, PeltError *err);

typedef struct PeltiStabRays { ///< rays, and what they meet
    int count;
    const double (*origins)[3]; ///< [count]
    int triangle_count;
    const int (*triangles)[3]; ///< [triangle_count] of `points`
    const Vec3 *points;
} PeltiStabRays;
/// crossings[q] of the ray from origins[q] along +axis: the same number as pelti_box_tree_crossings gives. Triangles with a
/// corner beyond 1e30 (or not finite) are left out, as a tree does. Origins must be finite. Does not allocate.
void pelti_stab_count(PeltiStab *stab, const PeltiStabRays *rays, int axis, PeltiJobs *jobs, int *crossings);

#endif
