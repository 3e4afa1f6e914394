/// Crossing triangles of a frame against every pair tried by itself.
#include "chain.h"

#include "geometry/exact.h"
#include "measure/parts.h"
#include "points.h"

static Vec3 p[2 * TUBE_POINTS], x[2 * TUBE_POINTS];
static int t[2 * TUBE_TRIANGLES][3];

/// Two tubes, the second `apart` beside the first.
static PeltiCharacter *tubes(float apart)
{
    int points = 2 * TUBE_POINTS, count = make_tube(3, 0.3f, p, t, 0);
    count += make_tube(3, 0.3f, p, t + count, TUBE_POINTS);
    for (int i = TUBE_POINTS; i < points; i++)
        p[i].y += apart;
    return make_chain((ChainBones){2, 0, 1}, 1, &points, (ChainSkin){points, p, count, (const int(*)[3])t});
}

static bool apart_along_x(const Vec3 a[3], const Vec3 b[3])
{
    return fmaxf(a[0].x, fmaxf(a[1].x, a[2].x)) < fminf(b[0].x, fminf(b[1].x, b[2].x)) ||
           fmaxf(b[0].x, fmaxf(b[1].x, b[2].x)) < fminf(a[0].x, fminf(a[1].x, a[2].x));
}

static bool share_corner(const int *a, const int *b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i] == b[j])
                return true;
    return false;
}

/// By trying all pairs of welded triangles; `touched` (may be NULL) counts triangles in one.
static int slow_crossings(const PeltiMesh *mesh, const Vec3 *at, int *touched)
{
    static bool in[2 * TUBE_TRIANGLES];
    int count = 0;
    memset(in, 0, sizeof in);
    for (int a = 0; a < mesh->triangle_count; a++)
        for (int b = a + 1; b < mesh->triangle_count; b++) {
            const int *s = mesh->triangles[a], *q = mesh->triangles[b];
            if (share_corner(s, q))
                continue;
            const Vec3 one[3] = {at[s[0]], at[s[1]], at[s[2]]}, two[3] = {at[q[0]], at[q[1]], at[q[2]]};
            if (!apart_along_x(one, two) && pelti_triangles_meet(one, two) == PELTI_TRIANGLES_CROSSING) {
                count++;
                in[a] = in[b] = true;
            }
        }
    *touched = 0;
    for (int k = 0; k < mesh->triangle_count; k++)
        *touched += in[k];
    return count;
}

static PeltQuality measure(PeltiMeasure *m, const PeltiCharacter *who)
{
    PeltQuality f;
    measure_points(m, x, NULL, NULL, &f);
    int touched, count = 0;
    static Vec3 welded[2 * TUBE_POINTS];
    for (int v = 0; v < who->mesh->vertex_count; v++)
        welded[v] = x[who->mesh->first_point[v]];
    count = slow_crossings(who->mesh, welded, &touched);
    assert_int_equal(f.self_intersections, count);
    assert_int_equal(f.triangles_intersecting, touched);
    return f;
}

static PeltiMeasure *measure_new(const PeltiCharacter *who)
{
    PeltiMeasure *m = NULL;
    assert_int_equal(pelti_measure_create(who, NULL, NULL, &m, NULL), PELT_OK);
    return m;
}

static void crossings_are_all_pairs_that_cross(void **state)
{
    (void)state;
    PeltiCharacter *who = tubes(2);
    PeltiMeasure *m = measure_new(who);
    memcpy(x, p, sizeof x);
    PeltQuality f = measure(m, who);
    assert_int_equal(f.self_intersections, 0);
    for (int k = 0; k < 3; k++) { // the second tube goes into the first, turned, deeper and deeper
        Mat34 into = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 0, 1), 0.9f)), vec3(0.8f, -1.9f - 0.1f * (float)k, 0.02f));
        for (int i = TUBE_POINTS; i < 2 * TUBE_POINTS; i++)
            x[i] = mat34_apply(into, p[i]);
        f = measure(m, who);
        assert_true(f.self_intersections > 10 && f.self_intersections_new == f.self_intersections);
        assert_true(f.deep_pairs > 0 && f.crossings_new == f.deep_pairs && f.pair_depth > 0);
    }
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

/// What crosses at rest is not new; a thousandth of the size deeper is still what rest explains, elsewhere it is new.
static void what_crosses_at_rest_is_not_new(void **state)
{
    (void)state;
    PeltiCharacter *who = tubes(0.45f);
    PeltiMeasure *m = measure_new(who);
    assert_true(m->rest_pairs.self_intersections > 20);
    memcpy(x, p, sizeof x);
    PeltQuality f = measure(m, who);
    assert_int_equal(f.self_intersections, m->rest_pairs.self_intersections);
    assert_int_equal(f.self_intersections_new, 0);
    assert_int_equal(f.crossings_new, 0);
    for (int i = TUBE_POINTS; i < 2 * TUBE_POINTS; i++)
        x[i].x += 0.05f; // slides along: other pairs, near those of rest
    f = measure(m, who);
    assert_true(f.self_intersections_new > 0 && f.deep_pairs > 0);
    assert_true(f.crossings_new < f.deep_pairs);
    for (int i = TUBE_POINTS; i < 2 * TUBE_POINTS; i++)
        x[i] = vec3_add(p[i], vec3(0, -0.9f, 0.1f)); // on the other side of the first tube: nothing there at rest
    f = measure(m, who);
    assert_true(f.crossings_new > 10);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crossings_are_all_pairs_that_cross),
                                       cmocka_unit_test(what_crosses_at_rest_is_not_new)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
