/// Steps of pelti_cells_create that have files of their own.
#ifndef PELTI_BODY_CELLS_PARTS_H
#define PELTI_BODY_CELLS_PARTS_H

#include "body/cells.h"

/// Closes the walls between cells that move apart; labels the cells.
PeltStatus pelti_cells_wall(const PeltiCharacter *who, const PeltiPieces *pieces, const PeltiSoup *soup, PeltiCells *cells,
                            PeltError *err);

#endif
