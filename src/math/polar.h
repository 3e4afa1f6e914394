/// Rotations of many 3x3 matrices at once: for each A the proper rotation R (det +1) that maximises tr(R^T A). Blocks of
/// eight matrices, structure of arrays. The rotation of the last call is the start of this one, as a unit quaternion.
#ifndef PELTI_MATH_POLAR_H
#define PELTI_MATH_POLAR_H

#include "math/vec.h"

enum { PELTI_POLAR_LANES = 8 };

typedef struct PeltiMat3Block { ///< 8 matrices, 288 bytes; m[row][column][lane]
    float m[3][3][PELTI_POLAR_LANES];
} PeltiMat3Block;
typedef struct PeltiQuatBlock { ///< 8 unit quaternions, 128 bytes: q[0..3] = x y z w
    float q[4][PELTI_POLAR_LANES];
} PeltiQuatBlock;

/// Identity quaternions: the start where there is no last call.
void pelti_polar_reset(PeltiQuatBlock *warm, int block_count);

/// `rotations` may be NULL (the quaternions are enough) or be `matrices` (in place). Unused lanes may hold anything finite;
/// zero is cheapest. Lanes that do not converge in a few steps are done by the scalar reference mat3_polar. A lane that is
/// not finite keeps its warm rotation. Where A leaves the rotation open (rank < 2, or a reflection of equal stretches)
/// the result is one of the best rotations, near the warm start.
void pelti_polar_batch(const PeltiMat3Block *matrices, PeltiQuatBlock *warm, PeltiMat3Block *rotations, int block_count);

#endif
