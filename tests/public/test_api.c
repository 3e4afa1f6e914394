/// The library from outside: include/pelt only, on a character built from bytes.
#include "check.h"
#include "refusing.h"
#include "tiny.h"

#include <pelt/pelt.h>

#include <pthread.h>
#include <string.h>

static PeltCharacter *load(void)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    if (pelt_character_load_memory(tiny_glb(), tiny_glb_size(), NULL, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

/// The character is open, so flesh is solved on a body made from it: a small one makes as many allocations, and less work.
static const char *const SMALL[] = {"body-vertices=200"};

static PeltSkin *make_skin(const PeltCharacter *who, const char *method, PeltAllocator allocator)
{
    PeltSkin *skin = NULL;
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    def.settings = SMALL;
    def.setting_count = 1;
    def.threads = 2;
    def.allocator = allocator;
    if (pelt_skin_create(&def, who, &skin, &err) != PELT_OK)
        fail_msg("%s: %s", method, err.text);
    return skin;
}

static void the_header_and_the_library_are_of_one_version(void **state)
{
    (void)state;
    assert_string_equal(pelt_version(), PELT_VERSION_STRING);
    char numbers[32];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", PELT_VERSION_MAJOR, PELT_VERSION_MINOR, PELT_VERSION_PATCH);
    assert_string_equal(numbers, PELT_VERSION_STRING);
    assert_string_equal(PELT_CMAKE_VERSION, PELT_VERSION_STRING);
}

static void a_character_tells_what_it_holds(void **state)
{
    (void)state;
    PeltCharacter *who = load();
    PeltCharacterInfo info = pelt_character_info(who);
    assert_int_equal(info.point_count, TINY_POINTS);
    assert_int_equal(info.joint_count, 2);
    assert_int_equal(info.clip_count, 1);
    assert_true(info.weights_sane);
    assert_string_equal(pelt_character_clip_name(who, 0), "bend");
    assert_string_equal(pelt_character_clip_name(who, 1), "range"); // behind the counted ones
    assert_null(pelt_character_clip_name(who, 2));
    assert_int_equal(pelt_character_clip_find(who, "bend"), 0);
    assert_int_equal(pelt_character_clip_find(who, "0"), 0);
    assert_int_equal(pelt_character_clip_find(who, "walk"), -1);
    assert_int_equal(pelt_character_clip_frames(who, 0, 30), 31);
    assert_int_equal(pelt_character_node_find(who, "upper"), pelt_character_joint_node(who, 1));
    char *text = NULL;
    PeltError err;
    for (int json = 0; json < 2; json++) {
        assert_int_equal(pelt_inspect(who, json, &text, &err), PELT_OK);
        assert_non_null(strstr(text, "bend"));
        pelt_text_free(text);
    }
    pelt_character_destroy(who);
}

typedef struct Counting {
    int calls, live;
} Counting;

static void *counting_alloc(size_t bytes, void *user)
{
    Counting *c = user;
    c->calls++;
    c->live++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void counting_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    ((Counting *)user)->live--;
    free(memory);
}

static void no_method_allocates_in_a_step_and_all_give_back_what_they_took(void **state)
{
    (void)state;
    PeltCharacter *who = load();
    PeltPose *pose = NULL;
    assert_int_equal(pelt_pose_create(who, &pose, NULL), PELT_OK);
    for (int m = 0; m < pelt_method_count(); m++) {
        Counting counting = {0};
        PeltSkin *skin = make_skin(who, pelt_method_name(m), (PeltAllocator){counting_alloc, counting_free, &counting});
        int calls = counting.calls;
        for (int frame = 0; frame <= 30; frame++) {
            PeltStepInfo info;
            pelt_pose_from_clip(pose, 0, frame / 30.0);
            pelt_skin_step(skin, pose, 1.0f / 30, &info);
            assert_int_equal(info.nonfinite, 0);
        }
        pelt_skin_normals(skin);
        if (counting.calls != calls)
            fail_msg("%s allocated %d times in its steps", pelt_method_name(m), counting.calls - calls);
        pelt_skin_destroy(skin);
        assert_int_equal(counting.live, 0);
    }
    pelt_pose_destroy(pose);
    pelt_character_destroy(who);
}

static PeltStatus create(const PeltAllocator *allocator, const void *method, PeltError *err)
{
    PeltCharacter *who = NULL;
    PeltSkin *skin = NULL;
    PeltStatus status = pelt_character_load_memory(tiny_glb(), tiny_glb_size(), allocator, &who, err);
    if (status == PELT_OK) {
        PeltSkinDef def = pelt_skin_def_default();
        def.settings = SMALL;
        def.setting_count = 1;
        def.method = method;
        def.threads = 1;
        def.allocator = *allocator;
        status = pelt_skin_create(&def, who, &skin, err);
    }
    assert_true((status == PELT_OK) == (skin != NULL));
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
    return status;
}

static void every_refused_allocation_fails_cleanly(void **state)
{
    (void)state;
    static Places places; // of all methods: what reading asks for is refused once, with the first
    for (int m = 0; m < pelt_method_count(); m++)
        assert_in_range(refuse_each_place(create, pelt_method_name(m), &places), m ? 1 : 10, 4096);
}

static void a_misspelt_method_option_or_clip_is_the_callers_mistake(void **state)
{
    (void)state;
    PeltCharacter *who = load();
    PeltError err;
    PeltSkin *skin;
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "magic";
    assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "lbs"));
    const char *settings[] = {"weigths=file"};
    def.method = "lbs";
    def.settings = settings;
    def.setting_count = 1;
    assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "did you mean 'weights'"));
    PeltBakeDef bake = pelt_bake_def_default();
    bake.skin.method = "lbs";
    bake.clip = "walk";
    assert_int_equal(pelt_bake(&bake, who, NULL, &err), PELT_BAD_ARGUMENT);
    bake.clip = NULL;
    bake.first_frame = 5;
    bake.last_frame = 31;
    assert_int_equal(pelt_bake(&bake, who, NULL, &err), PELT_BAD_ARGUMENT);
    bake.last_frame = 30;
    PeltBakeResult result;
    assert_int_equal(pelt_bake(&bake, who, &result, &err), PELT_OK);
    assert_int_equal(result.frames, 26);
    pelt_character_destroy(who);
}

