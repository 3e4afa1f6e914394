/// The one way to measure: a skin's frames, with lbs and the chosen blend beside them.
#ifndef PELTI_BAKE_MEASURING_H
#define PELTI_BAKE_MEASURING_H

#include "bake/objects.h"
#include "measure/measure.h"

/// What skins are compared with, both as PeltQuality has them.
typedef struct PeltiMeasuringBlends {
    PeltSkin *lbs;    ///< linear blending by the file's weights; NULL: they use one joint or none, nothing to compare with
    PeltSkin *chosen; ///< the chosen blend: by the weights that the trial chose; NULL: they are the file's
} PeltiMeasuringBlends;

struct PeltMeasure {
    const PeltCharacter *character;
    PeltAllocator allocator;
    PeltiJobs *jobs;
    bool owns_jobs;
    PeltiMeasure *measure;
    PeltiMeasuringBlends blends;
    bool lbs_is_judged; ///< its own measures are known already: pelt compare needs them once for all methods
    PeltiPool pool;
    PeltiNodeMatrix *node_matrix; ///< [node_count]
    Mat34 *bones;                 ///< [bone_count]
    Vec3 *vertices;               ///< [vertex_count] scratch: of points that come from elsewhere
    Vec3 *own;             ///< [point_count] scratch: a host's positions in the character's own space; NULL: they are the same
    const Vec3 *last_lbs;  ///< [point_count] of the last frame; NULL: none
    const Vec3 *last_near; ///< [point_count] the chosen blend; NULL: it is lbs
    Vec3 *last;            ///< [point_count] the last frame's points, for its maps
    float *map;            ///< [point_count] pelt_measure_map's answer
};

/// `jobs` NULL: makes its own with `threads`; else they must outlive it.
PeltStatus pelti_measuring_create(const PeltCharacter *character, PeltiJobs *jobs, int threads, const PeltAllocator *allocator,
                                  PeltMeasure **out, PeltError *err);
/// A frame as a skin has it after its step. `pose` is the clip's, whatever the skin was made for. `frame` may be NULL.
void pelti_measuring_skin(PeltMeasure *m, const PeltiPose *pose, const PeltSkin *skin, PeltQuality *frame);
/// A frame of points that come from elsewhere. `pose` NULL: not known, so nothing is compared with bones, lbs or the chosen
/// blend.
void pelti_measuring_points(PeltMeasure *m, const PeltiPose *pose, const Vec3 *points, PeltQuality *frame);
/// One frame by itself, of a clip nobody speaks of: forgets the frames before it and compares with nothing. `frame` may be NULL.
void pelti_measuring_alone(PeltiMeasure *measure, PeltiMeasureSkin skin, PeltQuality *frame);

/// Makes both, which are the caller's. `out` is empty where it fails, and where there is no lbs (pelti_measure_has_reference).
PeltStatus pelti_measuring_blends_create(const PeltCharacter *character, int threads, const PeltAllocator *allocator,
                                         PeltiMeasuringBlends *out, PeltError *err);

/// How far a point lies from the nearer of lbs and the chosen blend. `near` NULL: that is lbs.
static inline float pelti_measuring_flown(const Vec3 *points, const Vec3 *lbs, const Vec3 *near, int point)
{
    float far = vec3_distance(points[point], lbs[point]);
    return near ? fminf(far, vec3_distance(points[point], near[point])) : far;
}

#endif
