/// Frames as morph targets, one each or as principal ones.
#include "io/gltf_morph_modes.h"
#include "math/elementary.h"
#include "math/wide.h"

#include <float.h>
#include <string.h>

// A block is up to BLOCK points of one part, in all frames: rows of x[BLOCK] y[BLOCK] z[BLOCK], the rest zero, so that loops
// have a fixed length.
enum { BLOCK = 512, ROW = 3 * BLOCK, NORMAL_FRAMES = 32 };

typedef struct Block {
    int part, first_point, point_count;
} Block;

typedef struct MorphWork {
    const PeltiMorphDef *def;
    PeltiPool scratch;
    PeltiPool *pool; // of the result
    const PeltiProgressSink *progress;
    Block *blocks;
    int block_count;
    int mode_count;   // targets being tried or made
    int measure_from; // fewer modes than this are known to be too few
    const double *u;  // [frame_count x u_stride]; NULL: one target a frame
    int u_stride;
    const float *weights;     // [frame_count x mode_count]
    float *scale;             // [mode_count] of the targets: 1 / that of the weights
    float **rows, **targets;  // [worker] scratch: [frame_count x ROW], [mode_count x ROW]
    float *error;             // [block_count x (mode_count + 1)] squared distance after so many modes
    PeltiMorphBounds *bounds; // [block_count x (1 + mode_count)]
    double *normal_error;     // [block_count] sum of angles, rad
    PeltStatus *status;       // [block_count]
    PeltError *errors;        // [worker]
} MorphWork;

uint64_t pelti_morph_offset(const PeltiMorphPart *part, int target, bool normals)
{
    uint64_t array = (uint64_t)(target + 1) * (part->has_normals ? 2 : 1) + (normals ? 1 : 0);
    return part->offset + array * (uint64_t)part->point_count * sizeof(Vec3);
}

void pelti_morph_place(const PeltiMorphDef *def)
{
    uint64_t end = 0;
    for (int i = 0; i < def->part_count; i++) {
        def->parts[i].offset = end;
        end = pelti_morph_offset(&def->parts[i], def->frame_count - 1, false);
    }
}

/// One array of one frame of a part.
static PeltStatus spool_array(const PeltiMorphDef *def, const PeltiMorphPart *part, int frame, bool normals, const Vec3 *array,
                              PeltError *err)
{
    uint64_t first = pelti_morph_offset(part, -1, normals), at = pelti_morph_offset(part, frame - 1, normals);
    if (def->mode == PELTI_MORPH_PRINCIPAL || frame == 0)
        return pelti_spool_write(def->spool, at, array, (size_t)part->point_count * sizeof(Vec3), err);
    enum { CHUNK = 4096 };
    Vec3 offsets[CHUNK];
    for (int p = 0; p < part->point_count; p += CHUNK) {
        int count = part->point_count - p < CHUNK ? part->point_count - p : CHUNK;
        size_t skip = (size_t)p * sizeof(Vec3), bytes = (size_t)count * sizeof(Vec3);
        PELT_TRY(pelti_spool_read(def->spool, first + skip, offsets, bytes, err));
        for (int i = 0; i < count; i++)
            offsets[i] = vec3_sub(array[p + i], offsets[i]);
        PELT_TRY(pelti_spool_write(def->spool, at + skip, offsets, bytes, err));
    }
    return PELT_OK;
}

PeltStatus pelti_morph_frame(const PeltiMorphDef *def, int frame, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    for (int i = 0; i < def->part_count; i++) {
        const PeltiMorphPart *part = &def->parts[i];
        PELT_TRY(spool_array(def, part, frame, false, points + part->first_point, err));
        if (part->has_normals)
            PELT_TRY(spool_array(def, part, frame, true, normals + part->first_point, err));
    }
    return PELT_OK;
}

/// Where a block lies in the spool.
static uint64_t block_offset(const MorphWork *w, const Block *block, int target, bool normals)
{
    const PeltiMorphPart *part = &w->def->parts[block->part];
    return pelti_morph_offset(part, target, normals) + (uint64_t)(block->first_point - part->first_point) * sizeof(Vec3);
}

