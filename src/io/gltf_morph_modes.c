/// Principal modes of a clip from its frames' products.
#include "io/gltf_morph_modes.h"

#include "math/eigen.h"

#include <string.h>

// With D the offsets of the frames to frame 0, one a row, the best k targets span the first k eigenvectors of D D^T (frames x
// frames, small); the targets are then U^T D for orthonormal columns U, whatever U is, the least-squares fit. So U may come
// from fewer points than there are, and for long clips from fewer frames: the fit of all points and frames is made, and its
// error measured, afterwards.
enum { MOST_FRAMES = 512, MOST_POINTS = 8192, LEAST_POINTS = 256, CHUNK_POINTS = 16384 };
static const size_t SAMPLE_BYTES = 64u << 20;

typedef struct Sample {
    int count;       // points
    int *points;     // [count] ascending
    double *offsets; // [frame_count x count x 3]
} Sample;

static int baked_points(const PeltiMorphDef *def)
{
    int sum = 0;
    for (int i = 0; i < def->part_count; i++)
        sum += def->parts[i].point_count;
    return sum;
}

static void choose_points(const PeltiMorphDef *def, Sample *sample)
{
    int64_t total = baked_points(def), seen = 0, taken = 0;
    for (int i = 0; i < def->part_count; i++)
        for (int p = 0; p < def->parts[i].point_count; p++, seen++)
            if (taken < sample->count && seen * sample->count >= taken * total)
                sample->points[taken++] = def->parts[i].first_point + p;
    sample->count = (int)taken;
}

/// Streams a frame and picks the sampled points out of it.
static PeltStatus read_sample(const PeltiMorphDef *def, const Sample *sample, int frame, Vec3 *chunk, double *out, PeltError *err)
{
    uint64_t frame_bytes = (uint64_t)def->point_count * sizeof(Vec3) * (def->has_normals ? 2 : 1);
    int first = 0, end = 0;
    for (int i = 0; i < sample->count; i++) {
        int p = sample->points[i];
        if (p >= end) {
            first = p;
            end = p + CHUNK_POINTS < def->point_count ? p + CHUNK_POINTS : def->point_count;
            PELT_TRY(pelti_spool_read(def->frames, frame_bytes * (uint64_t)frame + (uint64_t)first * sizeof(Vec3), chunk,
                                      (size_t)(end - first) * sizeof(Vec3), err));
        }
        Vec3 v = chunk[p - first];
        out[3 * i] = (double)v.x;
        out[3 * i + 1] = (double)v.y;
        out[3 * i + 2] = (double)v.z;
    }
    return PELT_OK;
}

static PeltStatus take_sample(const PeltiMorphDef *def, PeltiPool *scratch, Sample *sample, PeltError *err)
{
    int64_t most = (int64_t)(SAMPLE_BYTES / 24 / (size_t)def->frame_count);
    most = most > MOST_POINTS ? MOST_POINTS : most < LEAST_POINTS ? LEAST_POINTS : most;
    int total = baked_points(def);
    sample->count = total < most ? total : (int)most;
    size_t width = (size_t)sample->count * 3;
    sample->points = PELTI_NEW(scratch, int, sample->count);
    sample->offsets = PELTI_NEW(scratch, double, width *(size_t)def->frame_count);
    Vec3 *chunk = PELTI_NEW(scratch, Vec3, CHUNK_POINTS);
    if (scratch->failed)
        return pelti_no_memory(err, width * (size_t)def->frame_count * sizeof(double));
    choose_points(def, sample);
    width = (size_t)sample->count * 3;
    for (int f = 0; f < def->frame_count; f++)
        PELT_TRY(read_sample(def, sample, f, chunk, sample->offsets + width * (size_t)f, err));
    for (int f = def->frame_count - 1; f >= 0; f--)
        for (size_t i = 0; i < width; i++)
            sample->offsets[width * (size_t)f + i] -= sample->offsets[i];
    return PELT_OK;
}

