/// A tube on a chain of bones, prepared for the layered method.
#ifndef PELT_TESTS_LAYERED_TUBE_H
#define PELT_TESTS_LAYERED_TUBE_H

#include "joints.h"
#include "chain.h"

#include "methods/layered/flesh.h"

#include <pelt/rig.h>

static const PeltRig *tube_rig; ///< of the next tube; NULL: none
static Vec3 tube_aside;         ///< the next tube's skin is moved by this, its bones are not

typedef struct Tube {
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiOptions options;
    PeltiLog log;
    PeltiFlesh *flesh; ///< the method's state
    Vec3 *points;
    Mat34 bones[8];
} Tube;

/// Closed, `bones` bones of length 4 / bones; options as pairs of key and value, ending with NULL.
static inline void tube_make(Tube *tube, int bones, PeltiJobs *jobs, const PeltAllocator *allocator, const char *const *options)
{
    extern const PeltiMethod pelti_method_layered;
    static Vec3 p[TUBE_POINTS];
    static int t[TUBE_TRIANGLES][3];
    int n = make_tube(4, 0.5f, p, t, 0), points[] = {TUBE_POINTS};
    for (int k = 0; k < TUBE_POINTS; k++)
        p[k] = vec3_add(p[k], tube_aside);
    PeltError err = {0};
    *tube = (Tube){.who = make_chain((ChainBones){bones, 0, 4 / (float)bones}, 1, points,
                                     (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t})};
    assert_int_equal(pelti_weights_automatic(tube->who, &tube->who->pool, NULL, NULL, &tube->weights, &err), PELT_OK);
    pelti_options_init(&tube->options, pelti_method_layered.options);
    for (; options && *options; options += 2)
        assert_int_equal(pelti_options_set(&tube->options, options[0], options[1], &err), PELT_OK);
    pelti_log_init(&tube->log, NULL);
    PeltiMethodPrepare in = {.who = tube->who,
                             .options = &tube->options,
                             .weights = &tube->weights,
                             .artist = {.rig = tube_rig},
                             .allocator = allocator,
                             .jobs = jobs,
                             .log = &tube->log};
    void *state = NULL;
    if (pelti_method_layered.prepare(&in, &state, &err) != PELT_OK)
        fail_msg("%s", err.text);
    tube->flesh = state;
    tube->points = PELTI_NEW(&tube->who->pool, Vec3, tube->who->point_count);
    for (int b = 0; b < 8; b++)
        tube->bones[b] = mat34_identity();
}

static inline void tube_release(Tube *tube)
{
    extern const PeltiMethod pelti_method_layered;
    pelti_method_layered.destroy(tube->flesh);
    pelti_log_release(&tube->log);
    pelti_character_destroy(tube->who);
}

/// Each joint but the root bent by `angle` about z, the root moved by `shift`.
static inline void tube_pose(Tube *tube, float angle, Vec3 shift)
{
    for (int b = 0; b < tube->who->bone_count; b++) {
        Vec3 head = tube->who->bones[b].head;
        Mat3 r = quat_to_mat3(quat_axis_angle(vec3(0, 0, 1), b ? angle : 0));
        Mat34 turn = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
        tube->bones[b] = b ? mat34_mul(tube->bones[b - 1], turn) : mat34_from(mat3_identity(), shift);
    }
}

static inline PeltiStepReport tube_step(Tube *tube, float dt_s, bool restart)
{
    extern const PeltiMethod pelti_method_layered;
    PeltiStepReport report = {0};
    PeltiJoint joints[8];
    test_joints(tube->who, tube->bones, joints);
    PeltiStepInput in = {.bones = tube->bones, .joints = joints, .dt_s = dt_s, .restart = restart};
    pelti_method_layered.step(tube->flesh, &in, tube->points, &report);
    for (int p = 0; p < tube->who->point_count; p++)
        assert_true(vec3_finite(tube->points[p]));
    assert_int_equal(report.told.nonfinite, 0);
    return report;
}
#endif