typedef struct Racer {
    const PeltCharacter *who;
    float last[3 * TINY_POINTS];
} Racer;

static void *race(void *user)
{
    Racer *racer = user;
    PeltPose *pose = NULL;
    PeltSkin *skin = make_skin(racer->who, "dqs", (PeltAllocator){0});
    if (pelt_pose_create(racer->who, &pose, NULL) == PELT_OK)
        for (int frame = 0; frame <= 20; frame++) {
            pelt_pose_from_clip(pose, 0, frame / 30.0);
            pelt_skin_step(skin, pose, 1.0f / 30, NULL);
        }
    memcpy(racer->last, pelt_skin_positions(skin), sizeof racer->last);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    return NULL;
}

static void skins_of_one_character_run_side_by_side(void **state)
{
    (void)state;
    PeltCharacter *who = load();
    static Racer racers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        racers[i].who = who;
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_memory_equal(racers[i].last, racers[0].last, sizeof racers[0].last);
    }
    pelt_character_destroy(who);
}

static int cancel_at_half(const char *stage, double share, void *user)
{
    (void)user;
    return !strcmp(stage, "bake") && share >= 0.5;
}

static void a_cancelled_bake_leaves_no_file(void **state)
{
    (void)state;
    PeltCharacter *who = load();
    PeltError err;
    const char *outputs[] = {"cancelled.pc2", "cancelled.glb"};
    PeltBakeDef def = pelt_bake_def_default();
    def.skin.method = "lbs";
    def.skin.progress = cancel_at_half;
    def.outputs = outputs;
    def.output_count = 2;
    assert_int_equal(pelt_bake(&def, who, NULL, &err), PELT_FAILED);
    assert_int_not_equal(access(outputs[0], F_OK), 0);
    assert_int_not_equal(access(outputs[1], F_OK), 0);
    def.skin.progress = NULL;
    assert_int_equal(pelt_bake(&def, who, NULL, &err), PELT_OK);
    assert_int_equal(access(outputs[0], F_OK), 0);
    assert_int_equal(access(outputs[1], F_OK), 0);
    unlink(outputs[0]);
    unlink(outputs[1]);
    pelt_character_destroy(who);
}

