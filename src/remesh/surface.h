/// A closed manifold of triangles as half edges, which the remesher cuts and joins in place.
#ifndef PELTI_REMESH_SURFACE_H
#define PELTI_REMESH_SURFACE_H

#include "core/memory.h"
#include "math/vec.h"

/// Half edge 3 t + i of triangle t goes from its corner i to corner i + 1; `opposite` is the twin of each.
typedef struct PeltiRemeshSurface {
    PeltAllocator allocator;
    int vertex_count, triangle_count; ///< in use, dead triangles included until packed
    int vertex_capacity, triangle_capacity;
    Vec3 *position; ///< [vertex_capacity]
    Vec3 *normal;   ///< [vertex_capacity] of the shape
    float *size;    ///< [vertex_capacity] wanted edge length
    int *out;       ///< [vertex_capacity] a half edge leaving it; -1: dead
    int *corner;    ///< [3 x triangle_capacity] vertex at the start of the half edge; -1: dead
    int *opposite;  ///< [3 x triangle_capacity]
    bool sharp;     ///< of a file, with ridges and spikes: what faces away from its corners' normals already may go on doing so
} PeltiRemeshSurface;

PeltStatus pelti_remesh_reserve(PeltiRemeshSurface *surface, int vertices, int triangles, PeltError *err);
void pelti_remesh_release(PeltiRemeshSurface *surface);
/// Fills `opposite` and `out` from `corner`. PELT_FAILED where an edge has not exactly one twin or a vertex several fans.
PeltStatus pelti_remesh_connect(PeltiRemeshSurface *surface, PeltError *err);

/// Drops components that enclose less than a share of what the largest does: crumbs, and hollows, whose volume is negative.
PeltStatus pelti_remesh_keep(PeltiRemeshSurface *surface, float least, PeltError *err);

/// Next and previous half edge of the same triangle.
static inline int pelti_remesh_next(int h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}
static inline int pelti_remesh_previous(int h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

#endif
