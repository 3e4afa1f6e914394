/// Signs that are right whatever the rounding: a double filter, then exact arithmetic on the float coordinates.
#ifndef PELTI_GEOMETRY_EXACT_H
#define PELTI_GEOMETRY_EXACT_H

#include "math/vec.h"

/// Sign of det(a - d, b - d, c - d): +1, 0, -1. Exact for all finite float input.
int pelti_triangles_orient(Vec3 a, Vec3 b, Vec3 c, Vec3 d);

/// How two triangles that share no vertex meet.
typedef enum PeltiTrianglesMeet {
    PELTI_TRIANGLES_APART = 0, ///< apart, or touching without an edge going through
    PELTI_TRIANGLES_CROSSING =
        1, ///< an edge of one lies on both sides of the other's plane and meets the other (its border counts)
    PELTI_TRIANGLES_COPLANAR = 2 ///< in one plane, with overlapping insides
} PeltiTrianglesMeet;
PeltiTrianglesMeet pelti_triangles_meet(const Vec3 a[3], const Vec3 b[3]);

#endif
