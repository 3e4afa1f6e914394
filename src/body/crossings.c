/// Triangles of the shown skin that cross: what is known of them at rest.
#include "body/crossings.h"

#include "body/constants.def"

#include <string.h>

enum { MOST_PAIRS = 20000, MIXED = PELTI_CROSSINGS_MIXED, ROOM_PER_TRIANGLE = 32, MOST_NEAR = 1 << 20 };
static const float TRACE = 1e-4f; // for rounding, no tuning: a row with all but this on one bone is of that bone alone

// ---- create ----

static int crosses_at_rest(void *context, int a, int b, int worker)
{
    (void)worker;
    const PeltiMesh *mesh = context;
    const int *s = mesh->triangles[a], *t = mesh->triangles[b];
    return !pelti_triangles_share(s, t) && pelti_triangles_cross(mesh->rest, s, t);
}

static bool on_one_bone(const PeltiWeights *w, int vertex, int bone)
{
    float sum = 0;
    for (int k = 0; k < w->influences; k++) {
        size_t i = (size_t)vertex * (size_t)w->influences + (size_t)k;
        sum += w->bone[i] == bone ? w->weight[i] : 0;
    }
    return sum > 1 - TRACE;
}

/// Pieces that ride on their bone are where blending has them, and stay there: no method, no leaning and no parting moves them.
/// Those with a trace of weight on other bones lean on blending, and keep their place beside others of their bone alone.
static PeltStatus find_groups(PeltiCrossings *c, const PeltiCrossingsDef *def, PeltiPool *pool, PeltError *err)
{
    const PeltiMesh *mesh = c->mesh;
    int *of_piece = PELTI_NEW(pool, int, def->pieces->count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)def->pieces->count * sizeof *of_piece);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const PeltiPiece *piece = &def->pieces->pieces[mesh->component[v]];
        if (piece->kind != PELTI_PIECE_RIGID || piece->sewn)
            of_piece[mesh->component[v]] = MIXED;
        else if (!on_one_bone(def->weights, v, piece->bone))
            of_piece[mesh->component[v]] = 1 + piece->bone;
    }
    for (int t = 0; t < mesh->triangle_count; t++)
        c->rest.group[t] = of_piece[mesh->component[mesh->triangles[t][0]]];
    for (int n = c->tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &c->tree->nodes[n];
        int one = node->right >= 0 ? c->rest.node_group[n + 1] : c->rest.group[c->tree->items[node->first]];
        for (int s = node->first; s < node->first + node->count && node->right < 0; s++)
            one = c->rest.group[c->tree->items[s]] == one ? one : MIXED;
        c->rest.node_group[n] = node->right >= 0 && c->rest.node_group[node->right] != one ? MIXED : one;
    }
    return PELT_OK;
}

/// Lists by triangle, of pairs that come in any order.
static PeltStatus list_rest(PeltiCrossings *c, const PeltiPairs *rest, PeltiPool *pool, PeltError *err)
{
    int count = c->mesh->triangle_count;
    c->rest.start = PELTI_NEW(pool, int, (size_t)count + 1);
    c->rest.other = PELTI_NEW(pool, int, 2 * (size_t)rest->count);
    if (pool->failed)
        return pelti_no_memory(err, 2 * (size_t)rest->count * sizeof(int));
    for (int i = 0; i < rest->count; i++) {
        c->rest.start[rest->pairs[i].a + 1]++;
        c->rest.start[rest->pairs[i].b + 1]++;
    }
    for (int t = 0; t < count; t++)
        c->rest.start[t + 1] += c->rest.start[t];
    for (int i = 0; i < rest->count; i++) {
        const PeltiPair *p = &rest->pairs[i];
        c->rest.other[c->rest.start[p->a]++] = p->b;
        c->rest.other[c->rest.start[p->b]++] = p->a;
    }
    for (int t = count; t > 0; t--) // filling took each to where the next one starts
        c->rest.start[t] = c->rest.start[t - 1];
    c->rest.start[0] = 0;
    return PELT_OK;
}

