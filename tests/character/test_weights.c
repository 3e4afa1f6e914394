/// Rows of weights: split points are averaged, and what has none goes with its nearest bone.
#include "chain.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

static void rigid_weights_take_the_nearest_bone(void **state)
{
    (void)state;
    int n = make_tube(4, 0.4f, p, t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who = make_chain((ChainBones){2, 0, 1.9f}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
    PeltiWeights w = {0};
    PeltError err;
    assert_int_equal(pelti_weights_rigid(who, &who->pool, &w, &err), PELT_OK);
    check_sane(who, &w);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        CHECK_NEAR(weight_of(&w, v, who->mesh->rest[v].x > 1.9f), 1, 0);
    pelti_character_destroy(who);
}

static void file_weights_of_split_points_are_averaged(void **state)
{
    (void)state;
    int n = make_tube(4, 0.4f, p, t, 0), points[] = {TUBE_POINTS};
    p[1] = p[0]; // one vertex, two points
    PeltiCharacter *who = make_chain((ChainBones){6, 0, 0.5f}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
    int *bone = PELTI_NEW(&who->pool, int, TUBE_POINTS * 4);
    float *weight = PELTI_NEW(&who->pool, float, TUBE_POINTS * 4);
    for (int i = 2; i < TUBE_POINTS; i++) {
        bone[i * 4] = i % 6;
        weight[i * 4] = 1;
    }
    memcpy(bone, (int[]){0, 1, 2, 0, 3, 4, 5, 1}, 8 * sizeof(int)); // bone 1 in both, six bones together: two are lost
    memcpy(weight, (float[]){0.5f, 0.3f, 0.2f, 0, 0.4f, 0.3f, 0.15f, 0.15f}, 8 * sizeof(float));
    PeltiWeights w = {0};
    PeltError err = {0};
    assert_int_equal(pelti_weights_from_file(who, &who->pool, &w, &err), PELT_BAD_ARGUMENT);
    who->file_weights = (PeltiWeights){4, bone, weight};
    assert_int_equal(pelti_weights_from_file(who, &who->pool, &w, &err), PELT_OK);
    check_sane(who, &w);
    float kept = 0.5f + 0.45f + 0.4f + 0.3f;
    CHECK_NEAR(weight_of(&w, 0, 0), 0.5f / kept, 1e-6);
    CHECK_NEAR(weight_of(&w, 0, 1), 0.45f / kept, 1e-6);
    CHECK_NEAR(weight_of(&w, 0, 3), 0.4f / kept, 1e-6);
    CHECK_NEAR(weight_of(&w, 0, 4), 0.3f / kept, 1e-6);
    CHECK_NEAR(weight_of(&w, who->mesh->weld[20], 20 % 6), 1, 0);
    pelti_character_destroy(who);
}

static void an_unweighted_vertex_falls_to_its_nearest_bone(void **state)
{
    (void)state;
    int n = make_tube(4, 0.4f, p, t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who = make_chain((ChainBones){3, 0, 1.5f}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
    who->file_weights =
        (PeltiWeights){4, PELTI_NEW(&who->pool, int, TUBE_POINTS * 4), PELTI_NEW(&who->pool, float, TUBE_POINTS * 4)};
    PeltiWeights w = {0};
    PeltError err = {0};
    assert_int_equal(pelti_weights_from_file(who, &who->pool, &w, &err), PELT_OK);
    check_sane(who, &w);
    CHECK_NEAR(weight_of(&w, who->mesh->weld[TUBE_POINTS - 1], 2), 1, 0);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_weights_take_the_nearest_bone),
        cmocka_unit_test(file_weights_of_split_points_are_averaged),
        cmocka_unit_test(an_unweighted_vertex_falls_to_its_nearest_bone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
