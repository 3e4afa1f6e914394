/// Puts skin in the order in which it looks at the field, so that what lies together looks together.
/// Eight points look at a time, and each part that reaches one of them is evaluated for all: skin of one part that lies
/// together looks together, whatever the mesh' own order is.
#include "methods/tracking/tracking.h"

#include <stdlib.h>

typedef struct CurvePlace {
    uint64_t key; ///< the part, then the place at rest along Morton's curve, which fills space
    int vertex;
} CurvePlace;

enum { AXIS_BITS = 10 };

static int compare_places(const void *a, const void *b)
{
    const CurvePlace *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/// Cell of a coordinate, a share of the size: 0 where it is no number.
static uint64_t cell_of(float share)
{
    const float cells = (float)(1 << AXIS_BITS);
    return share > 0 ? (uint64_t)fminf(share * cells, cells - 1) : 0;
}

static uint64_t curve_at(Vec3 share)
{
    const uint64_t cell[3] = {cell_of(share.x), cell_of(share.y), cell_of(share.z)};
    uint64_t key = 0;
    for (int bit = AXIS_BITS - 1; bit >= 0; bit--)
        for (int i = 0; i < 3; i++)
            key = key << 1 | (cell[i] >> bit & 1);
    return key;
}

PeltStatus pelti_tracking_order_looks(Tracking *t, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    int n = mesh->vertex_count;
    PeltiPool work;
    pelti_pool_init(&work, &t->pool.allocator);
    CurvePlace *places = PELTI_NEW(&work, CurvePlace, n);
    if (!places)
        return pelti_no_memory(err, sizeof(CurvePlace) * (size_t)n);
    Vec3 low = n ? mesh->rest[0] : vec3(0, 0, 0);
    for (int v = 0; v < n; v++)
        low = vec3_min(low, mesh->rest[v]);
    for (int v = 0; v < n; v++) {
        Vec3 share = vec3_scale(vec3_sub(mesh->rest[v], low), 1 / mesh->diagonal);
        places[v] = (CurvePlace){(uint64_t)(t->fields->vertex_part[v] + 1) << (3 * AXIS_BITS) | curve_at(share), v};
    }
    qsort(places, (size_t)n, sizeof *places, compare_places);
    for (int k = 0; k < n; k++)
        t->surface.look_order[k] = places[k].vertex;
    pelti_pool_release(&work);
    return PELT_OK;
}
