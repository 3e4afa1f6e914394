/// The box tree finds the pairs, nearest triangles and windings that trying all finds, in one order for any threads.
#include "check.h"
#include "geometry/box_tree.h"

#include <string.h>

enum { TRIANGLES = 700 };

static unsigned seed = 7;
static float noise(void) // in [-1, 1]
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1;
}

typedef struct Soup {
    Vec3 points[TRIANGLES * 3];
    int triangles[TRIANGLES][3];
    PeltiPool pool;
    PeltiBoxTree *tree;
} Soup;

static void place(Soup *s, float size)
{
    for (int t = 0; t < TRIANGLES; t++) {
        Vec3 c = vec3(noise(), noise(), noise());
        for (int k = 0; k < 3; k++) {
            s->triangles[t][k] = t * 3 + k;
            s->points[t * 3 + k] = vec3_add(c, vec3_scale(vec3(noise(), noise(), noise()), size));
        }
    }
}

static Soup *soup_new(float size)
{
    Soup *s = calloc(1, sizeof *s);
    pelti_pool_init(&s->pool, NULL);
    place(s, size);
    assert_int_equal(
        pelti_box_tree_build_triangles(&s->pool, TRIANGLES, (const int(*)[3])s->triangles, s->points, &s->tree, NULL), PELT_OK);
    return s;
}

static void soup_free(Soup *s)
{
    pelti_pool_release(&s->pool);
    free(s);
}

static PeltiBox box_of(const Soup *s, int t)
{
    const Vec3 *p = s->points + 3 * t;
    return (PeltiBox){vec3_min(p[0], vec3_min(p[1], p[2])), vec3_max(p[0], vec3_max(p[1], p[2]))};
}

