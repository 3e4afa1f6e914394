/// The volume that a surface encloses.
#ifndef PELT_TESTS_REMESH_VOLUME_H
#define PELT_TESTS_REMESH_VOLUME_H

#include "remesh/remesh.h"

static double volume(const PeltiRemeshSurface *s)
{
    double sum = 0;
    for (int t = 0; t < s->triangle_count; t++) {
        const int *c = &s->corner[3 * t];
        sum += (double)vec3_dot(s->position[c[0]], vec3_cross(s->position[c[1]], s->position[c[2]])) / 6;
    }
    return sum;
}

#endif
