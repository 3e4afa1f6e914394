/// A part's field baked into a grid: value and gradient in one fetch, compact support.
#ifndef PELTI_FIELD_GRID_H
#define PELTI_FIELD_GRID_H

#include "field/hrbf.h"
#include "math/lanes.h"

#include <stdint.h>

typedef struct PeltiGrid {
    int size[3];            ///< nodes along each axis, >= 2
    Mat34 rest_to_grid;     ///< rest space -> node units
    float value_scale;      ///< code -> value
    float gradient_scale;   ///< code -> change of the value from node to node
    int16_t (*nodes)[4];    ///< [size0 x size1 x size2], x fastest: value, gradient in node units
    int live[2][3];         ///< first and last node of the box outside of which the field is 0
    int blocks[3];          ///< of four cells along each axis
    unsigned char *reaches; ///< [blocks0 x blocks1 x blocks2] see pelti_grid_reaches; NULL: not kept
} PeltiGrid;

/// [Vaillant2013] compact support: 1 for d <= -r, 0 for d >= r, a quintic between; `slope` gets dt/dd.
static inline float pelti_field_support(float d, float r, float *slope)
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
typedef struct PeltiFieldGuard {
    int count;
    float radius;
    Vec3 a[PELTI_GUARD_SEGMENTS], b[PELTI_GUARD_SEGMENTS];
} PeltiFieldGuard;

/// Lays out a grid over the box low..high given in a frame (rest -> frame, a rotation and shift) with about `cell` between
/// nodes; at most `most_nodes` nodes. `nodes` and `reaches` are not allocated: the two below say how many to give.
void pelti_grid_layout(PeltiGrid *grid, Mat34 rest_to_frame, Vec3 low, Vec3 high, float cell, int most_nodes);
size_t pelti_grid_nodes(const PeltiGrid *grid);
size_t pelti_grid_blocks(const PeltiGrid *grid);

/// Fills the nodes with t_r(d). Fades to 0 at the box border, whatever the fit does there.
PeltStatus pelti_grid_bake(PeltiGrid *grid, const PeltiHrbf *h, float radius, const PeltiFieldGuard *guard,
                           const PeltAllocator *allocator, PeltError *err);

/// Two nodes that follow each other along x. By way of integers: gcc converts shorts to floats one by one.
static inline __attribute__((always_inline)) PeltiFloat8 pelti_grid_pair(const int16_t *node)
{
    PeltiShort8 code;
    __builtin_memcpy(&code, node, sizeof code);
    return __builtin_convertvector(__builtin_convertvector(code, PeltiInt8), PeltiFloat8);
}

static inline bool pelti_grid_inside(const PeltiGrid *grid, Vec3 p)
{
    return (p.x >= 0) & (p.y >= 0) & (p.z >= 0) & (p.x < (float)(grid->size[0] - 1)) & (p.y < (float)(grid->size[1] - 1)) &
           (p.z < (float)(grid->size[2] - 1));
}

static inline size_t pelti_grid_node(const PeltiGrid *grid, int ix, int iy, int iz)
{
    return ((size_t)iz * (size_t)grid->size[1] + (size_t)iy) * (size_t)grid->size[0] + (size_t)ix;
}

/// False: the field is nothing (at most NOTHING of constants.def) in all of the cell, which lies in the box. A byte a block of
/// four cells along each axis, a bit for each eighth of it.
static inline bool pelti_grid_reaches(const PeltiGrid *grid, int ix, int iy, int iz)
{
    size_t block =
        ((size_t)(iz >> 2) * (size_t)grid->blocks[1] + (size_t)(iy >> 2)) * (size_t)grid->blocks[0] + (size_t)(ix >> 2);
    return grid->reaches[block] >> ((ix >> 1 & 1) | (iy & 2) | (iz & 2) << 1) & 1;
}

