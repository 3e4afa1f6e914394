/// Settling in a pose: one step, few, or taken back where a fold jams.
#include "check.h"

#include "distil/poses.h"
#include "distil/settle.h"

#include <pelt/make.h>

#include <string.h>

typedef struct Arm {
    PeltCharacter *character;
    PeltSkin *skin;
    PeltiPool pool;
    PeltiDistilSettle settle;
    PeltiPose pose;
    int elbow;
} Arm;

static void make_arm(Arm *arm, const char *method)
{
    PeltMakeDef make = pelt_make_def_default();
    PeltSkinDef skin = pelt_skin_def_default();
    make.name = "arm";
    make.vertices = 600;
    static const char *const settings[] = {"give-way=off"}; // which would turn the forearm away before it jams
    skin.method = method;
    skin.settings = settings;
    skin.setting_count = 1;
    assert_int_equal(pelt_make_character(&make, &arm->character, NULL), PELT_OK);
    assert_int_equal(pelt_skin_create(&skin, arm->character, &arm->skin, NULL), PELT_OK);
    pelti_pool_init(&arm->pool, NULL);
    arm->pose = pelti_pose_new(&arm->pool, arm->character->who);
    pelti_distil_settle_init(&arm->settle, arm->skin, &arm->pool);
    assert_false(arm->pool.failed);
    const PeltiCharacter *who = arm->character->who;
    for (arm->elbow = 0; strcmp(who->nodes[arm->elbow].name, "Forearm") != 0;)
        assert_true(++arm->elbow < who->node_count);
}

static void free_arm(Arm *arm)
{
    pelti_pool_release(&arm->pool);
    pelt_skin_destroy(arm->skin);
    pelt_character_destroy(arm->character);
}

/// The elbow bent by an angle as its clip bends it; returns how far it was bent in the end.
static float bend(Arm *arm, float angle)
{
    const PeltiCharacter *who = arm->character->who;
    PeltiDistilPoses poses;
    PeltiDistilPosesDef def = {who, 1, -1, NULL};
    assert_int_equal(pelti_distil_poses(&def, &arm->pool, &poses, NULL), PELT_OK);
    pelti_pose_file(who, &arm->pose);
    for (int j = 0; j < poses.joint_count; j++)
        if (poses.joints[j].node == arm->elbow) {
            const PeltiDistilPoseJoint *joint = &poses.joints[j];
            Quat turn = quat_axis_angle(joint->axis[0], joint->most[0] >= joint->most[1] ? angle : -angle);
            Quat *rotation = &arm->pose.local[arm->elbow].rotation;
            *rotation = quat_normalize(quat_mul(turn, quat_normalize(*rotation)));
            arm->pose.touched[arm->elbow] = true;
        }
    pelti_distil_settle(&arm->settle, &arm->pose);
    return vec3_length(pelti_distil_away(who, &arm->settle.pose, arm->elbow));
}

static void a_pose_that_is_free_is_reached_in_few_steps(void **state)
{
    (void)state;
    Arm arm;
    make_arm(&arm, "tracking");
    assert_float_equal(bend(&arm, 1), 1, 1e-5f);
    assert_int_equal(arm.settle.short_of, 0);
    assert_int_equal(arm.settle.steps, 3);
    for (int p = 0; p < arm.character->who->point_count; p++)
        assert_memory_equal(&arm.settle.points[p], &arm.skin->shown.points[p], sizeof(Vec3));
    free_arm(&arm);
}

/// A forearm that would lie in the upper arm: flesh jams on the way. What counts is the last pose that the skin was at home in.
static void a_fold_that_jams_is_taken_back(void **state)
{
    (void)state;
    Arm arm;
    make_arm(&arm, "tracking");
    float reached = bend(&arm, 3.1f);
    assert_int_equal(arm.settle.short_of, 1);
    assert_true(reached > 1.5f && reached < 3);
    assert_true(arm.settle.steps <= 9);
    free_arm(&arm);
}

/// Nothing to walk for: blending is there in one step.
static void what_remembers_nothing_takes_one_step(void **state)
{
    (void)state;
    Arm arm;
    make_arm(&arm, "dqs");
    assert_float_equal(bend(&arm, 2.5f), 2.5f, 1e-5f);
    assert_int_equal(arm.settle.steps, 1);
    free_arm(&arm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pose_that_is_free_is_reached_in_few_steps),
                                       cmocka_unit_test(a_fold_that_jams_is_taken_back),
                                       cmocka_unit_test(what_remembers_nothing_takes_one_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
