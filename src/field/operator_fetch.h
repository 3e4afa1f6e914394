/// The inner loop of a composition: table fetch and gradient-based blend. Only .c files include this.
#ifndef PELTI_FIELD_OPERATOR_FETCH_H
#define PELTI_FIELD_OPERATOR_FETCH_H

#include "field/grid.h"
#include "field/operator.h"

/// g, dg/df1, dg/df2 at (f1, f2) in [0, 1] and `d` in slices. Cells are split along the diagonal f1 = f2: a bilinear patch
/// would ripple along the contact valley, a linear triangle on either side keeps it at 0.5 exactly.
static inline PeltiFloat4 pelti_operator_fetch(const PeltiOperator *op, float f1, float f2, float d)
{
    enum { N = PELTI_OPERATOR_NODES };
    float x = f1 * (N - 1), y = f2 * (N - 1);
    int i = (int)x, j = (int)y, k = (int)d;
    i = i > N - 2 ? N - 2 : i;
    j = j > N - 2 ? N - 2 : j;
    k = k > PELTI_OPERATOR_SLICES - 2 ? PELTI_OPERATOR_SLICES - 2 : k;
    float u = x - (float)i, v = y - (float)j, w = d - (float)k;
    const float(*cell)[4] = (const float(*)[4])op->table + ((size_t)k * N + (size_t)i) * N + (size_t)j;
    int middle = u >= v ? N : 1;
    float far = u >= v ? v : u, side = u >= v ? u - v : v - u, near = 1 - far - side;
    PeltiFloat4 a, b, c, sum;
    __builtin_memcpy(&a, cell[0], sizeof a);
    __builtin_memcpy(&b, cell[middle], sizeof b);
    __builtin_memcpy(&c, cell[N + 1], sizeof c);
    sum = a * near + b * side + c * far;
    if (w > 0) {
        cell += N * N;
        __builtin_memcpy(&a, cell[0], sizeof a);
        __builtin_memcpy(&b, cell[middle], sizeof b);
        __builtin_memcpy(&c, cell[N + 1], sizeof c);
        sum += (a * near + b * side + c * far - sum) * w;
    }
    return sum;
}

/// d (in slices) for two gradients; `bend`: d of the joint between the two parts, 0 where they are no neighbours.
static inline float pelti_operator_depth(const PeltiOperator *op, Vec3 a, Vec3 b, float bend)
{
    float lengths = vec3_dot(a, a) * vec3_dot(b, b), c = lengths > 0 ? vec3_dot(a, b) / sqrtf(lengths) : 1;
    float at = (c + 1) * (0.5f * (PELTI_OPERATOR_ANGLES - 1));
    at = at < 0 ? 0 : at > PELTI_OPERATOR_ANGLES - 1 ? PELTI_OPERATOR_ANGLES - 1 : at;
    int k = (int)at;
    float d = op->depth_of_cos[k] + (at - (float)k) * (op->depth_of_cos[k + 1] - op->depth_of_cos[k]);
    if (bend > d)
        d += (bend - d) * (op->fold_of_cos[k] + (at - (float)k) * (op->fold_of_cos[k + 1] - op->fold_of_cos[k]));
    return d;
}

/// g_d(f1, f2) and its gradient g1 grad f1 + g2 grad f2, in place of (f1, grad1).
static inline void pelti_operator_compose(const PeltiOperator *op, float *f1, Vec3 *grad1, float f2, Vec3 grad2, float bend)
{
    PeltiFloat4 g = pelti_operator_fetch(op, *f1, f2, pelti_operator_depth(op, *grad1, grad2, bend));
    *f1 = g[0] < 0 ? 0 : g[0] > 1 ? 1 : g[0];
    *grad1 = vec3_mad(vec3_scale(*grad1, g[1]), grad2, g[2]);
}

#endif
