/// Surfaces of the built-in shapes, and the mass they enclose.
#ifndef PELTI_CONTACT_SHAPES_H
#define PELTI_CONTACT_SHAPES_H

#include "core/memory.h"
#include "math/vec.h"

#include <pelt/scene.h>

typedef struct PeltiContactMesh {
    int vertex_count, triangle_count;
    Vec3 *vertices;      ///< in the object's own frame
    int (*triangles)[3]; ///< outward
} PeltiContactMesh;

/// Checks the description and makes (or copies, scaled) its surface in `pool`.
PeltStatus pelti_contact_shape_make(PeltiPool *pool, const PeltSceneObject *object, PeltiContactMesh *out, PeltError *err);

/// Cells of a soft object's lattice along its extents (detail along the longest, if it is no more than SOFT_CELLS_MOST, else
/// SOFT_CELLS); 1 for others.
void pelti_contact_shape_cells(const PeltSceneObject *object, const float extent[3], int cells[3]);

typedef struct PeltiContactSolid {           ///< of unit density
    double volume, centre[3], inertia[3][3]; ///< inertia about the centre
} PeltiContactSolid;
/// Volume integrals over a closed surface; false where it encloses nothing (open, or inside out).
bool pelti_contact_shape_solid(const PeltiContactMesh *shape, PeltiContactSolid *out);

#endif
