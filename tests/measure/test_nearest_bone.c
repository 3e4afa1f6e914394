/// The bone each triangle is compared with: the nearest by trying all segments.
#include "chain.h"

#include "measure/parts.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

/// Squared distance of q from the segment along x from a to b.
static double to_segment(Vec3 q, double a, double b)
{
    double along = fmin(fmax((double)q.x, a), b) - (double)q.x;
    return along * along + (double)q.y * (double)q.y + (double)q.z * (double)q.z;
}

static void triangles_go_with_the_nearest_segment(void **state)
{
    (void)state;
    enum { BONES = 5 };
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS, seen[BONES] = {0};
    PeltiCharacter *who =
        make_chain((ChainBones){BONES, 0.2f, 0.6f}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    PeltiMeasure *m = NULL;
    assert_int_equal(pelti_measure_create(who, NULL, NULL, &m, NULL), PELT_OK);
    assert_true(m->rest.has_skin);
    for (int k = 0; k < who->mesh->triangle_count; k++) {
        const int *c = who->mesh->triangles[k];
        Vec3 middle =
            vec3_scale(vec3_add(vec3_add(who->mesh->rest[c[0]], who->mesh->rest[c[1]]), who->mesh->rest[c[2]]), 1 / 3.0f);
        int bone = m->rest.triangle_bone[k];
        assert_in_range(bone, 0, BONES - 1);
        seen[bone]++;
        double own = bone < BONES - 1 ? to_segment(middle, 0.2 + 0.6 * bone, 0.8 + 0.6 * bone)
                                      : to_segment(middle, 0.2 + 0.6 * bone, 4); // a leaf: as far as it may reach
        for (int b = 0; b < BONES - 1; b++)
            assert_true(own <= to_segment(middle, 0.2 + 0.6 * b, 0.8 + 0.6 * b) + 1e-6);
    }
    for (int b = 0; b < BONES - 1; b++)
        assert_true(seen[b] > 20);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(triangles_go_with_the_nearest_segment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
