/// Exact signs agree with integers where rounding would hide them, and touching is told from crossing.
#include "check.h"
#include "geometry/exact.h"

static unsigned seed = 3;
static int draw(int n) // in [-n, n]
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (unsigned)(2 * n + 1)) - n;
}

typedef long long Int3[3];
static int exact_sign(const Int3 a, const Int3 b, const Int3 c, const Int3 d) // integers up to 2^19: products below 2^63
{
    long long u[3], v[3], w[3];
    for (int k = 0; k < 3; k++)
        u[k] = a[k] - d[k], v[k] = b[k] - d[k], w[k] = c[k] - d[k];
    long long s = u[2] * (v[0] * w[1] - w[0] * v[1]) + v[2] * (w[0] * u[1] - u[0] * w[1]) + w[2] * (u[0] * v[1] - v[0] * u[1]);
    return (s > 0) - (s < 0);
}
static bool exact_crossing(Int3 t[2][3])
{
    for (int side = 0; side < 2; side++) {
        Int3 *x = t[side], *y = t[1 - side];
        int s[3];
        for (int k = 0; k < 3; k++)
            s[k] = exact_sign(x[0], x[1], x[2], y[k]);
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, up = 0, down = 0;
            if (s[k] * s[l] >= 0)
                continue;
            for (int i = 0; i < 3; i++) {
                int z = exact_sign(y[k], y[l], x[i], x[(i + 1) % 3]);
                up += z > 0, down += z < 0;
            }
            if ((up || down) && !(up && down))
                return true;
        }
    }
    return false;
}

static void crossing_agrees_with_integers(void **state)
{
    (void)state;
    int hits = 0;
    const int ranges[4] = {2, 3, 1000, 1 << 18};
    for (int round = 0; round < 200000; round++) {
        int n = ranges[round % 4];
        Int3 t[2][3];
        Vec3 f[2][3];
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 3; k++) {
                for (int c = 0; c < 3; c++)
                    t[s][k][c] = draw(n);
                f[s][k] = vec3((float)t[s][k][0], (float)t[s][k][1], (float)t[s][k][2]);
            }
        bool expected = exact_crossing(t);
        hits += expected;
        assert_int_equal(pelti_triangles_meet(f[0], f[1]) == PELTI_TRIANGLES_CROSSING, expected);
        assert_int_equal(pelti_triangles_meet(f[1], f[0]) == PELTI_TRIANGLES_CROSSING, expected);
    }
    assert_true(hits > 10000);
}

/// Four points of a plane, moved by one unit in the last place: double differences alone cannot tell.
static void sign_is_right_where_rounding_would_hide_it(void **state)
{
    (void)state;
    Vec3 a = vec3(1e8f, 1e-8f, 3), b = vec3(-1e8f, 1e-8f, 3), c = vec3(1, 3e7f, 3);
    assert_int_equal(pelti_triangles_orient(a, b, c, vec3(0.1f, 0.7f, 3)), 0);
    assert_int_equal(pelti_triangles_orient(a, b, c, vec3(0.1f, 0.7f, nextafterf(3, 4))),
                     1); // a, b, c run clockwise seen from above
    assert_int_equal(pelti_triangles_orient(a, b, c, vec3(0.1f, 0.7f, nextafterf(3, 2))), -1);
    assert_int_equal(pelti_triangles_orient(vec3(a.x, a.y, nextafterf(3, 4)), b, c, vec3(0.1f, 0.7f, 3)) != 0,
                     1); // three on a level are not four
    float tiny = 1e-30f; // a - d loses it in double; the determinant is -tiny
    Vec3 p = vec3(1, 1, 0), q = vec3(1, 1, 1), d = vec3(2, 2, 0.25f);
    assert_int_equal(pelti_triangles_orient(vec3(tiny, 0, 0), p, q, d), -1);
    assert_int_equal(pelti_triangles_orient(vec3(-tiny, 0, 0), p, q, d), 1);
    assert_int_equal(pelti_triangles_orient(vec3(0, 0, 0), p, q, d), 0);
}

static void contact_is_told_from_crossing(void **state)
{
    (void)state;
    const Vec3 flat[3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
    const Vec3 touch_corner[3] = {{0.5f, 0.5f, 0}, {0.5f, 0.5f, 1}, {1, 0.5f, 1}};
    const Vec3 through[3] = {{0.5f, 0.5f, -0.1f}, {0.5f, 0.5f, 1}, {1, 0.5f, 1}};
    const Vec3 edge_through_border[3] = {{0.5f, 0, -1}, {0.5f, 0, 1}, {0.5f, -1, 0}};
    const Vec3 beside[3] = {{3, 0, 0}, {5, 0, 0}, {3, 2, 0}};
    const Vec3 inside[3] = {{0.25f, 0.25f, 0}, {0.5f, 0.25f, 0}, {0.25f, 0.5f, 0}};
    const Vec3 overlap[3] = {{1, 0.5f, 0}, {3, 0.5f, 0}, {1, 2.5f, 0}};
    const Vec3 share_edge[3] = {{2, 0, 0}, {0, 2, 0}, {2, 2, 0}};
    const Vec3 sliver[3] = {{0.5f, 0.5f, -1}, {0.5f, 0.5f, 0}, {0.5f, 0.5f, 1}};
    assert_int_equal(pelti_triangles_meet(flat, touch_corner), PELTI_TRIANGLES_APART);
    assert_int_equal(pelti_triangles_meet(flat, through), PELTI_TRIANGLES_CROSSING);
    assert_int_equal(pelti_triangles_meet(flat, edge_through_border), PELTI_TRIANGLES_CROSSING);
    assert_int_equal(pelti_triangles_meet(flat, beside), PELTI_TRIANGLES_APART);
    assert_int_equal(pelti_triangles_meet(flat, inside), PELTI_TRIANGLES_COPLANAR);
    assert_int_equal(pelti_triangles_meet(inside, flat), PELTI_TRIANGLES_COPLANAR);
    assert_int_equal(pelti_triangles_meet(flat, overlap), PELTI_TRIANGLES_COPLANAR);
    assert_int_equal(pelti_triangles_meet(flat, share_edge), PELTI_TRIANGLES_APART);
    assert_int_equal(pelti_triangles_meet(flat, sliver), PELTI_TRIANGLES_CROSSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crossing_agrees_with_integers),
                                       cmocka_unit_test(sign_is_right_where_rounding_would_hide_it),
                                       cmocka_unit_test(contact_is_told_from_crossing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
