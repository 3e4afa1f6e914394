/// Which triangles each joint bends, for the trial.
#ifndef PELTI_BODY_TRIAL_PARTS_H
#define PELTI_BODY_TRIAL_PARTS_H

#include "body/trial.h"

typedef struct PeltiTrialSample { ///< a triangle that a joint bends
    int joint, triangle;
    float share[3]; ///< of its corners' weight on the joint and what hangs on it
} PeltiTrialSample;

typedef struct PeltiTrialList {
    PeltiTrialSample *samples; ///< by joint
    int *start;                ///< [bone_count + 1] into samples
    int *stride;               ///< [bone_count] each of a joint's samples stands for so many
} PeltiTrialList;

/// At most `most` triangles a joint, evenly from all that it bends. Lives in `pool`.
PeltStatus pelti_trial_list(const PeltiCharacter *who, const PeltiWeights *weights, int most, PeltiPool *pool,
                            PeltiTrialList *out, PeltError *err);

#endif
