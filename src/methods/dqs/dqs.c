/// Dual quaternion skinning [Kavan2008] with sign-consistent blending.
/// Scale and shear of the bones, where there is any, is blended linearly first; then the blended, normalised dual quaternion
/// moves the point rigidly.
#include "math/wide.h"
#include "methods/blend.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 1024 };
static const float SAME_SHAPE = 1e-5f; // for rounding, no tuning: a stretch nearer to the identity is that of the file's matrices

/// Unit dual quaternion: real x,y,z,w then dual x,y,z,w.  // 32 bytes
typedef struct Dual {
    float q[8];
} Dual;

/// A bone as seen from the pivot of a point (its strongest bone): q and -q are one rotation, and a blend must take the one on
/// the pivot's side. The sign depends on the pair alone, so it is settled once a frame for each pair that occurs, and the
/// kernel blends rows of a table without looking at signs.
typedef struct PivotPair {
    int pivot, bone;
} PivotPair;

typedef struct Dqs {
    PeltiBlend blend;
    const PeltiCharacter *who;
    PeltiJobs *jobs;
    int pair_count;
    PivotPair *pairs; // [pair_count]
    int *row;         // [as blend.bone] into `pairs`
    Dual *table;      // [pair_count] signed duals of this frame
    Dual *bones;      // [bone_count]
    Mat3 *stretch;    // [bone_count]
    bool stretched;   // this frame: some bone scales or shears
    Vec3 *target;
    size_t bytes;
    PeltAllocator allocator;
} Dqs;

static void layout(Dqs *dqs, PeltiArena *arena, const PeltiMethodPrepare *in, int pair_count)
{
    pelti_arena_take(arena, 1, sizeof *dqs);
    dqs->pairs = PELTI_TAKE(arena, PivotPair, pair_count);
    dqs->table = PELTI_TAKE(arena, Dual, pair_count);
    dqs->bones = PELTI_TAKE(arena, Dual, in->who->bone_count);
    dqs->stretch = PELTI_TAKE(arena, Mat3, in->who->bone_count);
    pelti_blend_layout(&dqs->blend, arena, in);
    dqs->row = PELTI_TAKE(arena, int, (size_t)dqs->blend.padded_count *(size_t)dqs->blend.influences);
}

static int compare_pairs(const void *a, const void *b)
{
    const PivotPair *p = a, *q = b;
    return p->pivot != q->pivot ? (p->pivot > q->pivot) - (p->pivot < q->pivot) : (p->bone > q->bone) - (p->bone < q->bone);
}

/// The pairs that occur, sorted, without repeats; returns how many.
static int collect_pairs(const PeltiWeights *weights, int item_count, PivotPair *out)
{
    size_t count = 0;
    for (int i = 0; i < item_count; i++)
        for (int k = 0; k < weights->influences; k++) {
            size_t at = (size_t)i * (size_t)weights->influences;
            if (weights->weight[at + (size_t)k] > 0)
                out[count++] = (PivotPair){weights->bone[at], weights->bone[at + (size_t)k]};
        }
    qsort(out, count, sizeof *out, compare_pairs);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_pairs(&out[i], &out[kept - 1]))
            out[kept++] = out[i];
    return (int)kept;
}

/// Where each bone of the blend stands in the pair table.
static void find_rows(Dqs *dqs)
{
    const PeltiBlend *blend = &dqs->blend;
    for (int i = 0; i < blend->padded_count; i++) {
        size_t first = (size_t)i * (size_t)blend->influences;
        for (int k = 0; k < blend->influences; k++) {
            size_t at = first + (size_t)k;
            PivotPair key = {blend->bone[first], blend->bone[at]};
            const PivotPair *row =
                blend->weight[at] > 0 ? bsearch(&key, dqs->pairs, (size_t)dqs->pair_count, sizeof key, compare_pairs) : NULL;
            dqs->row[at] = row ? (int)(row - dqs->pairs) : 0;
        }
    }
}

