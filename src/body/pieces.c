/// Judges what each component of a character is: skin, shell, rigid, thing or inside.
#include "body/pieces.h"

#include "body/constants.def"

#include <math.h>
#include <string.h>

/// Share of a vertex' weight that lies on bones other than `bone`.
static float stray_weight(const PeltiWeights *w, int vertex, int bone)
{
    float own = 0;
    for (int k = 0; k < w->influences; k++) {
        size_t i = (size_t)vertex * (size_t)w->influences + (size_t)k;
        own += w->bone[i] == bone ? w->weight[i] : 0;
    }
    return 1 - own;
}

/// Twice three times the signed volume with respect to a point near it: negative where the triangles face inwards.
static double facing(const PeltiMesh *mesh, const PeltiPieces *p, const int *t)
{
    const PeltiPiece *piece = &p->pieces[mesh->component[t[0]]];
    Vec3 middle = vec3_lerp(piece->low, piece->high, 0.5f);
    Vec3 a = vec3_sub(mesh->rest[t[0]], middle), b = vec3_sub(mesh->rest[t[1]], middle), c = vec3_sub(mesh->rest[t[2]], middle);
    return (double)vec3_dot(a, vec3_cross(b, c));
}

static void gather(const PeltiCharacter *who, const PeltiWeights *w, PeltiPieces *out, int *label)
{
    const PeltiMesh *mesh = who->mesh;
    for (int c = 0; c < out->count; c++)
        out->pieces[c] = (PeltiPiece){.kind = PELTI_PIECE_RIGID, .bone = -1, .low = mesh->high, .high = mesh->low, .daylight = 1};
    for (int v = 0; v < mesh->vertex_count; v++) {
        PeltiPiece *piece = &out->pieces[mesh->component[v]];
        label[v] = w->bone[(size_t)v * (size_t)w->influences];
        piece->vertex_count++;
        piece->low = vec3_min(piece->low, mesh->rest[v]);
        piece->high = vec3_max(piece->high, mesh->rest[v]);
        if (piece->bone < 0)
            piece->bone = label[v];
        if (stray_weight(w, v, piece->bone) > PIECES_RIGID_SHARE)
            piece->kind = PELTI_PIECE_SKIN;
    }
}

static void list_vertices(const PeltiMesh *mesh, int *start, int *vertex)
{
    for (int v = 0; v < mesh->vertex_count; v++)
        start[mesh->component[v] + 2]++;
    for (int c = 0; c < mesh->component_count; c++)
        start[c + 2] += start[c + 1];
    for (int v = 0; v < mesh->vertex_count; v++)
        vertex[start[mesh->component[v] + 1]++] = v;
}

static void look_at_triangles(const PeltiMesh *mesh, PeltiPieces *out, double *volume)
{
    for (int t = 0; t < mesh->triangle_count; t++) {
        int c = mesh->component[mesh->triangles[t][0]];
        out->pieces[c].triangle_count++;
        volume[c] += facing(mesh, out, mesh->triangles[t]);
        for (int k = 0; k < 3 && out->pieces[c].kind == PELTI_PIECE_SKIN; k++)
            if (mesh->edge_use[mesh->triangle_edges[t][k]] == 1)
                out->pieces[c].kind = PELTI_PIECE_SHELL;
    }
    for (int c = 0; c < out->count; c++)
        out->pieces[c].turned = volume[c] < 0;
}

PeltStatus pelti_pieces_winding(const PeltiCharacter *who, const PeltiPieces *pieces, int c, PeltiPool *pool, PeltiWinding **out,
                                PeltError *err)
{
    const PeltiMesh *mesh = who->mesh;
    const PeltiPiece *piece = &pieces->pieces[c];
    int(*triangles)[3] = (int(*)[3])PELTI_NEW(pool, int, (size_t)3 * (size_t)piece->triangle_count), count = 0;
    if (pool->failed)
        return pelti_no_memory(err, (size_t)piece->triangle_count * 12);
    for (int t = 0; t < mesh->triangle_count; t++)
        if (mesh->component[mesh->triangles[t][0]] == c) {
            for (int k = 0; k < 3; k++)
                triangles[count][k] = mesh->triangles[t][piece->turned ? 2 - k : k];
            count++;
        }
    return pelti_winding_create(pool, count, (const int(*)[3])triangles, mesh->rest, out, err);
}

float pelti_pieces_bone_inside(const PeltiCharacter *who, const PeltiWinding *winding, int bone)
{
    const PeltiBone *b = &who->bones[bone];
    int inside = 0, tried = 0;
    for (int s = b->segment_first; s < b->segment_first + b->segment_count; s++)
        for (int i = 0; i < PIECES_BONE_PLACES; i++, tried++) {
            float along = ((float)i + 0.5f) / PIECES_BONE_PLACES;
            inside += pelti_winding_at(winding, vec3_lerp(who->segments[s].a, who->segments[s].b, along)) > 0.5f;
        }
    return tried ? (float)inside / (float)tried : 0;
}

