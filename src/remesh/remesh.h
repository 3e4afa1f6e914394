/// The skin of a shape as triangles: extraction on a grid, remeshing to even triangles of a wanted number, subdivision.
/// Lengths are metres; results are the same bytes for any number of threads.
#ifndef PELTI_REMESH_REMESH_H
#define PELTI_REMESH_REMESH_H

#include "core/jobs.h"
#include "remesh/surface.h"

/// What is to be meshed: a solid that answers where its surface is. The calls may come from any worker at once.
typedef struct PeltiRemeshShape {
    const void *context;
    Vec3 low, high; ///< a box around the surface, with a margin of a voxel or more
    /// Signed distance, negative inside; need be a distance near the surface only, and no steeper than 1.8 far from it.
    float (*distance)(const void *context, Vec3 p);
    /// Of the distance, near the surface; not normalised. Gives the normals. NULL: the mesh's own are good enough.
    Vec3 (*gradient)(const void *context, Vec3 p);
    /// The point of the surface near p that faces the way of `normal` (unit), at most about `reach` away; p itself where there
    /// is none.
    Vec3 (*project)(const void *context, Vec3 p, Vec3 normal, float reach);
    /// Edge length wanted at p of the surface, relative: 1 as the rest, 0.5 half as long. NULL: 1 everywhere.
    float (*detail)(const void *context, Vec3 p);
    float finest; ///< no edge is wanted shorter for the surface's turning than this share of one where it is flat; 0: no bound
    bool sharp;   ///< it has ridges, whose normals agree with no triangle there
} PeltiRemeshShape;

/// Extracts the surface on a grid of edge `voxel`: dual marching cubes with one vertex for every sheet in a cell.
/// Only the largest component is kept. Fails where the result is not a manifold of genus 0 (try another voxel).
PeltStatus pelti_remesh_extract(const PeltiRemeshShape *shape, float voxel, PeltiJobs *jobs, const PeltAllocator *allocator,
                                PeltiRemeshSurface *out, PeltError *err);

/// Remeshes to about `vertices` vertices: split, collapse, flip, relax, project, until the count holds.
PeltStatus pelti_remesh_even(const PeltiRemeshShape *shape, PeltiRemeshSurface *surface, int vertices, PeltiJobs *jobs,
                             PeltError *err);

/// How fine a mesh is wanted.
typedef struct PeltiRemeshGoal {
    float voxel;  ///< edge of the grid it is extracted on
    int vertices; ///< about as many
} PeltiRemeshGoal;

/// Both, to about `goal.vertices` vertices, with a finer grid where the first gives no manifold, and a few more vertices where
/// thin parts come out crossing. `out` is released where it fails.
PeltStatus pelti_remesh_make(const PeltiRemeshShape *shape, PeltiRemeshGoal goal, PeltiJobs *jobs, const PeltAllocator *allocator,
                             PeltiRemeshSurface *out, PeltError *err);

/// Each triangle into four, new points on the shape; `parents` [new vertices - old] the ends of the edge each new vertex halves
/// (may be NULL).
PeltStatus pelti_remesh_subdivide(const PeltiRemeshShape *shape, PeltiRemeshSurface *surface, int (*parents)[2], PeltiJobs *jobs,
                                  PeltError *err);

/// Area-weighted vertex normals of the mesh itself, into `normal`.
void pelti_remesh_normals(PeltiRemeshSurface *surface);

/// Smooths what crosses, off the shape, until it does not, `folds`: or is folded flat; normals of the mesh itself where anything
/// moved.
PeltStatus pelti_remesh_apart(PeltiRemeshSurface *surface, bool folds, PeltiJobs *jobs, PeltError *err);

/// Pairs of triangles that share no vertex and cross.
PeltStatus pelti_remesh_crossings(const PeltiRemeshSurface *surface, PeltiJobs *jobs, long *count, PeltError *err);

#endif
