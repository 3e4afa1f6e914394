/// Lengths along edges are the shortest there are.
#include "check.h"

#include "builtin/builtin.h"

/// Shortest ways along edges by the plain method: each vertex looks at all edges, as often as there are vertices.
static void shortest(const PeltiMesh *mesh, float limit, double *distance)
{
    for (int round = 0; round < mesh->vertex_count; round++)
        for (int e = 0; e < mesh->edge_count; e++)
            for (int side = 0; side < 2; side++) {
                int from = mesh->edges[e][side], to = mesh->edges[e][1 - side];
                double way = distance[from] + (double)vec3_distance(mesh->rest[from], mesh->rest[to]);
                if (way < distance[to] && way < (double)limit)
                    distance[to] = way;
            }
}

static void lengths_along_edges_are_the_shortest(void **state)
{
    (void)state;
    PeltiCharacter *who;
    PeltiBuiltinOptions options = {.vertices = 500};
    assert_int_equal(pelti_builtin_make("cylinder", &options, NULL, NULL, &who, NULL), PELT_OK);
    const PeltiMesh *mesh = who->mesh;
    float *found = PELTI_NEW(&who->pool, float, mesh->vertex_count);
    double *plain = PELTI_NEW(&who->pool, double, mesh->vertex_count);
    const float limits[] = {INFINITY, 0.4f * mesh->diagonal, 0};
    for (int k = 0; k < 3; k++) {
        int reached = 0;
        for (int v = 0; v < mesh->vertex_count; v++)
            plain[v] = (double)(found[v] = v == 7 || v == mesh->vertex_count - 3 ? 0 : INFINITY);
        pelti_mesh_spread(mesh, limits[k], found);
        shortest(mesh, limits[k], plain);
        for (int v = 0; v < mesh->vertex_count; v++) {
            assert_int_equal(isfinite(found[v]) != 0, isfinite(plain[v]) != 0);
            reached += isfinite(found[v]) != 0;
            if (isfinite(found[v]))
                CHECK_NEAR(found[v], plain[v], 1e-5 * (double)mesh->diagonal);
        }
        assert_true(k == 0 ? reached == mesh->vertex_count : k == 1 ? reached > 2 && reached < mesh->vertex_count : reached == 2);
    }
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lengths_along_edges_are_the_shortest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
