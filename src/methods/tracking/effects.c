/// What a rig adds to tracking beside its fields: painted regions [Vaillant2014 fig. 11c] and key-framed anchors.
#include "methods/tracking/tracking.h"

#include <stdlib.h>
#include <string.h>

typedef struct Anchor {
    const PeltRigAnchor *rig;
    int bone; ///< frame of the offsets; -1: world
    int count;
    int *vertex;   ///< [count]
    float *weight; ///< [count] 1 at the anchor, 0 at the end of its falloff
} Anchor;

struct TrackingEffects {
    int anchor_count;
    Anchor *anchors;
};

/// Distances along edges from the vertices whose distance is 0 already, as far as `limit`: sweeps until nothing shrinks.
static void spread_distance(const PeltiMesh *mesh, float limit, float *distance)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < mesh->edge_count; e++) {
            int a = mesh->edges[e][0], b = mesh->edges[e][1];
            float length = vec3_distance(mesh->rest[a], mesh->rest[b]);
            for (int side = 0; side < 2; side++) {
                float *near = &distance[side ? b : a], *far = &distance[side ? a : b];
                if (*near + length < *far && *near + length < limit) {
                    *far = *near + length;
                    changed = true;
                }
            }
        }
    }
}

static float rise(float t) ///< smooth, 0 at 0 and 1 at 1
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

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
    spread_distance(t->mesh, falloff, distance);
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        if (distance[v] == 0) {
            t->kind[v] = VERTEX_RIGID;
            t->bone[v] = bone;
            t->paint[v] = 0;
            painted++;
        } else if (distance[v] < falloff && t->kind[v] != VERTEX_RIGID) {
            t->paint[v] *= rise(distance[v] / falloff);
        }
    }
    return painted ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "rig: region %s: holds no point", region->name ? region->name : "");
}

static PeltStatus place_anchor(Tracking *t, const PeltRigAnchor *rig, float *distance, Anchor *out, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    float falloff = rig->falloff * mesh->diagonal;
    if (rig->point < 0 || rig->point >= mesh->point_count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: anchor %s: point %d of %d", rig->name ? rig->name : "", rig->point,
                         mesh->point_count);
    *out = (Anchor){.rig = rig, .bone = pelti_rig_bone(t->who, rig->bone)};
    for (int v = 0; v < mesh->vertex_count; v++)
        distance[v] = INFINITY;
    distance[mesh->weld[rig->point]] = 0;
    spread_distance(mesh, falloff, distance);
    for (int v = 0; v < mesh->vertex_count; v++)
        out->count += isfinite(distance[v]);
    out->vertex = PELTI_NEW(&t->pool, int, out->count);
    out->weight = PELTI_NEW(&t->pool, float, out->count);
    if (t->pool.failed)
        return pelti_no_memory(err, sizeof(float) * (size_t)out->count);
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (isfinite(distance[v])) {
            out->vertex[count] = v;
            out->weight[count++] = falloff > 0 ? 1 - rise(distance[v] / falloff) : 1;
        }
    return PELT_OK;
}

static PeltStatus add_effects(Tracking *t, const PeltRig *rig, float *distance, PeltError *err)
{
    for (int k = 0; k < rig->region_count; k++)
        PELT_TRY(paint_region(t, &rig->regions[k], distance, err));
    t->effects = PELTI_NEW(&t->pool, TrackingEffects, 1);
    Anchor *anchors = PELTI_NEW(&t->pool, Anchor, rig->anchor_count);
    if (t->pool.failed)
        return pelti_no_memory(err, sizeof(Anchor) * (size_t)rig->anchor_count);
    for (int k = 0; k < rig->anchor_count; k++)
        PELT_TRY(place_anchor(t, &rig->anchors[k], distance, &anchors[k], err));
    *t->effects = (TrackingEffects){rig->anchor_count, anchors};
    return PELT_OK;
}

PeltStatus tracking_effects_prepare(Tracking *t, const PeltRig *rig, PeltError *err)
{
    if (!rig || (!rig->region_count && !rig->anchor_count))
        return PELT_OK;
    PeltiPool work;
    pelti_pool_init(&work, &t->pool.allocator);
    float *distance = PELTI_NEW(&work, float, t->mesh->vertex_count);
    PeltStatus status = distance ? add_effects(t, rig, distance, err) : pelti_no_memory(err, sizeof(float));
    pelti_pool_release(&work);
    return status;
}

/// Offset times strength at a time: linear between keys, constant before the first and after the last.
static Vec3 anchor_pull(const PeltRigAnchor *a, double time_s)
{
    const PeltRigAnchorKey *from = &a->keys[0], *to = from;
    for (int k = 0; k < a->key_count; k++) {
        to = &a->keys[k];
        if ((double)to->time_s >= time_s)
            break;
        from = to;
    }
    float span = to->time_s - from->time_s, s = span > 0 ? (float)((time_s - (double)from->time_s) / (double)span) : 1;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    Vec3 a0 = vec3(from->offset[0], from->offset[1], from->offset[2]), a1 = vec3(to->offset[0], to->offset[1], to->offset[2]);
    return vec3_scale(vec3_lerp(a0, a1, s), from->strength + s * (to->strength - from->strength));
}

/// Pulls what is shown; tracking itself goes on from where the skin would be.
void tracking_anchors(Tracking *t, double time_s)
{
    for (int k = 0; t->effects && k < t->effects->anchor_count; k++) {
        const Anchor *a = &t->effects->anchors[k];
        Vec3 pull = vec3_scale(anchor_pull(a->rig, time_s), t->mesh->diagonal);
        if (a->bone >= 0)
            pull = mat3_apply(mat3_polar(mat34_linear(t->now.matrix[a->bone]), NULL), pull);
        for (int i = 0; i < a->count; i++)
            t->shown[a->vertex[i]] = vec3_mad(t->shown[a->vertex[i]], pull, a->weight[i]);
    }
}
