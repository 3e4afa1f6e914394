/// Eight floats at a time over GCC vector extensions; only .c files include this. A kernel is a PELTI_WIDE function over
/// arrays and a range; the function that calls it carries PELTI_CLONES, so that one binary holds an AVX2 and a plain
/// version and picks at load time. Vectors must not cross a call that is not inlined: their ABI differs between the two.
/// PELT_NO_SIMD builds the same vocabulary from plain loops: the reference build.
#ifndef PELTI_MATH_WIDE_H
#define PELTI_MATH_WIDE_H

#include "math/lanes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define PELT_W     8 ///< lanes
#define PELTI_WIDE static inline __attribute__((always_inline))

/// Before a short loop of a fixed count over an array of vectors: unrolled, the array lives in registers.
#ifdef __clang__
#define PELTI_UNROLL _Pragma("unroll")
#else
#define PELTI_UNROLL _Pragma("GCC unroll 16")
#endif

// clang 14 cannot link clones across files
#if !defined(PELT_NO_SIMD) && defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                                 \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PELTI_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define PELTI_CLONES
#endif

#ifndef PELT_NO_SIMD
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // everything here is inlined: no vector is passed in a call
#endif
typedef float FloatW __attribute__((vector_size(4 * PELT_W)));
typedef int32_t MaskW __attribute__((vector_size(4 * PELT_W))); ///< lanes are 0 or -1
#else
typedef struct FloatW {
    float v[PELT_W];
} FloatW;
typedef struct MaskW {
    int32_t v[PELT_W];
} MaskW;
#endif

PELTI_WIDE FloatW load_w(const float *p) ///< [PELT_W], any alignment
{
    FloatW a;
    memcpy(&a, p, sizeof a);
    return a;
}
PELTI_WIDE void store_w(float *p, FloatW a)
{
    memcpy(p, &a, sizeof a);
}

#ifndef PELT_NO_SIMD
PELTI_WIDE FloatW splat_w(float s)
{
    FloatW a = {s}; // a shuffle: gcc builds {s, s, ...} lane by lane in a clone
    return __builtin_shufflevector(a, a, 0, 0, 0, 0, 0, 0, 0, 0);
}
PELTI_WIDE FloatW halves_w(float low, float high) ///< four lanes each
{
    FloatW a = {low, high};
    return __builtin_shufflevector(a, a, 0, 0, 0, 0, 1, 1, 1, 1);
}
PELTI_WIDE FloatW add_w(FloatW a, FloatW b)
{
    return a + b;
}
PELTI_WIDE FloatW sub_w(FloatW a, FloatW b)
{
    return a - b;
}
PELTI_WIDE FloatW mul_w(FloatW a, FloatW b)
{
    return a * b;
}
PELTI_WIDE FloatW div_w(FloatW a, FloatW b)
{
    return a / b;
}
PELTI_WIDE FloatW neg_w(FloatW a)
{
    return -a;
}
PELTI_WIDE MaskW less_w(FloatW a, FloatW b) ///< a < b; false for NaN
{
    return a < b;
}
PELTI_WIDE MaskW and_w(MaskW a, MaskW b)
{
    return a & b;
}
PELTI_WIDE FloatW select_w(MaskW m, FloatW yes, FloatW no)
{
    return (FloatW)(((MaskW)yes & m) | ((MaskW)no & ~m));
}
PELTI_WIDE FloatW abs_w(FloatW a)
{
    return (FloatW)((MaskW)a & 0x7fffffff);
}
/// 1/sqrt(a) to float precision, a > 0 and normal: a bit shift for a start, three Newton steps.
PELTI_WIDE FloatW rsqrt_w(FloatW a)
{
    FloatW y = (FloatW)(0x5f375a86 - ((MaskW)a >> 1)), half = a * -0.5f;
    y = y * (1.5f + half * y * y);
    y = y * (1.5f + half * y * y);
    return y * (1.5f + half * y * y);
}
PELTI_WIDE int any_w(MaskW m) ///< non-zero: some lane is true
{
    int64_t q[PELT_W / 2];
    memcpy(q, &m, sizeof q);
    return ((q[0] | q[1]) | (q[2] | q[3])) != 0;
}
PELTI_WIDE int all_w(MaskW m) ///< non-zero: every lane is true
{
    int64_t q[PELT_W / 2];
    memcpy(q, &m, sizeof q);
    return ((q[0] & q[1]) & (q[2] & q[3])) == -1;
}
PELTI_WIDE MaskW or_w(MaskW a, MaskW b)
{
    return a | b;
}
PELTI_WIDE int lane_is(MaskW m, int lane)
{
    return m[lane] != 0;
}
#else
#define PELTI_LANES(type, expression)                                                                                            \
    type r;                                                                                                                      \
    for (int k = 0; k < PELT_W; k++)                                                                                             \
        r.v[k] = (expression);                                                                                                   \
    return r
