/// Mean value coordinates reproduce a flat ring's middle; relaxation and smoothing move only what they may.
#include "chain.h"

#include "methods/implicit/implicit.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

typedef struct Skin {
    PeltiCharacter *who;
    PeltiPool pool;
    Implicit m;
    Vec3 *normals;
} Skin;

static void start(Skin *s)
{
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS;
    s->who = make_chain((ChainBones){2, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    pelti_pool_init(&s->pool, NULL);
    int n = s->who->mesh->vertex_count;
    s->m = (Implicit){.who = s->who, .mesh = s->who->mesh, .set = {.smooth_passes = 3}};
    s->m.rest.ring_share = PELTI_NEW(&s->pool, float, s->who->mesh->ring_start[n]);
    s->m.now.x = PELTI_NEW(&s->pool, Vec3, n);
    s->m.now.x_scratch = PELTI_NEW(&s->pool, Vec3, n);
    s->m.now.normal = PELTI_NEW(&s->pool, Vec3, n);
    s->m.now.residual = PELTI_NEW(&s->pool, float, n);
    s->m.now.state = PELTI_NEW(&s->pool, unsigned char, n);
    s->m.now.touch = PELTI_NEW(&s->pool, float, n);
    s->m.now.touch_scratch = PELTI_NEW(&s->pool, float, n);
    pelti_mesh_normals(s->m.mesh, s->m.mesh->rest, s->m.now.normal);
    pelti_implicit_coordinates(&s->m, s->m.now.normal);
    memcpy(s->m.now.x, s->m.mesh->rest, sizeof(Vec3) * (size_t)n);
}

static void stop(Skin *s)
{
    pelti_character_destroy(s->who);
    pelti_pool_release(&s->pool);
}

static void coordinates_sum_to_one_and_reproduce_the_vertex(void **state)
{
    (void)state;
    Skin s;
    start(&s);
    int with = 0;
    for (int v = 0; v < s.m.mesh->vertex_count; v++) {
        float sum = 0;
        Vec3 middle = {0, 0, 0};
        for (int e = s.m.mesh->ring_start[v]; e < s.m.mesh->ring_start[v + 1]; e++) {
            sum += s.m.rest.ring_share[e];
            middle = vec3_mad(middle, vec3_sub(s.m.mesh->rest[s.m.mesh->ring[e]], s.m.mesh->rest[v]), s.m.rest.ring_share[e]);
        }
        if (sum == 0)
            continue;
        with++;
        CHECK_NEAR(sum, 1, 1e-5);
        middle = vec3_mad(middle, s.m.now.normal[v], -vec3_dot(middle, s.m.now.normal[v]));
        CHECK_NEAR(vec3_length(middle), 0, 1e-5); // seen along the normal, the vertex is its neighbours' mean
    }
    assert_true(with > s.m.mesh->vertex_count * 9 / 10);
    stop(&s);
}

/// At rest nothing moves; a vertex off its place goes back along the surface, the farther from its value the more.
static void relaxation_goes_back_along_the_surface(void **state)
{
    (void)state;
    Skin s;
    start(&s);
    int v = 16 * AROUND + 3, n = s.m.mesh->vertex_count;
    for (int i = 0; i < n; i++)
        s.m.now.residual[i] = 0.5f;
    pelti_implicit_relax(&s.m);
    for (int i = 0; i < n; i++)
        CHECK_NEAR(vec3_distance(s.m.now.x[i], s.m.mesh->rest[i]), 0, 1e-5);
    Vec3 aside = vec3(0.03f, 0, 0), normal = s.m.now.normal[v];
    float moved[3];
    for (int k = 0; k < 3; k++) {
        memcpy(s.m.now.x, s.m.mesh->rest, sizeof(Vec3) * (size_t)n);
        s.m.now.x[v] = vec3_add(s.m.now.x[v], aside);
        s.m.now.residual[v] = 0.5f * (float)k;
        pelti_implicit_relax(&s.m);
        Vec3 by = vec3_sub(s.m.now.x[v], vec3_add(s.m.mesh->rest[v], aside));
        CHECK_NEAR(vec3_dot(by, normal), 0, 1e-6);
        moved[k] = -vec3_dot(by, aside) / vec3_dot(aside, aside);
    }
    CHECK_NEAR(moved[0], 0, 0); // it has arrived
    CHECK_NEAR(moved[1], 1 - 0.0625, 1e-3);
    CHECK_NEAR(moved[2], 1, 1e-3);
    s.m.now.state[v] = IMPLICIT_VERTEX_STOPPED;
    memcpy(s.m.now.x, s.m.mesh->rest, sizeof(Vec3) * (size_t)n);
    s.m.now.x[v] = vec3_add(s.m.now.x[v], aside);
    pelti_implicit_relax(&s.m);
    CHECK_NEAR(vec3_distance(s.m.now.x[v], vec3_add(s.m.mesh->rest[v], aside)), 0, 0);
    stop(&s);
}

static void smoothing_spreads_from_stopped_vertices(void **state)
{
    (void)state;
    Skin s;
    start(&s);
    int v = 16 * AROUND + 3, n = s.m.mesh->vertex_count, moved = 0;
    s.m.now.x[v] = vec3_mad(s.m.now.x[v], s.m.now.normal[v], 0.1f);
    Vec3 bump = s.m.now.x[v];
    pelti_implicit_smooth(&s.m); // nothing stopped: nothing to do
    CHECK_NEAR(vec3_distance(s.m.now.x[v], bump), 0, 0);
    s.m.now.state[v] = IMPLICIT_VERTEX_STOPPED;
    s.m.now.state[v + 1] = IMPLICIT_VERTEX_LEFT;
    pelti_implicit_smooth(&s.m);
    assert_true(vec3_dot(vec3_sub(s.m.now.x[v], bump), s.m.now.normal[v]) < -0.01f);
    CHECK_NEAR(vec3_distance(s.m.now.x[v + 1], s.m.mesh->rest[v + 1]), 0, 0);
    for (int i = 0; i < n; i++) {
        float by = vec3_distance(s.m.now.x[i], i == v ? bump : s.m.mesh->rest[i]);
        moved += by > 0;
        if (fabsf(s.m.mesh->rest[i].x - s.m.mesh->rest[v].x) > 1.2f)
            CHECK_NEAR(by, 0, 0);
    }
    assert_in_range(moved, 5, n / 2);
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coordinates_sum_to_one_and_reproduce_the_vertex),
                                       cmocka_unit_test(relaxation_goes_back_along_the_surface),
                                       cmocka_unit_test(smoothing_spreads_from_stopped_vertices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
