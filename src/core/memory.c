/// Allocation through the caller's allocator: arenas, pools, growing arrays.
#include "core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PELTI_ALIGN = 64, PELTI_POOL_BLOCK = 1 << 16 };

static size_t round_up(size_t bytes)
{
    return (bytes + PELTI_ALIGN - 1) & ~(size_t)(PELTI_ALIGN - 1);
}

void *pelti_alloc(const PeltAllocator *allocator, size_t bytes)
{
    if (bytes > SIZE_MAX - 2 * PELTI_ALIGN)
        return NULL;
    if (allocator && allocator->alloc)
        return allocator->alloc(bytes ? bytes : 1, allocator->user);
    return aligned_alloc(PELTI_ALIGN, round_up(bytes ? bytes : 1));
}

void pelti_free(const PeltAllocator *allocator, void *memory, size_t bytes)
{
    if (!memory)
        return;
    if (allocator && allocator->free)
        allocator->free(memory, bytes ? bytes : 1, allocator->user);
    else
        free(memory);
}

/// count * size without overflow; false when it does not fit.
static bool mul_size(size_t count, size_t size, size_t *bytes)
{
    return !__builtin_mul_overflow(count, size, bytes);
}

void *pelti_arena_take(PeltiArena *arena, size_t count, size_t size)
{
    char *place = arena->base ? arena->base + arena->used : NULL;
    arena->used += round_up(count * size); // whole cache lines: two arrays never share one
    return place;
}

struct PeltiPoolBlock {
    PeltiPoolBlock *next;
    size_t bytes, used; // used counts from the block's start, header included
    char pad[PELTI_ALIGN - 3 * sizeof(void *)];
};

void pelti_pool_init(PeltiPool *pool, const PeltAllocator *allocator)
{
    *pool = (PeltiPool){0};
    if (allocator)
        pool->allocator = *allocator;
}

void pelti_pool_release(PeltiPool *pool)
{
    PeltiPoolBlock *block = pool->blocks;
    while (block) {
        PeltiPoolBlock *next = block->next;
        pelti_free(&pool->allocator, block, block->bytes);
        block = next;
    }
    pool->blocks = NULL;
    pool->used_bytes = 0;
    pool->failed = false;
}

/// A block that has room for `bytes`; large requests get one of their own, behind the current one.
static PeltiPoolBlock *pool_block(PeltiPool *pool, size_t bytes)
{
    if (pool->blocks && pool->blocks->bytes - pool->blocks->used >= bytes)
        return pool->blocks;
    bool own = bytes > PELTI_POOL_BLOCK / 4;
    size_t whole = sizeof(PeltiPoolBlock) + (own ? bytes : PELTI_POOL_BLOCK);
    PeltiPoolBlock *block = pelti_alloc(&pool->allocator, whole);
    if (!block)
        return NULL;
    *block = (PeltiPoolBlock){.bytes = whole, .used = sizeof(PeltiPoolBlock)};
    if (own && pool->blocks) {
        block->next = pool->blocks->next;
        pool->blocks->next = block;
    } else {
        block->next = pool->blocks;
        pool->blocks = block;
    }
    return block;
}

void *pelti_pool_take(PeltiPool *pool, size_t count, size_t size)
{
    size_t bytes;
    if (pool->failed)
        return NULL;
    if (!mul_size(count, size, &bytes) || bytes > SIZE_MAX / 2 ||
        (pool->limit_bytes && bytes > pool->limit_bytes - pool->used_bytes)) {
        pool->failed = true;
        return NULL;
    }
    bytes = bytes >= PELTI_ALIGN ? round_up(bytes) : (bytes + 15) & ~(size_t)15;
    if (bytes == 0)
        bytes = 16;
    PeltiPoolBlock *block = pool_block(pool, bytes + PELTI_ALIGN);
    if (!block) {
        pool->failed = true;
        return NULL;
    }
    size_t start = bytes >= PELTI_ALIGN ? round_up(block->used) : block->used;
    block->used = start + bytes;
    pool->used_bytes += bytes;
    return memset((char *)block + start, 0, bytes);
}

char *pelti_pool_text(PeltiPool *pool, const char *text)
{
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = pelti_pool_take(pool, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

PeltStatus pelti_no_memory(PeltError *err, size_t bytes)
{
    return PELT_FAIL(err, PELT_FAILED, "out of memory (%zu bytes wanted)", bytes);
}

void pelti_array_init(PeltiArray *array, const PeltAllocator *allocator, size_t element_size)
{
    *array = (PeltiArray){.size = element_size};
    if (allocator)
        array->allocator = *allocator;
}

static bool make_room(PeltiArray *array, size_t more)
{
    if (array->failed)
        return false;
    if (more <= array->capacity - array->count)
        return true;
    size_t capacity = array->capacity ? array->capacity * 2 : 64, bytes;
    while (capacity - array->count < more && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *data = mul_size(capacity, array->size, &bytes) ? pelti_alloc(&array->allocator, bytes) : NULL;
    if (!data) {
        array->failed = true;
        return false;
    }
    if (array->count)
        memcpy(data, array->data, array->count * array->size);
    pelti_free(&array->allocator, array->data, array->capacity * array->size);
    array->data = data;
    array->capacity = capacity;
    return true;
}

void *pelti_array_push(PeltiArray *array, const void *element)
{
    if (!make_room(array, 1))
        return NULL;
    char *place = array->data + array->count++ * array->size;
    return element ? memcpy(place, element, array->size) : memset(place, 0, array->size);
}

bool pelti_array_append(PeltiArray *array, const void *elements, size_t count)
{
    if (!make_room(array, count))
        return false;
    if (count)
        memcpy(array->data + array->count * array->size, elements, count * array->size);
    array->count += count;
    return true;
}

void pelti_array_release(PeltiArray *array)
{
    pelti_free(&array->allocator, array->data, array->capacity * array->size);
    array->data = NULL;
    array->count = array->capacity = 0;
    array->failed = false;
}
