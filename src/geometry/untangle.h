/// Moves crossing triangles of a skin apart, a hair each: a last word on what is shown.
#ifndef PELTI_GEOMETRY_UNTANGLE_H
#define PELTI_GEOMETRY_UNTANGLE_H

#include "geometry/box_tree.h"
#include "geometry/mesh.h"

typedef struct PeltiUntangle {
    const PeltiMesh *mesh;
    float gap; ///< length left between triangles that are moved apart
    PeltiBoxTree *tree;
    PeltiPairs pairs;     ///< that cross, after the last look
    PeltiBox *boxes;      ///< [triangle]
    bool *rest_crosses;   ///< [triangle] crosses another one at rest: such pairs are the artist's
    float *edge;          ///< [vertex] mean length of the edges there, at rest
    unsigned char *near;  ///< [vertex] rings from a crossing, + 1; 0: far
    Vec3 *step, *best;    ///< [vertex]
    float *weight;        ///< [vertex]
    int found;            ///< pairs that crossed when the last call began
    const Vec3 *looks_at; ///< positions while the tree is searched
} PeltiUntangle;

/// Builds into `pool`; `mesh` must outlive it.
PeltStatus pelti_untangle_build(PeltiPool *pool, const PeltiMesh *mesh, float gap, PeltiUntangle *out, PeltError *err);

/// Parts what crosses in `x` [vertex_count] along the surface's own normals and smooths what cannot be told apart; never leaves
/// more than it found. Vertices farther than a few rings from a crossing stay. At most `rounds` of it: bodies that a clip drives
/// into each other have no way apart, and a caller that comes again soon need not look for it to the end. Returns the pairs that
/// still cross. Does not allocate.
enum { PELTI_UNTANGLE_WHOLLY = 72 };
int pelti_untangle(PeltiUntangle *untangle, PeltiJobs *jobs, Vec3 *x, int rounds);

#endif
