/// Where a ray along an axis crosses a triangle: what winding numbers are counted with.
#ifndef PELTI_GEOMETRY_CROSSING_H
#define PELTI_GEOMETRY_CROSSING_H

#include "math/vec.h"

/// Always inlined with a constant axis: the choices below fold away (twice as fast as deciding at run time).
#define PELTI_AXIS_INLINE static inline __attribute__((always_inline))

PELTI_AXIS_INLINE float pelti_along(const Vec3 *p, int axis)
{
    return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

PELTI_AXIS_INLINE double pelti_along_double(const Vec3 *p, int axis)
{
    return (double)pelti_along(p, axis);
}

/// +1, -1 where the ray crosses this triangle upwards or downwards, else 0.
PELTI_AXIS_INLINE int pelti_ray_crossing(const int triangle[3], const Vec3 *points, const double o[3], int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3, sign = 0;
    double area[3];
    for (int k = 0; k < 3; k++) {
        // each edge is evaluated from its lower to its higher vertex and a point on it is put to the left of that
        // direction, so that the two triangles at the edge agree
        int from = triangle[k], to = triangle[(k + 1) % 3];
        bool swapped = from > to;
        const Vec3 *u = &points[swapped ? to : from], *v = &points[swapped ? from : to];
        double side = (pelti_along_double(v, i) - pelti_along_double(u, i)) * (o[j] - pelti_along_double(u, j)) -
                      (pelti_along_double(v, j) - pelti_along_double(u, j)) * (o[i] - pelti_along_double(u, i));
        if (swapped)
            side = -side;
        if (side == 0)
            side = swapped ? -1e-300 : 1e-300;
        area[k] = side;
        int s = side > 0 ? 1 : -1;
        if (sign != 0 && s != sign)
            return 0;
        sign = s;
    }
    double sum = area[0] + area[1] + area[2];
    if (sum == 0)
        return 0;
    double height =
        (area[1] * pelti_along_double(&points[triangle[0]], axis) + area[2] * pelti_along_double(&points[triangle[1]], axis) +
         area[0] * pelti_along_double(&points[triangle[2]], axis)) /
        sum;
    return height > o[axis] ? sign : 0;
}

#endif
