/// Which drives: orthogonal least squares over all that there are. What is left of the error at a vertex, taken back to rest
/// space, is met by the drives of the joints near it; each step picks the drive that takes most from the error of all vertices
/// together, given those picked before.
#include "distil/drives.h"

#include <stdio.h>
#include <string.h>

#include "distil/constants.def"

enum { NEAR = PELTI_MODEL_NEAR, MOST = PELTI_DRIVES_MOST, SLOTS = NEAR * MOST, DRIVEN = PELTI_MODEL_DRIVEN };

typedef struct Pick {
    PeltiModel *model;
    PeltiDrives drives;
    int bones;
    int *block_of;   // [bones x bones] -1: no vertex is near both
    double **blocks; // sums of products, [count of a x count of b]; a <= b
    int block_count;
    double *phi; // [drives.total] of the sample at hand
    int vertex_count;
    int *vertices; // those that are looked at
    double *right; // [vertex_count x SLOTS x 3] sums of phi * residual
    double *error; // [vertex_count] squared, summed over samples
    float *gain;   // [vertex_count x SLOTS]
    bool *taken;   // [drives.total]
    int last;      // bone of the drive picked last; -1: all gains are to be made
} Pick;

static double product(const Pick *pick, int bone, int k, int other, int l)
{
    bool turned = bone > other;
    int a = turned ? other : bone, b = turned ? bone : other;
    const double *block = pick->blocks[pick->block_of[a * pick->bones + b]];
    return turned ? block[l * pick->drives.count[b] + k] : block[k * pick->drives.count[b] + l];
}

static PeltStatus make_blocks(Pick *pick, PeltiPool *pool, PeltError *err)
{
    const PeltiModel *model = pick->model;
    pick->block_of = PELTI_NEW(pool, int, (size_t)pick->bones *(size_t)pick->bones);
    pick->blocks = PELTI_NEW(pool, double *, (size_t)pick->bones *(size_t)pick->bones + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)pick->bones * (size_t)pick->bones * sizeof(double *));
    for (int i = 0; i < pick->bones * pick->bones; i++)
        pick->block_of[i] = -1;
    for (int i = 0; i < pick->vertex_count; i++) {
        const PeltiModelVertex *v = &model->vertices[pick->vertices[i]];
        for (int n = 0; n < v->near_count; n++)
            for (int m = 0; m < v->near_count; m++) {
                int *block = &pick->block_of[v->near[n] * pick->bones + v->near[m]];
                if (v->near[n] > v->near[m] || *block >= 0)
                    continue;
                size_t size = (size_t)pick->drives.count[v->near[n]] * (size_t)pick->drives.count[v->near[m]];
                *block = pick->block_count;
                pick->blocks[pick->block_count++] = PELTI_NEW(pool, double, size + 1);
            }
    }
    return pool->failed ? pelti_no_memory(err, MOST * MOST * sizeof(double)) : PELT_OK;
}

static void add_products(const Pick *pick)
{
    for (int a = 0; a < pick->bones; a++)
        for (int b = a; b < pick->bones; b++) {
            int at = pick->block_of[a * pick->bones + b], columns = pick->drives.count[b];
            if (at < 0)
                continue;
            const double *one = pick->phi + pick->drives.first[a], *two = pick->phi + pick->drives.first[b];
            for (int k = 0; k < pick->drives.count[a]; k++)
                for (int l = 0; l < columns && one[k] > 0; l++)
                    pick->blocks[at][k * columns + l] += one[k] * two[l];
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

typedef struct Piece {
    const Pick *pick;
    const PeltiSample *sample;
} Piece;

static void add_right(void *context, int begin, int end, int worker)
{
    const Piece *piece = context;
    const Pick *pick = piece->pick;
    const PeltiModel *model = pick->model;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int vertex = pick->vertices[i];
        const PeltiModelVertex *v = &model->vertices[vertex];
        Mat34 blend = pelti_distil_model_blend(model, vertex);
        Vec3 target = piece->sample->points[model->who->mesh->first_point[vertex]];
        double r[3] = {0, 0, 0};
        if (!to_rest(blend, vec3_sub(target, mat34_apply(blend, model->who->mesh->rest[vertex])), r))
            continue;
        pick->error[i] += r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int n = 0; n < v->near_count; n++)
            for (int k = 0; k < pick->drives.count[v->near[n]]; k++) {
                double phi = pick->phi[pick->drives.first[v->near[n]] + k];
                double *to = pick->right + (((size_t)i * NEAR + (size_t)n) * MOST + (size_t)k) * 3;
                for (int c = 0; c < 3 && phi > 0; c++)
                    to[c] += phi * r[c];
            }
    }
}

