/// Poses of virtual frames: ends are met, signs go on, no joint turns farther than it may.
#include "shared_rig.h"

static void pose(TrackingBones *out, const TrackingBones *near, float angle)
{
    static PeltiJoint joints[BONES];
    turn(&rig, last_bone(&rig), vec3(0, 0, 1), angle);
    test_joints(rig.who, rig.bones, joints);
    PeltiStepInput in = {.bones = rig.bones, .joints = joints};
    pelti_tracking_bones_from(rig.state->who, rig.state->bones.order, &in, near, out);
}

static void blends_meet_both_ends_and_turn_evenly(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    int last = last_bone(&rig);
    pose(&t->bones.now, NULL, 0.4f);
    pose(&t->bones.goal, &t->bones.now, 1.2f);
    for (int k = 0; k <= 4; k++) {
        float share = 0.25f * (float)k;
        pelti_tracking_bones_blend(t->who, t->bones.order, &t->bones.now, &t->bones.goal, share, &t->bones.next);
        turn(&rig, last, vec3(0, 0, 1), 0.4f + 0.8f * share);
        for (int b = 0; b < rig.who->bone_count; b++)
            for (int i = 0; i < 12; i++)
                CHECK_NEAR((&t->bones.next.matrix[b].m[0][0])[i], (&rig.bones[b].m[0][0])[i], 1e-5);
    }
}

/// Whole turns are the products of the joints' turns, and say the same as the matrices.
static void whole_turns_are_products(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    pose(&t->bones.goal, NULL, 2.0f);
    for (int b = 0; b < rig.who->bone_count; b++) {
        Mat3 r = quat_to_mat3(t->bones.goal.turn[b]), m = mat34_linear(t->bones.goal.matrix[b]);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR((&r.m[0][0])[i], (&m.m[0][0])[i], 1e-5);
        CHECK_NEAR(t->bones.goal.scale[b], 1, 1e-5);
    }
}

/// A twist over a whole turn, in steps: the sign of the quaternion never jumps.
static void signs_go_on_over_half_a_turn(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    int last = last_bone(&rig);
    pose(&t->bones.now, NULL, 0);
    assert_true(t->bones.now.joint[last].turn.w > 0);
    for (int k = 1; k <= 12; k++) {
        pose(&t->bones.goal, &t->bones.now, 0.5f * (float)k);
        assert_true(quat_dot(t->bones.now.joint[last].turn, t->bones.goal.joint[last].turn) > 0.9f);
        CHECK_NEAR(t->bones.goal.joint[last].turn.w, cos(0.25 * k), 1e-5); // past 180 degrees w is negative
        pelti_tracking_bones_copy(t->who->bone_count, &t->bones.goal, &t->bones.now);
    }
}

/// [Vaillant2014] sec. 5.2: a third of the present bend, no less than the floor.
static void no_joint_turns_farther_than_a_third_of_its_bend(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    t->set.floor_rad = 0.05f;
    pelti_tracking_bones_rest(t->who, t->bones.order, &t->bones.now);
    pose(&t->bones.goal, NULL, 0.5f);
    CHECK_NEAR(pelti_tracking_share(t->who, &t->set, &t->bones.now, &t->bones.goal), 0.05 / 0.5, 1e-4); // straight: the floor
    pose(&t->bones.now, NULL, 0.6f);
    pose(&t->bones.goal, &t->bones.now, 1.6f);
    CHECK_NEAR(pelti_tracking_share(t->who, &t->set, &t->bones.now, &t->bones.goal), 0.2, 1e-4);
    pose(&t->bones.goal, &t->bones.now, 0.61f);
    CHECK_NEAR(pelti_tracking_share(t->who, &t->set, &t->bones.now, &t->bones.goal), 1, 0);
    t->set.subdivide = false;
    pose(&t->bones.goal, &t->bones.now, 3);
    CHECK_NEAR(pelti_tracking_share(t->who, &t->set, &t->bones.now, &t->bones.goal), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blends_meet_both_ends_and_turn_evenly),
                                       cmocka_unit_test(whole_turns_are_products), cmocka_unit_test(signs_go_on_over_half_a_turn),
                                       cmocka_unit_test(no_joint_turns_farther_than_a_third_of_its_bend)};
    return cmocka_run_group_tests(tests, open_cylinder, close_rig);
}
