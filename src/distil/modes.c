/// Chooses what correctives hear: for each joint the sums of functions that take most from the error.
/// A morph target costs bytes, a rule costs nothing: so each joint's targets are driven by the best sums of all its functions
/// there are, not by single ones. Per joint j, with functions phi (S = sum phi phi^T over the samples) and right sides C of all
/// vertices near it, the best r targets are the first r eigenvectors of S^-1/2 C^T C S^-1/2 (reduced-rank regression). Joints
/// take turns, each to what the others leave; then the modes that take most, of all joints, are kept.
#include "distil/modes.h"
#include "math/eigen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distil/constants.def"

enum { NEAR = PELTI_MODES_NEAR, K = PELTI_MODES_K, RANK = 8 };

typedef struct JointModes {
    int count;          // functions
    int rank, vertices; // modes; vertices near it
    int *vertex, *slot; // [vertices] of the sums, and which of its near joints this is
    double *whiten;     // [count x count] T with T S T^T = 1
    double *gain;       // [RANK x count] mode = gain . phi
    double *y;          // [vertices x 3 x count] right sides, whitened
    double *basis;      // [count x count] eigenvectors, at work
    double value[RANK]; // what each takes from the squared error
} JointModes;

typedef struct Find {
    PeltiDistilModeSums sums;
    PeltiPool *pool;
    JointModes *joints; // [bones]
    double *offsets;    // [vertex_count x NEAR x RANK x 3]
    double **echo;      // [bones] [count x RANK] what functions of the joint at work say of other joints' modes; NULL: never both
} Find;

static double *offset_at(const Find *find, int vertex, int slot)
{
    return find->offsets + ((size_t)vertex * NEAR + (size_t)slot) * RANK * 3;
}

// ---- set-up ----

static PeltStatus make_joint(Find *find, int bone, PeltError *err)
{
    JointModes *joint = &find->joints[bone];
    const double *square = pelti_distil_mode_block(&find->sums, bone, bone);
    size_t count = (size_t)(square ? find->sums.drives.count[bone] : 0);
    joint->count = (int)count;
    joint->whiten = PELTI_NEW(find->pool, double, count *count);
    joint->basis = PELTI_NEW(find->pool, double, count *count);
    joint->gain = PELTI_NEW(find->pool, double, RANK *count);
    joint->y = PELTI_NEW(find->pool, double, (size_t)joint->vertices * 3 * count);
    double *values = PELTI_NEW(find->pool, double, count);
    if (find->pool->failed)
        return pelti_no_memory(err, (size_t)joint->vertices * 3 * count * sizeof(double));
    if (count == 0)
        return PELT_OK;
    memcpy(joint->whiten, square, count * count * sizeof *square);
    for (size_t k = 0; k < count; k++)
        joint->whiten[k * count + k] += DELTA_PRIOR;
    PELT_TRY(pelti_eigen_symmetric(&find->pool->allocator, (int)count, joint->whiten, values, err));
    for (size_t i = 0; i < count * count; i++)
        joint->whiten[i] /= sqrt(fmax(values[i / count], 0.5 * DELTA_PRIOR));
    return PELT_OK;
}

static PeltStatus list_vertices(Find *find, PeltError *err)
{
    const PeltiDistilModeSums *sums = &find->sums;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < sums->vertex_count; i++) {
            const PeltiDistilModelVertex *v = &sums->model->vertices[sums->vertices[i]];
            for (int n = 0; n < v->near_count; n++) {
                JointModes *joint = &find->joints[v->near[n]];
                if (pass == 1) {
                    joint->vertex[joint->vertices] = i;
                    joint->slot[joint->vertices] = n;
                }
                joint->vertices++;
            }
        }
        for (int b = 0; b < sums->bones && pass == 0; b++) {
            find->joints[b].vertex = PELTI_NEW(find->pool, int, find->joints[b].vertices);
            find->joints[b].slot = PELTI_NEW(find->pool, int, find->joints[b].vertices);
            find->joints[b].vertices = 0;
        }
        if (find->pool->failed)
            return pelti_no_memory(err, (size_t)sums->vertex_count * sizeof(int));
    }
    return PELT_OK;
}

