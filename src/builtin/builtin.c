/// Makes a built-in character from its plan: shape, skin, weights, clips, pieces.
#include "builtin/builtin.h"

#include "builtin/clips.h"
#include "builtin/dress.h"
#include "builtin/fill.h"
#include "builtin/random.h"
#include "builtin/uv.h"
#include "remesh/remesh.h"

#include <string.h>

/// Up to here a character is remeshed as a whole; above, a coarser one is remeshed and each triangle cut into four.
enum { REMESH_MOST = 60000 };

typedef struct Plan {
    const char *name;
    void (*plan)(PeltiFigure *body);
    int vertices; // by default
} Plan;

static const Plan PLANS[] = {{"cylinder", pelti_figure_plan_cylinder, 3200},
                             {"arm", pelti_figure_plan_arm, 8000},
                             {"hand", pelti_figure_plan_hand, 5000},
                             {"biped", pelti_figure_plan_biped, 13300},
                             {"beast", pelti_figure_plan_beast, 9000}};
enum { PLAN_COUNT = sizeof PLANS / sizeof PLANS[0] };

const char *pelti_builtin_name(int index)
{
    return index >= 0 && index < PLAN_COUNT ? PLANS[index].name : NULL;
}

typedef struct MadeSkin {
    PeltiRemeshSurface surface;
    PeltiInfluences *influences; // [surface.vertex_count]
} MadeSkin;

/// One character in the making.
typedef struct CharacterMaking {
    const Plan *plan;
    const PeltiBuiltinOptions *options;
    PeltiPool *work; // until it is made
    PeltiJobs *jobs;
    MadeSkin skin;
    PeltiWear *pieces;
} CharacterMaking;

static PeltStatus refine(const PeltiFigure *body, PeltiPool *pool, PeltiJobs *jobs, MadeSkin *skin, PeltError *err)
{
    int old = skin->surface.vertex_count, fresh = old + skin->surface.triangle_count * 3 / 2;
    int(*parents)[2] = pelti_pool_take(pool, (size_t)(fresh - old), sizeof *parents);
    PeltiInfluences *influences = PELTI_NEW(pool, PeltiInfluences, fresh);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)fresh * sizeof *influences);
    PeltiRemeshShape shape = pelti_solid_to_remesh(body->shape);
    PELT_TRY(pelti_remesh_subdivide(&shape, &skin->surface, parents, jobs, err));
    memcpy(influences, skin->influences, (size_t)old * sizeof *influences);
    for (int i = 0; i < fresh - old; i++)
        influences[old + i] = pelti_influences_between(&influences[parents[i][0]], &influences[parents[i][1]]);
    skin->influences = influences;
    return PELT_OK;
}

static PeltStatus make_skin(CharacterMaking *m, const PeltiFigure *body, const PeltiVary *variation, int vertices, PeltError *err)
{
    MadeSkin *skin = &m->skin;
    int levels = 0, base = vertices;
    for (; base > REMESH_MOST; levels++)
        base = (base + 6) / 4; // a closed surface of genus 0 with v vertices has 3 v - 6 edges: 4 v - 6 after cutting
    PeltiRemeshShape plan = pelti_solid_to_remesh(body->shape);
    PeltiVaryShape varied = {plan, variation};
    PeltiRemeshShape shape = variation ? pelti_vary_shape(&varied) : plan;
    PELT_TRY(pelti_remesh_make(&shape, (PeltiRemeshGoal){.voxel = body->voxel, .vertices = base}, m->jobs, &m->work->allocator,
                               &skin->surface, err));
    if (variation)
        PELT_TRY(pelti_vary_mesh(variation, body, &skin->surface, err));
    PELT_TRY(
        pelti_remesh_apart(&skin->surface, false, m->jobs, err)); // variations are taken back where they cross more than this
    skin->influences = PELTI_NEW(m->work, PeltiInfluences, skin->surface.vertex_count);
    if (!skin->influences)
        return pelti_no_memory(err, (size_t)skin->surface.vertex_count * sizeof *skin->influences);
    PELT_TRY(pelti_builtin_weights(body, &skin->surface, m->jobs, skin->influences, err));
    for (int i = 0; i < levels; i++)
        PELT_TRY(refine(body, m->work, m->jobs, skin, err));
    return PELT_OK;
}

/// Puts the lowest vertex on the ground, joints, skin and pieces together.
static void stand_on_ground(PeltiFigure *body, PeltiRemeshSurface *s, PeltiWear *pieces)
{
    float lowest = INFINITY;
    for (int v = 0; v < s->vertex_count; v++)
        lowest = fminf(lowest, s->position[v].y);
    for (int v = 0; v < s->vertex_count; v++)
        s->position[v].y -= lowest;
    for (size_t p = 0; p < pieces->points.count; p++)
        ((PeltiWearPoint *)(void *)pieces->points.data)[p].position.y -= lowest;
    for (int b = 0; b < body->bone_count; b++) {
        body->bones[b].head.y -= lowest;
        body->bones[b].tail.y -= lowest;
    }
}

