/// Triangles below a node of a tree as they are seen from afar, for winding numbers [Barill2018].
#ifndef PELTI_GEOMETRY_DIPOLE_H
#define PELTI_GEOMETRY_DIPOLE_H

#include "math/vec.h"

typedef struct PeltiMeshDipole {
    Vec3 centre;  ///< of area
    Vec3 area;    ///< sum of area vectors
    float radius; ///< of a ball round the centre that holds the triangles
} PeltiMeshDipole;

#endif