static PeltStatus gather(Pick *pick, PeltError *err)
{
    PeltiModel *model = pick->model;
    PeltiSample sample;
    Piece piece = {pick, &sample};
    for (int i = 0; i < model->samples->count; i++) {
        PELT_TRY(pelti_progress(&model->progress, "drives", (double)i / model->samples->count, err));
        PELT_TRY(pelti_distil_sample(model->samples, i, &sample, err));
        pelti_distil_model_drive(model, &sample);
        for (int k = 0; k < pick->drives.total; k++)
            pick->phi[k] = (double)pelti_distil_weight(&pick->drives.all[k], sample.joints);
        add_products(pick);
        pelti_parallel_for(model->jobs, pick->vertex_count, 64, add_right, &piece);
    }
    return PELT_OK;
}

/// Drives picked so far that are near a vertex, as a Cholesky factor and what they leave of its right-hand sides.
typedef struct Chosen {
    int count, bone[DRIVEN], drive[DRIVEN]; // drive: number within its bone
    double l[DRIVEN][DRIVEN], y[DRIVEN][3];
} Chosen;

/// Takes one more in; false: it is nothing new, or there is no room. `gain`: what it takes from the error.
static bool extend(const Pick *pick, Chosen *chosen, int bone, int k, const double *right, double *gain, bool keep)
{
    double l[DRIVEN], square = product(pick, bone, k, bone, k) + DELTA_PRIOR, left = square,
                      y[3] = {right[0], right[1], right[2]};
    for (int i = 0; i < chosen->count; i++) {
        double sum = product(pick, bone, k, chosen->bone[i], chosen->drive[i]);
        for (int j = 0; j < i; j++)
            sum -= l[j] * chosen->l[i][j];
        l[i] = sum / chosen->l[i][i];
        left -= l[i] * l[i];
        for (int c = 0; c < 3; c++)
            y[c] -= l[i] * chosen->y[i][c];
    }
    *gain = 0;
    if (left < PICK_NEW * square || chosen->count == DRIVEN)
        return false;
    *gain = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) / left;
    if (!keep)
        return true;
    int at = chosen->count++;
    memcpy(chosen->l[at], l, (size_t)at * sizeof *l);
    chosen->l[at][at] = sqrt(left);
    chosen->bone[at] = bone;
    chosen->drive[at] = k;
    for (int c = 0; c < 3; c++)
        chosen->y[at][c] = y[c] / chosen->l[at][at];
    return true;
}

static bool is_near(const PeltiModelVertex *v, int bone)
{
    for (int n = 0; n < v->near_count; n++)
        if (v->near[n] == bone)
            return true;
    return false;
}

/// Gains of all drives at the vertices that the last pick concerns.
static void make_gains(void *context, int begin, int end, int worker)
{
    const Pick *pick = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const PeltiModelVertex *v = &pick->model->vertices[pick->vertices[i]];
        const double *right = pick->right + (size_t)i * SLOTS * 3;
        float *gains = pick->gain + (size_t)i * SLOTS;
        Chosen chosen = {0};
        double gain;
        if (pick->last >= 0 && !is_near(v, pick->last))
            continue;
        for (int n = 0; n < v->near_count; n++)
            for (int k = 0; k < pick->drives.count[v->near[n]]; k++)
                if (pick->taken[pick->drives.first[v->near[n]] + k])
                    extend(pick, &chosen, v->near[n], k, right + ((size_t)n * MOST + (size_t)k) * 3, &gain, true);
        for (int n = 0; n < v->near_count; n++)
            for (int k = 0; k < pick->drives.count[v->near[n]]; k++) {
                extend(pick, &chosen, v->near[n], k, right + ((size_t)n * MOST + (size_t)k) * 3, &gain, false);
                gains[n * MOST + k] = pick->taken[pick->drives.first[v->near[n]] + k] ? 0 : (float)gain;
            }
    }
}

