/// Anchors behind every method: by a rig's keys, pulled and held by a host.
#include "check.h"

#include <pelt/tools.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINT = 40 };

typedef struct Act {
    PeltCharacter *who;
    PeltSkin *skin;
    PeltPose *pose;
    int count;
    float size;
    float *free; ///< [3 count] of the first step
} Act;

static Act start(const char *method, const PeltRig *rig)
{
    Act act = {0};
    PeltError err = {0};
    PeltMakeDef make = pelt_make_def_default();
    make.name = "cylinder";
    make.vertices = TEST_WORK(1200, 500);
    assert_int_equal(pelt_make_character(&make, &act.who, &err), PELT_OK);
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    def.rig = rig;
    def.threads = 1;
    if (pelt_skin_create(&def, act.who, &act.skin, &err) != PELT_OK)
        fail_msg("%s: %s", method, err.text);
    assert_int_equal(pelt_pose_create(act.who, &act.pose, &err), PELT_OK);
    act.count = pelt_character_info(act.who).point_count;
    act.size = pelt_character_info(act.who).size;
    pelt_skin_step(act.skin, act.pose, 1.0f / 30, NULL);
    act.free = malloc(3 * sizeof(float) * (size_t)act.count);
    memcpy(act.free, pelt_skin_positions(act.skin), 3 * sizeof(float) * (size_t)act.count);
    return act;
}

static void stop(Act *act)
{
    free(act->free);
    pelt_pose_destroy(act->pose);
    pelt_skin_destroy(act->skin);
    pelt_character_destroy(act->who);
}

/// How far a point is from where the first step had it, along `axis`; share of the size.
static float moved(const Act *act, int point, int axis)
{
    return (pelt_skin_positions(act->skin)[3 * point + axis] - act->free[3 * point + axis]) / act->size;
}

static void keys_pull_behind_every_method(void **state)
{
    (void)state;
    const PeltRigAnchorKey keys[] = {{.time_s = 0, .strength = 0}, {.time_s = 1, .offset = {0, 0, 0.05f}, .strength = 1}};
    PeltRigAnchor anchor = {.name = "pinch", .point = POINT, .falloff = 0.1f, .key_count = 2, .keys = keys};
    PeltRig rig = {.anchor_count = 1, .anchors = &anchor};
    for (int m = 0; m < pelt_method_count(); m++) {
        Act act = start(pelt_method_name(m), &rig);
        assert_int_equal(pelt_skin_anchor_find(act.skin, "pinch"), 0);
        assert_int_equal(pelt_skin_anchor_find(act.skin, "poke"), -1);
        pelt_skin_step(act.skin, act.pose, 1, NULL);
        CHECK_NEAR(moved(&act, POINT, 2), 0.05, 2e-3);
        int with = 0;
        for (int p = 0; p < act.count; p++) {
            float away = 0;
            for (int k = 0; k < 3; k++)
                away += powf(act.free[3 * p + k] - act.free[3 * POINT + k], 2);
            if (sqrtf(away) > 0.1f * act.size)
                assert_true(fabsf(moved(&act, p, 2)) < 2e-3f); // beyond the falloff nothing moves
            with += moved(&act, p, 2) > 5e-3f;
        }
        assert_in_range(with, 3, act.count / 4);
        stop(&act);
    }
}

static void a_host_pulls_holds_and_lets_go(void **state)
{
    (void)state;
    const PeltRigAnchorKey key = {.time_s = 0, .offset = {0, 0, 0.02f}, .strength = 1};
    PeltRigAnchor anchor = {.name = "pinch", .point = POINT, .falloff = 0.1f, .key_count = 1, .keys = &key};
    PeltRig rig = {.anchor_count = 1, .anchors = &anchor};
    Act act = start("lbs", &rig);
    PeltError err = {0};
    int own = -1, again = -1, far = act.count - 1;
    assert_int_equal(pelt_skin_anchor_add(act.skin, far, 0, &own, &err), PELT_OK);
    assert_int_not_equal(own, 0);
    const float pull[3] = {0.1f * act.size, 0, 0}, bad[3] = {NAN, 0, 0};
    float at[3] = {1, 2, 3};
    pelt_skin_anchor_pull(act.skin, own, pull, 0.5f);
    pelt_skin_anchor_hold(act.skin, 0, at, 1);
    pelt_skin_anchor_hold(act.skin, 0, bad, 1);  // changes nothing
    pelt_skin_anchor_hold(act.skin, 0, pull, 7); // neither
    pelt_skin_step(act.skin, act.pose, 1, NULL);
    CHECK_NEAR(moved(&act, far, 0), 0.05, 1e-5);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(pelt_skin_positions(act.skin)[3 * POINT + k], at[k], 1e-5);
    pelt_skin_anchor_let_go(act.skin, own);
    pelt_skin_anchor_let_go(act.skin, 0); // the keys have it again
    pelt_skin_step(act.skin, act.pose, 1, NULL);
    CHECK_NEAR(moved(&act, far, 0), 0, 1e-6);
    CHECK_NEAR(moved(&act, POINT, 2), 0, 1e-6); // as in the first step: 0.02
    assert_int_equal(pelt_skin_anchor_add(act.skin, 5, 0.1f, &again, &err), PELT_OK);
    assert_int_equal(again, own);
    assert_int_equal(pelt_skin_anchor_add(act.skin, -1, 0.1f, &again, &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelt_skin_anchor_add(act.skin, act.count, 0.1f, &again, &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelt_skin_anchor_add(act.skin, 5, NAN, &again, &err), PELT_BAD_ARGUMENT);
    assert_int_equal(again, -1);
    stop(&act);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_pull_behind_every_method),
        cmocka_unit_test(a_host_pulls_holds_and_lets_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
