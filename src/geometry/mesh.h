/// The welded triangle mesh every method solves on: file vertices ("points") at one place within one instance are one
/// vertex here. Degenerate and duplicate triangles are dropped. Built once from the rest positions.
#ifndef PELTI_GEOMETRY_MESH_H
#define PELTI_GEOMETRY_MESH_H

#include "core/log.h"
#include "math/vec.h"

typedef struct PeltiMesh {
    int point_count;    ///< file vertices, in cache order
    int vertex_count;   ///< welded
    int triangle_count; ///< over welded vertices
    int edge_count;     ///< undirected
    int component_count;
    const int *weld;                ///< [point_count] point -> vertex
    const int *first_point;         ///< [vertex_count] one point of each vertex (the lowest)
    const Vec3 *rest;               ///< [vertex_count] rest position, world units
    const int (*triangles)[3];      ///< [triangle_count]
    const int (*edges)[2];          ///< [edge_count] low, high, sorted
    const int *edge_use;            ///< [edge_count] triangles at the edge: 1 border, 2 inner, > 2 non-manifold
    const int *edge_start;          ///< [vertex_count + 1] into edges, by low end
    const int (*triangle_edges)[3]; ///< [triangle_count] edge k joins corners k and (k + 1) % 3
    int hole_count;                 ///< border loops of at least 3 vertices
    const int *hole_start;          ///< [hole_count + 1] into hole
    const int *hole;                ///< vertices of each loop; fans (loop centre, hole[i], next one) close the surface
    const int *ring_start;          ///< [vertex_count + 1] into ring
    const int *ring;                ///< neighbours of each vertex, ascending
    const int *fan_start;           ///< [vertex_count + 1] into fan
    const int *fan;                 ///< triangles of each vertex, ascending
    const int *component;       ///< [vertex_count] vertices joined by edges; a vertex in no triangle is a component of its own
    const int *vertex_instance; ///< [vertex_count]
    int border_edge_count, nonmanifold_edge_count, inconsistent_edge_count;
    int dropped_degenerate, dropped_duplicate, unused_vertex_count;
    bool closed;    ///< no border, no non-manifold, no inconsistently wound edge
    Vec3 low, high; ///< bounds of rest
    float diagonal; ///< of the bounds: "the character's size"
} PeltiMesh;

typedef struct PeltiMeshInput {
    int point_count, triangle_count;
    const Vec3 *weld_positions;      ///< [point_count] as in the file, before any scaling
    const Vec3 *rest;                ///< [point_count] the positions to keep
    const int *instance_of_point;    ///< [point_count] instances are kept apart when welding
    const int (*point_triangles)[3]; ///< [triangle_count]
} PeltiMeshInput;
/// Builds into `pool`. The weld tolerance is 1e-6 of the diagonal of `weld_positions`, grid-rounded.
PeltStatus pelti_mesh_build(PeltiPool *pool, const PeltiMeshInput *def, PeltiMesh **out, PeltError *err);

/// Cotangent Laplacian weights per edge, w_ij = (cot a + cot b) / 2, clamped to >= `least` times the mean positive weight
/// (0 keeps zero), and lumped (barycentric third) vertex areas. Arrays are the caller's: [edge_count], [vertex_count].
void pelti_mesh_cotangents(const PeltiMesh *mesh, const Vec3 *positions, float least, float *edge_weight, float *vertex_area);

/// Area-weighted vertex normals, unit; zero-area fans give (0,0,1). Serial.
void pelti_mesh_normals(const PeltiMesh *mesh, const Vec3 *positions, Vec3 *normals);

/// Index of the undirected edge a-b, -1 if there is none. O(log edges at a).
int pelti_mesh_edge(const PeltiMesh *mesh, int a, int b);

/// Mean length of the edges at each vertex [vertex_count].
void pelti_mesh_edge_lengths(const PeltiMesh *mesh, const Vec3 *positions, float *mean_length);

/// Signed volume; holes closed by fans to each border loop's centre. Double sums.
double pelti_mesh_volume(const PeltiMesh *mesh, const Vec3 *positions);
/// Each vertex [vertex_count] where its first point is: of points [point_count] that come from outside, or that were kept.
void pelti_mesh_gather(const PeltiMesh *mesh, const Vec3 *points, Vec3 *vertices);

/// Lengths along edges, at rest, from the vertices whose `distance` [vertex_count] is 0 already, as far as `limit`; the others
/// come with INFINITY and keep it beyond that. Sweeps until nothing shrinks (spread.c).
void pelti_mesh_spread(const PeltiMesh *mesh, float limit, float *distance);

#endif
