/// Numbers from a seed. Each purpose draws from a stream of its own, so that one more draw for one thing changes no other.
#ifndef PELTI_BUILTIN_RANDOM_H
#define PELTI_BUILTIN_RANDOM_H

#include "core/hash.h"

#include <stdbool.h>
#include <string.h>

typedef struct PeltiRandom {
    uint64_t state;
} PeltiRandom;

static inline PeltiRandom pelti_random(uint64_t seed, const char *purpose)
{
    uint64_t hash = pelti_hash(PELTI_HASH_START, &seed, sizeof seed);
    return (PeltiRandom){pelti_hash_mix(pelti_hash(hash, purpose, strlen(purpose)))};
}

/// In [0, 1): splitmix64, its upper 24 bits.
static inline float pelti_random_unit(PeltiRandom *r)
{
    r->state += 0x9e3779b97f4a7c15ull;
    return (float)(pelti_hash_mix(r->state) >> 40) * 0x1p-24f;
}

static inline float pelti_random_between(PeltiRandom *r, float low, float high)
{
    return low + (high - low) * pelti_random_unit(r);
}

static inline int pelti_random_below(PeltiRandom *r, int count) ///< 0 ... count - 1
{
    return (int)(pelti_random_unit(r) * (float)count);
}

static inline bool pelti_random_chance(PeltiRandom *r, float chance)
{
    return pelti_random_unit(r) < chance;
}

#endif