static PeltStatus dqs_prepare(const PeltiMethodPrepare *in, void **state, PeltError *err)
{
    const PeltiWeights *weights = in->point_weights ? in->point_weights : in->weights;
    int items = in->point_weights ? in->who->point_count : in->who->mesh->vertex_count;
    PeltiPool work;
    pelti_pool_init(&work, in->allocator);
    PivotPair *pairs = PELTI_NEW(&work, PivotPair, (size_t)items * (size_t)weights->influences + 1);
    if (!pairs) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, (size_t)items * sizeof *pairs);
    }
    int pair_count = collect_pairs(weights, items, pairs);
    if (pair_count == 0)
        pair_count = 1; // no points: one row to point at
    Dqs measure = {0};
    PeltiArena arena = {0};
    layout(&measure, &arena, in, pair_count);
    Dqs *dqs = pelti_alloc(in->allocator, arena.used);
    if (!dqs) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, arena.used);
    }
    *dqs = (Dqs){.who = in->who, .jobs = in->jobs, .bytes = arena.used, .pair_count = pair_count};
    if (in->allocator)
        dqs->allocator = *in->allocator;
    arena = (PeltiArena){.base = (char *)dqs};
    layout(dqs, &arena, in, pair_count);
    memcpy(dqs->pairs, pairs, (size_t)pair_count * sizeof *pairs);
    pelti_pool_release(&work);
    pelti_blend_fill(&dqs->blend, in);
    find_rows(dqs);
    *state = dqs;
    return PELT_OK;
}

static void dqs_destroy(void *state)
{
    Dqs *dqs = state;
    if (dqs) {
        PeltAllocator allocator = dqs->allocator;
        pelti_free(&allocator, dqs, dqs->bytes);
    }
}

/// Rotation q and translation t as a unit dual quaternion: q + e t q / 2.
static Dual dual_from(Quat q, Vec3 t)
{
    Quat d = quat_mul((Quat){t.x, t.y, t.z, 0}, q);
    return (Dual){{q.x, q.y, q.z, q.w, 0.5f * d.x, 0.5f * d.y, 0.5f * d.z, 0.5f * d.w}};
}

static void fill_bones(Dqs *dqs, const Mat34 *bones)
{
    dqs->stretched = false;
    for (int b = 0; b < dqs->who->bone_count; b++) {
        Mat3 rotation = mat3_polar(mat34_linear(bones[b]), &dqs->stretch[b]);
        dqs->bones[b] = dual_from(quat_from_mat3(rotation), mat34_translation(bones[b]));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                dqs->stretched = dqs->stretched || !(fabsf(dqs->stretch[b].m[i][j] - (float)(i == j)) < SAME_SHAPE);
    }
    for (int p = 0; dqs->who->bone_count && p < dqs->pair_count; p++) {
        const Dual *pivot = &dqs->bones[dqs->pairs[p].pivot], *bone = &dqs->bones[dqs->pairs[p].bone];
        float dot = pivot->q[0] * bone->q[0] + pivot->q[1] * bone->q[1] + pivot->q[2] * bone->q[2] + pivot->q[3] * bone->q[3];
        for (int k = 0; k < 8; k++)
            dqs->table[p].q[k] = dot < 0 ? -bone->q[k] : bone->q[k];
    }
}

/// Rest positions of eight items, with scale and shear blended linearly where some bone has any.
static void stretched_rest(const Dqs *dqs, int first, float x[8], float y[8], float z[8])
{
    const PeltiBlend *blend = &dqs->blend;
    for (int lane = 0; lane < PELTI_BLEND_LANES; lane++) {
        int i = first + lane;
        Vec3 rest = vec3(blend->x[i], blend->y[i], blend->z[i]), sum = vec3(0, 0, 0);
        for (int k = 0; k < blend->influences; k++) {
            size_t at = (size_t)i * (size_t)blend->influences + (size_t)k;
            if (blend->weight[at] > 0)
                sum = vec3_mad(sum, mat3_apply(dqs->stretch[blend->bone[at]], rest), blend->weight[at]);
        }
        x[lane] = sum.x;
        y[lane] = sum.y;
        z[lane] = sum.z;
    }
}

