/// Tetrahedra of a soft object and how its surface hangs in them.
#ifndef PELTI_CONTACT_SOFT_MESH_H
#define PELTI_CONTACT_SOFT_MESH_H

#include "contact/body.h"

typedef struct PeltiSoftMesh {
    int node_count, tet_count;
    double (*nodes)[3];  ///< relative to the centre of mass, at rest
    int (*tets)[4];      ///< positive volume
    int (*corner)[4];    ///< [surface vertices] the tetrahedron each hangs in
    double (*weight)[4]; ///< [surface vertices] barycentric, may reach a little outside
} PeltiSoftMesh;

PeltStatus pelti_soft_mesh_make(PeltiPool *pool, const PeltiContactBody *body, const PeltiMesh *surface, PeltiSoftMesh *out,
                                PeltError *err);
double pelti_contact_tet_volume(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
