/// What [Komaritzan2018] has otherwise than our default road, for its figures and to compare with: bones without thickness (Fig.
/// 3), strain by positions and the mixtures (Fig. 5), contacts by stored pairs and two matrices (sec. 5). No step branches on
/// them: preparing asks here for a thickness and a tissue, by the options, and steps have other blocks to look at, other rounds.
#ifndef PELTI_PROJECTIVE_VARIANTS_H
#define PELTI_PROJECTIVE_VARIANTS_H

#include "methods/projective/parts.h"

float pelti_proj_thickness(const PeltiOptions *options); ///< of bones
/// The tissue by the strain that was asked for.
PeltStatus pelti_proj_strained(const PeltiOptions *options, ProjTissueDef *def, PeltiPool *pool, PeltiPool *temp, ProjTissue *out,
                               PeltError *err);

// ---- stored pairs (stored.c), sec. 5 ----

typedef struct ProjStoredPair {
    int fold, i, j; ///< unknowns: i on the parent's side, j on the child's
} ProjStoredPair;
typedef struct ProjStored {
    ProjFolds folds; ///< joints and directions
    int count;
    ProjStoredPair *pairs;
    int colliding;                      ///< of those, in the last iteration
    float *weight;                      ///< [unknown] of its spring in the second matrix; 0: in no pair
    ProjRow *goal;                      ///< [unknown] sum of where its pairs want it
    int *goals;                         ///< [unknown] how many do
    PeltiSparse *held[PROJ_MODE_COUNT]; ///< [mode] the second matrices
} ProjStored;

/// Pairs from poses that it makes, and from those of a clip (may be NULL or empty); sets p->stored and p->road.
PeltStatus pelti_proj_store(Projective *p, const char *clip_name, PeltError *err);

#endif
