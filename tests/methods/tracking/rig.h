/// Built-in characters with tracking prepared for them, and bones to move them with.
#ifndef PELT_TESTS_TRACKING_RIG_H
#define PELT_TESTS_TRACKING_RIG_H

#include "check.h"
#include "joints.h"

#include "builtin/builtin.h"
#include "character/weights.h"
#include "methods/method.h"
#include "methods/tracking/tracking.h"

#include <string.h>

enum { BONES = 64 };
typedef struct Rig {
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiJobs *jobs;
    Tracking *state;
    Mat34 bones[BONES];
    Vec3 *points;
} Rig;

extern const PeltiMethod pelti_method_tracking;

static inline Rig start(const char *name, int vertices, int threads, const char *key, const char *value)
{
    Rig rig = {0};
    PeltiBuiltinOptions make = {.vertices = vertices};
    assert_int_equal(pelti_builtin_make(name, &make, NULL, NULL, &rig.who, NULL), PELT_OK);
    assert_int_equal(pelti_weights_from_file(rig.who, &rig.who->pool, &rig.weights, NULL), PELT_OK);
    assert_true(rig.who->bone_count <= BONES);
    rig.jobs = pelti_jobs_create(threads);
    PeltiOptions *options = test_malloc(sizeof *options);
    pelti_options_init(options, pelti_method_tracking.options);
    if (key)
        assert_int_equal(pelti_options_set(options, key, value, NULL), PELT_OK);
    PeltiMethodPrepare in = {.who = rig.who, .options = options, .weights = &rig.weights, .jobs = rig.jobs};
    void *state = NULL;
    PeltError err = {0};
    if (pelti_method_tracking.prepare(&in, &state, &err) != PELT_OK)
        fail_msg("%s", err.text);
    rig.state = state;
    rig.points = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    for (int b = 0; b < rig.who->bone_count; b++)
        rig.bones[b] = mat34_identity();
    test_free(options);
    return rig;
}

static inline void stop(Rig *rig)
{
    pelti_method_tracking.destroy(rig->state);
    pelti_jobs_destroy(rig->jobs);
    pelti_character_destroy(rig->who);
}

static inline PeltiStepReport step(Rig *rig, bool restart)
{
    PeltiStepReport report = {0};
    PeltiJoint joints[BONES];
    test_joints(rig->who, rig->bones, joints);
    PeltiStepInput in = {.bones = rig->bones, .joints = joints, .dt_s = 1.0f / 30, .restart = restart};
    pelti_method_tracking.step(rig->state, &in, rig->points, &report);
    for (int v = 0; v < rig->who->mesh->vertex_count; v++)
        assert_true(vec3_finite(rig->points[v]));
    return report;
}

/// Turns bone b and all below it about its head.
static inline void turn(Rig *rig, int bone, Vec3 axis, float angle)
{
    Vec3 head = rig->who->bones[bone].head;
    Mat3 r = quat_to_mat3(quat_axis_angle(axis, angle));
    Mat34 about = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
    for (int b = 0; b < rig->who->bone_count; b++) {
        bool below = false;
        for (int p = b; p >= 0; p = rig->who->bones[p].parent)
            below = below || p == bone;
        rig->bones[b] = below ? about : mat34_identity();
    }
}

static inline int last_bone(const Rig *rig) ///< the last joint of the chain that owns skin
{
    return rig->state->fields->parts[rig->state->fields->skin_part_count - 1].bone;
}

#endif
