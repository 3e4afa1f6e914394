/// Bones derived from nodes come parents first, a cycle is refused, and distances to a segment end at its ends.
#include "chain.h"

#include "character/skeleton.h"

static PeltiCharacter *chain_of(int bones)
{
    Vec3 p[1] = {{0, 0, 0}};
    int points[] = {1}, none[1][3] = {{0, 0, 0}};
    return make_chain((ChainBones){bones, 1, 2}, 1, points, (ChainSkin){1, p, 0, (const int(*)[3])none});
}

static void a_chain_is_one_skeleton_parents_first(void **state)
{
    (void)state;
    PeltiCharacter *who = chain_of(4);
    bool seen[8] = {false};
    for (int k = 0; k < who->node_count; k++) {
        int n = who->node_order[k];
        assert_true(who->nodes[n].parent < 0 || seen[who->nodes[n].parent]);
        seen[n] = true;
    }
    for (int b = 0; b < 4; b++) {
        assert_true(seen[b]);
        assert_int_equal(who->bones[b].parent, b - 1);
        assert_int_equal(who->bones[b].skeleton, 0);
        CHECK_NEAR(who->bones[b].head.x, 1 + 2 * b, 1e-6);
        for (int s = 0; b < 3 && s < who->bones[b].segment_count; s++) {
            const PeltiSkeletonSegment *segment = &who->segments[who->bones[b].segment_first + s];
            assert_int_equal(segment->child, b + 1);
            CHECK_NEAR(vec3_distance(segment->a, segment->b), 2, 1e-6);
        }
    }
    bool moves[4] = {false, false, true, false};
    pelti_skeleton_moves(who, moves);
    assert_true(moves[0] && moves[1] && moves[2] && !moves[3]);
    pelti_character_destroy(who);
}

static void bones_by_depth_come_parents_first_and_as_they_are_numbered(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    PeltiCharacter *who = chain_of(6);
    static const int parents[6] = {4, 0, -1, 4, 2, 2}, depths[6] = {2, 3, 0, 2, 1, 1}, wanted[6] = {2, 4, 5, 0, 3, 1};
    int depth[6], order[6];
    PeltiPool work;
    pelti_pool_init(&work, NULL);
    for (int b = 0; b < 6; b++)
        who->bones[b].parent = parents[b];
    assert_int_equal(pelti_skeleton_by_depth(who, &work, depth, order, NULL), PELT_OK);
    assert_memory_equal(depth, depths, sizeof depths);
    assert_memory_equal(order, wanted, sizeof wanted);
    pelti_character_destroy(who);
    // a chain of thousands, numbered from its tip: a walk to the root for every bone and depth would take hours
    PeltiBone *bones = PELTI_NEW(&work, PeltiBone, MANY);
    int *depth_of = PELTI_NEW(&work, int, MANY), *order_of = PELTI_NEW(&work, int, MANY);
    assert_false(work.failed);
    for (int b = 0; b < MANY; b++)
        bones[b].parent = b + 1 < MANY ? b + 1 : -1;
    PeltiCharacter chain = {.bones = bones, .bone_count = MANY};
    assert_int_equal(pelti_skeleton_by_depth(&chain, &work, depth_of, order_of, NULL), PELT_OK);
    for (int b = 0; b < MANY; b++)
        assert_true(depth_of[b] == MANY - 1 - b && order_of[MANY - 1 - b] == b);
    pelti_pool_release(&work);
}

static void a_cycle_is_refused(void **state)
{
    (void)state;
    PeltiCharacter *who = chain_of(3);
    PeltError err = {0};
    who->nodes[0].parent = 2;
    assert_int_equal(pelti_skeleton_order(who, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "cycle"));
    pelti_character_destroy(who);
}

static void distance_to_a_segment_ends_at_its_ends(void **state)
{
    (void)state;
    Vec3 a = vec3(0, 0, 0), b = vec3(2, 0, 0);
    float t = -1;
    CHECK_NEAR(pelti_skeleton_segment_distance2(vec3(0.5f, 3, 0), a, b, &t), 9, 1e-6);
    CHECK_NEAR(t, 0.25, 1e-6);
    CHECK_NEAR(pelti_skeleton_segment_distance2(vec3(5, 4, 0), a, b, &t), 25, 1e-5);
    CHECK_NEAR(t, 1, 0);
    CHECK_NEAR(pelti_skeleton_segment_distance2(vec3(-3, 0, 4), a, b, NULL), 25, 1e-5);
    CHECK_NEAR(pelti_skeleton_segment_distance2(vec3(0, 1, 0), a, a, &t), 1, 1e-6); // no length
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_chain_is_one_skeleton_parents_first),
                                       cmocka_unit_test(bones_by_depth_come_parents_first_and_as_they_are_numbered),
                                       cmocka_unit_test(a_cycle_is_refused),
                                       cmocka_unit_test(distance_to_a_segment_ends_at_its_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
