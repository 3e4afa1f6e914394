/// Weights anew: for each vertex the best few transforms to hang on, from one pass over the samples.
#include "distil/model.h"
#include "distil/simplex.h"

#include <string.h>

#include "distil/constants.def"

enum { WAYS = PELTI_MODEL_WAYS, HALF = WAYS * (WAYS + 1) / 2, GRAIN = 64 };

typedef struct WeightsFit {
    PeltiDistilModel *model;
    double *gram;    // [vertex_count x HALF] lower triangles of sum (q_k - t) . (q_l - t)
    float *smoothed; // [vertex_count x WAYS] weights of a sweep
    double strength; // of a prior
    double small;    // the same, of what small turns do
    bool first;      // the prior is the original, not the neighbours
} WeightsFit;

static void add_sample(void *context, const PeltiDistilSample *sample, int begin, int end)
{
    const WeightsFit *work = context;
    const PeltiDistilModel *model = work->model;
    for (int v = begin; v < end; v++) {
        const PeltiDistilModelVertex *vertex = &model->vertices[v];
        double *g = work->gram + (size_t)v * HALF;
        double x[WAYS], y[WAYS], z[WAYS], counts = pelti_distil_model_counts(model, v);
        Vec3 rest = pelti_distil_model_rest(model, v), target = sample->vertices[v];
        for (int k = 0; k < vertex->way_count; k++) {
            Vec3 off = vec3_sub(mat34_apply(model->matrices[vertex->way[k]], rest), target);
            x[k] = (double)off.x;
            y[k] = (double)off.y;
            z[k] = (double)off.z;
        }
        for (int k = 0; k < vertex->way_count; k++)
            for (int l = 0; l <= k; l++)
                *g++ += counts * (x[k] * x[l] + y[k] * y[l] + z[k] * z[l]);
    }
}

static void unpack(const double *half, int n, double *g)
{
    for (int k = 0; k < n; k++)
        for (int l = 0; l <= k; l++)
            g[k * n + l] = g[l * n + k] = *half++;
}

/// What the neighbours hang on, as far as this vertex may; the original weights in the first sweep.
static void prior_of(const WeightsFit *work, int v, double *prior)
{
    const PeltiDistilModel *model = work->model;
    const PeltiMesh *mesh = model->who->mesh;
    const PeltiDistilModelVertex *own = &model->vertices[v];
    double sum = 0;
    for (int k = 0; k < own->way_count; k++)
        prior[k] = (double)own->weight[k];
    if (work->first || mesh->ring_start[v] == mesh->ring_start[v + 1])
        return;
    memset(prior, 0, (size_t)own->way_count * sizeof *prior);
    for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++) {
        const PeltiDistilModelVertex *other = &model->vertices[mesh->ring[i]];
        for (int l = 0; l < other->way_count; l++)
            for (int k = 0; k < own->way_count && other->weight[l] > 0; k++)
                prior[k] += own->way[k] == other->way[l] ? (double)other->weight[l] : 0;
    }
    for (int k = 0; k < own->way_count; k++)
        sum += prior[k];
    for (int k = 0; k < own->way_count; k++)
        prior[k] = sum > 0 ? prior[k] / sum : (double)own->weight[k];
}

/// How much of a joint's turn a way makes, a small one: all that hangs below the joint does, a helper by its fraction.
static double share_of(const PeltiDistilModel *model, int way, int joint)
{
    const PeltiBone *bones = model->who->bones;
    int bone = way;
    if (way >= model->who->bone_count) {
        const PeltiHelper *helper = &model->helpers[way - model->who->bone_count];
        if (helper->driver == joint)
            return (double)helper->fraction;
        bone = helper->parent;
    }
    while (bone >= 0 && bone != joint)
        bone = bones[bone].parent;
    return bone >= 0;
}

