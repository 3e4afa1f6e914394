/// Which pieces bend, where no weights say it: by the bones in them and by what they lie on.
#ifndef PELTI_BODY_HELD_H
#define PELTI_BODY_HELD_H

#include "body/pieces.h"

typedef enum PeltiPieceHoldKind {
    PELTI_HOLD_WHOLE, ///< closed with the bones that bend it inside: a body by itself
    PELTI_HOLD_WORN,  ///< bends, and lies on whole pieces: a jacket over a body
    PELTI_HOLD_CLOTH, ///< bends, but there is nothing below: a jacket that is the body
    PELTI_HOLD_RIGID, ///< at most one bone in it: an eye, a stick in a hand
} PeltiPieceHoldKind;

typedef struct PeltiPieceHold { ///< of one piece
    PeltiPieceHoldKind kind;
    int bone; ///< rigid: the one in it; -1: none, it follows what it touches
} PeltiPieceHold;

/// `weights`: automatic ones of the file's own mesh, which say which bones carry flesh at all; `pieces` judged by them.
/// `out` [component_count].
PeltStatus pelti_pieces_hold(const PeltiCharacter *who, const PeltiWeights *weights, const PeltiPieces *pieces,
                             PeltiPieceHold *out, PeltError *err);

#endif
