/// Principal components of the rows of a matrix.
///
/// With D the offsets, one row a frame, the best k targets span the first k eigenvectors of D D^T (rows x rows, small); the
/// targets are then U^T D for orthonormal columns U, whatever U is, the least-squares fit. So U may come from fewer columns than
/// there are, and for many rows from fewer rows.
#ifndef PELTI_MATH_PRINCIPAL_H
#define PELTI_MATH_PRINCIPAL_H

#include "core/memory.h"

typedef struct PeltiPrincipal {
    int rows, points; ///< D is [rows x points x 3]
    int most;         ///< modes wanted
} PeltiPrincipal;

typedef struct PeltiPrincipalModes {
    int count;   ///< no more than asked for, or than the motion has
    double *u;   ///< [rows x count] orthonormal columns, strongest first
    double *rms; ///< [count + 1] length left, on average over points and rows, after so many modes
} PeltiPrincipalModes;

/// In `pool`. O(rows^2 points), and rows^3 for at most 512 of them.
PeltStatus pelti_principal_modes(const PeltiPrincipal *of, const double *offsets, PeltiPool *pool, PeltiPrincipalModes *out,
                                 PeltError *err);

#endif
