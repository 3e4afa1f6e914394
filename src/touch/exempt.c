/// What the rest pose crosses is the artist's: clothes over skin, eyes in sockets, parts that were pushed into each other.
/// Two components that cross at rest may cross wherever they lie near each other at rest; within one component the triangles
/// that cross and one ring around them may cross each other.
#include "touch/constants.def"
#include "touch/parts.h"

enum { MOST_COMPONENTS = 4096 };

static bool components_cross(const PeltiTouch *t, int a, int b)
{
    return t->rest.crossed_stride > 0 &&
           (t->rest.crossed[(size_t)a * (size_t)t->rest.crossed_stride + (size_t)(b >> 3)] >> (b & 7) & 1);
}

bool pelti_touch_exempt_vertices(const PeltiTouch *t, int p, int q)
{
    if (t->rest.crossings == 0)
        return false;
    int a = t->mesh->component[p], b = t->mesh->component[q];
    if (a == b)
        return t->rest.tangled[p] && t->rest.tangled[q];
    return components_cross(t, a, b) && vec3_distance(t->mesh->rest[p], t->mesh->rest[q]) < NEAR_AT_REST * t->rest.size;
}

bool pelti_touch_exempt_triangles(const PeltiTouch *t, int a, int b)
{
    const int *p = t->mesh->triangles[a], *q = t->mesh->triangles[b];
    for (int i = 0; i < 9; i++)
        if (pelti_touch_exempt_vertices(t, p[i / 3], q[i % 3]))
            return true;
    return false;
}

static void mark_components(PeltiTouch *t, int a, int b)
{
    if (t->rest.crossed_stride > 0) {
        t->rest.crossed[(size_t)a * (size_t)t->rest.crossed_stride + (size_t)(b >> 3)] |= (unsigned char)(1 << (b & 7));
        t->rest.crossed[(size_t)b * (size_t)t->rest.crossed_stride + (size_t)(a >> 3)] |= (unsigned char)(1 << (a & 7));
    }
}

static void grow_tangled(PeltiTouch *t)
{
    const PeltiMesh *mesh = t->mesh;
    for (int v = 0; v < t->count; v++)
        for (int r = mesh->ring_start[v]; !t->rest.tangled[v] && r < mesh->ring_start[v + 1]; r++)
            if (t->rest.tangled[mesh->ring[r]] == 1)
                t->rest.tangled[v] = 2;
}

PeltStatus pelti_touch_find_exempt(PeltiTouch *t, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    int components = mesh->component_count;
    if (components > 1 && components <= MOST_COMPONENTS) {
        t->rest.crossed_stride = (components + 7) / 8;
        t->rest.crossed = PELTI_NEW(&t->pool, unsigned char, (size_t)components *(size_t)t->rest.crossed_stride);
        if (!t->rest.crossed)
            return pelti_no_memory(err, (size_t)components * (size_t)t->rest.crossed_stride);
    }
    int found = pelti_touch_find_crossings(t, mesh->rest);
    for (int i = 0; i < t->crossings.count; i++) {
        const int *p = mesh->triangles[t->crossings.list[i].a], *q = mesh->triangles[t->crossings.list[i].b];
        int a = mesh->component[p[0]], b = mesh->component[q[0]];
        if (a != b && t->rest.crossed_stride > 0)
            mark_components(t, a, b);
        else
            for (int k = 0; k < 3; k++)
                t->rest.tangled[p[k]] = t->rest.tangled[q[k]] = 1;
    }
    grow_tangled(t);
    t->rest.crossings = found;
    return PELT_OK;
}
