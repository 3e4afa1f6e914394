/// Samples the frames of a clip for its principal modes.
#include "io/gltf_morph_modes.h"

// The modes may come from fewer points than there are (math/principal.h): the fit of all points and frames is made, and its error
// measured, afterwards.
enum { MOST_POINTS = 8192, LEAST_POINTS = 256, CHUNK_POINTS = 16384 };
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
    const PeltiMorphPart *part = def->parts;
    int first = 0, end = 0;
    for (int i = 0; i < sample->count; i++) {
        int p = sample->points[i];
        if (p >= end) {
            while (p >= part->first_point + part->point_count)
                part++;
            int left = part->first_point + part->point_count - p;
            first = p;
            end = p + (left < CHUNK_POINTS ? left : CHUNK_POINTS);
            uint64_t at = pelti_morph_offset(part, frame - 1, false) + (uint64_t)(p - part->first_point) * sizeof(Vec3);
            PELT_TRY(pelti_spool_read(def->spool, at, chunk, (size_t)(end - first) * sizeof(Vec3), err));
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

PeltStatus pelti_morph_modes(const PeltiMorphDef *def, PeltiPool *pool, PeltiPrincipalModes *out, PeltError *err)
{
    *out = (PeltiPrincipalModes){0};
    PeltiPool scratch;
    pelti_pool_init(&scratch, &pool->allocator);
    Sample sample = {0};
    PeltStatus status = take_sample(def, &scratch, &sample, err);
    if (status == PELT_OK)
        status = pelti_principal_modes(&(PeltiPrincipal){.rows = def->frame_count, .points = sample.count, .most = def->most},
                                       sample.offsets, pool, out, err);
    pelti_pool_release(&scratch);
    return status;
}