/// A head or a limb holds its bone, a sword or a button does not.
static PeltStatus holds_its_bone(const PeltiCharacter *who, PeltiPieces *pieces, int c, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, &who->pool.allocator);
    PeltiWinding *winding = NULL;
    PeltStatus status = pelti_pieces_winding(who, pieces, c, &pool, &winding, err);
    pieces->pieces[c].in_body =
        status == PELT_OK && pelti_pieces_bone_inside(who, winding, pieces->pieces[c].bone) >= PIECES_HELD_SHARE;
    pelti_pool_release(&pool);
    return status;
}

/// Size of all pieces of each skeleton: what is small beside them is a thing, what stands alone is not.
static PeltStatus skeleton_sizes(const PeltiCharacter *who, const PeltiPieces *p, PeltiPool *pool, float **out, PeltError *err)
{
    int skeletons = 1;
    for (int b = 0; b < who->bone_count; b++)
        skeletons = who->bones[b].skeleton >= skeletons ? who->bones[b].skeleton + 1 : skeletons;
    Vec3 *low = PELTI_NEW(pool, Vec3, skeletons), *high = PELTI_NEW(pool, Vec3, skeletons);
    bool *seen = PELTI_NEW(pool, bool, skeletons);
    *out = PELTI_NEW(pool, float, skeletons);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)skeletons * 32);
    for (int c = 0; c < p->count; c++) {
        const PeltiPiece *piece = &p->pieces[c];
        int s = piece->bone >= 0 ? who->bones[piece->bone].skeleton : 0;
        low[s] = seen[s] ? vec3_min(low[s], piece->low) : piece->low;
        high[s] = seen[s] ? vec3_max(high[s], piece->high) : piece->high;
        seen[s] = true;
    }
    for (int s = 0; s < skeletons; s++)
        (*out)[s] = vec3_distance(low[s], high[s]);
    return PELT_OK;
}

/// The first entry of the rig that names a vertex' piece; NULL: none does.
static const PeltRigPiece *said_of(const PeltiCharacter *who, const PeltRig *rig, int vertex)
{
    for (int i = 0; rig && i < rig->piece_count; i++)
        if (pelti_character_vertex_in_piece(who, vertex, rig->pieces[i].name))
            return &rig->pieces[i];
    return NULL;
}

/// What the rig says of the pieces, over what they look like.
static PeltStatus overrule(const PeltiCharacter *who, const PeltRig *rig, PeltiPieces *out, PeltError *err)
{
    for (int v = 0; rig && rig->piece_count && v < who->mesh->vertex_count; v++) {
        PeltiPiece *piece = &out->pieces[who->mesh->component[v]];
        const PeltRigPiece *says = piece->said ? NULL : said_of(who, rig, v);
        if (!says)
            continue;
        bool rigid = says->kind == PELT_PIECE_RIGID, thing = says->kind == PELT_PIECE_THING;
        piece->said = true;
        piece->thing = piece->sewn = thing;
        piece->kind = rigid || thing ? PELTI_PIECE_RIGID : says->kind == PELT_PIECE_SHELL ? PELTI_PIECE_SHELL : PELTI_PIECE_SKIN;
        piece->in_body = piece->kind != PELTI_PIECE_RIGID && says->kind != PELT_PIECE_INSIDE && piece->triangle_count > 0;
        if (rigid && piece->triangle_count > 0 && !who->bones[piece->bone].is_prop)
            PELT_TRY(holds_its_bone(who, out, who->mesh->component[v], err));
    }
    return PELT_OK;
}

