/// What a body is made of, for the files of this room.
#ifndef PELTI_BODY_BODY_PARTS_H
#define PELTI_BODY_BODY_PARTS_H

#include "body/body.h"
#include "math/polar.h"

/// How a piece follows: the body's vertices near each of its own; one bone; or, sewn on, as a rigid body that is fitted to the
/// skin below it (PeltiPiece.sewn).
typedef enum PeltiPieceRide { PELTI_RIDE_BODY, PELTI_RIDE_BONE, PELTI_RIDE_SEWN } PeltiPieceRide;

typedef struct PeltiPieceFit { ///< of a sewn piece, and of its points at rest (from) and carried (to)
    int count;
    double from_sum[3], to_sum[3];
    double from_mean[3], to_mean[3];
    double spread[3][3]; ///< about the means
    Mat34 motion;
} PeltiPieceFit;

typedef float PeltiCarryFour __attribute__((vector_size(16))); ///< x, y, z, and a lane that says nothing
typedef struct PeltiCarryMotion {                              ///< rest space -> world, by columns; the last is the translation
    PeltiCarryFour column[4];
} PeltiCarryMotion;

/// Nothing of this outlives a pelti_body_carry.
typedef struct PeltiCarryScratch {
    Mat3 *ring_spread;        ///< [vertices of the body] covariance of each vertex' ring
    PeltiMat3Block *rotation; ///< [block_count] of those with half of the neighbours'
    PeltiCarryMotion *motion; ///< [vertices of the body]
    Vec3 *places;             ///< [place_count] carried
    PeltiPieceFit *fit;       ///< [pieces] of the sewn ones
} PeltiCarryScratch;

struct PeltiBody {
    PeltiPool pool;
    const PeltiCharacter *file;
    PeltiCharacter *who; ///< NULL: nothing bends
    PeltiPieces pieces;
    PeltiWeights weights; ///< per vertex of the body
    PeltiBodyAttachment attachment;
    // carrying
    PeltiPieceRide *ride;      ///< [pieces]
    int *group;                ///< [pieces] sewn ones that move as one: the lowest of them
    const PeltiWeights *bound; ///< per welded vertex of the file: what linear blending uses where nothing is attached
    int *place_at;             ///< [vertices of the file] its place; -1: it follows its bones
    int block_count;
    PeltiQuatBlock *turn; ///< [block_count] warm starts: kept from step to step
    PeltiCarryScratch scratch;
};

/// The file's weights on the body's vertices.
PeltStatus pelti_body_weights(PeltiBody *body, const PeltiWeights *weights, PeltError *err);
PeltStatus pelti_carry_prepare(PeltiBody *body, const PeltiWeights *weights, PeltError *err);

#endif
