/// Memory: one block per prepare (measure, allocate, place), a stack for a step's scratch, and growing arrays for
/// building things whose size is not known beforehand.
#ifndef PELTI_CORE_MEMORY_H
#define PELTI_CORE_MEMORY_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

/// Allocation through an object's allocator; 64-byte aligned, NULL when refused. `pelti_free` needs the same size.
void *pelti_alloc(const PeltAllocator *allocator, size_t bytes);
void pelti_free(const PeltAllocator *allocator, void *memory, size_t bytes);

/// Layout arena: run a layout function twice, first with base == NULL to measure `used`, then with the block to place.
typedef struct PeltiArena {
    char *base;
    size_t used;
} PeltiArena;
void *pelti_arena_take(PeltiArena *arena, size_t count, size_t size);
#define PELTI_TAKE(arena, type, count) ((type *)pelti_arena_take((arena), (size_t)(count), sizeof(type)))

/// A pool: many small allocations that live and die together (a character, a document, temporary work of a prepare).
/// Zeroed memory. A failed allocation makes `failed` true and returns NULL. Not thread-safe.
typedef struct PeltiPoolBlock PeltiPoolBlock;
typedef struct PeltiPool {
    PeltAllocator allocator;
    PeltiPoolBlock *blocks;
    size_t used_bytes;  ///< handed out so far
    size_t limit_bytes; ///< 0: none
    bool failed;
} PeltiPool;
void pelti_pool_init(PeltiPool *pool, const PeltAllocator *allocator); ///< allocator NULL: malloc
void pelti_pool_release(PeltiPool *pool);                              ///< frees all; the pool may be used again
void *pelti_pool_take(PeltiPool *pool, size_t count,
                      size_t size);                       ///< zeroed, 64-byte aligned for >= 64 bytes; never NULL for count 0
char *pelti_pool_text(PeltiPool *pool, const char *text); ///< a copy; NULL stays NULL
#define PELTI_NEW(pool, type, count) ((type *)pelti_pool_take((pool), (size_t)(count), sizeof(type)))
PeltStatus pelti_no_memory(PeltError *err, size_t bytes);

/// A growing array for building. Elements are plain bytes. Grows by doubling out of malloc-like allocator.
typedef struct PeltiArray {
    PeltAllocator allocator;
    char *data;
    size_t count, capacity, size;
    bool failed;
} PeltiArray;
void pelti_array_init(PeltiArray *array, const PeltAllocator *allocator, size_t element_size);
void *pelti_array_push(PeltiArray *array, const void *element); ///< element may be NULL (zeroed); NULL when refused
bool pelti_array_append(PeltiArray *array, const void *elements, size_t count); ///< all or none; false when refused
void pelti_array_release(PeltiArray *array);

#endif
