/// Meshes weld, close and cap as they should; normals, cotangents and counts are right; refused memory is a clean failure.
#include "check.h"

#include "core/clock.h"
#include "geometry/mesh.h"

#include <string.h>

static PeltiMesh *build(PeltiPool *pool, int points, const Vec3 *p, const int *instance, int triangles, const int (*t)[3])
{
    PeltiMesh *mesh = NULL;
    PeltError err = {0};
    int *zero = instance ? NULL : PELTI_NEW(pool, int, points);
    PeltiMeshInput def = {.point_count = points,
                          .triangle_count = triangles,
                          .weld_positions = p,
                          .rest = p,
                          .instance_of_point = instance ? instance : zero,
                          .point_triangles = t};
    assert_int_equal(pelti_mesh_build(pool, &def, &mesh, &err), PELT_OK);
    return mesh;
}

// a unit cube whose six faces have four points each, as an exporter with hard normals writes it
static void make_cube(Vec3 p[24], int t[12][3])
{
    for (int f = 0; f < 6; f++) {
        int axis = f / 2, side = f % 2;
        for (int k = 0; k < 4; k++) {
            float c[3];
            c[axis] = (float)side;
            c[(axis + 1) % 3] = (float)(k & 1);
            c[(axis + 2) % 3] = (float)(k >> 1);
            p[f * 4 + k] = vec3(c[0], c[1], c[2]);
        }
        int q[2][2][3] = {{{0, 2, 1}, {1, 2, 3}}, {{0, 1, 2}, {1, 3, 2}}};
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++)
                t[f * 2 + i][k] = f * 4 + q[side][i][k];
    }
}

static void cube_of_split_faces_welds_and_closes(void **state)
{
    (void)state;
    Vec3 p[24];
    int t[12][3];
    make_cube(p, t);
    p[23].x += 2e-7f; // below half the tolerance of 1e-6 sqrt 3
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *m = build(&pool, 24, p, NULL, 12, (const int(*)[3])t);
    assert_int_equal(m->vertex_count, 8);
    assert_int_equal(m->triangle_count, 12);
    assert_int_equal(m->edge_count, 18);
    assert_int_equal(m->component_count, 1);
    assert_true(m->closed);
    CHECK_NEAR(pelti_mesh_volume(m, m->rest), 1, 1e-6);
    CHECK_NEAR(m->diagonal, sqrt(3), 1e-6);
    for (int v = 0; v < 8; v++) {
        assert_true(m->first_point[v] < 24 && m->weld[m->first_point[v]] == v);
        assert_true(v == 0 || m->first_point[v] > m->first_point[v - 1]);
    }
    int degree = 0;
    for (int v = 0; v < 8; v++)
        for (int r = m->ring_start[v]; r < m->ring_start[v + 1]; r++, degree++) {
            assert_true(r == m->ring_start[v] || m->ring[r] > m->ring[r - 1]);
            int e = pelti_mesh_edge(m, v, m->ring[r]);
            assert_true(e >= 0 && m->edges[e][0] < m->edges[e][1]);
            assert_true((m->edges[e][0] == v) != (m->edges[e][1] == v));
            assert_int_equal(m->edge_use[e], 2);
        }
    assert_int_equal(degree, 36);
    int none = 0;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            none += a != b && pelti_mesh_edge(m, a, b) < 0;
    assert_int_equal(none, 56 - 36);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) {
            assert_int_equal(m->triangle_edges[i][k], pelti_mesh_edge(m, m->triangles[i][k], m->triangles[i][(k + 1) % 3]));
            int found = 0;
            for (int f = m->fan_start[m->triangles[i][k]]; f < m->fan_start[m->triangles[i][k] + 1]; f++)
                found += m->fan[f] == i;
            assert_int_equal(found, 1);
        }
    pelti_pool_release(&pool);
}

static void normals_point_outward(void **state)
{
    (void)state;
    Vec3 p[24], n[8];
    int t[12][3];
    make_cube(p, t);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *m = build(&pool, 24, p, NULL, 12, (const int(*)[3])t);
    pelti_mesh_normals(m, m->rest, n);
    for (int v = 0; v < 8; v++) {
        CHECK_NEAR(vec3_length(n[v]), 1, 1e-6);
        assert_true(vec3_dot(n[v], vec3_sub(m->rest[v], vec3(0.5f, 0.5f, 0.5f))) > 0.5f);
    }
    pelti_pool_release(&pool);
}

