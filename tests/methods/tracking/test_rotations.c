/// Target rotations and the right-hand side of the relaxation where both are known.
#include "shared_rig.h"

/// Right-hand side of turned and scaled rest edges: A applied to the rest shape, turned and scaled.
static Vec3 expected(const Tracking *t, int v, const Mat34 *m)
{
    Vec3 sum = {0, 0, 0};
    for (int e = t->mesh->ring_start[v]; e < t->mesh->ring_start[v + 1]; e++)
        sum = vec3_mad(sum, mat34_apply_vector(*m, vec3_sub(t->mesh->rest[v], t->mesh->rest[t->mesh->ring[e]])),
                       t->energy.ring_weight[e]);
    return vec3_mad(sum, mat34_apply(*m, t->mesh->rest[v]), t->energy.hold[v]);
}

static void all_bones(Mat34 m)
{
    PeltiJoint joints[BONES];
    for (int b = 0; b < rig.who->bone_count; b++)
        rig.bones[b] = m;
    test_joints(rig.who, rig.bones, joints);
    PeltiStepInput in = {.bones = rig.bones, .joints = joints};
    pelti_tracking_bones_from(rig.state->who, rig.state->bones.order, &in, NULL, &rig.state->bones.goal);
}

static void one_motion_of_all_bones_is_every_target(void **state)
{
    (void)state;
    static const TrackingTargetKind targets[] = {TRACKING_TARGET_BLENDED, TRACKING_TARGET_RIGID, TRACKING_TARGET_POLAR};
    Quat q = quat_axis_angle(vec3_normalize_or(vec3(1, 2, -1), vec3(1, 0, 0)), 1.1f);
    for (int k = 0; k < 3; k++) {
        Tracking *t = rig.state;
        t->set.target = targets[k];
        float scale = k == 2 ? 1 : 1.5f; // polar targets know no scale
        Mat34 m = mat34_from(mat3_scale(quat_to_mat3(q), scale), vec3(1, 2, 3));
        all_bones(m);
        for (int v = 0; v < t->mesh->vertex_count; v++)
            t->surface.x[v] = mat34_apply(m, t->mesh->rest[v]);
        pelti_tracking_target_rotations(t, &t->bones.goal);
        pelti_tracking_right_hand_side(t, &t->bones.goal);
        for (int v = 0; v < t->mesh->vertex_count; v++) {
            CHECK_NEAR(fabsf(quat_dot(t->target.rotation[v], q)), 1, 1e-5);
            CHECK_NEAR(t->target.scale[v], scale, 1e-4);
            CHECK_NEAR(vec3_distance(t->target.rhs[v], expected(t, v, &m)), 0,
                       1e-4 * (double)(1 + vec3_length(t->target.rhs[v])));
            CHECK_NEAR(vec3_length(tracking_force(t, v)), 0, 2e-4); // and there is nothing left to relax
        }
    }
}

/// Between two bones the target turns by the blend of their half angles; smoothing stays between its neighbours'.
static void targets_blend_between_bones(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    t->set.target = TRACKING_TARGET_BLENDED;
    PeltiJoint joints[BONES];
    int last = last_bone(&rig);
    turn(&rig, last, vec3(0, 0, 1), 2.0f);
    test_joints(rig.who, rig.bones, joints);
    PeltiStepInput in = {.bones = rig.bones, .joints = joints};
    pelti_tracking_bones_from(t->who, t->bones.order, &in, NULL, &t->bones.goal);
    pelti_tracking_target_rotations(t, &t->bones.goal);
    int between = 0;
    float most = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        double moved = 0;
        for (int k = 0; k < t->weights.influences; k++) {
            int b = t->weights.bone[v * t->weights.influences + k];
            moved += vec3_distance(mat34_apply_vector(rig.bones[b], vec3(1, 0, 0)), vec3(1, 0, 0)) > 0.1f
                         ? (double)t->weights.weight[v * t->weights.influences + k]
                         : 0;
        }
        double half = atan2(moved * sin(1), 1 - moved + moved * cos(1));
        CHECK_NEAR(t->target.rotation[v].z, sin(half), 1e-4);
        between += moved > 0.1 && moved < 0.9;
        for (int e = t->mesh->ring_start[v]; e < t->mesh->ring_start[v + 1]; e++)
            most = fmaxf(most, 1 - quat_dot(t->target.rotation[v], t->target.rotation[t->mesh->ring[e]]));
    }
    assert_true(between > 10);
    t->set.blend_passes = 6;
    pelti_tracking_target_rotations(t, &t->bones.goal);
    float smoothed = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++)
        for (int e = t->mesh->ring_start[v]; e < t->mesh->ring_start[v + 1]; e++)
            smoothed = fmaxf(smoothed, 1 - quat_dot(t->target.rotation[v], t->target.rotation[t->mesh->ring[e]]));
    assert_true(smoothed < 0.8f * most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_motion_of_all_bones_is_every_target),
                                       cmocka_unit_test(targets_blend_between_bones)};
    return cmocka_run_group_tests(tests, open_cylinder, close_rig);
}
