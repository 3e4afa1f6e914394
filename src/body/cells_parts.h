/// Steps of pelti_cells_create that have files of their own.
#ifndef PELTI_BODY_CELLS_PARTS_H
#define PELTI_BODY_CELLS_PARTS_H

#include "body/cells.h"

/// Closes the walls between cells that move apart; labels the cells. `allocator`: for its work.
PeltStatus pelti_cells_wall(const PeltiCellsDef *def, const PeltAllocator *allocator, PeltiCells *cells, PeltError *err);

#endif
