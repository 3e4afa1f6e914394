/// Normals of moved points. Each file normal turns with the surface around its vertex, so sharp edges stay sharp; points
/// without one get the smooth normal.
#ifndef PELTI_BAKE_NORMALS_H
#define PELTI_BAKE_NORMALS_H

#include "character/character.h"

typedef struct PeltiNormals {
    const PeltiCharacter *who;
    Vec3 *local;    ///< [point_count] the file's normal in the rest frame of its vertex
    Vec3 *vertices; ///< [vertex_count] scratch: moved positions
    Vec3 *smooth;   ///< [vertex_count] scratch: smooth normals
} PeltiNormals;

PeltStatus pelti_normals_create(PeltiNormals *maker, const PeltiCharacter *who, PeltiPool *pool, PeltError *err);
void pelti_normals_make(PeltiNormals *maker, const Vec3 *points, Vec3 *normals); ///< does not allocate

#endif
