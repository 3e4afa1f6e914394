/// Rays hit what trying all triangles hits, and none leaves a closed mesh through its edges.
#include "soup.h"

#include <string.h>

static PeltiBoxTree *build(PeltiPool *pool, int count, const int (*triangles)[3], const Vec3 *points)
{
    PeltiBoxTree *tree;
    pelti_pool_init(pool, NULL);
    assert_int_equal(pelti_box_tree_build_triangles(pool, count, triangles, points, &tree, NULL), PELT_OK);
    return tree;
}

/// Compares with all triangles tried; rays that pass within 1e-7 of a border are left out.
static int compare(const PeltiBoxTree *tree, const Soup *s)
{
    int found = 0;
    for (int i = 0; i < RAYS; i++) {
        double margin;
        int which = soup_first_hit(s, &s->rays[i], &margin);
        if (margin < 1e-7)
            continue;
        PeltiBoxHit hit;
        const int(*triangles)[3] = (const int(*)[3])s->t;
        assert_int_equal(pelti_box_tree_first_hit(tree, triangles, s->p, &s->rays[i], &hit), which >= 0);
        soup_check_hit(s, &s->rays[i], &hit, which);
        assert_int_equal(pelti_box_tree_blocked(tree, triangles, s->p, &s->rays[i], NULL, NULL), which >= 0);
        found += which >= 0;
    }
    return found;
}

static void hits_are_those_of_all_triangles_tried(void **state)
{
    (void)state;
    static Soup s;
    make_soup(&s, 0.3f);
    PeltiPool pool;
    PeltiBoxTree *tree = build(&pool, TRIANGLES, (const int(*)[3])s.t, s.p);
    assert_true(compare(tree, &s) > RAYS / 3);
    for (int i = 0; i < TRIANGLES * 3; i++) // moved and bent: the refitted tree must follow
        s.p[i] = vec3(s.p[i].y + 0.3f * s.p[i].x * s.p[i].x, -s.p[i].x, s.p[i].z * 1.2f);
    pelti_box_tree_refit_triangles(tree, NULL, (const int(*)[3])s.t, s.p, NULL);
    assert_true(compare(tree, &s) > RAYS / 3);
    pelti_pool_release(&pool);
}

static bool every_third(void *context, int triangle)
{
    return triangle % 3 == *(const int *)context;
}

static void a_filter_leaves_triangles_out(void **state)
{
    (void)state;
    static Soup s, part;
    make_soup(&s, 0.3f);
    PeltiPool pool, pool_alone;
    PeltiBoxTree *tree = build(&pool, TRIANGLES, (const int(*)[3])s.t, s.p);
    for (int g = 0; g < 4; g++) { // group 3 has none
        int n = 0, hits = 0;
        for (int t = 0; t < TRIANGLES; t++)
            if (t % 3 == g)
                memcpy(part.t[n++], s.t[t], sizeof s.t[t]);
        PeltiBoxTree *alone = build(&pool_alone, n, (const int(*)[3])part.t, s.p);
        for (int i = 0; i < RAYS; i++) {
            bool seen = pelti_box_tree_blocked(tree, (const int(*)[3])s.t, s.p, &s.rays[i], every_third, &g);
            assert_int_equal(seen, pelti_box_tree_blocked(alone, (const int(*)[3])part.t, s.p, &s.rays[i], NULL, NULL));
            hits += seen;
        }
        assert_true(g == 3 ? hits == 0 : hits > RAYS / 8);
        pelti_pool_release(&pool_alone);
    }
    pelti_pool_release(&pool);
}

enum { RINGS = 15, SPOKES = 24, BALL_POINTS = (RINGS - 1) * SPOKES + 2, BALL_TRIANGLES = 2 * SPOKES * (RINGS - 1) };

