/// Rows of weights, the largest influences kept: from the file, rigid, or of the form bone heat [Baran2007] fills (heat.c).
#include "character/weights.h"

#include "character/skeleton.h"

#include <string.h>

int pelti_weights_nearest(const PeltiCharacter *who, int instance, Vec3 p)
{
    const PeltiInstance *shown = &who->instances[instance];
    float best = INFINITY;
    int nearest = shown->bone_count > 0 ? shown->bones[0] : 0;
    for (int k = 0; k < shown->bone_count; k++) {
        const PeltiBone *bone = &who->bones[shown->bones[k]];
        for (int s = 0; s < bone->segment_count; s++) {
            const PeltiSkeletonSegment *segment = &who->segments[bone->segment_first + s];
            float d = pelti_skeleton_segment_distance2(p, segment->a, segment->b, NULL);
            if (d < best) {
                best = d;
                nearest = shown->bones[k];
            }
        }
    }
    return nearest;
}

void pelti_weights_insert(int influences, int *bones, float *weights, int bone, float weight)
{
    int at = influences;
    while (at > 0 && weight > weights[at - 1])
        at--;
    for (int k = influences - 1; k > at; k--) {
        bones[k] = bones[k - 1];
        weights[k] = weights[k - 1];
    }
    if (at < influences) {
        bones[at] = bone;
        weights[at] = weight;
    }
}

bool pelti_weights_normalise(int influences, int *bones, float *weights)
{
    float sum = 0;
    for (int k = 0; k < influences; k++)
        sum += weights[k];
    if (!(sum > 1e-6f) || !isfinite(sum))
        return false;
    for (int k = 0; k < influences; k++) {
        weights[k] /= sum;
        if (!(weights[k] > 0))
            bones[k] = bones[0]; // padding names a bone that is in use
    }
    return true;
}

PeltStatus pelti_weights_new(const PeltiCharacter *who, PeltiPool *pool, int influences, PeltiWeightRows *rows, PeltiWeights *out,
                             PeltError *err)
{
    size_t count = (size_t)who->mesh->vertex_count * (size_t)influences;
    rows->bone = PELTI_NEW(pool, int, count);
    rows->weight = PELTI_NEW(pool, float, count);
    if (!rows->bone || !rows->weight)
        return pelti_no_memory(err, count * (sizeof(int) + sizeof(float)));
    *out = (PeltiWeights){influences, rows->bone, rows->weight};
    return PELT_OK;
}

PeltStatus pelti_weights_copy(const PeltiCharacter *who, PeltiPool *pool, PeltiWeights *weights, PeltiWeightRows *rows,
                              PeltError *err)
{
    size_t count = (size_t)who->mesh->vertex_count * (size_t)weights->influences;
    PeltiWeights copy;
    PELT_TRY(pelti_weights_new(who, pool, weights->influences, rows, &copy, err));
    memcpy(rows->bone, weights->bone, count * sizeof *rows->bone);
    memcpy(rows->weight, weights->weight, count * sizeof *rows->weight);
    *weights = copy;
    return PELT_OK;
}

PeltStatus pelti_weights_rigid(const PeltiCharacter *who, PeltiPool *pool, PeltiWeights *out, PeltError *err)
{
    PeltiWeightRows rows;
    PELT_TRY(pelti_weights_new(who, pool, PELTI_WEIGHTS_INFLUENCES, &rows, out, err));
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        int nearest = pelti_weights_nearest(who, who->mesh->vertex_instance[v], who->mesh->rest[v]);
        for (int k = 0; k < PELTI_WEIGHTS_INFLUENCES; k++)
            rows.bone[v * PELTI_WEIGHTS_INFLUENCES + k] = nearest;
        rows.weight[v * PELTI_WEIGHTS_INFLUENCES] = 1;
    }
    return PELT_OK;
}

PeltiGather pelti_gather_new(PeltiPool *pool, const PeltiCharacter *who)
{
    return (PeltiGather){PELTI_NEW(pool, double, who->bone_count), PELTI_NEW(pool, int, who->bone_count), 0};
}

void pelti_gather_row(PeltiGather *g, const PeltiWeights *rows, int row)
{
    pelti_gather_share(g, rows, row, 1);
}

void pelti_gather_share(PeltiGather *g, const PeltiWeights *rows, int row, double share)
{
    for (int k = 0; k < rows->influences; k++) {
        size_t i = (size_t)row * (size_t)rows->influences + (size_t)k;
        if (!((double)rows->weight[i] * share > 0))
            continue;
        if (g->sum[rows->bone[i]] == 0)
            g->touched[g->count++] = rows->bone[i];
        g->sum[rows->bone[i]] += (double)rows->weight[i] * share;
    }
}

void pelti_gather_take(PeltiGather *g, int influences, int *bones, float *weights)
{
    for (int i = 0; i < g->count; i++) {
        pelti_weights_insert(influences, bones, weights, g->touched[i], (float)g->sum[g->touched[i]]);
        g->sum[g->touched[i]] = 0;
    }
    g->count = 0;
}

PeltStatus pelti_weights_from_file(const PeltiCharacter *who, PeltiPool *pool, PeltiWeights *out, PeltError *err)
{
    const PeltiWeights *file = &who->file_weights;
    const PeltiMesh *mesh = who->mesh;
    PeltiWeightRows rows;
    if (file->influences <= 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "weights=file, but the file has no weights: use weights=auto");
    PELT_TRY(pelti_weights_new(who, pool, file->influences, &rows, out, err));
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    PeltiGather gather = pelti_gather_new(&work, who);
    int *start = PELTI_NEW(&work, int, (size_t)mesh->vertex_count + 1), *points = PELTI_NEW(&work, int, mesh->point_count);
    int *filled = PELTI_NEW(&work, int, mesh->vertex_count);
    if (work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, sizeof(int) * (size_t)mesh->point_count);
    }
    for (int p = 0; p < mesh->point_count; p++)
        start[mesh->weld[p] + 1]++;
    for (int v = 0; v < mesh->vertex_count; v++)
        start[v + 1] += start[v];
    for (int p = 0; p < mesh->point_count; p++)
        points[start[mesh->weld[p]] + filled[mesh->weld[p]]++] = p;
    for (int v = 0; v < mesh->vertex_count; v++) {
        size_t first = (size_t)v * (size_t)file->influences;
        for (int i = start[v]; i < start[v + 1]; i++)
            pelti_gather_row(&gather, file, points[i]);
        pelti_gather_take(&gather, file->influences, rows.bone + first, rows.weight + first);
        if (!pelti_weights_normalise(file->influences, rows.bone + first, rows.weight + first)) {
            rows.bone[first] = pelti_weights_nearest(who, mesh->vertex_instance[v], mesh->rest[v]);
            rows.weight[first] = 1;
        }
    }
    pelti_pool_release(&work);
    return PELT_OK;
}
