/// Morph targets of a mesh at a stretched node: turned and stretched as its points are; weights of the node before the mesh'.
#include "triangle.h"

static void offsets_are_carried_to_rest_space(void **state)
{
    (void)state;
    Triangle r = triangle_read();
    assert_int_equal(r.who->target_count, 1);
    const PeltiTarget *target = &r.who->targets[0];
    assert_int_equal(target->count, 2); // a point that does not move is left out
    for (int k = 0; k < 2; k++) {
        assert_int_equal(target->points[k], k + 1);
        const float *d = triangle_offsets[k + 1];
        CHECK_NEAR(vec3_distance(target->offsets[k], triangle_carry(&r, vec3(d[0], d[1], d[2]))), 0, 1e-5);
    }
    CHECK_NEAR(r.who->target_weights[0], 0.75, 0);
    triangle_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(offsets_are_carried_to_rest_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
