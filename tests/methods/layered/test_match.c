/// Fast sums of shape matching equal plain ones; flat and line-like regions are stable.
#include "core/hash.h"
#include "grid.h"

/// The plain sums, particle by particle in double: what the shipped passes must equal. Goals of all particles.
static void plain_goals(const PeltiMesh *mesh, const PeltiLayeredMatch *m, int omega, double (*goal)[3], int *mark, int *list)
{
    int n = mesh->vertex_count, *count = calloc((size_t)n * 4, sizeof(int));
    memset(goal, 0, sizeof *goal * (size_t)n * 4);
    memset(mark, 0xff, sizeof(int) * (size_t)n);
    for (int s = 0; s < n; s++) {
        int filled = 1, done = 0, v = m->paths->vertex[s];
        list[0] = v;
        mark[v] = s;
        for (int level = 0; level < omega; level++)
            for (int end = filled; done < end; done++)
                for (int r = mesh->ring_start[list[done]]; r < mesh->ring_start[list[done] + 1]; r++)
                    if (mark[mesh->ring[r]] != s) {
                        mark[mesh->ring[r]] = s;
                        list[filled++] = mesh->ring[r];
                    }
        for (int l = 0; l < 4; l++) {
            size_t member[256];
            int members = 0;
            for (int i = 0; i < filled; i++)
                member[members++] = (size_t)m->paths->slot[list[i]] * 4 + (size_t)l;
            if (l > 0)
                member[members++] = (size_t)s * 4 + (size_t)l - 1;
            if (l < 3)
                member[members++] = (size_t)s * 4 + (size_t)l + 1;
            double mass = 0, c[3] = {0}, c0[3] = {0}, a[3][3] = {{0}};
            for (int i = 0; i < members; i++) {
                double w = (double)m->mass[member[i]];
                mass += w;
                for (int k = 0; k < 3; k++) {
                    c[k] += w * (double)m->x[k][member[i]];
                    c0[k] += w * (double)m->rest[k][member[i]];
                }
            }
            Mat3 sum;
            for (int i = 0; i < members; i++)
                for (int p = 0; p < 3; p++)
                    for (int q = 0; q < 3; q++) {
                        size_t slot = member[i] / 4;
                        double turn = (double)m->rotation[slot / 2].m[p][q][slot % 2 * 4 + member[i] % 4];
                        a[p][q] += (double)m->moment[member[i]] * turn + (double)m->mass[member[i]] *
                                                                             ((double)m->x[p][member[i]] - c[p] / mass) *
                                                                             ((double)m->rest[q][member[i]] - c0[q] / mass);
                        sum.m[p][q] = (float)a[p][q];
                    }
            Mat3 r = mat3_polar(sum, NULL);
            for (int i = 0; i < members; i++) {
                count[member[i]]++;
                for (int p = 0; p < 3; p++) {
                    double g = c[p] / mass;
                    for (int q = 0; q < 3; q++)
                        g += (double)r.m[p][q] * ((double)m->rest[q][member[i]] - c0[q] / mass);
                    goal[member[i]][p] += g;
                }
            }
        }
    }
    for (int i = 0; i < n * 4; i++)
        for (int p = 0; p < 3; p++)
            goal[i][p] /= count[i];
    free(count);
}

static void fast_sums_equal_plain_ones(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = grid_mesh(&pool, 24, 43);
    int n = mesh->vertex_count, *mark = PELTI_NEW(&pool, int, n), *list = PELTI_NEW(&pool, int, n);
    double(*goal)[3] = pelti_pool_take(&pool, (size_t)n * 4, 3 * sizeof(double));
    for (int omega = 1; omega <= 3; omega++) {
        PeltiLayeredPaths paths;
        PeltiLayeredMatch match;
        PeltError err;
        assert_int_equal(pelti_layered_paths_build(&pool, mesh, omega, &paths, &err), PELT_OK);
        grid_match(&pool, mesh, &paths, &match, 0.01f);
        float *before[3];
        double worst = 0;
        for (int iteration = 0; iteration < 3; iteration++) { // the second and third start from turned particles
            plain_goals(mesh, &match, omega, goal, mark, list);
            for (int k = 0; k < 3; k++) {
                before[k] = PELTI_NEW(&pool, float, n * 4);
                memcpy(before[k], match.x[k], sizeof(float) * (size_t)n * 4);
            }
            pelti_layered_match_iterate(&match, NULL, NULL, NULL);
            for (int i = 0; i < n * 4; i++)
                for (int k = 0; k < 3; k++)
                    worst = fmax(worst,
                                 fabs((double)match.x[k][i] - (double)before[k][i] - 0.5 * (goal[i][k] - (double)before[k][i])));
        }
        printf("omega %d: fast against plain %.2g of the size\n", omega, worst);
        assert_true(worst < 1e-5);
    }
    pelti_pool_release(&pool);
}

