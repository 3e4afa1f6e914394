/// What the samples say of correctives: products of functions, and functions times what is left of the error in rest space.
#include "distil/modes.h"

#include "distil/constants.def"

enum { NEAR = PELTI_MODES_NEAR, K = PELTI_MODES_K, SLOTS = PELTI_MODES_SLOTS };

static PeltStatus make_blocks(PeltiDistilModeSums *sums, PeltiPool *pool, PeltError *err)
{
    const PeltiDistilModel *model = sums->model;
    size_t pairs = (size_t)sums->bones * (size_t)sums->bones;
    sums->block_of = PELTI_NEW(pool, int, pairs);
    sums->blocks = PELTI_NEW(pool, double *, pairs + 1);
    if (pool->failed)
        return pelti_no_memory(err, pairs * sizeof(double *));
    for (size_t i = 0; i < pairs; i++)
        sums->block_of[i] = -1;
    for (int i = 0; i < sums->vertex_count; i++) {
        const PeltiDistilModelVertex *v = &model->vertices[sums->vertices[i]];
        for (int n = 0; n < v->near_count; n++)
            for (int m = 0; m < v->near_count; m++) {
                int *block = &sums->block_of[v->near[n] * sums->bones + v->near[m]];
                if (*block >= 0)
                    continue;
                size_t size = (size_t)sums->drives.count[v->near[n]] * (size_t)sums->drives.count[v->near[m]];
                *block = sums->block_count;
                sums->blocks[sums->block_count++] = PELTI_NEW(pool, double, size + 1);
            }
    }
    return pool->failed ? pelti_no_memory(err, (size_t)K * K * sizeof(double)) : PELT_OK;
}

static void add_products(void *context, int begin, int end, int worker)
{
    const PeltiDistilModeSums *sums = context;
    const PeltiDistilDrives *drives = &sums->drives;
    (void)worker;
    for (int a = begin; a < end; a++)
        for (int b = 0; b < sums->bones; b++) {
            int at = sums->block_of[a * sums->bones + b], columns = drives->count[b];
            if (at < 0)
                continue;
            const double *one = sums->phi + drives->first[a], *two = sums->phi + drives->first[b];
            double *block = sums->blocks[at];
            for (int k = 0; k < drives->count[a]; k++)
                for (int l = 0; l < columns && one[k] > 0; l++)
                    block[k * columns + l] += one[k] * two[l];
        }
}

/// (A^T A + s)^-1 A^T e: what has to be added in rest space, held back where the blend squashes.
static bool to_rest(Mat34 blend, Vec3 error, double out[3])
{
    Mat3 a = mat34_linear(blend), square = mat3_mul(mat3_transpose(a), a), back;
    for (int i = 0; i < 3; i++)
        square.m[i][i] += (float)SQUASHED;
    if (!mat3_inverse(square, &back))
        return false;
    Vec3 x = mat3_apply(back, mat3_apply(mat3_transpose(a), error));
    out[0] = (double)x.x * (1 + SQUASHED);
    out[1] = (double)x.y * (1 + SQUASHED);
    out[2] = (double)x.z * (1 + SQUASHED);
    return true;
}

typedef struct SampleSums {
    const PeltiDistilModeSums *sums;
    const PeltiDistilSample *sample;
} SampleSums;

static void add_right(void *context, int begin, int end, int worker)
{
    const SampleSums *piece = context;
    const PeltiDistilModeSums *sums = piece->sums;
    const PeltiDistilModel *model = sums->model;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int vertex = sums->vertices[i];
        const PeltiDistilModelVertex *v = &model->vertices[vertex];
        Mat34 blend = pelti_distil_model_blend(model, vertex);
        Vec3 target = piece->sample->vertices[vertex];
        double r[3] = {0, 0, 0};
        if (!to_rest(blend, vec3_sub(target, mat34_apply(blend, model->who->mesh->rest[vertex])), r))
            continue;
        sums->error[i] += r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int n = 0; n < v->near_count; n++) {
            const double *phi = sums->phi + sums->drives.first[v->near[n]];
            double *to = sums->right + ((size_t)i * NEAR + (size_t)n) * K * 3;
            for (int k = 0; k < sums->drives.count[v->near[n]]; k++, to += 3)
                for (int c = 0; c < 3 && phi[k] > 0; c++)
                    to[c] += phi[k] * r[c];
        }
    }
}

static void say_functions(const PeltiDistilModeSums *sums)
{
    const float *say = sums->model->driven.drives;
    for (int f = 0; f < sums->drives.total; f++) {
        const int *drive = sums->drives.all[f].drive;
        sums->phi[f] = (double)say[drive[0]] * (drive[1] >= 0 ? (double)say[drive[1]] : 1);
    }
}

static PeltStatus gather(PeltiDistilModeSums *sums, PeltError *err)
{
    PeltiDistilModel *model = sums->model;
    PeltiDistilSample sample;
    SampleSums piece = {sums, &sample};
    for (int i = 0; i < model->samples->count; i++) {
        PELT_TRY(pelti_progress(&model->progress, "modes", (double)i / model->samples->count, err));
        PELT_TRY(pelti_distil_sample(model->samples, i, &sample, err));
        pelti_distil_model_drive(model, &sample);
        say_functions(sums);
        pelti_parallel_for(model->jobs, sums->bones, 1, add_products, sums);
        pelti_parallel_for(model->jobs, sums->vertex_count, 64, add_right, &piece);
    }
    return PELT_OK;
}

PeltStatus pelti_distil_mode_sums(PeltiDistilModel *model, PeltiPool *pool, PeltiDistilModeSums *out, PeltError *err)
{
    int vertices = model->who->mesh->vertex_count, stride = vertices / MODE_VERTICES + 1;
    size_t most = (size_t)(vertices / stride + 1);
    *out = (PeltiDistilModeSums){.model = model, .bones = model->who->bone_count};
    PELT_TRY(pelti_distil_drives(model, pool, &out->drives, err));
    out->vertices = PELTI_NEW(pool, int, most);
    for (int v = 0; v < vertices && out->vertices; v += stride)
        if (!model->vertices[v].fixed)
            out->vertices[out->vertex_count++] = v;
    out->phi = PELTI_NEW(pool, double, out->drives.total + 1);
    out->right = PELTI_NEW(pool, double, most *SLOTS * 3);
    out->error = PELTI_NEW(pool, double, most);
    if (pool->failed)
        return pelti_no_memory(err, most * SLOTS * 3 * sizeof(double));
    PELT_TRY(make_blocks(out, pool, err));
    return gather(out, err);
}