/// Clothes are cut on the plan's skin, where its distances are known, and carried along when the body is varied.
static PeltStatus make_body(CharacterMaking *m, PeltiFigure *body, PeltError *err)
{
    const Plan *plan = m->plan;
    const PeltiBuiltinOptions *options = m->options;
    MadeSkin *skin = &m->skin;
    PeltiWear *pieces = m->pieces;
    PeltiVary *variation = options->seed ? PELTI_NEW(m->work, PeltiVary, 1) : NULL;
    int vertices = options->vertices ? options->vertices : plan->vertices;
    PeltiSolid *shape = pelti_solid_create(m->work);
    if (m->work->failed)
        return pelti_no_memory(err, sizeof *variation);
    body->name = plan->name;
    body->shape = shape;
    plan->plan(body);
    if (variation)
        pelti_vary_ends(body, options->seed);
    PELT_TRY(pelti_solid_finish(shape, body->cell, m->jobs, err));
    if (variation) {
        pelti_vary_draw(variation, body, options->seed, pelti_figure_size(body));
        vertices = options->vertices ? vertices : pelti_vary_vertices(options->seed, vertices);
    }
    PELT_TRY(make_skin(m, body, variation, vertices, err));
    pelti_wear_init(pieces, body, &skin->surface, skin->influences);
    PELT_TRY(pelti_builtin_dress(pieces, options->seed, options->dressing, err));
    if (variation)
        PELT_TRY(pelti_vary_body(variation, body, &skin->surface, skin->influences, m->jobs, err));
    PELT_TRY(pelti_wear_settle(pieces, variation, m->jobs, err));
    if (body->on_ground)
        stand_on_ground(body, &skin->surface, pieces);
    return PELT_OK;
}

static PeltStatus make(CharacterMaking *m, PeltiBuiltin *made, PeltError *err)
{
    const PeltiBuiltinOptions *options = m->options;
    PeltiPool *work = m->work;
    MadeSkin *skin = &m->skin;
    PeltiCharacter *who = made->who;
    PeltiFigure *body = PELTI_NEW(work, PeltiFigure, 1);
    PeltiRandom r = pelti_random(options->seed, "meshes");
    bool one_mesh = options->seed && pelti_random_chance(&r, 0.3f);
    if (!body)
        return pelti_no_memory(err, sizeof *body);
    PELT_TRY(make_body(m, body, err));
    PELT_TRY(pelti_fill_skin(who, &skin->surface, skin->influences, work, err));
    who->bone_count = body->bone_count;
    if (options->uv)
        PELT_TRY(pelti_builtin_uv(body, who, &made->uv, err));
    const PeltiFillSkin size = {.points = who->point_count, .triangles = who->triangle_count};
    PELT_TRY(pelti_fill_pieces(who, m->pieces, one_mesh, err));
    PELT_TRY(pelti_fill_parts(body, m->pieces, one_mesh, size, made, err));
    pelti_remesh_release(&skin->surface); // a million vertices are a lot to hold twice
    PeltiPainting painting = options->painting ? options->painting : pelti_painting_draw(options->seed);
    PELT_TRY(pelti_fill_painting(body, painting, options->seed, size.points, made, err));
    PELT_TRY(pelti_fill_skeleton(who, body, made, err));
    PELT_TRY(pelti_builtin_clips(body, options->clip, options->seed, work, who, err));
    pelti_fill_unit(who, options->seed);
    return pelti_character_finish(who, who->rest_points, err);
}

PeltStatus pelti_builtin_make_all(const char *name, const PeltiBuiltinOptions *options, PeltiJobs *jobs,
                                  const PeltAllocator *allocator, PeltiBuiltin *out, PeltError *err)
{
    const Plan *plan = NULL;
    for (int i = 0; i < PLAN_COUNT; i++)
        plan = strcmp(PLANS[i].name, name) == 0 ? &PLANS[i] : plan;
    if (!plan)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "no built-in character '%.60s': there are cylinder, arm, hand, biped and beast",
                         name);
    if (options->vertices && (options->vertices < PELTI_BUILTIN_LEAST || options->vertices > PELTI_BUILTIN_MOST))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%d vertices: a built-in character has from %d to %d", options->vertices,
                         PELTI_BUILTIN_LEAST, PELTI_BUILTIN_MOST);
    PeltiBuiltin made = {.who = pelti_character_create(allocator)};
    if (!made.who)
        return pelti_no_memory(err, sizeof *made.who);
    PeltiPool work;
    pelti_pool_init(&work, allocator);
    CharacterMaking m = {.plan = plan,
                         .options = options,
                         .work = &work,
                         .jobs = jobs,
                         .skin = {.surface = {.allocator = work.allocator}},
                         .pieces = PELTI_NEW(&work, PeltiWear, 1)};
    PeltStatus status = m.pieces ? make(&m, &made, err) : pelti_no_memory(err, sizeof *m.pieces);
    if (m.pieces)
        pelti_wear_release(m.pieces);
    pelti_remesh_release(&m.skin.surface);
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
