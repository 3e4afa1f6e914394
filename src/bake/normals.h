/// Normals of moved points. Each file normal turns with the surface around its vertex, so sharp edges stay sharp; points
/// without one get the smooth normal.
#ifndef PELTI_BAKE_NORMALS_H
#define PELTI_BAKE_NORMALS_H

#include "character/character.h"
#include "core/jobs.h"

typedef struct PeltiNormals {
    const PeltiCharacter *who;
    Vec3 *local;  ///< [point_count] the file's normal in the rest frame of its vertex; NULL: the file has none
    Vec3 *smooth; ///< [vertex_count] scratch: smooth normals
} PeltiNormals;

PeltStatus pelti_normals_create(PeltiNormals *maker, const PeltiCharacter *who, PeltiPool *pool, PeltError *err);
/// `vertices`: moved; `normals` [point_count]. Does not allocate.
void pelti_normals_make(PeltiNormals *maker, PeltiJobs *jobs, const Vec3 *vertices, Vec3 *normals);

#endif
