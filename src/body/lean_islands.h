/// Islands of pairs that cross, by blending or as it leans: whether more of them are deep than by blending, as the measures
/// count.
#ifndef PELTI_BODY_LEAN_ISLANDS_H
#define PELTI_BODY_LEAN_ISLANDS_H

#include "body/crossings.h"

typedef struct PeltiLeanIsland { ///< deep pairs as it leans, less those by blending
    int all, anew;               ///< anew: those that rest does not explain
} PeltiLeanIsland;

typedef struct PeltiLeanIslands {
    const PeltiMesh *mesh;
    PeltiPair *home; ///< [home_count] pairs that cross by blending
    int home_count, capacity;
    int *root;           ///< [vertex_count] union-find: corners of one pair, and of pairs that share one, are of one island
    PeltiLeanIsland *of; ///< [vertex_count] of a root
} PeltiLeanIslands;

/// For up to `capacity` pairs by blending. Lives in `pool`.
PeltStatus pelti_lean_islands_create(const PeltiMesh *mesh, int capacity, PeltiPool *pool, PeltiLeanIslands *out, PeltError *err);
/// A step begins: these cross by blending, of kinds as pelti_crossings_judge has them. Does not allocate.
void pelti_lean_islands_begin(PeltiLeanIslands *islands, const PeltiPair *home, int count);
/// These cross as it leans. Islands that met in this step stay one. Returns whether one is worse than by blending.
bool pelti_lean_islands_count(PeltiLeanIslands *islands, const PeltiPair *now, int count);
/// Whether a vertex is a corner in an island with more deep pairs than by blending, or with more that rest does not explain.
bool pelti_lean_islands_worse(PeltiLeanIslands *islands, int vertex);

#endif
