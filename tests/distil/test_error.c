/// How distilled skins are judged, and which poses are drawn: sums of errors, limits of joints, parts that are far apart.
#include "chain.h"
#include "distil/error.h"
#include "distil/far.h"
#include "distil/poses.h"

#include <pelt/rig.h>

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

/// A tube along x on `bones` bones one apart, each point on the bone it lies over.
static PeltiCharacter *tube_on(int bones, PeltiWeights *w)
{
    int n = make_tube((float)bones, 0.2f, p, t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who = make_chain((ChainBones){bones, 0, 1}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
    int *bone = PELTI_NEW(&who->pool, int, TUBE_POINTS);
    float *weight = PELTI_NEW(&who->pool, float, TUBE_POINTS);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        int at = (int)who->mesh->rest[v].x;
        bone[v] = at < bones ? at : bones - 1, weight[v] = 1;
    }
    *w = (PeltiWeights){1, bone, weight};
    return who;
}

static void errors_are_root_mean_square_percentile_and_largest(void **state)
{
    (void)state;
    PeltiWeights w;
    PeltError err;
    PeltiDistilErrors errors;
    PeltiCharacter *who = tube_on(2, &w);
    static Vec3 truth[TUBE_POINTS], ours[TUBE_POINTS], theirs[TUBE_POINTS];
    int n = who->point_count, off = n / 50; // a fiftieth of all: beyond the 99th percentile lies half of these
    assert_int_equal(pelti_distil_errors(&errors, who, &w, &who->pool, &err), PELT_OK);
    for (int pose = 0; pose < 2; pose++) {
        for (int i = 0; i < n; i++) {
            truth[i] = ours[i] = theirs[i] = who->rest_points[i];
            ours[i].y += i < off ? 0.03f : 0.01f;
            theirs[i].y += pose == 0 ? 0.02f : 0.005f;
        }
        ours[7].z += pose == 1 ? 0.4f : 0; // the worst of all
        pelti_distil_errors_add(&errors, truth, ours, theirs);
    }
    PeltDistilError told = pelti_distil_errors_tell(&errors);
    double square = 2 * ((n - off) * 1e-4 + off * 9e-4) + 0.16;
    assert_int_equal(told.poses, 2);
    assert_int_equal(told.worse, 1); // the second pose
    CHECK_NEAR(told.rms, sqrt(square / (2 * n)), 1e-6);
    CHECK_NEAR(told.original_rms, sqrt((4e-4 + 0.25e-4) / 2), 1e-6);
    CHECK_NEAR(told.largest, sqrt(0.16 + 9e-4), 1e-5);
    CHECK_NEAR(told.p99, 0.03, 3e-5 * (double)who->mesh->diagonal);
    assert_int_equal(errors.distilled.worst_pose, 1);
    assert_int_equal(errors.distilled.worst_point, 7);
    pelti_character_destroy(who);
}

static void parts_are_apart_by_joints_and_cross_only_when_far(void **state)
{
    (void)state;
    enum { BONES = 8 };
    PeltiWeights w;
    PeltError err;
    PeltiDistilFar *far = NULL;
    PeltiCharacter *who = tube_on(BONES, &w);
    Mat34 bones[BONES];
    assert_int_equal(pelti_distil_apart(who, 1, 6), 5);
    assert_int_equal(pelti_distil_apart(who, 6, 1), 5);
    assert_int_equal(pelti_distil_apart(who, 3, 3), 0);
    assert_int_equal(pelti_distil_far(who, &w, NULL, &who->pool, &far, &err), PELT_OK);
    for (int b = 0; b < BONES; b++)
        bones[b] = mat34_identity();
    assert_false(pelti_distil_far_crosses(far, bones));
    bones[1].m[0][3] = 0.5f; // into its neighbour
    assert_false(pelti_distil_far_crosses(far, bones));
    bones[1].m[0][3] = 5.03f, bones[1].m[1][3] = 0.07f; // into the sixth
    assert_true(pelti_distil_far_crosses(far, bones));
    pelti_character_destroy(who);
}

static void poses_keep_to_the_limits_that_a_rig_gives(void **state)
{
    (void)state;
    PeltiWeights w;
    PeltError err;
    PeltiDistilPoses poses;
    PeltiCharacter *who = tube_on(4, &w);
    PeltRigJoint joint = {.joint = "bone2",
                          .has_twist_limits = true,
                          .twist_limits_deg = {-10, 20},
                          .has_bend_limits = true,
                          .bend_limits_deg = {-10, 15}};
    PeltRig rig = {0};
    rig.joints = &joint, rig.joint_count = 1;
    const float degree = 0.017453292f;
    PeltiDistilPosesDef def = {.who = who, .seed = 1, .unseen = -1, .rig = &rig};
    assert_int_equal(pelti_distil_poses(&def, &who->pool, &poses, &err), PELT_OK);
    PeltiPose pose = pelti_pose_new(&who->pool, who), again = pelti_pose_new(&who->pool, who);
    float most_twist = 0, most_free = 0;
    for (int i = 0; i < 300; i++) {
        pelti_distil_pose(&poses, (PeltiDistilPoseDraw){i, 0}, &pose);
        pelti_distil_pose(&poses, (PeltiDistilPoseDraw){i, 0}, &again);
        assert_memory_equal(pose.local, again.local, sizeof *pose.local * (size_t)who->node_count); // by its number alone
        Vec3 away = pelti_distil_away(who, &pose, 2);
        Quat turn = quat_axis_angle(vec3_normalize_or(away, vec3(1, 0, 0)), vec3_length(away));
        float twist = pelti_distil_rotation_vector(pelti_distil_twist(turn, vec3(1, 0, 0))).x;
        if (!(twist > -10.01f * degree && twist < 20.01f * degree))
            fail_msg("pose %d twists by %g degrees", i, (double)(twist / degree));
        Vec3 swing = pelti_distil_rotation_vector(quat_mul(turn, quat_conjugate(pelti_distil_twist(turn, vec3(1, 0, 0)))));
        if (!(vec3_length(swing) < 15.01f * degree))
            fail_msg("pose %d bends by %g degrees", i, (double)(vec3_length(swing) / degree));
        most_twist = fmaxf(most_twist, fabsf(twist));
        most_free = fmaxf(most_free, vec3_length(pelti_distil_away(who, &pose, 1)));
    }
    if (!(most_twist > 5 * degree && most_free > 20 * degree)) // limits are used, and only where they are given
        fail_msg("twisted by %g, the free joint turned by %g degrees", (double)(most_twist / degree),
                 (double)(most_free / degree));
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_root_mean_square_percentile_and_largest),
        cmocka_unit_test(parts_are_apart_by_joints_and_cross_only_when_far),
        cmocka_unit_test(poses_keep_to_the_limits_that_a_rig_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
