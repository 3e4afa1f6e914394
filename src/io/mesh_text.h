/// Text formats of shapes, parsed word by word.
#ifndef PELTI_IO_SHAPE_TEXT_H
#define PELTI_IO_SHAPE_TEXT_H

#include "io/shape.h"

typedef struct PeltiShapeText {
    const char *p, *end; ///< ends with a zero byte
    int line;
    PeltiArray vertices, triangles, tetrahedra; ///< of float[3], int[3], int[4]; from 0
} PeltiShapeText;
typedef PeltStatus (*PeltiShapeParse)(PeltiShapeText *text, PeltError *err);

PeltStatus pelti_io_shape_obj(PeltiShapeText *text, PeltError *err);
PeltStatus pelti_io_shape_medit(PeltiShapeText *text, PeltError *err);
PeltStatus pelti_io_shape_gmsh(PeltiShapeText *text, PeltError *err); ///< versions 2 and 4.1, text
/// Reads the file, parses it, checks indices, turns tetrahedra the right way and finds their outside.
PeltStatus pelti_io_shape_load_text(PeltiPool *pool, const char *path, PeltiShapeParse parse, PeltiIoShape *out, PeltError *err);

#endif
