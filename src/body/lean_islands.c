/// Islands of pairs that cross, by blending or as it leans: whether more cross there than by blending.
#include "body/lean_islands.h"

#include "core/roots.h"

#include <string.h>

PeltStatus pelti_lean_islands_create(const PeltiMesh *mesh, int capacity, PeltiPool *pool, PeltiLeanIslands *out, PeltError *err)
{
    *out = (PeltiLeanIslands){.mesh = mesh,
                              .home = PELTI_NEW(pool, PeltiPair, capacity),
                              .capacity = capacity,
                              .root = PELTI_NEW(pool, int, mesh->vertex_count),
                              .count = PELTI_NEW(pool, int, mesh->vertex_count)};
    return pool->failed ? pelti_no_memory(err, (size_t)capacity * sizeof *out->home) : PELT_OK;
}

static int root_of(PeltiLeanIslands *l, const PeltiPair *pair)
{
    return pelti_root_of(l->root, l->mesh->triangles[pair->a][0]);
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
    memcpy(l->home, home, (size_t)l->home_count * sizeof *home);
    for (int v = 0; v < l->mesh->vertex_count; v++)
        l->root[v] = v;
    join(l, l->home, l->home_count);
}

void pelti_lean_islands_count(PeltiLeanIslands *l, const PeltiPair *now, int count)
{
    join(l, now, count);
    memset(l->count, 0, (size_t)l->mesh->vertex_count * sizeof *l->count);
    for (int i = 0; i < l->home_count; i++)
        l->count[root_of(l, &l->home[i])]--;
    for (int i = 0; i < count; i++)
        l->count[root_of(l, &now[i])]++;
}

bool pelti_lean_islands_worse(PeltiLeanIslands *l, const PeltiPair *pair)
{
    return l->count[root_of(l, pair)] > 0;
}