static void rest_and_rigid_motion_stay(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = grid_mesh(&pool, 16, 40);
    PeltiLayeredPaths paths;
    PeltiLayeredMatch match;
    PeltError err;
    assert_int_equal(pelti_layered_paths_build(&pool, mesh, 2, &paths, &err), PELT_OK);
    grid_match(&pool, mesh, &paths, &match, 0);
    for (int turned = 1; turned >= 0; turned--) {
        Quat turn = turned ? quat_axis_angle(vec3(0.6f, 0, 0.8f), 1.2f) : quat_identity();
        for (int i = 0; i < 30; i++)
            pelti_layered_match_iterate(&match, NULL, NULL, NULL);
        for (int i = 0; i < paths.slot_count * 4;
             i++) { // turned: the particles start untwisted and pull until they have turned too
            Vec3 x = quat_rotate(turn, vec3(match.rest[0][i], match.rest[1][i], match.rest[2][i]));
            CHECK_NEAR(vec3_distance(x, vec3(match.x[0][i], match.x[1][i], match.x[2][i])), 0, turned ? 2e-4 : 1e-5);
        }
        pelti_layered_match_prepare(&match);
    }
    pelti_pool_release(&pool);
}

static void flat_and_line_like_regions_are_stable(void **state)
{
    (void)state;
    // all layers and all vertices in a plane, then on a line, then in one point: the moments of the particles decide
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = grid_mesh(&pool, 8, 12);
    PeltiLayeredPaths paths;
    PeltError err;
    assert_int_equal(pelti_layered_paths_build(&pool, mesh, 1, &paths, &err), PELT_OK);
    for (int flat = 1; flat <= 3; flat++) {
        PeltiLayeredMatch match;
        grid_match(&pool, mesh, &paths, &match, 0);
        for (int k = 0; k < flat; k++)
            memset(match.rest[k], 0, sizeof(float) * (size_t)paths.slot_count * 4);
        pelti_layered_match_prepare(&match);
        for (int i = 0; i < paths.slot_count * 4; i++)
            match.x[0][i] += 0.01f * (float)(i % 7);
        for (int i = 0; i < 200; i++)
            pelti_layered_match_iterate(&match, NULL, NULL, NULL);
        for (int i = 0; i < paths.slot_count * 4; i++)
            for (int k = 0; k < 3; k++)
                assert_true(fabsf(match.x[k][i]) < 1);
    }
    pelti_pool_release(&pool);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = grid_mesh(&pool, 24, 43);
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
        PeltiLayeredPaths paths;
        PeltiLayeredMatch match;
        PeltError err;
        PeltiJobs *jobs = run ? pelti_jobs_create(1 + run * 2) : NULL;
        assert_int_equal(pelti_layered_paths_build(&pool, mesh, 2, &paths, &err), PELT_OK);
        grid_match(&pool, mesh, &paths, &match, 0.02f);
        for (int i = 0; i < 5; i++)
            pelti_layered_match_iterate(&match, jobs, NULL, NULL);
        hash[run] = pelti_hash(PELTI_HASH_START, match.x[0], sizeof(float) * (size_t)paths.slot_count * 4);
        pelti_jobs_destroy(jobs);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_sums_equal_plain_ones),
        cmocka_unit_test(rest_and_rigid_motion_stay),
        cmocka_unit_test(flat_and_line_like_regions_are_stable),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
