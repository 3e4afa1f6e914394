/// Islands of pairs that cross, by blending or as it leans: whether more cross there than by blending.
#ifndef PELTI_BODY_LEAN_ISLANDS_H
#define PELTI_BODY_LEAN_ISLANDS_H

#include "geometry/mesh.h"
#include "geometry/box_tree.h"

typedef struct PeltiLeanIslands {
    const PeltiMesh *mesh;
    PeltiPair *home; ///< [home_count] pairs that cross by blending
    int home_count, capacity;
    int *root;  ///< [vertex_count] union-find: corners of one pair, and of pairs that share one, are of one island
    int *count; ///< [vertex_count] of a root: pairs as it leans, less those by blending
} PeltiLeanIslands;

/// For up to `capacity` pairs by blending. Lives in `pool`.
PeltStatus pelti_lean_islands_create(const PeltiMesh *mesh, int capacity, PeltiPool *pool, PeltiLeanIslands *out, PeltError *err);
/// A step begins: these cross by blending. Does not allocate.
void pelti_lean_islands_begin(PeltiLeanIslands *islands, const PeltiPair *home, int count);
/// These cross as it leans. Islands that met in this step stay one.
void pelti_lean_islands_count(PeltiLeanIslands *islands, const PeltiPair *now, int count);
/// Whether more cross than by blending in the island of a pair that was counted.
bool pelti_lean_islands_worse(PeltiLeanIslands *islands, const PeltiPair *pair);

#endif
