/// Rules of a distilled skin: helpers turn their share, correctives are sums of products, and all of it is blended.
#include "check.h"

#include "distil/distilled.h"

static const float HALF_TURN = 3.14159265f;

static PeltiJoint joint_of(Vec3 axis, float angle)
{
    return (PeltiJoint){quat_axis_angle(axis, angle), vec3(0, 1, 0), mat3_identity()};
}

static void rotation_vectors_are_axis_times_angle(void **state)
{
    (void)state;
    Vec3 axis = vec3_normalize_or(vec3(1, -2, 0.5f), vec3(1, 0, 0));
    for (float angle = 0; angle < 3.1f; angle += 0.05f) {
        Quat q = quat_axis_angle(axis, angle);
        Vec3 r = pelti_distil_rotation_vector(q), s = pelti_distil_rotation_vector((Quat){-q.x, -q.y, -q.z, -q.w});
        CHECK_NEAR(vec3_distance(r, vec3_scale(axis, angle)), 0, 2e-6);
        CHECK_NEAR(vec3_distance(r, s), 0, 1e-7);
    }
}

static void a_half_helper_turns_half_the_way(void **state)
{
    (void)state;
    PeltiHelper half = {.kind = PELTI_HELPER_TURN, .fraction = 0.5f};
    PeltiJoint joint = joint_of(vec3(0, 0, 1), 2.0f);
    PeltiHelperPose pose = pelti_distil_helper(&half, &joint);
    CHECK_NEAR(quat_angle(pose.turn), 1.0, 1e-6);
    CHECK_NEAR(vec3_distance(pose.at, joint.head), 0, 0);
    half.offset = vec3(0.5f, 0, 0);
    pose = pelti_distil_helper(&half, &joint);
    CHECK_NEAR(pose.at.x, 1.0, 1e-6);
}

/// Swing and then twist: the twist helper sees its part alone, a third of it.
static void a_twist_helper_knows_no_swing(void **state)
{
    (void)state;
    PeltiHelper third = {.kind = PELTI_HELPER_TWIST, .fraction = 1.0f / 3, .axis = vec3(0, 1, 0)};
    PeltiJoint joint = joint_of(vec3(0, 1, 0), 1.2f);
    joint.turn = quat_mul(quat_axis_angle(vec3(1, 0, 0), 0.9f), joint.turn);
    PeltiHelperPose pose = pelti_distil_helper(&third, &joint);
    CHECK_NEAR(quat_angle(pose.turn), 0.4, 1e-6);
    CHECK_NEAR(quat_rotate(pose.turn, vec3(0, 1, 0)).y, 1, 1e-6);
}

static void weights_are_sums_of_products_between_two_ends(void **state)
{
    (void)state;
    const PeltiDistilDrive drives[] = {
        {0, vec3(0, 0, 1), 0.5f, 1.5f}, {0, vec3(0, 0, 1), -0.5f, -1.5f}, {1, vec3(1, 0, 0), 0, 1}};
    const PeltiDistilTerm terms[] = {{0.5f, {0, -1}}, {-0.75f, {1, -1}}, {1, {0, 2}}};
    PeltiCorrective corrective = {.term_count = 3, .terms = terms, .low = -0.5f, .high = 1};
    for (float angle = -HALF_TURN + 0.1f; angle < HALF_TURN - 0.1f; angle += 0.1f) {
        PeltiJoint joints[] = {joint_of(vec3(0, 0, 1), angle), joint_of(vec3(1, 0, 0), 0.8f)};
        float said[3];
        pelti_distil_drives_say(3, drives, joints, said);
        double there = fmin(fmax((double)angle - 0.5, 0), 1), back = fmin(fmax(-(double)angle - 0.5, 0), 1);
        CHECK_NEAR(said[0], there, 2e-6);
        CHECK_NEAR(said[1], back, 2e-6);
        CHECK_NEAR(said[2], 0.8, 2e-6);
        CHECK_NEAR(pelti_distil_weight(&corrective, said), fmin(fmax(1.3 * there - 0.75 * back, -0.5), 1), 4e-6);
    }
}

/// Two points: one on the joint, one on the helper, with a corrective that half counts.
static void play_blends_what_correctives_moved(void **state)
{
    (void)state;
    PeltiCharacter who = {.point_count = 2, .bone_count = 2};
    const int bone[] = {1, 2};
    const float weight[] = {1, 1};
    const int moved[] = {1};
    const Vec3 offset[] = {{2, 0, 0}}, rest[] = {{0, 2, 0}, {0, 2, 0}};
    PeltiHelper half = {.parent = 0, .driver = 1, .fraction = 0.5f, .head = vec3(0, 1, 0)};
    const PeltiDistilDrive drive = {1, vec3(0, 0, 1), 0, HALF_TURN};
    const PeltiDistilTerm term = {1, {0, -1}};
    PeltiCorrective corrective = {.term_count = 1, .terms = &term, .high = 1, .count = 1, .points = moved, .offsets = offset};
    PeltiDistilSkin distilled = {&who, 2, {1, bone, weight}, 1, 1, 1, &half, &drive, &corrective};
    PeltiJoint joints[] = {joint_of(vec3(0, 0, 1), 0), joint_of(vec3(0, 0, 1), HALF_TURN / 2)};
    Mat3 turned = quat_to_mat3(joints[1].turn);
    Mat34 bones[] = {mat34_identity(), mat34_from(turned, vec3_sub(vec3(0, 1, 0), mat3_apply(turned, vec3(0, 1, 0))))};
    PeltiHelperPose pose[1];
    float said[1], weights[1];
    PeltiDistilDriven driven = {pose, said, weights};
    Mat34 all[3];
    Vec3 out[2];
    pelti_distil_drive(&distilled, joints, &driven);
    pelti_distil_matrices(&distilled, bones, &driven, all);
    pelti_distil_play(&distilled, all, &driven, rest, out);
    CHECK_NEAR(weights[0], 0.5, 1e-6);
    CHECK_NEAR(vec3_distance(out[0], vec3(-1, 1, 0)), 0, 1e-6);
    // (0, 1) + (1, 0), turned by 45 degrees about (0, 1, 0): onto the y axis
    CHECK_NEAR(vec3_distance(out[1], vec3(0, 1 + sqrtf(2), 0)), 0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotation_vectors_are_axis_times_angle), cmocka_unit_test(a_half_helper_turns_half_the_way),
        cmocka_unit_test(a_twist_helper_knows_no_swing),         cmocka_unit_test(weights_are_sums_of_products_between_two_ends),
        cmocka_unit_test(play_blends_what_correctives_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
