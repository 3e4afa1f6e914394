/// Closed pieces keep their volume no worse than blending does: an eye or a shoe that the body squeezes leans on blending as a
/// whole.
#ifndef PELTI_BODY_LEAN_VOLUME_H
#define PELTI_BODY_LEAN_VOLUME_H

#include "geometry/mesh.h"

typedef struct PeltiLeanVolume {
    const PeltiMesh *mesh;
    double *rest;       ///< [component_count] at rest; 0: not watched (open, rigid or flat)
    double *home, *now; ///< [component_count] by blending, as it leans
    double *low, *high; ///< [component_count] factors on the shares that are bearable, that are not
    int *first;         ///< [component_count] a vertex of it
} PeltiLeanVolume;

/// `rigid` [component_count] are left alone. Lives in `pool`.
PeltStatus pelti_lean_volume_create(const PeltiMesh *mesh, const bool *rigid, PeltiPool *pool, PeltiLeanVolume *out,
                                    PeltError *err);
/// Scales the shares (1: `own`, 0: `home`) of pieces that keep their volume worse than blending. Does not allocate.
void pelti_lean_volume_apply(PeltiLeanVolume *volume, const Vec3 *home, const Vec3 *own, float *share);

#endif
