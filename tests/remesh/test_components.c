/// Components that enclose too little, or nothing, are dropped; the others stay as they were.
#include "check.h"

#include "remesh/surface.h"

#include <string.h>

static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

/// Tetrahedra with these edges one after the other; a negative edge is turned inside out: a hollow.
static void fill(PeltiRemeshSurface *s, int count, const float *edges)
{
    *s = (PeltiRemeshSurface){0};
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    s->allocator = pool.allocator;
    assert_int_equal(pelti_remesh_reserve(s, 4 * count, 4 * count, NULL), PELT_OK);
    for (int k = 0; k < count; k++) {
        float edge = fabsf(edges[k]);
        const Vec3 corners[4] = {{0, 0, 0}, {edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
        for (int i = 0; i < 4; i++) {
            s->position[4 * k + i] = vec3_add(corners[i], vec3(3 * (float)k, 100, 0)); // far from the origin
            s->normal[4 * k + i] = vec3((float)(4 * k + i), 0, 0);
            s->size[4 * k + i] = (float)(4 * k + i);
            for (int c = 0; c < 3; c++)
                s->corner[3 * (4 * k + i) + c] = 4 * k + faces[i][edges[k] < 0 ? 2 - c : c];
        }
    }
    s->vertex_count = s->triangle_count = 4 * count;
    assert_int_equal(pelti_remesh_connect(s, NULL), PELT_OK);
}

static void crumbs_and_hollows_go(void **state)
{
    (void)state;
    PeltiRemeshSurface s;
    fill(&s, 4, (const float[]){0.1f, 1, -0.9f, 0.8f}); // volumes 0.001, 1, hollow, 0.512 of the largest
    assert_int_equal(pelti_remesh_keep(&s, 0.01f, NULL), PELT_OK);
    assert_int_equal(s.vertex_count, 8);
    assert_int_equal(s.triangle_count, 8);
    for (int v = 0; v < 8; v++) { // what stays goes along with all that belongs to it
        int from = v < 4 ? 4 + v : 8 + v;
        CHECK_NEAR(s.normal[v].x, from, 0);
        CHECK_NEAR(s.size[v], from, 0);
        CHECK_NEAR(s.position[v].x, from < 8 ? (v == 1 ? 4 : 3) : (v == 5 ? 9.8 : 9), 1e-5);
    }
    for (int h = 0; h < 24; h++)
        assert_int_equal(s.opposite[s.opposite[h]], h);
    pelti_remesh_release(&s);
}

static void the_share_decides(void **state)
{
    (void)state;
    PeltiRemeshSurface s;
    const float edges[] = {0.5f, 1, 0.79f}; // an eighth, all, half
    const struct {
        float least;
        int kept;
    } tries[] = {{0, 12}, {0.1f, 12}, {0.2f, 8}, {0.6f, 4}};
    for (int k = 0; k < 4; k++) {
        fill(&s, 3, edges);
        assert_int_equal(pelti_remesh_keep(&s, tries[k].least, NULL), PELT_OK);
        assert_int_equal(s.vertex_count, tries[k].kept);
        pelti_remesh_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crumbs_and_hollows_go), cmocka_unit_test(the_share_decides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