/// Row 0 becomes frame 0, the others offsets to it.
static PeltStatus load_block(const MorphWork *w, const Block *block, bool normals, float *rows, PeltError *err)
{
    Vec3 points[BLOCK];
    for (int f = 0; f < w->def->frame_count; f++) {
        uint64_t at = block_offset(w, block, f - 1, normals);
        PELT_TRY(pelti_spool_read(w->def->spool, at, points, (size_t)block->point_count * sizeof(Vec3), err));
        float *row = rows + (size_t)f * ROW;
        memset(row, 0, ROW * sizeof *row);
        for (int i = 0; i < block->point_count; i++) {
            row[i] = points[i].x;
            row[BLOCK + i] = points[i].y;
            row[2 * BLOCK + i] = points[i].z;
        }
        for (int i = 0; w->u && f > 0 && i < ROW; i++) // one target a frame: they are offsets already
            row[i] -= rows[i];
    }
    return PELT_OK;
}

/// A target takes the place of a frame, of which there are more.
static PeltStatus store_target(const MorphWork *w, const Block *block, int target, bool normals, const float *row, PeltError *err)
{
    Vec3 points[BLOCK];
    for (int i = 0; i < block->point_count; i++)
        points[i] = vec3(row[i], row[BLOCK + i], row[2 * BLOCK + i]);
    return pelti_spool_write(w->def->spool, block_offset(w, block, target, normals), points,
                             (size_t)block->point_count * sizeof(Vec3), err);
}

/// to += sum of four rows times their factors: four at once, as it is the memory that takes the time.
PELTI_CLONES static void add_rows(float *to, const float *const rows[4], const float factors[4])
{
    for (int i = 0; i < ROW; i += PELT_W) {
        FloatW sum = load_w(to + i);
        for (int k = 0; k < 4; k++)
            sum = add_w(sum, mul_w(splat_w(factors[k]), load_w(rows[k] + i)));
        store_w(to + i, sum);
    }
}

PELTI_CLONES static void add_row(float *to, const float *row, float factor)
{
    for (int i = 0; i < ROW; i += PELT_W)
        store_w(to + i, add_w(load_w(to + i), mul_w(splat_w(factor), load_w(row + i))));
}

static float largest_square(const float *row)
{
    float largest = 0;
    for (int i = 0; i < BLOCK; i++) {
        float square = row[i] * row[i] + row[BLOCK + i] * row[BLOCK + i] + row[2 * BLOCK + i] * row[2 * BLOCK + i];
        largest = square > largest ? square : largest;
    }
    return largest;
}

/// t_k = scale_k sum_f u_fk d_f: with orthonormal columns the least-squares targets.
static void fit_targets(const MorphWork *w, const float *rows, float *targets)
{
    int frames = w->def->frame_count;
    memset(targets, 0, (size_t)w->mode_count * ROW * sizeof *targets);
    for (int first = 1; first < frames; first += 4)
        for (int k = 0; k < w->mode_count; k++) {
            const float *four[4];
            float factors[4];
            for (int i = 0; i < 4; i++) {
                int f = first + i < frames ? first + i : 0; // u is zero in row 0
                four[i] = rows + (size_t)f * ROW;
                factors[i] = f > 0 ? (float)w->u[(size_t)f * w->u_stride + k] * (w->scale ? w->scale[k] : 1) : 0;
            }
            add_rows(targets + (size_t)k * ROW, four, factors);
        }
}

/// What each number of modes would leave, at worst, in this block.
static PeltStatus measure_block(MorphWork *w, int index, int worker)
{
    float *rows = w->rows[worker], *targets = w->targets[worker], left[ROW];
    PELT_TRY(load_block(w, &w->blocks[index], false, rows, &w->errors[worker]));
    fit_targets(w, rows, targets);
    float *error = w->error + (size_t)index * (w->mode_count + 1);
    for (int f = 1; f < w->def->frame_count; f++) {
        memcpy(left, rows + (size_t)f * ROW, sizeof left);
        for (int k = 0; k <= w->mode_count; k++) {
            if (k >= w->measure_from) {
                float square = largest_square(left);
                error[k] = square > error[k] ? square : error[k];
            }
            if (k < w->mode_count)
                add_row(left, targets + (size_t)k * ROW, -(float)w->u[(size_t)f * w->u_stride + k]);
        }
    }
    return PELT_OK;
}

static PeltiMorphBounds bounds_of(const float *row, int count)
{
    PeltiMorphBounds b = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (int i = 0; i < count; i++) {
        Vec3 p = vec3(row[i], row[BLOCK + i], row[2 * BLOCK + i]);
        b.low = vec3_min(b.low, p);
        b.high = vec3_max(b.high, p);
    }
    return b;
}

