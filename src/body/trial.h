/// Weights by trial: every joint is bent and twisted by linear blending, and weights that tear or turn over skin where automatic
/// ones do not lose that joint. docs/body.md tells the rules.
#ifndef PELTI_BODY_TRIAL_H
#define PELTI_BODY_TRIAL_H

#include "character/weights.h"

typedef struct PeltiTrialMarks { ///< of one joint with one set of weights, over all its poses
    double area;                 ///< of the skin that changes its shape at all, at rest
    double jump;                 ///< of the triangles whose corners are wholly on different sides of the joint
    double broken;               ///< of those with an edge beyond three times its length, or turned over, in some pose
    double cost;                 ///< stretch, turned and lost area, in area; the mean of the poses
    float longest;               ///< stretch of an edge
} PeltiTrialMarks;

/// Bends and twists each joint alone by 60 degrees both ways, and as far as the clips turn it; looks at some of the triangles
/// that bend with it. `weights` per welded vertex; `marks` [bone_count]. Same numbers for any number of threads.
PeltStatus pelti_trial_bend(const PeltiCharacter *who, const PeltiWeights *weights, PeltiJobs *jobs, PeltiTrialMarks *marks,
                            PeltError *err);

/// Joints by what hangs on what: a bone's weight counts for its own joint and for every joint above.
typedef struct PeltiTrialTree {
    int *first; ///< [bone_count] the joint a bone moves with; -1: none
    int *above; ///< [bone_count] of a joint, the next one up; -1: none
    int *depth; ///< [bone_count] nodes above it
} PeltiTrialTree;
PeltStatus pelti_trial_tree(const PeltiCharacter *who, PeltiPool *pool, PeltiTrialTree *out, PeltError *err);
/// Share of a vertex' weight on a joint and what hangs on it.
float pelti_trial_share(const PeltiTrialTree *tree, const PeltiWeights *weights, int vertex, int joint);

typedef struct PeltiTrial {
    const char *source;   ///< "file", "auto", or "mixed": the file's, automatic ones at the joints that lost
    PeltiWeights weights; ///< per welded vertex
    int lost_count;
    bool *lost; ///< [bone_count] the file's weights lost this joint; NULL: no trial was needed
} PeltiTrial;

/// The better weights joint by joint, what was changed and why in the log. Lives in `pool`.
PeltStatus pelti_trial_best(const PeltiCharacter *who, PeltiPool *pool, PeltiJobs *jobs, PeltiLog *log, PeltiTrial *out,
                            PeltError *err);

#endif
