/// Measures points, as the tests write them down: their vertices are gathered here.
#ifndef PELT_TESTS_MEASURE_POINTS_H
#define PELT_TESTS_MEASURE_POINTS_H

#include "measure/parts.h"

#include <stdlib.h>

static PeltiMeasureSkin of_points(const PeltiMesh *mesh, const Vec3 *points)
{
    Vec3 *vertices = malloc((size_t)mesh->vertex_count * sizeof *vertices + 1);
    pelti_mesh_gather(mesh, points, vertices);
    return (PeltiMeasureSkin){points, vertices};
}

/// `bones` and `lbs` may be NULL, as for pelti_measure_frame.
static inline void measure_points(PeltiMeasure *m, const Vec3 *points, const Mat34 *bones, const Vec3 *lbs, PeltQuality *out)
{
    PeltiMeasureSkin skin = of_points(m->mesh, points), beside = lbs ? of_points(m->mesh, lbs) : (PeltiMeasureSkin){0};
    pelti_measure_frame(m, skin, bones, lbs ? &beside : NULL, out);
    free((void *)skin.vertices);
    free((void *)beside.vertices);
}

#endif
