/// A rig speaks of points of the file; where a body is solved on, they become points of the body.
#include "bake/objects.h"

#include "geometry/box_tree.h"

typedef struct BodyMap {
    PeltSkin *skin;
    const PeltiMesh *body;
    int *nearest; ///< [vertices of the body] vertex of the file's mesh
    float *value; ///< [vertices of the file's mesh] NAN: not named
    int *point;   ///< [vertices of the body] scratch
} BodyMap;

/// The corner of the nearest triangle that lies nearest.
static PeltStatus find_nearest(BodyMap *map, PeltiPool *work, PeltError *err)
{
    const PeltiMesh *file = map->skin->character->who->mesh, *body = map->body;
    PeltiBoxTree *tree;
    PELT_TRY(pelti_box_tree_build_triangles(work, file->triangle_count, file->triangles, file->rest, &tree, err));
    PeltiNearest *found = PELTI_NEW(work, PeltiNearest, body->vertex_count);
    if (!found)
        return pelti_no_memory(err, sizeof *found * (size_t)body->vertex_count);
    PeltiNearestSearch search = {.triangles = file->triangles,
                                 .points = file->rest,
                                 .query_count = body->vertex_count,
                                 .queries = body->rest,
                                 .max_distance = INFINITY};
    pelti_box_tree_nearest_many(tree, &search, map->skin->jobs, found);
    for (int v = 0; v < body->vertex_count; v++) {
        float best = INFINITY;
        map->nearest[v] = -1;
        for (int k = 0; k < 3 && found[v].triangle >= 0; k++) {
            int corner = file->triangles[found[v].triangle][k];
            float far = vec3_distance(body->rest[v], file->rest[corner]);
            if (far < best)
                best = far, map->nearest[v] = corner;
        }
    }
    return PELT_OK;
}

/// Points of the body whose place on the file's skin is named; `values` may be NULL. Lists are of the skin's pool.
static PeltStatus carry_over(BodyMap *map, PeltRigPainted from, PeltRigPainted *out, PeltError *err)
{
    const PeltiMesh *file = map->skin->character->who->mesh;
    int count = 0;
    for (int v = 0; v < file->vertex_count; v++)
        map->value[v] = NAN;
    for (int k = 0; k < from.count; k++)
        map->value[file->weld[from.points[k]]] = from.values ? from.values[k] : 0;
    for (int v = 0; v < map->body->vertex_count; v++)
        if (map->nearest[v] >= 0 && !isnan(map->value[map->nearest[v]]))
            map->point[count++] = v;
    int *points = PELTI_NEW(&map->skin->pool, int, count);
    float *values = PELTI_NEW(&map->skin->pool, float, count);
    if (map->skin->pool.failed)
        return pelti_no_memory(err, (size_t)count * (sizeof *points + sizeof *values));
    for (int i = 0; i < count; i++) {
        points[i] = map->body->first_point[map->point[i]];
        values[i] = map->value[map->nearest[map->point[i]]];
    }
    *out = (PeltRigPainted){.what = from.what, .count = count, .points = points, .values = values};
    return PELT_OK;
}

static PeltStatus fill(BodyMap *map, const PeltRig *rig, PeltRigRegion *regions, PeltRigPainted *painted, PeltError *err)
{
    for (int i = 0; i < rig->region_count; i++) {
        PeltRigPainted points;
        regions[i] = rig->regions[i];
        PELT_TRY(carry_over(map, (PeltRigPainted){.count = regions[i].point_count, .points = regions[i].points}, &points, err));
        regions[i].point_count = points.count;
        regions[i].points = points.points;
    }
    for (int i = 0; i < rig->painted_count; i++)
        PELT_TRY(carry_over(map, rig->painted[i], &painted[i], err));
    return PELT_OK;
}

PeltStatus pelti_skin_rig_on_body(PeltSkin *skin, const PeltRig **out, PeltError *err)
{
    const PeltRig *rig = skin->added.artist.rig;
    const PeltiMesh *file = skin->character->who->mesh;
    if (!rig || !(rig->region_count || rig->painted_count) || !skin->solved.who || skin->solved.who->mesh == file)
        return PELT_OK;
    PeltRig *own = PELTI_NEW(&skin->pool, PeltRig, 1);
    PeltRigRegion *regions = PELTI_NEW(&skin->pool, PeltRigRegion, rig->region_count);
    PeltRigPainted *painted = PELTI_NEW(&skin->pool, PeltRigPainted, rig->painted_count);
    PeltiPool work;
    pelti_pool_init(&work, &skin->pool.allocator);
    BodyMap map = {.skin = skin, .body = skin->solved.who->mesh};
    map.nearest = PELTI_NEW(&work, int, map.body->vertex_count);
    map.point = PELTI_NEW(&work, int, map.body->vertex_count);
    map.value = PELTI_NEW(&work, float, file->vertex_count);
    PeltStatus status = work.failed || skin->pool.failed ? pelti_no_memory(err, work.used_bytes) : find_nearest(&map, &work, err);
    if (status == PELT_OK)
        status = fill(&map, rig, regions, painted, err);
    pelti_pool_release(&work);
    if (status != PELT_OK)
        return status;
    *own = *rig;
    own->regions = regions;
    own->painted = painted;
    *out = own;
    return PELT_OK;
}
