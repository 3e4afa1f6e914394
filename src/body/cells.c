/// Cuts the body into cells of a grid: inside, outside, nearest skin.
#include "body/cells.h"

#include "body/constants.def"
#include "body/cells_parts.h"
#include "body/winding.h"

#include <math.h>
#include <string.h>

// A sheet makes the cells thin whose centres are this near (in cells): a digital plane of this half thickness has no holes
// that faces could leak through, whatever its direction (half of sqrt(3)).
enum { BLOCK = PELTI_WINDING_SIDE };

static int clamp_int(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

static size_t cell_index(const PeltiCells *c, int x, int y, int z)
{
    return ((size_t)z * (size_t)c->n[1] + (size_t)y) * (size_t)c->n[0] + (size_t)x;
}

// ---- nearest triangles ----

static void touch_cells(PeltiCells *c, int triangle, Vec3 a, Vec3 b, Vec3 d)
{
    Vec3 low = vec3_min(a, vec3_min(b, d)), high = vec3_max(a, vec3_max(b, d));
    float reach = CELLS_BAND * c->edge, inverse = 1 / c->edge;
    // its plane is no farther than the triangle: most cells of a slanting one's box are left out (with some room for rounding)
    Vec3 normal = vec3_normalize_or(vec3_cross(vec3_sub(b, a), vec3_sub(d, a)), vec3(0, 0, 0));
    int from[3], to[3];
    const float *l = &low.x, *h = &high.x, *base = &c->low.x;
    for (int k = 0; k < 3; k++) {
        from[k] = clamp_int((int)ceilf((l[k] - reach - base[k]) * inverse), 0, c->n[k] - 1);
        to[k] = clamp_int((int)floorf((h[k] + reach - base[k]) * inverse), 0, c->n[k] - 1);
    }
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++) {
                size_t i = cell_index(c, x, y, z);
                Vec3 at = vec3(c->low.x + c->edge * (float)x, c->low.y + c->edge * (float)y, c->low.z + c->edge * (float)z);
                float least = 0.999f * fabsf(vec3_dot(vec3_sub(at, a), normal));
                if (least > reach || least > c->distance[i])
                    continue;
                float distance = sqrtf((float)pelti_closest_on_triangle(at, a, b, d).squared);
                if (distance < c->distance[i] && distance <= reach) {
                    c->distance[i] = distance;
                    c->near[i] = triangle;
                }
            }
}

/// A long triangle has a large box and few cells near it: it is looked at in parts.
static void touch_parts(PeltiCells *c, int triangle, Vec3 a, Vec3 b, Vec3 d, int depth)
{
    float ab = vec3_distance(a, b), bd = vec3_distance(b, d), da = vec3_distance(d, a);
    float longest = fmaxf(ab, fmaxf(bd, da));
    if (depth == 0 || longest < 4 * c->edge) {
        touch_cells(c, triangle, a, b, d);
        return;
    }
    Vec3 p = a, q = b, r = d; // p-q is the longest
    if (longest == bd)
        p = b, q = d, r = a;
    else if (longest == da)
        p = d, q = a, r = b;
    Vec3 m = vec3_lerp(p, q, 0.5f);
    touch_parts(c, triangle, p, m, r, depth - 1);
    touch_parts(c, triangle, m, q, r, depth - 1);
}

static void find_nearest(PeltiCells *c, const PeltiPieceSoup *soup)
{
    size_t count = pelti_cell_count(c);
    for (size_t i = 0; i < count; i++) {
        c->near[i] = -1;
        c->distance[i] = INFINITY;
    }
    for (int t = 0; t < soup->triangle_count; t++) {
        const int *v = soup->triangles[t];
        touch_parts(c, t, soup->points[v[0]], soup->points[v[1]], soup->points[v[2]], 24);
    }
}

// ---- winding ----

typedef struct Wind {
    PeltiCells *cells;
    const PeltiWinding *winding;
    int blocks[3];
} Wind;

static bool block_is_near(const PeltiCells *c, const int low[3], const int high[3])
{
    for (int z = low[2]; z < high[2]; z++)
        for (int y = low[1]; y < high[1]; y++)
            for (int x = low[0]; x < high[0]; x++)
                if (c->near[cell_index(c, x, y, z)] >= 0)
                    return true;
    return false;
}

