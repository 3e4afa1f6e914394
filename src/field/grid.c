/// Bakes a fitted field into blocks of value and gradient, with compact support [Vaillant2013].
#include "field/grid.h"

#include "field/constants.def"

#include <stdlib.h>
#include <string.h>

void pelti_grid_layout(PeltiGrid *grid, Mat34 rest_to_frame, Vec3 low, Vec3 high, float cell, int most_nodes)
{
    float extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    for (;;) {
        double count = 1;
        for (int i = 0; i < 3; i++) {
            grid->size[i] = (int)ceilf(extent[i] / cell) + 1;
            if (grid->size[i] < 4)
                grid->size[i] = 4;
            count *= grid->size[i];
        }
        if (count <= most_nodes)
            break;
        cell *= 1.05f;
    }
    float s = 1 / cell;
    Vec3 middle = vec3_scale(vec3_add(low, high), 0.5f);
    Vec3 origin = vec3(middle.x - 0.5f * cell * (float)(grid->size[0] - 1), middle.y - 0.5f * cell * (float)(grid->size[1] - 1),
                       middle.z - 0.5f * cell * (float)(grid->size[2] - 1));
    Mat34 frame_to_grid = {{{s, 0, 0, -origin.x * s}, {0, s, 0, -origin.y * s}, {0, 0, s, -origin.z * s}}};
    grid->rest_to_grid = mat34_mul(frame_to_grid, rest_to_frame);
    grid->nodes = NULL;
    grid->reaches = NULL;
    for (int i = 0; i < 3; i++) {
        grid->live[0][i] = 0;
        grid->live[1][i] = grid->size[i] - 1;
        grid->blocks[i] = (grid->size[i] + 2) / 4;
    }
}

size_t pelti_grid_nodes(const PeltiGrid *grid)
{
    return (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2];
}

size_t pelti_grid_blocks(const PeltiGrid *grid)
{
    return (size_t)grid->blocks[0] * (size_t)grid->blocks[1] * (size_t)grid->blocks[2];
}

/// A node counts for every eighth of a block that it bounds.
static void mark_eighths(PeltiGrid *grid, const int at[3])
{
    for (int k = 0; k < 8; k++) { // the cell above, and the one that ends here
        int c[3] = {at[0] - (k & 1), at[1] - (k >> 1 & 1), at[2] - (k >> 2)};
        bool in = true;
        for (int i = 0; i < 3; i++)
            in = in && c[i] >= 0 && c[i] < grid->size[i] - 1;
        if (in)
            grid->reaches[((c[2] >> 2) * grid->blocks[1] + (c[1] >> 2)) * grid->blocks[0] + (c[0] >> 2)] |=
                (unsigned char)(1u << ((c[0] >> 1 & 1) | (c[1] & 2) | (c[2] & 2) << 1));
    }
}

/// In a cell of quiet nodes the field is nothing: its value is at most that of a corner and an eighth of the slopes' differences
/// along three axes (pelti_grid_cell), each at most twice the largest slope.
static bool is_quiet(const PeltiGrid *grid, const int16_t node[4])
{
    int slope = 0;
    for (int i = 1; i < 4; i++)
        slope = abs(node[i]) > slope ? abs(node[i]) : slope;
    return (float)node[0] * grid->value_scale < 0.499f * NOTHING &&
           0.75f * grid->gradient_scale * (float)slope < 0.499f * NOTHING;
}

static void mark_blocks(PeltiGrid *grid)
{
    int low[3] = {grid->size[0], grid->size[1], grid->size[2]}, high[3] = {0, 0, 0};
    memset(grid->reaches, 0, pelti_grid_blocks(grid));
    const int16_t(*node)[4] = (const int16_t(*)[4])grid->nodes;
    for (int z = 0; z < grid->size[2]; z++)
        for (int y = 0; y < grid->size[1]; y++)
            for (int x = 0; x < grid->size[0]; x++, node++) {
                if (!((*node)[0] | (*node)[1] | (*node)[2] | (*node)[3]))
                    continue;
                const int at[3] = {x, y, z};
                for (int i = 0; i < 3; i++) {
                    low[i] = at[i] < low[i] ? at[i] : low[i];
                    high[i] = at[i] > high[i] ? at[i] : high[i];
                }
                if (!is_quiet(grid, *node))
                    mark_eighths(grid, at);
            }
    for (int i = 0; i < 3 && low[i] <= high[i]; i++) { // the cells around those nodes
        grid->live[0][i] = low[i] > 0 ? low[i] - 1 : 0;
        grid->live[1][i] = high[i] < grid->size[i] - 1 ? high[i] + 1 : grid->size[i] - 1;
    }
}

/// 1 two nodes and more inside the border, 0 on it, smooth between.
static float fade(float node, int size, float *slope)
{
    float last = (float)(size - 1), side = node < last - node ? 1.0f : -1.0f, t = fminf(node, last - node) / 2;
    *slope = t < 1 ? side * 6 * t * (1 - t) / 2 : 0;
    return t < 1 ? smooth_step(t) : 1;
}

