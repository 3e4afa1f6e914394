/// Base points between two bones: the ring on a joint turns half-way, by the way the joint came.
#include "tube.h"

static const float degree = 0.017453293f;

static void twist(Tube *tube, float degrees)
{
    for (int b = 1; b < 3; b++)
        tube->bones[b] = turn_about(vec3(1, 0, 0), vec3(1, 0, 0), degrees * degree);
}

/// By how much the ring on the joint is turned about the tube's axis, in degrees.
static float ring_turn(Tube *tube, float degrees)
{
    twist(tube, degrees);
    pelti_proj_pose_joints(&tube->p->base, tube_pose_of(tube));
    Vec3 up = mat34_apply_vector(tube->p->base.joints[1].half, vec3(0, 1, 0));
    return atan2f(up.z, up.y) / degree;
}

static void a_ring_turns_half_way_past_half_a_turn(void **state)
{
    (void)state;
    static Tube tube;
    tube_open(&tube, 1, NULL);
    for (int way = -1; way <= 1; way += 2) {
        pelti_proj_unwind_joints(&tube.p->base);
        for (int d = 0; d <= 230; d += 10) // 180 too, where both ways are as short
            CHECK_NEAR(ring_turn(&tube, (float)(way * d)), 0.5f * (float)(way * d), 1e-2f);
        for (int d = 230; d >= 0; d -= 10)
            CHECK_NEAR(ring_turn(&tube, (float)(way * d)), 0.5f * (float)(way * d), 1e-2f);
    }
    tube_close(&tube);
}

static void a_joint_unwinds_when_told_and_when_it_comes_round(void **state)
{
    (void)state;
    static Tube tube;
    tube_open(&tube, 1, NULL);
    CHECK_NEAR(ring_turn(&tube, 170), 85, 1e-2f);
    CHECK_NEAR(ring_turn(&tube, 200), 100, 1e-2f);
    pelti_proj_unwind_joints(&tube.p->base);
    CHECK_NEAR(ring_turn(&tube, 200), -80, 1e-2f);
    pelti_proj_unwind_joints(&tube.p->base);
    for (int d = 0; d <= 720; d += 10) { // a wheel
        float turn = ring_turn(&tube, (float)d), short_way = 0.5f * remainderf((float)d, 360);
        assert_true(fabsf(turn) < 120.1f);
        CHECK_NEAR(fabsf(remainderf(turn - short_way, 180)), 0, 1e-2f); // one of the two places half-way
    }
    tube_close(&tube);
}

/// Skin of a tube that is wrung by 200 degrees and back moves no faster where it passes half a turn.
static void skin_does_not_jump_at_half_a_turn(void **state)
{
    (void)state;
    static Tube tube;
    static Vec3 last[TUBE_POINTS], before[TUBE_POINTS];
    tube_open(&tube, 1, NULL);
    tube_step(&tube, 0, true);
    for (int f = 0; f <= 40; f++) {
        twist(&tube, 200 * (0.5f - 0.5f * cosf((float)f / 20 * 3.1415927f)));
        tube_step(&tube, 1.0f / 30, false);
        assert_true(tube_finite(&tube));
        for (int i = 0; i < TUBE_POINTS && f >= 2; i++) // the twist itself: .35 (pi / 20)^2 100 degrees
            assert_true(vec3_distance(vec3_add(tube.points[i], before[i]), vec3_scale(last[i], 2)) < 0.06f);
        memcpy(before, last, sizeof last);
        memcpy(last, tube.points, sizeof last);
    }
    tube_close(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_turns_half_way_past_half_a_turn),
        cmocka_unit_test(a_joint_unwinds_when_told_and_when_it_comes_round),
        cmocka_unit_test(skin_does_not_jump_at_half_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
