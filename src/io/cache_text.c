/// Numbers in caches that are text: .obj and .usda.
#include "io/cache_kinds.h"

#include <ctype.h>

static const double LARGEST = 3.4028235677973366e38; // nearer to the largest float than to what would follow

static int digit(const PeltiCacheText *text)
{
    return text->at < text->end && *text->at >= '0' && *text->at <= '9' ? *text->at - '0' : -1;
}

static bool is_next(const PeltiCacheText *text, char a, char b)
{
    return text->at < text->end && (*text->at == a || *text->at == b);
}

/// +, - or nothing; true for -.
static bool sign(PeltiCacheText *text)
{
    bool minus = is_next(text, '-', '-');
    text->at += is_next(text, '-', '+');
    return minus;
}

/// Digits of a number into `mantissa`, as many as it holds; `power` counts the others, and those behind the point. How many.
static int digits(PeltiCacheText *text, uint64_t *mantissa, int *power, bool behind)
{
    int count = 0;
    for (int d; (d = digit(text)) >= 0; text->at++, count += count < 1000) {
        bool fits = *mantissa < 100000000000000000u; // 10^17: with one more digit it still does
        *mantissa = fits ? 10 * *mantissa + (uint64_t)d : *mantissa;
        *power += behind && fits ? -1 : !behind && !fits && *power < 1000 ? 1 : 0;
    }
    return count;
}

/// Some roundings of a double, which nine digits of a float do not see.
static double scaled(uint64_t mantissa, int power)
{
    double value = (double)mantissa, ten = 10;
    for (int left = power < 0 ? -power : power; left && value > 0; left /= 2, ten *= ten)
        if (left % 2)
            value = power < 0 ? value / ten : value * ten;
    return value;
}

bool pelti_cache_number(PeltiCacheText *text, double *out)
{
    const char *start = text->at;
    uint64_t mantissa = 0;
    int power = 0, exponent = 0;
    bool minus = sign(text);
    int count = digits(text, &mantissa, &power, false);
    if (is_next(text, '.', '.')) {
        text->at++;
        count += digits(text, &mantissa, &power, true);
    }
    if (count && is_next(text, 'e', 'E')) {
        text->at++;
        bool down = sign(text);
        if (digit(text) < 0)
            count = 0;
        for (int d; (d = digit(text)) >= 0; text->at++)
            exponent = exponent < 1000 ? 10 * exponent + d : exponent;
        power += down ? -exponent : exponent;
    }
    power = power < -400 ? -400 : power > 400 ? 400 : power;
    double value = scaled(mantissa, power);
    if (count == 0 || !(value < LARGEST)) {
        text->at = start;
        return false;
    }
    *out = minus ? -value : value;
    return true;
}

PeltStatus pelti_cache_broken(const PeltiCacheText *text, const char *wanted, PeltError *err)
{
    char word[32];
    size_t used = 0;
    for (const char *c = text->at; c < text->end && used < sizeof word - 1 && isprint((unsigned char)*c) && *c != ' '; c++)
        word[used++] = *c;
    word[used] = 0;
    return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: '%s' where %s is to stand", text->line, word, wanted);
}