static void open_cube_is_capped(void **state)
{
    (void)state;
    Vec3 p[24];
    int t[12][3];
    make_cube(p, t);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *m = build(&pool, 24, p, NULL, 10, (const int(*)[3])t); // without the face z = 1
    assert_int_equal(m->border_edge_count, 4);
    assert_false(m->closed);
    assert_int_equal(m->hole_count, 1);
    assert_int_equal(m->hole_start[1], 4);
    CHECK_NEAR(pelti_mesh_volume(m, m->rest), 1, 1e-6);
    m = build(&pool, 24, p, NULL, 8, (const int(*)[3])t); // without both faces of z: two loops
    assert_int_equal(m->hole_count, 2);
    CHECK_NEAR(pelti_mesh_volume(m, m->rest), 1, 1e-6);
    pelti_pool_release(&pool);
}

static void instances_are_kept_apart(void **state)
{
    (void)state;
    Vec3 p[48];
    int t[24][3], instance[48];
    make_cube(p, t);
    memcpy(p + 24, p, 24 * sizeof *p);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++)
            t[12 + i][k] = t[i][k] + 24;
    for (int i = 0; i < 48; i++)
        instance[i] = i / 24;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *m = build(&pool, 48, p, instance, 24, (const int(*)[3])t);
    assert_int_equal(m->vertex_count, 16);
    assert_int_equal(m->component_count, 2);
    assert_int_equal(m->dropped_duplicate, 0);
    for (int v = 0; v < 16; v++)
        assert_int_equal(m->vertex_instance[v], m->component[v]);
    memset(instance, 0, sizeof instance);
    m = build(&pool, 48, p, instance, 24, (const int(*)[3])t);
    assert_int_equal(m->vertex_count, 8);
    assert_int_equal(m->dropped_duplicate, 12);
    assert_true(m->closed);
    pelti_pool_release(&pool);
}

static void bad_triangles_are_counted(void **state)
{
    (void)state;
    // 0-1-2 and its mirror, a degenerate one, a fin on edge 0-1 (with a fourth: non-manifold), one wound the wrong way, a lone
    // vertex
    Vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {9, 9, 9}, {0, 0, 0}, {-1, 1, 0}};
    int t[][3] = {{0, 1, 2}, {2, 1, 0}, {0, 6, 1}, {0, 1, 3}, {1, 0, 4}, {0, 2, 7}};
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *m = build(&pool, 8, p, NULL, 6, (const int(*)[3])t);
    assert_int_equal(m->vertex_count, 7);
    assert_int_equal(m->triangle_count, 4);
    assert_int_equal(m->dropped_degenerate, 1);
    assert_int_equal(m->dropped_duplicate, 1);
    assert_int_equal(m->nonmanifold_edge_count, 1);
    assert_int_equal(m->unused_vertex_count, 1);
    assert_int_equal(m->component_count, 2);
    int border = 0, inconsistent = 0;
    for (int e = 0; e < m->edge_count; e++)
        border += m->edge_use[e] == 1;
    assert_int_equal(border, m->border_edge_count);
    int u[][3] = {{0, 1, 2}, {0, 1, 3}};
    m = build(&pool, 8, p, NULL, 2, (const int(*)[3])u);
    inconsistent = m->inconsistent_edge_count;
    assert_int_equal(inconsistent, 1);
    pelti_pool_release(&pool);
}

static void empty_meshes_build(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    Vec3 p[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    int t[1][3] = {{0, 1, 2}};
    PeltiMesh *m = build(&pool, 0, p, NULL, 0, (const int(*)[3])t);
    assert_int_equal(m->vertex_count, 0);
    assert_false(m->closed);
    CHECK_NEAR(pelti_mesh_volume(m, m->rest), 0, 0);
    m = build(&pool, 3, p, NULL, 1, (const int(*)[3])t);
    assert_int_equal(m->vertex_count, 1);
    assert_int_equal(m->dropped_degenerate, 1);
    float w[1], area[1], length[1];
    Vec3 n[1];
    pelti_mesh_cotangents(m, m->rest, 0, w, area);
    pelti_mesh_normals(m, m->rest, n);
    pelti_mesh_edge_lengths(m, m->rest, length);
    CHECK_NEAR(n[0].z, 1, 0);
    CHECK_NEAR(length[0], 0, 0);
    pelti_pool_release(&pool);
}

static void cotangents_of_known_angles(void **state)
{
    (void)state;
    // two equilateral triangles at edge 0-1, sides 1, and a right isosceles one at 0-2
    float h = sqrtf(3) / 2;
    Vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0.5f, h, 0}, {0.5f, -h, 0}};
    int t[][3] = {{0, 1, 2}, {1, 0, 3}};
    float w[5], area[4], cot60 = 1 / sqrtf(3);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *m = build(&pool, 4, p, NULL, 2, (const int(*)[3])t);
    pelti_mesh_cotangents(m, m->rest, 0, w, area);
    CHECK_NEAR(w[pelti_mesh_edge(m, 0, 1)], cot60, 1e-6);
    CHECK_NEAR(w[pelti_mesh_edge(m, 0, 2)], cot60 / 2, 1e-6);
    CHECK_NEAR(area[0], 2 * h / 2 / 3, 1e-6);
    CHECK_NEAR(area[2], h / 2 / 3, 1e-6);
    // obtuse: the long side has a negative weight, kept at zero or at the given share of the mean of the positive ones
    Vec3 q[] = {{0, 0, 0}, {1, 0, 0}, {0.5f, 0.1f, 0}, {0.5f, -0.1f, 0}};
    pelti_mesh_cotangents(m, q, 0, w, area);
    CHECK_NEAR(w[pelti_mesh_edge(m, 0, 1)], 0, 0);
    float side = w[pelti_mesh_edge(m, 0, 2)];
    CHECK_NEAR(side, 2.5, 1e-4); // half of cot atan(0.2)
    pelti_mesh_cotangents(m, q, 0.1f, w, area);
    CHECK_NEAR(w[pelti_mesh_edge(m, 0, 1)], 0.1f * side, 1e-5);
    float length[4];
    pelti_mesh_edge_lengths(m, m->rest, length);
    CHECK_NEAR(length[3], 1, 1e-6);
    pelti_pool_release(&pool);
}

