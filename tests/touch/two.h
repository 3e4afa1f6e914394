/// Two crossed tubes for tests of touching: all memory is counted, and one allocation may be refused.
#ifndef PELT_TESTS_TWO_H
#define PELT_TESTS_TWO_H

#include "chain.h"
#include "touch/touch.h"

enum { TUBE = ALONG * AROUND + 2, POINTS = 2 * TUBE, SIDES = 2 * AROUND * ALONG };

typedef struct Two { // a tube along x and, above it, a tube along y: two components, one bone
    PeltiCharacter *who;
    PeltiPool pool;
    PeltiWeights weights;
    PeltiTouch *touch;
    PeltiLog log;
    Vec3 wanted[POINTS], shown[POINTS];
    PeltiTouchReport report;
} Two;

static int allocations, fails_at = -1;
static inline void *counted_alloc(size_t bytes, void *user)
{
    (void)user;
    if (allocations++ == fails_at)
        return NULL;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static inline void counted_free(void *memory, size_t bytes, void *user)
{
    (void)user, (void)bytes;
    free(memory);
}

static const PeltAllocator counted = {.alloc = counted_alloc, .free = counted_free};

static inline void two_tubes(Two *two, float above, PeltiJobs *jobs)
{
    static Vec3 p[POINTS];
    static int t[2 * SIDES][3];
    PeltError err;
    int points = POINTS, count = make_tube(1, 0.1f, p, t, 0);
    count += make_tube(1, 0.1f, p, t + count, TUBE);
    for (int i = TUBE; i < POINTS; i++) // crossed, with an offset so that no two vertices lie over each other
        p[i] = vec3(0.487f - p[i].y, p[i].x - 0.513f, p[i].z + above);
    memset(two, 0, sizeof *two);
    two->who = make_chain((ChainBones){1, 0, 1}, 1, &points, (ChainSkin){POINTS, p, count, (const int(*)[3])t});
    assert_int_equal(two->who->mesh->vertex_count, POINTS);
    pelti_pool_init(&two->pool, NULL);
    pelti_log_init(&two->log, NULL);
    assert_int_equal(pelti_weights_rigid(two->who, &two->pool, &two->weights, &err), PELT_OK);
    PeltiTouchDef def = {two->who, &two->weights, &counted, jobs, &two->log, false};
    assert_int_equal(pelti_touch_create(&def, &two->touch, &err), PELT_OK);
    memcpy(two->wanted, two->who->rest_points, sizeof two->wanted);
}

static inline void drop(Two *two)
{
    pelti_touch_destroy(two->touch);
    pelti_log_release(&two->log);
    pelti_pool_release(&two->pool);
    pelti_character_destroy(two->who);
}

#endif
