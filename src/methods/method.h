/// The one interface behind which all methods live: prepare once, step from pose to positions, destroy.
#ifndef PELTI_METHODS_METHOD_H
#define PELTI_METHODS_METHOD_H

#include "character/artist.h"
#include "character/joints.h"
#include "character/weights.h"
#include "core/snapshot.h"
#include "methods/options.h"

#include <pelt/skin.h>

/// Lines, points and labelled values a method hands to the renderer and the report; neither knows the method.
typedef struct PeltiMethodDraw PeltiMethodDraw;

typedef struct PeltiMethodPrepare {
    const PeltiCharacter *who;
    const PeltiOptions *options;       ///< checked against the method's own list
    const PeltiWeights *weights;       ///< per welded vertex, chosen by the `weights` option: never NULL
    bool made_body;                    ///< `who` is a body made from the file's pieces (docs/body.md), not one closed skin
    const PeltiWeights *point_weights; ///< per point, for methods with PELTI_METHOD_BY_POINT; NULL: use `weights`
    PeltiArtist artist;
    const PeltAllocator *allocator;
    PeltiJobs *jobs; ///< for prepare and for every step; may be NULL
    PeltiLog *log;   ///< fallbacks are said here, once
    PeltiProgressSink progress;
} PeltiMethodPrepare;

typedef struct PeltiStepInput {
    const PeltiPose *pose;
    const Mat34 *bones;       ///< [bone_count] rest space -> world, from `pose`
    const PeltiJoint *joints; ///< [bone_count] each bone against its parent, from `pose`'s own turns
    float dt_s;               ///< time since the last step; 0: a method with dynamics settles in this pose
    double time_s;            ///< of the clip, for what an artist key-framed
    bool restart;             ///< first step, or a cut: no motion from the last pose to this one; settle here
} PeltiStepInput;

/// How a number of `method_stats` in the report comes of those of several frames.
typedef enum PeltiStepMerge { PELTI_LAST, PELTI_MOST, PELTI_LEAST, PELTI_SUM, PELTI_MEAN } PeltiStepMerge;
/// What a step tells: methods and the stages around them write it, bake tells hosts and reports.
typedef struct PeltiStepReport {
    PeltStepInfo told;                    ///< as a host gets it; `ms` is the caller's
    PeltiStepMerge merge[PELT_MAX_STATS]; ///< of each of told.stats
} PeltiStepReport;
void pelti_step_stat(PeltiStepReport *report, const char *name, double value, PeltiStepMerge merge); ///< report may be NULL

/// PELTI_METHOD_FLESH: solves on the body, not on the file's mesh (body/body.h).
/// PELTI_METHOD_BY_POINT: follows the file's own weights, also where points of one vertex have different ones.
/// PELTI_METHOD_LINEAR_IN_REST: where a point is shown is linear in its rest position.
enum {
    PELTI_METHOD_NEEDS_WEIGHTS = 1,
    PELTI_METHOD_KEEPS_STATE = 2,
    PELTI_METHOD_DYNAMIC = 4,
    PELTI_METHOD_FLESH = 8,
    PELTI_METHOD_BY_POINT = 16,
    PELTI_METHOD_LINEAR_IN_REST = 32
};

/// Parts of a rig (pelt/rig.h) a method looks at (anchors are pulled behind every method, bake/anchors.h); for the others a user
/// is told that they do nothing.
enum {
    PELTI_METHOD_RIG_JOINTS = 1,
    PELTI_METHOD_RIG_MUSCLES = 2,
    PELTI_METHOD_RIG_REGIONS = 4,
    PELTI_METHOD_RIG_VOLUMES = 8,
    PELTI_METHOD_RIG_PAINTED = 16
};

typedef struct PeltiMethod {
    const char *name, *summary, *reference; ///< reference: citation for --help
    unsigned flags;
    unsigned rig_parts;            ///< PELTI_METHOD_RIG_...
    bool coarse_preview;           ///< a preview solves a file's own skin of over 3/2 `body-vertices` on a coarser body
    bool dear_vertices;            ///< a body made of pieces has fewer, unless `body-vertices` or quality=final asks for them
    const PeltiOptionDef *options; ///< ends with name == NULL; common options come on top
    PeltStatus (*prepare)(const PeltiMethodPrepare *in, void **state, PeltError *err);
    /// Writes world positions of all vertices of `who`; of its points where prepare was given point_weights. Does not allocate.
    /// What is not finite is seen to by the caller, who then asks for a restart.
    void (*step)(void *state, const PeltiStepInput *in, Vec3 *positions, PeltiStepReport *report);
    void (*destroy)(void *state); ///< NULL is fine
    /// What is shown differs from what the last step wrote, by `change` [vertex of `who`], because skin would have passed through
    /// skin: the state goes on from what is shown. NULL: it goes on from what it wrote.
    void (*held)(void *state, const Vec3 *change);
    /// Names what a step carries over to the next (core/snapshot.h): the same bytes restored, the next step is the same. NULL:
    /// nothing.
    void (*keep)(void *state, PeltiSnapshot *snapshot);
    const char *live; ///< options that may change between two steps, "a|b|c"; NULL: none
    /// Takes those over, as if prepared with them; the others are as they were. Does not allocate.
    void (*retune)(void *state, const PeltiOptions *options);
    /// Whether these options ask for skin that swings on for longer than by default, and so beyond a pose that is held. NULL:
    /// never.
    bool (*swings_on)(const PeltiOptions *options);
    /// What there is to see inside (bones, layers, contacts) after the last step; may be NULL.
    void (*draw)(const void *state, const char *what, PeltiMethodDraw *draw);
} PeltiMethod;

/// All methods, in the order they are listed; ends with NULL.
extern const PeltiMethod *const pelti_methods[];
const PeltiMethod *pelti_method_find(const char *name); ///< NULL: none

/// Welded vertices to file points.
void pelti_scatter(const PeltiMesh *mesh, const Vec3 *vertices, Vec3 *points);

/// The drawing sink: callbacks that the renderer or a test fills.
struct PeltiMethodDraw {
    void *user;
    void (*line)(void *user, Vec3 a, Vec3 b, float radius, Vec3 rgb);
    void (*point)(void *user, Vec3 at, float radius, Vec3 rgb);
    void (*triangle)(void *user, Vec3 a, Vec3 b, Vec3 c, Vec3 rgb);
    void (*vertex_value)(void *user, const char *name, int vertex_count, const float *values);
    /// A scalar field to cut: value(x) of the iso-surface tracked, `iso` its level.
    void (*field)(void *user, const char *name, float (*value)(const void *state, Vec3 x), const void *state, float iso);
    /// Goes with the field just handed over: side(x) changes its sign where parts touch, NaN away from contact. May be NULL.
    void (*contact)(void *user, float (*side)(const void *state, Vec3 x));
};

#endif
