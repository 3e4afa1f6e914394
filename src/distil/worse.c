/// No pose gets worse than by the original weights: poses that do, or nearly, count more, and all is fitted anew.
#include "distil/model.h"
#include "character/weights.h"

#include "distil/constants.def"

enum { PIECE = PELTI_MODEL_PIECE };

typedef struct Work {
    PeltiModel *model;
    double *ours, *theirs; // [pieces] sums of squares of the sample at hand: of the model, of the original weights
} Work;

static void add_sample(void *context, const PeltiSample *sample, int begin, int end)
{
    const Work *work = context;
    const PeltiModel *model = work->model;
    double ours = 0, theirs = 0;
    for (int v = begin; v < end; v++) {
        Mat34 blend = pelti_distil_model_blend(model, v);
        Vec3 target = sample->points[model->who->mesh->first_point[v]];
        Vec3 off = vec3_sub(mat34_apply(blend, pelti_distil_model_rest(model, v)), target);
        Vec3 plain = vec3_sub(pelti_weights_blend(&model->original, v, sample->bones, model->who->mesh->rest[v]), target);
        ours += (double)vec3_dot(off, off);
        theirs += (double)vec3_dot(plain, plain);
    }
    work->ours[begin / PIECE] = ours;
    work->theirs[begin / PIECE] = theirs;
}

/// Runs after the pieces of a sample, in their order: the same sums for any number of threads.
static void end_sample(void *context, int index)
{
    const Work *work = context;
    PeltiModel *model = work->model;
    double ours = 0, theirs = 0, rounding = WEIGHTS_EXACT * (double)model->who->mesh->diagonal;
    for (int p = 0; p <= (model->who->mesh->vertex_count - 1) / PIECE; p++) {
        ours += work->ours[p];
        theirs += work->theirs[p];
    }
    theirs += model->who->mesh->vertex_count * rounding * rounding;
    model->square += ours;
    model->worse += ours > theirs;
    double over = ours / (WORSE_NEARLY * WORSE_NEARLY * theirs);
    model->importance[index] = (float)fmin(model->importance[index] * fmax(over, 1), WORSE_COUNTS);
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