/// What a viewer makes of frame f: row 0 + sum w_fk t_k, less row 0.
static void replay(const MorphWork *w, const float *targets, int f, float *out)
{
    const float *weights = w->weights + (size_t)f * w->mode_count;
    memset(out, 0, ROW * sizeof *out);
    for (int first = 0; first < w->mode_count; first += 4) {
        const float *four[4];
        float factors[4];
        for (int i = 0; i < 4; i++) {
            int k = first + i < w->mode_count ? first + i : first;
            four[i] = targets + (size_t)k * ROW;
            factors[i] = k == first + i ? weights[k] : 0;
        }
        add_rows(out, four, factors);
    }
}

static PeltStatus store_positions(MorphWork *w, int index, int worker)
{
    const Block *block = &w->blocks[index];
    float *rows = w->rows[worker], *targets = w->u ? w->targets[worker] : rows + ROW, made[ROW];
    PELT_TRY(load_block(w, block, false, rows, &w->errors[worker]));
    if (w->u)
        fit_targets(w, rows, targets);
    PeltiMorphBounds *bounds = w->bounds + (size_t)index * (w->mode_count + 1);
    for (int k = -1; k < w->mode_count; k++) {
        const float *row = k < 0 ? rows : targets + (size_t)k * ROW;
        bounds[k + 1] = bounds_of(row, block->point_count);
        if (w->u && k >= 0)
            PELT_TRY(store_target(w, block, k, false, row, &w->errors[worker]));
    }
    float largest = 0;
    for (int f = 1; f < w->def->frame_count; f++) {
        if (w->u) {
            replay(w, targets, f, made);
            add_row(made, rows + (size_t)f * ROW, -1);
            float square = largest_square(made);
            largest = square > largest ? square : largest;
        }
    }
    w->error[index] = largest;
    return PELT_OK;
}

