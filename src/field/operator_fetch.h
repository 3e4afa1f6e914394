/// The inner loop of a composition: table fetch and gradient-based blend. Only .c files include this.
#ifndef PELTI_FIELD_OPERATOR_FETCH_H
#define PELTI_FIELD_OPERATOR_FETCH_H

#include "field/constants.def" // for all of the room that includes this
#include "field/grid.h"
#include "field/operator.h"

/// Three nodes of a slice around a cell and of the next one, blended: `weight` of the near corner, of the one at its side
/// (`middle` nodes on), of the far corner, and of the next slice.
static inline __attribute__((always_inline)) PeltiFloat4 pelti_operator_blend(const float (*cell)[4], int middle,
                                                                              const float weight[4])
{
    enum { N = PELTI_OPERATOR_NODES };
    PeltiFloat4 a, b, c, sum;
    __builtin_memcpy(&a, cell[0], sizeof a);
    __builtin_memcpy(&b, cell[middle], sizeof b);
    __builtin_memcpy(&c, cell[N + 1], sizeof c);
    sum = a * weight[0] + b * weight[1] + c * weight[2];
    if (weight[3] > 0) {
        cell += N * N;
        __builtin_memcpy(&a, cell[0], sizeof a);
        __builtin_memcpy(&b, cell[middle], sizeof b);
        __builtin_memcpy(&c, cell[N + 1], sizeof c);
        sum += (a * weight[0] + b * weight[1] + c * weight[2] - sum) * weight[3];
    }
    return sum;
}

/// g, dg/df1, dg/df2 at (f1, f2) in [0, 1] and `d` in slices. Cells are split along the diagonal f1 = f2: a bilinear patch
/// would ripple along the contact valley, a linear triangle on either side keeps it at 0.5 exactly.
static inline PeltiFloat4 pelti_operator_fetch(const PeltiOperatorTables *op, float f1, float f2, float d)
{
    enum { N = PELTI_OPERATOR_NODES };
    float x = f1 * (N - 1), y = f2 * (N - 1);
    int i = (int)x, j = (int)y, k = (int)d;
    i = i > N - 2 ? N - 2 : i;
    j = j > N - 2 ? N - 2 : j;
    k = k > PELTI_OPERATOR_SLICES - 2 ? PELTI_OPERATOR_SLICES - 2 : k;
    float u = x - (float)i, v = y - (float)j;
    float far = u >= v ? v : u, side = u >= v ? u - v : v - u;
    const float weight[4] = {1 - far - side, side, far, d - (float)k};
    return pelti_operator_blend((const float(*)[4])op->table + ((size_t)k * N + (size_t)i) * N + (size_t)j, u >= v ? N : 1,
                                weight);
}

typedef enum PeltiFoldKind {
    PELTI_FOLD_NONE,  ///< only the angle of the gradients counts
    PELTI_FOLD_JOINT, ///< neighbours: the bend of the joint, on its inner side
    PELTI_FOLD_APART  ///< they share no skin: they touch whatever the angle
} PeltiFoldKind;

/// What two parts ask of their composition.
typedef struct PeltiFold {
    PeltiFoldKind kind;
    float bend;  ///< d (in slices) of the joint
    Vec3 across; ///< unit, square to the contact surface of a fold, from the first part to the second
    Vec3 out;    ///< unit, in the contact surface, from the joint out of the fold
    float flat;  ///< gradients below this say nothing
} PeltiFold;

/// Share of the joint's bend in d. In a fold the gradients part across the contact surface, each towards its own bone: hardly at
/// the flanks, where the angle between them falls to nothing. On the outer side of the joint they do not, whatever their
/// angle, and on the bones, where they vanish, they have none.
static inline float pelti_fold_share(const PeltiFold *fold, Vec3 a, Vec3 b)
{
    float sizes = sqrtf(2 * (vec3_dot(a, a) + vec3_dot(b, b))) + fold->flat;
    float outside = vec3_dot(vec3_add(a, b), fold->out); // both gradients lead back to the joint: below 0 in a fold
    float t = ((vec3_dot(vec3_sub(b, a), fold->across) - fmaxf(0, outside)) / sizes - BEND_FROM) * (1 / (BEND_TO - BEND_FROM));
    return smooth_rise(t);
}

/// d (in slices) for two gradients.
static inline float pelti_operator_depth(const PeltiOperatorTables *op, Vec3 a, Vec3 b, const PeltiFold *fold)
{
    float lengths = vec3_dot(a, a) * vec3_dot(b, b), c = lengths > 0 ? vec3_dot(a, b) / sqrtf(lengths) : 1;
    float at = (c + 1) * (0.5f * (PELTI_OPERATOR_ANGLES - 1));
    at = at < 0 ? 0 : at > PELTI_OPERATOR_ANGLES - 1 ? PELTI_OPERATOR_ANGLES - 1 : at;
    int k = (int)at;
    float d = op->depth_of_cos[k] + (at - (float)k) * (op->depth_of_cos[k + 1] - op->depth_of_cos[k]);
    if (fold->kind == PELTI_FOLD_JOINT)
        return (d > fold->bend ? d : fold->bend) * pelti_fold_share(fold, a, b);
    if (fold->kind == PELTI_FOLD_APART)
        d += (fold->bend - d) * (op->fold_of_cos[k] + (at - (float)k) * (op->fold_of_cos[k + 1] - op->fold_of_cos[k]));
    return d;
}

/// g_d(f1, f2) and its gradient g1 grad f1 + g2 grad f2, in place of (f1, grad1).
static inline void pelti_operator_compose(const PeltiOperatorTables *op, float *f1, Vec3 *grad1, float f2, Vec3 grad2,
                                          const PeltiFold *fold)
{
    PeltiFloat4 g = pelti_operator_fetch(op, *f1, f2, pelti_operator_depth(op, *grad1, grad2, fold));
    *f1 = g[0] < 0 ? 0 : g[0] > 1 ? 1 : g[0];
    *grad1 = vec3_mad(vec3_scale(*grad1, g[1]), grad2, g[2]);
}

#endif
