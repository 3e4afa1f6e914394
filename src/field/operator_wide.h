/// operator_fetch.h for eight points at a time: the same operations in the same order, so the same bits. Only .c files include
/// this, in functions that are inlined into one with clones: vectors must not cross a call.
#ifndef PELTI_FIELD_OPERATOR_WIDE_H
#define PELTI_FIELD_OPERATOR_WIDE_H

#include "field/operator_fetch.h"
#include "math/wide.h"

typedef struct PeltiFieldVec8 {
    PeltiFloat8 x, y, z;
} PeltiFieldVec8;

PELTI_WIDE PeltiFloat8 splat8(float s)
{
    PeltiFloat8 a = {s}; // a shuffle: gcc builds {s, s, ...} lane by lane in a clone
    return __builtin_shufflevector(a, a, 0, 0, 0, 0, 0, 0, 0, 0);
}

PELTI_WIDE PeltiInt8 splat8i(int s)
{
    PeltiInt8 a = {s};
    return __builtin_shufflevector(a, a, 0, 0, 0, 0, 0, 0, 0, 0);
}

/// Lanes of the mask are 0 or -1.
PELTI_WIDE PeltiFloat8 select8(PeltiInt8 mask, PeltiFloat8 yes, PeltiFloat8 no)
{
    return (PeltiFloat8)(((PeltiInt8)yes & mask) | ((PeltiInt8)no & ~mask));
}

PELTI_WIDE PeltiInt8 least8i(PeltiInt8 a, int most)
{
    PeltiInt8 b = splat8i(most), over = a > b;
    return (b & over) | (a & ~over);
}

PELTI_WIDE bool any8(PeltiInt8 mask)
{
    int64_t q[4];
    memcpy(q, &mask, sizeof q);
    return ((q[0] | q[1]) | (q[2] | q[3])) != 0;
}

PELTI_WIDE PeltiFloat8 sqrt8(PeltiFloat8 a)
{
    float lane[8];
    memcpy(lane, &a, sizeof lane);
    for (int k = 0; k < 8; k++)
        lane[k] = sqrtf(lane[k]);
    memcpy(&a, lane, sizeof lane);
    return a;
}

PELTI_WIDE PeltiFloat8 dot8(PeltiFieldVec8 a, PeltiFieldVec8 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

PELTI_WIDE PeltiFieldVec8 vec8_splat(Vec3 a)
{
    return (PeltiFieldVec8){splat8(a.x), splat8(a.y), splat8(a.z)};
}

PELTI_WIDE PeltiFieldVec8 vec8_select(PeltiInt8 mask, PeltiFieldVec8 yes, PeltiFieldVec8 no)
{
    return (PeltiFieldVec8){select8(mask, yes.x, no.x), select8(mask, yes.y, no.y), select8(mask, yes.z, no.z)};
}

/// Pairs of rows of four floats, the first four and the last four rows, as four columns.
PELTI_WIDE void columns8_of_pairs(const PeltiFloat8 r[4], PeltiFloat8 out[4])
{
    PeltiFloat8 a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13),
                b = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15),
                c = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13),
                d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// Eight rows of four floats as four columns.
PELTI_WIDE void columns8(const PeltiFloat4 rows[8], PeltiFloat8 out[4])
{
    PeltiFloat8 r[4];
    PELTI_UNROLL
    for (int k = 0; k < 4; k++)
        r[k] = __builtin_shufflevector(rows[k], rows[k + 4], 0, 1, 2, 3, 4, 5, 6, 7);
    columns8_of_pairs(r, out);
}

