/// Linear blend skinning [MagnenatThalmann1988]: p = sum_k w_k M_k p0, exact for the file's weights.
///
/// Loading four matrices a point is what the kernel would cost (5.1 ns a point of which 2 are arithmetic), so points are sorted
/// by the bones they follow. A run of points with the same four goes eight at a time, a lane a point: their matrices are read
/// once for the eight. What is left of a run goes point by point.
#include "math/wide.h"
#include "methods/blend.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 1024, LANES = PELTI_BLEND_LANES };

/// A bone's matrix by columns, the fourth row left out of the sum: {c0 c1} {c2 c3}.  // 64 bytes
typedef struct BoneColumns {
    float pair[2][8];
} BoneColumns;

typedef struct Lbs {
    PeltiBlend blend; // its items by the bones they follow
    const PeltiCharacter *who;
    PeltiJobs *jobs;
    BoneColumns *columns; // [bone_count]
    int *order;           // [padded_count] sorted place -> item
    int *run_end;       // [padded_count] end of the run of equal bones that a sorted place is in; runs end at multiples of GRAIN
    float *lane_weight; // [padded_count x 4] weights of whole groups of a run, [group][influence][point]; others 0
    Vec3 *target;       // of the step that is running
    size_t bytes;
    PeltAllocator allocator;
} Lbs;

static void layout(Lbs *lbs, PeltiArena *arena, const PeltiMethodPrepare *in)
{
    pelti_arena_take(arena, 1, sizeof *lbs);
    lbs->columns = PELTI_TAKE(arena, BoneColumns, in->who->bone_count + 1);
    pelti_blend_layout(&lbs->blend, arena, in);
    lbs->order = PELTI_TAKE(arena, int, lbs->blend.padded_count);
    lbs->run_end = PELTI_TAKE(arena, int, lbs->blend.padded_count);
    lbs->lane_weight = PELTI_TAKE(arena, float, (size_t)lbs->blend.padded_count * 4);
}

/// Bones of an item and the item: what is sorted.
typedef struct Key {
    const int *bone;
    int influences, item;
} Key;

