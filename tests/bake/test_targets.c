/// Morph targets of the file, played under every method. The reference is a second file whose positions were moved by hand.
#include "tiny_gltf.h"
#include "check.h"

#include "math/vec.h"

#include <pelt/pelt.h>

typedef struct Played {
    unsigned char *bytes;
    PeltCharacter *who;
    PeltPose *pose;
    PeltSkin *skin;
} Played;

/// The end of "bend", from a standing start.
static Played play(TinyOptions options, const char *method)
{
    Played p = {0};
    PeltError err = {0};
    size_t size;
    p.bytes = tiny_glb(tiny_make(options), &size);
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    static const char *const small[] = {"body-vertices=300", "touch=off"};
    def.settings = small;
    def.setting_count = 2;
    if (pelt_character_load_memory(p.bytes, size, NULL, &p.who, &err) || pelt_pose_create(p.who, &p.pose, &err) ||
        pelt_skin_create(&def, p.who, &p.skin, &err))
        fail_msg("%s", err.text);
    pelt_pose_from_clip(p.pose, 0, 1);
    pelt_skin_step(p.skin, p.pose, 0, NULL);
    return p;
}

static Vec3 point(const Played *p, int i)
{
    const float *x = pelt_skin_positions(p->skin);
    return vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

static void end(Played *p)
{
    pelt_skin_destroy(p->skin);
    pelt_pose_destroy(p->pose);
    pelt_character_destroy(p->who);
    free(p->bytes);
}

static void blends_equal_a_file_whose_points_were_moved_by_hand(void **state)
{
    (void)state;
    static const char *const methods[] = {"lbs", "dqs"};
    for (int m = 0; m < 2; m++) {
        Played a = play((TinyOptions){.targets = true}, methods[m]), b = play((TinyOptions){.moved = true}, methods[m]);
        for (int i = 0; i < TINY_TUBE; i++)
            CHECK_NEAR(vec3_distance(point(&a, i), point(&b, i)), 0, 2e-6);
        for (int i = TINY_TUBE; i < TINY_POINTS; i++) { // the box: its node's weight makes it twice as large
            Vec3 middle = vec3(0, 0, 0);
            for (int k = TINY_TUBE; k < TINY_POINTS; k++)
                middle = vec3_mad(middle, point(&b, k), 1.0f / TINY_BOX);
            Vec3 expected = vec3_sub(vec3_scale(point(&b, i), 2), middle);
            CHECK_NEAR(vec3_distance(point(&a, i), expected), 0, 2e-6);
        }
        end(&a);
        end(&b);
    }
}

static void every_method_carries_the_targets(void **state)
{
    (void)state;
    for (int m = 0; m < pelt_method_count(); m++) {
        Played a = play((TinyOptions){.targets = true}, pelt_method_name(m)), b = play((TinyOptions){0}, pelt_method_name(m));
        for (int i = 0; i < TINY_TUBE; i++) {
            float wanted[3] = {0}, d[3];
            for (int t = 0; t < 2; t++) {
                tiny_offset(t, i, d);
                for (int k = 0; k < 3; k++)
                    wanted[k] += TINY_MORPH[t] * d[k];
            }
            float moved = vec3_distance(point(&a, i), point(&b, i)), length = vec3_length(vec3(wanted[0], wanted[1], wanted[2]));
            if (!strcmp(pelt_method_name(m), "lbs")) // which shrinks what it blends
                assert_true(moved <= length * 1.001f && moved >= 0.5f * length);
            else
                CHECK_NEAR(moved, length, 1e-4);
        }
        end(&a);
        end(&b);
    }
}

static void a_pose_without_the_clip_has_the_files_weights(void **state)
{
    (void)state;
    Played a = play((TinyOptions){.targets = true}, "lbs"), b = play((TinyOptions){0}, "lbs");
    pelt_pose_reset(a.pose);
    pelt_pose_reset(b.pose);
    pelt_skin_step(a.skin, a.pose, 0, NULL);
    pelt_skin_step(b.skin, b.pose, 0, NULL);
    for (int i = 0; i < TINY_TUBE; i++) { // "weights": [0.25, 0] of the mesh
        float d[3];
        tiny_offset(0, i, d);
        CHECK_NEAR(vec3_distance(point(&a, i), vec3_mad(point(&b, i), vec3(d[0], d[1], d[2]), 0.25f)), 0, 1e-6);
    }
    end(&a);
    end(&b);
}

static void a_pose_sets_weights_of_its_own(void **state)
{
    (void)state;
    Played a = play((TinyOptions){.targets = true}, "lbs"), b = play((TinyOptions){.moved = true}, "lbs");
    assert_int_equal(pelt_character_morph_count(a.who, 0), 2);
    assert_int_equal(pelt_character_morph_count(a.who, 1), 0);
    pelt_pose_reset(a.pose);
    pelt_pose_reset(b.pose);
    for (int t = 0; t < 2; t++)
        pelt_pose_set_morph(a.pose, 0, t, TINY_MORPH[t]);
    pelt_pose_set_morph(a.pose, 0, 2, 7);
    pelt_pose_set_morph(a.pose, 0, 0, NAN);
    CHECK_NEAR(pelt_pose_morph(a.pose, 0, 0), TINY_MORPH[0], 0);
    CHECK_NEAR(pelt_pose_morph(a.pose, 0, 2), 0, 0);
    pelt_skin_step(a.skin, a.pose, 0, NULL);
    pelt_skin_step(b.skin, b.pose, 0, NULL);
    for (int i = 0; i < TINY_TUBE; i++)
        CHECK_NEAR(vec3_distance(point(&a, i), point(&b, i)), 0, 2e-6);
    end(&a);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blends_equal_a_file_whose_points_were_moved_by_hand),
        cmocka_unit_test(every_method_carries_the_targets),
        cmocka_unit_test(a_pose_sets_weights_of_its_own),
        cmocka_unit_test(a_pose_without_the_clip_has_the_files_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
