/// Weights anew: for each vertex the best few transforms to hang on, from one pass over the samples.
#include "distil/model.h"
#include "distil/simplex.h"

#include <string.h>

#include "distil/constants.def"

enum { WAYS = PELTI_MODEL_WAYS, HALF = WAYS * (WAYS + 1) / 2 };

typedef struct Work {
    PeltiModel *model;
    double *gram;    // [vertex_count x HALF] lower triangles of sum (q_k - t) . (q_l - t)
    float *smoothed; // [vertex_count x WAYS] weights of a sweep
    double strength; // of a prior
    bool first;      // the prior is the original, not the neighbours
} Work;

static void add_sample(void *context, const PeltiSample *sample, int begin, int end)
{
    const Work *work = context;
    const PeltiModel *model = work->model;
    for (int v = begin; v < end; v++) {
        const PeltiModelVertex *vertex = &model->vertices[v];
        double *g = work->gram + (size_t)v * HALF;
        double x[WAYS], y[WAYS], z[WAYS];
        Vec3 rest = pelti_distil_model_rest(model, v), target = sample->points[model->who->mesh->first_point[v]];
        for (int k = 0; k < vertex->way_count; k++) {
            Vec3 off = vec3_sub(mat34_apply(model->matrices[vertex->way[k]], rest), target);
            x[k] = (double)off.x;
            y[k] = (double)off.y;
            z[k] = (double)off.z;
        }
        for (int k = 0; k < vertex->way_count; k++)
            for (int l = 0; l <= k; l++)
                *g++ += x[k] * x[l] + y[k] * y[l] + z[k] * z[l];
    }
}

static void unpack(const double *half, int n, double *g)
{
    for (int k = 0; k < n; k++)
        for (int l = 0; l <= k; l++)
            g[k * n + l] = g[l * n + k] = *half++;
}

/// What the neighbours hang on, as far as this vertex may; the original weights in the first sweep.
static void prior_of(const Work *work, int v, double *prior)
{
    const PeltiModel *model = work->model;
    const PeltiMesh *mesh = model->who->mesh;
    const PeltiModelVertex *own = &model->vertices[v];
    double sum = 0;
    for (int k = 0; k < own->way_count; k++)
        prior[k] = (double)own->weight[k];
    if (work->first || mesh->ring_start[v] == mesh->ring_start[v + 1])
        return;
    memset(prior, 0, (size_t)own->way_count * sizeof *prior);
    for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++) {
        const PeltiModelVertex *other = &model->vertices[mesh->ring[i]];
        for (int l = 0; l < other->way_count; l++)
            for (int k = 0; k < own->way_count && other->weight[l] > 0; k++)
                prior[k] += own->way[k] == other->way[l] ? (double)other->weight[l] : 0;
    }
    for (int k = 0; k < own->way_count; k++)
        sum += prior[k];
    for (int k = 0; k < own->way_count; k++)
        prior[k] = sum > 0 ? prior[k] / sum : (double)own->weight[k];
}

static void system_of(const Work *work, int v, double *g)
{
    double prior[WAYS];
    int n = work->model->vertices[v].way_count;
    unpack(work->gram + (size_t)v * HALF, n, g);
    prior_of(work, v, prior);
    pelti_distil_simplex_prior(n, work->strength, prior, g);
}

static void sweep(void *context, int begin, int end, int worker)
{
    const Work *work = context;
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
    const Work *work = context;
    (void)worker;
    for (int v = begin; v < end; v++) {
        double g[WAYS * WAYS], w[WAYS];
        const PeltiModelVertex *vertex = &work->model->vertices[v];
        if (vertex->fixed)
            continue;
        system_of(work, v, g);
        pelti_distil_simplex(vertex->way_count, g, w);
        pelti_distil_simplex_prune(vertex->way_count, g, work->model->influences, w);
        for (int k = 0; k < vertex->way_count; k++)
            work->smoothed[(size_t)v * WAYS + (size_t)k] = (float)w[k];
    }
}

static void take(const Work *work)
{
    for (int v = 0; v < work->model->who->mesh->vertex_count; v++)
        if (!work->model->vertices[v].fixed)
            memcpy(work->model->vertices[v].weight, work->smoothed + (size_t)v * WAYS, WAYS * sizeof(float));
}

/// Those whose own weights meet the samples to rounding stay as they are, bit for bit.
static void fix_exact(const Work *work)
{
    PeltiModel *model = work->model;
    double exact = WEIGHTS_EXACT * (double)model->who->mesh->diagonal;
    for (int v = 0; v < model->who->mesh->vertex_count; v++) {
        PeltiModelVertex *vertex = &model->vertices[v];
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

PeltStatus pelti_distil_fit_weights(PeltiModel *model, PeltError *err)
{
    enum { GRAIN = 64 };
    int vertices = model->who->mesh->vertex_count;
    double trust = WEIGHTS_TRUST * (double)model->who->mesh->diagonal;
    PeltiPool pool;
    pelti_pool_init(&pool, &model->pool->allocator);
    Work work = {.model = model, .strength = model->samples->count * trust * trust, .first = true};
    work.gram = PELTI_NEW(&pool, double, (size_t)vertices *HALF);
    work.smoothed = PELTI_NEW(&pool, float, (size_t)vertices *WAYS);
    PeltStatus status = pool.failed ? pelti_no_memory(err, (size_t)vertices * HALF * sizeof(double))
                                    : pelti_distil_model_pass(model, "weights", add_sample, &work, err);
    if (status == PELT_OK) {
        fix_exact(&work);
        for (int s = 0; s < 1 + WEIGHTS_SWEEPS; s++) {
            pelti_parallel_for(model->jobs, vertices, GRAIN, s < WEIGHTS_SWEEPS ? sweep : prune, &work);
            take(&work);
            work.first = false;
        }
    }
    pelti_pool_release(&pool);
    return status;
}
