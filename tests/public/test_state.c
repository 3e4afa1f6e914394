/// The state of a skin as bytes: taken over by another skin, it goes on bit for bit.
#include "check.h"

#include <pelt/tools.h>

#include <stdlib.h>
#include <string.h>

static PeltCharacter *make(const char *name)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    PeltMakeDef def = pelt_make_def_default();
    def.name = name;
    def.vertices = 600;
    if (pelt_make_character(&def, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

static PeltSkin *make_skin(const PeltCharacter *who, const char *method, const char *const *settings, int count)
{
    PeltSkin *skin = NULL;
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    def.settings = settings;
    def.setting_count = count;
    if (pelt_skin_create(&def, who, &skin, &err) != PELT_OK)
        fail_msg("%s: %s", method, err.text);
    return skin;
}

/// Saves after some frames; then the same skin, gone on and brought back, and another one, never played, must go on alike.
static void saved_and_restored(const PeltCharacter *who, const char *clip, const char *method, const char *const *settings,
                               int count)
{
    enum { BEFORE = 3, AFTER = 2 };
    size_t bytes = 3 * sizeof(float) * (size_t)pelt_character_info(who).point_count;
    PeltSkin *skin = make_skin(who, method, settings, count), *other = make_skin(who, method, settings, count);
    PeltPose *pose = NULL;
    PeltError err = {0};
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    int index = pelt_character_clip_find(who, clip);
    double start = 0.3 * pelt_character_clip_seconds(who, index);
    size_t size = pelt_skin_state_size(skin);
    char *state = malloc(size);
    float *expected = malloc(bytes), *shown = malloc(bytes);
    for (int f = 0; f < BEFORE + AFTER; f++) {
        if (f == BEFORE) {
            assert_int_equal(pelt_skin_state_size(skin), size);
            pelt_skin_state_save(skin, state, size);
            memcpy(shown, pelt_skin_positions(skin), bytes);
        }
        pelt_pose_from_clip(pose, index, start + f / 24.0);
        pelt_skin_step(skin, pose, 1.0f / 24, NULL);
    }
    memcpy(expected, pelt_skin_positions(skin), bytes);
    PeltSkin *both[2] = {skin, other};
    for (int k = 0; k < 2; k++) {
        if (pelt_skin_state_restore(both[k], state, size, &err) != PELT_OK)
            fail_msg("%s: %s", method, err.text);
        assert_memory_equal(pelt_skin_positions(both[k]), shown, bytes);
        for (int f = BEFORE; f < BEFORE + AFTER; f++) {
            pelt_pose_from_clip(pose, index, start + f / 24.0);
            pelt_skin_step(both[k], pose, 1.0f / 24, NULL);
        }
        if (memcmp(pelt_skin_positions(both[k]), expected, bytes))
            fail_msg("%s %s, %s skin: not as before", method, clip, k ? "another" : "the same");
    }
    free(state), free(expected), free(shown);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin), pelt_skin_destroy(other);
}

static void every_method_goes_on_bit_for_bit(void **state)
{
    (void)state;
    PeltCharacter *who = make("arm");
    for (int m = 0; m < pelt_method_count(); m++)
        saved_and_restored(who, "bend", pelt_method_name(m), NULL, 0);
    pelt_character_destroy(who);
}

static void so_does_what_comes_before_and_behind_a_method(void **state)
{
    (void)state;
    const char *const all[] = {"touch=on", "give-way=on", "body=proxy", "body-vertices=600"};
    PeltCharacter *who = make("cylinder");
    saved_and_restored(who, "bend", "tracking", all, 4);
    saved_and_restored(who, "stretch", "layered", NULL, 0);
    pelt_character_destroy(who);
}

static void strange_bytes_are_refused_and_change_nothing(void **state)
{
    (void)state;
    const char *const other_setting[] = {"firmness=2"};
    PeltCharacter *who = make("cylinder"), *another = make("arm");
    PeltSkin *skin = make_skin(who, "projective", NULL, 0),
             *strangers[3] = {make_skin(who, "lbs", NULL, 0), make_skin(another, "projective", NULL, 0),
                              make_skin(who, "projective", other_setting, 1)};
    PeltPose *pose = NULL;
    PeltError err = {0};
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    pelt_skin_step(skin, pose, 1.0f / 24, NULL);
    size_t size = pelt_skin_state_size(skin);
    char *bytes = malloc(size), *now = malloc(size);
    pelt_skin_state_save(skin, bytes, size);
    for (int k = 0; k < 3; k++)
        assert_int_equal(pelt_skin_state_restore(strangers[k], bytes, size, &err), PELT_BAD_INPUT);
    for (size_t at = 0; at < size; at += 1 + size / 50) {
        bytes[at] ^= 4;
        assert_int_equal(pelt_skin_state_restore(skin, bytes, size, &err), PELT_BAD_INPUT);
        bytes[at] ^= 4;
    }
    for (size_t shorter = 0; shorter < size; shorter += 1 + size / 50)
        assert_int_equal(pelt_skin_state_restore(skin, bytes, shorter, &err), PELT_BAD_INPUT);
    pelt_skin_state_save(skin, now, size);
    assert_memory_equal(bytes, now, size);
    assert_int_equal(pelt_skin_set(skin, "jiggle", "0.9", &err), PELT_OK); // live: does not matter
    assert_int_equal(pelt_skin_state_restore(skin, bytes, size, &err), PELT_OK);
    free(bytes), free(now);
    for (int k = 0; k < 3; k++)
        pelt_skin_destroy(strangers[k]);
    pelt_skin_destroy(skin);
    pelt_pose_destroy(pose);
    pelt_character_destroy(who), pelt_character_destroy(another);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_goes_on_bit_for_bit),
        cmocka_unit_test(so_does_what_comes_before_and_behind_a_method),
        cmocka_unit_test(strange_bytes_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
