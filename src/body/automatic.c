/// Finds automatic weights for characters of many pieces.
/// Clothes, loose pieces and open shells find wrong bones by themselves: a sleeve sees the ribs through its opening, a stick
/// the thigh beside it. So closed pieces with bones in them are heated by themselves, what lies on those takes theirs, other
/// cloth is heated on the closed body, and what no bones bend goes to one.
#include "body/automatic.h"

#include "body/body_parts.h"
#include "body/constants.def"
#include "body/held.h"
#include "body/trial.h"
#include "geometry/box_tree.h"

#include <math.h>
#include <string.h>

typedef struct Automatic {
    const PeltiCharacter *who;
    PeltiPool work;
    PeltiWeightRows rows; // per welded vertex, of `made`
    PeltiWeights made;
    PeltiPieces pieces;
    PeltiPieceHold *held; // [pieces]
    PeltiBody *body;
    PeltiWeights heat;  // on the body
    int *place;         // [vertex_count] of the attachment
    PeltiBoxTree *skin; // of the rest mesh
    int asked;          // the piece a search is for
    // Pieces that follow no other: a tree of their own, since one of all skin is walked whole for each vertex of a large piece
    // that follows something far away
    PeltiBoxTree *leading;
    int (*leading_triangles)[3];
    int leading_count;
    bool *usable;       // [instances x bones]
    PeltiGather gather; // of one row
    PeltiTrialTree tree;
    double *hung; // [bone_count] weight on a joint and what hangs on it
} Automatic;

static bool may_use(const Automatic *a, int vertex, int bone)
{
    return a->usable[(size_t)a->who->mesh->vertex_instance[vertex] * (size_t)a->who->bone_count + (size_t)bone];
}

/// The vertex follows a joint's bone: things of one instance have one bone, or are no skin.
static bool is_free(const Automatic *a, int vertex)
{
    return a->who->instances[a->who->mesh->vertex_instance[vertex]].bone_count > 1;
}

static void set_one(Automatic *a, int vertex, int bone)
{
    for (int k = 0; k < PELTI_WEIGHTS_INFLUENCES; k++) {
        a->rows.bone[(size_t)vertex * PELTI_WEIGHTS_INFLUENCES + (size_t)k] = bone;
        a->rows.weight[(size_t)vertex * PELTI_WEIGHTS_INFLUENCES + (size_t)k] = k == 0;
    }
}

/// The body's weights where it carries a vertex.
static void add_carried(Automatic *a, int vertex)
{
    const PeltiBodyAttachment *at = &a->body->attachment;
    for (int k = 0; k < PELTI_ATTACH_MOST; k++) {
        size_t i = (size_t)a->place[vertex] * PELTI_ATTACH_MOST + (size_t)k;
        if (at->share[i] > 0)
            pelti_gather_share(&a->gather, &a->heat, at->vertex[i], (double)at->share[i]);
    }
}

/// The gathered row, of bones of the vertex' own skeleton; where none is left it keeps its own.
static void take_row(Automatic *a, int vertex)
{
    int bone[PELTI_WEIGHTS_INFLUENCES] = {0};
    float weight[PELTI_WEIGHTS_INFLUENCES] = {0};
    PeltiGather *g = &a->gather;
    for (int i = 0; i < g->count; i++)
        if (!may_use(a, vertex, g->touched[i]))
            g->sum[g->touched[i]] = 0;
    pelti_gather_take(g, PELTI_WEIGHTS_INFLUENCES, bone, weight);
    if (!pelti_weights_normalise(PELTI_WEIGHTS_INFLUENCES, bone, weight))
        return;
    for (int k = 0; k < PELTI_WEIGHTS_INFLUENCES; k++) {
        a->rows.bone[(size_t)vertex * PELTI_WEIGHTS_INFLUENCES + (size_t)k] = bone[k];
        a->rows.weight[(size_t)vertex * PELTI_WEIGHTS_INFLUENCES + (size_t)k] = weight[k];
    }
}

// ---- what is worn ----

typedef struct SkinBelow { // a search for the skin below a vertex
    const Automatic *a;
    Vec3 normal;
} SkinBelow;

