/// Islands of pairs that cross, by blending or as it leans: whether more of them are deep than by blending.
#include "body/lean_islands.h"

#include "core/roots.h"

#include <string.h>

PeltStatus pelti_lean_islands_create(const PeltiMesh *mesh, int capacity, PeltiPool *pool, PeltiLeanIslands *out, PeltError *err)
{
    *out = (PeltiLeanIslands){.mesh = mesh,
                              .home = PELTI_NEW(pool, PeltiPair, capacity),
                              .capacity = capacity,
                              .root = PELTI_NEW(pool, int, mesh->vertex_count),
                              .of = PELTI_NEW(pool, PeltiLeanIsland, mesh->vertex_count)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)capacity * sizeof *out->home);
    pelti_lean_islands_begin(out, out->home, 0);
    return PELT_OK;
}

static PeltiLeanIsland *island_of(PeltiLeanIslands *l, int vertex)
{
    return &l->of[pelti_root_of(l->root, vertex)];
}

static void join(PeltiLeanIslands *l, const PeltiPair *pairs, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 1; k < 6; k++)
            pelti_roots_join(l->root, l->mesh->triangles[pairs[i].a][0],
                             l->mesh->triangles[k < 3 ? pairs[i].a : pairs[i].b][k % 3]);
}

void pelti_lean_islands_begin(PeltiLeanIslands *l, const PeltiPair *home, int count)
{
    l->home_count = count < l->capacity ? count : l->capacity;
    for (int i = 0; i < l->home_count; i++)
        l->home[i] = home[i];
    for (int v = 0; v < l->mesh->vertex_count; v++)
        l->root[v] = v;
    join(l, l->home, l->home_count);
}

static void add(PeltiLeanIslands *l, const PeltiPair *pairs, int count, int by)
{
    for (int i = 0; i < count; i++) {
        PeltiLeanIsland *of = island_of(l, l->mesh->triangles[pairs[i].a][0]);
        of->all += pairs[i].tag != PELTI_CROSSES_SHALLOW ? by : 0;
        of->anew += pairs[i].tag == PELTI_CROSSES_ANEW ? by : 0;
    }
}

bool pelti_lean_islands_count(PeltiLeanIslands *l, const PeltiPair *now, int count)
{
    bool worse = false;
    join(l, now, count);
    memset(l->of, 0, (size_t)l->mesh->vertex_count * sizeof *l->of);
    add(l, l->home, l->home_count, -1);
    add(l, now, count, 1);
    for (int i = 0; i < count && !worse; i++)
        worse = pelti_lean_islands_worse(l, l->mesh->triangles[now[i].a][0]);
    return worse;
}

bool pelti_lean_islands_worse(PeltiLeanIslands *l, int vertex)
{
    const PeltiLeanIsland *of = island_of(l, vertex);
    return of->all > 0 || of->anew > 0;
}