/// Eight rows of two times four floats: columns of their first and of their second halves.
PELTI_WIDE void columns8_of_halves(const PeltiFloat8 rows[8], PeltiFloat8 low[4], PeltiFloat8 high[4])
{
    PeltiFloat8 a[4], b[4];
    PELTI_UNROLL
    for (int k = 0; k < 4; k++) {
        a[k] = __builtin_shufflevector(rows[k], rows[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        b[k] = __builtin_shufflevector(rows[k], rows[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    columns8_of_pairs(a, low);
    columns8_of_pairs(b, high);
}

/// PeltiFold of eight points.
typedef struct PeltiFold8 {
    PeltiInt8 joint, apart; ///< masks: kind
    PeltiFloat8 bend, flat;
    PeltiFieldVec8 across, out;
    bool some_joint, some_apart;
} PeltiFold8;

PELTI_WIDE PeltiFold8 fold8_none(void)
{
    return (PeltiFold8){0};
}

/// Lanes of `mask` take the fold where it asks for more than what they have.
PELTI_WIDE void fold8_take(PeltiFold8 *to, PeltiInt8 mask, const PeltiFold *fold)
{
    PeltiFloat8 bend = splat8(fold->bend);
    if (fold->kind == PELTI_FOLD_APART) { // one bend for all
        to->apart |= mask;
        to->joint &= ~mask;
        to->bend = select8(mask, bend, to->bend);
        to->some_apart = true;
    } else if (fold->kind == PELTI_FOLD_JOINT) {
        mask &= ~to->apart & (~to->joint | (bend > to->bend));
        to->joint |= mask;
        to->bend = select8(mask, bend, to->bend);
        to->flat = select8(mask, splat8(fold->flat), to->flat);
        to->across = vec8_select(mask, vec8_splat(fold->across), to->across);
        to->out = vec8_select(mask, vec8_splat(fold->out), to->out);
        to->some_joint = true;
    }
}

PELTI_WIDE PeltiFold8 fold8_all(const PeltiFold *fold)
{
    PeltiFold8 out = fold8_none();
    fold8_take(&out, splat8i(-1), fold);
    return out;
}

PELTI_WIDE PeltiFloat8 fold8_share(const PeltiFold8 *fold, PeltiFieldVec8 a, PeltiFieldVec8 b)
{
    PeltiFloat8 zero = splat8(0), one = splat8(1);
    PeltiFloat8 sizes = sqrt8(2 * (dot8(a, a) + dot8(b, b))) + fold->flat;
    PeltiFloat8 outside = dot8((PeltiFieldVec8){a.x + b.x, a.y + b.y, a.z + b.z}, fold->out);
    PeltiFloat8 along = dot8((PeltiFieldVec8){b.x - a.x, b.y - a.y, b.z - a.z}, fold->across);
    PeltiFloat8 t = ((along - select8(outside > 0, outside, zero)) / sizes - BEND_FROM) * (1 / (BEND_TO - BEND_FROM));
    t = select8(t < 0, zero, select8(t > 1, one, t));
    return t * t * (3 - 2 * t);
}

/// Between entries k and k + 1 of a table, eight at a time.
PELTI_WIDE PeltiFloat8 between8(const float *table, const int k[8], PeltiFloat8 t)
{
    float low[8], high[8];
    PeltiFloat8 a, b;
    for (int i = 0; i < 8; i++) {
        low[i] = table[k[i]];
        high[i] = table[k[i] + 1];
    }
    memcpy(&a, low, sizeof a);
    memcpy(&b, high, sizeof b);
    return a + t * (b - a);
}

PELTI_WIDE PeltiFloat8 operator8_depth(const PeltiOperatorTables *op, PeltiFieldVec8 a, PeltiFieldVec8 b, const PeltiFold8 *fold)
{
    PeltiFloat8 lengths = dot8(a, a) * dot8(b, b), zero = splat8(0), one = splat8(1), last = splat8(PELTI_OPERATOR_ANGLES - 1);
    PeltiFloat8 c = select8(lengths > 0, dot8(a, b) / sqrt8(lengths), one);
    PeltiFloat8 at = (c + 1) * (0.5f * (PELTI_OPERATOR_ANGLES - 1));
    at = select8(at > 0, select8(at > last, last, at), zero); // not a number: 0
    PeltiInt8 k = __builtin_convertvector(at, PeltiInt8);
    PeltiFloat8 t = at - __builtin_convertvector(k, PeltiFloat8);
    int index[8];
    memcpy(index, &k, sizeof index);
    PeltiFloat8 d = between8(op->depth_of_cos, index, t);
    if (fold->some_apart)
        d = select8(fold->apart, d + (fold->bend - d) * between8(op->fold_of_cos, index, t), d);
    if (fold->some_joint)
        d = select8(fold->joint, select8(d > fold->bend, d, fold->bend) * fold8_share(fold, a, b), d);
    return d;
}

/// g, dg/df1, dg/df2 in out[0..2]. Lanes that are not asked for may hold anything, and get something of the table.
PELTI_WIDE void operator8_fetch(const PeltiOperatorTables *op, PeltiFloat8 f1, PeltiFloat8 f2, PeltiFloat8 d, PeltiFloat8 out[4])
{
    enum { N = PELTI_OPERATOR_NODES };
    PeltiFloat8 x = f1 * (N - 1), y = f2 * (N - 1);
    PeltiInt8 i = __builtin_convertvector(x, PeltiInt8), j = __builtin_convertvector(y, PeltiInt8),
              k = __builtin_convertvector(d, PeltiInt8);
    i = least8i(i & (i >= 0), N - 2); // none below 0, whose products overflow
    j = least8i(j & (j >= 0), N - 2);
    k = least8i(k & (k >= 0), PELTI_OPERATOR_SLICES - 2);
    PeltiFloat8 u = x - __builtin_convertvector(i, PeltiFloat8), v = y - __builtin_convertvector(j, PeltiFloat8),
                w = d - __builtin_convertvector(k, PeltiFloat8);
    PeltiInt8 below = u >= v, node = (k * N + i) * N + j, middle = (splat8i(N) & below) | (splat8i(1) & ~below);
    PeltiFloat8 far = select8(below, v, u), side = select8(below, u - v, v - u), near = 1 - far - side;
    float weight[4][8];
    int first[8], second[8];
    PeltiFloat4 rows[8];
    memcpy(weight[0], &near, sizeof near);
    memcpy(weight[1], &side, sizeof side);
    memcpy(weight[2], &far, sizeof far);
    memcpy(weight[3], &w, sizeof w);
    memcpy(first, &node, sizeof first);
    memcpy(second, &middle, sizeof second);
    PELTI_UNROLL
    for (int lane = 0; lane < 8; lane++)
        rows[lane] = pelti_operator_blend((const float(*)[4])op->table + first[lane], second[lane],
                                          (const float[4]){weight[0][lane], weight[1][lane], weight[2][lane], weight[3][lane]});
    columns8(rows, out);
}

PELTI_WIDE PeltiFloat8 clamp8(PeltiFloat8 a)
{
    return select8(a < 0, splat8(0), select8(a > 1, splat8(1), a));
}

typedef struct PeltiFieldLeaf8 { ///< a field at eight points
    PeltiFloat8 value;
    PeltiFieldVec8 gradient;
} PeltiFieldLeaf8;

/// Composes in place of `a` where the mask says so.
PELTI_WIDE void operator8_compose(const PeltiOperatorTables *op, PeltiInt8 mask, PeltiFieldLeaf8 *a, const PeltiFieldLeaf8 *b,
                                  PeltiFloat8 d)
{
    PeltiFloat8 g[4];
    operator8_fetch(op, a->value, b->value, d, g);
    PeltiFieldVec8 blend = {a->gradient.x * g[1] + g[2] * b->gradient.x, a->gradient.y * g[1] + g[2] * b->gradient.y,
                            a->gradient.z * g[1] + g[2] * b->gradient.z};
    a->value = select8(mask, clamp8(g[0]), a->value);
    a->gradient = vec8_select(mask, blend, a->gradient);
}

#endif
