/// The body's skin: cells to a smooth, even, closed mesh near the skin of the file.
#ifndef PELTI_BODY_SURFACE_H
#define PELTI_BODY_SURFACE_H

#include "body/complex.h"

typedef struct PeltiBodySurface {
    int vertex_count, triangle_count;
    Vec3 *points;
    int (*triangles)[3];
} PeltiBodySurface;

/// About `vertices` vertices. Lives in `pool`. No vertices: nothing is inside.
PeltStatus pelti_body_surface(const PeltiCellsDef *def, int vertices, PeltiPool *pool, PeltiBodySurface *out, PeltError *err);

#endif
