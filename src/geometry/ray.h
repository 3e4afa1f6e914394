/// Single rays against the triangles of a box tree: the first that is met, or whether any is. Watertight: a ray that passes a
/// shared edge or vertex meets at least one of the triangles there. The answer depends on the triangles alone, not on the tree.
#ifndef PELTI_GEOMETRY_RAY_H
#define PELTI_GEOMETRY_RAY_H

#include "geometry/box_tree.h"

typedef struct PeltiBoxRay {
    Vec3 origin;
    float near; ///< hits closer than this do not count, in lengths of `direction`; negative is 0
    Vec3 direction;
    float far; ///< INFINITY is fine
} PeltiBoxRay;

typedef struct PeltiBoxHit {
    int triangle;   ///< -1: none
    float distance; ///< in lengths of `direction`; the ray's `far` where there is none
    float u, v;     ///< barycentric of the triangle's second and third vertex
} PeltiBoxHit;

/// The nearest triangle met; the lowest number among those met at the same distance. Both sides count; triangles seen edge-on
/// or with a corner that is not finite are not met. False: none, or a ray that goes nowhere (no direction, not finite).
/// The tree was built of, or refitted to, these triangles and points.
bool pelti_box_tree_first_hit(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const PeltiBoxRay *ray,
                              PeltiBoxHit *hit);
/// True where a triangle that the filter lets pass (NULL: all) is met between near and far. The filter is asked after the
/// triangle is met.
bool pelti_box_tree_blocked(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const PeltiBoxRay *ray,
                            PeltiTriangleFilter filter, void *context);

#endif
