/// Smooths the skin at contacts as far as it touches.
#include "methods/tracking/tracking.h"

#include <string.h>

enum { SPREAD = 3 }; ///< rings that contact spreads over before smoothing

static void spread_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        float sum = t->touch[v], most = t->touch[v];
        int count = 1;
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++, count++)
            sum += t->touch[mesh->ring[e]];
        t->touch_scratch[v] = fmaxf(0.9f * most, sum / (float)count);
    }
}

static void smooth_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        t->buffer[v] = t->shown[v];
        float share = 0.5f * t->touch[v];
        int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        if (!(share > 1e-3f) || degree == 0 || t->kind[v] == VERTEX_RIGID)
            continue;
        Vec3 sum = {0, 0, 0};
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
            sum = vec3_add(sum, t->shown[mesh->ring[e]]);
        Vec3 n = t->normal[v], d = vec3_scale(vec3_sub(vec3_scale(sum, 1 / (float)degree), t->shown[v]), share);
        t->buffer[v] = vec3_add(t->shown[v], vec3_mad(d, n, -t->wall[v] * vec3_dot(d, n)));
    }
}

/// A last Laplacian smoothing, strongest in contact and fading over a few rings [Vaillant2014 sec. 3]: shown, not kept.
void tracking_smooth_contacts(Tracking *t)
{
    int count = t->mesh->vertex_count;
    t->counters.contacts = 0;
    for (int v = 0; v < count; v++) {
        t->touch[v] = t->contact[v] ? 1 : 0;
        t->counters.contacts += t->contact[v] != 0;
    }
    memcpy(t->shown, t->x, sizeof(Vec3) * (size_t)count);
    if (!t->counters.contacts)
        return;
    for (int k = 0; k < SPREAD; k++) {
        pelti_parallel_for(t->jobs, count, GRAIN, spread_range, t);
        float *swap = t->touch;
        t->touch = t->touch_scratch;
        t->touch_scratch = swap;
    }
    for (int k = 0; k < t->set.smooth_passes; k++) {
        pelti_parallel_for(t->jobs, count, GRAIN, smooth_range, t);
        Vec3 *swap = t->shown;
        t->shown = t->buffer;
        t->buffer = swap;
    }
}
