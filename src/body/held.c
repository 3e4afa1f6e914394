/// Finds pieces that no bones bend: a stick in a hand, an eye, a shield.
/// A bone is in a piece that surrounds it, whether that is closed (a limb), open (a sleeve) or two sheets (a jacket with
/// lining); or it lies in a sheet (a wing).
#include "body/held.h"

#include "body/constants.def"
#include "geometry/ray.h"

#include <math.h>

enum { DIRECTIONS = 14 }; // along axes and diagonals

typedef struct Holder {
    const PeltiCharacter *who;
    const PeltiPieces *pieces;
    PeltiBoxTree *tree; // of the rest mesh
    bool *alive;        // [bone_count] carries flesh
    bool *open;         // [pieces]
    int piece;          // looked at
    int skin;           // the largest piece
    PeltiPieceHold *out;
} Holder;

static bool of_piece(void *context, int triangle)
{
    const Holder *h = context;
    return h->who->mesh->component[h->who->mesh->triangles[triangle][0]] == h->piece;
}

static bool of_others(void *context, int triangle)
{
    return !of_piece(context, triangle);
}

static bool of_wholes(void *context, int triangle)
{
    const Holder *h = context;
    return h->out[h->who->mesh->component[h->who->mesh->triangles[triangle][0]]].kind == PELTI_HOLD_WHOLE;
}

static float size_of(const PeltiPiece *piece)
{
    return vec3_distance(piece->low, piece->high);
}

/// Whether the piece is met in most directions.
static bool surrounds(Holder *h, Vec3 p)
{
    const PeltiMesh *mesh = h->who->mesh;
    int met = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        float one = d & 1 ? 1 : -1;
        Vec3 to = d < 6 ? vec3(d / 2 == 0 ? one : 0, d / 2 == 1 ? one : 0, d / 2 == 2 ? one : 0)
                        : vec3(d & 1 ? 1 : -1, (d - 6) & 2 ? 1 : -1, (d - 6) & 4 ? 1 : -1);
        PeltiBoxRay ray = {p, 0, to, INFINITY};
        met += pelti_box_tree_blocked(h->tree, mesh->triangles, mesh->rest, &ray, of_piece, h);
    }
    return 2 * met > DIRECTIONS;
}

static bool lies_in(Holder *h, Vec3 p)
{
    const PeltiMesh *mesh = h->who->mesh;
    PeltiNearest near;
    PeltiNearestQuery query = {.triangles = mesh->triangles,
                               .points = mesh->rest,
                               .point = p,
                               .max_distance = HELD_IN_SHEET * size_of(&h->pieces->pieces[h->piece]),
                               .filter = of_piece,
                               .context = h};
    return pelti_box_tree_nearest(h->tree, &query, &near);
}

/// Share of the bone that is in the piece.
static float share_inside(Holder *h, int bone)
{
    const PeltiBone *b = &h->who->bones[bone];
    const PeltiPiece *piece = &h->pieces->pieces[h->piece];
    float margin = h->open[h->piece] ? HELD_IN_SHEET * size_of(piece) : 0;
    PeltiBox box = {piece->low, piece->high};
    int inside = 0, tried = 0;
    for (int s = b->segment_first; s < b->segment_first + b->segment_count; s++)
        for (int i = 0; i < PIECES_BONE_PLACES; i++, tried++) {
            const PeltiSkeletonSegment *segment = &h->who->segments[s];
            Vec3 p = vec3_lerp(segment->a, segment->b, ((float)i + 0.5f) / PIECES_BONE_PLACES);
            inside +=
                pelti_box_overlap(&box, &(PeltiBox){p, p}, margin) && (surrounds(h, p) || (h->open[h->piece] && lies_in(h, p)));
        }
    return tried ? (float)inside / (float)tried : 0;
}

/// Whether most of the piece lies on others.
static bool lies_on(Holder *h, PeltiTriangleFilter others)
{
    const PeltiMesh *mesh = h->who->mesh;
    int near_count = 0, from = h->pieces->start[h->piece], to = h->pieces->start[h->piece + 1];
    for (int i = from; i < to; i++) {
        PeltiNearest near;
        PeltiNearestQuery query = {.triangles = mesh->triangles,
                                   .points = mesh->rest,
                                   .point = mesh->rest[h->pieces->vertex[i]],
                                   .max_distance = HELD_AWAY * mesh->diagonal,
                                   .filter = others,
                                   .context = h};
        near_count += pelti_box_tree_nearest(h->tree, &query, &near);
    }
    return 2 * near_count > to - from;
}