/// A ball with poles, its rings and spokes off any axis but for the first.
static void make_ball(Vec3 *p, int (*t)[3])
{
    int n = 0, count = 0;
    for (int r = 1; r < RINGS; r++)
        for (int k = 0; k < SPOKES; k++) {
            float a = 3.14159265f * (float)r / RINGS, b = 6.2831853f * (float)k / SPOKES;
            p[n++] = vec3(sinf(a) * cosf(b), cosf(a), sinf(a) * sinf(b));
        }
    p[n++] = vec3(0, 1, 0);
    p[n] = vec3(0, -1, 0);
    for (int k = 0; k < SPOKES; k++) {
        int next = (k + 1) % SPOKES, last = (RINGS - 2) * SPOKES;
        memcpy(t[count++], (int[3]){n - 1, next, k}, sizeof t[0]);
        memcpy(t[count++], (int[3]){n, last + k, last + next}, sizeof t[0]);
        for (int r = 0; r + 2 < RINGS; r++) {
            int a = r * SPOKES;
            memcpy(t[count++], (int[3]){a + k, a + next, a + SPOKES + k}, sizeof t[0]);
            memcpy(t[count++], (int[3]){a + next, a + SPOKES + next, a + SPOKES + k}, sizeof t[0]);
        }
    }
    assert_int_equal(n + 1, BALL_POINTS);
    assert_int_equal(count, BALL_TRIANGLES);
}

/// From points inside, through every vertex, edge and some points of edges, at sizes and places that round differently.
static void no_ray_leaves_a_closed_mesh_through_its_edges(void **state)
{
    (void)state;
    static Vec3 ball[BALL_POINTS], p[BALL_POINTS];
    static int t[BALL_TRIANGLES][3];
    const float scales[] = {1, 1e-3f, 3e4f}, places[] = {0, 0.7f, 77};
    make_ball(ball, t);
    seed = 3;
    int rays = 0, leaks = 0;
    for (int c = 0; c < 9; c++) {
        float scale = scales[c % 3], place = places[c / 3] * scale;
        for (int i = 0; i < BALL_POINTS; i++)
            p[i] = vec3_add(vec3_scale(ball[i], scale), vec3(place, 0, -place));
        PeltiPool pool;
        PeltiBoxTree *tree = build(&pool, BALL_TRIANGLES, (const int(*)[3])t, p);
        for (int i = 0; i < 3 * BALL_TRIANGLES; i++) {
            Vec3 a = p[t[i / 3][i % 3]], b = p[t[i / 3][(i + 1) % 3]];
            Vec3 from = vec3_add(vec3_scale(i % 4 ? random_vec(0.5f) : vec3(0, 0, 0), scale), vec3(place, 0, -place));
            for (int k = 0; k < 4; k++) {
                PeltiBoxRay ray = {from, 0, vec3_sub(vec3_lerp(a, b, 0.25f * (float)k), from), INFINITY};
                PeltiBoxHit hit;
                leaks += !pelti_box_tree_first_hit(tree, (const int(*)[3])t, p, &ray, &hit);
                rays++;
            }
        }
        pelti_pool_release(&pool);
    }
    assert_int_equal(leaks, 0);
    assert_int_equal(rays, 9 * 12 * BALL_TRIANGLES);
}

/// Straight down on a sheet, along the edges' own coordinates: faces of boxes, zeros in the direction.
static void rays_along_axes_meet_the_edges_below(void **state)
{
    (void)state;
    enum { N = 9 };
    Vec3 p[N * N];
    int t[2 * (N - 1) * (N - 1)][3], count = 0;
    for (int i = 0; i < N * N; i++)
        p[i] = vec3((float)(i % N), 0.1f * (float)(i * 7 % 5), (float)(i / N));
    for (int i = 0; i + N < N * N; i++)
        if (i % N + 1 < N) {
            memcpy(t[count++], (int[3]){i, i + N, i + 1}, sizeof t[0]);
            memcpy(t[count++], (int[3]){i + 1, i + N, i + N + 1}, sizeof t[0]);
        }
    PeltiPool pool;
    PeltiBoxTree *tree = build(&pool, count, (const int(*)[3])t, p);
    for (int i = 0; i < 4 * (N - 1) + 1; i++)
        for (int j = 0; j < 4 * (N - 1) + 1; j++)
            for (int way = -1; way <= 1; way += 2) {
                PeltiBoxRay ray = {{0.25f * (float)i, -3 * (float)way, 0.25f * (float)j}, 0, {-0.0f, (float)way, 0}, 9};
                PeltiBoxHit hit;
                assert_true(pelti_box_tree_first_hit(tree, (const int(*)[3])t, p, &ray, &hit));
                if (i % 4 == 0 && j % 4 == 0)
                    CHECK_NEAR(hit.distance, 3 + way * p[j / 4 * N + i / 4].y, 1e-6);
            }
    pelti_pool_release(&pool);
}

