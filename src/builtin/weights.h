/// Weights of built-in characters: each vertex to the bone of the limb it was made by, then faded across the joints.
#ifndef PELTI_BUILTIN_WEIGHTS_H
#define PELTI_BUILTIN_WEIGHTS_H

#include "builtin/body.h"
#include "remesh/remesh.h"

enum { PELTI_BUILTIN_INFLUENCES = 4 };

typedef struct PeltiInfluences { ///< of one vertex, by falling weight
    int bone[PELTI_BUILTIN_INFLUENCES];
    float weight[PELTI_BUILTIN_INFLUENCES];
} PeltiInfluences;

/// out [surface->vertex_count]
PeltStatus pelti_builtin_weights(const PeltiFigure *body, const PeltiRemeshSurface *surface, PeltiJobs *jobs,
                                 PeltiInfluences *out, PeltError *err);
PeltiInfluences pelti_influences_between(const PeltiInfluences *a, const PeltiInfluences *b); ///< their mean
PeltiInfluences pelti_influences_largest(int count, const int *bone, const float *weight);    ///< the largest four, sum 1

#endif
