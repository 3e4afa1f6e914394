/// The last word on what is shown: from last frame's skin, which crosses nothing, towards the skin that a method wants, and
/// never across: continuous collision handling of the skin with itself. It is the last stage of a step, and asked again where
/// objects push skin afterwards: that is "the last word" elsewhere. What cannot be reached stays behind (it lags), smoothly, and
/// catches up later. docs/touching.md says how, and what the words mean.
#ifndef PELTI_TOUCH_TOUCH_H
#define PELTI_TOUCH_TOUCH_H

#include "core/snapshot.h"
#include "character/motion.h"
#include "core/log.h"

typedef struct PeltiTouch PeltiTouch;

typedef struct PeltiTouchDef {
    const PeltiCharacter *who;   ///< whose welded mesh is shown
    const PeltiWeights *weights; ///< per welded vertex of `who`
    const PeltAllocator *allocator;
    PeltiJobs *jobs; ///< for create and for every step; may be NULL
    PeltiLog *log;   ///< what the rest pose crosses is said here, once; NULL: nowhere
    bool only_clean; ///< nothing is made where the rest pose crosses itself
} PeltiTouchDef;

typedef struct PeltiTouchReport {
    int substeps;  ///< the way from the last pose was cut into so many
    int rounds;    ///< over all substeps: plan moves, cut them short where they would cross, go
    int contacts;  ///< pairs of features held apart in the last round
    int held;      ///< vertices that are not where the method wants them: they lag
    int frozen;    ///< substeps in which all skin stayed where it was, for want of a better way
    int spent;     ///< substeps that were not finished: there was too much to look at
    float lag;     ///< the farthest of these, length
    bool led_anew; ///< what was stuck or hooked was led in anew from the rest pose
    int crossed;   ///< pairs of triangles that something else made cross after the last word: for who does so to fill in
    int behind;    ///< frames in a row, this one included, in which something lagged by more than a hundredth of the size
} PeltiTouchReport;

/// Pairs of triangles that cross at rest are the artist's: they and what lies around them are left alone. *out is NULL where
/// nothing is made.
PeltStatus pelti_touch_create(const PeltiTouchDef *def, PeltiTouch **out, PeltError *err);
void pelti_touch_destroy(PeltiTouch *touch); ///< NULL is fine

/// A step's pose.
typedef struct PeltiTouchPose {
    const Mat34 *bones;       ///< [bone_count] rest space -> world
    const PeltiJoint *joints; ///< [bone_count] the same, each bone against its parent
    bool restart;             ///< the skin is led in from the rest pose
    float hold; ///< a pose is held: share of the last step's wanted skin that is kept, whatever ironing makes of this one's
} PeltiTouchPose;

/// `vertices` [vertex_count of `who`]: in, what the method wants for the pose; out, what is shown. Does not allocate. The same
/// bytes for any number of threads.
void pelti_touch_step(PeltiTouch *touch, PeltiTouchPose pose, Vec3 *vertices, PeltiTouchReport *report);

/// More of the same step, for what else has pushed the shown skin since. `vertices`: in, where it was pushed to; out, what is
/// shown. `report`: in and out. False: the skin does not follow, and is as it was.
bool pelti_touch_push(PeltiTouch *touch, PeltiTouchPose pose, Vec3 *vertices, PeltiTouchReport *report);

/// Pairs of triangles that cross in `vertices` and are not left alone.
int pelti_touch_crossings(PeltiTouch *touch, const Vec3 *vertices);

/// What it carries from step to step.
void pelti_touch_keep(PeltiTouch *touch, PeltiSnapshot *snapshot);

#endif