static PeltStatus start(Find *find, PeltError *err)
{
    size_t bones = (size_t)find->sums.bones;
    find->joints = PELTI_NEW(find->pool, JointModes, bones);
    find->echo = PELTI_NEW(find->pool, double *, bones);
    find->offsets = PELTI_NEW(find->pool, double, (size_t)find->sums.vertex_count *NEAR *RANK * 3);
    for (size_t b = 0; b < bones && find->echo; b++)
        find->echo[b] = PELTI_NEW(find->pool, double, K *RANK);
    if (find->pool->failed)
        return pelti_no_memory(err, bones * K * RANK * sizeof(double));
    PELT_TRY(list_vertices(find, err));
    for (int b = 0; b < find->sums.bones; b++)
        PELT_TRY(make_joint(find, b, err));
    return PELT_OK;
}

// ---- one joint's turn ----

typedef struct JointTurn {
    const Find *find;
    int bone;
} JointTurn;

/// echo = S_jm gain_m^T for every other joint m.
static void make_echoes(const Find *find, int bone)
{
    int rows = find->joints[bone].count;
    for (int b = 0; b < find->sums.bones; b++) {
        const JointModes *other = &find->joints[b];
        const double *block = b == bone ? NULL : pelti_distil_mode_block(&find->sums, bone, b);
        for (int k = 0; k < rows && block; k++)
            for (int r = 0; r < other->rank; r++) {
                double sum = 0;
                for (int l = 0; l < other->count; l++)
                    sum += block[k * other->count + l] * other->gain[r * other->count + l];
                find->echo[b][k * RANK + r] = sum;
            }
    }
}

/// What the others leave of a vertex' right side, whitened, into y [3 x count].
static void whiten_rest(const Find *find, int bone, int at)
{
    const JointModes *joint = &find->joints[bone];
    int vertex = joint->vertex[at], slot = joint->slot[at], count = joint->count;
    const PeltiDistilModelVertex *v = &find->sums.model->vertices[find->sums.vertices[vertex]];
    const double *right = find->sums.right + ((size_t)vertex * NEAR + (size_t)slot) * K * 3;
    double rest[3][K], *y = joint->y + (size_t)at * 3 * (size_t)count;
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 3; c++)
            rest[c][k] = right[3 * k + c];
    for (int n = 0; n < v->near_count; n++) {
        const JointModes *other = &find->joints[v->near[n]];
        const double *offset = offset_at(find, vertex, n), *echo = find->echo[v->near[n]];
        for (int k = 0; k < count && n != slot; k++)
            for (int r = 0; r < other->rank; r++)
                for (int c = 0; c < 3; c++)
                    rest[c][k] -= echo[k * RANK + r] * offset[3 * r + c];
    }
    memset(y, 0, 3 * (size_t)count * sizeof *y);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            for (int c = 0; c < 3; c++)
                y[c * count + i] += joint->whiten[i * count + k] * rest[c][k];
}

static void whiten_piece(void *context, int begin, int end, int worker)
{
    const JointTurn *turn = context;
    (void)worker;
    for (int at = begin; at < end; at++)
        whiten_rest(turn->find, turn->bone, at);
}

/// Modes and offsets from the eigenvectors in `basis`.
static void take_modes(const Find *find, JointModes *joint, const double *values, int rank)
{
    int count = joint->count;
    joint->rank = rank;
    for (int r = 0; r < rank; r++) {
        joint->value[r] = values[r];
        for (int k = 0; k < count; k++) {
            double sum = 0;
            for (int i = 0; i < count; i++)
                sum += joint->basis[r * count + i] * joint->whiten[i * count + k];
            joint->gain[r * count + k] = sum;
        }
    }
    for (int at = 0; at < joint->vertices; at++) {
        const double *y = joint->y + (size_t)at * 3 * (size_t)count;
        double *offset = offset_at(find, joint->vertex[at], joint->slot[at]);
        for (int r = 0; r < rank; r++)
            for (int c = 0; c < 3; c++) {
                offset[3 * r + c] = 0;
                for (int i = 0; i < count; i++)
                    offset[3 * r + c] += joint->basis[r * count + i] * y[c * count + i];
            }
    }
}

