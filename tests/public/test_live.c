/// Hosts that change things while a skin plays: options between two steps.
#include "check.h"
#include "tube.h"

#include <pelt/tools.h>

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 2 };

static PeltSkin *make_skin(const PeltCharacter *who, const char *method, const char *setting)
{
    PeltSkin *skin = NULL;
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    def.settings = &setting;
    def.setting_count = setting ? 1 : 0;
    def.threads = 1;
    if (pelt_skin_create(&def, who, &skin, &err) != PELT_OK)
        fail_msg("%s %s: %s", method, setting, err.text);
    return skin;
}

/// Positions of FRAMES frames of the bend, which ends in contact; to be freed.
static float *play(const PeltCharacter *who, PeltSkin *skin)
{
    size_t count = 3 * (size_t)pelt_character_info(who).point_count;
    float *all = malloc(FRAMES * count * sizeof *all);
    PeltPose *pose = NULL;
    assert_int_equal(pelt_pose_create(who, &pose, NULL), PELT_OK);
    double seconds = pelt_character_clip_seconds(who, 0);
    for (int f = 0; f < FRAMES; f++) {
        pelt_pose_from_clip(pose, 0, seconds * (0.2 + 0.02 * f));
        pelt_skin_step(skin, pose, 1.0f / 30, NULL);
        memcpy(all + (size_t)f * count, pelt_skin_positions(skin), count * sizeof *all);
    }
    pelt_pose_destroy(pose);
    return all;
}

/// A value that is allowed and not the default.
static void another_value(const PeltOptionInfo *info, char *out, size_t size)
{
    double value = atof(info->value), half = (double)(int)(value / 2);
    if (info->kind == PELT_OPTION_BOOL)
        snprintf(out, size, "%s", !strcmp(info->value, "on") || !strcmp(info->value, "true") ? "off" : "on");
    else if (info->kind == PELT_OPTION_INT)
        snprintf(out, size, "%g", half >= info->least && half != value ? half : value + 1);
    else if (info->kind == PELT_OPTION_FLOAT)
        snprintf(out, size, "%g", value > 0 ? (info->least > 0.5 * value ? 2 * value : 0.5 * value) : 0.002 * info->most);
    else if (!strncmp(info->choices, info->value, strlen(info->value)))
        snprintf(out, size, "%s", strchr(info->choices, '|') + 1); // the second
    else
        snprintf(out, size, "%s", info->choices);
    if (info->kind == PELT_OPTION_CHOICE && strchr(out, '|'))
        *strchr(out, '|') = 0;
}

static void a_live_option_is_as_if_prepared_with_it(void **state)
{
    (void)state;
    PeltCharacter *who = tube();
    size_t bytes = FRAMES * 3 * sizeof(float) * (size_t)pelt_character_info(who).point_count;
    int live = 0, told = 0;
    for (int m = 0; m < pelt_method_count(); m++) {
        PeltSkin *set = make_skin(who, pelt_method_name(m), NULL); // one for all: each option is set, played and set back
        float *before = play(who, set);
        for (int o = 0; o < pelt_method_option_count(m); o++) {
            PeltOptionInfo info = pelt_method_option(m, o);
            char value[64], setting[160];
            if (!info.live || o % TEST_WORK(1, 3) != 0)
                continue;
            another_value(&info, value, sizeof value);
            snprintf(setting, sizeof setting, "%s=%s", info.name, value);
            PeltSkin *made = make_skin(who, pelt_method_name(m), setting);
            PeltError err = {0};
            if (pelt_skin_set(set, info.name, value, &err) != PELT_OK)
                fail_msg("%s: %s", pelt_method_name(m), err.text);
            assert_string_equal(pelt_skin_get(set, info.name), value);
            pelt_skin_restart(set);
            float *a = play(who, made), *b = play(who, set);
            if (memcmp(a, b, bytes))
                fail_msg("%s: %s set live differs from prepared with it", pelt_method_name(m), setting);
            told += memcmp(a, before, bytes) != 0;
            live++;
            free(a), free(b);
            pelt_skin_destroy(made);
            assert_int_equal(pelt_skin_set(set, info.name, info.value, NULL), PELT_OK);
        }
        free(before);
        pelt_skin_destroy(set);
    }
    assert_true(live > TEST_WORK(20, 6));
    assert_true(TEST_WORK(3, 6) * told > live); // most of them show on this tube
    pelt_character_destroy(who);
}

static void what_needs_a_new_prepare_is_refused(void **state)
{
    (void)state;
    PeltCharacter *who = tube();
    PeltSkin *skin = make_skin(who, "tracking", NULL);
    PeltError err = {0};
    char before[32];
    snprintf(before, sizeof before, "%s", pelt_skin_get(skin, "iterations"));
    assert_int_equal(pelt_skin_set(skin, "samples", "40", &err), PELT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "new skin"));
    assert_int_equal(pelt_skin_set(skin, "iteration", "4", &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "iterations"));
    assert_int_equal(pelt_skin_set(skin, "iterations", "-1", &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelt_skin_set(skin, "iterations", "many", &err), PELT_BAD_ARGUMENT);
    assert_string_equal(pelt_skin_get(skin, "iterations"), before);
    assert_null(pelt_skin_get(skin, "no-such-option"));
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_live_option_is_as_if_prepared_with_it),
        cmocka_unit_test(what_needs_a_new_prepare_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
