/// How far the joints of built-in characters turn, and random motion that goes there and no farther.
#ifndef PELTI_BUILTIN_LIMITS_H
#define PELTI_BUILTIN_LIMITS_H

#include "builtin/body.h"
#include "core/hash.h"

enum { PELTI_FIGURE_TURNS = 3 };

/// One way a joint turns, about an axis of rest space that the parent carries along.
typedef struct PeltiFigureTurn {
    Vec3 axis;       ///< unit
    float low, high; ///< degrees, low <= 0 <= high: rest is within
} PeltiFigureTurn;

/// The turns of a joint, the innermost first; their number, 0: it keeps still.
int pelti_figure_limits(const PeltiFigure *body, int bone, PeltiFigureTurn turns[PELTI_FIGURE_TURNS]);

/// Angles of one turn over `frames` frames: rest at both ends, the low and the high limit once each or more often, anything
/// between. Smooth (its second derivative is continuous and zero where it turns round) and never past a limit.
void pelti_random_curve(uint64_t seed, int bone, int turn, const PeltiFigureTurn *limits, int frames, float *degrees);

#endif
