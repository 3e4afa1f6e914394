/// A real character of three rings: methods that need vertices between the joints get them.
#include "check.h"

#include <pelt/pelt.h>

#include <stdlib.h>

/// Largest distance between two methods' points in the middle of the first clip, as a share of the rest size.
static double farthest(const PeltCharacter *who, const char *method, const char *setting, int *warnings)
{
    PeltError err = {0};
    const char *names[2] = {"lbs", method};
    PeltSkin *skins[2] = {0};
    PeltPose *pose = NULL;
    PeltCharacterInfo info = pelt_character_info(who);
    double worst = 0;
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    for (int s = 0; s < 2; s++) {
        PeltSkinDef def = pelt_skin_def_default();
        def.method = names[s];
        def.settings = &setting;
        def.setting_count = 1;
        def.threads = 1;
        if (pelt_skin_create(&def, who, &skins[s], &err) != PELT_OK)
            fail_msg("%s: %s", names[s], err.text);
        for (int f = 0; f <= 30; f++) {
            pelt_pose_from_clip(pose, 0, f / 30.0);
            pelt_skin_step(skins[s], pose, f ? 1 / 30.0f : 0, NULL);
        }
    }
    const float *a = pelt_skin_positions(skins[0]), *b = pelt_skin_positions(skins[1]);
    for (int p = 0; p < info.point_count; p++)
        worst = fmax(worst, hypot(hypot((double)(a[3 * p] - b[3 * p]), (double)(a[3 * p + 1] - b[3 * p + 1])),
                                  (double)(a[3 * p + 2] - b[3 * p + 2])));
    *warnings = pelt_skin_warning_count(skins[1]);
    for (int s = 0; s < 2; s++)
        pelt_skin_destroy(skins[s]);
    pelt_pose_destroy(pose);
    return worst / info.size;
}

static void coarse_skin_follows_its_bones(void **state)
{
    (void)state;
    const char *path = shared_file("RiggedSimple.glb"), *methods[] = {"tracking", "projective"};
    PeltCharacter *who = NULL;
    PeltError err = {0};
    if (!path)
        skip();
    assert_int_equal(pelt_character_load(path, NULL, &who, &err), PELT_OK);
    for (int m = 0; m < 2; m++) {
        int said, quiet;
        double fine = farthest(who, methods[m], "refine=auto", &said), coarse = farthest(who, methods[m], "refine=off", &quiet);
        print_message("%s: %.3f of the size from lbs refined, %.3f not\n", methods[m], fine, coarse);
        assert_true(fine < 0.06);
        assert_true(m > 0 || fine < coarse); // tracking shears the long triangles
        assert_true(said > 0);               // the user is told
    }
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coarse_skin_follows_its_bones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
