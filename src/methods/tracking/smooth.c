/// Smooths the shown skin at contacts as far as it touches [Vaillant2014 sec. 3].
#include "methods/tracking/tracking.h"

#include <string.h>

#include "methods/tracking/constants.def"

static void spread_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        float sum = t->show.touch[v], most = t->show.touch[v];
        int count = 1;
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++, count++)
            sum += t->show.touch[mesh->ring[e]];
        t->show.touch_scratch[v] = fmaxf(TOUCH_FADE * most, sum / (float)count);
    }
}

static void smooth_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        t->show.scratch[v] = t->show.shown[v];
        float share = SMOOTHING * t->show.touch[v];
        int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        if (!(share > SMOOTHING_LEAST) || degree == 0 || t->skin.kind[v] == TRACKING_VERTEX_RIGID)
            continue;
        Vec3 sum = {0, 0, 0};
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
            sum = vec3_add(sum, t->show.shown[mesh->ring[e]]);
        Vec3 n = t->surface.normal[v], d = vec3_scale(vec3_sub(vec3_scale(sum, 1 / (float)degree), t->show.shown[v]), share);
        t->show.scratch[v] = vec3_add(t->show.shown[v], vec3_mad(d, n, -t->surface.wall[v] * vec3_dot(d, n)));
    }
}

/// A last Laplacian smoothing, strongest in contact and fading over a few rings [Vaillant2014 sec. 3]: shown, not kept.
void pelti_tracking_smooth_contacts(Tracking *t)
{
    int count = t->mesh->vertex_count;
    t->counters.contacts = 0;
    for (int v = 0; v < count; v++) {
        t->show.touch[v] = t->surface.contact[v] ? 1 : 0;
        t->counters.contacts += t->surface.contact[v] != 0;
    }
    memcpy(t->show.shown, t->surface.x, sizeof(Vec3) * (size_t)count);
    if (!t->counters.contacts)
        return;
    for (int k = 0; k < TOUCH_SPREAD; k++) {
        pelti_parallel_for(t->jobs, count, TRACKING_GRAIN, spread_range, t);
        float *swap = t->show.touch;
        t->show.touch = t->show.touch_scratch;
        t->show.touch_scratch = swap;
    }
    for (int k = 0; k < t->set.smooth_passes; k++) {
        pelti_parallel_for(t->jobs, count, TRACKING_GRAIN, smooth_range, t);
        Vec3 *swap = t->show.shown;
        t->show.shown = t->show.scratch;
        t->show.scratch = swap;
    }
}