static PeltStatus turn_joint(Find *find, int bone, int rank, PeltError *err)
{
    JointModes *joint = &find->joints[bone];
    int count = joint->count;
    double values[K];
    JointTurn turn = {find, bone};
    joint->rank = 0;
    if (count == 0 || rank == 0)
        return PELT_OK;
    make_echoes(find, bone);
    pelti_parallel_for(find->sums.model->jobs, joint->vertices, 16, whiten_piece, &turn);
    memset(joint->basis, 0, (size_t)count * (size_t)count * sizeof *joint->basis);
    for (int row = 0; row < 3 * joint->vertices; row++) {
        const double *y = joint->y + (size_t)row * (size_t)count;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < count; k++)
                joint->basis[i * count + k] += y[i] * y[k];
    }
    PELT_TRY(pelti_eigen_symmetric(&find->pool->allocator, count, joint->basis, values, err));
    take_modes(find, joint, values, rank < count ? rank : count);
    return PELT_OK;
}

// ---- which modes ----

typedef struct Mode {
    int bone, rank;
    double value;
} Mode;

static int by_value(const void *a, const void *b)
{
    const Mode *one = a, *two = b;
    if (one->value < two->value || one->value > two->value)
        return one->value < two->value ? 1 : -1;
    return one->bone != two->bone ? one->bone - two->bone : one->rank - two->rank;
}

static int list_modes(const Find *find, Mode *list)
{
    int count = 0;
    for (int b = 0; b < find->sums.bones; b++)
        for (int r = 0; r < find->joints[b].rank; r++)
            list[count++] = (Mode){b, r, find->joints[b].value[r]};
    qsort(list, (size_t)count, sizeof *list, by_value);
    return count;
}

/// How many of each joint: those that take most, until what is left is no more than wanted.
static void hand_out_ranks(const Find *find, const Mode *list, int count, int most, double error, int *ranks)
{
    double left = 0, goal = error * error * find->sums.model->samples->count * find->sums.vertex_count;
    for (int i = 0; i < find->sums.vertex_count; i++)
        left += find->sums.error[i];
    memset(ranks, 0, (size_t)find->sums.bones * sizeof *ranks);
    for (int i = 0; i < count && i < most && left > goal && list[i].value > 0; i++) {
        ranks[list[i].bone]++;
        left -= list[i].value;
    }
}

static PeltStatus sweep(Find *find, const int *ranks, PeltError *err)
{
    for (int s = 0; s < MODE_SWEEPS; s++)
        for (int b = 0; b < find->sums.bones; b++)
            PELT_TRY(turn_joint(find, b, ranks ? ranks[b] : RANK, err));
    return PELT_OK;
}

static PeltStatus put_mode(Find *find, const Mode *mode, PeltError *err)
{
    PeltiDistilModel *model = find->sums.model;
    const JointModes *joint = &find->joints[mode->bone];
    const PeltiDistilBasis *functions = find->sums.drives.all + find->sums.drives.first[mode->bone];
    const double *gain = joint->gain + (long)mode->rank * joint->count;
    PeltiDistilTerm *terms = PELTI_NEW(model->pool, PeltiDistilTerm, joint->count);
    char name[240];
    snprintf(name, sizeof name, "pelt.%02d.%.200s", model->corrective_count,
             model->who->nodes[model->who->bones[mode->bone].node].name);
    PeltiCorrective *to = &model->correctives[model->corrective_count++];
    *to = (PeltiCorrective){.name = pelti_pool_text(model->pool, name), .joint = mode->bone, .terms = terms};
    if (model->pool->failed)
        return pelti_no_memory(err, (size_t)joint->count * sizeof *terms);
    for (int k = 0; k < joint->count; k++)
        terms[to->term_count++] = (PeltiDistilTerm){(float)gain[k], {functions[k].drive[0], functions[k].drive[1]}};
    to->low = -INFINITY;
    to->high = INFINITY;
    return PELT_OK;
}

