/// Makes the body that flesh is solved on, and the character that a method sees of it.
#include "body/body.h"

#include "body/constants.def"
#include "body/body_parts.h"
#include "body/surface.h"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

/// Share of the triangles without sharp or flat corners.
static float well_shaped(const PeltiMesh *mesh)
{
    int good = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        float worst = 0;
        for (int k = 0; k < 3; k++) {
            Vec3 at = mesh->rest[mesh->triangles[t][k]];
            Vec3 a = vec3_sub(mesh->rest[mesh->triangles[t][(k + 1) % 3]], at);
            Vec3 b = vec3_sub(mesh->rest[mesh->triangles[t][(k + 2) % 3]], at);
            worst = fmaxf(worst, fabsf(vec3_dot(a, b)) / fmaxf(vec3_length(a) * vec3_length(b), 1e-30f));
        }
        good += worst < BODY_SHARP;
    }
    return mesh->triangle_count ? (float)good / (float)mesh->triangle_count : 0;
}

/// A coarse mesh must be even.
bool pelti_body_is_file(const PeltiCharacter *who, const PeltiPieces *pieces, int own_most)
{
    const PeltiMesh *mesh = who->mesh;
    if (!pelti_pieces_one_skin(who, pieces) || mesh->vertex_count > (own_most > 0 ? own_most : BODY_FINEST_FILE) ||
        mesh->vertex_count < BODY_LEAST_FILE)
        return false;
    return mesh->vertex_count >= BODY_COARSEST_FILE || well_shaped(mesh) > BODY_EVEN;
}

static int count_skeletons(const PeltiCharacter *who)
{
    int count = 0;
    for (int b = 0; b < who->bone_count; b++)
        count = who->bones[b].skeleton + 1 > count ? who->bones[b].skeleton + 1 : count;
    return count;
}

/// Edge of a cell: finer for a finer body, as the room allows.
static float soup_cell(const PeltiPieceSoup *soup, float diagonal, int vertices)
{
    Vec3 low = soup->points[soup->triangles[0][0]], high = low;
    for (int t = 0; t < soup->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            low = vec3_min(low, soup->points[soup->triangles[t][k]]);
            high = vec3_max(high, soup->points[soup->triangles[t][k]]);
        }
    Vec3 extent = vec3_sub(high, low);
    float cell = diagonal * fminf(BODY_CELL * sqrtf((float)BODY_VERTICES / (float)vertices), BODY_COARSEST_CELL), pad = 6 * cell;
    double cells = (double)(extent.x + pad) * (double)(extent.y + pad) * (double)(extent.z + pad) /
                   ((double)cell * (double)cell * (double)cell);
    return cells > BODY_MOST_CELLS ? cell * (float)pelti_cbrt(cells / BODY_MOST_CELLS) : cell;
}

typedef struct Surfaces { // of all skeletons
    PeltiArray points, triangles;
    PeltiArray owner; // of a point: its skeleton
} Surfaces;

/// Appends the surface of one skeleton's pieces.
static PeltStatus add_surface(PeltiBody *body, int skeleton, int vertices, PeltiJobs *jobs, Surfaces *all, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &body->pool.allocator);
    PeltiPieceSoup soup;
    PeltiBodySurface surface = {0};
    PeltStatus status = pelti_pieces_soup(body->file, &body->pieces, skeleton, &work, &soup, err);
    if (status == PELT_OK && soup.triangle_count > 0) {
        PeltiCellsDef def = {body->file, &body->pieces, &soup, soup_cell(&soup, body->file->mesh->diagonal, vertices), jobs};
        status = pelti_body_surface(&def, vertices, &work, &surface, err);
    }
    int base = (int)all->points.count;
    for (int v = 0; v < surface.vertex_count && status == PELT_OK; v++)
        if (!pelti_array_push(&all->points, &surface.points[v]) || !pelti_array_push(&all->owner, &skeleton))
            status = pelti_no_memory(err, all->points.count * sizeof(Vec3));
    for (int t = 0; t < surface.triangle_count && status == PELT_OK; t++) {
        const int *c = surface.triangles[t];
        if (!pelti_array_push(&all->triangles, (int[3]){c[0] + base, c[1] + base, c[2] + base}))
            status = pelti_no_memory(err, all->triangles.count * sizeof(int[3]));
    }
    pelti_pool_release(&work);
    return status;
}

