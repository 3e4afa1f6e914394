/// Smooths the shown skin at contacts as far as it touches [Vaillant2014 sec. 3].
#include "methods/tracking/tracking.h"

#include <string.h>

#include "methods/tracking/constants.def"

typedef struct Smoothing {
    const Tracking *t;
    TrackingShow *show;
} Smoothing;

static void spread_range(void *context, int begin, int end, int worker)
{
    TrackingShow *show = ((const Smoothing *)context)->show;
    const PeltiMesh *mesh = ((const Smoothing *)context)->t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        float sum = show->touch[v], most = show->touch[v];
        int count = 1;
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++, count++)
            sum += show->touch[mesh->ring[e]];
        show->touch_scratch[v] = fmaxf(TOUCH_FADE * most, sum / (float)count);
    }
}

static void smooth_range(void *context, int begin, int end, int worker)
{
    const Tracking *t = ((const Smoothing *)context)->t;
    TrackingShow *show = ((const Smoothing *)context)->show;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        show->scratch[v] = show->shown[v];
        float share = SMOOTHING * show->touch[v];
        int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        if (!(share > SMOOTHING_LEAST) || degree == 0 || t->skin.kind[v] == TRACKING_VERTEX_RIGID)
            continue;
        Vec3 sum = {0, 0, 0};
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
            sum = vec3_add(sum, show->shown[mesh->ring[e]]);
        Vec3 n = t->surface.normal[v], d = vec3_scale(vec3_sub(vec3_scale(sum, 1 / (float)degree), show->shown[v]), share);
        show->scratch[v] = vec3_add(show->shown[v], vec3_mad(d, n, -t->surface.wall[v] * vec3_dot(d, n)));
    }
}

/// A last Laplacian smoothing, strongest in contact and fading over a few rings [Vaillant2014 sec. 3]: shown, not kept.
int pelti_tracking_smooth_contacts(const Tracking *t, TrackingShow *show)
{
    int count = t->mesh->vertex_count, contacts = 0;
    Smoothing work = {t, show};
    for (int v = 0; v < count; v++) {
        show->touch[v] = t->surface.contact[v] ? 1 : 0;
        contacts += t->surface.contact[v] != 0;
    }
    memcpy(show->shown, t->surface.x, sizeof(Vec3) * (size_t)count);
    if (!contacts)
        return 0;
    for (int k = 0; k < TOUCH_SPREAD; k++) {
        pelti_parallel_for(t->jobs, count, TRACKING_GRAIN, spread_range, &work);
        float *swap = show->touch;
        show->touch = show->touch_scratch;
        show->touch_scratch = swap;
    }
    for (int k = 0; k < t->set.smooth_passes; k++) {
        pelti_parallel_for(t->jobs, count, TRACKING_GRAIN, smooth_range, &work);
        Vec3 *swap = show->shown;
        show->shown = show->scratch;
        show->scratch = swap;
    }
    return contacts;
}
