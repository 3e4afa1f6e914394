/// Region-based shape matching with oriented particles ([Deul2013] sec. 4.2.1, [Mueller2011]) for four layers at once: the
/// layers share one topology, so the four particles of a slot ride in the four lanes of a vector.
#ifndef PELTI_LAYERED_MATCH_H
#define PELTI_LAYERED_MATCH_H

#include "core/jobs.h"
#include "math/polar.h"
#include "methods/layered/paths.h"

#include <stdint.h>

enum { PELTI_LAYERS = 4, PELTI_SKIN = 0, PELTI_FAT = 1, PELTI_MUSCLE = 2, PELTI_BONE_LAYER = 3 };

/// All arrays are in slot order, padded to an even number of slots; [slot x 4] has one lane per layer.
typedef struct PeltiMatch {
    const PeltiPaths *paths;
    int padded;       ///< slots, even
    float *x[3];      ///< [slot x 4] positions
    float *rest[3];   ///< [slot x 4] rest positions about the mesh' centre
    float *mass;      ///< [slot x 4] mean 1
    float *moment;    ///< [slot x 4] (1/5) m r^2 of a particle as a sphere of radius r
    float *stiffness; ///< [slot x 4] share of the way to the goal taken in one iteration
    PeltiMat3Block
        *rotation;         ///< [padded / 2] of regions, and orientations of the particles at their middle; lanes: slot % 2, layer
    PeltiQuatBlock *warm;  ///< [padded / 2]
    double *prefix;        ///< [row][12][4] sums of m x, then of A_i + m x x0^T by rows
    uint32_t *prefix_goal; ///< [row][12][4] sums of t, then of R by rows; fixed point, modulo 2^32
    double unit_t, unit_R; ///< of one in prefix_goal
    float rest_most, x_most; ///< largest coordinate
    int count_most;          ///< particles of a region
    double *centre;          ///< [slot][3][4] rest centre of mass of each region
    double *centre_now;      ///< [slot][3][4]
    double *inverse_mass;    ///< [slot][4] 1 / mass of each region
    float *share;            ///< [slot][4] 1 / regions that hold the particle
} PeltiMatch;

/// Takes the arrays from `pool` (all but prefix sums zeroed); x0, mass and moment are filled by the caller, then
/// pelti_match_prepare derives the regions' constants and starts at rest.
PeltStatus pelti_match_new(PeltiPool *pool, const PeltiPaths *paths, PeltiMatch *out, PeltError *err);
void pelti_match_prepare(PeltiMatch *match);
/// Where x0 has changed: centres of the regions at these slots, then, once, the largest of all.
void pelti_match_centres(PeltiMatch *match, int begin, int end);
void pelti_match_limits(PeltiMatch *match);

/// One iteration: goals of all regions from the present positions, x <- x + s (g - x). `after` (may be NULL) is called at the
/// end for each finished range of slots, from several threads.
typedef void (*PeltiAfterMatch)(void *context, int begin, int end);
void pelti_match_iterate(PeltiMatch *match, PeltiJobs *jobs, PeltiAfterMatch after, void *context);

#endif
