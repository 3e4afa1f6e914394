/// Remembers places where a mesh crosses itself at rest, so that what slides there is no new crossing.
#include "geometry/sunk.h"

#include "geometry/constants.def"

#include <stdlib.h>

static void rest_centre(const PeltiMesh *mesh, int triangle, double out[3])
{
    const int *t = mesh->triangles[triangle];
    Vec3 a = mesh->rest[t[0]], b = mesh->rest[t[1]], c = mesh->rest[t[2]];
    out[0] = ((double)a.x + (double)b.x + (double)c.x) / 3;
    out[1] = ((double)a.y + (double)b.y + (double)c.y) / 3;
    out[2] = ((double)a.z + (double)b.z + (double)c.z) / 3;
}

/// Cells are as wide as the reach and count from the lower corner of the rest shape: 51 at most in an axis, plus the border.
static uint64_t cell_of(const PeltiMesh *mesh, const double at[3], int dx, int dy, int dz)
{
    double edge = SUNK_REACH * (double)mesh->diagonal;
    const Vec3 low = mesh->low;
    int x = (int)((at[0] - (double)low.x) / edge) + 1 + dx, y = (int)((at[1] - (double)low.y) / edge) + 1 + dy;
    int z = (int)((at[2] - (double)low.z) / edge) + 1 + dz;
    return (uint64_t)x << 32 | (uint64_t)y << 16 | (uint64_t)z;
}

static int compare_ends(const void *a, const void *b)
{
    uint64_t x = ((const PeltiSunkEnd *)a)->cell, y = ((const PeltiSunkEnd *)b)->cell;
    return (x > y) - (x < y);
}

static bool near_at_rest(const PeltiSunk *sunk, const double at[3], const double centre[3])
{
    double reach = SUNK_REACH * (double)sunk->mesh->diagonal;
    double x = centre[0] - at[0], y = centre[1] - at[1], z = centre[2] - at[2];
    return x * x + y * y + z * z <= reach * reach;
}

/// Looks at the ends in the cells from `first` to `last`, which follow each other along z. `b` NULL: whatever the other end.
static bool ends_explain(const PeltiSunk *sunk, uint64_t first, uint64_t last, const double a[3], const double *b)
{
    int low = 0, high = 2 * sunk->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sunk->ends[middle].cell < first)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < 2 * sunk->count && sunk->ends[low].cell <= last; low++)
        if ((!b || near_at_rest(sunk, b, sunk->ends[low].far)) && near_at_rest(sunk, a, sunk->ends[low].near))
            return true;
    return false;
}

static bool cells_explain(const PeltiSunk *sunk, const double a[3], const double *b)
{
    for (int k = 0; k < 9; k++) {
        int dx = k % 3 - 1, dy = k / 3 - 1;
        if (ends_explain(sunk, cell_of(sunk->mesh, a, dx, dy, -1), cell_of(sunk->mesh, a, dx, dy, 1), a, b))
            return true;
    }
    return false;
}

PeltStatus pelti_sunk_create(const PeltiMesh *mesh, const PeltiPair *pairs, int count, PeltiPool *pool, PeltiSunk *out,
                             PeltError *err)
{
    *out = (PeltiSunk){.mesh = mesh, .ends = PELTI_NEW(pool, PeltiSunkEnd, 2 * (size_t)count), .count = count};
    out->beside = PELTI_NEW(pool, bool, mesh->triangle_count);
    if (pool->failed)
        return pelti_no_memory(err, 2 * (size_t)count * sizeof *out->ends);
    for (int i = 0; i < 2 * count; i++) {
        PeltiSunkEnd *end = &out->ends[i];
        rest_centre(mesh, i % 2 ? pairs[i / 2].b : pairs[i / 2].a, end->near);
        rest_centre(mesh, i % 2 ? pairs[i / 2].a : pairs[i / 2].b, end->far);
        end->cell = cell_of(mesh, end->near, 0, 0, 0);
    }
    if (count)
        qsort(out->ends, 2 * (size_t)count, sizeof *out->ends, compare_ends);
    for (int t = 0; t < mesh->triangle_count && count; t++) {
        double centre[3];
        rest_centre(mesh, t, centre);
        out->beside[t] = cells_explain(out, centre, NULL);
    }
    return PELT_OK;
}

bool pelti_sunk_explains(const PeltiSunk *sunk, int a, int b)
{
    if (sunk->count == 0 || !sunk->beside[a] || !sunk->beside[b])
        return false;
    double at_a[3], at_b[3];
    rest_centre(sunk->mesh, a, at_a);
    rest_centre(sunk->mesh, b, at_b);
    return cells_explain(sunk, at_a, at_b);
}
