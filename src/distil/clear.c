/// Finds which joints a vertex need not hear, so that no corrective of theirs moves it.
/// A forearm is two joints away from the fingers, so their correctives could move it, and with few poses they would: by chance,
/// in every pose in which only fingers turn. A joint is cleared of a vertex where it has turned and the vertex was where the
/// original weights have it, if every pose in which it was not has another joint to show for it.
#include "distil/model.h"
#include "character/weights.h"
#include "math/elementary.h"

#include "distil/constants.def"

enum { MASKS = 1 << PELTI_MODEL_NEAR };

/// Of one vertex; joints by their place in `near`.
typedef struct Seen {
    unsigned char moved[MASKS / 8]; // a bit for each set of joints: it had turned, no other had, and the vertex was elsewhere
    unsigned char idle;             // joints that had turned while it was not
} Seen;

typedef struct ClearWork {
    PeltiDistilModel *model;
    Seen *seen;            // [vertex_count]
    float slight, notable; // cosines of half the angles
    float exact;           // squared distance
} ClearWork;

static void add_sample(void *context, const PeltiDistilSample *sample, int begin, int end)
{
    const ClearWork *work = context;
    const PeltiDistilModel *model = work->model;
    for (int v = begin; v < end; v++) {
        const PeltiDistilModelVertex *vertex = &model->vertices[v];
        unsigned turned = 0, notably = 0;
        for (int n = 0; n < vertex->near_count; n++) {
            float half = fabsf(sample->joints[vertex->near[n]].turn.w);
            turned |= (unsigned)(half < work->slight) << n;
            notably |= (unsigned)(half < work->notable) << n;
        }
        Vec3 plain = pelti_weights_blend(&model->original, v, sample->bones, model->who->mesh->rest[v]);
        Vec3 off = vec3_sub(plain, sample->vertices[v]);
        if (vec3_dot(off, off) > work->exact)
            work->seen[v].moved[turned / 8] |= (unsigned char)(1u << turned % 8);
        else
            work->seen[v].idle |= (unsigned char)notably;
    }
}

/// Whether every set of joints that moved the vertex has one of these among them; the empty one cannot have.
static bool explains(const Seen *seen, unsigned joints)
{
    for (unsigned turned = 1; turned < MASKS; turned++)
        if (seen->moved[turned / 8] >> turned % 8 & 1 && !(turned & joints))
            return false;
    return true;
}

static bool is_own(const PeltiWeights *original, int vertex, int bone)
{
    for (int i = 0; i < original->influences; i++) {
        size_t at = (size_t)vertex * (size_t)original->influences + (size_t)i;
        if (original->weight[at] > 0 && original->bone[at] == bone)
            return true;
    }
    return false;
}

/// The farthest first; what a vertex hangs on by its own weights stays.
static void clear(void *context, int begin, int end, int worker)
{
    const ClearWork *work = context;
    (void)worker;
    for (int v = begin; v < end; v++) {
        PeltiDistilModelVertex *vertex = &work->model->vertices[v];
        unsigned left = (1u << vertex->near_count) - 1;
        for (int n = vertex->near_count - 1; n >= 0; n--)
            if (work->seen[v].idle >> n & 1 && !is_own(&work->model->original, v, vertex->near[n]) &&
                explains(&work->seen[v], left & ~(1u << n)))
                left &= ~(1u << n);
        for (int n = 0; n < vertex->near_count; n++)
            if (!(left >> n & 1))
                vertex->cleared[vertex->cleared_count++] = vertex->near[n];
    }
}

PeltStatus pelti_distil_model_clear(PeltiDistilModel *model, PeltError *err)
{
    int vertices = model->who->mesh->vertex_count;
    float exact = CLEAR_EXACT * model->who->mesh->diagonal;
    PeltiPool pool;
    pelti_pool_init(&pool, &model->pool->allocator);
    ClearWork work = {model, PELTI_NEW(&pool, Seen, vertices), pelti_cosf(0.5f * CLEAR_SLIGHT), pelti_cosf(0.5f * CLEAR_NOTABLE),
                      exact * exact};
    PeltStatus status = pool.failed ? pelti_no_memory(err, (size_t)vertices * sizeof(Seen))
                                    : pelti_distil_model_pass(model, "joints", add_sample, &work, err);
    if (status == PELT_OK)
        pelti_parallel_for(model->jobs, vertices, PELTI_MODEL_PIECE, clear, &work);
    pelti_pool_release(&pool);
    return status == PELT_OK ? pelti_distil_model_ways(model, err) : status;
}
