/// The runs of each region along the paths hold its vertices, each once.
#include "grid.h"

static void every_run_set_is_its_region(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = grid_mesh(&pool, 24, 40);
    PeltError err;
    int *distance = PELTI_NEW(&pool, int, mesh->vertex_count), *queue = PELTI_NEW(&pool, int, mesh->vertex_count);
    for (int omega = 0; omega <= 4; omega++) {
        PeltiLayeredPaths paths;
        assert_int_equal(pelti_layered_paths_build(&pool, mesh, omega, &paths, &err), PELT_OK);
        long runs = 0;
        for (int s = 0; s < paths.slot_count; s++) {
            assert_int_equal(paths.slot[paths.vertex[s]], s);
            for (int v = 0; v < mesh->vertex_count; v++)
                distance[v] = -1;
            int filled = 1, size = 0, covered = 0;
            queue[0] = paths.vertex[s];
            distance[queue[0]] = 0;
            for (int i = 0; i < filled; i++)
                for (int r = mesh->ring_start[queue[i]]; r < mesh->ring_start[queue[i] + 1]; r++)
                    if (distance[mesh->ring[r]] < 0) {
                        distance[mesh->ring[r]] = distance[queue[i]] + 1;
                        queue[filled++] = mesh->ring[r];
                    }
            for (int v = 0; v < mesh->vertex_count; v++)
                size += distance[v] >= 0 && distance[v] <= omega;
            assert_int_equal(paths.region_size[s], size);
            for (int r = paths.run_start[s]; r < paths.run_start[s + 1]; r++, runs++) {
                const PeltiLayeredTile *tile = &paths.tiles[paths.tile[s]];
                for (int i = paths.runs[r][0]; i < paths.runs[r][0] + paths.runs[r][1]; i++, covered++)
                    assert_in_range(distance[paths.vertex[pelti_layered_path_slot(&paths, tile, i)]], 0, omega);
            }
            assert_int_equal(covered, size);
        }
        printf("omega %d: %.2f runs a region, %d paths\n", omega, (double)runs / paths.slot_count, paths.path_count);
        // a perfect strip pattern needs 2 omega + 1 runs; the tiles' rims add a few
        assert_true((double)runs / paths.slot_count < 2.2 * omega + 2);
    }
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_run_set_is_its_region)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
