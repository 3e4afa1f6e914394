#include "builtin/builtin.h"
#include "builtin/body.h"
#include "builtin/clips.h"
#include "remesh/remesh.h"
#include "builtin/uv.h"
#include "builtin/weights.h"

#include <stdlib.h>
#include <string.h>

/// Up to here a character is remeshed as a whole; above, a coarser one is remeshed and each triangle cut into four.
enum { REMESH_MOST = 60000 };

typedef struct Plan {
    const char *name;
    void (*plan)(PeltiBody *body);
    int vertices; // by default
} Plan;

static const Plan PLANS[] = {{"cylinder", pelti_body_plan_cylinder, 3200},
                             {"arm", pelti_body_plan_arm, 8000},
                             {"hand", pelti_body_plan_hand, 5000},
                             {"biped", pelti_body_plan_biped, 13300}};
enum { PLAN_COUNT = sizeof PLANS / sizeof PLANS[0] };

const char *pelti_builtin_name(int index)
{
    return index >= 0 && index < PLAN_COUNT ? PLANS[index].name : NULL;
}

typedef struct Skin {
    PeltiRemeshSurface surface;
    PeltiInfluences *influences; // [surface.vertex_count]
} Skin;

static PeltStatus refine(const PeltiBody *body, PeltiPool *pool, PeltiJobs *jobs, Skin *skin, PeltError *err)
{
    int old = skin->surface.vertex_count, fresh = old + skin->surface.triangle_count * 3 / 2;
    int(*parents)[2] = pelti_pool_take(pool, (size_t)(fresh - old), sizeof *parents);
    PeltiInfluences *influences = PELTI_NEW(pool, PeltiInfluences, fresh);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)fresh * sizeof *influences);
    PeltiRemeshShape shape = pelti_shape_to_remesh(body->shape);
    PELT_TRY(pelti_remesh_subdivide(&shape, &skin->surface, parents, jobs, err));
    memcpy(influences, skin->influences, (size_t)old * sizeof *influences);
    for (int i = 0; i < fresh - old; i++)
        influences[old + i] = pelti_influences_between(&influences[parents[i][0]], &influences[parents[i][1]]);
    skin->influences = influences;
    return PELT_OK;
}

static PeltStatus make_skin(const PeltiBody *body, int vertices, PeltiPool *pool, PeltiJobs *jobs, Skin *skin, PeltError *err)
{
    int levels = 0, base = vertices;
    for (; base > REMESH_MOST; levels++)
        base = (base + 6) / 4; // a closed surface of genus 0 with v vertices has 3 v - 6 edges: 4 v - 6 after cutting
    PeltiRemeshShape shape = pelti_shape_to_remesh(body->shape);
    PELT_TRY(pelti_remesh_make(&shape, body->voxel, base, jobs, &pool->allocator, &skin->surface, err));
    skin->influences = PELTI_NEW(pool, PeltiInfluences, skin->surface.vertex_count);
    if (!skin->influences)
        return pelti_no_memory(err, (size_t)skin->surface.vertex_count * sizeof *skin->influences);
    PELT_TRY(pelti_builtin_weights(body, &skin->surface, jobs, skin->influences, err));
    for (int i = 0; i < levels; i++)
        PELT_TRY(refine(body, pool, jobs, skin, err));
    return PELT_OK;
}

// ---- vertices in the order of a space-filling curve: neighbours in space are neighbours in memory ----

typedef struct Place {
    uint64_t key;
    int vertex;
} Place;

static int compare_places(const void *a, const void *b)
{
    const Place *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : p->vertex - q->vertex;
}

static uint64_t spread(uint64_t x) // 21 bits to every third
{
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

static void sort_places(const PeltiRemeshSurface *s, Place *places)
{
    Vec3 low = s->position[0], high = low;
    for (int v = 0; v < s->vertex_count; v++) {
        low = vec3_min(low, s->position[v]);
        high = vec3_max(high, s->position[v]);
    }
    Vec3 size = vec3_sub(high, low);
    float scale = 65535 / fmaxf(size.x, fmaxf(size.y, size.z));
    for (int v = 0; v < s->vertex_count; v++) {
        Vec3 q = vec3_scale(vec3_sub(s->position[v], low), scale);
        places[v] = (Place){spread((uint64_t)q.x) | spread((uint64_t)q.y) << 1 | spread((uint64_t)q.z) << 2, v};
    }
    qsort(places, (size_t)s->vertex_count, sizeof *places, compare_places);
}

static int compare_triangles(const void *a, const void *b)
{
    const int *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i])
            return p[i] - q[i];
    return 0;
}

