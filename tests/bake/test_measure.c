/// One way to measure: a bake's report, the library frame by frame and a cache give the same numbers, beside the same lbs.
#define _XOPEN_SOURCE 700
#include "bake/measuring.h"
#include "folder.h"

#include <pelt/make.h>

#include <stdio.h>
#include <string.h>

static PeltCharacter *character(const char *name, int vertices)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    PeltMakeDef def = pelt_make_def_default();
    def.name = name;
    def.vertices = vertices;
    if (pelt_make_character(&def, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

static void same_quality(const PeltQuality *a, const PeltQuality *b)
{
    double x, y;
    const char *name;
    for (int i = 0; (name = pelt_quality_item(a, i, &x)); i++) {
        pelt_quality_item(b, i, &y);
        if (!(x == y || (isnan(x) && isnan(y))))
            fail_msg("%s: %.17g and %.17g", name, x, y);
    }
    assert_int_equal(a->frames, b->frames);
}

static PeltBakeResult bake(const PeltCharacter *who, const char *method, const char *cache, PeltBakeMeasure when)
{
    PeltError err = {0};
    PeltBakeResult result;
    PeltBakeDef def = pelt_bake_def_default();
    def.skin.method = method;
    def.clip = "bend";
    def.first_frame = 20;
    def.last_frame = 28;
    def.outputs = &cache;
    def.output_count = cache != NULL;
    def.measure = when;
    if (pelt_bake(&def, who, &result, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return result;
}

/// Measures a cache, which must give what its bake said.
static PeltMeasureResult as_baked(const PeltMeasureDef *def, const PeltCharacter *who, const PeltBakeResult *baked)
{
    PeltError err = {0};
    PeltMeasureResult measured;
    if (pelt_measure_cache(def, who, &measured, &err) != PELT_OK)
        fail_msg("%s", err.text);
    same_quality(&measured.quality, &baked->quality);
    same_quality(&measured.lbs, &baked->lbs_quality);
    return measured;
}

static void bake_frames_and_cache_say_the_same(void **state)
{
    (void)state;
    const char *path[2] = {at("a.pc2"), at("a.mdd")};
    PeltCharacter *who = character("arm", 2000);
    PeltError err = {0};
    for (int k = 0; k < 2; k++) {
        PeltBakeResult baked = bake(who, "dqs", path[k], PELT_BAKE_MEASURE_ALWAYS);
        assert_int_equal(baked.quality.frames, 9);
        assert_int_equal(baked.lbs_quality.frames, 9);
        PeltMeasureDef def = pelt_measure_def_default();
        def.cache_path = path[k];
        def.clip = "bend";
        PeltMeasureResult measured = as_baked(&def, who, &baked);
        def.first_frame = 0; // at other poses it is another thing
        assert_int_equal(pelt_measure_cache(&def, who, &measured, &err), PELT_OK);
        assert_true(measured.quality.flown > 2 * baked.quality.flown);
        def.first_frame = 1000;
        assert_int_equal(pelt_measure_cache(&def, who, &measured, &err), PELT_BAD_INPUT);
        assert_non_null(strstr(err.text, "--first"));
    }
    pelt_character_destroy(who);
}

/// Fingers that an object holds back are where the clip does not have them: lbs stands in the clip's pose all the same, in a bake
/// that knows the corrected pose as for a cache, which does not tell it.
static void among_objects_lbs_stays_in_the_pose_of_the_clip(void **state)
{
    (void)state;
    const char *examples = getenv("PELT_EXAMPLES"), *path = at("held.pc2"), *method[2] = {"lbs", "tracking"};
    char scene[500];
    if (!examples) {
        lacks("PELT_EXAMPLES does not say where the examples are");
        skip();
    }
    snprintf(scene, sizeof scene, "%s/scenes/grasp.json", examples);
    PeltCharacter *who = character("hand", 1200);
    PeltError err = {0};
    for (int k = 0; k < 2; k++) {
        PeltBakeDef def = pelt_bake_def_default();
        def.skin.method = method[k];
        def.clip = "grasp";
        def.scene_path = scene;
        def.last_frame = 30;
        def.outputs = &path, def.output_count = 1;
        def.measure = PELT_BAKE_MEASURE_ALWAYS;
        PeltBakeResult baked;
        if (pelt_bake(&def, who, &baked, &err) != PELT_OK)
            fail_msg("%s", err.text);
        PeltMeasureDef cache = pelt_measure_def_default();
        cache.cache_path = path;
        cache.clip = "grasp";
        PeltMeasureResult measured = as_baked(&cache, who, &baked);
        assert_true(baked.quality.flown > 0.02); // what the ball did is in it
        assert_int_equal(measured.verdict, baked.verdict);
        assert_non_null(strstr(baked.verdict_text, "without objects")); // a cache does not know of any
        assert_null(strstr(measured.verdict_text, "without objects"));
    }
    pelt_character_destroy(who);
}

/// Frame by frame as a host does it; lbs of a measure is `lbs` with the file's weights, whoever asks.
static void frames_of_your_own_say_the_same(void **state)
{
    (void)state;
    PeltCharacter *who = character("arm", 2000);
    PeltError err = {0};
    for (int k = 0; k < 2; k++) {
        const char *method = k ? "lbs" : "dqs";
        PeltBakeResult baked = bake(who, method, NULL, PELT_BAKE_MEASURE_ALWAYS);
        PeltMeasure *measure;
        PeltSkin *skin;
        PeltPose *pose;
        PeltSkinDef def = pelt_skin_def_default();
        const char *file_weights = "weights=file";
        def.method = method;
        def.settings = &file_weights;
        def.setting_count = k;
        assert_int_equal(pelt_measure_create(who, 1, &measure, &err), PELT_OK);
        assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_OK);
        assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
        PeltQuality worst = pelti_quality_none(), frame;
        for (int f = 20; f <= 28; f++) {
            pelt_pose_from_clip(pose, pelt_character_clip_find(who, "bend"), f / 30.0);
            pelt_skin_step(skin, pose, 1 / 30.0f, NULL);
            pelt_measure_frame(measure, pose, pelt_skin_positions(skin), &frame);
            pelti_quality_merge(&worst, &frame);
        }
        PeltQuality all = pelt_measure_quality(measure), lbs = pelt_measure_lbs_quality(measure);
        same_quality(&all, &baked.quality);
        same_quality(&lbs, &baked.lbs_quality);
        worst.loop_error = all.loop_error;
        same_quality(&worst, &all);
        if (k) { // lbs beside itself
            CHECK_NEAR(all.flown, 0, 0);
            assert_int_equal(lbs.deep_pairs, all.deep_pairs);
            assert_int_equal(pelt_measure_verdict(measure, NULL, 0), PELT_VERDICT_AS_GOOD);
        } else
            assert_true(all.flown > 0.001);
        pelt_measure_restart(measure);
        assert_int_equal(pelt_measure_quality(measure).frames, 0);
        pelt_measure_destroy(measure);
        pelt_skin_destroy(skin);
        pelt_pose_destroy(pose);
    }
    pelt_character_destroy(who);
}

/// What is told of lbs does not depend on whether it is the skin that is measured (then once is enough) or stands beside another.
static void lbs_is_told_the_same_beside_any_skin(void **state)
{
    (void)state;
    PeltCharacter *who = character("biped", 1500);
    PeltBakeResult by_lbs = bake(who, "lbs", NULL, PELT_BAKE_MEASURE_ALWAYS),
                   by_dqs = bake(who, "dqs", NULL, PELT_BAKE_MEASURE_ALWAYS);
    CHECK_NEAR(by_lbs.quality.flown, 0, 0); // it is lbs, to the last bit
    assert_true(by_lbs.quality.depth > 0 && by_lbs.quality.jitter_world > 0 && by_dqs.quality.flown > 0);
    same_quality(&by_lbs.lbs_quality, &by_dqs.lbs_quality);
    assert_true(isnan(by_lbs.lbs_quality.depth) && isnan(by_lbs.lbs_quality.jitter_world));
    assert_int_equal(by_lbs.lbs_quality.inside_vertices, -1);
    pelt_character_destroy(who);
}

static void a_bake_measures_when_asked(void **state)
{
    (void)state;
    PeltCharacter *who = character("cylinder", 500);
    assert_int_equal(bake(who, "lbs", NULL, PELT_BAKE_MEASURE_FOR_REPORT).quality.frames, 0); // no report
    assert_int_equal(bake(who, "lbs", NULL, PELT_BAKE_MEASURE_NEVER).quality.frames, 0);
    assert_int_equal(bake(who, "lbs", NULL, PELT_BAKE_MEASURE_ALWAYS).quality.frames, 9);
    pelt_character_destroy(who);
}

/// Closed forms: moved rigidly nothing stretches and every point is as far from lbs as it was moved; twice as large is a stretch
/// of 2.
static void maps_of_moved_and_scaled_points(void **state)
{
    (void)state;
    PeltCharacter *who = character("arm", 1500);
    PeltCharacterInfo info = pelt_character_info(who);
    PeltError err = {0};
    PeltMeasure *measure = NULL;
    PeltPose *pose = NULL;
    assert_int_equal(pelt_measure_create(who, 1, &measure, &err), PELT_OK);
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    const float *rest = pelt_character_rest(who);
    float *points = malloc((size_t)info.point_count * 3 * sizeof *points);
    for (int scale = 1; scale <= 2; scale++) {
        for (int i = 0; i < 3 * info.point_count; i++)
            points[i] = (float)scale * rest[i] + (i % 3 == 1 ? 0.25f * info.size : 0);
        pelt_measure_frame(measure, pose, points, NULL);
        const float *map = pelt_measure_map(measure, PELT_MEASURE_STRETCH);
        for (int p = 0; p < info.point_count; p++)
            assert_float_equal(map[p], scale, 1e-3);
        map = pelt_measure_map(measure, PELT_MEASURE_FROM_LBS);
        for (int p = 0; p < info.point_count && scale == 1; p++)
            assert_float_equal(map[p], 0.25, 1e-4);
        map = pelt_measure_map(measure, PELT_MEASURE_TOUCHING);
        for (int p = 0; p < info.point_count; p++)
            assert_float_equal(map[p], 0, 0);
    }
    free(points);
    pelt_pose_destroy(pose);
    pelt_measure_destroy(measure);
    pelt_character_destroy(who);
}

/// Where triangles cross, their corners are marked, and deep ones deeply; points inside have a depth.
static void maps_mark_what_the_measures_count(void **state)
{
    (void)state;
    PeltCharacter *who = character("biped", 2000);
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "lbs";
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    PeltMeasure *measure = NULL;
    assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_OK);
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    assert_int_equal(pelt_measure_create(who, 1, &measure, &err), PELT_OK);
    pelt_pose_from_clip(pose, pelt_character_clip_find(who, "bend"), 1);
    pelt_skin_step(skin, pose, 1.0f / 30, NULL);
    PeltQuality q;
    pelt_measure_frame(measure, pose, pelt_skin_positions(skin), &q);
    int count = pelt_character_info(who).point_count, marked = 0, deep = 0, inside = 0;
    float deepest = 0;
    const float *map = pelt_measure_map(measure, PELT_MEASURE_TOUCHING);
    for (int p = 0; p < count; p++)
        marked += map[p] > 0, deep += map[p] > 1;
    map = pelt_measure_map(measure, PELT_MEASURE_DEPTH);
    for (int p = 0; p < count; p++)
        inside += map[p] > 0, deepest = fmaxf(deepest, map[p]);
    assert_true(q.deep_pairs > 0 && deep > 0 && marked >= deep); // the crouch drives hands through thighs
    assert_int_equal(inside, q.inside_vertices);
    assert_float_equal(deepest, q.depth, 1e-6);
    map = pelt_measure_map(measure, PELT_MEASURE_FROM_LBS);
    for (int p = 0; p < count; p++)
        assert_float_equal(map[p], 0, 1e-6);
    pelt_measure_destroy(measure);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bake_frames_and_cache_say_the_same, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(among_objects_lbs_stays_in_the_pose_of_the_clip, make_folder, remove_folder),
        cmocka_unit_test(frames_of_your_own_say_the_same),
        cmocka_unit_test(lbs_is_told_the_same_beside_any_skin),
        cmocka_unit_test(a_bake_measures_when_asked),
        cmocka_unit_test(maps_of_moved_and_scaled_points),
        cmocka_unit_test(maps_mark_what_the_measures_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
