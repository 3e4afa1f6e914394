/// A vertex that is no number follows its bone, is counted, and the method starts anew.
#include "check.h"

#include "bake/objects.h"

#include <pelt/make.h>
#include <pelt/world.h>

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

static PeltCharacter *cylinder(void)
{
    PeltMakeDef make = pelt_make_def_default();
    make.name = "cylinder";
    make.vertices = 500;
    PeltCharacter *who;
    PeltError err = {0};
    if (pelt_make_character(&make, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

static PeltSkin *skin_of(const PeltCharacter *who, const char *method, const char *setting)
{
    PeltSkin *skin;
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    def.threads = 1;
    def.settings = &setting;
    def.setting_count = setting != NULL;
    if (pelt_skin_create(&def, who, &skin, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return skin;
}

static void what_is_no_number_follows_its_bone_and_the_method_starts_anew(void **state)
{
    (void)state;
    static const char *const methods[] = {"lbs", "tracking", "layered", "projective"};
    PeltCharacter *who = cylinder();
    PeltError err = {0};
    PeltPose *pose;
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    for (int m = 0; m < 4; m++) {
        PeltSkin *skin = skin_of(who, methods[m], NULL);
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

/// Two anchors of one point, each by as much as a float holds: their sum is no number.
static int pull_too_far(PeltSkin *skin)
{
    PeltError err = {0};
    const float far[3] = {3e38f, 0, 0};
    for (int k = 0; k < 2; k++) {
        int anchor;
        assert_int_equal(pelt_skin_anchor_add(skin, 7, 0, &anchor, &err), PELT_OK);
        pelt_skin_anchor_pull(skin, anchor, far, 1);
    }
    return skin->character->who->mesh->weld[7];
}

static void assert_all_finite(PeltSkin *skin)
{
    for (int p = 0; p < skin->character->who->point_count; p++)
        assert_true(vec3_finite(skin->shown.points[p]));
    const Vec3 *vertices = pelti_skin_vertices(skin);
    for (int v = 0; v < skin->character->who->mesh->vertex_count; v++)
        assert_true(vec3_finite(vertices[v]));
}

/// Whatever stages follow: none, objects, the last word, both.
static void nothing_else_is_shown_in_any_configuration(void **state)
{
    (void)state;
    static const struct {
        const char *method, *setting;
        bool touch, by_point;
    } tries[] = {{"lbs", "weights=file", false, true},
                 {"lbs", "weights=auto", false, false},
                 {"tracking", "touch=off", false, false},
                 {"tracking", NULL, true, false},
                 {"layered", NULL, true, false}};
    PeltCharacter *who = cylinder();
    PeltError err = {0};
    PeltPose *pose;
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    PeltSceneObject ball = pelt_scene_object_default();
    ball.name = "ball", ball.shape = PELT_SHAPE_SPHERE, ball.kind = PELT_OBJECT_FIXED, ball.size[0] = 0.1f, ball.position[1] = 9;
    PeltScene scene = pelt_scene_default();
    scene.objects = &ball, scene.object_count = 1;
    for (size_t k = 0; k < 2 * sizeof tries / sizeof *tries; k++) {
        bool among = k % 2;
        PeltSkin *skin = skin_of(who, tries[k / 2].method, tries[k / 2].setting);
        assert_int_equal(skin->mends.touch != NULL, tries[k / 2].touch);
        assert_int_equal(skin->shown.by_point, tries[k / 2].by_point);
        PeltWorldDef def = pelt_world_def_default();
        PeltWorld *world = NULL;
        def.scene = &scene, def.skins = &skin, def.skin_count = 1;
        if (among)
            assert_int_equal(pelt_world_create(&def, &world, &err), PELT_OK);
        int v = pull_too_far(skin);
        PeltStepInfo info = {.nonfinite = 1};
        pelt_pose_from_clip(pose, 0, 0);
        if (among)
            pelt_world_step(world, (const PeltPose *const[]){pose}, 1 / 30.0f, NULL);
        else
            pelt_skin_step(skin, pose, 1 / 30.0f, &info);
        assert_int_equal(info.nonfinite, 1);
        assert_true(skin->clock.restart);
        assert_all_finite(skin);
        int bone = skin->weights.vertices.bone[v * skin->weights.vertices.influences];
        Vec3 rigid = mat34_apply(skin->posed.bones[bone], who->who->mesh->rest[v]);
        CHECK_NEAR(vec3_distance(pelti_skin_vertices(skin)[v], rigid), 0, 1e-2);
        pelt_world_destroy(world);
        pelt_skin_destroy(skin);
    }
    pelt_pose_destroy(pose);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_no_number_follows_its_bone_and_the_method_starts_anew),
                                       cmocka_unit_test(nothing_else_is_shown_in_any_configuration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