PeltStatus pelti_pieces_judge(const PeltiCharacter *who, const PeltiWeights *weights, const PeltRig *rig, PeltiPool *pool,
                              PeltiPieces *out, PeltError *err)
{
    const PeltiMesh *mesh = who->mesh;
    out->count = mesh->component_count;
    out->pieces = PELTI_NEW(pool, PeltiPiece, out->count);
    int *label = PELTI_NEW(pool, int, mesh->vertex_count);
    double *volume = PELTI_NEW(pool, double, out->count);
    int *start = PELTI_NEW(pool, int, out->count + 2), *vertex = PELTI_NEW(pool, int, mesh->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof *label);
    out->label = label;
    out->start = start;
    out->vertex = vertex;
    list_vertices(mesh, start, vertex);
    gather(who, weights, out, label);
    look_at_triangles(mesh, out, volume);
    float *sizes;
    PELT_TRY(skeleton_sizes(who, out, pool, &sizes, err));
    for (int c = 0; c < out->count; c++) {
        PeltiPiece *piece = &out->pieces[c];
        float whole = sizes[piece->bone >= 0 ? who->bones[piece->bone].skeleton : 0];
        float size = vec3_distance(piece->low, piece->high);
        piece->thing = piece->kind == PELTI_PIECE_SKIN && size < PIECES_THING_SIZE * whole;
        piece->kind = piece->thing ? PELTI_PIECE_RIGID : piece->kind;
        piece->in_body = piece->kind != PELTI_PIECE_RIGID && piece->triangle_count > 0;
        if (piece->kind == PELTI_PIECE_RIGID && piece->triangle_count > 0 && !piece->thing && !who->bones[piece->bone].is_prop)
            PELT_TRY(holds_its_bone(who, out, c, err));
        piece->sewn = piece->kind == PELTI_PIECE_RIGID && size < PIECES_SEWN_SIZE * whole;
    }
    return overrule(who, rig, out, err);
}

/// The bone of that name; where the rig names none, the one with most of the weight of the vertices it is said of. `said`
/// [vertex_count].
static int bone_of(const PeltiCharacter *who, const PeltRigPiece *piece, const PeltRigPiece *const *said, const PeltiWeights *w,
                   double *sum)
{
    int best = -1;
    for (int b = 0; piece->bone && b < who->bone_count; b++)
        if (!strcmp(who->nodes[who->bones[b].node].name, piece->bone))
            return b;
    memset(sum, 0, (size_t)who->bone_count * sizeof *sum);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        for (int k = 0; k < w->influences && said[v] == piece; k++) {
            size_t i = (size_t)v * (size_t)w->influences + (size_t)k;
            sum[w->bone[i]] += (double)w->weight[i];
            best = best < 0 || sum[w->bone[i]] > sum[best] ? w->bone[i] : best;
        }
    return best;
}

bool pelti_pieces_one_skin(const PeltiCharacter *who, const PeltiPieces *pieces)
{
    return pieces->count == 1 && who->mesh->closed;
}

PeltStatus pelti_pieces_bind(const PeltiCharacter *who, const PeltRig *rig, PeltiPool *pool, PeltiWeights *weights, bool *changed,
                             PeltError *err)
{
    int rigid = 0, width = weights->influences, vertices = who->mesh->vertex_count;
    PeltiWeightRows rows;
    for (int i = 0; rig && i < rig->piece_count; i++)
        rigid += rig->pieces[i].kind == PELT_PIECE_RIGID;
    *changed = rigid > 0;
    if (!rigid)
        return PELT_OK;
    double *sum = PELTI_NEW(pool, double, who->bone_count);
    const PeltRigPiece **said = PELTI_NEW(pool, const PeltRigPiece *, vertices);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)vertices * sizeof(void *));
    PELT_TRY(pelti_weights_copy(who, pool, weights, &rows, err));
    for (int v = 0; v < vertices; v++)
        said[v] = said_of(who, rig, v);
    for (int i = 0; i < rig->piece_count; i++) {
        const PeltRigPiece *piece = &rig->pieces[i];
        int own = piece->kind == PELT_PIECE_RIGID ? bone_of(who, piece, said, weights, sum) : -1;
        for (int v = 0; v < vertices && own >= 0; v++)
            for (int k = 0; k < width && said[v] == piece; k++) {
                rows.bone[(size_t)v * (size_t)width + (size_t)k] = own;
                rows.weight[(size_t)v * (size_t)width + (size_t)k] = k == 0;
            }
    }
    return PELT_OK;
}

PeltStatus pelti_pieces_soup(const PeltiCharacter *who, const PeltiPieces *pieces, int skeleton, PeltiPool *pool,
                             PeltiPieceSoup *out, PeltError *err)
{
    const PeltiMesh *mesh = who->mesh;
    *out = (PeltiPieceSoup){.points = mesh->rest};
    out->triangles = (int(*)[3])PELTI_NEW(pool, int, (size_t)3 * (size_t)mesh->triangle_count);
    out->source = PELTI_NEW(pool, int, mesh->triangle_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->triangle_count * 16);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *corner = mesh->triangles[t];
        const PeltiPiece *piece = &pieces->pieces[mesh->component[corner[0]]];
        if (!piece->in_body || who->bones[pieces->label[corner[0]]].skeleton != skeleton)
            continue;
        for (int k = 0; k < 3; k++)
            out->triangles[out->triangle_count][k] = corner[piece->turned ? 2 - k : k];
        out->source[out->triangle_count++] = t;
    }
    return PELT_OK;
}
