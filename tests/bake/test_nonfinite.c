/// A vertex that is no number follows its bone, is counted, and the method starts anew.
#include "check.h"

#include "bake/objects.h"

#include <pelt/make.h>

#include <string.h>

/// Breaks what a method makes: vertex 7 of what it writes is no number, in the one step that is to fail.
static const PeltiMethod *whole;
static bool fails, was_restarted;

static void broken_step(void *state, const PeltiStepInput *in, Vec3 *positions, PeltiStepReport *report)
{
    whole->step(state, in, positions, report);
    was_restarted = in->restart;
    if (fails)
        positions[7].y = NAN;
}

static PeltSkin *skin_of(const PeltCharacter *who, const char *method)
{
    PeltSkin *skin;
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    def.threads = 1;
    if (pelt_skin_create(&def, who, &skin, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return skin;
}

static void what_is_no_number_follows_its_bone_and_the_method_starts_anew(void **state)
{
    (void)state;
    static const char *const methods[] = {"lbs", "tracking", "layered", "projective"};
    PeltMakeDef make = pelt_make_def_default();
    make.name = "cylinder";
    make.vertices = 500;
    PeltCharacter *who;
    PeltError err = {0};
    if (pelt_make_character(&make, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    PeltPose *pose;
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    for (int m = 0; m < 4; m++) {
        PeltSkin *skin = skin_of(who, methods[m]);
        PeltiMethod broken = *skin->method;
        PeltStepInfo info;
        whole = skin->method;
        broken.step = broken_step;
        skin->method = &broken;
        for (int f = 0; f < 4; f++) {
            fails = f == 1;
            pelt_pose_from_clip(pose, 0, f / 30.0);
            pelt_skin_step(skin, pose, 1 / 30.0f, &info);
            assert_int_equal(info.nonfinite, fails ? 1 : 0);
            assert_int_equal(was_restarted, f == 0 || f == 2);
            for (int p = 0; p < who->who->point_count; p++)
                assert_true(vec3_finite(skin->shown.points[p]));
            if (!fails)
                continue;
            int v = skin->shown.by_point ? who->who->mesh->weld[7] : 7,
                bone = skin->weights.vertices.bone[v * skin->weights.vertices.influences];
            Vec3 rigid = mat34_apply(skin->posed.bones[bone], who->who->mesh->rest[v]);
            CHECK_NEAR(vec3_distance(skin->shown.shape[7], rigid), 0, 1e-2);
        }
        skin->method = whole;
        pelt_skin_destroy(skin);
    }
    pelt_pose_destroy(pose);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_no_number_follows_its_bone_and_the_method_starts_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
