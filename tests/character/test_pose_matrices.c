/// A pose comes back from its world matrices.
#include "check.h"

#include "builtin/builtin.h"

/// World matrices of a clip's pose, handed back, make the same pose: also where a parent is not given.
static void a_pose_comes_back_from_its_world_matrices(void **state)
{
    (void)state;
    PeltiCharacter *who;
    PeltiBuiltinOptions options = {.vertices = 500};
    assert_int_equal(pelti_builtin_make("hand", &options, NULL, NULL, &who, NULL), PELT_OK);
    PeltiPool *pool = &who->pool;
    PeltiPose pose = pelti_pose_new(pool, who), back = pelti_pose_new(pool, who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, who->node_count),
                    *again = PELTI_NEW(pool, PeltiNodeMatrix, who->node_count);
    Mat34 *bones = PELTI_NEW(pool, Mat34, who->bone_count), *given = PELTI_NEW(pool, Mat34, who->node_count);
    int *joint = PELTI_NEW(pool, int, who->node_count);
    pelti_pose_file(who, &pose);
    pelti_pose_file(who, &back);
    const PeltiClip *range = &who->clips[who->clip_count];
    pelti_pose_clip(who, range, 0.45 * (double)range->duration_s, &pose);
    pelti_pose_bones(who, &pose, node_matrix, bones);
    for (int n = 0; n < who->node_count; n++) {
        joint[n] = n;
        for (int i = 0; i < 12; i++)
            (&given[n].m[0][0])[i] = (float)(&node_matrix[n].m[0][0])[i];
    }
    CHECK_NEAR(pelti_pose_from_matrices(who, joint, given, again, &back), 0, 1e-5);
    pelti_pose_bones(who, &back, again, bones);
    for (int n = 0; n < who->node_count; n++)
        for (int i = 0; i < 12; i++)
            CHECK_NEAR((&again[n].m[0][0])[i], (&node_matrix[n].m[0][0])[i], 1e-5);
    // a matrix that is none leaves its node as it is, and says nothing of it
    int last = who->bones[who->bone_count - 1].node;
    Trs before = back.local[last];
    given[last].m[0][0] = NAN;
    CHECK_NEAR(pelti_pose_from_matrices(who, joint, given, again, &back), 0, 1e-5);
    assert_memory_equal(&before, &back.local[last], sizeof before);
    // a shear is what a transform cannot be: said by how much
    given[last] = mat34_identity();
    given[last].m[0][1] = 0.5f;
    assert_true(pelti_pose_from_matrices(who, joint, given, again, &back) > 0.05f);
    pelti_character_destroy(who);
}

/// A rate that is no number, or none that a clip is read at, is one frame; a huge one has a bound that is an int.
static void a_clip_has_frames_at_any_rate(void **state)
{
    (void)state;
    const PeltiClip clip = {.duration_s = 2}, still = {.duration_s = 0};
    assert_int_equal(pelti_clip_frames(&clip, 30), 61);
    assert_int_equal(pelti_clip_frames(&clip, 0), 1);
    assert_int_equal(pelti_clip_frames(&clip, -30), 1);
    assert_int_equal(pelti_clip_frames(&clip, (double)NAN), 1);
    assert_int_equal(pelti_clip_frames(&clip, (double)-INFINITY), 1);
    assert_int_equal(pelti_clip_frames(&clip, (double)INFINITY), 100000000);
    assert_int_equal(pelti_clip_frames(&still, (double)INFINITY), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pose_comes_back_from_its_world_matrices),
                                       cmocka_unit_test(a_clip_has_frames_at_any_rate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
