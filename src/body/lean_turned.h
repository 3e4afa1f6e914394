/// Triangles that are turned over: against the sum of the normals across their edges, where they were not at rest.
#ifndef PELTI_BODY_LEAN_TURNED_H
#define PELTI_BODY_LEAN_TURNED_H

#include "core/jobs.h"
#include "geometry/mesh.h"

typedef struct PeltiLeanTurned {
    const PeltiMesh *mesh;
    int (*across)[3]; ///< [triangle_count] the triangle across edge k; -1: border, or more than two meet there
    bool *at_rest;    ///< [triangle_count] turned over at rest already
    bool *home;       ///< [triangle_count] by blending
    bool *now;        ///< [triangle_count]
    Vec3 *normal;     ///< [triangle_count]
    int *list;        ///< [list_count] of pelti_lean_turned_list
    int list_count;
    bool *listed_scratch; ///< [triangle_count] false
} PeltiLeanTurned;

/// Lives in `pool`.
PeltStatus pelti_lean_turned_create(const PeltiMesh *mesh, PeltiPool *pool, PeltiLeanTurned *out, PeltError *err);
/// Sets `out` [triangle_count], one of its arrays, for the vertices `x`; those of rest are left out. Does not allocate.
void pelti_lean_turned_find(PeltiLeanTurned *turned, const Vec3 *x, PeltiJobs *jobs, bool *out);
/// Lists the triangles of these vertices, each once.
void pelti_lean_turned_list(PeltiLeanTurned *turned, const int *vertices, int count);
/// The same as pelti_lean_turned_find for vertices `x` of which only those of the list have moved since it was called last.
void pelti_lean_turned_again(PeltiLeanTurned *turned, const Vec3 *x, PeltiJobs *jobs, bool *out);

#endif
