/// Region-based shape matching with oriented particles ([Deul2013] sec. 4.2.1, [Mueller2011]) for four layers at once: the
/// layers share one topology, so the four particles of a slot ride in the four lanes of a vector.
#ifndef PELTI_LAYERED_MATCH_H
#define PELTI_LAYERED_MATCH_H

#include "core/jobs.h"
#include "math/polar.h"
#include "methods/layered/paths.h"

enum { PELTI_LAYERS = 4, PELTI_LAYER_SKIN = 0, PELTI_LAYER_FAT = 1, PELTI_LAYER_MUSCLE = 2, PELTI_LAYER_BONE = 3 };
typedef float PeltiLayeredSlots __attribute__((vector_size(4 * PELTI_LAYERS), may_alias)); ///< a number of each layer of a slot

/// What a tile's sums are about.
typedef struct PeltiLayeredMatchAbout {
    float rest[3], now[3]; ///< the skin at `middle`
    int middle;            ///< slot
} PeltiLayeredMatchAbout;

/// All arrays are in slot order, padded to an even number of slots; [slot x 4] has one lane per layer.
typedef struct PeltiLayeredMatch {
    const PeltiLayeredPaths *paths;
    int padded;       ///< slots, even
    float *x[3];      ///< [slot x 4] positions
    float *rest[3];   ///< [slot x 4] rest positions about the mesh' centre
    float *mass;      ///< [slot x 4] mean 1
    float *moment;    ///< [slot x 4] (1/5) m r^2 of a particle as a sphere of radius r
    float *stiffness; ///< [slot x 4] share of the way to the goal taken in one iteration
    PeltiMat3Block
        *rotation; ///< [padded / 2] of regions, and orientations of the particles at their middle; lanes: slot % 2, layer
    PeltiMat3Block *rotation_next; ///< [padded / 2] of the iteration under way
    PeltiQuatBlock *warm;          ///< [padded / 2]
    float *centre[3];              ///< [slot x 4] rest centre of mass of each region, about its tile's point
    float *centre_now[3];          ///< [slot x 4] the same now
    float *inverse_mass;           ///< [slot x 4] 1 / mass of each region
    float *share;                  ///< [slot x 4] 1 / regions that hold the particle
    PeltiLayeredMatchAbout *about; ///< [tile]
    int workers;                   ///< threads there is scratch for
    size_t scratch_each;           ///< floats: rows of a tile
    float *scratch;                ///< [workers x scratch_each]
} PeltiLayeredMatch;

/// Takes the arrays from `pool`, zeroed, with scratch for so many threads (with more an iteration is done by its caller); `rest`,
/// mass and moment are filled by the caller, then pelti_layered_match_prepare derives the regions' constants and starts at rest.
PeltStatus pelti_layered_match_new(PeltiPool *pool, const PeltiLayeredPaths *paths, int workers, PeltiLayeredMatch *out,
                                   PeltError *err);
void pelti_layered_match_prepare(PeltiLayeredMatch *match);
/// Where `rest` has changed: centres of the regions at these slots.
void pelti_layered_match_centres(PeltiLayeredMatch *match, int begin, int end);

/// One iteration: goals of all regions from the present positions, x <- x + s (g - x). `after` (may be NULL) is called at the
/// end for each finished range of slots, from several threads.
typedef void (*PeltiLayeredMatchAfter)(void *context, int begin, int end);
void pelti_layered_match_iterate(PeltiLayeredMatch *match, PeltiJobs *jobs, PeltiLayeredMatchAfter after, void *context);

#endif