/// One instance a skeleton, that may use all bones of it.
static PeltStatus make_instances(const PeltiCharacter *file, PeltiCharacter *who, int skeletons, PeltError *err)
{
    who->instances = PELTI_NEW(&who->pool, PeltiInstance, skeletons);
    who->instance_count = skeletons;
    int *bones = PELTI_NEW(&who->pool, int, file->bone_count);
    if (who->pool.failed)
        return pelti_no_memory(err, (size_t)file->bone_count * sizeof *bones);
    for (int s = 0, used = 0; s < skeletons; s++) {
        PeltiInstance *instance = &who->instances[s];
        *instance = (PeltiInstance){.node = 0, .mesh = s, .skin = s, .bones = bones + used, .scale = 1};
        for (int b = 0; b < file->bone_count; b++)
            if (file->bones[b].skeleton == s && !file->bones[b].is_prop)
                bones[used++] = b;
        instance->bone_count = (int)(bones + used - instance->bones);
    }
    return PELT_OK;
}

/// Walls are two sheets back to back: their vertices may lie at one place and are still two, so welding sees other places.
static PeltStatus build_unwelded(PeltiCharacter *who, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    Vec3 *apart = PELTI_NEW(&work, Vec3, who->point_count);
    for (int p = 0; apart && p < who->point_count; p++)
        apart[p] = vec3((float)p, 0, 0);
    PeltiMeshInput mesh = {.point_count = who->point_count,
                           .triangle_count = who->triangle_count,
                           .weld_positions = apart,
                           .rest = who->rest_points,
                           .instance_of_point = who->point_instance,
                           .point_triangles = (const int(*)[3])who->point_triangles};
    PeltStatus status = !apart ? pelti_no_memory(err, (size_t)who->point_count * sizeof *apart)
                               : pelti_mesh_build(&who->pool, &mesh, &who->mesh, err);
    pelti_pool_release(&work);
    return status;
}

static PeltStatus make_character(PeltiBody *body, int skeletons, const Surfaces *all, PeltError *err)
{
    const PeltiArray *points = &all->points, *triangles = &all->triangles;
    PeltiCharacter *who = pelti_character_create(&body->pool.allocator);
    if (!who)
        return pelti_no_memory(err, sizeof *who);
    body->who = who;
    PeltiPool pool = who->pool;
    PeltiLog log = who->log;
    *who = *body->file;
    who->pool = pool;
    who->log = log;
    who->file_normals = NULL;
    who->auto_weights = (PeltiWeights){0};
    who->file_weights = (PeltiWeights){0};
    who->point_count = (int)points->count;
    who->triangle_count = (int)triangles->count;
    who->rest_points = PELTI_NEW(&who->pool, Vec3, points->count);
    who->point_instance = PELTI_NEW(&who->pool, int, points->count);
    who->point_triangles = (int(*)[3])PELTI_NEW(&who->pool, int, 3 * triangles->count);
    if (who->pool.failed)
        return pelti_no_memory(err, points->count * sizeof(Vec3));
    memcpy(who->rest_points, points->data, points->count * sizeof(Vec3));
    memcpy(who->point_instance, all->owner.data, points->count * sizeof(int));
    memcpy(who->point_triangles, triangles->data, triangles->count * sizeof(int[3]));
    PELT_TRY(make_instances(body->file, who, skeletons, err));
    return build_unwelded(who, err);
}

