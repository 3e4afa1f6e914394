/// Closest features of points, segments and triangles. Positions are float, the arithmetic is double; degenerate input
/// (zero-length edges, zero-area triangles) gives the closest vertex or edge, never a division by nothing.
#ifndef PELTI_GEOMETRY_CLOSEST_H
#define PELTI_GEOMETRY_CLOSEST_H

#include "math/vec.h"

/// A feature of a triangle is the set of its corners with non-zero barycentric weight, one bit each: 1, 2, 4 are the
/// corners, 3 the edge 0-1, 6 the edge 1-2, 5 the edge 2-0, 7 the face. Of a segment: 1, 2 its ends, 3 its inside.
enum { PELTI_EDGE_01 = 3, PELTI_EDGE_12 = 6, PELTI_EDGE_20 = 5, PELTI_FACE = 7 };
static inline int pelti_closest_feature_size(int feature) ///< 1 vertex, 2 edge, 3 face
{
    return (feature & 1) + (feature >> 1 & 1) + (feature >> 2 & 1);
}

typedef struct PeltiClosest {
    double weight[3]; ///< barycentrics, sum 1, none negative
    int feature;
    Vec3 point;
    double squared; ///< distance^2
} PeltiClosest;
PeltiClosest pelti_closest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c);

/// Closest points p0 + s (p1 - p0), q0 + t (q1 - q0).
typedef struct PeltiClosestSegments {
    double s, t;
    int feature_p, feature_q;
    double squared;
} PeltiClosestSegments;
PeltiClosestSegments pelti_closest_segments(Vec3 p0, Vec3 p1, Vec3 q0, Vec3 q1);

/// Closest points of two triangles. Where they cross, `crossing` is true, the distance 0 and the point one where an edge
/// of one pierces the other.
typedef struct PeltiClosestTriangles {
    double weight_a[3], weight_b[3];
    int feature_a, feature_b;
    bool crossing;
    double squared;
} PeltiClosestTriangles;
PeltiClosestTriangles pelti_closest_triangles(const Vec3 a[3], const Vec3 b[3]);

/// Where the segment p pierces the triangle (not when they are coplanar): parameter t in [0,1] and barycentrics.
bool pelti_segment_pierces(const Vec3 p[2], const Vec3 triangle[3], double *t, double weight[3]);

static inline Vec3 pelti_closest_barycentric(const double w[3], Vec3 a, Vec3 b, Vec3 c)
{
    return vec3((float)(w[0] * (double)a.x + w[1] * (double)b.x + w[2] * (double)c.x),
                (float)(w[0] * (double)a.y + w[1] * (double)b.y + w[2] * (double)c.y),
                (float)(w[0] * (double)a.z + w[1] * (double)b.z + w[2] * (double)c.z));
}

#endif
