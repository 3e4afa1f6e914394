/// A character filled from a body, its skin and its pieces.
#ifndef PELTI_BUILTIN_FILL_H
#define PELTI_BUILTIN_FILL_H

#include "builtin/builtin.h"
#include "builtin/pieces.h"

/// Points, normals, triangles and weights of the skin, in the order of a space-filling curve.
PeltStatus pelti_fill_skin(PeltiCharacter *who, const PeltiRemeshSurface *surface, const PeltiInfluences *influences,
                           PeltiPool *work, PeltError *err);
/// The pieces' behind them. `one_mesh`: all belong to the skin's mesh; else each piece is a mesh.
PeltStatus pelti_fill_pieces(PeltiCharacter *who, const PeltiWear *pieces, bool one_mesh, PeltError *err);
/// How much of the character is skin: its points and triangles come first.
typedef struct PeltiFillSkin {
    int points, triangles;
} PeltiFillSkin;
/// What a file says of skin and pieces.
PeltStatus pelti_fill_parts(const PeltiFigure *body, const PeltiWear *pieces, bool one_mesh, PeltiFillSkin skin,
                            PeltiBuiltin *made, PeltError *err);
PeltStatus pelti_fill_skeleton(PeltiCharacter *who, const PeltiFigure *body, const PeltiBuiltin *made, PeltError *err);

/// Metres, or centimetres in one seed of six, as many files are: scales points, joints and clips.
void pelti_fill_unit(PeltiCharacter *who, uint64_t seed);

PeltiPainting pelti_painting_draw(uint64_t seed); ///< mostly smooth; seed 0: always
/// Makes the weights as poor as wanted. The first `skin_points` points are the skin's.
PeltStatus pelti_fill_painting(const PeltiFigure *body, PeltiPainting painting, uint64_t seed, int skin_points,
                               PeltiBuiltin *made, PeltError *err);

#endif
