/// No pose gets worse than by the original weights: poses that do, or nearly, count more, and all is fitted anew.
/// Where a method moves a point by its own bones alone that goes for the skin of each bone by itself: a pose in which only that
/// skin moves is no worse then either, though no sample was one.
#include "distil/model.h"
#include "character/weights.h"

#include <string.h>

#include "distil/constants.def"

enum { PIECE = PELTI_MODEL_PIECE };

/// Sums of squares: of the model, of the original weights.
typedef struct Squares {
    double ours, theirs;
} Squares;

typedef struct WorseTally {
    PeltiDistilModel *model;
    int pieces;
    Squares *skins; // [pieces x bone_count] of the sample at hand, of the skin of each bone
    Squares *whole; // [bone_count] all pieces
} WorseTally;

static void add_sample(void *context, const PeltiDistilSample *sample, int begin, int end)
{
    const WorseTally *work = context;
    const PeltiDistilModel *model = work->model;
    size_t bones = (size_t)model->who->bone_count;
    Squares *skins = work->skins + (size_t)(begin / PIECE) * bones;
    memset(skins, 0, bones * sizeof *skins);
    for (int v = begin; v < end; v++) {
        Mat34 blend = pelti_distil_model_blend(model, v);
        Vec3 target = sample->vertices[v];
        Vec3 off = vec3_sub(mat34_apply(blend, pelti_distil_model_rest(model, v)), target);
        Vec3 plain = vec3_sub(pelti_weights_blend(&model->original, v, sample->bones, model->who->mesh->rest[v]), target);
        Squares *skin = &skins[pelti_distil_model_region(model, v)];
        skin->ours += (double)vec3_dot(off, off);
        skin->theirs += (double)vec3_dot(plain, plain);
    }
}

/// What a pose, or a skin in it, counts from now on; what rounding makes is none the worse.
static float counts(PeltiDistilModel *model, Squares squares, float before, double most)
{
    double rounding = WEIGHTS_EXACT * (double)model->who->mesh->diagonal;
    double theirs = squares.theirs + model->who->mesh->vertex_count * rounding * rounding;
    model->worse += squares.ours > theirs;
    return (float)fmin((double)before * fmax(squares.ours / (WORSE_NEARLY * WORSE_NEARLY * theirs), 1), most);
}

/// Runs after the pieces of a sample, in their order: the same sums for any number of threads.
static void end_sample(void *context, int index)
{
    const WorseTally *work = context;
    PeltiDistilModel *model = work->model;
    int bones = model->who->bone_count;
    float *importance = model->importance + (size_t)index * (size_t)bones;
    Squares all = {0, 0};
    memset(work->whole, 0, (size_t)bones * sizeof *work->whole);
    for (int i = 0; i < work->pieces * bones; i++) {
        work->whole[i % bones].ours += work->skins[i].ours;
        work->whole[i % bones].theirs += work->skins[i].theirs;
        all.ours += work->skins[i].ours;
        all.theirs += work->skins[i].theirs;
    }
    model->square += all.ours;
    float pose = model->moved_by.influences > 0 ? 0 : counts(model, all, importance[0], WORSE_COUNTS);
    for (int b = 0; b < bones; b++)
        importance[b] = pose > 0 ? pose : counts(model, work->whole[b], importance[b], WORSE_SKIN_COUNTS);
}

PeltStatus pelti_distil_find_worse(PeltiDistilModel *model, PeltError *err)
{
    PeltiPool pool;
    size_t bones = (size_t)model->who->bone_count;
    int pieces = (model->who->mesh->vertex_count - 1) / PIECE + 1;
    pelti_pool_init(&pool, &model->pool->allocator);
    WorseTally work = {model, pieces, PELTI_NEW(&pool, Squares, (size_t)pieces * bones), PELTI_NEW(&pool, Squares, bones)};
    model->square = 0;
    model->worse = 0;
    PeltiDistilModelVisits visits = {"worse", add_sample, end_sample, &work};
    PeltStatus status = pool.failed ? pelti_no_memory(err, (size_t)pieces * bones * sizeof(Squares))
                                    : pelti_distil_model_visit(model, &visits, err);
    pelti_pool_release(&pool);
    return status;
}
