/// Rays against triangles, millions of them: batches for Embree, which nobody outside this room sees. Queries
/// may run from several threads at once on one scene; hits are the same for any batch size.
#ifndef PELTI_RENDER_RAYS_H
#define PELTI_RENDER_RAYS_H

#include "core/error.h"
#include "geometry/ray.h"

#include <stdint.h>

typedef struct PeltiRays PeltiRays;

/// Positions and triangles are copied. Degenerate triangles are never hit. Both sides count.
PeltStatus pelti_rays_create(int vertex_count, const Vec3 *positions, int triangle_count, const int (*triangles)[3],
                             PeltiRays **out, PeltError *err);
void pelti_rays_destroy(PeltiRays *rays); ///< NULL is fine

void pelti_rays_closest(const PeltiRays *rays, int count, const PeltiBoxRay *ray, PeltiBoxHit *hit);
void pelti_rays_blocked(const PeltiRays *rays, int count, const PeltiBoxRay *ray, uint8_t *blocked); ///< 1: something in between

#endif
