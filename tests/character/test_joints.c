/// Joints read from a pose turn as its matrices say, below scales, mirrors and collapsed bones too.
#include "check.h"
#include "joints.h"

#include "builtin/builtin.h"

typedef struct Act {
    PeltiCharacter *who;
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix;
    Mat34 *bones;
    PeltiJoint *joints, *others;
} Act;

static Act act_of(const char *name)
{
    Act a = {0};
    PeltiBuiltinOptions options = {.vertices = 1000};
    assert_int_equal(pelti_builtin_make(name, &options, NULL, NULL, &a.who, NULL), PELT_OK);
    PeltiPool *pool = &a.who->pool;
    a.pose = pelti_pose_new(pool, a.who);
    a.node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, a.who->node_count);
    a.bones = PELTI_NEW(pool, Mat34, a.who->bone_count);
    a.joints = PELTI_NEW(pool, PeltiJoint, a.who->bone_count);
    a.others = PELTI_NEW(pool, PeltiJoint, a.who->bone_count);
    return a;
}

/// The motion of each bone, put together from its joint and its parent's motion, is the pose's.
static void check_pose(Act *a, bool same_turns)
{
    pelti_pose_bones(a->who, &a->pose, a->node_matrix, a->bones);
    pelti_joints_pose(a->who, &a->pose, a->joints);
    test_joints(a->who, a->bones, a->others);
    for (int b = 0; b < a->who->bone_count; b++) {
        const PeltiBone *bone = &a->who->bones[b];
        const PeltiJoint *joint = &a->joints[b];
        Mat3 linear = mat3_mul(quat_to_mat3(joint->turn), joint->stretch);
        Mat34 own = mat34_from(linear, vec3_sub(joint->head, mat3_apply(linear, bone->head)));
        Mat34 whole = bone->parent >= 0 ? mat34_mul(a->bones[bone->parent], own) : own;
        for (int i = 0; i < 12; i++)
            CHECK_NEAR((&whole.m[0][0])[i], (&a->bones[b].m[0][0])[i], 2e-5);
        if (same_turns)
            CHECK_NEAR(fabsf(quat_dot(joint->turn, a->others[b].turn)), 1, 1e-5);
    }
}

static void joints_are_what_the_matrices_say(void **state)
{
    (void)state;
    const char *const names[] = {"biped", "hand", "beast"};
    for (int n = 0; n < 3; n++) {
        Act a = act_of(names[n]);
        for (int c = 0; c <= a.who->clip_count; c++) { // the last is the range of every joint
            pelti_pose_file(a.who, &a.pose);
            pelti_pose_clip(a.who, &a.who->clips[c], 0.4 * (double)a.who->clips[c].duration_s, &a.pose);
            check_pose(&a, true);
        }
        pelti_character_destroy(a.who);
    }
}

/// Scales of one size all over, a mirrored root and nodes given by matrices leave the turns what they are.
static void scales_and_mirrors_do_not_turn(void **state)
{
    (void)state;
    Act a = act_of("hand");
    PeltiCharacter *who = a.who;
    const PeltiClip *clip = &who->clips[who->clip_count];
    pelti_pose_file(who, &a.pose);
    pelti_pose_clip(who, clip, 0.3 * (double)clip->duration_s, &a.pose);
    check_pose(&a, true);
    PeltiJoint before = a.joints[who->bone_count - 1];
    assert_true(who->bones[who->bone_count - 1].parent >= 0);
    a.pose.local[who->bones[0].node].scale = vec3(-1, 1, 1);
    check_pose(&a, false);
    CHECK_NEAR(fabsf(quat_dot(before.turn, a.joints[who->bone_count - 1].turn)), 1, 1e-6);
    a.pose.local[who->bones[0].node].scale = vec3(2.5f, 2.5f, 2.5f);
    check_pose(&a, true);
    CHECK_NEAR(a.joints[0].stretch.m[1][1], 2.5, 1e-4);
    // the same node as a matrix, with half a turn in its mirrored axes: (-1,-1,1) is that about z
    a.pose.local[who->bones[0].node].scale = vec3(-1, -1, 1);
    check_pose(&a, true);
    PeltiJoint root = a.joints[0];
    PeltiNode *node = &who->nodes[who->bones[0].node];
    for (int i = 0; i < 12; i++)
        (&node->matrix[0][0])[i] = (&a.node_matrix[who->bones[0].node].m[0][0])[i];
    assert_int_equal(node->parent, -1);
    node->has_matrix = true;
    a.pose.touched[who->bones[0].node] = false;
    pelti_joints_bind(who);
    check_pose(&a, true);
    CHECK_NEAR(fabsf(quat_dot(root.turn, a.joints[0].turn)), 1, 1e-6);
    pelti_character_destroy(who);
}

/// A joint below a bone of no size keeps its own turn: nothing has to be undone.
static void joints_below_a_collapsed_bone_turn(void **state)
{
    (void)state;
    Act a = act_of("hand");
    int b = a.who->bone_count - 1, parent = a.who->bones[b].parent;
    pelti_pose_file(a.who, &a.pose);
    Quat turn = quat_axis_angle(vec3(0, 0, 1), 0.7f);
    Trs *local = &a.pose.local[a.who->bones[b].node];
    local->rotation = quat_mul(local->rotation, turn);
    a.pose.local[a.who->bones[parent].node].scale = vec3(0, 0, 0);
    pelti_joints_pose(a.who, &a.pose, a.joints);
    CHECK_NEAR(quat_angle(a.joints[b].turn), 0.7, 1e-4);
    assert_true(vec3_finite(a.joints[b].head));
    pelti_character_destroy(a.who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(joints_are_what_the_matrices_say),
                                       cmocka_unit_test(scales_and_mirrors_do_not_turn),
                                       cmocka_unit_test(joints_below_a_collapsed_bone_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
