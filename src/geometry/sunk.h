/// Places where a mesh crosses itself at rest: a button that is sunk into its jacket and slides crosses other triangles than at
/// rest, and that is no new crossing.
#ifndef PELTI_GEOMETRY_SUNK_H
#define PELTI_GEOMETRY_SUNK_H

#include "geometry/box_tree.h"
#include "geometry/mesh.h"

#include <stdint.h>

/// One end of a pair that crosses at rest, found by where its triangle rests.
typedef struct PeltiSunkEnd {
    uint64_t cell;
    double near[3], far[3]; ///< centres at rest of this triangle, of the other one
} PeltiSunkEnd;

typedef struct PeltiSunk {
    const PeltiMesh *mesh;
    PeltiSunkEnd *ends; ///< [2 * count] sorted by cell
    int count;          ///< pairs
    bool *beside;       ///< [triangle_count] some end is near: others are explained by nothing
} PeltiSunk;

/// Of the pairs that cross at rest. Lives in `pool`; `mesh` must outlive it.
PeltStatus pelti_sunk_create(const PeltiMesh *mesh, const PeltiPair *pairs, int count, PeltiPool *pool, PeltiSunk *out,
                             PeltError *err);
/// A pair of triangles crosses at rest, one within 2 % of the size of each of these two.
bool pelti_sunk_explains(const PeltiSunk *sunk, int a, int b);

#endif
