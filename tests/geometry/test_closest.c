/// Closest points of triangles and segments agree with those of fine lattices, degenerate ones included.
#include "check.h"
#include "geometry/closest.h"

static unsigned seed = 1;
static float noise(void) // in [-1, 1]
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1;
}
static Vec3 random_point(void)
{
    float x = noise(), y = noise(), z = noise();
    return vec3(x, y, z);
}

/// Distance to a triangle by brute force: a fine lattice of barycentrics.
static double lattice_distance(Vec3 p, const Vec3 t[3], int n)
{
    double best = INFINITY;
    for (int i = 0; i <= n; i++)
        for (int j = 0; i + j <= n; j++) {
            double w[3] = {(double)i / n, (double)j / n, (double)(n - i - j) / n};
            Vec3 q = pelti_closest_barycentric(w, t[0], t[1], t[2]);
            best = fmin(best, (double)vec3_distance(p, q));
        }
    return best;
}

static void point_triangle_agrees_with_a_lattice(void **state)
{
    (void)state;
    for (int k = 0; k < 500; k++) {
        Vec3 t[3] = {random_point(), random_point(), random_point()}, p = vec3_scale(random_point(), 2);
        PeltiClosest c = pelti_closest_on_triangle(p, t[0], t[1], t[2]);
        double brute = lattice_distance(p, t, 60);
        CHECK_NEAR(c.weight[0] + c.weight[1] + c.weight[2], 1, 1e-12);
        assert_true(c.weight[0] >= 0 && c.weight[1] >= 0 && c.weight[2] >= 0);
        assert_true(sqrt(c.squared) <= brute + 1e-6); // no lattice point is nearer
        assert_true(sqrt(c.squared) >= brute - 0.06); // a lattice point is nearly as near
        CHECK_NEAR(vec3_distance(p, c.point), sqrt(c.squared), 1e-5);
    }
}

static void point_triangle_features_are_named(void **state)
{
    (void)state;
    Vec3 a = vec3(0, 0, 0), b = vec3(1, 0, 0), c = vec3(0, 1, 0);
    struct {
        Vec3 p;
        int feature;
        double distance;
    } cases[] = {{vec3(-1, -1, 0), 1, sqrt(2)},         {vec3(2, -1, 0), 2, sqrt(2)},
                 {vec3(-1, 2, 0), 4, sqrt(2)},          {vec3(0.5f, -2, 0), PELTI_EDGE_01, 2},
                 {vec3(-3, 0.5f, 0), PELTI_EDGE_20, 3}, {vec3(1, 1, 0), PELTI_EDGE_12, sqrt(0.5)},
                 {vec3(0.2f, 0.2f, -4), PELTI_FACE, 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PeltiClosest r = pelti_closest_on_triangle(cases[k].p, a, b, c);
        assert_int_equal(r.feature, cases[k].feature);
        CHECK_NEAR(sqrt(r.squared), cases[k].distance, 1e-6);
    }
}

static void degenerate_triangles_give_their_edge_or_corner(void **state)
{
    (void)state;
    Vec3 a = vec3(0, 0, 0), b = vec3(1, 0, 0), c = vec3(3, 0, 0);
    CHECK_NEAR(pelti_closest_on_triangle(vec3(2, 1, 0), a, b, c).squared, 1, 1e-12);
    CHECK_NEAR(pelti_closest_on_triangle(vec3(2, 1, 0), a, c, b).squared, 1, 1e-12);
    CHECK_NEAR(pelti_closest_on_triangle(vec3(2, 1, 0), c, a, b).squared, 1, 1e-12);
    CHECK_NEAR(pelti_closest_on_triangle(vec3(5, 0, 0), a, b, c).squared, 4, 1e-12);
    CHECK_NEAR(pelti_closest_on_triangle(vec3(3, 4, 0), a, a, a).squared, 25, 1e-12);
}

static void segments_agree_with_a_lattice(void **state)
{
    (void)state;
    for (int k = 0; k < 500; k++) {
        Vec3 p0 = random_point(), p1 = random_point(), q0 = random_point(), q1 = random_point();
        if (k % 5 == 0)
            q1 = vec3_add(q0, vec3_scale(vec3_sub(p1, p0), noise())); // parallel
        if (k % 7 == 0)
            p1 = p0;
        PeltiClosestSegments c = pelti_closest_segments(p0, p1, q0, q1);
        double brute = INFINITY;
        for (int i = 0; i <= 50; i++)
            for (int j = 0; j <= 50; j++)
                brute = fmin(brute, (double)vec3_distance(vec3_lerp(p0, p1, (float)i / 50), vec3_lerp(q0, q1, (float)j / 50)));
        assert_true(sqrt(c.squared) <= brute + 1e-6 && sqrt(c.squared) >= brute - 0.08);
        CHECK_NEAR(vec3_distance(vec3_lerp(p0, p1, (float)c.s), vec3_lerp(q0, q1, (float)c.t)), sqrt(c.squared), 1e-5);
    }
    PeltiClosestSegments x = pelti_closest_segments(vec3(-1, 0, 0), vec3(1, 0, 0), vec3(0, -1, 2), vec3(0, 1, 2));
    assert_int_equal(x.feature_p, 3);
    assert_int_equal(x.feature_q, 3);
    CHECK_NEAR(x.squared, 4, 1e-12);
}

static void triangles_agree_with_sampled_triangles(void **state)
{
    (void)state;
    int crossing = 0;
    for (int k = 0; k < 300; k++) {
        Vec3 shift = vec3_scale(random_point(), k % 2 ? 0.3f : 2.5f);
        Vec3 a[3] = {random_point(), random_point(), random_point()};
        Vec3 b[3] = {vec3_add(random_point(), shift), vec3_add(random_point(), shift), vec3_add(random_point(), shift)};
        PeltiClosestTriangles c = pelti_closest_triangles(a, b);
        Vec3 on_a = pelti_closest_barycentric(c.weight_a, a[0], a[1], a[2]),
             on_b = pelti_closest_barycentric(c.weight_b, b[0], b[1], b[2]);
        CHECK_NEAR(vec3_distance(on_a, on_b), sqrt(c.squared), 1e-5);
        double brute = INFINITY;
        for (int i = 0; i <= 24; i++)
            for (int j = 0; i + j <= 24; j++) {
                double w[3] = {i / 24.0, j / 24.0, (24 - i - j) / 24.0};
                brute = fmin(
                    brute,
                    sqrt(pelti_closest_on_triangle(pelti_closest_barycentric(w, a[0], a[1], a[2]), b[0], b[1], b[2]).squared));
            }
        assert_true(sqrt(c.squared) <= brute + 1e-6);
        assert_true(sqrt(c.squared) >= brute - 0.15);
        crossing += c.crossing;
    }
    assert_true(crossing > 20 && crossing < 280);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_triangle_agrees_with_a_lattice), cmocka_unit_test(point_triangle_features_are_named),
        cmocka_unit_test(degenerate_triangles_give_their_edge_or_corner), cmocka_unit_test(segments_agree_with_a_lattice),
        cmocka_unit_test(triangles_agree_with_sampled_triangles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