static PeltStatus make_surface(PeltiBody *body, int vertices, PeltiJobs *jobs, PeltError *err)
{
    int skeletons = count_skeletons(body->file);
    Surfaces all;
    pelti_array_init(&all.points, &body->pool.allocator, sizeof(Vec3));
    pelti_array_init(&all.triangles, &body->pool.allocator, sizeof(int[3]));
    pelti_array_init(&all.owner, &body->pool.allocator, sizeof(int));
    PeltStatus status = PELT_OK;
    for (int s = 0; s < skeletons && status == PELT_OK; s++)
        status = add_surface(body, s, skeletons > BODY_CROWD ? vertices / BODY_CROWD_SHARE : vertices, jobs, &all, err);
    if (status == PELT_OK && all.points.count > 0)
        status = make_character(body, skeletons, &all, err);
    pelti_array_release(&all.points);
    pelti_array_release(&all.triangles);
    pelti_array_release(&all.owner);
    return status;
}

/// A robot of rigid parts needs no flesh: blending is exact.
static bool nothing_bends(const PeltiPieces *pieces)
{
    for (int c = 0; c < pieces->count; c++)
        if (pieces->pieces[c].kind != PELTI_PIECE_RIGID || pieces->pieces[c].thing)
            return false;
    return true;
}

/// One closed skin, and not one so coarse that a body is the finer of the two.
static bool is_fine_skin(const PeltiCharacter *who, const PeltiPieces *pieces)
{
    return pelti_pieces_one_skin(who, pieces) && who->mesh->vertex_count >= BODY_COARSEST_FILE;
}

static int wanted_vertices(const PeltiBodyDef *def, bool fine_skin)
{
    if (def->vertices > 0)
        return def->vertices;
    return def->dear && !fine_skin ? BODY_VERTICES_DEAR : BODY_VERTICES;
}

static PeltStatus make_body(PeltiBody *body, const PeltiBodyDef *def, PeltError *err)
{
    const PeltiWeights *weights = def->weights;
    if (!nothing_bends(&body->pieces))
        PELT_TRY(make_surface(body, wanted_vertices(def, is_fine_skin(body->file, &body->pieces)), def->jobs, err));
    if (!body->who)
        return pelti_carry_prepare(body, weights, err);
    PELT_TRY(pelti_body_weights(body, weights, err));
    PELT_TRY(pelti_body_attach((PeltiBodyBound){body->file, weights}, (PeltiBodyBound){body->who, &body->weights}, &body->pool,
                               def->jobs, &body->attachment, err));
    return pelti_carry_prepare(body, weights, err);
}

PeltStatus pelti_body_create(const PeltiBodyDef *def, PeltiBody **out, PeltError *err)
{
    const PeltiCharacter *who = def->who;
    *out = NULL;
    if (def->mode == PELTI_BODY_FILE)
        return PELT_OK;
    PeltiBody *body = pelti_alloc(def->allocator, sizeof *body);
    if (!body)
        return pelti_no_memory(err, sizeof *body);
    memset(body, 0, sizeof *body);
    body->file = who;
    pelti_pool_init(&body->pool, def->allocator);
    PeltStatus status = pelti_pieces_judge(who, def->weights, def->rig, &body->pool, &body->pieces, err);
    int own_most = def->coarse ? (int)(BODY_COARSE_OWN * wanted_vertices(def, true)) : 0;
    bool own = status == PELT_OK && def->mode == PELTI_BODY_AUTO && pelti_body_is_file(who, &body->pieces, own_most);
    if (status == PELT_OK && !own)
        status = make_body(body, def, err);
    if (status != PELT_OK || own) {
        pelti_body_destroy(body);
        return status;
    }
    if (body->who)
        pelti_warn(def->log, "body", "solved on a body of %d vertices that carries the file's %d", body->who->mesh->vertex_count,
                   who->mesh->vertex_count);
    *out = body;
    return PELT_OK;
}

void pelti_body_destroy(PeltiBody *body)
{
    if (!body)
        return;
    pelti_character_destroy(body->who);
    PeltAllocator allocator = body->pool.allocator;
    pelti_pool_release(&body->pool);
    pelti_free(&allocator, body, sizeof *body);
}

const PeltiCharacter *pelti_body_character(const PeltiBody *body)
{
    return body->who;
}

bool pelti_body_of_one_skin(const PeltiBody *body)
{
    return body->who && is_fine_skin(body->file, &body->pieces);
}

const PeltiPieces *pelti_body_pieces(const PeltiBody *body)
{
    return &body->pieces;
}