/// Points, normals, triangles and weights in curve order; each triangle starts with its lowest corner.
static PeltStatus fill_points(PeltiCharacter *who, const Skin *skin, PeltiPool *work, PeltError *err)
{
    const PeltiRemeshSurface *s = &skin->surface;
    int n = s->vertex_count;
    Place *places = PELTI_NEW(work, Place, n);
    int *number = PELTI_NEW(work, int, n), *bone = PELTI_NEW(&who->pool, int, (size_t)n *PELTI_BUILTIN_INFLUENCES);
    float *weight = PELTI_NEW(&who->pool, float, (size_t)n *PELTI_BUILTIN_INFLUENCES);
    who->point_count = n;
    who->triangle_count = s->triangle_count;
    who->rest_points = PELTI_NEW(&who->pool, Vec3, n);
    who->file_normals = PELTI_NEW(&who->pool, Vec3, n);
    who->point_instance = PELTI_NEW(&who->pool, int, n);
    who->point_triangles = pelti_pool_take(&who->pool, (size_t)s->triangle_count, sizeof *who->point_triangles);
    if (who->pool.failed || work->failed)
        return pelti_no_memory(err, (size_t)n * sizeof *places);
    sort_places(s, places);
    for (int i = 0; i < n; i++) {
        int v = places[i].vertex;
        number[v] = i;
        who->rest_points[i] = s->position[v];
        who->file_normals[i] = s->normal[v];
        for (int k = 0; k < PELTI_BUILTIN_INFLUENCES; k++) {
            bone[i * PELTI_BUILTIN_INFLUENCES + k] = skin->influences[v].bone[k];
            weight[i * PELTI_BUILTIN_INFLUENCES + k] = skin->influences[v].weight[k];
        }
    }
    for (int t = 0; t < s->triangle_count; t++) {
        int c[3] = {number[s->corner[3 * t]], number[s->corner[3 * t + 1]], number[s->corner[3 * t + 2]]};
        int first = c[0] < c[1] ? (c[0] < c[2] ? 0 : 2) : c[1] < c[2] ? 1 : 2;
        for (int i = 0; i < 3; i++)
            who->point_triangles[t][i] = c[(first + i) % 3];
    }
    qsort(who->point_triangles, (size_t)s->triangle_count, sizeof *who->point_triangles, compare_triangles);
    who->file_weights = (PeltiWeights){PELTI_BUILTIN_INFLUENCES, bone, weight};
    return PELT_OK;
}

/// Puts the lowest vertex on the ground, joints and skin together.
static void stand_on_ground(PeltiBody *body, PeltiRemeshSurface *s)
{
    float lowest = INFINITY;
    for (int v = 0; v < s->vertex_count; v++)
        lowest = fminf(lowest, s->position[v].y);
    for (int v = 0; v < s->vertex_count; v++)
        s->position[v].y -= lowest;
    for (int b = 0; b < body->bone_count; b++) {
        body->bones[b].head.y -= lowest;
        body->bones[b].tail.y -= lowest;
    }
}

static PeltStatus forget_weights(PeltiCharacter *who, PeltError *err)
{
    size_t count = (size_t)who->point_count * PELTI_BUILTIN_INFLUENCES;
    float *weight = PELTI_NEW(&who->pool, float, count);
    who->file_weights.bone = PELTI_NEW(&who->pool, int, count);
    who->file_weights.weight = weight;
    if (who->pool.failed)
        return pelti_no_memory(err, count * sizeof *weight);
    for (int p = 0; p < who->point_count; p++)
        weight[p * PELTI_BUILTIN_INFLUENCES] = 1;
    return PELT_OK;
}