/// Angles between the frame's normals and the replayed ones, some frames.
static double normal_angles(const MorphWork *w, const Block *block, const float *rows, const float *targets)
{
    double sum = 0;
    float made[ROW];
    int step = (w->def->frame_count + NORMAL_FRAMES - 1) / NORMAL_FRAMES;
    for (int f = step; f < w->def->frame_count; f += step) {
        replay(w, targets, f, made);
        for (int i = 0; i < block->point_count; i++) {
            const float *d = rows + (size_t)f * ROW;
            Vec3 base = vec3(rows[i], rows[BLOCK + i], rows[2 * BLOCK + i]);
            Vec3 a = vec3_add(base, vec3(made[i], made[BLOCK + i], made[2 * BLOCK + i]));
            Vec3 b = vec3_add(base, vec3(d[i], d[BLOCK + i], d[2 * BLOCK + i]));
            sum += (double)pelti_atan2f(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
        }
    }
    return sum;
}

static PeltStatus store_normals(MorphWork *w, int index, int worker)
{
    const Block *block = &w->blocks[index];
    if (!w->def->parts[block->part].has_normals || !w->u)
        return PELT_OK;
    float *rows = w->rows[worker], *targets = w->targets[worker];
    PELT_TRY(load_block(w, block, true, rows, &w->errors[worker]));
    fit_targets(w, rows, targets);
    for (int k = 0; k < w->mode_count; k++)
        PELT_TRY(store_target(w, block, k, true, targets + (size_t)k * ROW, &w->errors[worker]));
    w->normal_error[index] = normal_angles(w, block, rows, targets);
    return PELT_OK;
}

static void measure_job(void *context, int begin, int end, int worker)
{
    MorphWork *w = context;
    for (int i = begin; i < end; i++)
        w->status[i] = measure_block(w, i, worker);
}

static void store_job(void *context, int begin, int end, int worker)
{
    MorphWork *w = context;
    for (int i = begin; i < end; i++) {
        w->status[i] = store_positions(w, i, worker);
        if (w->status[i] == PELT_OK)
            w->status[i] = store_normals(w, i, worker);
    }
}

static PeltStatus run(MorphWork *w, PeltiJob job, const PeltiProgressSink *progress, const char *stage, PeltError *err)
{
    enum { STEP = 64 }; // blocks between two looks at the clock and the user's wish to stop
    for (int first = 0; first < w->block_count; first += STEP) {
        MorphWork some = *w;
        int count = w->block_count - first < STEP ? w->block_count - first : STEP;
        some.blocks += first;
        some.error = w->error ? w->error + (size_t)first * (job == measure_job ? w->mode_count + 1 : 1) : NULL;
        some.bounds = w->bounds ? w->bounds + (size_t)first * (w->mode_count + 1) : NULL;
        some.normal_error += first;
        some.status += first;
        PELT_TRY(pelti_progress(progress, stage, (double)first / w->block_count, err));
        pelti_parallel_for(w->def->jobs, count, 1, job, &some);
    }
    for (int i = 0; i < w->block_count; i++)
        if (w->status[i] != PELT_OK) {
            for (int k = 0; k < pelti_jobs_threads(w->def->jobs); k++)
                if (w->errors[k].status != PELT_OK)
                    return PELT_FAIL(err, w->errors[k].status, "%s", w->errors[k].text);
            return w->status[i];
        }
    return PELT_OK;
}

static PeltStatus cut_blocks(MorphWork *w, PeltiPool *pool, PeltError *err)
{
    for (int turn = 0; turn < 2; turn++) {
        int count = 0;
        for (int i = 0; i < w->def->part_count; i++)
            for (int p = 0; p < w->def->parts[i].point_count; p += BLOCK, count++)
                if (turn) {
                    int left = w->def->parts[i].point_count - p;
                    w->blocks[count] = (Block){i, w->def->parts[i].first_point + p, left < BLOCK ? left : BLOCK};
                }
        w->block_count = count;
        if (!turn)
            w->blocks = PELTI_NEW(pool, Block, count);
        if (pool->failed)
            return pelti_no_memory(err, (size_t)count * sizeof(Block));
    }
    return PELT_OK;
}

static PeltStatus take_scratch(MorphWork *w, PeltiPool *pool, PeltError *err)
{
    int workers = pelti_jobs_threads(w->def->jobs);
    w->rows = PELTI_NEW(pool, float *, workers);
    w->targets = PELTI_NEW(pool, float *, workers);
    w->errors = PELTI_NEW(pool, PeltError, workers);
    w->status = PELTI_NEW(pool, PeltStatus, w->block_count);
    w->normal_error = PELTI_NEW(pool, double, w->block_count);
    for (int i = 0; i < workers && !pool->failed; i++) {
        w->rows[i] = PELTI_NEW(pool, float, (size_t)w->def->frame_count *ROW);
        w->targets[i] = PELTI_NEW(pool, float, (size_t)(w->u ? w->def->most : 0) * ROW);
    }
    return pool->failed ? pelti_no_memory(err, (size_t)w->def->frame_count * ROW * sizeof(float)) : PELT_OK;
}

/// The fewest modes that stay within the tolerance in every block and frame; all there are when none do.
static PeltStatus choose_count(MorphWork *w, const PeltiPrincipalModes *modes, PeltiPool *pool, const PeltiProgressSink *progress,
                               int *count, PeltError *err)
{
    // First guess of how much worse the worst point is than the mean; the fewest modes are found whatever it is: too low costs a
    // turn with twice as many, too high measures modes that nobody needs. Chosen, not measured.
    const double worst_to_mean = 12;
    int most = 0;
    while (most < modes->count && modes->rms[most] * worst_to_mean > (double)w->def->tolerance)
        most++;
    for (;; most = most * 2 < modes->count ? most * 2 : modes->count) {
        most = most < 1 ? 1 : most;
        most = most < modes->count ? most : modes->count;
        w->mode_count = most;
        for (w->measure_from = 0; w->measure_from < most && modes->rms[w->measure_from] > (double)w->def->tolerance;)
            w->measure_from++;
        w->error = PELTI_NEW(pool, float, (size_t)w->block_count *(most + 1));
        if (!w->error)
            return pelti_no_memory(err, (size_t)w->block_count * (most + 1) * sizeof(float));
        PELT_TRY(run(w, measure_job, progress, "finding morph targets", err));
        for (*count = w->measure_from; *count <= most; ++*count) {
            float worst = 0;
            for (int b = 0; b < w->block_count; b++)
                worst = fmaxf(worst, w->error[(size_t)b * (most + 1) + *count]);
            if (sqrtf(worst) <= w->def->tolerance)
                return PELT_OK;
        }
        *count = most;
        if (most == modes->count)
            return PELT_OK;
    }
}

/// Weights within [-1, 1], the targets scaled the other way.
static PeltStatus scale_weights(MorphWork *w, const PeltiPrincipalModes *modes, PeltiPool *pool, float *weights, PeltError *err)
{
    w->scale = PELTI_NEW(pool, float, w->mode_count);
    if (!w->scale)
        return pelti_no_memory(err, (size_t)w->mode_count * sizeof(float));
    for (int k = 0; k < w->mode_count; k++) {
        double largest = 0;
        for (int f = 0; f < w->def->frame_count; f++)
            largest = fmax(largest, fabs(modes->u[(size_t)f * modes->count + k]));
        w->scale[k] = (float)largest;
        for (int f = 0; f < w->def->frame_count; f++)
            weights[(size_t)f * w->mode_count + k] = (float)(modes->u[(size_t)f * modes->count + k] / largest);
    }
    return PELT_OK;
}

static PeltStatus store(MorphWork *w, PeltiPool *scratch, PeltiPool *pool, const PeltiProgressSink *progress, PeltiMorph *out,
                        PeltError *err)
{
    const PeltiMorphDef *def = w->def;
    int arrays = w->mode_count + 1;
    out->bounds = PELTI_NEW(pool, PeltiMorphBounds, (size_t)def->part_count * arrays);
    w->bounds = PELTI_NEW(scratch, PeltiMorphBounds, (size_t)w->block_count * arrays);
    w->error = PELTI_NEW(scratch, float, w->block_count);
    if (pool->failed || scratch->failed)
        return pelti_no_memory(err, (size_t)w->block_count * arrays * sizeof(PeltiMorphBounds));
    PELT_TRY(run(w, store_job, progress, "writing morph targets", err));
    for (int i = 0; i < def->part_count * arrays; i++)
        out->bounds[i] = (PeltiMorphBounds){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    double angles = 0;
    int64_t angle_count = 0;
    int step = (def->frame_count + NORMAL_FRAMES - 1) / NORMAL_FRAMES, looked = (def->frame_count - 1) / step;
    for (int b = 0; b < w->block_count; b++) {
        PeltiMorphBounds *to = out->bounds + (size_t)w->blocks[b].part * arrays;
        for (int k = 0; k < arrays; k++) {
            to[k].low = vec3_min(to[k].low, w->bounds[(size_t)b * arrays + k].low);
            to[k].high = vec3_max(to[k].high, w->bounds[(size_t)b * arrays + k].high);
        }
        out->largest_error = fmaxf(out->largest_error, sqrtf(w->error[b]));
        if (def->parts[w->blocks[b].part].has_normals) {
            angles += w->normal_error[b];
            angle_count += (int64_t)w->blocks[b].point_count * looked;
        }
    }
    if (!w->u) { // x_0 + (x_f - x_0) in floats: a rounding or two
        Vec3 reach = vec3(0, 0, 0);
        for (int i = 0; i < def->part_count; i++)
            reach = vec3_max(reach, vec3_max(out->bounds[i * arrays].high, vec3_scale(out->bounds[i * arrays].low, -1)));
        out->largest_error = def->frame_count > 1 ? 2 * FLT_EPSILON * vec3_length(reach) : 0;
    }
    out->normal_error_degree = angle_count ? (float)(angles / (double)angle_count * 57.29577951308232) : 0;
    return PELT_OK;
}

static PeltStatus make(MorphWork *w, PeltiMorph *out, PeltError *err)
{
    const PeltiMorphDef *def = w->def;
    PeltiPool *scratch = &w->scratch;
    PeltiPrincipalModes modes = {0};
    if (def->mode == PELTI_MORPH_PRINCIPAL && def->frame_count > 1) {
        PELT_TRY(pelti_morph_modes(def, scratch, &modes, err));
        w->u = modes.u;
        w->u_stride = modes.count;
    }
    PELT_TRY(cut_blocks(w, scratch, err));
    PELT_TRY(take_scratch(w, scratch, err));
    int count = def->mode == PELTI_MORPH_PRINCIPAL ? 0 : def->frame_count - 1;
    if (modes.count > 0)
        PELT_TRY(choose_count(w, &modes, scratch, w->progress, &count, err));
    w->mode_count = out->target_count = count;
    out->weights = PELTI_NEW(w->pool, float, (size_t)def->frame_count *count);
    if (w->pool->failed)
        return pelti_no_memory(err, (size_t)def->frame_count * count * sizeof(float));
    w->weights = out->weights;
    if (def->mode == PELTI_MORPH_PRINCIPAL)
        PELT_TRY(scale_weights(w, &modes, scratch, out->weights, err));
    else
        for (int f = 1; f < def->frame_count; f++)
            out->weights[(size_t)f * count + f - 1] = 1;
    return store(w, scratch, w->pool, w->progress, out, err);
}

PeltStatus pelti_morph_make(const PeltiMorphDef *def, PeltiPool *pool, const PeltiProgressSink *progress, PeltiMorph *out,
                            PeltError *err)
{
    *out = (PeltiMorph){0};
    MorphWork work = {.def = def, .pool = pool, .progress = progress};
    pelti_pool_init(&work.scratch, &pool->allocator);
    PeltStatus status = make(&work, out, err);
    pelti_pool_release(&work.scratch);
    return status;
}
