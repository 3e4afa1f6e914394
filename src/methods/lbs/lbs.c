/// Linear blend skinning: p = sum_k w_k M_k p0, exact for the file's weights.
///
/// Loading four matrices a point is what the kernel would cost (5.1 ns a point of which 2 are arithmetic), so points are sorted
/// by the bones they follow and a run of points with the same four keeps their matrices in registers.
#include "math/wide.h"
#include "methods/blend.h"

#include <stdlib.h>
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
    int *order;       // [padded_count] sorted place -> item
    int *run_end;     // [padded_count] end of the run of equal bones that a sorted place is in
    Vec3 *target;     // of the step that is running
    size_t bytes;
    PeltAllocator allocator;
} Lbs;

static void layout(Lbs *lbs, PeltiArena *arena, const PeltiPrepare *in)
{
    pelti_arena_take(arena, 1, sizeof *lbs);
    lbs->columns = PELTI_TAKE(arena, Columns, in->who->bone_count + 1);
    pelti_blend_layout(&lbs->blend, arena, in);
    lbs->order = PELTI_TAKE(arena, int, lbs->blend.padded_count);
    lbs->run_end = PELTI_TAKE(arena, int, lbs->blend.padded_count);
}

/// Bones of an item and the item: what is sorted.
typedef struct Key {
    const int *index;
    int influences, item;
} Key;

static int compare_bones(const Key *p, const Key *q)
{
    for (int k = 0; k < p->influences; k++)
        if (p->index[k] != q->index[k])
            return p->index[k] < q->index[k] ? -1 : 1;
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    const Key *p = a, *q = b;
    int bones = compare_bones(p, q);
    return bones ? bones : (p->item > q->item) - (p->item < q->item);
}

/// Moves rows of `size` bytes to their sorted places.
static void permute(void *rows, size_t size, const int *order, int count, char *scratch)
{
    memcpy(scratch, rows, size * (size_t)count);
    for (int i = 0; i < count; i++)
        memcpy((char *)rows + size * (size_t)i, scratch + size * (size_t)order[i], size);
}

/// Sorts the items by bones and marks the runs. Only the real items: the padding stays behind them.
static bool sort_items(Lbs *lbs, const PeltAllocator *allocator)
{
    PeltiBlend *blend = &lbs->blend;
    int count = blend->item_count;
    size_t width = (size_t)blend->influences * sizeof(int);
    PeltiPool work;
    pelti_pool_init(&work, allocator);
    Key *keys = PELTI_NEW(&work, Key, count);
    char *scratch = pelti_pool_take(&work, (size_t)count, width);
    bool ok = !work.failed;
    if (ok) {
        for (int i = 0; i < count; i++)
            keys[i] = (Key){blend->index + (size_t)i * (size_t)blend->influences, blend->influences, i};
        qsort(keys, (size_t)count, sizeof *keys, compare_keys);
        for (int i = 0, start = 0; i < count; i++) {
            lbs->order[i] = keys[i].item;
            if (i + 1 == count || compare_bones(&keys[i], &keys[i + 1])) {
                for (; start <= i; start++)
                    lbs->run_end[start] = i + 1;
            }
        }
        permute(blend->x, sizeof(float), lbs->order, count, scratch);
        permute(blend->y, sizeof(float), lbs->order, count, scratch);
        permute(blend->z, sizeof(float), lbs->order, count, scratch);
        permute(blend->weight, width, lbs->order, count, scratch);
        permute(blend->index, width, lbs->order, count, scratch);
    }
    pelti_pool_release(&work);
    return ok;
}

static void lbs_destroy(void *state)
{
    Lbs *lbs = state;
    if (lbs) {
        PeltAllocator allocator = lbs->allocator;
        pelti_free(&allocator, lbs, lbs->bytes);
    }
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
    if (!sort_items(lbs, in->allocator)) {
        lbs_destroy(lbs);
        return pelti_no_memory(err, (size_t)in->who->point_count * sizeof(Key));
    }
    *state = lbs;
    return PELT_OK;
}

/// Two columns a register: {c0 c1}{c2 c3} of the blended matrix, then x c0 + y c1 + z c2 + c3.
PELTI_WIDE void transform(FloatW a, FloatW b, float x, float y, float z, Vec3 *out)
{
    b = mul_w(b, halves_w(z, 1));
    store_folded_w(out, mad_w(a, halves_w(x, y), b));
}

/// A run of points that follow the same four bones: eight registers hold their matrices.
PELTI_WIDE void blend_run(const Lbs *lbs, Vec3 *target, int begin, int end)
{
    const PeltiBlend *blend = &lbs->blend;
    const int *index = blend->index + (size_t)begin * 4;
    const Columns *c = lbs->columns;
    FloatW a0 = load_w(c[index[0]].pair[0]), a1 = load_w(c[index[1]].pair[0]), a2 = load_w(c[index[2]].pair[0]),
           a3 = load_w(c[index[3]].pair[0]);
    FloatW b0 = load_w(c[index[0]].pair[1]), b1 = load_w(c[index[1]].pair[1]), b2 = load_w(c[index[2]].pair[1]),
           b3 = load_w(c[index[3]].pair[1]);
    for (int i = begin; i < end; i++) {
        const float *weight = blend->weight + (size_t)i * 4;
        FloatW w0 = splat_w(weight[0]), w1 = splat_w(weight[1]), w2 = splat_w(weight[2]), w3 = splat_w(weight[3]);
        FloatW a = add_w(mad_w(w0, a0, mul_w(w1, a1)), mad_w(w2, a2, mul_w(w3, a3)));
        FloatW b = add_w(mad_w(w0, b0, mul_w(w1, b1)), mad_w(w2, b2, mul_w(w3, b3)));
        transform(a, b, blend->x[i], blend->y[i], blend->z[i], &target[lbs->order[i]]);
    }
}

/// One point with any number of influences.
PELTI_WIDE void blend_point(const Lbs *lbs, Vec3 *target, int i)
{
    const PeltiBlend *blend = &lbs->blend;
    size_t at = (size_t)i * (size_t)blend->influences;
    FloatW a = splat_w(0), b = splat_w(0);
    for (int k = 0; k < blend->influences; k++) {
        const Columns *c = &lbs->columns[blend->index[at + (size_t)k]];
        FloatW w = splat_w(blend->weight[at + (size_t)k]);
        a = mad_w(w, load_w(c->pair[0]), a);
        b = mad_w(w, load_w(c->pair[1]), b);
    }
    transform(a, b, blend->x[i], blend->y[i], blend->z[i], &target[lbs->order[i]]);
}

PELTI_CLONES static void blend_range(const Lbs *lbs, Vec3 *target, int begin, int end)
{
    if (lbs->blend.influences == 4)
        for (int i = begin; i < end;) {
            int stop = lbs->run_end[i] < end ? lbs->run_end[i] : end;
            blend_run(lbs, target, i, stop);
            i = stop;
        }
    else
        for (int i = begin; i < end; i++)
            blend_point(lbs, target, i);
}

static void blend_job(void *context, int begin, int end, int worker)
{
    (void)worker;
    Lbs *lbs = context;
    blend_range(lbs, lbs->target, begin, end);
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
