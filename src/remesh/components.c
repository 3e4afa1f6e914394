/// Components of a surface: what encloses too little is dropped.
#include "core/roots.h"
#include "remesh/surface.h"

static void join_corners(const PeltiRemeshSurface *s, int *root)
{
    for (int v = 0; v < s->vertex_count; v++)
        root[v] = v;
    for (int t = 0; t < s->triangle_count; t++)
        for (int i = 0; i < 2; i++)
            pelti_roots_join(root, s->corner[3 * t + i], s->corner[3 * t + i + 1]);
    for (int v = 0; v < s->vertex_count; v++)
        root[v] = pelti_root_of(root, v);
}

/// Six times the volume each component encloses, by its root.
static void enclosed(const PeltiRemeshSurface *s, const int *root, double *volume)
{
    for (int t = 0; t < s->triangle_count; t++) {
        const int *c = &s->corner[3 * t];
        Vec3 origin = s->position[root[c[0]]];
        Vec3 a = vec3_sub(s->position[c[0]], origin), b = vec3_sub(s->position[c[1]], origin);
        volume[root[c[0]]] += (double)vec3_dot(a, vec3_cross(b, vec3_sub(s->position[c[2]], origin)));
    }
}

PeltStatus pelti_remesh_keep(PeltiRemeshSurface *s, float least, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, &s->allocator);
    int *root = PELTI_NEW(&pool, int, s->vertex_count), *number = PELTI_NEW(&pool, int, s->vertex_count);
    double *volume = PELTI_NEW(&pool, double, s->vertex_count), most = 0;
    if (pool.failed) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, (size_t)s->vertex_count * 16);
    }
    join_corners(s, root);
    enclosed(s, root, volume);
    for (int v = 0; v < s->vertex_count; v++)
        most = volume[v] > most ? volume[v] : most;
    int vertices = 0, triangles = 0;
    for (int v = 0; v < s->vertex_count; v++) {
        number[v] = volume[root[v]] > (double)least * most ? vertices++ : -1;
        if (number[v] < 0)
            continue;
        s->position[number[v]] = s->position[v];
        s->normal[number[v]] = s->normal[v];
        s->size[number[v]] = s->size[v];
    }
    for (int t = 0; t < s->triangle_count; t++) {
        if (number[s->corner[3 * t]] < 0)
            continue;
        for (int i = 0; i < 3; i++)
            s->corner[3 * triangles + i] = number[s->corner[3 * t + i]];
        triangles++;
    }
    s->vertex_count = vertices;
    s->triangle_count = triangles;
    pelti_pool_release(&pool);
    return pelti_remesh_connect(s, err);
}
