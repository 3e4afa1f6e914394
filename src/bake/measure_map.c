/// include/pelt/measure.h: measures of the last frame, a number a point.
#include "bake/measuring.h"

#include <string.h>

/// From vertices to the points that are welded into them.
static void spread(const PeltiMesh *mesh, const float *vertex_value, float *out)
{
    for (int p = 0; p < mesh->point_count; p++)
        out[p] = vertex_value[mesh->weld[p]];
}

static void touching(const PeltMeasure *m, const PeltiMesh *mesh)
{
    const uint8_t *crossing = pelti_measure_crossing(m->measure);
    memset(m->map, 0, (size_t)mesh->point_count * sizeof *m->map);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3 && crossing[t]; k++) {
            float *at = &m->map[mesh->first_point[mesh->triangles[t][k]]];
            *at = fmaxf(*at, (float)crossing[t]);
        }
    for (int p = mesh->point_count - 1; p >= 0; p--) // a vertex' first point is its lowest: the others come before it here
        m->map[p] = m->map[mesh->first_point[mesh->weld[p]]];
}

/// To the nearer of lbs and the chosen blend.
static void from_lbs(const PeltMeasure *m, const PeltiMesh *mesh)
{
    float size = fmaxf(mesh->diagonal, 1e-30f);
    for (int p = 0; p < mesh->point_count; p++)
        m->map[p] = m->last_lbs ? pelti_measuring_flown(m->last, m->last_lbs, m->last_near, p) / size : 0;
}

const float *pelt_measure_map(PeltMeasure *m, PeltMeasureMap map)
{
    const PeltiMesh *mesh = m->character->who->mesh;
    switch (map) {
    case PELT_MEASURE_STRETCH:
        spread(mesh, pelti_measure_stretch(m->measure), m->map);
        break;
    case PELT_MEASURE_TOUCHING:
        touching(m, mesh);
        break;
    case PELT_MEASURE_DEPTH:
        spread(mesh, pelti_measure_depth(m->measure), m->map);
        break;
    case PELT_MEASURE_FROM_LBS:
        from_lbs(m, mesh);
        break;
    }
    return m->map;
}