/// Starts to bring the nodes of a cell near.
static inline __attribute__((always_inline)) void pelti_grid_ask(const PeltiGrid *grid, size_t node)
{
    size_t row = (size_t)grid->size[0], layer = row * (size_t)grid->size[1];
    __builtin_prefetch(grid->nodes[node]);
    __builtin_prefetch(grid->nodes[node + row]);
    __builtin_prefetch(grid->nodes[node + layer]);
    __builtin_prefetch(grid->nodes[node + layer + row]);
}

/// A cell whose eight nodes are blended along y and z.
typedef struct PeltiGridEdge {
    PeltiFloat8 nodes; ///< value and gradient at its low and its high end along x
    PeltiFloat4 slope; ///< by y of the gradient's y at either end; by z of its z
} PeltiGridEdge;

/// `node`: index of the cell's first.
static inline __attribute__((always_inline)) PeltiGridEdge pelti_grid_edge(const PeltiGrid *grid, size_t node, float ty, float tz)
{
    size_t row = (size_t)grid->size[0] * 4, layer = row * (size_t)grid->size[1];
    const int16_t *n = grid->nodes[node];
    PeltiFloat8 a0 = pelti_grid_pair(n), e0 = pelti_grid_pair(n + row) - a0;
    PeltiFloat8 a1 = pelti_grid_pair(n + layer), e1 = pelti_grid_pair(n + layer + row) - a1;
    PeltiFloat8 b0 = a0 + e0 * ty, h = a1 + e1 * ty - b0, e = e0 + (e1 - e0) * tz;
    PeltiFloat8 mixed = __builtin_shufflevector(e, h, 2, 11, 2, 11, 6, 15, 6, 15);
    return (PeltiGridEdge){b0 + h * tz, __builtin_shufflevector(mixed, mixed, 0, 1, 4, 5)};
}

/// Value and gradient (node units) in the cell (ix, iy, iz), t = (tx, ty, tz) within it: lanes 0 to 2 the gradient, lane 3 the
/// value. Trilinear in value and gradient, the value with half of the first-order term of each corner: exact for quadratics,
/// continuous, and what lets the cells be large. Along x that term sums to t (1 - t) times the difference of the slopes.
static inline __attribute__((always_inline)) PeltiFloat4 pelti_grid_cell(const PeltiGrid *grid, int ix, int iy, int iz,
                                                                         PeltiFloat4 t)
{
    PeltiGridEdge at = pelti_grid_edge(grid, pelti_grid_node(grid, ix, iy, iz), t[1], t[2]);
    PeltiFloat8 s = at.nodes;
    PeltiFloat4 low = __builtin_shufflevector(s, s, 0, 1, 2, 3), dx = __builtin_shufflevector(s, s, 4, 5, 6, 7) - low;
    PeltiFloat4 sum = low + dx * t[0], bow = t * (1 - t);
    float dy = at.slope[0] + (at.slope[2] - at.slope[0]) * t[0], dz = at.slope[1] + (at.slope[3] - at.slope[1]) * t[0];
    float taylor = bow[0] * dx[1] + bow[1] * dy + bow[2] * dz;
    float value = sum[0] * grid->value_scale - 0.5f * grid->gradient_scale * taylor;
    sum = __builtin_shufflevector(sum, sum, 1, 2, 3, 0) * grid->gradient_scale;
    sum[3] = value;
    return sum;
}

/// Value and gradient (node units) at a point given in node units; false outside the box (the field is 0 there).
static inline __attribute__((always_inline)) bool pelti_grid_fetch(const PeltiGrid *grid, Vec3 p, float *value, Vec3 *gradient)
{
    if (!pelti_grid_inside(grid, p))
        return false;
    int ix = (int)p.x, iy = (int)p.y, iz = (int)p.z;
    PeltiFloat4 t = {p.x - (float)ix, p.y - (float)iy, p.z - (float)iz, 0}, g = pelti_grid_cell(grid, ix, iy, iz, t);
    *value = g[3];
    *gradient = vec3(g[0], g[1], g[2]);
    return true;
}

#endif
