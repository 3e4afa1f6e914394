/// A tube of three bones skinned by the projective method, and bone matrices to move it with.
#ifndef PELT_TESTS_TUBE_H
#define PELT_TESTS_TUBE_H

#include "joints.h"
#include "chain.h"

#include "methods/projective/parts.h"

extern const PeltiMethod pelti_method_projective;

typedef struct Tube {
    PeltiCharacter *who;
    PeltiOptions options;
    PeltiJobs *jobs;
    PeltiPool pool;
    PeltiWeights weights;
    Projective *p;
    Vec3 points[TUBE_POINTS];
    Mat34 bones[3];
    Quat turns[3];
    PeltiStepReport report;
} Tube;

/// (Again) with these weights.
static inline void tube_prepare(Tube *tube, const PeltiWeights *weights)
{
    PeltiMethodPrepare in = {.who = tube->who, .options = &tube->options, .weights = weights, .jobs = tube->jobs};
    void *state = NULL;
    PeltError err = {0};
    pelti_method_projective.destroy(tube->p);
    if (pelti_method_projective.prepare(&in, &state, &err) != PELT_OK)
        fail_msg("%s", err.text);
    tube->p = state;
}

/// Options as "key=value", ends with NULL.
static inline void tube_open(Tube *tube, int threads, const char *const *set)
{
    static Vec3 p[TUBE_POINTS];
    static int t[TUBE_TRIANGLES][3];
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS;
    tube->who = make_chain((ChainBones){3, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    pelti_options_init(&tube->options, pelti_method_projective.options);
    for (; set && *set; set++) {
        char key[64];
        const char *value = strchr(*set, '=');
        snprintf(key, sizeof key, "%.*s", (int)(value - *set), *set);
        assert_int_equal(pelti_options_set(&tube->options, key, value + 1, NULL), PELT_OK);
    }
    tube->jobs = pelti_jobs_create(threads);
    tube->p = NULL;
    PeltError err = {0};
    pelti_pool_init(&tube->pool, NULL);
    assert_int_equal(pelti_weights_rigid(tube->who, &tube->pool, &tube->weights, &err), PELT_OK);
    tube_prepare(tube, &tube->weights);
    for (int b = 0; b < 3; b++)
        tube->bones[b] = mat34_identity();
}

static inline void tube_close(Tube *tube)
{
    pelti_method_projective.destroy(tube->p);
    pelti_jobs_destroy(tube->jobs);
    pelti_pool_release(&tube->pool);
    pelti_character_destroy(tube->who);
}

static inline Mat34 turn_about(Vec3 centre, Vec3 axis, float angle)
{
    Mat3 r = quat_to_mat3(quat_axis_angle(axis, angle));
    return mat34_from(r, vec3_sub(centre, mat3_apply(r, centre)));
}

/// Bone 1 and 2 bent about z at x = 1 and x = 2, all of it moved by `root`.
static inline void tube_pose(Tube *tube, Mat34 root, float bend1, float bend2)
{
    tube->bones[0] = root;
    tube->bones[1] = mat34_mul(root, turn_about(vec3(1, 0, 0), vec3(0, 0, 1), bend1));
    tube->bones[2] = mat34_mul(tube->bones[1], turn_about(vec3(2, 0, 0), vec3(0, 0, 1), bend2));
}

/// The bones as they are set, for what takes a pose.
static inline ProjPose tube_pose_of(Tube *tube)
{
    PeltiJoint joints[3];
    test_joints(tube->who, tube->bones, joints);
    for (int b = 0; b < 3; b++)
        tube->turns[b] = joints[b].turn;
    return (ProjPose){tube->bones, tube->turns};
}

static inline void tube_step(Tube *tube, float dt_s, bool restart)
{
    PeltiJoint joints[3];
    test_joints(tube->who, tube->bones, joints);
    PeltiStepInput in = {.bones = tube->bones, .joints = joints, .dt_s = dt_s, .restart = restart};
    tube->report = (PeltiStepReport){0};
    pelti_method_projective.step(tube->p, &in, tube->points, &tube->report);
}

/// Largest distance of the points from the rest shape moved by m.
static inline float tube_distance(const Tube *tube, Mat34 m)
{
    float most = 0;
    for (int i = 0; i < tube->who->point_count; i++)
        most = fmaxf(most, vec3_distance(tube->points[i], mat34_apply(m, tube->who->rest_points[i])));
    return most;
}

static inline bool tube_finite(const Tube *tube)
{
    for (int i = 0; i < tube->who->point_count; i++)
        if (!isfinite(tube->points[i].x + tube->points[i].y + tube->points[i].z))
            return false;
    return true;
}

#endif
