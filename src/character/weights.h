/// Weights: the file's, automatic (bone heat, [Baran2007]) or rigid (nearest bone).
#ifndef PELTI_CHARACTER_WEIGHTS_H
#define PELTI_CHARACTER_WEIGHTS_H

#include "character/character.h"

/// Bone heat for every welded vertex: (-Laplacian + H) w = H p per bone, one factorisation. Never fails for want of
/// geometry: components that see no bone, border, non-manifold and degenerate ones fall back (nearest bone by distance
/// through the component, then rigid), each said once in `log` by component and bone name. Only bones of a vertex' own
/// skeleton (its instance's bones) may own it. Keeps the `influences` largest (4) and renormalises. Result lives in `pool`.
PeltStatus pelti_weights_automatic(const PeltiCharacter *who, PeltiPool *pool, PeltiJobs *jobs, PeltiLog *log, PeltiWeights *out,
                                   PeltError *err);

/// Each vertex to its nearest bone segment (of its own skeleton), weight 1.
PeltStatus pelti_weights_rigid(const PeltiCharacter *who, PeltiPool *pool, PeltiWeights *out, PeltError *err);

/// The file's weights gathered to welded vertices (mean over the points of a vertex, largest kept, renormalised).
PeltStatus pelti_weights_from_file(const PeltiCharacter *who, PeltiPool *pool, PeltiWeights *out, PeltError *err);

enum { PELTI_WEIGHTS_INFLUENCES = 4 }; ///< of automatic and rigid weights

/// The bone of an instance (of its own skin) whose segments come nearest to a point of rest space; 0 where it has none.
int pelti_weights_nearest(const PeltiCharacter *who, int instance, Vec3 p);
/// The arrays of weights in the making.
typedef struct PeltiWeightRows {
    int *bone;     ///< [count x influences]
    float *weight; ///< [count x influences]
} PeltiWeightRows;
/// Room for `influences` per vertex, zeroed; `rows` are the arrays of `out`, to be written.
PeltStatus pelti_weights_new(const PeltiCharacter *who, PeltiPool *pool, int influences, PeltiWeightRows *rows, PeltiWeights *out,
                             PeltError *err);
/// `weights` becomes a copy in `pool` that may be written to by `rows`.
PeltStatus pelti_weights_copy(const PeltiCharacter *who, PeltiPool *pool, PeltiWeights *weights, PeltiWeightRows *rows,
                              PeltError *err);
/// Puts one influence in its place among one vertex' list, sorted by falling weight; the least drops out.
void pelti_weights_insert(int influences, int *bones, float *weights, int bone, float weight);
/// Sums of rows by bone: dense in bones, with the list of those touched.
typedef struct PeltiGather {
    double *sum;  ///< [bone_count], zero between vertices
    int *touched; ///< [bone_count]
    int count;
} PeltiGather;
PeltiGather pelti_gather_new(PeltiPool *pool, const PeltiCharacter *who);
void pelti_gather_row(PeltiGather *gather, const PeltiWeights *rows, int row);
void pelti_gather_share(PeltiGather *gather, const PeltiWeights *rows, int row, double share); ///< `share` times the row
/// The largest sums, ties by the order in which they were met, into a row of zeros; empties the gather.
void pelti_gather_take(PeltiGather *gather, int influences, int *bones, float *weights);

/// Rows of the file no weights can be taken from (who->bad_rows, set by io) take those of their neighbours on the mesh: rings
/// around the good rows first, then a few sweeps towards the mean of all neighbours. Rows in pieces without any good row
/// stay bad; with the skeleton's segments known, pelti_weights_mend_nearest gives them to their nearest bone.
PeltStatus pelti_weights_mend(PeltiCharacter *who, PeltError *err);
void pelti_weights_mend_nearest(PeltiCharacter *who);

/// Linear blending of one point: the sum of w_k M_k p, `bones` rest space -> world.
static inline Vec3 pelti_weights_blend(const PeltiWeights *weights, int row, const Mat34 *bones, Vec3 p)
{
    size_t first = (size_t)row * (size_t)weights->influences;
    Vec3 sum = {0, 0, 0};
    for (size_t i = first; i < first + (size_t)weights->influences; i++)
        if (weights->weight[i] > 0)
            sum = vec3_mad(sum, mat34_apply(bones[weights->bone[i]], p), weights->weight[i]);
    return sum;
}

/// Sums to 1; false where there is nothing to share out.
bool pelti_weights_normalise(int influences, int *bones, float *weights);

#endif
