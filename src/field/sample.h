/// Samples of a part for its field: a Poisson-disk subset of its vertices.
#ifndef PELTI_FIELD_SAMPLE_H
#define PELTI_FIELD_SAMPLE_H

#include "core/memory.h"
#include "math/vec.h"

typedef struct PeltiSampleDisk {
    int candidate_count;
    const int *candidates; ///< indices into `points`
    const Vec3 *points;
    int wanted;
    float least;
    Vec3 start; ///< seeds the first pick: the candidate farthest from it
} PeltiSampleDisk;

/// Picks at most `wanted` of `candidates`: each new sample is the candidate farthest from all picked
/// before, so any two lie at least the final disk radius apart and every candidate lies within it of a sample: a maximal
/// Poisson-disk set, the same for the same input. Stops early where the radius falls below `least`. Returns the number
/// picked; `distance` [candidate_count] is scratch; `picked` [wanted] gets indices into `points`.
int pelti_sample_disk(const PeltiSampleDisk *disk, float *distance, int *picked);

#endif
