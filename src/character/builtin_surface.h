/// The skin of a shape as triangles: extraction on a grid, remeshing to even triangles of a wanted number, subdivision.
#ifndef PELTI_CHARACTER_BUILTIN_SURFACE_H
#define PELTI_CHARACTER_BUILTIN_SURFACE_H

#include "character/builtin_shape.h"

/// Closed and manifold: triangles as half edges 3 t + i (from corner i to corner i + 1), `opposite` the twin of each.
typedef struct PeltiSurface {
    PeltAllocator allocator;
    int vertex_count, triangle_count; ///< in use, dead triangles included until packed
    int vertex_capacity, triangle_capacity;
    Vec3 *position; ///< [vertex_capacity]
    Vec3 *normal;   ///< [vertex_capacity] of the shape
    float *size;    ///< [vertex_capacity] wanted edge length
    int *out;       ///< [vertex_capacity] a half edge leaving it; -1: dead
    int *corner;    ///< [3 x triangle_capacity] vertex at the start of the half edge; -1: dead
    int *opposite;  ///< [3 x triangle_capacity]
} PeltiSurface;

PeltStatus pelti_surface_reserve(PeltiSurface *surface, int vertices, int triangles, PeltError *err);
void pelti_surface_release(PeltiSurface *surface);
/// Fills `opposite` and `out` from `corner`. PELT_FAILED where an edge has not exactly one twin or a vertex several fans.
PeltStatus pelti_surface_connect(PeltiSurface *surface, PeltError *err);

/// Extracts the surface on a grid of edge `voxel`: dual marching cubes with one vertex for every sheet in a cell.
/// Only the largest component is kept. Fails where the result is not a manifold of genus 0 (try another voxel).
PeltStatus pelti_surface_extract(const PeltiShape *shape, float voxel, PeltiJobs *jobs, const PeltAllocator *allocator,
                                 PeltiSurface *out, PeltError *err);

/// Remeshes to about `vertices` vertices: split, collapse, flip, relax, project, until the count holds.
PeltStatus pelti_surface_remesh(const PeltiShape *shape, PeltiSurface *surface, int vertices, PeltiJobs *jobs, PeltError *err);

/// Each triangle into four, new points on the shape; `parents` [new vertices - old] the ends of the edge each new vertex halves
/// (may be NULL).
PeltStatus pelti_surface_subdivide(const PeltiShape *shape, PeltiSurface *surface, int (*parents)[2], PeltiJobs *jobs,
                                   PeltError *err);

/// Tangential relaxation with projection to the shape, `rounds` times.
PeltStatus pelti_surface_relax(const PeltiShape *shape, PeltiSurface *surface, int rounds, PeltiJobs *jobs, PeltError *err);

/// Flips edges that are not Delaunay, a few sweeps: fewer flat and sharp angles.
void pelti_surface_delaunay(PeltiSurface *surface, int sweeps);

static inline int pelti_next(int h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}
static inline int pelti_previous(int h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

#endif
