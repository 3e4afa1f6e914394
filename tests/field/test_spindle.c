/// Samples of a muscle lie on an ellipsoid of revolution between its tips, with its normals.
#include "check.h"

#include "field/spindle.h"

static void check_ellipsoid(Vec3 a, Vec3 b, float radius, float half)
{
    static PeltiPartSamples s;
    Vec3 middle = vec3_lerp(a, b, 0.5f);
    pelti_spindle_samples(a, b, radius, &s);
    assert_in_range(s.count, 20, PELTI_PART_SAMPLES);
    CHECK_NEAR(vec3_length(s.axis), 1, 1e-6);
    Vec3 sum = {0, 0, 0};
    for (int k = 0; k < s.count; k++) {
        Vec3 d = vec3_sub(s.point[k], middle);
        float along = vec3_dot(d, s.axis);
        Vec3 across = vec3_mad(d, s.axis, -along);
        CHECK_NEAR(along * along / (half * half) + vec3_dot(across, across) / (radius * radius), 1, 1e-4);
        Vec3 n = vec3_add(vec3_scale(s.axis, along / (half * half)), vec3_scale(across, 1 / (radius * radius)));
        CHECK_NEAR(vec3_distance(s.normal[k], vec3_normalize_or(n, s.axis)), 0, 1e-4);
        sum = vec3_add(sum, s.normal[k]);
        for (int j = 0; j < k; j++) // no place twice: a fit would be singular
            assert_true(vec3_distance(s.point[j], s.point[k]) > 0.05f * fminf(radius, half));
    }
    CHECK_NEAR(vec3_length(sum) / (float)s.count, 0, 1e-4); // spread evenly around
}

static void samples_lie_on_the_ellipsoid(void **state)
{
    (void)state;
    check_ellipsoid(vec3(1, 2, 3), vec3(1.5f, 2, 3.5f), 0.1f, 0.5f * sqrtf(0.5f));
    check_ellipsoid(vec3(0, 0, 0), vec3(0, 0, 0.2f), 0.3f, 0.1f); // thicker than long
}

/// Tips in one place would make a disk: it is held open.
static void ends_that_coincide_do_not_collapse(void **state)
{
    (void)state;
    static PeltiPartSamples s;
    pelti_spindle_samples(vec3(1, 1, 1), vec3(1, 1, 1), 0.5f, &s);
    float low = 0, high = 0;
    for (int k = 0; k < s.count; k++) {
        float along = vec3_dot(vec3_sub(s.point[k], vec3(1, 1, 1)), s.axis);
        low = fminf(low, along);
        high = fmaxf(high, along);
    }
    assert_true(high - low > 0.1f && high - low < 1);
    check_ellipsoid(vec3(1, 1, 1), vec3(1, 1, 1), 0.5f, 0.5f * (high - low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_lie_on_the_ellipsoid),
                                       cmocka_unit_test(ends_that_coincide_do_not_collapse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
