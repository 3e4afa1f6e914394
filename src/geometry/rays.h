/// Rays against triangles, in batches (Embree behind it; nobody outside this room sees it). A scene is built once for a
/// topology and refitted as positions move. Queries may run from several threads at once on one scene; hits are the same for
/// any batch size.
#ifndef PELTI_GEOMETRY_RAYS_H
#define PELTI_GEOMETRY_RAYS_H

#include "core/error.h"
#include "math/vec.h"

#include <stdint.h>

typedef struct PeltiRays PeltiRays;

typedef struct PeltiRay {
    Vec3 origin;
    float near; ///< hits closer than this do not count, in lengths of `direction`
    Vec3 direction;
    float far; ///< INFINITY is fine
} PeltiRay;

typedef struct PeltiHit {
    int triangle;   ///< -1: none
    float distance; ///< in lengths of `direction`
    float u, v;     ///< barycentric of the triangle's second and third vertex
} PeltiHit;

/// Positions and triangles are copied. Degenerate triangles are never hit. Both sides count.
PeltStatus pelti_rays_create(int vertex_count, const Vec3 *positions, int triangle_count, const int (*triangles)[3],
                             PeltiRays **out, PeltError *err);
void pelti_rays_update(PeltiRays *rays, const Vec3 *positions); ///< same topology, moved; refits
void pelti_rays_destroy(PeltiRays *rays);                       ///< NULL is fine

void pelti_rays_closest(const PeltiRays *rays, int count, const PeltiRay *ray, PeltiHit *hit);
void pelti_rays_blocked(const PeltiRays *rays, int count, const PeltiRay *ray, uint8_t *blocked); ///< 1: something in between
/// As above, but ray i sees only triangles t with triangle_group[t] == ray_group[i].
void pelti_rays_blocked_in_group(const PeltiRays *rays, int count, const PeltiRay *ray, const int *triangle_group,
                                 const int *ray_group, uint8_t *blocked);

#endif
