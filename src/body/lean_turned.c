/// Triangles that are turned over against those around them.
#include "body/lean_turned.h"

#include <string.h>

enum { GRAIN = 1024 };

typedef struct Look {
    PeltiLeanTurned *turned;
    const Vec3 *x;
    bool *out;
} Look;

static void normal_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Look *look = context;
    const Vec3 *x = look->x;
    for (int i = begin; i < end; i++) {
        const int *t = look->turned->mesh->triangles[i];
        look->turned->normal[i] = vec3_cross(vec3_sub(x[t[1]], x[t[0]]), vec3_sub(x[t[2]], x[t[0]]));
    }
}

static void turned_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Look *look = context;
    const PeltiLeanTurned *l = look->turned;
    for (int t = begin; t < end; t++) {
        Vec3 around = {0, 0, 0};
        for (int k = 0; k < 3; k++)
            around = l->across[t][k] < 0 ? around : vec3_add(around, l->normal[l->across[t][k]]);
        look->out[t] = vec3_dot(l->normal[t], around) < 0;
        if (look->out != l->at_rest)
            look->out[t] &= !l->at_rest[t];
    }
}

void pelti_lean_turned_find(PeltiLeanTurned *turned, const Vec3 *x, PeltiJobs *jobs, bool *out)
{
    Look look = {turned, x, out};
    pelti_parallel_for(jobs, turned->mesh->triangle_count, GRAIN, normal_range, &look);
    pelti_parallel_for(jobs, turned->mesh->triangle_count, GRAIN, turned_range, &look);
}

/// The triangle across the edge of corners a and b: of the two in the fans of both the other one.
static int find_across(const PeltiMesh *mesh, int triangle, int corner)
{
    int edge = mesh->triangle_edges[triangle][corner], a = mesh->edges[edge][0], b = mesh->edges[edge][1];
    if (mesh->edge_use[edge] != 2)
        return -1;
    for (int i = mesh->fan_start[a]; i < mesh->fan_start[a + 1]; i++) {
        const int *t = mesh->triangles[mesh->fan[i]];
        if (mesh->fan[i] != triangle && (t[0] == b || t[1] == b || t[2] == b))
            return mesh->fan[i];
    }
    return -1;
}

PeltStatus pelti_lean_turned_create(const PeltiMesh *mesh, PeltiPool *pool, PeltiLeanTurned *out, PeltError *err)
{
    int count = mesh->triangle_count;
    *out = (PeltiLeanTurned){.mesh = mesh,
                             .across = pelti_pool_take(pool, (size_t)count, sizeof(int[3])),
                             .at_rest = PELTI_NEW(pool, bool, count),
                             .home = PELTI_NEW(pool, bool, count),
                             .now = PELTI_NEW(pool, bool, count),
                             .normal = PELTI_NEW(pool, Vec3, count)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)count * 32);
    for (int t = 0; t < count; t++)
        for (int k = 0; k < 3; k++)
            out->across[t][k] = find_across(mesh, t, k);
    pelti_lean_turned_find(out, mesh->rest, NULL, out->at_rest);
    return PELT_OK;
}
