/// Bones with a radius: inside the skin, no thicker than their joints allow; bones outside carry nothing.
#include "tube.h"

static void bones_lie_inside_and_fit_between_their_joints(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    const ProjSkeleton *k = &tube.p->skeleton;
    assert_int_equal(k->segment_count, 3);
    assert_int_equal(k->outside_count, 0);
    for (int s = 0; s < k->segment_count; s++) {
        const ProjSegment *segment = &k->segments[s];
        CHECK_NEAR(vec3_distance(segment->a, segment->b), segment->length, 1e-5);
        CHECK_NEAR(vec3_distance(vec3_mad(segment->a, segment->axis, segment->length), segment->b), 0, 1e-5);
        assert_true(segment->radius > 0.05f && segment->radius <= 0.75f * 0.35f);
        float end = segment->child >= 0 ? k->joint_radius[segment->child] : segment->radius;
        if (segment->child >= 0) // eq. 1
            assert_true(k->joint_radius[segment->bone] + end + 2 * segment->radius <= segment->length * 1.001f);
        assert_true(k->zone[segment->bone] < 0.5f * segment->length);
    }
    assert_true(k->segments[2].leaf_b && !k->segments[1].leaf_b);
    tube_close(&tube);
}

static void neighbours_know_each_other(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    const ProjSkeleton *k = &tube.p->skeleton;
    for (int s = 0; s < k->segment_count; s++)
        for (int n = 0; n < k->segment_count; n++) {
            bool near = false;
            for (int e = 0; e < k->segments[s].near_count; e++)
                near = near || k->near[k->segments[s].near_first + e] == n;
            assert_int_equal(near, abs(s - n) == 1); // sorted by place: a chain
            assert_int_equal(pelti_proj_joined(k, s, n), abs(s - n) <= 1);
        }
    tube_close(&tube);
}

/// Two bones more than the tube has room for; and bones that are lines.
static void bones_outside_are_left_out_and_thickness_is_a_share(void **state)
{
    (void)state;
    static Vec3 p[TUBE_POINTS];
    static int t[TUBE_TRIANGLES][3];
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS;
    PeltiCharacter *who = make_chain((ChainBones){6, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    PeltiPool pool;
    ProjSkeleton k, thin;
    pelti_pool_init(&pool, NULL);
    const ProjSource source = {.who = who, .pool = &pool};
    assert_int_equal(pelti_proj_skeleton(&source, 1, &k, NULL), PELT_OK);
    assert_true(k.outside_count >= 1 && k.segment_count >= 3);
    for (int s = 0; s < k.segment_count; s++)
        assert_true(fminf(k.segments[s].a.x, k.segments[s].b.x) < 3.2f);
    assert_int_equal(pelti_proj_skeleton(&source, 0.1f, &thin, NULL), PELT_OK);
    CHECK_NEAR(thin.segments[0].radius, 0.1 * 0.75 * 0.35, 0.003); // polygons are a little nearer than the circle
    pelti_pool_release(&pool);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bones_lie_inside_and_fit_between_their_joints),
                                       cmocka_unit_test(neighbours_know_each_other),
                                       cmocka_unit_test(bones_outside_are_left_out_and_thickness_is_a_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
