/// Lays out rest positions and influences for the blending kernels.
#include "methods/blend.h"

#include <string.h>

void pelti_blend_layout(PeltiBlend *blend, PeltiArena *arena, const PeltiMethodPrepare *in)
{
    const PeltiWeights *weights = in->point_weights ? in->point_weights : in->weights;
    blend->item_count = in->point_weights ? in->who->point_count : in->who->mesh->vertex_count;
    blend->padded_count = (blend->item_count + PELTI_BLEND_LANES - 1) / PELTI_BLEND_LANES * PELTI_BLEND_LANES;
    blend->influences = weights->influences > 0 ? (weights->influences + 3) / 4 * 4 : 4;
    size_t entries = (size_t)blend->padded_count * (size_t)blend->influences;
    blend->x = PELTI_TAKE(arena, float, blend->padded_count);
    blend->y = PELTI_TAKE(arena, float, blend->padded_count);
    blend->z = PELTI_TAKE(arena, float, blend->padded_count);
    blend->weight = PELTI_TAKE(arena, float, entries);
    blend->bone = PELTI_TAKE(arena, int, entries);
}

void pelti_blend_fill(PeltiBlend *blend, const PeltiMethodPrepare *in)
{
    const PeltiWeights *weights = in->point_weights ? in->point_weights : in->weights;
    const Vec3 *rest = in->point_weights ? in->who->rest_points : in->who->mesh->rest;
    size_t entries = (size_t)blend->padded_count * (size_t)blend->influences;
    memset(blend->weight, 0, entries * sizeof *blend->weight);
    memset(blend->bone, 0, entries * sizeof *blend->bone);
    for (int i = 0; i < blend->padded_count; i++) {
        Vec3 p = i < blend->item_count ? rest[i] : vec3(0, 0, 0);
        blend->x[i] = p.x;
        blend->y[i] = p.y;
        blend->z[i] = p.z;
        for (int k = 0; i < blend->item_count && k < weights->influences; k++) {
            size_t from = (size_t)i * (size_t)weights->influences + (size_t)k;
            size_t to = (size_t)i * (size_t)blend->influences + (size_t)k;
            if (!(weights->weight[from] > 0))
                continue; // a bone with no weight may be any number
            blend->weight[to] = weights->weight[from];
            blend->bone[to] = weights->bone[from];
        }
    }
}
