/// Calm: a pose that is held (no bone has moved for a while) comes to rest. What a method still does to its skin then, to and fro
/// where folds press, fades out.
#ifndef PELTI_BAKE_CALM_H
#define PELTI_BAKE_CALM_H

#include "character/weights.h"
#include "core/snapshot.h"
#include "geometry/box_tree.h"

typedef struct PeltiCalm {
    const PeltiCharacter *who;
    float after_s;   ///< a pose is held from then on
    Mat34 *bones;    ///< [bone_count] the pose that is held
    PeltiBox *moved; ///< [bone_count] at rest: what a bone moves; empty: nothing
    Vec3 *late;      ///< [vertex_count] what is shown less what the method made
    Vec3 *shown;     ///< [vertex_count] in the last step
    Mat34 *last;     ///< [bone_count] of it
    const PeltiWeights *weights;
    float held_s; ///< since when; below 0: nothing was shown yet
    float share;  ///< of what the method does, while a pose is held
    bool any;     ///< of `late` is not 0
} PeltiCalm;

typedef struct PeltiCalmStep {
    const Mat34 *bones; ///< rest space -> world
    float dt_s;
    bool restart;
    bool touched; ///< something else than the pose moves the skin: nothing fades out
} PeltiCalmStep;

/// `weights` per welded vertex; they must outlive it. Lives in `pool`.
PeltStatus pelti_calm_create(const PeltiCharacter *who, const PeltiWeights *weights, float after_s, PeltiPool *pool,
                             PeltiCalm **out, PeltError *err);
/// `vertices` as the method made them, in the character's space. Not changed while the pose moves. Does not allocate.
void pelti_calm_apply(PeltiCalm *calm, const PeltiCalmStep *step, Vec3 *vertices);
/// What it carries from step to step.
void pelti_calm_keep(PeltiCalm *calm, PeltiSnapshot *snapshot);

#endif
