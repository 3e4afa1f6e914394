/// Refuses memory, once at every place of the code that asks for some.
#ifndef PELT_TESTS_REFUSING_H
#define PELT_TESTS_REFUSING_H

#include "check.h"

#include <pelt/base.h>

#include <execinfo.h>
#include <string.h>

/// Which calls asked for memory first from where they did: what is refused there once need not be refused in every turn of a
/// loop.
#ifdef __SANITIZE_THREAD__
enum { REFUSED_STEP = 8 }; // it has nothing to say of these
#else
enum { REFUSED_STEP = 1 };
#endif
typedef struct Places {
    uint64_t seen[4096];
    int count, calls[4096];
} Places;

typedef struct Refusing {
    int calls, refuse_at, live;
    Places *places; ///< noted where not NULL
} Refusing;

static inline void note_place(Places *places, int call)
{
    void *stack[32];
    int depth = backtrace(stack, 32);
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (int i = 0; i < depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)stack[i]) * 1099511628211u;
    for (int i = 0; i < places->count; i++)
        if (places->seen[i] == hash)
            return;
    assert_in_range(places->count, 0, 4095);
    places->seen[places->count] = hash;
    places->calls[places->count++] = call;
}

static inline void *refusing_alloc(size_t bytes, void *user)
{
    Refusing *r = user;
    if (r->places)
        note_place(r->places, r->calls);
    if (r->calls++ == r->refuse_at)
        return NULL;
    r->live++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static inline void refusing_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    ((Refusing *)user)->live--;
    free(memory);
}

/// What is tried: takes all its memory from the allocator and frees it before it returns.
typedef PeltStatus (*RefusedRun)(const PeltAllocator *allocator, const void *user, PeltError *err);

static inline PeltStatus run_refusing(RefusedRun run, const void *user, Refusing *r)
{
    PeltAllocator allocator = {refusing_alloc, refusing_free, r};
    PeltError err = {0};
    PeltStatus status = run(&allocator, user, &err);
    if (status != PELT_OK && (status != PELT_FAILED || !strstr(err.text, "memory")))
        fail_msg("allocation %d refused: status %d, %s", r->refuse_at, (int)status, err.text);
    assert_int_equal(r->live, 0);
    return status;
}

/// Runs once with all memory, then once for each place not yet in `places` with its first allocation refused: each time a clean
/// failure for want of memory, or success (a warning may be dropped), and nothing left behind. Returns the number of places.
static inline int refuse_each_place(RefusedRun run, const void *user, Places *places)
{
    int before = places->count;
    Refusing all = {.refuse_at = -1, .places = places};
    assert_int_equal(run_refusing(run, user, &all), PELT_OK);
    for (int i = before; i < places->count; i += REFUSED_STEP) {
        Refusing r = {.refuse_at = places->calls[i]};
        run_refusing(run, user, &r);
        assert_true(r.calls > r.refuse_at);
    }
    return places->count - before;
}
#endif
