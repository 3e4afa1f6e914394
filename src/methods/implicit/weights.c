/// Weights as Figure 8 of [Vaillant2014] varies them: rigid, as given, smoother. Only dqs, the start of a frame, sees them.
#include "methods/implicit/implicit.h"

#include "methods/implicit/constants.def"

#include <string.h>

enum { MOST = 24 }; // influences gathered from a ring

/// A vertex' influences averaged with its ring's, the largest kept.
static void average(const PeltiMesh *mesh, int v, const PeltiWeights *w, PeltiWeightRows to)
{
    int bones[MOST], count = 0, influences = w->influences;
    float sums[MOST];
    for (int e = mesh->ring_start[v] - 1; e < mesh->ring_start[v + 1]; e++) {
        size_t from = (size_t)(e < mesh->ring_start[v] ? v : mesh->ring[e]) * (size_t)influences;
        for (int k = 0; k < influences && w->weight[from + (size_t)k] > 0; k++) {
            int at = 0;
            while (at < count && bones[at] != w->bone[from + (size_t)k])
                at++;
            if (at == MOST)
                continue;
            if (at == count) {
                bones[count] = w->bone[from + (size_t)k];
                sums[count++] = 0;
            }
            sums[at] += w->weight[from + (size_t)k];
        }
    }
    for (int k = 0; k < influences; k++) {
        to.bone[k] = 0;
        to.weight[k] = 0;
    }
    for (int k = 0; k < count; k++)
        pelti_weights_insert(influences, to.bone, to.weight, bones[k], sums[k]);
    pelti_weights_normalise(influences, to.bone, to.weight);
}

PeltStatus pelti_implicit_weights(Implicit *m, const PeltiWeights *given, const char *kind, PeltiWeights *out, PeltError *err)
{
    bool rigid = !strcmp(kind, "rigid"), smoother = !strcmp(kind, "smoother");
    int n = m->mesh->vertex_count, influences = given->influences;
    PeltiWeightRows rows, next;
    PeltiWeights other;
    *out = *given;
    if (!rigid && !smoother)
        return PELT_OK;
    PELT_TRY(pelti_weights_new(m->who, &m->pool, influences, &rows, out, err));
    PELT_TRY(pelti_weights_new(m->who, &m->pool, influences, &next, &other, err));
    for (size_t i = 0; i < (size_t)n * (size_t)influences; i++) {
        rows.bone[i] = given->bone[i];
        rows.weight[i] = rigid ? (float)(i % (size_t)influences == 0) : given->weight[i];
    }
    for (int pass = 0; smoother && pass < SMOOTHER_PASSES; pass++) {
        for (int v = 0; v < n; v++) {
            size_t at = (size_t)v * (size_t)influences;
            average(m->mesh, v, out, (PeltiWeightRows){.bone = next.bone + at, .weight = next.weight + at});
        }
        for (size_t i = 0; i < (size_t)n * (size_t)influences; i++) {
            rows.bone[i] = next.bone[i];
            rows.weight[i] = next.weight[i];
        }
    }
    return PELT_OK;
}
