/// Remeshing gives the wanted number of even triangles that do not cross, finer at detail, and leaves what it cannot mend.
#include "volume.h"
#include "check.h"
#include <string.h>
#include <stdlib.h>

static const float RADIUS = 0.3f;

static float ball_distance(const void *context, Vec3 p)
{
    (void)context;
    return vec3_length(p) - RADIUS;
}

static Vec3 ball_gradient(const void *context, Vec3 p)
{
    (void)context;
    return vec3_normalize_or(p, vec3(0, 1, 0));
}

static Vec3 ball_project(const void *context, Vec3 p, Vec3 normal, float reach)
{
    (void)normal;
    (void)context;
    (void)reach;
    return vec3_scale(vec3_normalize_or(p, vec3(0, 1, 0)), RADIUS);
}

static float fine_above(const void *context, Vec3 p) // edges half as long in the upper half
{
    (void)context;
    return p.y > 0 ? 0.5f : 1;
}

static PeltiRemeshShape ball(void)
{
    return (PeltiRemeshShape){.low = {-0.35f, -0.35f, -0.35f},
                              .high = {0.35f, 0.35f, 0.35f},
                              .distance = ball_distance,
                              .gradient = ball_gradient,
                              .project = ball_project};
}

static PeltiRemeshSurface make(const PeltiRemeshShape *shape, int vertices, PeltiJobs *jobs)
{
    PeltiRemeshSurface surface;
    PeltError err;
    if (pelti_remesh_make(shape, (PeltiRemeshGoal){.voxel = 0.02f, .vertices = vertices}, jobs, NULL, &surface, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return surface;
}

static void a_ball_gets_the_wanted_number_of_even_triangles(void **state)
{
    (void)state;
    PeltiRemeshShape shape = ball();
    PeltiRemeshSurface s = make(&shape, 800, NULL);
    assert_int_equal(s.vertex_count - s.triangle_count / 2, 2); // closed, genus 0
    assert_true(abs(s.vertex_count - 800) <= 80);
    float longest = 0, shortest = INFINITY;
    for (int h = 0; h < 3 * s.triangle_count; h++) {
        float length = vec3_distance(s.position[s.corner[h]], s.position[s.corner[pelti_remesh_next(h)]]);
        longest = fmaxf(longest, length);
        shortest = fminf(shortest, length);
        assert_int_equal(s.opposite[s.opposite[h]], h);
    }
    assert_true(longest < 2.5f * shortest);
    for (int v = 0; v < s.vertex_count; v++) {
        CHECK_NEAR(vec3_length(s.position[v]), RADIUS, 1e-5);
        assert_true(vec3_dot(s.normal[v], s.position[v]) > 0.999f * RADIUS);
    }
    const double ball_volume = 4 / 3.0 * 3.14159265 * (double)(RADIUS * RADIUS * RADIUS);
    assert_true(volume(&s) > 0.97 * ball_volume && volume(&s) < ball_volume);
    long crossings = -1;
    assert_int_equal(pelti_remesh_crossings(&s, NULL, &crossings, NULL), PELT_OK);
    assert_int_equal(crossings, 0);
    pelti_remesh_release(&s);
}

static void detail_makes_edges_shorter(void **state)
{
    (void)state;
    PeltiRemeshShape shape = ball();
    shape.detail = fine_above;
    PeltiRemeshSurface s = make(&shape, 1500, NULL);
    int above = 0;
    for (int v = 0; v < s.vertex_count; v++)
        above += s.position[v].y > 0;
    assert_true(above > 2 * (s.vertex_count - above));
    pelti_remesh_release(&s);
}

static void subdivision_quarters_and_stays_on_the_shape(void **state)
{
    (void)state;
    PeltiRemeshShape shape = ball();
    PeltiRemeshSurface s = make(&shape, 600, NULL);
    int triangles = s.triangle_count;
    double before = volume(&s);
    assert_int_equal(pelti_remesh_subdivide(&shape, &s, NULL, NULL, NULL), PELT_OK);
    assert_int_equal(s.triangle_count, 4 * triangles);
    assert_true(volume(&s) > before);
    for (int v = 0; v < s.vertex_count; v++)
        CHECK_NEAR(vec3_length(s.position[v]), RADIUS, 1e-5);
    pelti_remesh_release(&s);
}

static void crossing_triangles_are_counted(void **state)
{
    (void)state;
    Vec3 x[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2f, 0.2f, -1}, {0.2f, 0.2f, 1}, {0.3f, 0.2f, 1}};
    int corner[6] = {0, 1, 2, 3, 4, 5};
    PeltiPool pool; // for the default allocator
    pelti_pool_init(&pool, NULL);
    PeltiRemeshSurface s = {.allocator = pool.allocator, .vertex_count = 6, .triangle_count = 2, .position = x, .corner = corner};
    long crossings = 0;
    assert_int_equal(pelti_remesh_crossings(&s, NULL, &crossings, NULL), PELT_OK);
    assert_int_equal(crossings, 1);
    pelti_pool_release(&pool);
}

/// A vertex dragged over an edge of its ring, a hair above it, lays a triangle flat on its neighbour, and nothing crosses.
static void what_is_folded_flat_is_smoothed(void **state)
{
    (void)state;
    PeltiRemeshShape shape = ball();
    PeltiRemeshSurface s = make(&shape, 800, NULL);
    int h0 = s.out[0], u = s.corner[pelti_remesh_next(h0)], w = s.corner[pelti_remesh_previous(h0)], folded[2] = {0, 0};
    Vec3 middle = vec3_lerp(s.position[u], s.position[w], 0.5f), over = vec3_mad(middle, vec3_sub(middle, s.position[0]), 0.15f);
    s.position[0] = vec3_mad(over, s.normal[0], 0.02f * vec3_distance(s.position[u], s.position[w]));
    long crossings = -1;
    assert_int_equal(pelti_remesh_crossings(&s, NULL, &crossings, NULL), PELT_OK);
    assert_int_equal(crossings, 0);
    for (int round = 0; round < 2; round++) {
        for (int h = 0; h < 3 * s.triangle_count; h++) {
            Vec3 n[2];
            for (int side = 0; side < 2; side++) {
                const int *c = &s.corner[3 * ((side ? s.opposite[h] : h) / 3)];
                Vec3 a = s.position[c[0]];
                n[side] = vec3_cross(vec3_sub(s.position[c[1]], a), vec3_sub(s.position[c[2]], a));
            }
            folded[round] += vec3_dot(n[0], n[1]) < -0.96f * vec3_length(n[0]) * vec3_length(n[1]);
        }
        assert_int_equal(pelti_remesh_apart(&s, true, NULL, NULL), PELT_OK);
    }
    assert_true(folded[0] > 0);
    assert_int_equal(folded[1], 0);
    pelti_remesh_release(&s);
}

/// Smoothing would draw it all into one place, where ever more crosses.
static void what_crosses_everywhere_is_left_alone(void **state)
{
    (void)state;
    PeltiRemeshShape shape = ball();
    PeltiRemeshSurface s = make(&shape, 800, NULL);
    for (int v = 0; v < s.vertex_count; v++) { // each where another was
        int u = (int)((unsigned)v * 7919u % (unsigned)s.vertex_count);
        Vec3 x = s.position[v];
        s.position[v] = s.position[u], s.position[u] = x;
    }
    Vec3 *before = malloc(sizeof(Vec3) * (size_t)s.vertex_count);
    memcpy(before, s.position, sizeof(Vec3) * (size_t)s.vertex_count);
    assert_int_equal(pelti_remesh_apart(&s, true, NULL, NULL), PELT_OK);
    assert_memory_equal(before, s.position, sizeof(Vec3) * (size_t)s.vertex_count);
    free(before);
    pelti_remesh_release(&s);
}

static Vec3 stay(const void *context, Vec3 p, Vec3 normal, float reach)
{
    (void)context;
    (void)normal;
    (void)reach;
    return p;
}

/// A lens of two cones, as flat as a fin: at its rim no triangle faces the way of a corner's normal.
static PeltiRemeshSurface fin(int sides)
{
    PeltiPool pool; // for the default allocator
    pelti_pool_init(&pool, NULL);
    PeltiRemeshSurface s = {.allocator = pool.allocator};
    pelti_pool_release(&pool);
    assert_int_equal(pelti_remesh_reserve(&s, sides + 2, 2 * sides, NULL), PELT_OK);
    s.vertex_count = sides + 2;
    s.triangle_count = 2 * sides;
    s.position[sides] = vec3(0, 0, 0.02f);
    s.position[sides + 1] = vec3(0, 0, -0.02f);
    for (int i = 0; i < sides; i++) {
        float angle = 6.2831853f * (float)i / (float)sides, radius = i % 2 ? 0.6f : 1; // notched
        s.position[i] = vec3(radius * cosf(angle), 0.4f * radius * sinf(angle), 0);
        memcpy(&s.corner[6 * i], (int[6]){i, (i + 1) % sides, sides, (i + 1) % sides, i, sides + 1}, 6 * sizeof(int));
    }
    assert_int_equal(pelti_remesh_connect(&s, NULL), PELT_OK);
    return s;
}

/// Edges that can neither be flipped nor collapsed along a ridge gather there.
static void a_ridge_gathers_no_crumbs(void **state)
{
    (void)state;
    PeltiRemeshSurface s = fin(40);
    PeltiRemeshShape shape = {.project = stay, .finest = 0.4f, .sharp = true};
    assert_int_equal(pelti_remesh_even(&shape, &s, 1500, NULL, NULL), PELT_OK);
    int *edges = calloc((size_t)s.vertex_count, sizeof(int)), most = 0, crumbs = 0;
    float mean = 0;
    for (int h = 0; h < 3 * s.triangle_count; h++) {
        mean +=
            vec3_distance(s.position[s.corner[h]], s.position[s.corner[pelti_remesh_next(h)]]) / (float)(3 * s.triangle_count);
        edges[s.corner[h]]++;
    }
    for (int h = 0; h < 3 * s.triangle_count; h++)
        crumbs += vec3_distance(s.position[s.corner[h]], s.position[s.corner[pelti_remesh_next(h)]]) < 0.1f * mean;
    for (int v = 0; v < s.vertex_count; v++)
        most = edges[v] > most ? edges[v] : most;
    print_message("valence %d, %d crumbs of %d\n", most, crumbs, 3 * s.triangle_count);
    assert_true(most <= 10);
    assert_true(crumbs < 3 * s.triangle_count / 200);
    free(edges);
    pelti_remesh_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_gets_the_wanted_number_of_even_triangles),
        cmocka_unit_test(detail_makes_edges_shorter),
        cmocka_unit_test(subdivision_quarters_and_stays_on_the_shape),
        cmocka_unit_test(crossing_triangles_are_counted),
        cmocka_unit_test(what_is_folded_flat_is_smoothed),
        cmocka_unit_test(what_crosses_everywhere_is_left_alone),
        cmocka_unit_test(a_ridge_gathers_no_crumbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