/// Two bones or more inside what is closed, or the joint between two (a ball at an elbow): it can be heated by itself. A jacket
/// with lining has them in its hollow.
static PeltStatus is_whole(Holder *h, const PeltiInstance *shown, bool *out, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &h->who->pool.allocator);
    PeltiWinding *winding = NULL;
    int count = 0, joints = 0;
    PeltStatus status = pelti_pieces_winding(h->who, h->pieces, h->piece, &work, &winding, err);
    for (int k = 0; k < shown->bone_count && count < 2 && status == PELT_OK; k++) {
        const PeltiBone *bone = &h->who->bones[shown->bones[k]];
        if (!h->alive[shown->bones[k]])
            continue;
        count += pelti_pieces_bone_inside(h->who, winding, shown->bones[k]) >= PIECES_HELD_SHARE;
        joints += bone->parent >= 0 && h->alive[bone->parent] && pelti_winding_at(winding, bone->head) > 0.5f;
    }
    *out = count >= 2 || (count == 0 && joints > 0);
    pelti_pool_release(&work);
    return status;
}

static PeltStatus hold(Holder *h, int instance, PeltiPieceHold *out, PeltError *err)
{
    const PeltiInstance *shown = &h->who->instances[instance];
    bool open = h->open[h->piece], small = size_of(&h->pieces->pieces[h->piece]) < PIECES_SEWN_SIZE * h->who->mesh->diagonal;
    float most = PIECES_HELD_SHARE;
    int count = 0;
    *out = (PeltiPieceHold){PELTI_HOLD_CLOTH, -1};
    for (int k = 0; k < shown->bone_count && count < 2; k++) {
        float share = h->alive[shown->bones[k]] ? share_inside(h, shown->bones[k]) : 0;
        count += share >= PIECES_HELD_SHARE;
        if (share >= most) {
            most = share;
            out->bone = shown->bones[k];
        }
    }
    bool whole = false;
    if (!open && count != 1)
        PELT_TRY(is_whole(h, shown, &whole, err));
    if (whole)
        out->kind = PELTI_HOLD_WHOLE;
    else if (h->piece != h->skin && count < 2 && (small || !open || !lies_on(h, of_others)))
        out->kind = PELTI_HOLD_RIGID;
    return PELT_OK;
}

static PeltStatus prepare(Holder *h, const PeltiWeights *weights, PeltiPool *work, PeltError *err)
{
    const PeltiMesh *mesh = h->who->mesh;
    h->alive = PELTI_NEW(work, bool, h->who->bone_count);
    h->open = PELTI_NEW(work, bool, mesh->component_count);
    if (work->failed)
        return pelti_no_memory(err, (size_t)h->who->bone_count);
    for (size_t i = 0; i < (size_t)mesh->vertex_count * (size_t)weights->influences; i++)
        h->alive[weights->bone[i]] |= weights->weight[i] > 0;
    for (int e = 0; e < mesh->edge_count; e++)
        h->open[mesh->component[mesh->edges[e][0]]] |= mesh->edge_use[e] == 1;
    return pelti_box_tree_build_triangles(work, mesh->triangle_count, mesh->triangles, mesh->rest, &h->tree, err);
}

/// By area: whatever the bones, it is what the character is made of.
static int largest_piece(const PeltiMesh *mesh, double *area)
{
    int largest = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles[t];
        Vec3 a = mesh->rest[c[0]], n = vec3_cross(vec3_sub(mesh->rest[c[1]], a), vec3_sub(mesh->rest[c[2]], a));
        area[mesh->component[c[0]]] += (double)vec3_length(n);
    }
    for (int c = 1; c < mesh->component_count; c++)
        largest = area[c] > area[largest] ? c : largest;
    return largest;
}

PeltStatus pelti_pieces_hold(const PeltiCharacter *who, const PeltiWeights *weights, const PeltiPieces *pieces,
                             PeltiPieceHold *out, PeltError *err)
{
    const PeltiMesh *mesh = who->mesh;
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    Holder h = {.who = who, .pieces = pieces, .out = out};
    double *area = PELTI_NEW(&work, double, mesh->component_count);
    PeltStatus status =
        !work.failed ? prepare(&h, weights, &work, err) : pelti_no_memory(err, (size_t)mesh->component_count * sizeof(int));
    h.skin = status == PELT_OK ? largest_piece(mesh, area) : -1;
    for (int c = 0; c < mesh->component_count && status == PELT_OK; c++) {
        h.piece = c;
        out[c] = (PeltiPieceHold){PELTI_HOLD_RIGID, -1};
        if (pieces->pieces[c].triangle_count)
            status = hold(&h, mesh->vertex_instance[pieces->vertex[pieces->start[c]]], &out[c], err);
    }
    for (h.piece = 0; h.piece < mesh->component_count && status == PELT_OK; h.piece++)
        if (out[h.piece].kind == PELTI_HOLD_CLOTH && lies_on(&h, of_wholes))
            out[h.piece].kind = PELTI_HOLD_WORN;
    pelti_pool_release(&work);
    return status;
}
