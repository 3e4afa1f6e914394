/// Shapes of objects in a scene, from files: surfaces (.obj, .glb, .gltf) and tetrahedra (.msh of Gmsh, .mesh of Medit, as text).
#ifndef PELTI_IO_MESH_H
#define PELTI_IO_MESH_H

#include "core/memory.h"

typedef struct PeltiIoMesh {
    int vertex_count;
    float (*vertices)[3];
    int triangle_count;
    int (*triangles)[3]; ///< of tetrahedra: their outside, outward
    int tetrahedron_count;
    int (*tetrahedra)[4]; ///< of positive volume
} PeltiIoMesh;

/// By the file's ending, into `pool`. Indices are in range and coordinates finite; nothing more is promised of a surface.
PeltStatus pelti_io_mesh_load(PeltiPool *pool, const char *path, PeltiIoMesh *out, PeltError *err);

#endif
