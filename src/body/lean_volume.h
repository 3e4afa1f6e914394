/// Closed pieces keep their volume no worse than blending does: an eye or a shoe that the body squeezes leans on blending as a
/// whole.
#ifndef PELTI_BODY_LEAN_VOLUME_H
#define PELTI_BODY_LEAN_VOLUME_H

#include "core/jobs.h"
#include "geometry/mesh.h"

#include <math.h>

typedef struct PeltiLeanVolume {
    const PeltiMesh *mesh;
    double *rest;       ///< [component_count] at rest; 0: not watched (open, rigid or flat)
    double *home, *now; ///< [component_count] by blending, as it leans
    double *asked;      ///< [component_count] by blending of the pose that was asked for
    double *low, *high; ///< [component_count] bisection for a factor on the shares: the volume is kept with low, not with high
    int *first;         ///< [component_count] a vertex of it
    double *below;      ///< [triangle_count] six times the volume below it, as it leans
    bool stale;         ///< all of these are to be found anew
    int worse;          ///< pieces whose `low` is below 1
} PeltiLeanVolume;

/// `rigid` [component_count] are left alone. Lives in `pool`.
PeltStatus pelti_lean_volume_create(const PeltiMesh *mesh, const bool *rigid, PeltiPool *pool, PeltiLeanVolume *out,
                                    PeltError *err);
/// A step begins, with blending's vertices of the pose that is shown and of the one that was asked for.
void pelti_lean_volume_restart(PeltiLeanVolume *volume, const Vec3 *home, const Vec3 *asked, PeltiJobs *jobs);

/// How much worse than by blending a volume is kept, both as shares of that at rest: 0 where it is as near to 1.
static inline double pelti_lean_volume_harm(double now, double blended)
{
    return fabs(now - 1) <= fabs(blended - 1) ? 0 : fabs(now - blended);
}

typedef struct PeltiLeanShape { ///< share 1: own, 0: home; [vertex_count]
    const Vec3 *home, *own;
    const float *share;
} PeltiLeanShape;
typedef struct PeltiLeanChanged { ///< triangles whose corners' shares have changed since the volumes were found last
    const int *list;
    int count;
} PeltiLeanChanged;
/// Finds `low`, by which the shares are to be scaled, so that no piece keeps its volume worse than blending, and how many are
/// `worse` as they are: all will be looked at again if there are any. Does not allocate.
void pelti_lean_volume_find(PeltiLeanVolume *volume, const PeltiLeanShape *shape, PeltiLeanChanged changed, PeltiJobs *jobs);

#endif
