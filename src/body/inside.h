/// Which pieces lie inside others: teeth, a tongue, the body under a jacket.
#ifndef PELTI_BODY_INSIDE_H
#define PELTI_BODY_INSIDE_H

#include "body/pieces.h"

/// Fills `daylight` of each piece: the share of looks from its vertices, in directions all round, that no other piece stands in
/// the way of. At rest.
PeltStatus pelti_pieces_look_out(const PeltiCharacter *who, PeltiPieces *pieces, PeltError *err);

/// Whether no more than a trace of a piece sees daylight.
bool pelti_piece_is_inside(const PeltiPiece *piece);

#endif