/// Blends the duals of eight items, one register each, then turns them so that a register holds one component of all eight.
PELTI_WIDE void blend_duals(const Dqs *dqs, int first, FloatW out[PELT_W])
{
    const PeltiBlend *blend = &dqs->blend;
    const Dual *table = dqs->table;
    FloatW rows[PELT_W];
    for (int lane = 0; lane < PELT_W; lane++) {
        size_t at = (size_t)(first + lane) * (size_t)blend->influences;
        const float *weight = blend->weight + at;
        const int *row = dqs->row + at;
        FloatW sum = splat_w(0);
        for (int k = 0; k < blend->influences; k += 4)
#pragma GCC unroll 4
            for (int j = k; j < k + 4; j++)
                sum = mad_w(splat_w(weight[j]), load_w(table[row[j]].q), sum);
        rows[lane] = sum;
    }
    transpose_w(rows, out);
}

PELTI_WIDE FloatW cross_w(FloatW ay, FloatW az, FloatW by, FloatW bz) ///< one component: ay bz - az by
{
    return sub_w(mul_w(ay, bz), mul_w(az, by));
}

/// With b = r + e s unnormalised and n = |r|^2, everything is quadratic in b and divided by n once:
/// p = x + 2/n (u x (u x x + w x) + w s - sw u + u x s), u and w being r's vector and scalar part.
PELTI_CLONES static void move_range(const Dqs *dqs, Vec3 *target, int begin, int end)
{
    const PeltiBlend *blend = &dqs->blend;
    for (int first = begin; first < end; first += PELT_W) {
        float rest[3][PELT_W];
        FloatW d[PELT_W], x = load_w(blend->x + first), y = load_w(blend->y + first), z = load_w(blend->z + first);
        blend_duals(dqs, first, d);
        if (dqs->stretched) {
            stretched_rest(dqs, first, rest[0], rest[1], rest[2]);
            x = load_w(rest[0]);
            y = load_w(rest[1]);
            z = load_w(rest[2]);
        }
        FloatW ux = d[0], uy = d[1], uz = d[2], w = d[3], sx = d[4], sy = d[5], sz = d[6], sw = d[7];
        FloatW n = mad_w(ux, ux, mad_w(uy, uy, mad_w(uz, uz, mul_w(w, w))));
        FloatW scale = div_w(splat_w(2), add_w(n, splat_w(1e-30f)));
        FloatW cx = mad_w(w, x, cross_w(uy, uz, y, z)), cy = mad_w(w, y, cross_w(uz, ux, z, x)),
               cz = mad_w(w, z, cross_w(ux, uy, x, y));
        cx = add_w(cx, sx); // u x (... + s) gathers the translation's cross product too
        cy = add_w(cy, sy);
        cz = add_w(cz, sz);
        FloatW tx = sub_w(mul_w(w, sx), mul_w(sw, ux)), ty = sub_w(mul_w(w, sy), mul_w(sw, uy)),
               tz = sub_w(mul_w(w, sz), mul_w(sw, uz));
        store_w(rest[0], mad_w(scale, add_w(cross_w(uy, uz, cy, cz), tx), x));
        store_w(rest[1], mad_w(scale, add_w(cross_w(uz, ux, cz, cx), ty), y));
        store_w(rest[2], mad_w(scale, add_w(cross_w(ux, uy, cx, cy), tz), z));
        int lanes = end - first < PELT_W ? end - first : PELT_W;
        for (int lane = 0; lane < lanes; lane++)
            target[first + lane] = vec3(rest[0][lane], rest[1][lane], rest[2][lane]);
    }
}

static void move_job(void *context, int begin, int end, int worker)
{
    (void)worker;
    Dqs *dqs = context;
    move_range(dqs, dqs->target, begin, end);
}

static void dqs_step(void *state, const PeltiStepInput *in, Vec3 *items, PeltiStepReport *report)
{
    Dqs *dqs = state;
    (void)report;
    fill_bones(dqs, in->bones);
    dqs->target = items;
    pelti_parallel_for(dqs->jobs, dqs->blend.item_count, GRAIN, move_job, dqs);
}

extern const PeltiMethod pelti_method_dqs;
const PeltiMethod pelti_method_dqs = {
    .name = "dqs",
    .summary = "dual quaternion skinning: blends rigid motions, keeps a twist's volume, bulges at bends",
    .reference = "[Kavan2008]",
    .flags = PELTI_METHOD_NEEDS_WEIGHTS | PELTI_METHOD_BY_POINT,
    .prepare = dqs_prepare,
    .step = dqs_step,
    .destroy = dqs_destroy,
};
