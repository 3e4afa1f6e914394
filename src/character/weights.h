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

#endif
