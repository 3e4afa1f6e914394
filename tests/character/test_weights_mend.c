/// Holes in the file's weights are bridged from the mesh around them, or go to the nearest bone.
#include "chain.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

/// A tube on two bones whose rows are told by `row`; bad ones are marked.
static PeltiCharacter *tube_with_rows(float (*row)(float x), bool (*is_bad)(float x))
{
    int n = make_tube(2, 0.3f, p, t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who = make_chain((ChainBones){2, 0, 1}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
    int *bone = PELTI_NEW(&who->pool, int, 2 * TUBE_POINTS);
    float *weight = PELTI_NEW(&who->pool, float, 2 * TUBE_POINTS);
    who->bad_rows.bad = PELTI_NEW(&who->pool, bool, TUBE_POINTS);
    for (int i = 0; i < TUBE_POINTS; i++) {
        float share = row(p[i].x);
        who->bad_rows.bad[i] = is_bad(p[i].x);
        bone[2 * i + 1] = who->bad_rows.bad[i] ? 0 : 1; // a placeholder: all on the first bone
        weight[2 * i] = who->bad_rows.bad[i] ? 1 : 1 - share;
        weight[2 * i + 1] = who->bad_rows.bad[i] ? 0 : share;
        who->bad_rows.absent += who->bad_rows.bad[i];
    }
    who->file_weights = (PeltiWeights){2, bone, weight};
    who->file_weights_sane = true;
    return who;
}

static float share_of_second(const PeltiCharacter *who, int point)
{
    float sum = 0;
    for (int k = 0; k < 2; k++)
        sum += who->file_weights.bone[2 * point + k] == 1 ? who->file_weights.weight[2 * point + k] : 0;
    return sum;
}

static float half(float x)
{
    (void)x;
    return 0.5f;
}
static float ramp(float x)
{
    return x / 2;
}
static bool in_the_middle(float x)
{
    return x > 0.9f && x < 1.1f;
}
static bool everywhere(float x)
{
    (void)x;
    return true;
}

static void a_hole_in_even_weights_takes_the_same(void **state)
{
    (void)state;
    PeltError err;
    PeltiCharacter *who = tube_with_rows(half, in_the_middle);
    assert_int_equal(pelti_weights_mend(who, &err), PELT_OK);
    assert_true(who->bad_rows.absent > 0);
    assert_int_equal(who->bad_rows.from_neighbours, who->bad_rows.absent);
    for (int i = 0; i < TUBE_POINTS; i++) {
        assert_false(who->bad_rows.bad[i]);
        CHECK_NEAR(share_of_second(who, i), 0.5, 1e-5);
    }
    pelti_character_destroy(who);
}

/// A harmonic ramp along the tube stays one: the mean of neighbours is the value between.
static void a_hole_in_a_ramp_is_bridged_between_its_ends(void **state)
{
    (void)state;
    PeltError err;
    PeltiCharacter *who = tube_with_rows(ramp, in_the_middle);
    assert_int_equal(pelti_weights_mend(who, &err), PELT_OK);
    for (int i = 0; i < TUBE_POINTS; i++)
        CHECK_NEAR(share_of_second(who, i), p[i].x / 2, in_the_middle(p[i].x) ? 0.02 : 1e-6);
    pelti_character_destroy(who);
}

static void without_a_good_row_the_nearest_bone_is_followed(void **state)
{
    (void)state;
    PeltError err;
    PeltiCharacter *who = tube_with_rows(half, everywhere);
    assert_int_equal(pelti_weights_mend(who, &err), PELT_OK);
    assert_int_equal(who->bad_rows.from_neighbours, 0);
    pelti_weights_mend_nearest(who);
    assert_int_equal(who->bad_rows.from_bone, TUBE_POINTS);
    for (int i = 0; i < TUBE_POINTS; i++)
        if (fabsf(p[i].x - 1) > 0.2f)
            assert_int_equal(who->file_weights.bone[2 * i], p[i].x > 1);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hole_in_even_weights_takes_the_same),
        cmocka_unit_test(a_hole_in_a_ramp_is_bridged_between_its_ends),
        cmocka_unit_test(without_a_good_row_the_nearest_bone_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