PELTI_WIDE FloatW splat_w(float s)
{
    PELTI_LANES(FloatW, s);
}
PELTI_WIDE FloatW halves_w(float low, float high)
{
    PELTI_LANES(FloatW, k < PELT_W / 2 ? low : high);
}
PELTI_WIDE FloatW add_w(FloatW a, FloatW b)
{
    PELTI_LANES(FloatW, a.v[k] + b.v[k]);
}
PELTI_WIDE FloatW sub_w(FloatW a, FloatW b)
{
    PELTI_LANES(FloatW, a.v[k] - b.v[k]);
}
PELTI_WIDE FloatW mul_w(FloatW a, FloatW b)
{
    PELTI_LANES(FloatW, a.v[k] * b.v[k]);
}
PELTI_WIDE FloatW div_w(FloatW a, FloatW b)
{
    PELTI_LANES(FloatW, a.v[k] / b.v[k]);
}
PELTI_WIDE FloatW neg_w(FloatW a)
{
    PELTI_LANES(FloatW, -a.v[k]);
}
PELTI_WIDE MaskW less_w(FloatW a, FloatW b)
{
    PELTI_LANES(MaskW, a.v[k] < b.v[k] ? -1 : 0);
}
PELTI_WIDE MaskW and_w(MaskW a, MaskW b)
{
    PELTI_LANES(MaskW, a.v[k] & b.v[k]);
}
PELTI_WIDE FloatW select_w(MaskW m, FloatW yes, FloatW no)
{
    PELTI_LANES(FloatW, m.v[k] ? yes.v[k] : no.v[k]);
}
PELTI_WIDE FloatW abs_w(FloatW a)
{
    PELTI_LANES(FloatW, fabsf(a.v[k]));
}
PELTI_WIDE FloatW rsqrt_w(FloatW a)
{
    PELTI_LANES(FloatW, 1.0f / sqrtf(a.v[k]));
}
PELTI_WIDE int any_w(MaskW m)
{
    int any = 0;
    for (int k = 0; k < PELT_W; k++)
        any |= m.v[k];
    return any;
}
PELTI_WIDE int all_w(MaskW m)
{
    int all = -1;
    for (int k = 0; k < PELT_W; k++)
        all &= m.v[k];
    return all;
}
PELTI_WIDE MaskW or_w(MaskW a, MaskW b)
{
    PELTI_LANES(MaskW, a.v[k] | b.v[k]);
}
PELTI_WIDE int lane_is(MaskW m, int lane)
{
    return m.v[lane] != 0;
}
#endif

PELTI_WIDE FloatW mad_w(FloatW a, FloatW b, FloatW c) ///< a b + c
{
    return add_w(mul_w(a, b), c);
}
PELTI_WIDE FloatW max_w(FloatW a, FloatW b) ///< b where a is NaN
{
    return select_w(less_w(b, a), a, b);
}
PELTI_WIDE FloatW min_w(FloatW a, FloatW b)
{
    return select_w(less_w(a, b), a, b);
}

