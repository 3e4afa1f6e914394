/// FNV-1a, for determinism checks and hash tables.
#ifndef PELTI_CORE_HASH_H
#define PELTI_CORE_HASH_H
#include <stddef.h>
#include <stdint.h>
#define PELTI_HASH_START 14695981039346656037ull
static inline uint64_t pelti_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ p[i]) * 1099511628211ull;
    return hash;
}
/// Spreads a 64-bit key over a table (splitmix64's finaliser).
static inline uint64_t pelti_hash_mix(uint64_t key)
{
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ull;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebull;
    return key ^ (key >> 31);
}
#endif
