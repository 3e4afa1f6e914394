/// Pieces painted to one bone stay rigid by every method: buttons, eyes, a stick in the hand.
#include "check.h"

#include "bake/objects.h"

#include <pelt/tools.h>

#include <math.h>
#include <string.h>

enum { FRAMES = TEST_WORK(3, 1) };

/// Pieces with all weight of all their points on one bone: -1 for others, else that bone. `bone` [component_count].
static int find_rigid(const PeltiCharacter *who, int *bone)
{
    const PeltiWeights *w = &who->file_weights;
    int count = 0;
    for (int c = 0; c < who->mesh->component_count; c++)
        bone[c] = -2;
    for (int p = 0; p < who->point_count; p++) {
        int c = who->mesh->component[who->mesh->weld[p]], first = w->bone[(size_t)p * (size_t)w->influences];
        bool one = w->weight[(size_t)p * (size_t)w->influences] > 0.99999f && (bone[c] == -2 || bone[c] == first);
        bone[c] = one ? first : -1;
    }
    for (int c = 0; c < who->mesh->component_count; c++)
        count += bone[c] >= 0;
    return count;
}

/// Largest change of a distance between two points of a rigid piece: every point and up to four of the piece, spread over it.
static float bent(const PeltiCharacter *who, const int *bone, const float *x, const float *by_bone)
{
    float worst = 0;
    int *first = calloc((size_t)who->mesh->component_count * 4, sizeof *first),
        *known = calloc((size_t)who->mesh->component_count, sizeof *known);
    for (int p = 0; p < who->point_count; p++) {
        int c = who->mesh->component[who->mesh->weld[p]];
        if (bone[c] < 0)
            continue;
        for (int k = 0; k < known[c]; k++) {
            const float *a = x + 3 * p, *b = x + 3 * first[4 * c + k], *d = by_bone + 3 * p, *e = by_bone + 3 * first[4 * c + k];
            float is = vec3_distance(vec3(a[0], a[1], a[2]), vec3(b[0], b[1], b[2]));
            float should = vec3_distance(vec3(d[0], d[1], d[2]), vec3(e[0], e[1], e[2]));
            worst = fmaxf(worst, fabsf(is - should));
        }
        if (known[c] < 4 && (known[c] == 0 || p % 7 == 0))
            first[4 * c + known[c]++] = p;
    }
    free(first);
    free(known);
    return worst;
}

static PeltSkin *skin_of(const PeltCharacter *who, const char *method)
{
    const char *settings[] = {"body-vertices=1500"};
    PeltSkinDef def = pelt_skin_def_default();
    PeltError err;
    PeltSkin *skin;
    def.method = method;
    def.threads = 1;
    def.settings = settings;
    def.setting_count = strcmp(method, "lbs") && strcmp(method, "dqs") ? 1 : 0;
    if (pelt_skin_create(&def, who, &skin, &err) != PELT_OK)
        fail_msg("%s: %s", method, err.text);
    return skin;
}

static void check_rigid(const PeltCharacter *who, int clip, int least)
{
    PeltError err;
    PeltPose *pose;
    int *bone = calloc((size_t)who->who->mesh->component_count, sizeof *bone);
    assert_true(find_rigid(who->who, bone) >= least);
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    for (int m = 0; m < pelt_method_count(); m++) {
        PeltSkin *skin = skin_of(who, pelt_method_name(m)), *by_bone = skin_of(who, "lbs");
        float worst = 0;
        for (int f = 0; f < FRAMES; f++) {
            pelt_pose_from_clip(pose, clip, pelt_character_clip_seconds(who, clip) * (f + 1) / (FRAMES + 1));
            pelt_skin_step(by_bone, pose, 1 / 30.0f, NULL);
            pelt_skin_step(skin, pose, 1 / 30.0f, NULL);
            worst = fmaxf(worst, bent(who->who, bone, pelt_skin_positions(skin), pelt_skin_positions(by_bone)));
        }
        assert_true(worst < 1e-5f * who->who->mesh->diagonal);
        pelt_skin_destroy(skin);
        pelt_skin_destroy(by_bone);
    }
    pelt_pose_destroy(pose);
    free(bone);
}

static void what_a_random_character_wears_stays_rigid(void **state)
{
    (void)state;
    PeltMakeDef def = pelt_make_def_default();
    PeltCharacter *who;
    PeltError err;
    def.name = "biped";
    def.seed = 12;
    def.vertices = 1000;
    def.dress = "all";
    def.weights = "smooth";
    def.clip = "random";
    def.threads = 1;
    assert_int_equal(pelt_make_character(&def, &who, &err), PELT_OK);
    check_rigid(who, 0, 4);
    pelt_character_destroy(who);
}

static void what_a_file_wears_stays_rigid(void **state)
{
    (void)state;
    PeltCharacter *who;
    PeltError err;
    const char *path = shared_file("corpus/Q-Bee.glb");
    if (!path)
        skip();
    OK(pelt_character_load(path, NULL, &who, &err));
    check_rigid(who, 0, 1);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_random_character_wears_stays_rigid),
        cmocka_unit_test(what_a_file_wears_stays_rigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
