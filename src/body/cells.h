/// The body as cells of a grid: which lie inside, and which neighbours hang together. Places that touch or overlap but move
/// apart (finger and finger, thigh and thigh) are cells side by side with a closed wall between them.
#ifndef PELTI_BODY_CELLS_H
#define PELTI_BODY_CELLS_H

#include "body/pieces.h"

#include <stdint.h>

enum { PELTI_CELL_OUT, PELTI_CELL_SOLID, PELTI_CELL_THIN }; ///< thin: inside only because a sheet passes close by

typedef struct PeltiCells {
    Vec3 low;        ///< centre of cell 0,0,0
    float edge;      ///< of a cell
    int n[3];        ///< a rim of one cell on each side is outside
    uint8_t *state;  ///< [cells]
    uint8_t *walls;  ///< [cells] bit d: the side in direction d is closed, though both cells are inside. d = 2 axis + (1: up)
    float *winding;  ///< [cells]
    int *near;       ///< [cells] nearest triangle of the soup where one is close, else -1
    float *distance; ///< [cells] to it
    int *label;      ///< [cells] bone of the nearest skin, -1 outside
} PeltiCells;

static inline size_t pelti_cell_count(const PeltiCells *c)
{
    return (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2];
}
static inline ptrdiff_t pelti_cell_step(const PeltiCells *c, int direction) ///< index difference to the neighbour
{
    ptrdiff_t along[3] = {1, c->n[0], (ptrdiff_t)c->n[0] * c->n[1]};
    return direction & 1 ? along[direction / 2] : -along[direction / 2];
}
static inline Vec3 pelti_cell_centre(const PeltiCells *c, size_t cell)
{
    size_t n0 = (size_t)c->n[0], n1 = (size_t)c->n[1];
    return vec3(c->low.x + c->edge * (float)(cell % n0), c->low.y + c->edge * (float)(cell / n0 % n1),
                c->low.z + c->edge * (float)(cell / n0 / n1));
}
/// Both inside and nothing between them.
static inline bool pelti_cells_open(const PeltiCells *c, size_t cell, int direction)
{
    return c->state[cell + (size_t)pelti_cell_step(c, direction)] && !(c->walls[cell] >> direction & 1);
}

/// What a body's skin is made from: the pieces of one skeleton.
typedef struct PeltiCellsDef {
    const PeltiCharacter *who;
    const PeltiPieces *pieces;
    const PeltiPieceSoup *soup;
    float edge; ///< of a cell, in the soup's units
    PeltiJobs *jobs;
} PeltiCellsDef;

/// Fills the cells of a soup. Lives in `pool`.
PeltStatus pelti_cells_create(const PeltiCellsDef *def, PeltiPool *pool, PeltiCells *out, PeltError *err);

#endif