static bool is_below(void *context, int triangle)
{
    const SkinBelow *b = context;
    const PeltiMesh *mesh = b->a->who->mesh;
    const int *t = mesh->triangles[triangle];
    Vec3 n = vec3_cross(vec3_sub(mesh->rest[t[1]], mesh->rest[t[0]]), vec3_sub(mesh->rest[t[2]], mesh->rest[t[0]]));
    return b->a->held[mesh->component[t[0]]].kind == PELTI_HOLD_WHOLE && vec3_dot(n, b->normal) >= 0;
}

/// The weights of the skin below that faces the same way: not of the arm beside the ribs.
static void take_below(Automatic *a, const Vec3 *normals)
{
    const PeltiMesh *mesh = a->who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (a->held[mesh->component[v]].kind != PELTI_HOLD_WORN || !is_free(a, v))
            continue;
        PeltiNearest near;
        SkinBelow below = {a, normals[v]};
        PeltiNearestQuery query = {.triangles = mesh->triangles,
                                   .points = mesh->rest,
                                   .point = mesh->rest[v],
                                   .max_distance = INFINITY,
                                   .filter = is_below,
                                   .context = &below};
        if (!pelti_box_tree_nearest(a->skin, &query, &near))
            continue;
        for (int k = 0; k < 3; k++)
            pelti_gather_share(&a->gather, &a->made, mesh->triangles[near.triangle][k], near.closest.weight[k]);
        take_row(a, v);
    }
}

/// Without the facets of the skin below: half of a row from its ring. `before` is a copy of the rows.
static void smooth_worn(Automatic *a, const PeltiWeights *before)
{
    const PeltiMesh *mesh = a->who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        if (a->held[mesh->component[v]].kind != PELTI_HOLD_WORN || !is_free(a, v) || !degree)
            continue;
        pelti_gather_share(&a->gather, before, v, 0.5);
        for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++)
            pelti_gather_share(&a->gather, before, mesh->ring[i], 0.5 / degree);
        take_row(a, v);
    }
}

static PeltStatus wear(Automatic *a, PeltError *err)
{
    const PeltiMesh *mesh = a->who->mesh;
    Vec3 *normals = PELTI_NEW(&a->work, Vec3, mesh->vertex_count);
    if (!normals)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof *normals);
    pelti_mesh_normals(mesh, mesh->rest, normals);
    take_below(a, normals);
    for (int round = 0; round < WEIGHTS_SMOOTH_ROUNDS; round++) {
        PeltiWeights before = a->made;
        PeltiWeightRows rows;
        PELT_TRY(pelti_weights_copy(a->who, &a->work, &before, &rows, err));
        smooth_worn(a, &before);
    }
    return PELT_OK;
}

// ---- pieces of one bone ----

/// The lowest joint that over half of the gathered weight hangs on: of a hand and its fingers it is the hand.
static int common_bone(Automatic *a, int instance)
{
    const PeltiInstance *shown = &a->who->instances[instance];
    PeltiGather *g = &a->gather;
    double all = 0;
    int best = -1;
    for (int b = 0; b < a->who->bone_count; b++)
        a->hung[b] = 0;
    for (int i = 0; i < g->count; i++) {
        double sum = g->sum[g->touched[i]];
        all += sum;
        for (int j = a->tree.first[g->touched[i]]; j >= 0; j = a->tree.above[j])
            a->hung[j] += sum;
    }
    for (int k = 0; k < shown->bone_count; k++) {
        int b = shown->bones[k], joint = a->tree.first[b];
        if (joint >= 0 && 2 * a->hung[joint] > all && (best < 0 || a->tree.depth[b] > a->tree.depth[best]))
            best = b;
    }
    pelti_gather_take(g, 0, NULL, NULL);
    return best;
}

/// A piece that follows no other.
static bool is_leading(const Automatic *a, int c)
{
    return a->held[c].kind != PELTI_HOLD_RIGID || a->held[c].bone >= 0;
}

static bool is_asked(void *context, int triangle)
{
    const Automatic *a = context;
    return a->who->mesh->component[a->who->mesh->triangles[triangle][0]] == a->asked;
}

