/// What quality=preview leaves out: layered solves a fine skin on a coarser body, near what it solves in full.
#include "check.h"

#include <pelt/make.h>
#include <pelt/tools.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 10 };

static PeltCharacter *arm(void)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    PeltMakeDef def = pelt_make_def_default();
    def.name = "arm";
    def.vertices = 1800;
    def.clip = "bend";
    if (pelt_make_character(&def, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

/// Positions after FRAMES frames of the bend, to be freed; `coarse`: a body was made.
static float *play(const PeltCharacter *who, const char *method, const char *quality, bool *coarse)
{
    const char *settings[] = {quality, "body-vertices=700"};
    PeltSkin *skin = NULL;
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    def.settings = settings;
    def.setting_count = 2;
    def.threads = 2;
    if (pelt_skin_create(&def, who, &skin, &err) != PELT_OK)
        fail_msg("%s: %s", method, err.text);
    *coarse = false;
    for (int i = 0; i < pelt_skin_warning_count(skin); i++)
        *coarse |= !strcmp(pelt_skin_warning(skin, i)->code, "body");
    PeltPose *pose = NULL;
    assert_int_equal(pelt_pose_create(who, &pose, NULL), PELT_OK);
    for (int f = 0; f < FRAMES; f++) {
        pelt_pose_from_clip(pose, 0, f / 30.0);
        pelt_skin_step(skin, pose, 1.0f / 30, NULL);
    }
    size_t bytes = 3 * sizeof(float) * (size_t)pelt_character_info(who).point_count;
    float *out = malloc(bytes);
    memcpy(out, pelt_skin_positions(skin), bytes);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    return out;
}

static double diagonal(const float *x, int count)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++)
            low = fmin(low, (double)x[3 * i + k]), high = fmax(high, (double)x[3 * i + k]);
        sum += (high - low) * (high - low);
    }
    return sqrt(sum);
}

static void a_preview_of_layered_rides_on_a_coarser_body_near_the_normal_skin(void **state)
{
    (void)state;
    PeltCharacter *who = arm();
    bool coarse;
    float *normal = play(who, "layered", "quality=normal", &coarse);
    assert_false(coarse);
    float *preview = play(who, "layered", "quality=preview", &coarse);
    assert_true(coarse);
    int count = pelt_character_info(who).point_count;
    double far = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += ((double)preview[3 * i + k] - (double)normal[3 * i + k]) *
                      ((double)preview[3 * i + k] - (double)normal[3 * i + k]);
        far = fmax(far, sqrt(square)), sum += sqrt(square);
    }
    double size = diagonal(normal, count);
    print_message("preview: %.5f of the size from normal in the mean, %.5f at most\n", sum / count / size, far / size);
    assert_true(far > 0 && sum / count < 1e-3 * size && far < 0.01 * size);
    free(normal), free(preview);
    pelt_character_destroy(who);
}

static void a_preview_of_others_keeps_the_skin_of_the_file(void **state)
{
    (void)state;
    PeltCharacter *who = arm();
    bool coarse;
    free(play(who, "projective", "quality=preview", &coarse));
    assert_false(coarse);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_preview_of_layered_rides_on_a_coarser_body_near_the_normal_skin),
                                       cmocka_unit_test(a_preview_of_others_keeps_the_skin_of_the_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
