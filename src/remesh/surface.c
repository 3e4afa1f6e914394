/// Half edges: cut, join and turn in place.
#include "remesh/surface.h"

#include <string.h>

/// Grows arrays of equal counts together: all of them or, where memory is refused, none.
static bool grow(const PeltAllocator *allocator, int count, void *fields[], const size_t sizes[], size_t old_count,
                 size_t new_count)
{
    void *fresh[4];
    for (int i = 0; i < count; i++) {
        fresh[i] = pelti_alloc(allocator, new_count * sizes[i]);
        if (!fresh[i]) {
            while (i-- > 0)
                pelti_free(allocator, fresh[i], new_count * sizes[i]);
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        if (old_count)
            memcpy(fresh[i], fields[i], old_count * sizes[i]);
        memset((char *)fresh[i] + old_count * sizes[i], 0, (new_count - old_count) * sizes[i]);
        pelti_free(allocator, fields[i], old_count * sizes[i]);
        fields[i] = fresh[i];
    }
    return true;
}

PeltStatus pelti_remesh_reserve(PeltiRemeshSurface *s, int vertices, int triangles, PeltError *err)
{
    size_t bytes = (size_t)vertices * 2 * (sizeof(Vec3) + sizeof(int)) + (size_t)triangles * 6 * sizeof(int);
    if (vertices > s->vertex_capacity) {
        void *field[4] = {s->position, s->normal, s->size, s->out};
        const size_t sizes[4] = {sizeof(Vec3), sizeof(Vec3), sizeof(float), sizeof(int)};
        if (!grow(&s->allocator, 4, field, sizes, (size_t)s->vertex_capacity, (size_t)vertices))
            return pelti_no_memory(err, bytes);
        s->position = field[0];
        s->normal = field[1];
        s->size = field[2];
        s->out = field[3];
        s->vertex_capacity = vertices;
    }
    if (triangles > s->triangle_capacity) {
        void *field[2] = {s->corner, s->opposite};
        const size_t sizes[2] = {sizeof(int[3]), sizeof(int[3])};
        if (!grow(&s->allocator, 2, field, sizes, (size_t)s->triangle_capacity, (size_t)triangles))
            return pelti_no_memory(err, bytes);
        s->corner = field[0];
        s->opposite = field[1];
        s->triangle_capacity = triangles;
    }
    return PELT_OK;
}

void pelti_remesh_release(PeltiRemeshSurface *s)
{
    size_t v = (size_t)s->vertex_capacity, t = (size_t)s->triangle_capacity * 3;
    pelti_free(&s->allocator, s->position, v * sizeof(Vec3));
    pelti_free(&s->allocator, s->normal, v * sizeof(Vec3));
    pelti_free(&s->allocator, s->size, v * sizeof(float));
    pelti_free(&s->allocator, s->out, v * sizeof(int));
    pelti_free(&s->allocator, s->corner, t * sizeof(int));
    pelti_free(&s->allocator, s->opposite, t * sizeof(int));
    *s = (PeltiRemeshSurface){.allocator = s->allocator};
}

/// Twins by sorting half edges into buckets of their lower vertex.
PeltStatus pelti_remesh_connect(PeltiRemeshSurface *s, PeltError *err)
{
    int halves = 3 * s->triangle_count;
    PeltiPool pool;
    pelti_pool_init(&pool, &s->allocator);
    int *first = PELTI_NEW(&pool, int, s->vertex_count + 2), *bucket = PELTI_NEW(&pool, int, halves);
    PeltStatus status = pool.failed ? pelti_no_memory(err, (size_t)halves * sizeof(int)) : PELT_OK;
    for (int h = 0; h < halves && status == PELT_OK; h++) {
        int a = s->corner[h], b = s->corner[pelti_remesh_next(h)];
        first[(a < b ? a : b) + 2]++;
        s->out[a] = h;
    }
    for (int v = 0; v < s->vertex_count && status == PELT_OK; v++)
        first[v + 2] += first[v + 1];
    for (int h = 0; h < halves && status == PELT_OK; h++) {
        int a = s->corner[h], b = s->corner[pelti_remesh_next(h)];
        bucket[first[(a < b ? a : b) + 1]++] = h;
    }
    for (int h = 0; h < halves && status == PELT_OK; h++) {
        int a = s->corner[h], b = s->corner[pelti_remesh_next(h)], low = a < b ? a : b, twins = 0;
        for (int i = first[low]; i < first[low + 1]; i++) {
            int other = bucket[i], oa = s->corner[other], ob = s->corner[pelti_remesh_next(other)];
            twins += oa == b && ob == a ? 1 : other != h && oa == a && ob == b ? 2 : 0;
            if (oa == b && ob == a)
                s->opposite[h] = other;
        }
        if (twins != 1)
            status = PELT_FAIL(err, PELT_FAILED, "edge %d-%d of the extracted surface is not manifold", a, b);
    }
    int reached = 0; // half edges met by walking round each vertex once: fewer than all means a vertex of two fans
    for (int v = 0; v < s->vertex_count && status == PELT_OK; v++) {
        int h = s->out[v];
        do {
            reached++;
            h = s->opposite[pelti_remesh_previous(h)];
        } while (h != s->out[v]);
    }
    if (status == PELT_OK && reached != halves)
        status = PELT_FAIL(err, PELT_FAILED, "the extracted surface has a vertex with two fans");
    pelti_pool_release(&pool);
    return status;
}