static void normals_turn_with_the_surface(void **state)
{
    (void)state;
    PeltCharacter *who = load();
    PeltSkin *skin = make_skin(who, "lbs", (PeltAllocator){0});
    PeltPose *pose = NULL;
    assert_int_equal(pelt_pose_create(who, &pose, NULL), PELT_OK);
    int root = pelt_character_node_find(who, "root");
    pelt_pose_from_clip(pose, 0, 0);
    pelt_skin_step(skin, pose, 0, NULL);
    float before[3 * TINY_POINTS];
    memcpy(before, pelt_skin_normals(skin), sizeof before);
    PeltTransform turn = pelt_pose_get(pose, root);
    const float half = 0.70710678f;
    memcpy(turn.rotation, (float[4]){0, 0, half, half}, sizeof turn.rotation); // x -> y, y -> -x
    pelt_pose_set(pose, root, turn);
    pelt_skin_step(skin, pose, 0, NULL);
    const float *after = pelt_skin_normals(skin);
    for (int p = 0; p < TINY_POINTS; p++) {
        CHECK_NEAR(after[3 * p], -before[3 * p + 1], 1e-5);
        CHECK_NEAR(after[3 * p + 1], before[3 * p], 1e-5);
        CHECK_NEAR(after[3 * p + 2], before[3 * p + 2], 1e-5);
    }
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
}

/// Of the last frame: how many stages say what they took, and what they took together, ms.
static int stages_of(const PeltStepInfo *info, double *sum)
{
    int count = 0;
    for (int k = 0; k < info->stat_count; k++) {
        const char *end = strstr(info->stats[k].name, "_ms");
        if (!end || end[3] || strstr(info->stats[k].name, "most") || strstr(info->stats[k].name, "best"))
            continue;
        assert_true(info->stats[k].value >= 0);
        *sum += info->stats[k].value * (strstr(info->stats[k].name, "_step_ms") ? info->substeps : 1);
        count++;
    }
    return count;
}

static void methods_that_take_time_say_where_it_goes(void **state)
{
    (void)state;
    const char *const methods[] = {"implicit", "tracking", "projective", "layered"};
    PeltCharacter *who = load();
    PeltPose *pose = NULL;
    assert_int_equal(pelt_pose_create(who, &pose, NULL), PELT_OK);
    for (int m = 0; m < 4; m++) {
        PeltSkin *skin = make_skin(who, methods[m], (PeltAllocator){0});
        PeltStepInfo info;
        for (int frame = 0; frame <= 2; frame++) {
            pelt_pose_from_clip(pose, 0, frame / 30.0);
            pelt_skin_step(skin, pose, 1.0f / 30, &info);
        }
        double sum = 0;
        int stages = stages_of(&info, &sum);
        if (stages < 3 || !(sum > 0))
            fail_msg("%s: %d stages, %g ms", methods[m], stages, sum);
        pelt_skin_destroy(skin);
    }
    pelt_pose_destroy(pose);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_and_the_library_are_of_one_version),
        cmocka_unit_test(a_character_tells_what_it_holds),
        cmocka_unit_test(no_method_allocates_in_a_step_and_all_give_back_what_they_took),
        cmocka_unit_test(every_refused_allocation_fails_cleanly),
        cmocka_unit_test(a_misspelt_method_option_or_clip_is_the_callers_mistake),
        cmocka_unit_test(skins_of_one_character_run_side_by_side),
        cmocka_unit_test(a_cancelled_bake_leaves_no_file),
        cmocka_unit_test(normals_turn_with_the_surface),
        cmocka_unit_test(methods_that_take_time_say_where_it_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
