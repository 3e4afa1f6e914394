/// Offsets of correctives: for each vertex one least-squares problem over all that may move it, in the space where it is seen.
///   min sum over poses |A (sum phi_s d_s) - (t - A p)|^2 + prior |d|^2,  A the blend at that pose
/// Normal matrices are phi_s phi_t A^T A, blocks of six numbers; a slab of vertices at a time, so that memory stays what it is.
#include "distil/model.h"
#include "distil/simplex.h"

#include <string.h>

#include "distil/constants.def"

enum { DRIVEN = PELTI_MODEL_DRIVEN, BLOCKS = DRIVEN * (DRIVEN + 1) / 2, SLAB = 4096, UNKNOWNS = 3 * DRIVEN };

typedef struct OffsetsSolve {
    PeltiDistilModel *model;
    int first, end; // the slab
    double *left;   // [SLAB x BLOCKS x 6]
    double *right;  // [SLAB x UNKNOWNS]
} OffsetsSolve;

static void add_sample(void *context, const PeltiDistilSample *sample, int begin, int end)
{
    const OffsetsSolve *work = context;
    const PeltiDistilModel *model = work->model;
    begin = begin < work->first ? work->first : begin;
    end = end > work->end ? work->end : end;
    for (int v = begin; v < end; v++) {
        const PeltiDistilModelVertex *vertex = &model->vertices[v];
        double *left = work->left + (size_t)(v - work->first) * BLOCKS * 6;
        double *right = work->right + (size_t)(v - work->first) * UNKNOWNS;
        float phi[DRIVEN], any = 0;
        for (int s = 0; s < vertex->driven_count; s++)
            any += fabsf(phi[s] = model->driven.correctives[vertex->driven[s]]);
        if (!(any > 0))
            continue;
        Mat34 blend = pelti_distil_model_blend(model, v);
        Mat3 a = mat34_linear(blend), square = mat3_mul(mat3_transpose(a), a);
        Vec3 target = sample->vertices[v];
        Vec3 r = mat3_apply(mat3_transpose(a), vec3_sub(target, mat34_apply(blend, model->who->mesh->rest[v])));
        const double six[6] = {(double)square.m[0][0], (double)square.m[1][0], (double)square.m[1][1],
                               (double)square.m[2][0], (double)square.m[2][1], (double)square.m[2][2]};
        const double e[3] = {(double)r.x, (double)r.y, (double)r.z}, counts = pelti_distil_model_counts(model, v);
        for (int s = 0; s < vertex->driven_count; left += 6 * ++s) { // most joints are at rest in most poses
            for (int t = 0; t <= s && phi[s] != 0; t++) {
                double weight = counts * (double)phi[s] * (double)phi[t];
                for (int i = 0; i < 6 && phi[t] != 0; i++)
                    left[6 * t + i] += weight * six[i];
            }
            for (int i = 0; i < 3; i++)
                right[3 * s + i] += counts * (double)phi[s] * e[i];
        }
    }
}

static void solve_vertex(const OffsetsSolve *work, int v)
{
    static const int at[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
    const PeltiDistilModelVertex *vertex = &work->model->vertices[v];
    const double *left = work->left + (size_t)(v - work->first) * BLOCKS * 6;
    double *x = work->right + (size_t)(v - work->first) * UNKNOWNS, a[UNKNOWNS * UNKNOWNS];
    int n = 3 * vertex->driven_count;
    for (int s = 0; s < vertex->driven_count; s++)
        for (int t = 0; t <= s; t++, left += 6)
            for (int i = 0; i < 9; i++)
                a[(3 * s + i / 3) * n + 3 * t + i % 3] = left[at[i / 3][i % 3]];
    for (int i = 0; i < n; i++)
        a[i * n + i] += DELTA_PRIOR;
    pelti_distil_cholesky_solve(n, a, 1, x, 1e-12);
    Vec3 *offsets = work->model->offsets + (size_t)v * DRIVEN;
    for (int s = 0; s < vertex->driven_count; s++)
        offsets[s] = vec3((float)x[3 * s], (float)x[3 * s + 1], (float)x[3 * s + 2]);
}

static void solve(void *context, int begin, int end, int worker)
{
    const OffsetsSolve *work = context;
    (void)worker;
    for (int v = work->first + begin; v < work->first + end; v++)
        solve_vertex(work, v);
}

PeltStatus pelti_distil_fit_offsets(PeltiDistilModel *model, PeltError *err)
{
    int vertices = model->who->mesh->vertex_count, slab = vertices < SLAB ? vertices : SLAB;
    PeltiPool pool;
    PeltStatus status = PELT_OK;
    pelti_pool_init(&pool, &model->pool->allocator);
    OffsetsSolve work = {.model = model,
                         .left = PELTI_NEW(&pool, double, (size_t)slab *BLOCKS * 6),
                         .right = PELTI_NEW(&pool, double, (size_t)slab *UNKNOWNS)};
    if (pool.failed)
        status = pelti_no_memory(err, (size_t)slab * BLOCKS * 6 * sizeof(double));
    for (work.first = 0; work.first < vertices && status == PELT_OK; work.first = work.end) {
        work.end = work.first + slab < vertices ? work.first + slab : vertices;
        memset(work.left, 0, (size_t)slab * BLOCKS * 6 * sizeof *work.left);
        memset(work.right, 0, (size_t)slab * UNKNOWNS * sizeof *work.right);
        status = pelti_distil_model_pass(model, "correctives", add_sample, &work, err);
        if (status == PELT_OK)
            pelti_parallel_for(model->jobs, work.end - work.first, 16, solve, &work);
    }
    pelti_pool_release(&pool);
    return status;
}
