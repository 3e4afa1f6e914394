/// The clip made from a skeleton: every joint leaves the file's pose and comes back, knees bend back and elbows forward.
#include "chain.h"

#include "character/range.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

/// A chain down from the hips (-y), with these joint names.
static PeltiCharacter *leg(const char *const names[4])
{
    int count = make_tube(3, 0.3f, p, t, 0), points = TUBE_POINTS;
    PeltiCharacter *who = make_chain((ChainBones){4, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    for (int b = 0; b < 4; b++) {
        who->nodes[b].name = names[b];
        who->nodes[b].trs.translation = vec3(0, b ? -1 : 0, 0);
    }
    assert_int_equal(pelti_range_clip(who, NULL), PELT_OK);
    return who;
}

/// Where joint `b` is in the world at a time.
static Vec3 joint_at(const PeltiCharacter *who, double time_s, int b)
{
    static PeltiNodeMatrix node_matrix[8];
    static Mat34 bones[8];
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose pose = pelti_pose_new(&pool, who);
    pelti_pose_clip(who, &who->clips[who->clip_count], time_s, &pose);
    pelti_pose_bones(who, &pose, node_matrix, bones);
    pelti_pool_release(&pool);
    const PeltiNodeMatrix *w = &node_matrix[who->bones[b].node];
    return vec3((float)w->m[0][3], (float)w->m[1][3], (float)w->m[2][3]);
}

static void joints_leave_the_files_pose_and_come_back(void **state)
{
    (void)state;
    PeltiCharacter *who = leg((const char *const[4]){"a", "b", "c", "d"});
    const PeltiClip *clip = &who->clips[who->clip_count];
    assert_string_equal(clip->name, "range");
    CHECK_NEAR(clip->duration_s, 6, 1e-6);
    assert_int_equal(clip->channel_count, 3); // the root stays
    for (int move = 0; move <= 6; move++)     // between moves all is as in the file
        for (int b = 0; b < 4; b++)
            CHECK_NEAR(vec3_distance(joint_at(who, move, b), vec3(0, -(float)b, 0)), 0, 1e-5);
    float farthest = 0;
    for (int k = 0; k < 60; k++)
        farthest = fmaxf(farthest, vec3_distance(joint_at(who, 0.1 * k, 3), vec3(0, -3, 0)));
    assert_true(farthest > 0.2f);
    for (int c = 0; c < clip->channel_count; c++) // unit turns, all
        for (int k = 0; k < clip->channels[c].key_count; k++) {
            const float *q = clip->channels[c].values + 4 * k;
            CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-5);
        }
    pelti_character_destroy(who);
}

/// z is the front. The move of hinges is the first second, limbs the second.
static void names_say_which_way_a_joint_bends(void **state)
{
    (void)state;
    PeltiCharacter *who = leg((const char *const[4]){"Hips", "LeftUpLeg", "mixamorig:Left_Leg", "LeftFoot"});
    Vec3 foot = joint_at(who, 0.5, 3);
    CHECK_NEAR(vec3_distance(foot, vec3(0, -2, -1)), 0, 1e-4); // the knee is bent back by 90 degrees
    Vec3 knee = joint_at(who, 1.5, 2);
    CHECK_NEAR(knee.z, sin(70 * 0.0174532925), 1e-4); // the thigh is lifted to the front by 70
    CHECK_NEAR(knee.y, -1 - cos(70 * 0.0174532925), 1e-4);
    pelti_character_destroy(who);
    who = leg((const char *const[4]){"Spine", "upper_arm.L", "forearm.L", "hand.L"});
    assert_true(joint_at(who, 0.5, 3).z > 0.9f); // an elbow bends forward
    pelti_character_destroy(who);
    who = leg((const char *const[4]){"Spine", "upper_arm.L", "forearm.L", "hand.L"});
    who->faces_back = true;
    who->clips[who->clip_count] = (PeltiClip){0};
    assert_int_equal(pelti_range_clip(who, NULL), PELT_OK);
    assert_true(joint_at(who, 0.5, 3).z < -0.9f); // towards the front of one that looks the other way
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(joints_leave_the_files_pose_and_come_back),
                                       cmocka_unit_test(names_say_which_way_a_joint_bends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
