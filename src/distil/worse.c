/// No pose gets worse by correctives: poses that do count more, and offsets are fitted anew.
#include "distil/model.h"

#include "distil/constants.def"

enum { PIECE = PELTI_MODEL_PIECE };

typedef struct Work {
    PeltiModel *model;
    double *with, *without; // [pieces] sums of squares of the sample at hand
} Work;

static void add_sample(void *context, const PeltiSample *sample, int begin, int end)
{
    const Work *work = context;
    const PeltiModel *model = work->model;
    double with = 0, without = 0;
    for (int v = begin; v < end; v++) {
        Mat34 blend = pelti_distil_model_blend(model, v);
        Vec3 target = sample->points[model->who->mesh->first_point[v]];
        Vec3 off = vec3_sub(mat34_apply(blend, pelti_distil_model_rest(model, v)), target);
        Vec3 plain = vec3_sub(mat34_apply(blend, model->who->mesh->rest[v]), target);
        with += (double)vec3_dot(off, off);
        without += (double)vec3_dot(plain, plain);
    }
    work->with[begin / PIECE] = with;
    work->without[begin / PIECE] = without;
}

/// Runs after the pieces of a sample, in their order: the same sums for any number of threads.
static void end_sample(void *context, int index)
{
    const Work *work = context;
    PeltiModel *model = work->model;
    double with = 0, without = 0;
    for (int p = 0; p <= (model->who->mesh->vertex_count - 1) / PIECE; p++) {
        with += work->with[p];
        without += work->without[p];
    }
    model->square += with;
    model->worse += with > without * (1 + 1e-9);
    if (with > without * (1 + 1e-9))
        model->importance[index] *= WORSE_COUNTS;
}

PeltStatus pelti_distil_find_worse(PeltiModel *model, PeltError *err)
{
    PeltiPool pool;
    size_t pieces = (size_t)model->who->mesh->vertex_count / PIECE + 1;
    pelti_pool_init(&pool, &model->pool->allocator);
    Work work = {model, PELTI_NEW(&pool, double, pieces), PELTI_NEW(&pool, double, pieces)};
    model->square = 0;
    model->worse = 0;
    PeltiModelVisits visits = {"worse", add_sample, end_sample, &work};
    PeltStatus status =
        pool.failed ? pelti_no_memory(err, pieces * sizeof(double)) : pelti_distil_model_visit(model, &visits, err);
    pelti_pool_release(&pool);
    return status;
}