/// The skin of a piece that is the nearest to a place.
static bool is_near_piece(Automatic *a, Vec3 at, int c, float within)
{
    const PeltiMesh *mesh = a->who->mesh;
    PeltiNearest near;
    a->asked = c;
    PeltiNearestQuery query = {.triangles = mesh->triangles,
                               .points = mesh->rest,
                               .point = at,
                               .max_distance = within,
                               .filter = is_asked,
                               .context = a};
    return pelti_box_tree_nearest(a->skin, &query, &near);
}

/// The nearest skin that follows no other; `near->triangle` is one of `leading_triangles`.
static bool find_leading(const Automatic *a, Vec3 at, float within, PeltiNearest *near)
{
    PeltiNearestQuery query = {
        .triangles = (const int(*)[3])a->leading_triangles, .points = a->who->mesh->rest, .point = at, .max_distance = within};
    return pelti_box_tree_nearest(a->leading, &query, near);
}

static PeltStatus gather_leading(Automatic *a, PeltError *err)
{
    const PeltiMesh *mesh = a->who->mesh;
    a->leading_triangles = pelti_pool_take(&a->work, (size_t)mesh->triangle_count, sizeof *a->leading_triangles);
    if (!a->leading_triangles)
        return pelti_no_memory(err, (size_t)mesh->triangle_count * sizeof *a->leading_triangles);
    for (int t = 0; t < mesh->triangle_count; t++)
        if (is_leading(a, mesh->component[mesh->triangles[t][0]]))
            memcpy(a->leading_triangles[a->leading_count++], mesh->triangles[t], sizeof *a->leading_triangles);
    return pelti_box_tree_build_triangles(&a->work, a->leading_count, (const int(*)[3])a->leading_triangles, mesh->rest,
                                          &a->leading, err);
}

/// What the piece touches: the weights of the skin below its own vertices (a button on large triangles of cloth) and of the
/// skin's vertices next to it (a long stick in a hand).
static void gather_contact(Automatic *a, int c)
{
    const PeltiMesh *mesh = a->who->mesh;
    const PeltiPiece *piece = &a->pieces.pieces[c];
    float nearest = INFINITY;
    PeltiNearest near;
    for (int i = a->pieces.start[c]; i < a->pieces.start[c + 1]; i++)
        if (find_leading(a, mesh->rest[a->pieces.vertex[i]], nearest, &near))
            nearest = (float)near.distance;
    nearest += AUTOMATIC_TOUCHING * mesh->diagonal;
    PeltiBox box = {piece->low, piece->high};
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 p = mesh->rest[v];
        if (mesh->component[v] == c && find_leading(a, p, nearest, &near))
            for (int k = 0; k < 3; k++)
                pelti_gather_share(&a->gather, &a->made, a->leading_triangles[near.triangle][k], near.closest.weight[k]);
        else if (mesh->component[v] != c && is_leading(a, mesh->component[v]) &&
                 pelti_box_overlap(&box, &(PeltiBox){p, p}, nearest) && is_near_piece(a, p, c, nearest))
            pelti_gather_row(&a->gather, &a->made, v);
    }
}

static void set_piece(Automatic *a, int c, int bone)
{
    for (int i = a->pieces.start[c]; i < a->pieces.start[c + 1] && bone >= 0; i++)
        if (is_free(a, a->pieces.vertex[i]))
            set_one(a, a->pieces.vertex[i], bone);
}

/// Whether some vertex of a piece has bones to choose from.
static bool has_choice(const Automatic *a, int c)
{
    for (int i = a->pieces.start[c]; i < a->pieces.start[c + 1]; i++)
        if (is_free(a, a->pieces.vertex[i]))
            return true;
    return false;
}

/// Before there is a body: the bone in the piece, else any of its own for now.
static void bind_first(Automatic *a)
{
    for (int c = 0; c < a->pieces.count; c++)
        if (a->held[c].kind == PELTI_HOLD_RIGID)
            set_piece(a, c, a->held[c].bone >= 0 ? a->held[c].bone : a->pieces.pieces[c].bone);
}

// ---- all of it ----

