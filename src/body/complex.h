/// The boundary of the body's cells as a closed manifold: walls become two sheets back to back.
#ifndef PELTI_BODY_COMPLEX_H
#define PELTI_BODY_COMPLEX_H

#include "body/cells.h"
#include "remesh/surface.h"

/// Drops what hangs on nothing (pieces of fewer than `least` of the inside cells). The surface's `size` holds 0 at vertices of
/// walls, 1 elsewhere. Release `out` with pelti_remesh_release.
PeltStatus pelti_cells_surface(PeltiCells *cells, float least, const PeltAllocator *allocator, PeltiRemeshSurface *out,
                               PeltError *err);

#endif