/// Nodes 0 ... are the joints, unrotated at rest; the last node shows the mesh.
static PeltStatus fill_skeleton(PeltiCharacter *who, const PeltiBody *body, PeltError *err)
{
    int n = body->bone_count;
    int *bones = PELTI_NEW(&who->pool, int, n);
    who->node_count = n + 1;
    who->bone_count = n;
    who->instance_count = who->skin_count = 1;
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, n + 1);
    who->bones = PELTI_NEW(&who->pool, PeltiBone, n);
    who->instances = PELTI_NEW(&who->pool, PeltiInstance, 1);
    if (who->pool.failed)
        return pelti_no_memory(err, (size_t)n * sizeof *who->nodes);
    for (int b = 0; b < n; b++) {
        const PeltiBodyBone *from = &body->bones[b];
        Trs trs = trs_identity();
        trs.translation = from->parent < 0 ? from->head : vec3_sub(from->head, body->bones[from->parent].head);
        who->nodes[b] = (PeltiNode){.name = pelti_pool_text(&who->pool, from->name), .parent = from->parent, .trs = trs};
        who->bones[b] = (PeltiBone){.node = b,
                                    .rest_to_bone = {{1, 0, 0, -(double)from->head.x},
                                                     {0, 1, 0, -(double)from->head.y},
                                                     {0, 0, 1, -(double)from->head.z}}};
        bones[b] = b;
    }
    who->nodes[n] = (PeltiNode){.name = pelti_pool_text(&who->pool, body->name), .parent = -1, .trs = trs_identity()};
    who->instances[0] = (PeltiInstance){.node = n, .point_count = who->point_count, .bone_count = n, .bones = bones, .scale = 1};
    return who->pool.failed ? pelti_no_memory(err, 64) : PELT_OK;
}

static PeltStatus make(const Plan *plan, const PeltiBuiltinOptions *options, PeltiPool *work, PeltiJobs *jobs, Skin *skin,
                       PeltiBuiltin *made, PeltError *err)
{
    PeltiCharacter *who = made->who;
    PeltiBody *body = PELTI_NEW(work, PeltiBody, 1);
    PeltiShape *shape = pelti_shape_create(work);
    if (work->failed)
        return pelti_no_memory(err, sizeof *body);
    body->name = plan->name;
    body->shape = shape;
    plan->plan(body);
    PELT_TRY(pelti_shape_finish(shape, body->cell, jobs, err));
    PELT_TRY(make_skin(body, options->vertices ? options->vertices : plan->vertices, work, jobs, skin, err));
    if (body->on_ground)
        stand_on_ground(body, &skin->surface);
    PELT_TRY(fill_points(who, skin, work, err));
    pelti_remesh_release(&skin->surface); // a million vertices are a lot to hold twice
    who->bone_count = body->bone_count;
    if (options->uv)
        PELT_TRY(pelti_builtin_uv(body, who, &made->uv, err));
    if (options->no_weights)
        PELT_TRY(forget_weights(who, err));
    PELT_TRY(fill_skeleton(who, body, err));
    PELT_TRY(pelti_builtin_clips(body, who, err));
    return pelti_character_finish(who, who->rest_points, err);
}

PeltStatus pelti_builtin_make_all(const char *name, const PeltiBuiltinOptions *options, PeltiJobs *jobs,
                                  const PeltAllocator *allocator, PeltiBuiltin *out, PeltError *err)
{
    const Plan *plan = NULL;
    for (int i = 0; i < PLAN_COUNT; i++)
        plan = strcmp(PLANS[i].name, name) == 0 ? &PLANS[i] : plan;
    if (!plan)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "no built-in character '%.60s': there are cylinder, arm, hand and biped", name);
    if (options->vertices && (options->vertices < PELTI_BUILTIN_LEAST || options->vertices > PELTI_BUILTIN_MOST))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%d vertices: a built-in character has from %d to %d", options->vertices,
                         PELTI_BUILTIN_LEAST, PELTI_BUILTIN_MOST);
    PeltiBuiltin made = {.who = pelti_character_create(allocator)};
    if (!made.who)
        return pelti_no_memory(err, sizeof *made.who);
    PeltiPool work;
    pelti_pool_init(&work, allocator);
    Skin skin = {.surface = {.allocator = work.allocator}};
    PeltStatus status = make(plan, options, &work, jobs, &skin, &made, err);
    pelti_remesh_release(&skin.surface);
    pelti_pool_release(&work);
    if (status == PELT_OK)
        *out = made;
    else
        pelti_character_destroy(made.who);
    return status;
}

PeltStatus pelti_builtin_make(const char *name, const PeltiBuiltinOptions *options, PeltiJobs *jobs,
                              const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err)
{
    PeltiBuiltin all;
    PELT_TRY(pelti_builtin_make_all(name, options, jobs, allocator, &all, err));
    *out = all.who;
    return PELT_OK;
}