static void among_equals_the_lowest_number_wins(void **state)
{
    (void)state;
    Vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int t[12][3];
    for (int i = 0; i < 12; i++)
        memcpy(t[i], (int[3]){i % 3, (i + 1) % 3, (i + 2) % 3}, sizeof t[i]);
    PeltiPool pool;
    PeltiBoxTree *tree = build(&pool, 12, (const int(*)[3])t, p);
    PeltiBoxHit hit;
    assert_true(pelti_box_tree_first_hit(tree, (const int(*)[3])t, p, &(PeltiBoxRay){{0.25f, 0.25f, 1}, 0, {0, 0, -2}, 9}, &hit));
    assert_int_equal(hit.triangle, 0);
    CHECK_NEAR(hit.distance, 0.5, 0);
    pelti_pool_release(&pool);
}

static void bad_rays_and_triangles_hit_nothing(void **state)
{
    (void)state;
    Vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {NAN, 0, 0}, {0.2f, 0.2f, 1}};
    const int t[][3] = {{0, 1, 2}, {0, 1, 3}, {4, 4, 4}, {0, 0, 1}};
    PeltiBoxRay ray[] = {{{0.2f, 0.2f, 2}, 0, {0, 0, -1}, INFINITY},
                         {{0.2f, 0.2f, 2}, 0, {0, 0, 0}, INFINITY},
                         {{NAN, 0, 0}, 0, {0, 0, 1}, 1},
                         {{0.2f, 0.2f, 2}, 0, {0, NAN, -1}, 9},
                         {{0.2f, 0.2f, 2}, 3, {0, 0, -1}, 1},
                         {{0.2f, 0.2f, 2}, -3, {0, 0, -1}, 1},
                         {{0.2f, 0.2f, 2}, 2.5f, {0, 0, -1}, 9},
                         {{0.2f, 0.2f, 2}, 0, {0, 0, -1}, NAN},
                         {{0.2f, 0.2f, 2}, 0, {0, 0, -INFINITY}, 9},
                         {{-1, 0.2f, 0}, 0, {1, 0, 0}, 9}, // the last: edge-on
                         {{0.2f, 0.2f, -2}, 0, {0, 0, -1}, INFINITY},
                         {{5, 0.2f, 2}, 0, {0, 0, -1}, INFINITY}};
    PeltiPool pool;
    PeltiBoxTree *tree = build(&pool, 4, t, p);
    for (size_t i = 0; i < sizeof ray / sizeof ray[0]; i++) {
        PeltiBoxHit hit;
        assert_int_equal(pelti_box_tree_first_hit(tree, t, p, &ray[i], &hit), i == 0);
        assert_int_equal(hit.triangle, i == 0 ? 0 : -1);
        assert_int_equal(pelti_box_tree_blocked(tree, t, p, &ray[i], NULL, NULL), i == 0);
    }
    pelti_pool_release(&pool);
    tree = build(&pool, 0, t, p);
    assert_false(pelti_box_tree_blocked(tree, t, p, &ray[0], NULL, NULL));
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_those_of_all_triangles_tried),         cmocka_unit_test(a_filter_leaves_triangles_out),
        cmocka_unit_test(no_ray_leaves_a_closed_mesh_through_its_edges), cmocka_unit_test(rays_along_axes_meet_the_edges_below),
        cmocka_unit_test(among_equals_the_lowest_number_wins),           cmocka_unit_test(bad_rays_and_triangles_hit_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
