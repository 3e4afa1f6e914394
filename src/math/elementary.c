/// Computes sine, cosine, exponential and their kind with the same bits on every machine.
/// Series after a reduction of the range: the first term left out is below 1e-17 of the result, in the float forms below 1e-9.
#include "math/elementary.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline)) // so that the number of terms is a constant

static const double pi = 3.14159265358979323846;
// sin x = x sine(x^2), cos x = cosine(x^2), e^x = power(x), atan x = x arc(x^2), atanh x = x area(x^2)
static const double sine[] = {1 / 1.0,
                              -1 / 6.0,
                              1 / 120.0,
                              -1 / 5040.0,
                              1 / 362880.0,
                              -1 / 39916800.0,
                              1 / 6227020800.0,
                              -1 / 1307674368000.0,
                              1 / 355687428096000.0,
                              -1 / 121645100408832000.0};
static const double cosine[] = {
    1 / 1.0,        -1 / 2.0,        1 / 24.0,           -1 / 720.0,           1 / 40320.0,
    -1 / 3628800.0, 1 / 479001600.0, -1 / 87178291200.0, 1 / 20922789888000.0, -1 / 6402373705728000.0};
static const double power[] = {1 / 1.0,       1 / 1.0,        1 / 2.0,         1 / 6.0,          1 / 24.0,
                               1 / 120.0,     1 / 720.0,      1 / 5040.0,      1 / 40320.0,      1 / 362880.0,
                               1 / 3628800.0, 1 / 39916800.0, 1 / 479001600.0, 1 / 6227020800.0, 1 / 87178291200.0};
static const double arc[] = {1.0 / 1,   -1.0 / 3, 1.0 / 5,   -1.0 / 7, 1.0 / 9,   -1.0 / 11, 1.0 / 13,
                             -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25,  -1.0 / 27};
static const double area[] = {1.0 / 1,  1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9, 1.0 / 11,
                              1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};

/// c[0] + c[1] x + ... of `terms`, even and odd powers apart: half the chain of waiting.
INLINE double series(const double *c, int terms, double x)
{
    double z = x * x, even = 0, odd = 0;
    for (int k = terms - 1; k >= 0; k--)
        if (k % 2)
            odd = odd * z + c[k];
        else
            even = even * z + c[k];
    return even + x * odd;
}

/// The nearest whole number, |x| < 2^51: beyond 2^52 a double has no fraction to keep. rint is a call where SSE 4.1 is not
/// assumed.
INLINE double nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

