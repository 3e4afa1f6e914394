/// The bridge from the body to the file's points: each point blends the motions of a few body vertices near it that belong to
/// its own bones. A point's blend depends on its place alone, so seams stay shut and cloth keeps its distance to the skin.
#ifndef PELTI_BODY_ATTACH_H
#define PELTI_BODY_ATTACH_H

#include "body/pieces.h"

enum { PELTI_ATTACH_MOST = 12 }; ///< body vertices a point follows

typedef struct PeltiBodyAttachment {
    int place_count;
    Vec3 *place;   ///< [place_count] rest: points at one place are one
    int *vertex;   ///< [place_count x PELTI_ATTACH_MOST] of the body, strongest first
    float *share;  ///< [place_count x PELTI_ATTACH_MOST] sums to 1; all 0: nothing of its bones is in the body
    int *place_of; ///< [point_count]
    float *away;   ///< [place_count] to the nearest of its vertices
} PeltiBodyAttachment;

typedef struct PeltiBodyBound { ///< a character with weights per welded vertex of its mesh
    const PeltiCharacter *who;
    const PeltiWeights *weights;
} PeltiBodyBound;

/// Lives in `pool`.
PeltStatus pelti_body_attach(PeltiBodyBound file, PeltiBodyBound body, PeltiPool *pool, PeltiJobs *jobs, PeltiBodyAttachment *out,
                             PeltError *err);

#endif
