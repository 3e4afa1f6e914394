/// --rig and --set joint.NAME.key through the library: what they change, what they refuse.
#include "check.h"

#include <pelt/tools.h>

#include <string.h>
#include <sys/stat.h>

static PeltCharacter *hand;

static int make(void **state)
{
    (void)state;
    PeltMakeDef def = pelt_make_def_default();
    def.name = "hand";
    def.vertices = TEST_WORK(1200, 500);
    return pelt_make_character(&def, &hand, NULL) != PELT_OK;
}

static int release(void **state)
{
    (void)state;
    pelt_character_destroy(hand);
    return 0;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/// Positions of the fist at one time; [point_count x 3], the caller frees.
static float *fist(const char *rig, const char *setting, PeltStatus want, PeltError *err)
{
    PeltSkinDef def = pelt_skin_def_default();
    PeltSkin *skin = NULL;
    def.method = "tracking";
    def.rig_path = rig;
    def.settings = &setting;
    def.setting_count = setting != NULL;
    def.threads = 1;
    PeltStatus status = pelt_skin_create(&def, hand, &skin, err);
    if (status != want)
        fail_msg("status %d: %s", (int)status, err->text);
    if (status != PELT_OK)
        return NULL;
    PeltCharacterInfo info = pelt_character_info(hand);
    PeltPose *pose = NULL;
    assert_int_equal(pelt_pose_create(hand, &pose, NULL), PELT_OK);
    pelt_pose_from_clip(pose, pelt_character_clip_find(hand, "fist"), 1.0);
    pelt_skin_step(skin, pose, 1.0f / 30, NULL);
    size_t bytes = sizeof(float) * 3 * (size_t)info.point_count;
    float *copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, pelt_skin_positions(skin), bytes);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    return copy;
}

static double apart(const float *a, const float *b)
{
    int count = pelt_character_info(hand).point_count;
    double most = 0;
    for (int i = 0; i < 3 * count; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most / 0.311; // of the hand's diagonal, about
}

static void a_setting_says_the_same_as_a_file(void **state)
{
    (void)state;
    PeltError err = {0};
    write_text("test_bake_rig.json", "{\"joints\": {\"IndexIntermediate\": {\"operator\": \"bulge\"}}}");
    float *plain = fist(NULL, NULL, PELT_OK, &err), *file = fist("test_bake_rig.json", NULL, PELT_OK, &err),
          *setting = fist(NULL, "joint.IndexIntermediate.operator=bulge", PELT_OK, &err);
    assert_true(apart(plain, file) > 1e-3);
    assert_true(apart(file, setting) == 0);
    remove("test_bake_rig.json");
    free(plain);
    free(file);
    free(setting);
}

static void operators_of_files_lie_beside_the_rig(void **state)
{
    (void)state;
    static const float curve[4][2] = {{0.5f, 0}, {0.5f, 0.1f}, {0.35f, 0.2f}, {0.3f, 0.3f}};
    PeltError err = {0};
    PeltOperator op;
    mkdir("test_bake_rig.d", 0755);
    assert_int_equal(pelt_operator_from_profile("fat", 4, curve, &op, NULL), PELT_OK);
    assert_int_equal(pelt_operator_save(&op, "test_bake_rig.d/fat.json", NULL), PELT_OK);
    write_text("test_bake_rig.d/rig.json", "{\"joints\": {\"IndexIntermediate\": {\"operator\": \"fat.json\"}}}");
    float *plain = fist(NULL, NULL, PELT_OK, &err), *fat = fist("test_bake_rig.d/rig.json", NULL, PELT_OK, &err);
    assert_true(apart(plain, fat) > 1e-3);
    remove("test_bake_rig.d/fat.json");
    fist("test_bake_rig.d/rig.json", NULL, PELT_IO, &err);
    assert_non_null(strstr(err.text, "fat.json"));
    remove("test_bake_rig.d/rig.json");
    rmdir("test_bake_rig.d");
    free(plain);
    free(fat);
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    PeltError err = {0};
    fist(NULL, "joint.IndexIntermediat.operator=bulge", PELT_BAD_ARGUMENT, &err);
    assert_non_null(strstr(err.text, "IndexIntermediate")); // suggests it
    write_text("test_bake_rig.json", "{\"regions\": [{\"name\": \"a\", \"bone\": \"Hand\", \"points\": [999999]}]}");
    fist("test_bake_rig.json", NULL, PELT_BAD_INPUT, &err);
    assert_non_null(strstr(err.text, "points"));
    write_text("test_bake_rig.json", "{\"joints\": {\"Hand\": {\"operator\": \"contact\", \"controller\": "
                                     "[[1,0],[2,0],[3,0],[4,0],[5,0],[6,0],[7,0],[8,0],[9,1]]}}}");
    fist("test_bake_rig.json", NULL, PELT_BAD_INPUT, &err);
    assert_non_null(strstr(err.text, "at most 8"));
    remove("test_bake_rig.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_says_the_same_as_a_file),
        cmocka_unit_test(operators_of_files_lie_beside_the_rig),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, make, release);
}