/// Small turns of each joint move a vertex as the original weights do: what blending loses there is of second order, so a first
/// order that differs would make poses near rest worse, whichever they are. Adds strength d^2 (sum w_k s_k - s)^2 a joint, s_k
/// how much of its turn a way makes, s what the original weights make of it, d the way to the joint. What blending loses there
/// goes with s (1 - s), so skin that hardly hears a joint, or not at all, is held the more firmly, if it moves by its own bones
/// alone.
static void hold_small_turns(const WeightsFit *work, int v, double *g)
{
    const PeltiDistilModel *model = work->model;
    const PeltiWeights *original = &model->original;
    const PeltiDistilModelVertex *vertex = &model->vertices[v];
    int n = vertex->way_count;
    for (int i = 0; i < n; i++) {
        int joint = vertex->way[i];
        double off[WAYS], own = 0;
        if (joint >= model->who->bone_count)
            continue;
        for (int k = 0; k < original->influences; k++) {
            size_t at = (size_t)v * (size_t)original->influences + (size_t)k;
            if (original->weight[at] > 0)
                own += (double)original->weight[at] * share_of(model, original->bone[at], joint);
        }
        for (int k = 0; k < n; k++)
            off[k] = share_of(model, vertex->way[k], joint) - own;
        double d = (double)vec3_distance(model->who->mesh->rest[v], model->who->bones[joint].head);
        double loses = model->moved_by.influences > 0 ? fmax(own * (1 - own), SMALL_TURNS_HEARD) : 0.25;
        double firmly = work->small * d * d * (0.25 / loses) * (0.25 / loses);
        for (int k = 0; k < n * n; k++)
            g[k] += firmly * off[k / n] * off[k % n];
    }
}

static void system_of(const WeightsFit *work, int v, double *g)
{
    double prior[WAYS];
    int n = work->model->vertices[v].way_count;
    unpack(work->gram + (size_t)v * HALF, n, g);
    prior_of(work, v, prior);
    pelti_distil_simplex_prior(n, work->strength, prior, g);
    hold_small_turns(work, v, g);
}

static void sweep(void *context, int begin, int end, int worker)
{
    const WeightsFit *work = context;
    (void)worker;
    for (int v = begin; v < end; v++) {
        double g[WAYS * WAYS], w[WAYS];
        int n = work->model->vertices[v].way_count;
        if (work->model->vertices[v].fixed)
            continue;
        system_of(work, v, g);
        pelti_distil_simplex(n, g, w);
        for (int k = 0; k < n; k++)
            work->smoothed[(size_t)v * WAYS + (size_t)k] = (float)w[k];
    }
}

static void prune(void *context, int begin, int end, int worker)
{
    const WeightsFit *work = context;
    (void)worker;
    for (int v = begin; v < end; v++) {
        double g[WAYS * WAYS], w[WAYS];
        const PeltiDistilModelVertex *vertex = &work->model->vertices[v];
        if (vertex->fixed)
            continue;
        system_of(work, v, g);
        pelti_distil_simplex(vertex->way_count, g, w);
        pelti_distil_simplex_prune(vertex->way_count, g, work->model->influences, w);
        for (int k = 0; k < vertex->way_count; k++)
            work->smoothed[(size_t)v * WAYS + (size_t)k] = (float)w[k];
    }
}

static void take(const WeightsFit *work)
{
    for (int v = 0; v < work->model->who->mesh->vertex_count; v++)
        if (!work->model->vertices[v].fixed)
            memcpy(work->model->vertices[v].weight, work->smoothed + (size_t)v * WAYS, WAYS * sizeof(float));
}

/// Those whose own weights meet the samples to rounding stay as they are, bit for bit.
static void fix_exact(const WeightsFit *work)
{
    PeltiDistilModel *model = work->model;
    double exact = WEIGHTS_EXACT * (double)model->who->mesh->diagonal;
    for (int v = 0; v < model->who->mesh->vertex_count; v++) {
        PeltiDistilModelVertex *vertex = &model->vertices[v];
        double g[WAYS * WAYS], sum = 0;
        int n = vertex->way_count, used = 0;
        unpack(work->gram + (size_t)v * HALF, n, g);
        for (int k = 0; k < n; k++)
            used += vertex->weight[k] > 0;
        for (int i = 0; i < n * n; i++)
            sum += (double)vertex->weight[i / n] * (double)vertex->weight[i % n] * g[i];
        if (used <= model->influences && vertex->driven_count == 0 && sum <= model->samples->count * exact * exact)
            vertex->fixed = true;
    }
}

/// Gram matrices of all vertices, in `pool`.
static PeltStatus gather(WeightsFit *work, PeltiDistilModel *model, PeltiPool *pool, PeltError *err)
{
    size_t vertices = (size_t)model->who->mesh->vertex_count;
    double trust = WEIGHTS_TRUST * (double)model->who->mesh->diagonal;
    *work = (WeightsFit){.model = model,
                         .strength = model->samples->count * trust * trust,
                         .small = model->samples->count * model->small_turns * model->small_turns,
                         .first = true};
    work->gram = PELTI_NEW(pool, double, vertices *HALF);
    work->smoothed = PELTI_NEW(pool, float, vertices *WAYS);
    if (pool->failed)
        return pelti_no_memory(err, vertices * HALF * sizeof(double));
    return pelti_distil_model_pass(model, "weights", add_sample, work, err);
}

