/// A part's field baked into a grid: value and gradient in one fetch, compact support.
#ifndef PELTI_FIELD_GRID_H
#define PELTI_FIELD_GRID_H

#include "field/hrbf.h"

#include <stdint.h>

typedef struct PeltiGrid {
    int size[3];          ///< nodes along each axis, >= 2
    Mat34 rest_to_grid;   ///< rest space -> node units
    float value_scale;    ///< code -> value
    float gradient_scale; ///< code -> change of the value from node to node
    int16_t (*nodes)[4];  ///< [size0 x size1 x size2], x fastest: value, gradient in node units
} PeltiGrid;

/// [Vaillant2013] compact support: 1 for d <= -r, 0 for d >= r, a quintic between; `slope` gets dt/dd.
static inline float pelti_support(float d, float r, float *slope)
{
    float u = d / r, v = u * u;
    if (!(u > -1 && u < 1)) {
        *slope = 0;
        return u <= -1 ? 1.0f : 0.0f;
    }
    *slope = -0.9375f * (v - 1) * (v - 1) / r;
    return ((-0.1875f * v + 0.625f) * v - 0.9375f) * u + 0.5f;
}

/// Far from its samples a fit may do anything: a collar of skin goes on as a cone. Nothing of the field lies farther from the
/// bone's segments than `radius`. count 0: no guard.
enum { PELTI_GUARD_SEGMENTS = 64 };
typedef struct PeltiGuard {
    int count;
    float radius;
    Vec3 a[PELTI_GUARD_SEGMENTS], b[PELTI_GUARD_SEGMENTS];
} PeltiGuard;

/// Lays out a grid over the box low..high given in a frame (rest -> frame, a rotation and shift) with about `cell` between
/// nodes; at most `most_nodes` nodes. `nodes` is not allocated: pelti_grid_nodes says how many to give.
void pelti_grid_layout(PeltiGrid *grid, Mat34 rest_to_frame, Vec3 low, Vec3 high, float cell, int most_nodes);
size_t pelti_grid_nodes(const PeltiGrid *grid);

/// Fills the nodes with t_r(d). Fades to 0 at the box border, whatever the fit does there.
PeltStatus pelti_grid_bake(PeltiGrid *grid, const PeltiHrbf *h, float radius, const PeltiGuard *guard,
                           const PeltAllocator *allocator, PeltError *err);

typedef float PeltiFloat4 __attribute__((vector_size(16)));
typedef int16_t PeltiShort4 __attribute__((vector_size(8)));

static inline __attribute__((always_inline)) PeltiFloat4 pelti_grid_node(const int16_t *node)
{
    PeltiShort4 code;
    __builtin_memcpy(&code, node, sizeof code);
    return __builtin_convertvector(code, PeltiFloat4);
}

/// Value and gradient (node units) at a point given in node units; false outside the box (the field is 0 there).
/// Trilinear in value and gradient, the value with half of the first-order term of each corner: exact for quadratics,
/// continuous, and what lets the cells be large. Along x that term sums to t (1 - t) times the difference of the slopes.
static inline __attribute__((always_inline)) bool pelti_grid_fetch(const PeltiGrid *grid, Vec3 p, float *value, Vec3 *gradient)
{
    int sx = grid->size[0], sy = grid->size[1], sz = grid->size[2];
    if (!((p.x >= 0) & (p.y >= 0) & (p.z >= 0) & (p.x < (float)(sx - 1)) & (p.y < (float)(sy - 1)) & (p.z < (float)(sz - 1))))
        return false;
    int ix = (int)p.x, iy = (int)p.y, iz = (int)p.z;
    float tx = p.x - (float)ix, ty = p.y - (float)iy, tz = p.z - (float)iz;
    size_t row = (size_t)sx * 4, layer = row * (size_t)sy;
    const int16_t *n = grid->nodes[0] + (size_t)iz * layer + (size_t)iy * row + (size_t)ix * 4;
    PeltiFloat4 a0 = pelti_grid_node(n), d0 = pelti_grid_node(n + 4) - a0;
    PeltiFloat4 a1 = pelti_grid_node(n + row), d1 = pelti_grid_node(n + row + 4) - a1;
    n += layer;
    PeltiFloat4 a2 = pelti_grid_node(n), d2 = pelti_grid_node(n + 4) - a2;
    PeltiFloat4 a3 = pelti_grid_node(n + row), d3 = pelti_grid_node(n + row + 4) - a3;
    PeltiFloat4 c0 = a0 + d0 * tx, c1 = a1 + d1 * tx, c2 = a2 + d2 * tx, c3 = a3 + d3 * tx;
    PeltiFloat4 e0 = c1 - c0, e1 = c3 - c2, b0 = c0 + e0 * ty, b1 = c2 + e1 * ty, h = b1 - b0, sum = b0 + h * tz;
    PeltiFloat4 dx0 = d0 + (d1 - d0) * ty, dx1 = d2 + (d3 - d2) * ty, dx = dx0 + (dx1 - dx0) * tz, dy = e0 + (e1 - e0) * tz;
    float taylor = tx * (1 - tx) * dx[1] + ty * (1 - ty) * dy[2] + tz * (1 - tz) * h[3];
    *value = sum[0] * grid->value_scale - 0.5f * grid->gradient_scale * taylor;
    *gradient = vec3(sum[1] * grid->gradient_scale, sum[2] * grid->gradient_scale, sum[3] * grid->gradient_scale);
    return true;
}

#endif