static PeltStatus find_rest(PeltiCrossings *c, PeltiPool *pool, PeltiJobs *jobs, PeltError *err)
{
    PeltiPool work;
    PeltiPairs rest = {0};
    PeltStatus status = PELT_OK;
    pelti_pool_init(&work, &pool->allocator);
    for (long room = MOST_PAIRS; status == PELT_OK && (rest.capacity == 0 || rest.found > rest.count); room = rest.found) {
        status = pelti_pairs_create(&work, (int)room, c->tree, &rest, err);
        if (status == PELT_OK)
            pelti_box_tree_self_pairs(c->tree, 0, crosses_at_rest, (void *)c->mesh, jobs, &rest);
    }
    if (status == PELT_OK)
        status = pelti_sunk_create(c->mesh, rest.pairs, rest.count, pool, &c->sunk, err);
    if (status == PELT_OK)
        status = list_rest(c, &rest, pool, err);
    pelti_pool_release(&work);
    return status;
}

static PeltStatus take_memory(PeltiCrossings *c, PeltiPool *pool, PeltError *err)
{
    int triangles = c->mesh->triangle_count, vertices = c->mesh->vertex_count;
    int room = triangles < MOST_NEAR / ROOM_PER_TRIANGLE ? ROOM_PER_TRIANGLE * triangles : MOST_NEAR;
    PELT_TRY(pelti_pairs_create(pool, MOST_PAIRS, c->tree, &c->look.found, err));
    PELT_TRY(pelti_pairs_create(pool, room, c->tree, &c->spans.near, err));
    c->deep = PELTI_NEW(pool, PeltiPair, MOST_PAIRS);
    c->deep_capacity = MOST_PAIRS;
    c->spans.row = PELTI_NEW(pool, PeltiCrossingsPatches, room / PELTI_CROSSINGS_ROW + 1);
    c->spans.patch = PELTI_NEW(pool, uint8_t, triangles);
    c->known = PELTI_NEW(pool, PeltiPair, PELTI_CROSSINGS_KNOWN);
    c->spans.passed_scratch = PELTI_NEW(pool, uint64_t, room / PELTI_CROSSINGS_ROW + 1);
    c->look.last = PELTI_NEW(pool, Vec3, vertices);
    c->look.moved = PELTI_NEW(pool, bool, vertices);
    c->spans.span = PELTI_NEW(pool, PeltiBox, triangles + 1); // and one: boxes are read four numbers at a time
    c->look.box = PELTI_NEW(pool, PeltiBox, triangles + 1);
    c->look.active = PELTI_NEW(pool, bool, triangles);
    c->look.escaped = PELTI_NEW(pool, bool, triangles);
    c->rest.group = PELTI_NEW(pool, int, triangles);
    c->rest.node_group = PELTI_NEW(pool, int, c->tree->node_count);
    c->look.node_active = PELTI_NEW(pool, bool, c->tree->node_count);
    c->look.node_escaped = PELTI_NEW(pool, bool, c->tree->node_count);
    return pool->failed ? pelti_no_memory(err, (size_t)room * 2 * sizeof(PeltiPair)) : PELT_OK;
}

PeltStatus pelti_crossings_create(const PeltiCrossingsDef *def, PeltiPool *pool, PeltiJobs *jobs, PeltiCrossings **out,
                                  PeltError *err)
{
    const PeltiMesh *mesh = def->mesh;
    PeltiCrossings *c = PELTI_NEW(pool, PeltiCrossings, 1);
    if (!c)
        return pelti_no_memory(err, sizeof *c);
    c->mesh = mesh;
    PELT_TRY(pelti_box_tree_build_triangles(pool, mesh->triangle_count, mesh->triangles, mesh->rest, &c->tree, err));
    PELT_TRY(take_memory(c, pool, err));
    memcpy(c->look.last, mesh->rest,
           (size_t)mesh->vertex_count * sizeof *c->look.last); // where nothing crosses but what does at rest
    memset(c->look.escaped, true, (size_t)mesh->triangle_count * sizeof *c->look.escaped);
    for (int slot = 0; slot < mesh->triangle_count; slot++)
        c->spans.patch[c->tree->items[slot]] = (uint8_t)((int64_t)slot * 64 * PELTI_CROSSINGS_WORDS / mesh->triangle_count);
    PELT_TRY(find_groups(c, def, pool, err));
    *out = c;
    return find_rest(c, pool, jobs, err);
}

bool pelti_crossings_at_rest(const PeltiCrossings *c, int a, int b)
{
    for (int i = c->rest.start[a]; i < c->rest.start[a + 1]; i++)
        if (c->rest.other[i] == b)
            return true;
    return false;
}
