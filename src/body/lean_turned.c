/// Finds triangles that are turned over against those around them, which then lean on blending.
#include "body/lean_turned.h"
#include "geometry/triangles.h"

#include <string.h>

enum { GRAIN = 1024 };

typedef struct TurnedLook {
    PeltiLeanTurned *turned;
    const Vec3 *x;
    bool *out;
} TurnedLook;

static void find_normal(const TurnedLook *look, int triangle)
{
    const int *t = look->turned->mesh->triangles[triangle];
    const Vec3 *x = look->x;
    look->turned->normal[triangle] = pelti_triangle_normal(x, t);
}

static void find_turned(const TurnedLook *look, int t)
{
    const PeltiLeanTurned *l = look->turned;
    Vec3 around = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        around = l->across[t][k] < 0 ? around : vec3_add(around, l->normal[l->across[t][k]]);
    look->out[t] = vec3_dot(l->normal[t], around) < 0;
    if (look->out != l->at_rest)
        look->out[t] &= !l->at_rest[t];
}

static void normal_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    for (int t = begin; t < end; t++)
        find_normal(context, t);
}

static void turned_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    for (int t = begin; t < end; t++)
        find_turned(context, t);
}

void pelti_lean_turned_find(PeltiLeanTurned *turned, const Vec3 *x, PeltiJobs *jobs, bool *out)
{
    TurnedLook look = {turned, x, out};
    pelti_parallel_for(jobs, turned->mesh->triangle_count, GRAIN, normal_range, &look);
    pelti_parallel_for(jobs, turned->mesh->triangle_count, GRAIN, turned_range, &look);
}

// ---- some of them ----

static void list_triangle(PeltiLeanTurned *l, int triangle, int *count)
{
    if (!l->listed_scratch[triangle])
        l->list[(*count)++] = triangle;
    l->listed_scratch[triangle] = true;
}

static void unlist(PeltiLeanTurned *l, int count)
{
    for (int i = 0; i < count; i++)
        l->listed_scratch[l->list[i]] = false;
}

void pelti_lean_turned_list(PeltiLeanTurned *l, const int *vertices, int count)
{
    const PeltiMesh *mesh = l->mesh;
    l->list_count = 0;
    for (int i = 0; i < count; i++)
        for (int k = mesh->fan_start[vertices[i]]; k < mesh->fan_start[vertices[i] + 1]; k++)
            list_triangle(l, mesh->fan[k], &l->list_count);
    unlist(l, l->list_count);
}

static void some_normals(void *context, int begin, int end, int worker)
{
    (void)worker;
    TurnedLook *look = context;
    for (int i = begin; i < end; i++)
        find_normal(look, look->turned->list[i]);
}

static void some_turned(void *context, int begin, int end, int worker)
{
    (void)worker;
    TurnedLook *look = context;
    for (int i = begin; i < end; i++)
        find_turned(look, look->turned->list[i]);
}

void pelti_lean_turned_again(PeltiLeanTurned *l, const Vec3 *x, PeltiJobs *jobs, bool *out)
{
    TurnedLook look = {l, x, out};
    int count = 0; // with those across
    pelti_parallel_for(jobs, l->list_count, GRAIN, some_normals, &look);
    for (; count < l->list_count; count++)
        l->listed_scratch[l->list[count]] = true;
    for (int i = 0; i < 3 * l->list_count; i++) {
        int across = l->across[l->list[i / 3]][i % 3];
        if (across >= 0)
            list_triangle(l, across, &count);
    }
    unlist(l, count);
    pelti_parallel_for(jobs, count, GRAIN, some_turned, &look);
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
                             .normal = PELTI_NEW(pool, Vec3, count),
                             .list = PELTI_NEW(pool, int, count),
                             .listed_scratch = PELTI_NEW(pool, bool, count)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)count * 37);
    for (int t = 0; t < count; t++)
        for (int k = 0; k < 3; k++)
            out->across[t][k] = find_across(mesh, t, k);
    pelti_lean_turned_find(out, mesh->rest, NULL, out->at_rest);
    return PELT_OK;
}
