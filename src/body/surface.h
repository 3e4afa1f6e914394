/// The body's skin: cells to a smooth, even, closed mesh near the skin of the file.
#ifndef PELTI_BODY_SURFACE_H
#define PELTI_BODY_SURFACE_H

#include "body/complex.h"

typedef struct PeltiBodySurface {
    int vertex_count, triangle_count;
    Vec3 *points;
    int (*triangles)[3];
} PeltiBodySurface;

/// About `vertices` vertices. `edge` of the cells, in the soup's units. Lives in `pool`. No vertices: nothing is inside.
PeltStatus pelti_body_surface(const PeltiCharacter *who, const PeltiPieces *pieces, const PeltiSoup *soup, float edge,
                              int vertices, PeltiPool *pool, PeltiJobs *jobs, PeltiBodySurface *out, PeltError *err);

#endif