/// d = max(d, distance to the bone - guard radius), rounded (GUARD_SOFT) so that the gradient stays continuous.
static void keep_near_bone(const PeltiFieldGuard *guard, Vec3 x, float *d, Vec3 *gradient)
{
    float best = INFINITY;
    Vec3 away = {0, 0, 0};
    for (int k = 0; k < guard->count; k++) {
        Vec3 u = vec3_sub(guard->b[k], guard->a[k]), w = vec3_sub(x, guard->a[k]);
        float length2 = vec3_dot(u, u), t = length2 > 0 ? vec3_dot(w, u) / length2 : 0;
        Vec3 r = vec3_mad(w, u, -(t < 0 ? 0 : t > 1 ? 1 : t));
        if (vec3_length(r) < best) {
            best = vec3_length(r);
            away = r;
        }
    }
    float bound = best - guard->radius, soft = GUARD_SOFT * guard->radius, gap = (*d - bound) / soft;
    if (!(best < INFINITY) || gap >= 1)
        return;
    Vec3 unit = best > 0 ? vec3_scale(away, 1 / best) : vec3(0, 0, 0);
    if (!(gap > -1)) {
        *d = bound;
        *gradient = unit;
        return;
    }
    float share = 0.5f * (1 + gap); // quadratic blend on |d - bound| < soft
    *d = bound + soft * share * share;
    *gradient = vec3_lerp(unit, *gradient, share);
}

typedef struct Bake {
    const PeltiHrbf *h;
    float radius, cell;
    const PeltiFieldGuard *guard;
    Mat34 grid_to_rest;
    struct {
        Vec3 *x, *gradient;
        float *d;
    } scratch; ///< a row of nodes: places, and what the fit says there
} Bake;

static int16_t encode(float value)
{
    return (int16_t)lrintf(fmaxf(-32767, fminf(32767, value)));
}

static void bake_row(PeltiGrid *grid, const Bake *b, int y, int z)
{
    int count = grid->size[0];
    for (int x = 0; x < count; x++)
        b->scratch.x[x] = mat34_apply(b->grid_to_rest, vec3((float)x, (float)y, (float)z));
    pelti_hrbf_eval(b->h, count, b->scratch.x, b->scratch.d, b->scratch.gradient);
    for (int x = 0; x < count; x++)
        keep_near_bone(b->guard, b->scratch.x[x], &b->scratch.d[x], &b->scratch.gradient[x]);
    Mat3 to_node = mat3_transpose(mat34_linear(b->grid_to_rest)); // a gradient by length becomes one by nodes
    float sy, sz, fy = fade((float)y, grid->size[1], &sy), fz = fade((float)z, grid->size[2], &sz);
    for (int x = 0; x < count; x++) {
        float slope, sx, f = pelti_field_support(b->scratch.d[x], b->radius, &slope), fx = fade((float)x, count, &sx),
                         w = fx * fy * fz;
        Vec3 g = vec3_scale(mat3_apply(to_node, b->scratch.gradient[x]), slope);
        float steep = vec3_length(g), most = b->cell / b->radius * STEEPEST; // a fit that runs wild far from its samples
        if (!(steep <= most))
            g = steep < INFINITY ? vec3_scale(g, most / steep) : vec3(0, 0, 0);
        if (!isfinite(f))
            f = 0;
        g = vec3(w * g.x + f * sx * fy * fz, w * g.y + f * fx * sy * fz, w * g.z + f * fx * fy * sz);
        int16_t *node = grid->nodes[((size_t)z * (size_t)grid->size[1] + (size_t)y) * (size_t)count + (size_t)x];
        node[0] = encode(f * w / grid->value_scale);
        node[1] = encode(g.x / grid->gradient_scale);
        node[2] = encode(g.y / grid->gradient_scale);
        node[3] = encode(g.z / grid->gradient_scale);
    }
}

PeltStatus pelti_grid_bake(PeltiGrid *grid, const PeltiHrbf *h, float radius, const PeltiFieldGuard *guard,
                           const PeltAllocator *allocator, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, allocator);
    int count = grid->size[0];
    Bake b = {.h = h, .radius = radius, .guard = guard};
    b.scratch.x = PELTI_NEW(&work, Vec3, count);
    b.scratch.gradient = PELTI_NEW(&work, Vec3, count);
    b.scratch.d = PELTI_NEW(&work, float, count);
    PeltStatus status = PELT_OK;
    if (work.failed)
        status = pelti_no_memory(err, (size_t)count * 28);
    else if (!mat34_inverse(grid->rest_to_grid, &b.grid_to_rest))
        status = PELT_FAIL(err, PELT_FAILED, "a field's grid has no size");
    if (status == PELT_OK) {
        b.cell = vec3_length(mat34_apply_vector(b.grid_to_rest, vec3(1, 0, 0)));
        grid->value_scale = 1.0f / 32767;
        grid->gradient_scale = fmaxf(STEEPEST * b.cell / radius, 1.0f) / 32767;
        for (int z = 0; z < grid->size[2]; z++)
            for (int y = 0; y < grid->size[1]; y++)
                bake_row(grid, &b, y, z);
        if (grid->reaches)
            mark_blocks(grid);
    }
    pelti_pool_release(&work);
    return status;
}