/// x = quarter pi/2 + rest, |rest| <= pi/4; `quarter` modulo 4. pi/2 in three pieces, the first two of 33 bits, so that their
/// products with the quarter are exact (Cody and Waite).
static double reduce(double x, int *quarter)
{
    if (!(fabs(x) < 1e15)) {
        *quarter = 0;
        return x - x; // NaN for NaN and infinity; beyond 1e15 an angle says nothing
    }
    double n = nearest(x * (2 / pi));
    *quarter = (int)(n - 4 * floor(n / 4));
    return ((x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
}

INLINE double wave(double x, int shift, int terms)
{
    int quarter;
    double rest = reduce(x, &quarter);
    quarter = (quarter + shift) & 3;
    double size = quarter & 1 ? series(cosine, terms, rest * rest) : rest * series(sine, terms, rest * rest);
    return quarter & 2 ? -size : size;
}

double pelti_sin(double x)
{
    return wave(x, 0, 10);
}

double pelti_cos(double x)
{
    return wave(x, 1, 10);
}

double pelti_tan(double x)
{
    return pelti_sin(x) / pelti_cos(x);
}

/// atan, of 0 to 1: from tan(pi/12) on by its distance to pi/6
static double angle_of(double tangent)
{
    const double third = 0.57735026918962576451; // tan(pi/6)
    double far = tangent > 0.2679491924311227 ? pi / 6 : 0;
    double x = far > 0 ? (tangent - third) / (1 + tangent * third) : tangent;
    return far + x * series(arc, 14, x * x);
}

double pelti_atan2(double y, double x)
{
    double a = fabs(x), b = fabs(y);
    if (a == 0 && b == 0)
        return 0;
    double angle = b <= a ? angle_of(b / a) : pi / 2 - angle_of(a / b);
    angle = x < 0 ? pi - angle : angle;
    return y < 0 ? -angle : angle;
}

double pelti_acos(double x)
{
    return 2 * pelti_atan2(sqrt(1 - x), sqrt(1 + x));
}

/// x 2^n for |n| <= 1022
static double scaled(double x, int n)
{
    uint64_t bits = (uint64_t)(1023 + n) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return x * factor;
}

static const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33; // the first of 32 bits

INLINE double power_of_e(double x, int terms)
{
    if (!(fabs(x) < 700)) // 1e304; NaN passes through
        return x > 0 ? INFINITY : x < 0 ? 0 : x;
    double n = nearest(x * 1.44269504088896340736), rest = (x - n * ln2_high) - n * ln2_low;
    return scaled(series(power, terms, rest), (int)n);
}

/// ln x = n ln 2 + 2 atanh((m - 1) / (m + 1)) with x = m 2^n, m in [sqrt(1/2), sqrt(2))
INLINE double logarithm(double x, int terms)
{
    if (!(x > 0) || isinf(x))
        return x == 0 ? -INFINITY : x > 0 ? x : NAN;
    int n = 0;
    if (x < 1e-300) { // out of the subnormal numbers
        x = scaled(x, 64);
        n = -64;
    }
    const uint64_t least = 0x3fe6a09e667f3bcd; // the bits of sqrt(1/2)
    uint64_t bits;
    double m;
    memcpy(&bits, &x, sizeof bits);
    uint64_t exponent = (bits - least) & 0xfff0000000000000u;
    bits -= exponent;
    n += (int)((int64_t)exponent >> 52);
    memcpy(&m, &bits, sizeof m);
    double s = (m - 1) / (m + 1);
    return n * ln2_high + (2 * s * series(area, terms, s * s) + n * ln2_low);
}

double pelti_log(double x)
{
    return logarithm(x, 11);
}

double pelti_cbrt(double x)
{
    double a = fabs(x);
    if (!(a > 0) || isinf(a))
        return x;
    int bring = a < 1e-300 ? 2 : 0; // out of the subnormal numbers
    a = bring ? scaled(a, 192) : a;
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits = bits / 3 + ((uint64_t)682 << 52); // a third of the exponent: within 6 %
    double y;
    memcpy(&y, &bits, sizeof y);
    for (int turn = 0; turn < 3; turn++) { // Halley: the error's cube
        double cube = y * y * y;
        y *= (cube + 2 * a) / (2 * cube + a);
    }
    y = bring ? scaled(y, -64) : y;
    return x < 0 ? -y : y;
}

double pelti_hypot(double x, double y)
{
    return sqrt(x * x + y * y);
}

float pelti_sinf(float x)
{
    return (float)wave((double)x, 0, 7);
}

float pelti_cosf(float x)
{
    return (float)wave((double)x, 1, 7);
}

float pelti_tanf(float x)
{
    return (float)pelti_tan((double)x);
}

float pelti_acosf(float x)
{
    return (float)pelti_acos((double)x);
}

float pelti_atan2f(float y, float x)
{
    return (float)pelti_atan2((double)y, (double)x);
}

float pelti_expf(float x)
{
    return (float)power_of_e((double)x, 10);
}

float pelti_powf(float x, float y)
{
    if (y == 0)
        return 1;
    return (float)power_of_e((double)y * logarithm((double)x, 7), 10);
}

float pelti_cbrtf(float x)
{
    return (float)pelti_cbrt((double)x);
}

float pelti_hypotf(float x, float y)
{
    return (float)pelti_hypot((double)x, (double)y);
}
