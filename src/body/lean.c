/// Leaning on linear blending where the shown skin would tear or turn over.
#include "body/lean.h"

#include <math.h>
#include <string.h>

static const float TORN = 2.3f;   // of its rest length: no skin stretches more, unless blending does already
static const float BEYOND = 1.2f; // of the length by blending
static const float SLOPE = 0.4f;  // share of an edge that a change of the lean along it may add to its length
enum { SWEEPS = 12, GRAIN = 512 };

struct PeltiLean {
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    const PeltiWeights *weights;
    float *rest;      // [edge_count]
    float *share;     // [vertex_count] 1: as the method has it, 0: as blending has it
    Vec3 *home, *own; // [vertex_count] by blending, by the method
};

PeltStatus pelti_lean_create(const PeltiCharacter *who, const PeltiWeights *weights, PeltiPool *pool, PeltiLean **out,
                             PeltError *err)
{
    const PeltiMesh *mesh = who->mesh;
    PeltiLean *l = PELTI_NEW(pool, PeltiLean, 1);
    if (!l)
        return pelti_no_memory(err, sizeof *l);
    *l = (PeltiLean){.who = who, .mesh = mesh, .weights = weights};
    l->rest = PELTI_NEW(pool, float, mesh->edge_count);
    l->share = PELTI_NEW(pool, float, mesh->vertex_count);
    l->home = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    l->own = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * 32);
    for (int e = 0; e < mesh->edge_count; e++)
        l->rest[e] = vec3_distance(mesh->rest[mesh->edges[e][0]], mesh->rest[mesh->edges[e][1]]);
    *out = l;
    return PELT_OK;
}

typedef struct Work {
    PeltiLean *lean;
    const Mat34 *bones;
    Vec3 *points;
} Work;

static void home_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Work *w = context;
    PeltiLean *l = w->lean;
    for (int v = begin; v < end; v++) {
        Vec3 sum = {0, 0, 0};
        for (int k = 0; k < l->weights->influences; k++) {
            size_t i = (size_t)v * (size_t)l->weights->influences + (size_t)k;
            if (l->weights->weight[i] > 0)
                sum = vec3_mad(sum, mat34_apply(w->bones[l->weights->bone[i]], l->mesh->rest[v]), l->weights->weight[i]);
        }
        l->home[v] = sum;
        l->own[v] = w->points[l->mesh->first_point[v]];
        l->share[v] = 1;
    }
}

static Vec3 leaned(const PeltiLean *l, int v)
{
    return vec3_lerp(l->home[v], l->own[v], l->share[v]);
}

/// The largest factor s on both ends' shares with which the edge is no longer than allowed: |h + s d| = most.
static float bearable(Vec3 home, Vec3 change, float most)
{
    float a = vec3_dot(change, change), b = vec3_dot(home, change), c = vec3_dot(home, home) - most * most;
    float root = b * b - a * c;
    return a > 0 && c < 0 && root > 0 ? fminf((-b + sqrtf(root)) / a, 1) : 0;
}

/// One look at all edges: those that are too long take their ends towards blending. Serial: a later edge sees what an earlier
/// one did, in the mesh's order.
static int mend_edges(PeltiLean *l)
{
    int mended = 0;
    for (int e = 0; e < l->mesh->edge_count; e++) {
        int a = l->mesh->edges[e][0], b = l->mesh->edges[e][1];
        Vec3 home = vec3_sub(l->home[b], l->home[a]), now = vec3_sub(leaned(l, b), leaned(l, a));
        float most = fmaxf(TORN * l->rest[e], BEYOND * vec3_length(home));
        if (!(vec3_dot(now, now) > most * most * 1.0001f))
            continue;
        float s = bearable(home, vec3_sub(now, home), most);
        l->share[a] *= s;
        l->share[b] *= s;
        mended++;
    }
    return mended;
}

/// A change of the share along an edge stretches it by that change times the way: it is bounded by a part of the edge.
static int spread_shares(PeltiLean *l)
{
    int changed = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < l->mesh->edge_count; i++) {
            int e = pass ? l->mesh->edge_count - 1 - i : i, a = l->mesh->edges[e][0], b = l->mesh->edges[e][1];
            float low = fminf(l->share[a], l->share[b]);
            if (low == 1)
                continue;
            int high = l->share[a] > l->share[b] ? a : b;
            float way = vec3_distance(l->own[high], l->home[high]), most = low + SLOPE * l->rest[e] / fmaxf(way, 1e-20f);
            if (l->share[high] > most * 1.0001f) {
                l->share[high] = most;
                changed++;
            }
        }
    return changed;
}

static void write_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Work *w = context;
    const PeltiLean *l = w->lean;
    for (int p = begin; p < end; p++) {
        int v = l->mesh->weld[p];
        if (l->share[v] < 1)
            w->points[p] = vec3_add(w->points[p], vec3_scale(vec3_sub(l->home[v], l->own[v]), 1 - l->share[v]));
    }
}

int pelti_lean_apply(PeltiLean *l, const Mat34 *bones, PeltiJobs *jobs, Vec3 *points)
{
    Work w = {l, bones, points};
    int count = 0;
    pelti_parallel_for(jobs, l->mesh->vertex_count, GRAIN, home_range, &w);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        if (mend_edges(l) + spread_shares(l) == 0)
            break;
    for (int v = 0; v < l->mesh->vertex_count; v++)
        count += l->share[v] < 1;
    if (count)
        pelti_parallel_for(jobs, l->who->point_count, GRAIN, write_range, &w);
    return count;
}
