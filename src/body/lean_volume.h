/// Closed pieces keep their volume no worse than blending does: an eye or a shoe that the body squeezes leans on blending as a
/// whole.
#ifndef PELTI_BODY_LEAN_VOLUME_H
#define PELTI_BODY_LEAN_VOLUME_H

#include "geometry/mesh.h"

typedef struct PeltiLeanVolume {
    const PeltiMesh *mesh;
    double *rest;       ///< [component_count] at rest; 0: not watched (open, rigid or flat)
    double *home, *now; ///< [component_count] by blending, as it leans
    double *asked;      ///< [component_count] by blending of the pose that was asked for
    double *low, *high; ///< [component_count] factors on the shares that are bearable, that are not
    int *first;         ///< [component_count] a vertex of it
    int worse;          ///< pieces whose `low` is below 1
} PeltiLeanVolume;

/// `rigid` [component_count] are left alone. Lives in `pool`.
PeltStatus pelti_lean_volume_create(const PeltiMesh *mesh, const bool *rigid, PeltiPool *pool, PeltiLeanVolume *out,
                                    PeltError *err);
/// A step begins, with blending's vertices of the pose that is shown and of the one that was asked for.
void pelti_lean_volume_restart(PeltiLeanVolume *volume, const Vec3 *home, const Vec3 *asked);
/// Finds `low`, by which the shares (1: `own`, 0: `home`) are to be scaled, so that no piece keeps its volume worse than
/// blending, and how many are `worse` as they are. Does not allocate.
void pelti_lean_volume_find(PeltiLeanVolume *volume, const Vec3 *home, const Vec3 *own, const float *share);

#endif
