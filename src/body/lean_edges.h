/// Edges of skin that leans: none is torn that blending leaves whole, and the lean changes smoothly along them. An edge is looked
/// at again only where the lean of one of its ends has changed since.
#ifndef PELTI_BODY_LEAN_EDGES_H
#define PELTI_BODY_LEAN_EDGES_H

#include "geometry/mesh.h"

#include <stdint.h>

typedef struct PeltiLeanEdges {
    const PeltiMesh *mesh;
    const Vec3 *home, *own; ///< [vertex_count] by blending, by the method
    float *share;           ///< [vertex_count] s of lean.h. 1: as the method has it, 0: as blending has it
    float *rest;            ///< [edge_count] lengths
    int *start;             ///< [vertex_count + 1] into `of`
    int *of;                ///< edges of a vertex
    int word_count;
    int *changed; ///< [changed_count] vertices whose share has changed since pelti_lean_edges_forget, each once
    int changed_count;
    bool *has_changed;      ///< [vertex_count]
    uint64_t *torn, *steep; ///< [word_count] a bit an edge: it may be too long, the lean along it too steep
} PeltiLeanEdges;

/// Takes mesh, home, own and share from `out`. Lives in `pool`.
PeltStatus pelti_lean_edges_create(PeltiPool *pool, PeltiLeanEdges *out, PeltError *err);
/// All edges will be looked at: all else is new, too.
void pelti_lean_edges_restart(PeltiLeanEdges *edges);
/// Forgets which vertices have changed.
void pelti_lean_edges_forget(PeltiLeanEdges *edges);
/// Sets the share of a vertex.
void pelti_lean_edges_set(PeltiLeanEdges *edges, int vertex, float share);
/// Takes the ends of torn edges towards blending, and the skin around with them, in sweeps: the share changes by no more
/// than a bounded slope along an edge (`steep`). Does not allocate.
void pelti_lean_edges_settle(PeltiLeanEdges *edges);

/// For an edge that is `home` by blending and home + change by the method: the largest s with |home + s change| <= most.
float pelti_lean_bearable(Vec3 home, Vec3 change, float most);

#endif