/// Adds the upper four lanes to the lower four and stores the first three sums.
PELTI_WIDE void store_folded_w(void *three_floats, FloatW a)
{
#ifndef PELT_NO_SIMD
    PeltiFloat4 sum = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
    memcpy(three_floats, &sum, 3 * sizeof(float));
#else
    const float sum[3] = {a.v[0] + a.v[4], a.v[1] + a.v[5], a.v[2] + a.v[6]};
    memcpy(three_floats, sum, sizeof sum);
#endif
}
/// Rows to columns of an 8 x 8 block.
PELTI_WIDE void transpose_w(const FloatW in[PELT_W], FloatW out[PELT_W])
{
#ifndef PELT_NO_SIMD
    FloatW a[PELT_W], b[PELT_W];
    for (int k = 0; k < PELT_W; k += 2) { // pairs of single floats
        a[k] = __builtin_shufflevector(in[k], in[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[k + 1] = __builtin_shufflevector(in[k], in[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < PELT_W; k += 4) // of pairs
        for (int j = k; j < k + 2; j++) {
            b[j] = __builtin_shufflevector(a[j], a[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[j + 2] = __builtin_shufflevector(a[j], a[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; k++) { // of halves
        out[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#else
    for (int i = 0; i < PELT_W; i++)
        for (int j = 0; j < PELT_W; j++)
            out[j].v[i] = in[i].v[j];
#endif
}

/// Rows of four floats (16-byte aligned) to lanes and back: out[i] lane k = rows[index[k]][i], i < 3.
#ifndef PELT_NO_SIMD
typedef float RowW __attribute__((vector_size(16)));
PELTI_WIDE FloatW two_rows_w(const float (*rows)[4], int low, int high)
{
    RowW a, b;
    memcpy(&a, rows[low], sizeof a);
    memcpy(&b, rows[high], sizeof b);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
PELTI_WIDE void load_rows_w(FloatW out[3], const float (*rows)[4], const int index[PELT_W])
{
    FloatW a = two_rows_w(rows, index[0], index[4]), b = two_rows_w(rows, index[1], index[5]);
    FloatW c = two_rows_w(rows, index[2], index[6]), d = two_rows_w(rows, index[3], index[7]);
    FloatW ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
           cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    FloatW ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    FloatW cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13);
}
/// Eight rows in a row; the fourth float is 0.
PELTI_WIDE void store_rows_w(float (*rows)[4], FloatW x, FloatW y, FloatW z)
{
    FloatW zero = splat_w(0);
    FloatW xy = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13),
           z0 = __builtin_shufflevector(z, zero, 0, 8, 1, 9, 4, 12, 5, 13);
    FloatW xy2 = __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15),
           z2 = __builtin_shufflevector(z, zero, 2, 10, 3, 11, 6, 14, 7, 15);
    FloatW r04 = __builtin_shufflevector(xy, z0, 0, 1, 8, 9, 4, 5, 12, 13),
           r15 = __builtin_shufflevector(xy, z0, 2, 3, 10, 11, 6, 7, 14, 15);
    FloatW r26 = __builtin_shufflevector(xy2, z2, 0, 1, 8, 9, 4, 5, 12, 13),
           r37 = __builtin_shufflevector(xy2, z2, 2, 3, 10, 11, 6, 7, 14, 15);
    store_w(rows[0], __builtin_shufflevector(r04, r15, 0, 1, 2, 3, 8, 9, 10, 11));
    store_w(rows[2], __builtin_shufflevector(r26, r37, 0, 1, 2, 3, 8, 9, 10, 11));
    store_w(rows[4], __builtin_shufflevector(r04, r15, 4, 5, 6, 7, 12, 13, 14, 15));
    store_w(rows[6], __builtin_shufflevector(r26, r37, 4, 5, 6, 7, 12, 13, 14, 15));
}
#else
PELTI_WIDE void load_rows_w(FloatW out[3], const float (*rows)[4], const int index[PELT_W])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < PELT_W; k++)
            out[i].v[k] = rows[index[k]][i];
}
PELTI_WIDE void store_rows_w(float (*rows)[4], FloatW x, FloatW y, FloatW z)
{
    for (int k = 0; k < PELT_W; k++) {
        rows[k][0] = x.v[k];
        rows[k][1] = y.v[k];
        rows[k][2] = z.v[k];
        rows[k][3] = 0;
    }
}
#endif

#endif
