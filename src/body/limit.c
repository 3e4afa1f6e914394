/// Holds flesh back where it strays farther from blending than its thickness allows.
#include "body/limit.h"

#include "body/constants.def"
#include "geometry/ray.h"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

struct PeltiLimit {
    const PeltiMesh *mesh;
    const PeltiCharacter *who;
    const PeltiWeights *weights;
    float *most;     // [vertex_count] length
    int *block_held; // [blocks] scratch of an apply: how many vertices each block held back
};

enum { GRAIN = 512 };

typedef struct Thickness {
    const PeltiMesh *mesh;
    const PeltiBoxTree *tree;
    const Vec3 *normals;
    float *half;
} Thickness;

static void measure_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Thickness *t = context;
    float size = t->mesh->diagonal;
    for (int v = begin; v < end; v++) {
        PeltiBoxRay ray = {.origin = t->mesh->rest[v],
                           .direction = vec3_scale(t->normals[v], -1),
                           .near = 1e-4f * size,
                           .far = 2 * LIMIT_THICKEST * size};
        PeltiBoxHit hit;
        float way = pelti_box_tree_first_hit(t->tree, t->mesh->triangles, t->mesh->rest, &ray, &hit) ? hit.distance : ray.far;
        t->half[v] = fminf(fmaxf(0.5f * way, LIMIT_THINNEST * size), LIMIT_THICKEST * size);
    }
}

static void ring_means(const PeltiMesh *mesh, float *field, float *fresh, bool only_up)
{
    for (int v = 0; v < mesh->vertex_count; v++) {
        int first = mesh->ring_start[v], last = mesh->ring_start[v + 1];
        float sum = 0;
        for (int i = first; i < last; i++)
            sum += field[mesh->ring[i]];
        float mean = last > first ? sum / (float)(last - first) : field[v];
        fresh[v] = only_up ? fmaxf(field[v], mean) : 0.5f * (field[v] + mean);
    }
    memcpy(field, fresh, (size_t)mesh->vertex_count * sizeof *field);
}

static PeltStatus find_limits(PeltiLimit *limit, PeltiPool *work, PeltiJobs *jobs, PeltError *err)
{
    const PeltiMesh *mesh = limit->mesh;
    const PeltiWeights *w = limit->weights;
    Vec3 *normals = PELTI_NEW(work, Vec3, mesh->vertex_count);
    float *half = PELTI_NEW(work, float, mesh->vertex_count), *blend = PELTI_NEW(work, float, mesh->vertex_count);
    float *fresh = PELTI_NEW(work, float, mesh->vertex_count);
    PeltiBoxTree *tree;
    if (work->failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * 24);
    PELT_TRY(pelti_box_tree_build_triangles(work, mesh->triangle_count, mesh->triangles, mesh->rest, &tree, err));
    pelti_mesh_normals(mesh, mesh->rest, normals);
    Thickness t = {mesh, tree, normals, half};
    pelti_parallel_for(jobs, mesh->vertex_count, GRAIN, measure_range, &t);
    for (int v = 0; v < mesh->vertex_count; v++)
        blend[v] = fminf(1, 2 * (1 - w->weight[(size_t)v * (size_t)w->influences]));
    for (int round = 0; round < LIMIT_SPREAD_ROUNDS; round++)
        ring_means(mesh, blend, fresh, true);
    for (int round = 0; round < LIMIT_SMOOTH_ROUNDS; round++)
        ring_means(mesh, half, fresh, false);
    for (int v = 0; v < mesh->vertex_count; v++)
        limit->most[v] = half[v] * (LIMIT_STIFF + (LIMIT_BENT - LIMIT_STIFF) * fminf(1, blend[v]));
    return PELT_OK;
}

PeltStatus pelti_limit_create(const PeltiCharacter *who, const PeltiWeights *weights, PeltiPool *pool, PeltiJobs *jobs,
                              PeltiLimit **out, PeltError *err)
{
    PeltiLimit *limit = PELTI_NEW(pool, PeltiLimit, 1);
    if (!limit)
        return pelti_no_memory(err, sizeof *limit);
    limit->mesh = who->mesh;
    limit->who = who;
    limit->weights = weights;
    limit->most = PELTI_NEW(pool, float, who->mesh->vertex_count);
    limit->block_held = PELTI_NEW(pool, int, who->mesh->vertex_count / GRAIN + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->mesh->vertex_count * 16);
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    PeltStatus status = find_limits(limit, &work, jobs, err);
    pelti_pool_release(&work);
    *out = limit;
    return status;
}

typedef struct Hold {
    PeltiLimit *limit;
    const Mat34 *bones;
    Vec3 *shape;
} Hold;

/// Scale of a vertex' bones: a part that is blown up is thicker.
static float scale_at(const PeltiLimit *limit, const Mat34 *bones, int v)
{
    const PeltiWeights *w = limit->weights;
    float scale = 0;
    for (int k = 0; k < w->influences; k++) {
        size_t i = (size_t)v * (size_t)w->influences + (size_t)k;
        if (!(w->weight[i] > 0))
            continue;
        Mat34 m = bones[w->bone[i]];
        scale += w->weight[i] * sqrtf((m.m[0][0] * m.m[0][0] + m.m[1][0] * m.m[1][0] + m.m[2][0] * m.m[2][0] +
                                       m.m[0][1] * m.m[0][1] + m.m[1][1] * m.m[1][1] + m.m[2][1] * m.m[2][1] +
                                       m.m[0][2] * m.m[0][2] + m.m[1][2] * m.m[1][2] + m.m[2][2] * m.m[2][2]) /
                                      3);
    }
    return scale;
}

/// A soft end: free up to LIMIT_FREE of the limit, then ever stiffer, never beyond it.
static float soft_end(float length, float most)
{
    float free = LIMIT_FREE * most, room = most - free;
    return length <= free ? length : free + room * (1 - pelti_expf(-(length - free) / room));
}

static void hold_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Hold *h = context;
    int held = 0;
    for (int v = begin; v < end; v++) {
        Vec3 home = pelti_weights_blend(h->limit->weights, v, h->bones, h->limit->mesh->rest[v]);
        Vec3 away = vec3_sub(h->shape[v], home);
        float length = vec3_length(away), allowed = soft_end(length, h->limit->most[v] * scale_at(h->limit, h->bones, v));
        if (!(allowed < length)) // also where it is not finite: caught elsewhere
            continue;
        h->shape[v] = vec3_mad(home, away, allowed / length);
        held++;
    }
    h->limit->block_held[begin / GRAIN] = held;
}

int pelti_limit_apply(PeltiLimit *limit, const Mat34 *bones, PeltiJobs *jobs, Vec3 *shape)
{
    Hold h = {limit, bones, shape};
    int count = limit->mesh->vertex_count, held = 0;
    pelti_parallel_for(jobs, count, GRAIN, hold_range, &h);
    for (int k = 0; k < (count + GRAIN - 1) / GRAIN; k++)
        held += limit->block_held[k];
    return held;
}