/// Weights as they are in the samples: the largest becomes one, and none goes beyond.
static PeltStatus scale(PeltiDistilModel *model, PeltiPool *pool, PeltError *err)
{
    float *low = PELTI_NEW(pool, float, model->corrective_count + 1), *high = PELTI_NEW(pool, float, model->corrective_count + 1);
    PeltiDistilSample sample;
    if (pool->failed)
        return pelti_no_memory(err, (size_t)model->corrective_count * sizeof *low);
    for (int i = 0; i < model->samples->count; i++) {
        PELT_TRY(pelti_distil_sample(model->samples, i, &sample, err));
        pelti_distil_model_drive(model, &sample);
        for (int c = 0; c < model->corrective_count; c++) {
            low[c] = fminf(low[c], model->driven.correctives[c]);
            high[c] = fmaxf(high[c], model->driven.correctives[c]);
        }
    }
    for (int c = 0; c < model->corrective_count; c++) {
        PeltiCorrective *to = &model->correctives[c];
        float most = fmaxf(fmaxf(-low[c], high[c]), 1e-30f);
        PeltiDistilTerm *terms = (PeltiDistilTerm *)to->terms; // made by put_mode
        int kept = 0;
        for (int t = 0; t < to->term_count; t++) {
            terms[kept] = terms[t];
            terms[kept].gain /= most;
            kept += fabsf(terms[kept].gain) > TERM_LEAST;
        }
        to->term_count = kept;
        to->low = low[c] / most;
        to->high = high[c] / most;
    }
    return PELT_OK;
}

static PeltStatus find_modes(Find *find, int most, double error, PeltError *err)
{
    PeltiDistilModel *model = find->sums.model;
    int *ranks = PELTI_NEW(find->pool, int, find->sums.bones);
    Mode *list = PELTI_NEW(find->pool, Mode, find->sums.bones * RANK);
    if (find->pool->failed)
        return pelti_no_memory(err, (size_t)find->sums.bones * RANK * sizeof *list);
    PELT_TRY(sweep(find, NULL, err));
    hand_out_ranks(find, list, list_modes(find, list), most, error, ranks);
    PELT_TRY(sweep(find, ranks, err));
    int count = list_modes(find, list);
    for (int i = 0; i < count; i++)
        PELT_TRY(put_mode(find, &list[i], err));
    return scale(model, find->pool, err);
}

PeltStatus pelti_distil_find_modes(PeltiDistilModel *model, int most, double error, PeltError *err)
{
    PeltiPool pool;
    Find find = {.pool = &pool};
    pelti_pool_init(&pool, &model->pool->allocator);
    model->corrective_count = 0;
    PeltStatus status = pelti_distil_mode_sums(model, &pool, &find.sums, err);
    if (status == PELT_OK)
        status = start(&find, err);
    if (status == PELT_OK)
        status = find_modes(&find, most, error, err);
    if (status == PELT_OK)
        pelti_distil_hand_out(model);
    pelti_pool_release(&pool);
    return status;
}

static bool is_near(const PeltiDistilModelVertex *v, int bone)
{
    for (int n = 0; n < v->near_count; n++)
        if (v->near[n] == bone)
            return true;
    return false;
}

void pelti_distil_hand_out(PeltiDistilModel *model)
{
    for (int v = 0; v < model->who->mesh->vertex_count; v++) {
        PeltiDistilModelVertex *vertex = &model->vertices[v];
        vertex->driven_count = 0;
        for (int c = 0; c < model->corrective_count && vertex->driven_count < PELTI_MODEL_DRIVEN && !vertex->fixed; c++)
            if (is_near(vertex, model->correctives[c].joint))
                vertex->driven[vertex->driven_count++] = (short)c;
    }
}
