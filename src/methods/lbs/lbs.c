/// Linear blend skinning: p = sum_k w_k M_k p0, exact for the file's weights.
#include "math/wide.h"
#include "methods/blend.h"

#include <string.h>

enum { GRAIN = 2048 };

/// A bone's matrix by columns, the fourth row left out of the sum: {c0 c1} {c2 c3}.  // 64 bytes
typedef struct Columns {
    float pair[2][8];
} Columns;

typedef struct Lbs {
    PeltiBlend blend;
    const PeltiCharacter *who;
    PeltiJobs *jobs;
    Columns *columns; // [bone_count]
    Vec3 *target;     // of the step that is running
    size_t bytes;
    PeltAllocator allocator;
} Lbs;

static void layout(Lbs *lbs, PeltiArena *arena, const PeltiPrepare *in)
{
    pelti_arena_take(arena, 1, sizeof *lbs);
    lbs->columns = PELTI_TAKE(arena, Columns, in->who->bone_count + 1);
    pelti_blend_layout(&lbs->blend, arena, in);
}

static PeltStatus lbs_prepare(const PeltiPrepare *in, void **state, PeltError *err)
{
    Lbs measure = {0};
    PeltiArena arena = {0};
    layout(&measure, &arena, in);
    Lbs *lbs = pelti_alloc(in->allocator, arena.used);
    if (!lbs)
        return pelti_no_memory(err, arena.used);
    *lbs = (Lbs){.who = in->who, .jobs = in->jobs, .bytes = arena.used};
    if (in->allocator)
        lbs->allocator = *in->allocator;
    arena = (PeltiArena){.base = (char *)lbs};
    layout(lbs, &arena, in);
    memset(lbs->columns, 0, sizeof *lbs->columns * (size_t)(in->who->bone_count + 1));
    pelti_blend_fill(&lbs->blend, in);
    *state = lbs;
    return PELT_OK;
}

static void lbs_destroy(void *state)
{
    Lbs *lbs = state;
    if (lbs) {
        PeltAllocator allocator = lbs->allocator;
        pelti_free(&allocator, lbs, lbs->bytes);
    }
}

/// Two columns a register: four influences are eight multiply-adds, the transform two more.
PELTI_CLONES static void blend_range(const PeltiBlend *blend, const Columns *columns, Vec3 *target, int begin, int end)
{
    int influences = blend->influences;
    for (int i = begin; i < end; i++) {
        const float *weight = blend->weight + (size_t)i * (size_t)influences;
        const int *index = blend->index + (size_t)i * (size_t)influences;
        FloatW a = splat_w(0), b = splat_w(0);
        for (int k = 0; k < influences; k += 4) {
#pragma GCC unroll 4
            for (int j = k; j < k + 4; j++) {
                FloatW w = splat_w(weight[j]);
                a = mad_w(w, load_w(columns[index[j]].pair[0]), a);
                b = mad_w(w, load_w(columns[index[j]].pair[1]), b);
            }
        }
        b = mul_w(b, halves_w(blend->z[i], 1));
        store_folded_w(&target[i], mad_w(a, halves_w(blend->x[i], blend->y[i]), b));
    }
}

static void blend_job(void *context, int begin, int end, int worker)
{
    (void)worker;
    Lbs *lbs = context;
    blend_range(&lbs->blend, lbs->columns, lbs->target, begin, end);
}

static void lbs_step(void *state, const PeltiStepInput *in, Vec3 *points, PeltiStepReport *report)
{
    Lbs *lbs = state;
    (void)report;
    for (int b = 0; b < lbs->who->bone_count; b++)
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                lbs->columns[b].pair[column / 2][column % 2 * 4 + row] = in->bones[b].m[row][column];
    lbs->target = pelti_blend_target(&lbs->blend, points);
    pelti_parallel_for(lbs->jobs, lbs->blend.item_count, GRAIN, blend_job, lbs);
    pelti_blend_finish(&lbs->blend, points);
}

extern const PeltiMethod pelti_method_lbs;
const PeltiMethod pelti_method_lbs = {
    .name = "lbs",
    .summary = "linear blend skinning: the weighted mean of the bones' motions",
    .reference = "[MagnenatThalmann1988]",
    .flags = PELTI_NEEDS_WEIGHTS,
    .prepare = lbs_prepare,
    .step = lbs_step,
    .destroy = lbs_destroy,
};
