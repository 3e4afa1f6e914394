/// Biovision files: joints, orders of turning, places, and files that are not sound.
#include "check.h"

#include "io/bvh.h"

#include <string.h>

static const char GOOD[] =
    "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "\tJOINT Left Leg\n\t{\n\t\tOFFSET 10 -40.5 0\n\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -4e1 0\n\t\t}\n\t}\n}\nMOTION\nFrames: 2\nFrame Time: 0.25\n"
    "1 90 3 0 0 0 90 0 0\n2 91 -4.5 90 90 0 0 0 -90\n";

static PeltStatus parse(const char *text, size_t size, PeltiCharacter **who, PeltError *err)
{
    return pelti_bvh_parse(text, size, "walk", NULL, who, err);
}

static void joints_and_turns(void **state)
{
    (void)state;
    PeltError err = {0};
    PeltiCharacter *who;
    if (parse(GOOD, sizeof GOOD - 1, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(who->node_count, 3);
    assert_string_equal(who->nodes[0].name, "Hips");
    assert_string_equal(who->nodes[1].name, "Left Leg");
    assert_int_equal(who->nodes[1].parent, 0);
    assert_int_equal(who->nodes[2].parent, 1);
    CHECK_NEAR(who->nodes[1].trs.translation.y, -40.5, 1e-6);
    CHECK_NEAR(who->nodes[2].trs.translation.y, -40, 1e-6);
    CHECK_NEAR(who->nodes[0].trs.translation.y, 80.5, 1e-5); // stands on its lowest joint
    assert_int_equal(who->clip_count, 1);
    assert_string_equal(who->clips[0].name, "walk");
    CHECK_NEAR(who->clips[0].duration_s, 0.25, 1e-7);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose pose = pelti_pose_new(&pool, who);
    pelti_pose_clip(who, &who->clips[0], 0, &pose);
    CHECK_NEAR(pose.local[0].translation.y, 90, 1e-6);
    Vec3 x = quat_rotate(pose.local[1].rotation, vec3(1, 0, 0)); // 90 degrees about z: x becomes y
    CHECK_NEAR(vec3_distance(x, vec3(0, 1, 0)), 0, 1e-6);
    pelti_pose_clip(who, &who->clips[0], 0.25, &pose);
    CHECK_NEAR(pose.local[0].translation.z, -4.5, 1e-6);
    // Z X in that order is Rz Rx: y goes to z by the right one and stays there; x goes to y by the left one
    CHECK_NEAR(vec3_distance(quat_rotate(pose.local[0].rotation, vec3(0, 1, 0)), vec3(0, 0, 1)), 0, 1e-6);
    CHECK_NEAR(vec3_distance(quat_rotate(pose.local[0].rotation, vec3(1, 0, 0)), vec3(0, 1, 0)), 0, 1e-6);
    CHECK_NEAR(vec3_distance(quat_rotate(pose.local[1].rotation, vec3(1, 0, 0)), vec3(0, 0, 1)), 0, 1e-6); // -90 about y
    pelti_pool_release(&pool);
    pelti_character_destroy(who);
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *words;
    } cases[] = {{"HIERARCHY", "HIER", "line 1"},
                 {"Xposition", "Wposition", "no channel"},
                 {"CHANNELS 6", "CHANNELS 7", "channels"},
                 {"Frames: 2", "Frames: 200", "frames"},
                 {"Frames: 2", "Frames: 3", "number"},
                 {"0.25", "0", "frames"},
                 {"-40.5", "-40,5", "number"},
                 {"-4.5", "nan", "number"},
                 {"-4.5", "1e99", "number"},
                 {"MOTION", "}", "hierarchy"},
                 {"End Site", "JOINT", "line 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        const char *at = strstr(GOOD, cases[i].from);
        PeltError err = {0};
        PeltiCharacter *who;
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - GOOD), GOOD, cases[i].to, at + strlen(cases[i].from));
        if (i == 10) { // a joint may lack a name; the file is sound otherwise
            assert_int_equal(parse(text, strlen(text), &who, &err), PELT_OK);
            pelti_character_destroy(who);
            continue;
        }
        assert_int_equal(parse(text, strlen(text), &who, &err), PELT_BAD_INPUT);
        assert_null(who);
        if (!strstr(err.text, cases[i].words))
            fail_msg("%s: %s", cases[i].to, err.text);
    }
}

/// Cut anywhere, any byte another: an answer and no more.
static void damaged_files_are_refused_or_read(void **state)
{
    (void)state;
    PeltiCharacter *who;
    for (size_t size = 0; size < sizeof GOOD - 20; size++)
        if (parse(GOOD, size, &who, NULL) == PELT_OK)
            fail_msg("half a file was read: %zu bytes", size);
    unsigned seed = 3;
    for (int i = 0; i < 20000; i++) {
        char text[sizeof GOOD];
        memcpy(text, GOOD, sizeof GOOD);
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            text[(seed >> 8) % (sizeof GOOD - 1)] = (char)(seed >> 24);
        }
        if (parse(text, sizeof GOOD - 1, &who, NULL) == PELT_OK)
            pelti_character_destroy(who);
    }
}

static void names_tell_the_format(void **state)
{
    (void)state;
    PeltError err = {0};
    PeltiCharacter *who;
    assert_true(pelti_bvh_is("a/walk.BVH") && !pelti_bvh_is("walk.fbx") && !pelti_bvh_is("bvh"));
    assert_int_equal(pelti_bvh_read("not here.bvh", NULL, &who, &err), PELT_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(joints_and_turns), cmocka_unit_test(what_is_wrong_is_told_with_its_line),
                                       cmocka_unit_test(damaged_files_are_refused_or_read),
                                       cmocka_unit_test(names_tell_the_format)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
