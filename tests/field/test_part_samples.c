/// What the field of a part is fitted to.
#include "tube.h"

/// Samples of the middle part: on the skin away from its joints, with a cap beyond each.
static void samples_are_skin_and_caps(void **state)
{
    (void)state;
    Tube tube = start();
    const PeltiMesh *mesh = tube.who->mesh;
    PeltiPartition parts;
    static PeltiPartSamples s;
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, false, &parts, NULL), PELT_OK);
    Vec3 *normals = PELTI_NEW(&tube.pool, Vec3, mesh->vertex_count);
    pelti_mesh_normals(mesh, mesh->rest, normals);
    PeltiPartSkin skin = {tube.who, &parts, normals, 50};
    assert_int_equal(pelti_part_samples(&skin, 1, &s, NULL), PELT_OK);
    assert_false(s.capsule);
    int caps = 0;
    for (int k = 0; k < s.count; k++) {
        float around = sqrtf(s.point[k].y * s.point[k].y + s.point[k].z * s.point[k].z);
        if (around < 0.01f) {
            caps++;
            assert_true(s.point[k].x < 1 || s.point[k].x > 2);
            CHECK_NEAR(fabsf(s.normal[k].x), 1, 1e-5);
            continue;
        }
        CHECK_NEAR(around, 0.35, 1e-4);
        assert_true(s.point[k].x > 1 && s.point[k].x < 2);
        CHECK_NEAR(vec3_dot(s.normal[k], vec3(0, s.point[k].y / around, s.point[k].z / around)), 1, 1e-3);
    }
    assert_int_equal(caps, 2);
    assert_true(s.count > 20 && s.radius > 0.35f);
    CHECK_NEAR(fabsf(s.axis.x), 1, 1e-5);
    stop(&tube);
}

static void a_capsule_is_as_thick_everywhere(void **state)
{
    (void)state;
    static PeltiPartSamples s;
    Vec3 a = vec3(0, 1, 0), b = vec3(0, 3, 0);
    for (int sphere = 0; sphere < 2; sphere++) {
        Vec3 end = sphere ? a : b;
        pelti_part_capsule(a, end, 0.25f, &s);
        assert_true(s.capsule && s.count <= PELTI_PART_SAMPLES);
        for (int k = 0; k < s.count; k++) {
            Vec3 q = vec3(0, fminf(fmaxf(s.point[k].y, a.y), end.y), 0); // nearest of the segment
            CHECK_NEAR(vec3_distance(s.point[k], q), 0.25, 1e-5);
            CHECK_NEAR(vec3_distance(vec3_mad(q, s.normal[k], 0.25f), s.point[k]), 0, 1e-5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_skin_and_caps),
                                       cmocka_unit_test(a_capsule_is_as_thick_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
