/// Swells free skin by what contacts squeeze away, and tethers skin that no field speaks of: both beyond [Vaillant2014].
/// The options are keep-volume, within the skin of a part, and hold, to a skin's own bone; both are off at 0.
#include "methods/tracking/tracking.h"

#include <string.h>

#include "methods/tracking/constants.def"

typedef struct Swelling {
    const Tracking *t;
    TrackingSurface *surface;
    TrackingSwelling *swelling;
} Swelling;

/// Skin that rises or sinks by more than a hair has to look where its surface is now.
static void swell_range(void *context, int begin, int end, int worker)
{
    const Swelling *w = context;
    const Tracking *t = w->t;
    (void)worker;
    for (int v = begin; v < end; v++) {
        const int *bone = t->weights.bone + (size_t)v * (size_t)t->weights.influences;
        const float *weight = t->weights.weight + (size_t)v * (size_t)t->weights.influences;
        float sum = 0;
        for (int k = 0; k < t->weights.influences; k++) {
            int part = weight[k] > 0 ? t->fields->bone_part[bone[k]] : -1;
            if (part >= 0)
                sum += weight[k] * w->swelling->grown[part];
        }
        w->surface->must_look[v] |= fabsf(sum - w->swelling->height[v]) > HAIR * t->skin.edge[v];
        w->swelling->height[v] = sum;
    }
}

void pelti_tracking_forget_swelling(const PeltiMesh *mesh, TrackingSwelling *swelling)
{
    swelling->swollen = false;
    memset(swelling->height, 0, sizeof(float) * (size_t)mesh->vertex_count);
}

/// Lost volume of each part: its contact vertices lie deeper in their own field than at rest, by a depth times an area. The
/// free skin of the part rises by the same volume over its area, at most a tenth of its thickness, and fades into neighbours
/// with the weights.
void pelti_tracking_swell(const Tracking *t, TrackingSurface *surface, TrackingSwelling *swelling)
{
    int parts = t->fields->part_count, count = t->mesh->vertex_count;
    if (!(t->set.keep_volume > 0))
        return;
    float *lost = swelling->lost_scratch, *wide = swelling->lost_scratch + parts;
    memset(swelling->lost_scratch, 0, sizeof(float) * 2 * (size_t)parts);
    for (int v = 0; v < count; v++) {
        int part = t->fields->vertex_part[v];
        if (part < 0 || t->skin.kind[v] != TRACKING_VERTEX_TRACKED)
            continue;
        if (surface->contact[v])
            lost[part] += t->skin.area[v] * fmaxf(0, surface->pressed[v]) * t->skin.reach[v] / 0.9375f;
        else
            wide[part] += t->skin.area[v];
    }
    double all = 0;
    for (int p = 0; p < parts; p++)
        all += (double)lost[p];
    if (!(all > 0) && !swelling->swollen)
        return;
    // what contacts show of the loss is shared out by part; how much there is in all the mesh itself tells, if it is closed
    double missing = all, stands = 0;
    if (t->mesh->closed && all > 0) {
        for (int v = 0; v < count; v++)
            stands += surface->contact[v] ? 0 : (double)(swelling->height[v] * t->skin.area[v]);
        missing = fmax(0, t->skin.volume - (pelti_mesh_volume(t->mesh, surface->x) - stands));
    }
    float scale = all > 0 ? fminf((float)(missing / all), MOST_SCALE) : 0;
    for (int p = 0; p < parts; p++) {
        float most = t->fields->parts[p].radius * MOST_RISE,
              rise = wide[p] > 0 ? t->set.keep_volume * scale * lost[p] / wide[p] : 0;
        swelling->grown[p] = rise < most ? rise : most;
    }
    pelti_parallel_for(t->jobs, count, 4 * TRACKING_GRAIN, swell_range, &(Swelling){t, surface, swelling});
    swelling->swollen = all > 0;
}

/// Tethers of vertices whose weights lie on one bone: firm where the field says nothing, fading over a few rings; elsewhere so
/// weak that a displacement dies out over HOLD_BODY times the part's radius: it brings skin back that a collision dragged away.
PeltStatus pelti_tracking_find_holds(Tracking *t, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    int count = mesh->vertex_count;
    PeltiPool work;
    pelti_pool_init(&work, &t->pool.allocator);
    float *now = PELTI_NEW(&work, float, count), *next = PELTI_NEW(&work, float, count);
    if (work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, sizeof(float) * 2 * (size_t)count);
    }
    for (int v = 0; v < count; v++)
        now[v] = t->skin.kind[v] == TRACKING_VERTEX_FREE ? 1 : 0;
    for (int k = 0; k < HOLD_SPREAD; k++) {
        for (int v = 0; v < count; v++) {
            float sum = now[v];
            int start = mesh->ring_start[v], end = mesh->ring_start[v + 1];
            for (int e = start; e < end; e++)
                sum += now[mesh->ring[e]];
            next[v] = fmaxf(t->skin.kind[v] == TRACKING_VERTEX_FREE ? 1 : 0, sum / (float)(1 + end - start));
        }
        float *swap = now;
        now = next;
        next = swap;
    }
    for (int v = 0; v < count; v++) {
        float pure = (t->weights.weight[(size_t)v * (size_t)t->weights.influences] - HOLD_WEIGHT) / (1 - HOLD_WEIGHT),
              far = HOLD_BODY * t->skin.reach[v];
        t->energy.hold[v] =
            pure > 0 ? t->set.hold * pure * (now[v] * t->energy.diagonal[v] + 2 * t->skin.area[v] / (far * far)) : 0;
    }
    pelti_pool_release(&work);
    return PELT_OK;
}
