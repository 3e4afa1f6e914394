/// A bumpy closed tube with four layers, for the tests of the layered method.
#ifndef PELT_TESTS_LAYERED_GRID_H
#define PELT_TESTS_LAYERED_GRID_H

#include "check.h"

#include "methods/layered/match.h"

#include <string.h>

static inline float grid_random(uint32_t *seed) // in [-1, 1)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1;
}

/// A torus of `around` x `along` vertices, tube radius 0.2, size about 1.
static inline PeltiMesh *grid_mesh(PeltiPool *pool, int around, int along)
{
    int n = around * along, count = 0;
    Vec3 *p = PELTI_NEW(pool, Vec3, n);
    int *zero = PELTI_NEW(pool, int, n);
    int(*t)[3] = pelti_pool_take(pool, (size_t)n * 2, 3 * sizeof(int));
    for (int i = 0; i < along; i++)
        for (int k = 0; k < around; k++) {
            float a = 6.2831853f * (float)k / (float)around, b = 6.2831853f * (float)i / (float)along;
            float r = 0.5f + 0.2f * cosf(a);
            p[i * around + k] = vec3(r * cosf(b), r * sinf(b), 0.2f * sinf(a));
            int u = i * around + k, v = i * around + (k + 1) % around, w = (i + 1) % along * around + k,
                x = (i + 1) % along * around + (k + 1) % around, two[2][3] = {{u, w, v}, {v, w, x}};
            memcpy(t[count], two, sizeof two);
            count += 2;
        }
    PeltiMesh *mesh = NULL;
    PeltError err;
    PeltiMeshInput def = {.point_count = n,
                          .triangle_count = count,
                          .weld_positions = p,
                          .rest = p,
                          .instance_of_point = zero,
                          .point_triangles = (const int(*)[3])t};
    assert_int_equal(pelti_mesh_build(pool, &def, &mesh, &err), PELT_OK);
    return mesh;
}

/// Layers towards the tube's axis, masses that differ, positions off rest by a rotation and noise.
static inline void grid_match(PeltiPool *pool, const PeltiMesh *mesh, const PeltiLayeredPaths *paths, PeltiLayeredMatch *match,
                              float noise)
{
    PeltError err;
    uint32_t seed = 5;
    assert_int_equal(pelti_layered_match_new(pool, paths, 8, match, &err), PELT_OK);
    for (int s = 0; s < paths->slot_count; s++) {
        Vec3 p = mesh->rest[paths->vertex[s]];
        float b = atan2f(p.y, p.x);
        Vec3 axis = vec3(0.5f * cosf(b), 0.5f * sinf(b), 0);
        for (int l = 0; l < PELTI_LAYERS; l++) {
            Vec3 q = vec3_lerp(p, axis, 0.25f * (float)l);
            size_t i = (size_t)s * PELTI_LAYERS + (size_t)l;
            match->rest[0][i] = q.x;
            match->rest[1][i] = q.y;
            match->rest[2][i] = q.z;
            match->mass[i] = 1 + 0.9f * grid_random(&seed);
            match->moment[i] = match->mass[i] * 0.2f * 1e-4f;
            match->stiffness[i] = 0.5f;
        }
    }
    pelti_layered_match_prepare(match);
    Quat turn = quat_axis_angle(vec3(0.6f, 0, 0.8f), 1.2f);
    for (size_t i = 0; i < (size_t)paths->slot_count * PELTI_LAYERS; i++) {
        Vec3 x = quat_rotate(turn, vec3(match->rest[0][i], match->rest[1][i], match->rest[2][i]));
        match->x[0][i] = x.x + noise * grid_random(&seed);
        match->x[1][i] = x.y + noise * grid_random(&seed);
        match->x[2][i] = x.z + noise * grid_random(&seed);
    }
}
#endif