PeltStatus pelti_distil_fit_weights(PeltiDistilModel *model, PeltError *err)
{
    WeightsFit work;
    PeltiPool pool;
    pelti_pool_init(&pool, &model->pool->allocator);
    PeltStatus status = gather(&work, model, &pool, err);
    if (status == PELT_OK) {
        fix_exact(&work);
        for (int s = 0; s < 1 + WEIGHTS_SWEEPS; s++) {
            pelti_parallel_for(model->jobs, model->who->mesh->vertex_count, GRAIN, s < WEIGHTS_SWEEPS ? sweep : prune, &work);
            take(&work);
            work.first = false;
        }
    }
    pelti_pool_release(&pool);
    return status;
}

// ---- what helpers are worth ----

typedef struct Weighing {
    WeightsFit work;
    const int *group;
    int count;
    double *costs; // [pieces x (count + 1)] of each group, and last of all that is left
} Weighing;

/// The group that a way is of; -1: none.
static int group_of(const Weighing *weighing, int way)
{
    const PeltiDistilModel *model = weighing->work.model;
    int beyond = way - model->who->bone_count - model->half_count;
    return beyond >= 0 ? weighing->group[beyond] : -1;
}

/// The least value with few weights, without the ways of one group (-1: with all). w [way_count] are the weights.
static double least_without(const Weighing *weighing, const PeltiDistilModelVertex *vertex, const double *g, int group, double *w)
{
    double part[WAYS * WAYS] = {0}, solved[WAYS] = {0};
    int kept[WAYS], n = vertex->way_count, count = 0;
    for (int k = 0; k < n; k++)
        if (group < 0 || group_of(weighing, vertex->way[k]) != group)
            kept[count++] = k;
    for (int i = 0; i < count * count; i++)
        part[i] = g[kept[i / count] * n + kept[i % count]];
    pelti_distil_simplex(count, part, solved);
    double least = pelti_distil_simplex_prune(count, part, weighing->work.model->influences, solved);
    memset(w, 0, (size_t)n * sizeof *w);
    for (int i = 0; i < count; i++)
        w[kept[i]] = solved[i];
    return least;
}

static void weigh(void *context, int begin, int end, int worker)
{
    const Weighing *weighing = context;
    double *costs = weighing->costs + (size_t)(begin / GRAIN) * ((size_t)weighing->count + 1);
    (void)worker;
    for (int v = begin; v < end; v++) {
        const PeltiDistilModelVertex *vertex = &weighing->work.model->vertices[v];
        double g[WAYS * WAYS], w[WAYS], other[WAYS];
        if (vertex->fixed)
            continue;
        system_of(&weighing->work, v, g);
        double all = least_without(weighing, vertex, g, -1, w);
        costs[weighing->count] += all;
        for (int k = 0, last = -1; k < vertex->way_count; k++) {
            int group = group_of(weighing, vertex->way[k]);
            if (group < 0 || group == last || !(w[k] > 0))
                continue;
            costs[group] += least_without(weighing, vertex, g, group, other) - all;
            last = group;
        }
    }
}

PeltStatus pelti_distil_weigh_helpers(PeltiDistilModel *model, const int *group, int count, double *costs, PeltError *err)
{
    size_t pieces = (size_t)model->who->mesh->vertex_count / GRAIN + 1, width = (size_t)count + 1;
    Weighing weighing = {.group = group, .count = count};
    double left = 0;
    PeltiPool pool;
    pelti_pool_init(&pool, &model->pool->allocator);
    weighing.costs = PELTI_NEW(&pool, double, pieces *width);
    PeltStatus status = gather(&weighing.work, model, &pool, err);
    if (status == PELT_OK) {
        pelti_parallel_for(model->jobs, model->who->mesh->vertex_count, GRAIN, weigh, &weighing);
        memset(costs, 0, (size_t)count * sizeof *costs);
        for (size_t i = 0; i < pieces * width; i++)
            *(i % width < (size_t)count ? &costs[i % width] : &left) += weighing.costs[i];
        for (int i = 0; i < count; i++)
            costs[i] = left > 0 ? costs[i] / left : 0;
    }
    pelti_pool_release(&pool);
    return status;
}
