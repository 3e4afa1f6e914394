/// Text formats of shapes, parsed word by word.
#ifndef PELTI_IO_MESH_TEXT_H
#define PELTI_IO_MESH_TEXT_H

#include "io/mesh.h"

typedef struct PeltiIoMeshText {
    const char *p, *end; ///< ends with a zero byte
    int line;
    PeltiArray vertices, triangles, tetrahedra; ///< of float[3], int[3], int[4]; from 0
} PeltiIoMeshText;
typedef PeltStatus (*PeltiIoMeshParse)(PeltiIoMeshText *text, PeltError *err);

PeltStatus pelti_io_mesh_obj(PeltiIoMeshText *text, PeltError *err);
PeltStatus pelti_io_mesh_medit(PeltiIoMeshText *text, PeltError *err);
PeltStatus pelti_io_mesh_gmsh(PeltiIoMeshText *text, PeltError *err); ///< versions 2 and 4.1, text
/// Reads the file, parses it, checks indices, turns tetrahedra the right way and finds their outside.
PeltStatus pelti_io_mesh_load_text(PeltiPool *pool, const char *path, PeltiIoMeshParse parse, PeltiIoMesh *out, PeltError *err);

#endif
