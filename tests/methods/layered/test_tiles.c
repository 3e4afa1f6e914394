/// The cut into tiles: every vertex once, no tile too large or nearly empty, each compact.
#include "grid.h"

static void tiles_have_every_vertex_once_and_are_compact(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = grid_mesh(&pool, 48, 100);
    int n = mesh->vertex_count, seen = 0;
    PeltiLayeredPaths paths = {.slot_count = n, .vertex = PELTI_NEW(&pool, int, n), .tile = PELTI_NEW(&pool, int, n)};
    bool *found = PELTI_NEW(&pool, bool, n);
    assert_true(pelti_layered_paths_cut(&pool, mesh, &paths));
    assert_true(paths.tile_count >= (n + PELTI_TILE_MOST - 1) / PELTI_TILE_MOST);
    for (int t = 0; t < paths.tile_count; t++) {
        const PeltiLayeredTile *tile = &paths.tiles[t];
        assert_int_equal(tile->first, seen);
        assert_int_equal(tile->first % PELTI_TILE_STEP, 0);
        assert_in_range(tile->count, PELTI_TILE_MOST / 4, PELTI_TILE_MOST);
        Vec3 low = mesh->rest[paths.vertex[tile->first]], high = low;
        for (int s = tile->first; s < tile->first + tile->count; s++, seen++) {
            int v = paths.vertex[s];
            assert_false(found[v]);
            found[v] = true;
            assert_int_equal(paths.tile[s], t);
            low = vec3_min(low, mesh->rest[v]);
            high = vec3_max(high, mesh->rest[v]);
        }
        assert_true(vec3_distance(low, high) < 0.6f * mesh->diagonal); // slabs or stripes would be as long as the torus is wide
    }
    assert_int_equal(seen, n);
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_have_every_vertex_once_and_are_compact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
