/// Normals of a mesh at a stretched node stay square to its surface.
#include "triangle.h"

static void normals_go_by_the_inverse_transposed(void **state)
{
    (void)state;
    Triangle r = triangle_read();
    const Vec3 *n = r.who->file_normals;
    assert_non_null(n);
    Vec3 x = triangle_carry(&r, vec3(1, 0, 0)), y = triangle_carry(&r, vec3(0, 1, 0)), z = triangle_carry(&r, vec3(0, 0, 1));
    CHECK_NEAR(vec3_length(x), 1, 1e-5); // the file's scales
    CHECK_NEAR(vec3_length(y), 4, 1e-5);
    for (int p = 0; p < 2; p++)
        CHECK_NEAR(vec3_length(n[p]), 1, 1e-5);
    CHECK_NEAR(vec3_dot(n[0], x), 0, 1e-5);
    CHECK_NEAR(vec3_dot(n[0], y), 0, 1e-5);
    assert_true(vec3_dot(n[0], z) > 0);
    Vec3 along = triangle_carry(&r, vec3(0.8f, -0.6f, 0)); // in the plane that (0.6, 0.8, 0) was square to
    CHECK_NEAR(vec3_dot(n[1], along), 0, 1e-5);
    CHECK_NEAR(vec3_dot(n[1], z), 0, 1e-5);
    CHECK_NEAR(vec3_length(n[2]), 0, 0); // none stays none
    triangle_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(normals_go_by_the_inverse_transposed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