static PeltStatus prepare(Automatic *a, PeltError *err)
{
    const PeltiCharacter *who = a->who;
    a->held = PELTI_NEW(&a->work, PeltiPieceHold, who->mesh->component_count);
    a->place = PELTI_NEW(&a->work, int, who->mesh->vertex_count);
    a->usable = PELTI_NEW(&a->work, bool, (size_t)who->instance_count *(size_t)who->bone_count);
    a->hung = PELTI_NEW(&a->work, double, who->bone_count);
    a->gather = pelti_gather_new(&a->work, who);
    if (a->work.failed)
        return pelti_no_memory(err, (size_t)who->mesh->vertex_count * sizeof(int));
    for (int i = 0; i < who->instance_count; i++)
        for (int k = 0; k < who->instances[i].bone_count; k++)
            a->usable[(size_t)i * (size_t)who->bone_count + (size_t)who->instances[i].bones[k]] = true;
    PELT_TRY(pelti_trial_tree(who, &a->work, &a->tree, err));
    PELT_TRY(pelti_pieces_judge(who, &a->made, NULL, &a->work, &a->pieces, err));
    PELT_TRY(pelti_box_tree_build_triangles(&a->work, who->mesh->triangle_count, who->mesh->triangles, who->mesh->rest, &a->skin,
                                            err));
    return pelti_pieces_hold(who, &a->made, &a->pieces, a->held, err);
}

/// Cloth with nothing below it is the body, or part of it: heat on that, carried back.
static PeltStatus carry_cloth(Automatic *a, PeltiJobs *jobs, PeltError *err)
{
    const PeltiMesh *mesh = a->who->mesh;
    PeltiBodyDef def = {.who = a->who,
                        .weights = &a->made,
                        .mode = PELTI_BODY_PROXY,
                        .allocator = &a->work.allocator,
                        .jobs = jobs,
                        .vertices = AUTOMATIC_BODY};
    PELT_TRY(pelti_body_create(&def, &a->body, err));
    if (!a->body->who)
        return PELT_OK;
    PELT_TRY(pelti_weights_automatic(a->body->who, &a->work, jobs, NULL, &a->heat, err));
    for (int p = 0; p < a->who->point_count; p++)
        a->place[mesh->weld[p]] = a->body->attachment.place_of[p];
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (a->held[mesh->component[v]].kind != PELTI_HOLD_CLOTH || !is_free(a, v))
            continue;
        add_carried(a, v);
        take_row(a, v);
    }
    return PELT_OK;
}

static PeltStatus make(Automatic *a, PeltiJobs *jobs, PeltError *err)
{
    bool cloth = false;
    PELT_TRY(prepare(a, err));
    PELT_TRY(wear(a, err));
    bind_first(a);
    for (int c = 0; c < a->who->mesh->component_count; c++)
        cloth = cloth || a->held[c].kind == PELTI_HOLD_CLOTH;
    if (cloth)
        PELT_TRY(carry_cloth(a, jobs, err));
    PELT_TRY(gather_leading(a, err));
    for (int c = 0; c < a->who->mesh->component_count; c++)
        if (a->held[c].kind == PELTI_HOLD_RIGID && a->held[c].bone < 0 && has_choice(a, c)) {
            gather_contact(a, c);
            set_piece(a, c, common_bone(a, a->who->mesh->vertex_instance[a->pieces.vertex[a->pieces.start[c]]]));
        }
    return PELT_OK;
}

PeltStatus pelti_body_automatic(const PeltiCharacter *who, PeltiPool *pool, PeltiJobs *jobs, PeltiLog *log, PeltiWeights *out,
                                PeltError *err)
{
    PELT_TRY(pelti_weights_automatic(who, pool, jobs, log, out, err));
    if (who->mesh->component_count == 1 && who->mesh->closed)
        return PELT_OK;
    Automatic a = {.who = who};
    pelti_pool_init(&a.work, &pool->allocator);
    PELT_TRY(pelti_weights_copy(who, pool, out, &a.rows, err));
    a.made = *out;
    PeltStatus status = make(&a, jobs, err);
    pelti_body_destroy(a.body);
    pelti_pool_release(&a.work);
    return status;
}