static int compare_bones(const Key *p, const Key *q)
{
    for (int k = 0; k < p->influences; k++)
        if (p->bone[k] != q->bone[k])
            return p->bone[k] < q->bone[k] ? -1 : 1;
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

/// The weights of whole groups of a run, with a lane a point.
static void fill_lanes(Lbs *lbs)
{
    const PeltiBlend *blend = &lbs->blend;
    memset(lbs->lane_weight, 0, (size_t)blend->padded_count * 4 * sizeof *lbs->lane_weight);
    for (int i = 0; blend->influences == 4 && i < blend->item_count; i = lbs->run_end[i])
        for (int group = i; group + LANES <= lbs->run_end[i]; group += LANES) {
            const float *weight = blend->weight + (size_t)group * 4;
            for (int j = 0; j < LANES; j++)
                for (int k = 0; k < 4; k++)
                    lbs->lane_weight[(size_t)group * 4 + (size_t)(k * LANES + j)] = weight[j * 4 + k];
        }
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
            keys[i] = (Key){blend->bone + (size_t)i * (size_t)blend->influences, blend->influences, i};
        qsort(keys, (size_t)count, sizeof *keys, compare_keys);
        for (int i = 0, start = 0; i < count; i++) {
            lbs->order[i] = keys[i].item;
            if (i + 1 == count || (i + 1) % GRAIN == 0 || compare_bones(&keys[i], &keys[i + 1])) {
                for (; start <= i; start++)
                    lbs->run_end[start] = i + 1;
            }
        }
        permute(blend->x, sizeof(float), lbs->order, count, scratch);
        permute(blend->y, sizeof(float), lbs->order, count, scratch);
        permute(blend->z, sizeof(float), lbs->order, count, scratch);
        permute(blend->weight, width, lbs->order, count, scratch);
        permute(blend->bone, width, lbs->order, count, scratch);
    }
    pelti_pool_release(&work);
    if (ok)
        fill_lanes(lbs);
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

static PeltStatus lbs_prepare(const PeltiMethodPrepare *in, void **state, PeltError *err)
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

/// One entry of eight blended matrices: sum_k w_k M_k. Written out, as are its uses: the compiler keeps such short loops.
PELTI_WIDE FloatW blend_entry(const BoneColumns *const bone[4], const FloatW w[4], int half, int at)
{
    FloatW low = mad_w(w[1], splat_w(bone[1]->pair[half][at]), mul_w(w[0], splat_w(bone[0]->pair[half][at])));
    return mad_w(w[3], splat_w(bone[3]->pair[half][at]), mad_w(w[2], splat_w(bone[2]->pair[half][at]), low));
}

/// One coordinate of eight points: row `row` of the blended matrices, times (x, y, z, 1).
PELTI_WIDE FloatW blend_row(const BoneColumns *const bone[4], const FloatW w[4], int row, FloatW x, FloatW y, FloatW z)
{
    FloatW sum = mad_w(z, blend_entry(bone, w, 1, row), blend_entry(bone, w, 1, 4 + row));
    return mad_w(x, blend_entry(bone, w, 0, row), mad_w(y, blend_entry(bone, w, 0, 4 + row), sum));
}

/// Eight points that follow the same four bones.
PELTI_WIDE void blend_eight(const Lbs *lbs, Vec3 *target, const BoneColumns *const bone[4], int i)
{
    const PeltiBlend *blend = &lbs->blend;
    const float *weight = lbs->lane_weight + (size_t)i * 4;
    const FloatW w[4] = {load_w(weight), load_w(weight + LANES), load_w(weight + LANES * 2), load_w(weight + LANES * 3)};
    FloatW x = load_w(blend->x + i), y = load_w(blend->y + i), z = load_w(blend->z + i);
    float rows[LANES][4];
    store_rows_w(rows, blend_row(bone, w, 0, x, y, z), blend_row(bone, w, 1, x, y, z), blend_row(bone, w, 2, x, y, z));
    for (int j = 0; j < LANES; j++)
        memcpy(&target[lbs->order[i + j]], rows[j], sizeof(Vec3));
}

/// Two columns a register: {c0 c1}{c2 c3} of the blended matrix, then x c0 + y c1 + z c2 + c3.
PELTI_WIDE void transform(FloatW a, FloatW b, float x, float y, float z, Vec3 *out)
{
    b = mul_w(b, halves_w(z, 1));
    store_folded_w(out, mad_w(a, halves_w(x, y), b));
}

/// One point with any number of influences.
PELTI_WIDE void blend_point(const Lbs *lbs, Vec3 *target, int i)
{
    const PeltiBlend *blend = &lbs->blend;
    size_t at = (size_t)i * (size_t)blend->influences;
    FloatW a = splat_w(0), b = splat_w(0);
    for (int k = 0; k < blend->influences; k++) {
        const BoneColumns *c = &lbs->columns[blend->bone[at + (size_t)k]];
        FloatW w = splat_w(blend->weight[at + (size_t)k]);
        a = mad_w(w, load_w(c->pair[0]), a);
        b = mad_w(w, load_w(c->pair[1]), b);
    }
    transform(a, b, blend->x[i], blend->y[i], blend->z[i], &target[lbs->order[i]]);
}

PELTI_CLONES static void blend_range(const Lbs *lbs, Vec3 *target, int begin, int end)
{
    for (int i = begin; i < end;) {
        int stop = lbs->run_end[i];
        if (lbs->blend.influences == 4) {
            const int *of = lbs->blend.bone + (size_t)i * 4;
            const BoneColumns *const bone[4] = {lbs->columns + of[0], lbs->columns + of[1], lbs->columns + of[2],
                                                lbs->columns + of[3]};
            for (; i + LANES <= stop; i += LANES)
                blend_eight(lbs, target, bone, i);
        }
        for (; i < stop; i++)
            blend_point(lbs, target, i);
    }
}

static void blend_job(void *context, int begin, int end, int worker)
{
    (void)worker;
    Lbs *lbs = context;
    blend_range(lbs, lbs->target, begin, end);
}

static void lbs_step(void *state, const PeltiStepInput *in, Vec3 *items, PeltiStepReport *report)
{
    Lbs *lbs = state;
    (void)report;
    for (int b = 0; b < lbs->who->bone_count; b++)
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                lbs->columns[b].pair[column / 2][column % 2 * 4 + row] = in->bones[b].m[row][column];
    lbs->target = items;
    pelti_parallel_for(lbs->jobs, lbs->blend.item_count, GRAIN, blend_job, lbs);
}

extern const PeltiMethod pelti_method_lbs;
const PeltiMethod pelti_method_lbs = {
    .name = "lbs",
    .summary = "linear blend skinning: the weighted mean of the bones' motions",
    .reference = "[MagnenatThalmann1988]",
    .flags = PELTI_METHOD_NEEDS_WEIGHTS | PELTI_METHOD_BY_POINT | PELTI_METHOD_LINEAR_IN_REST,
    .prepare = lbs_prepare,
    .step = lbs_step,
    .destroy = lbs_destroy,
};