static int order(const void *a, const void *b)
{
    const PeltiPair *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static int count_pairs_checked(Soup *s, Soup *other, PeltiPairs *pairs, float margin)
{
    int brute = 0;
    for (int i = 0; i < pairs->count; i++)
        if (s == other && pairs->pairs[i].a > pairs->pairs[i].b) {
            int swap = pairs->pairs[i].a;
            pairs->pairs[i].a = pairs->pairs[i].b, pairs->pairs[i].b = swap;
        }
    qsort(pairs->pairs, (size_t)pairs->count, sizeof(PeltiPair), order);
    for (int i = 0; i < TRIANGLES; i++)
        for (int j = s == other ? i + 1 : 0; j < TRIANGLES; j++) {
            PeltiBox a = box_of(s, i), b = box_of(other, j);
            if (!pelti_box_overlap(&a, &b, margin))
                continue;
            PeltiPair key = {i, j, 1};
            assert_non_null(bsearch(&key, pairs->pairs, (size_t)pairs->count, sizeof(PeltiPair), order));
            brute++;
        }
    return brute;
}

static void pairs_agree_with_brute_force_after_a_refit(void **state)
{
    (void)state;
    Soup *s = soup_new(0.08f), *o = soup_new(0.05f);
    PeltiPairs pairs, cross;
    assert_int_equal(pelti_pairs_create(&s->pool, 100000, s->tree, &pairs, NULL), PELT_OK);
    assert_int_equal(pelti_pairs_create(&s->pool, 100000, s->tree, &cross, NULL), PELT_OK);
    for (int frame = 0; frame < 3; frame++) {
        float margin = 0.02f * (float)frame;
        pelti_box_tree_self_pairs(s->tree, margin, NULL, NULL, NULL, &pairs);
        assert_int_equal(pairs.found, pairs.count);
        assert_int_equal(pairs.count, count_pairs_checked(s, s, &pairs, margin));
        pelti_box_tree_pairs(s->tree, o->tree, &(PeltiPairSearch){.margin = margin}, NULL, &cross);
        assert_int_equal(cross.count, count_pairs_checked(s, o, &cross, margin));
        assert_true(cross.count > 50 && pairs.count > 50);
        place(s, 0.1f);
        pelti_box_tree_refit_triangles(s->tree, NULL, (const int(*)[3])s->triangles, s->points, NULL);
    }
    soup_free(s);
    soup_free(o);
}

static int keep_even(void *context, int a, int b, int worker)
{
    (void)context;
    (void)worker;
    return (a + b) % 2 == 0 ? 2 : 0;
}

static bool is_left(const Soup *s, int t)
{
    return s->points[3 * t].x < 0;
}

static int keep_unless_both_left(void *context, int a, int b, int worker)
{
    (void)worker;
    return !is_left(context, a) || !is_left(context, b);
}

static bool any_right(void *context, int node_a, int node_b)
{
    const Soup *s = context;
    for (int side = 0; side < 2; side++) {
        const PeltiBoxNode *node = &s->tree->nodes[side ? node_b : node_a];
        for (int i = node->first; i < node->first + node->count; i++)
            if (!is_left(s, s->tree->items[i]))
                return true;
    }
    return false;
}

static void branches_are_left_out_without_losing_a_pair(void **state)
{
    (void)state;
    Soup *s = soup_new(0.1f);
    PeltiJobs *jobs = pelti_jobs_create(3);
    PeltiPairs all, some;
    assert_int_equal(pelti_pairs_create(&s->pool, 50000, s->tree, &all, NULL), PELT_OK);
    assert_int_equal(pelti_pairs_create(&s->pool, 50000, s->tree, &some, NULL), PELT_OK);
    pelti_box_tree_self_pairs(s->tree, 0.01f, keep_unless_both_left, s, NULL, &all);
    pelti_box_tree_self_pairs_among(s->tree, &(PeltiPairSearch){0.01f, any_right, keep_unless_both_left, s}, jobs, &some);
    assert_int_equal(all.count, some.count);
    assert_memory_equal(all.pairs, some.pairs, (size_t)all.count * sizeof(PeltiPair));
    assert_true(all.count > 100 && some.candidates < all.candidates * 3 / 4); // and most of the left half was not looked at
    pelti_jobs_destroy(jobs);
    soup_free(s);
}

static void pairs_come_in_one_order_for_any_thread_count(void **state)
{
    (void)state;
    Soup *s = soup_new(0.1f);
    PeltiPairs one, many, small;
    assert_int_equal(pelti_pairs_create(&s->pool, 50000, s->tree, &one, NULL), PELT_OK);
    assert_int_equal(pelti_pairs_create(&s->pool, 50000, s->tree, &many, NULL), PELT_OK);
    assert_int_equal(pelti_pairs_create(&s->pool, 40, s->tree, &small, NULL), PELT_OK);
    pelti_box_tree_self_pairs(s->tree, 0, keep_even, NULL, NULL, &one);
    assert_true(one.count > 100 && one.candidates > one.found);
    for (int threads = 1; threads <= 5; threads++) {
        PeltiJobs *jobs = pelti_jobs_create(threads);
        pelti_box_tree_refit_triangles(s->tree, jobs, (const int(*)[3])s->triangles, s->points, NULL);
        pelti_box_tree_self_pairs(s->tree, 0, keep_even, NULL, jobs, &many);
        assert_int_equal(one.count, many.count);
        assert_int_equal(one.candidates, many.candidates);
        assert_memory_equal(one.pairs, many.pairs, (size_t)one.count * sizeof(PeltiPair));
        pelti_box_tree_self_pairs(s->tree, 0, keep_even, NULL, jobs, &small); // overflow keeps the first ones
        assert_int_equal(small.found, one.found);
        assert_int_equal(small.count, 40);
        assert_memory_equal(one.pairs, small.pairs, 40 * sizeof(PeltiPair));
        pelti_jobs_destroy(jobs);
    }
    soup_free(s);
}

static bool not_thirds(void *context, int query, int triangle)
{
    (void)context;
    return triangle % 3 != query % 3;
}

/// Below the node lies a triangle that the query may have.
static bool some_not_thirds(void *context, int query, int node)
{
    const PeltiBoxTree *tree = context;
    for (int i = tree->nodes[node].first; i < tree->nodes[node].first + tree->nodes[node].count; i++)
        if (not_thirds(NULL, query, tree->items[i]))
            return true;
    return false;
}

typedef struct OneQuery {
    int query;
} OneQuery;

static bool not_thirds_of(void *context, int triangle)
{
    return not_thirds(NULL, ((const OneQuery *)context)->query, triangle);
}

/// Many queries at once know what the one before found: they find the same triangle as one alone.
static void check_alone(const Soup *s, Vec3 point, int i, float limit, const PeltiNearest *found)
{
    OneQuery one = {i};
    PeltiNearestQuery query = {(const int(*)[3])s->triangles, s->points, point, limit, not_thirds_of, &one};
    PeltiNearest alone;
    pelti_box_tree_nearest(s->tree, &query, &alone);
    assert_int_equal(alone.triangle, found->triangle);
}

static void nearest_agrees_with_brute_force(void **state)
{
    (void)state;
    Soup *s = soup_new(0.05f);
    Vec3 queries[400];
    PeltiNearest found[400];
    for (int i = 0; i < 400; i++)
        queries[i] = vec3_scale(vec3(noise(), noise(), noise()), 1.3f);
    queries[3] = vec3(NAN, 0, 0);
    PeltiJobs *jobs = pelti_jobs_create(2);
    for (int round = 0; round < 3; round++) {
        float limit = round == 1 ? 0.1f : INFINITY;
        PeltiNearestSearch search = {(const int(*)[3])s->triangles,       s->points, 400, queries, limit, not_thirds,
                                     round == 2 ? some_not_thirds : NULL, s->tree};
        pelti_box_tree_nearest_many(s->tree, &search, jobs, found);
        for (int i = 0; i < 400; i++) {
            double best = INFINITY;
            for (int t = 0; t < TRIANGLES; t++)
                if (not_thirds(NULL, i, t)) {
                    const Vec3 *p = s->points + 3 * t;
                    best = fmin(best, sqrt(pelti_closest_on_triangle(queries[i], p[0], p[1], p[2]).squared));
                }
            check_alone(s, queries[i], i, limit, &found[i]);
            if (i == 3 || best > (double)limit) {
                assert_int_equal(found[i].triangle, -1);
                continue;
            }
            assert_true(found[i].triangle >= 0 && found[i].triangle % 3 != i % 3);
            CHECK_NEAR(found[i].distance, best, 1e-12);
        }
    }
    pelti_jobs_destroy(jobs);
    soup_free(s);
}

static void winding_of_a_box_is_one_inside(void **state)
{
    (void)state;
    Vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = vec3((float)(i >> 2), (float)(i >> 1 & 1), (float)(i & 1));
    const int faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                              {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiBoxTree *tree;
    assert_int_equal(pelti_box_tree_build_triangles(&pool, 12, faces, corners, &tree, NULL), PELT_OK);
    for (int i = 0; i < 2000; i++) {
        double p[3] = {(double)noise() + 0.5, (double)noise() + 0.5, (double)noise() + 0.5};
        if (i % 4 == 0)
            p[1] = p[2]; // through diagonals of faces
        bool inside = true;
        for (int k = 0; k < 3; k++)
            inside &= p[k] > 0 && p[k] < 1;
        assert_int_equal(pelti_box_tree_winding(tree, faces, corners, p), inside);
    }
    assert_int_equal(pelti_box_tree_winding(tree, faces, corners, (double[3]){0.5, 0.5, 0.5}), 1);
    pelti_pool_release(&pool);
}

static bool add_item(void *context, int item)
{
    int *sum = context;
    sum[0]++, sum[1] += item;
    return true;
}

static void broken_and_empty_items_are_found_by_nobody(void **state)
{
    (void)state;
    Soup *s = soup_new(0.1f);
    s->points[0].x = NAN;
    s->points[5].y = INFINITY;
    s->points[9].z = 1e33f;
    pelti_box_tree_refit_triangles(s->tree, NULL, (const int(*)[3])s->triangles, s->points, NULL);
    PeltiPairs pairs;
    assert_int_equal(pelti_pairs_create(&s->pool, 50000, s->tree, &pairs, NULL), PELT_OK);
    pelti_box_tree_self_pairs(s->tree, 0, NULL, NULL, NULL, &pairs);
    assert_true(pairs.count > 0);
    for (int i = 0; i < pairs.count; i++)
        assert_true(pairs.pairs[i].a != 0 && pairs.pairs[i].a != 1 && pairs.pairs[i].a != 3 && pairs.pairs[i].b != 0 &&
                    pairs.pairs[i].b != 1 && pairs.pairs[i].b != 3);
    int sum[2] = {0, 0};
    pelti_box_tree_visit(s->tree, &(PeltiBox){{-9, -9, -9}, {9, 9, 9}}, 0, add_item, sum);
    assert_int_equal(sum[0], TRIANGLES - 3);
    assert_int_equal(sum[1], TRIANGLES * (TRIANGLES - 1) / 2 - 4);
    PeltiBoxTree *none;
    assert_int_equal(pelti_box_tree_build(&s->pool, 0, NULL, &none, NULL), PELT_OK);
    PeltiNearest nearest;
    assert_false(pelti_box_tree_nearest(none, &(PeltiNearestQuery){.max_distance = INFINITY}, &nearest));
    pelti_box_tree_self_pairs(none, 0, NULL, NULL, NULL, &pairs);
    assert_int_equal(pairs.count, 0);
    soup_free(s);
}

static void a_box_holds_what_it_took(void **state)
{
    (void)state;
    PeltiBox box = pelti_box_empty, other = {{-5, 0, 0}, {-4, 0, 9}};
    pelti_box_take(&box, vec3(1, 2, 3));
    pelti_box_take(&box, vec3(-1, NAN, 4)); // what is no number is left out
    assert_true(box.low.x == -1 && box.low.y == 2 && box.low.z == 3 && box.high.x == 1 && box.high.y == 2 && box.high.z == 4);
    pelti_box_join(&box, &other);
    assert_true(box.low.x == -5 && box.low.y == 0 && box.low.z == 0 && box.high.x == 1 && box.high.y == 2 && box.high.z == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_agree_with_brute_force_after_a_refit),
                                       cmocka_unit_test(pairs_come_in_one_order_for_any_thread_count),
                                       cmocka_unit_test(nearest_agrees_with_brute_force),
                                       cmocka_unit_test(winding_of_a_box_is_one_inside),
                                       cmocka_unit_test(broken_and_empty_items_are_found_by_nobody),
                                       cmocka_unit_test(a_box_holds_what_it_took),
                                       cmocka_unit_test(branches_are_left_out_without_losing_a_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