/// The drive that takes most, by all vertices; -1: none takes anything.
static int best_drive(const Pick *pick, double *sums)
{
    int best = -1;
    memset(sums, 0, (size_t)pick->drives.total * sizeof *sums);
    for (int i = 0; i < pick->vertex_count; i++) {
        const PeltiModelVertex *v = &pick->model->vertices[pick->vertices[i]];
        const float *gains = pick->gain + (size_t)i * SLOTS;
        for (int n = 0; n < v->near_count; n++)
            for (int k = 0; k < pick->drives.count[v->near[n]]; k++)
                sums[pick->drives.first[v->near[n]] + k] += (double)gains[n * MOST + k];
    }
    for (int k = 0; k < pick->drives.total; k++)
        if (sums[k] > 0 && (best < 0 || sums[k] > sums[best]))
            best = k;
    return best;
}

static int bone_of(const Pick *pick, int drive)
{
    int bone = 0;
    while (drive >= pick->drives.first[bone] + pick->drives.count[bone])
        bone++;
    return bone;
}

static PeltStatus pick_all(Pick *pick, int most, double error, PeltiPool *pool, PeltError *err)
{
    PeltiModel *model = pick->model;
    double *sums = PELTI_NEW(pool, double, pick->drives.total + 1), left = 0;
    double goal = error * error * model->samples->count * pick->vertex_count;
    if (!sums)
        return pelti_no_memory(err, (size_t)pick->drives.total * sizeof *sums);
    for (int i = 0; i < pick->vertex_count; i++)
        left += pick->error[i];
    pick->last = -1;
    while (model->corrective_count < most && left > goal) {
        pelti_parallel_for(model->jobs, pick->vertex_count, 16, make_gains, pick);
        int best = best_drive(pick, sums);
        if (best < 0)
            break;
        char name[240];
        left -= sums[best];
        pick->taken[best] = true;
        pick->last = bone_of(pick, best);
        PeltiCorrective *to = &model->correctives[model->corrective_count];
        *to = pick->drives.all[best];
        snprintf(name, sizeof name, "pelt.%02d.%.200s", model->corrective_count,
                 model->who->nodes[model->who->bones[pick->last].node].name);
        to->name = pelti_pool_text(model->pool, name);
        model->corrective_count++;
    }
    return model->pool->failed ? pelti_no_memory(err, 240) : PELT_OK;
}

void pelti_distil_hand_out(PeltiModel *model)
{
    for (int v = 0; v < model->who->mesh->vertex_count; v++) {
        PeltiModelVertex *vertex = &model->vertices[v];
        vertex->driven_count = 0;
        for (int c = 0; c < model->corrective_count && vertex->driven_count < DRIVEN && !vertex->fixed; c++)
            if (is_near(vertex, model->correctives[c].drives[0].joint))
                vertex->driven[vertex->driven_count++] = (short)c;
    }
}

static PeltStatus start(Pick *pick, PeltiPool *pool, PeltError *err)
{
    const PeltiModel *model = pick->model;
    int vertices = model->who->mesh->vertex_count, stride = vertices / PICK_VERTICES + 1;
    size_t most = (size_t)(vertices / stride + 1);
    pick->vertices = PELTI_NEW(pool, int, most);
    for (int v = 0; v < vertices && pick->vertices; v += stride)
        if (!model->vertices[v].fixed)
            pick->vertices[pick->vertex_count++] = v;
    pick->phi = PELTI_NEW(pool, double, pick->drives.total + 1);
    pick->right = PELTI_NEW(pool, double, most *SLOTS * 3);
    pick->error = PELTI_NEW(pool, double, most);
    pick->gain = PELTI_NEW(pool, float, most *SLOTS);
    pick->taken = PELTI_NEW(pool, bool, pick->drives.total + 1);
    return pool->failed ? pelti_no_memory(err, most * SLOTS * 3 * sizeof(double)) : make_blocks(pick, pool, err);
}

PeltStatus pelti_distil_pick_drives(PeltiModel *model, int most, double error, PeltError *err)
{
    PeltiPool pool;
    Pick pick = {.model = model, .bones = model->who->bone_count};
    pelti_pool_init(&pool, &model->pool->allocator);
    PeltStatus status = pelti_distil_drives(model, &pool, &pick.drives, err);
    if (status == PELT_OK)
        status = start(&pick, &pool, err);
    if (status == PELT_OK)
        status = gather(&pick, err);
    if (status == PELT_OK)
        status = pick_all(&pick, most, error, &pool, err);
    if (status == PELT_OK)
        pelti_distil_hand_out(model);
    pelti_pool_release(&pool);
    return status;
}
