/// Adds what a rig has for tracking beside its fields: painted regions [Vaillant2014 fig. 11c].
#include "methods/tracking/tracking.h"

#include <stdlib.h>
#include <string.h>

static PeltStatus mark_region(const Tracking *t, const PeltRigRegion *region, float *distance, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    Vec3 centre = {0, 0, 0};
    int bone;
    if (region->radius > 0)
        PELT_TRY(pelti_rig_place(t->who, &region->centre, &bone, &centre, err));
    for (int v = 0; v < mesh->vertex_count; v++)
        distance[v] =
            region->radius > 0 && vec3_distance(mesh->rest[v], centre) <= region->radius * mesh->diagonal ? 0 : INFINITY;
    for (int k = 0; k < region->point_count; k++) {
        if (region->points[k] < 0 || region->points[k] >= mesh->point_count)
            return PELT_FAIL(err, PELT_BAD_INPUT, "rig: region %s: point %d of %d", region->name ? region->name : "",
                             region->points[k], mesh->point_count);
        distance[mesh->weld[region->points[k]]] = 0;
    }
    for (int k = 0; k < region->owner_count; k++) {
        int owner = pelti_rig_bone(t->who, region->owners[k]);
        for (int v = 0; v < mesh->vertex_count && owner >= 0; v++)
            if (t->weights.bone[(size_t)v * (size_t)t->weights.influences] == owner)
                distance[v] = 0;
    }
    return PELT_OK;
}

static PeltStatus paint_region(Tracking *t, const PeltRigRegion *region, float *distance, PeltError *err)
{
    int bone = pelti_rig_bone(t->who, region->bone), painted = 0;
    float falloff = region->falloff * t->mesh->diagonal;
    if (bone < 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: region %s: no joint is called '%s'", region->name ? region->name : "",
                         region->bone ? region->bone : "");
    PELT_TRY(mark_region(t, region, distance, err));
    pelti_mesh_spread(t->mesh, falloff, distance);
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        if (distance[v] == 0) {
            t->skin.kind[v] = TRACKING_VERTEX_RIGID;
            t->skin.bone[v] = bone;
            t->skin.paint[v] = 0;
            painted++;
        } else if (distance[v] < falloff && t->skin.kind[v] != TRACKING_VERTEX_RIGID) {
            t->skin.paint[v] *= smooth_rise(distance[v] / falloff);
        }
    }
    return painted ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "rig: region %s: holds no point", region->name ? region->name : "");
}

PeltStatus pelti_tracking_effects(Tracking *t, const PeltRig *rig, PeltError *err)
{
    if (!rig || !rig->region_count)
        return PELT_OK;
    PeltiPool work;
    pelti_pool_init(&work, &t->pool.allocator);
    float *distance = PELTI_NEW(&work, float, t->mesh->vertex_count);
    PeltStatus status = distance ? PELT_OK : pelti_no_memory(err, sizeof(float) * (size_t)t->mesh->vertex_count);
    for (int k = 0; k < rig->region_count && status == PELT_OK; k++)
        status = paint_region(t, &rig->regions[k], distance, err);
    pelti_pool_release(&work);
    return status;
}
