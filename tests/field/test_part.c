/// Which bones carry a field, and which skin each owns.
#include "tube.h"

static void check_owners(const Tube *tube, const PeltiPartition *parts)
{
    int total = 0;
    for (int k = 0; k < parts->part_count; k++) {
        total += parts->part_size[k];
        assert_true(parts->part_parent[k] < k); // parents first in a chain
    }
    assert_int_equal(total, tube->who->mesh->vertex_count);
    for (int v = 0; v < tube->who->mesh->vertex_count; v++) {
        int bone = tube->weights.bone[v * tube->weights.influences];
        assert_int_equal(parts->vertex_part[v], parts->bone_part[bone]);
    }
}

static void every_bone_with_skin_is_a_part(void **state)
{
    (void)state;
    Tube tube = start();
    PeltiPartition parts;
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, false, &parts, NULL), PELT_OK);
    assert_int_equal(parts.part_count, 3);
    check_owners(&tube, &parts);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(parts.part_bone[k], k);
        assert_int_equal(parts.part_parent[k], k - 1);
        assert_false(parts.small[k]);
    }
    stop(&tube);
}

/// A clip that turns the last bone alone: the middle one joins the first.
static void bones_that_no_clip_moves_join_their_parents(void **state)
{
    (void)state;
    Tube tube = start();
    static const float times[2] = {0, 1};
    float keys[2][4] = {{0, 0, 0, 1}, {0, 0, sinf(0.3f), cosf(0.3f)}};
    PeltiChannel channel = {2, PELTI_CHANNEL_ROTATION, PELTI_CHANNEL_LINEAR, 2, times, keys[0], 4, 0};
    PeltiClip clips[2] = {{"bend", 1, 1, &channel}, tube.who->clips[0]};
    tube.who->clips = clips;
    tube.who->clip_count = 1;
    PeltiPartition parts;
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, true, &parts, NULL), PELT_OK);
    assert_int_equal(parts.part_count, 2);
    check_owners(&tube, &parts);
    assert_int_equal(parts.bone_part[1], parts.bone_part[0]);
    assert_int_equal(parts.part_bone[1], 2);
    keys[1][2] = 0.002f, keys[1][3] = 1; // less than half a degree is no bend
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, true, &parts, NULL), PELT_OK);
    assert_int_equal(parts.part_count, 1);
    float places[2][3] = {{1, 0, 0}, {1.2f, 0, 0}}; // but a shift is
    channel = (PeltiChannel){2, PELTI_CHANNEL_TRANSLATION, PELTI_CHANNEL_LINEAR, 2, times, places[0], 3, 0};
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, true, &parts, NULL), PELT_OK);
    assert_int_equal(parts.part_count, 2);
    stop(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bone_with_skin_is_a_part),
                                       cmocka_unit_test(bones_that_no_clip_moves_join_their_parents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