/// Column j of u made orthogonal to those before it, twice for rounding, and unit; false: nothing is left of it.
static bool orthonormalize(double *u, int rows, int stride, int j)
{
    double before = 0, after = 0;
    for (int f = 0; f < rows; f++)
        before += u[(size_t)f * stride + j] * u[(size_t)f * stride + j];
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < j; k++) {
            double dot = 0;
            for (int f = 0; f < rows; f++)
                dot += u[(size_t)f * stride + k] * u[(size_t)f * stride + j];
            for (int f = 0; f < rows; f++)
                u[(size_t)f * stride + j] -= dot * u[(size_t)f * stride + k];
        }
    for (int f = 0; f < rows; f++)
        after += u[(size_t)f * stride + j] * u[(size_t)f * stride + j];
    if (!(after > 1e-12 * before) || !(after > 0))
        return false;
    for (int f = 0; f < rows; f++)
        u[(size_t)f * stride + j] /= sqrt(after);
    return true;
}

/// Frame of the i-th of `count` kept ones.
static int kept_frame(int i, int count, int frame_count)
{
    return count > 1 ? (int)((int64_t)i * (frame_count - 1) / (count - 1)) : 0;
}

/// u = C v for the strongest eigenvectors v of the kept frames' Gram matrix, made orthonormal; C = offsets x kept offsets.
static PeltStatus modes_of(const PeltiMorphDef *def, const Sample *sample, PeltiPool *scratch, PeltiPool *pool, PeltiModes *out,
                           PeltError *err)
{
    int frames = def->frame_count, kept = frames < MOST_FRAMES ? frames : MOST_FRAMES, width = sample->count * 3;
    double *gram = PELTI_NEW(scratch, double, (size_t)kept *kept), *values = PELTI_NEW(scratch, double, kept);
    double *cross = PELTI_NEW(scratch, double, (size_t)frames *kept);
    double *few = kept < frames ? PELTI_NEW(scratch, double, (size_t)kept *width) : sample->offsets;
    if (scratch->failed)
        return pelti_no_memory(err, (size_t)frames * kept * sizeof(double));
    for (int i = 0; kept < frames && i < kept; i++)
        memcpy(few + (size_t)i * width, sample->offsets + (size_t)kept_frame(i, kept, frames) * width,
               (size_t)width * sizeof *few);
    pelti_dense_add_products(frames, kept, width, sample->offsets, few, cross);
    for (int i = 0; i < kept; i++)
        memcpy(gram + (size_t)i * kept, cross + (size_t)kept_frame(i, kept, frames) * kept, (size_t)kept * sizeof *gram);
    PELT_TRY(pelti_eigen_symmetric(&scratch->allocator, kept, gram, values, err));
    int most = def->most < kept - 1 ? def->most : kept - 1;
    double left = 0;
    for (int i = 0; i < kept; i++)
        left += values[i] > 0 ? values[i] : 0;
    out->u = PELTI_NEW(pool, double, (size_t)frames *most);
    out->rms = PELTI_NEW(pool, double, most + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)frames * most * sizeof(double));
    double per = 1.0 / ((double)kept * (sample->count > 0 ? sample->count : 1));
    out->rms[0] = sqrt(left * per);
    for (out->count = 0; out->count < most && values[out->count] > 1e-14 * values[0]; out->count++) {
        int j = out->count;
        for (int f = 0; f < frames; f++) {
            double sum = 0;
            for (int i = 0; i < kept; i++)
                sum += cross[(size_t)f * kept + i] * gram[(size_t)j * kept + i];
            out->u[(size_t)f * most + j] = sum;
        }
        if (!orthonormalize(out->u, frames, most, j))
            break;
        left -= values[j];
        out->rms[j + 1] = sqrt((left > 0 ? left : 0) * per);
    }
    for (int f = 1; f < frames; f++) // close the gaps of modes that were not found
        memmove(out->u + (size_t)f * out->count, out->u + (size_t)f * most, (size_t)out->count * sizeof *out->u);
    return PELT_OK;
}

PeltStatus pelti_modes_make(const PeltiMorphDef *def, PeltiPool *pool, PeltiModes *out, PeltError *err)
{
    *out = (PeltiModes){0};
    PeltiPool scratch;
    pelti_pool_init(&scratch, &pool->allocator);
    Sample sample = {0};
    PeltStatus status = take_sample(def, &scratch, &sample, err);
    if (status == PELT_OK)
        status = modes_of(def, &sample, &scratch, pool, out, err);
    pelti_pool_release(&scratch);
    return status;
}