static void a_million_vertices_are_no_trouble(void **state)
{
    (void)state;
    enum { SIDE = 1000 };
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    Vec3 *p = PELTI_NEW(&pool, Vec3, SIDE * SIDE);
    int(*t)[3] = pelti_pool_take(&pool, (size_t)((SIDE - 1) * (SIDE - 1) * 2), 3 * sizeof(int)), n = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        p[i] = vec3((float)(i % SIDE), (float)(i / SIDE), 0);
    for (int y = 0; y + 1 < SIDE; y++)
        for (int x = 0; x + 1 < SIDE; x++) {
            int a = y * SIDE + x, q[2][3] = {{a, a + 1, a + SIDE}, {a + 1, a + SIDE + 1, a + SIDE}};
            memcpy(t[n], q, sizeof q);
            n += 2;
        }
    double start = pelti_clock_ms();
    PeltiMesh *m = build(&pool, SIDE * SIDE, p, NULL, n, (const int(*)[3])t);
    double ms = pelti_clock_ms() - start;
    printf("1M vertices, 2M triangles: %.0f ms\n", ms);
    assert_int_equal(m->vertex_count, SIDE * SIDE);
    assert_int_equal(m->edge_count, 2 * SIDE * (SIDE - 1) + (SIDE - 1) * (SIDE - 1));
    assert_int_equal(m->border_edge_count, 4 * (SIDE - 1));
    assert_int_equal(m->hole_count, 1);
    pelti_pool_release(&pool);
}

static int allowance;
static void *counted_alloc(size_t bytes, void *user)
{
    (void)user;
    return allowance-- > 0 ? aligned_alloc(64, (bytes + 63) & ~(size_t)63) : NULL;
}
static void counted_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

static void every_refused_allocation_is_a_clean_failure(void **state)
{
    (void)state;
    Vec3 p[24];
    int t[12][3], zero[24] = {0}, failures = 0;
    make_cube(p, t);
    PeltAllocator counted = {counted_alloc, counted_free, NULL};
    for (int n = 0; n < 100; n++) {
        PeltiPool pool;
        PeltError err = {0};
        PeltiMesh *m = NULL;
        pelti_pool_init(&pool, &counted);
        allowance = n;
        PeltiMeshInput def = {.point_count = 24,
                              .triangle_count = 12,
                              .weld_positions = p,
                              .rest = p,
                              .instance_of_point = zero,
                              .point_triangles = (const int(*)[3])t};
        PeltStatus status = pelti_mesh_build(&pool, &def, &m, &err);
        failures += status != PELT_OK;
        assert_true((status == PELT_OK) == (m != NULL));
        pelti_pool_release(&pool);
    }
    assert_true(failures > 0 && failures < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_of_split_faces_welds_and_closes),
        cmocka_unit_test(normals_point_outward),
        cmocka_unit_test(open_cube_is_capped),
        cmocka_unit_test(instances_are_kept_apart),
        cmocka_unit_test(bad_triangles_are_counted),
        cmocka_unit_test(empty_meshes_build),
        cmocka_unit_test(cotangents_of_known_angles),
        cmocka_unit_test(a_million_vertices_are_no_trouble),
        cmocka_unit_test(every_refused_allocation_is_a_clean_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