/// Cells near the surface are asked one by one; a block far from it has one answer.
static void wind_blocks(void *context, int begin, int end, int worker)
{
    (void)worker;
    Wind *w = context;
    PeltiCells *c = w->cells;
    for (int b = begin; b < end; b++) {
        int low[3] = {b % w->blocks[0] * BLOCK, b / w->blocks[0] % w->blocks[1] * BLOCK, b / w->blocks[0] / w->blocks[1] * BLOCK};
        int high[3];
        for (int k = 0; k < 3; k++)
            high[k] = low[k] + BLOCK < c->n[k] ? low[k] + BLOCK : c->n[k];
        bool near = block_is_near(c, low, high);
        Vec3 middle = vec3(c->low.x + c->edge * 0.5f * (float)(low[0] + high[0] - 1),
                           c->low.y + c->edge * 0.5f * (float)(low[1] + high[1] - 1),
                           c->low.z + c->edge * 0.5f * (float)(low[2] + high[2] - 1));
        float all[PELTI_WINDING_CUBE];
        if (near)
            pelti_winding_cube(w->winding, pelti_cell_centre(c, cell_index(c, low[0], low[1], low[2])), c->edge, all);
        else
            all[0] = pelti_winding_at(w->winding, middle);
        for (int z = low[2]; z < high[2]; z++)
            for (int y = low[1]; y < high[1]; y++)
                for (int x = low[0]; x < high[0]; x++)
                    c->winding[cell_index(c, x, y, z)] = all[near ? ((z - low[2]) * BLOCK + y - low[1]) * BLOCK + x - low[0] : 0];
    }
}

static PeltStatus find_inside(PeltiCells *c, const PeltiCellsDef *def, const PeltAllocator *allocator, PeltError *err)
{
    const PeltiPieceSoup *soup = def->soup;
    PeltiPool pool;
    pelti_pool_init(&pool, allocator);
    PeltiWinding *winding;
    PeltStatus status =
        pelti_winding_create(&pool, soup->triangle_count, (const int(*)[3])soup->triangles, soup->points, &winding, err);
    if (status == PELT_OK) {
        Wind w = {.cells = c, .winding = winding};
        for (int k = 0; k < 3; k++)
            w.blocks[k] = (c->n[k] + BLOCK - 1) / BLOCK;
        pelti_parallel_for(def->jobs, w.blocks[0] * w.blocks[1] * w.blocks[2], 32, wind_blocks, &w);
    }
    pelti_pool_release(&pool);
    return status;
}

static void set_states(PeltiCells *c)
{
    size_t count = pelti_cell_count(c);
    for (size_t i = 0; i < count; i++)
        c->state[i] = c->winding[i] > 0.5f                                       ? PELTI_CELL_SOLID
                      : c->near[i] >= 0 && c->distance[i] < CELLS_THIN * c->edge ? PELTI_CELL_THIN
                                                                                 : PELTI_CELL_OUT;
    for (int z = 0; z < c->n[2]; z++) // the rim stays outside: neighbours need no test
        for (int y = 0; y < c->n[1]; y++)
            for (int x = 0; x < c->n[0]; x++)
                if (x == 0 || y == 0 || z == 0 || x == c->n[0] - 1 || y == c->n[1] - 1 || z == c->n[2] - 1)
                    c->state[cell_index(c, x, y, z)] = PELTI_CELL_OUT;
}

static PeltStatus lay_out(const PeltiPieceSoup *soup, float edge, PeltiPool *pool, PeltiCells *out, PeltError *err)
{
    Vec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (int t = 0; t < soup->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            Vec3 p = soup->points[soup->triangles[t][k]];
            low = t + k ? vec3_min(low, p) : p;
            high = t + k ? vec3_max(high, p) : p;
        }
    *out = (PeltiCells){.edge = edge, .low = vec3_sub(low, vec3_scale(vec3(1, 1, 1), CELLS_MARGIN * edge))};
    const float *l = &low.x, *h = &high.x;
    for (int k = 0; k < 3; k++)
        out->n[k] = (int)((h[k] - l[k]) / edge) + 6;
    size_t count = pelti_cell_count(out);
    out->state = PELTI_NEW(pool, uint8_t, count);
    out->walls = PELTI_NEW(pool, uint8_t, count);
    out->winding = PELTI_NEW(pool, float, count);
    out->near = PELTI_NEW(pool, int, count);
    out->distance = PELTI_NEW(pool, float, count);
    out->label = PELTI_NEW(pool, int, count);
    return pool->failed ? pelti_no_memory(err, count * 18) : PELT_OK;
}

PeltStatus pelti_cells_create(const PeltiCellsDef *def, PeltiPool *pool, PeltiCells *out, PeltError *err)
{
    PELT_TRY(lay_out(def->soup, def->edge, pool, out, err));
    find_nearest(out, def->soup);
    PELT_TRY(find_inside(out, def, &pool->allocator, err));
    set_states(out);
    return pelti_cells_wall(def, &pool->allocator, out, err);
}
