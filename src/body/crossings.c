/// Triangles of the shown skin that cross: one tree and one list, for leaning and parting.
#include "body/crossings.h"

#include "body/constants.def"

#include <string.h>

enum { MOST_PAIRS = 20000, MIXED = -1 };
static const float TRACE = 1e-4f; // of a row: less weight on other bones moves nothing

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
        c->group[t] = of_piece[mesh->component[mesh->triangles[t][0]]];
    for (int n = c->tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &c->tree->nodes[n];
        int one = node->right >= 0 ? c->node_group[n + 1] : c->group[c->tree->items[node->first]];
        for (int s = node->first; s < node->first + node->count && node->right < 0; s++)
            one = c->group[c->tree->items[s]] == one ? one : MIXED;
        c->node_group[n] = node->right >= 0 && c->node_group[node->right] != one ? MIXED : one;
    }
    return PELT_OK;
}

/// Lists by triangle, of pairs that come in any order.
static PeltStatus list_rest(PeltiCrossings *c, const PeltiPairs *rest, PeltiPool *pool, PeltError *err)
{
    int count = c->mesh->triangle_count;
    c->start = PELTI_NEW(pool, int, (size_t)count + 1);
    c->other = PELTI_NEW(pool, int, 2 * (size_t)rest->count);
    if (pool->failed)
        return pelti_no_memory(err, 2 * (size_t)rest->count * sizeof(int));
    for (int i = 0; i < rest->count; i++) {
        c->start[rest->pairs[i].a + 1]++;
        c->start[rest->pairs[i].b + 1]++;
    }
    for (int t = 0; t < count; t++)
        c->start[t + 1] += c->start[t];
    for (int i = 0; i < rest->count; i++) {
        const PeltiPair *p = &rest->pairs[i];
        c->other[c->start[p->a]++] = p->b;
        c->other[c->start[p->b]++] = p->a;
    }
    for (int t = count; t > 0; t--) // filling took each to where the next one starts
        c->start[t] = c->start[t - 1];
    c->start[0] = 0;
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

PeltStatus pelti_crossings_create(const PeltiCrossingsDef *def, PeltiPool *pool, PeltiJobs *jobs, PeltiCrossings **out,
                                  PeltError *err)
{
    const PeltiMesh *mesh = def->mesh;
    PeltiCrossings *c = PELTI_NEW(pool, PeltiCrossings, 1);
    if (!c)
        return pelti_no_memory(err, sizeof *c);
    c->mesh = mesh;
    PELT_TRY(pelti_box_tree_build_triangles(pool, mesh->triangle_count, mesh->triangles, mesh->rest, &c->tree, err));
    PELT_TRY(pelti_pairs_create(pool, MOST_PAIRS, c->tree, &c->found, err));
    c->deep = PELTI_NEW(pool, PeltiPair, MOST_PAIRS);
    c->last = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    c->active = PELTI_NEW(pool, bool, mesh->triangle_count);
    c->group = PELTI_NEW(pool, int, mesh->triangle_count);
    c->node_group = PELTI_NEW(pool, int, c->tree->node_count);
    c->node_active = PELTI_NEW(pool, bool, c->tree->node_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)c->tree->node_count * sizeof(int));
    memcpy(c->last, mesh->rest, (size_t)mesh->vertex_count * sizeof *c->last); // where nothing crosses but what does at rest
    PELT_TRY(find_groups(c, def, pool, err));
    *out = c;
    return find_rest(c, pool, jobs, err);
}

// ---- a look ----

bool pelti_crossings_at_rest(const PeltiCrossings *c, int a, int b)
{
    for (int i = c->start[a]; i < c->start[a + 1]; i++)
        if (c->other[i] == b)
            return true;
    return false;
}

/// The depth is cheaper to see than a crossing.
bool pelti_crossings_deep(const PeltiCrossings *c, const Vec3 *x, int a, int b)
{
    const int *s = c->mesh->triangles[a], *t = c->mesh->triangles[b];
    return pelti_triangles_depth(x, s, t) >= CROSSINGS_TOUCHING * c->mesh->diagonal && pelti_triangles_cross(x, s, t);
}

static bool may_hold_pairs(void *context, int node_a, int node_b)
{
    const PeltiCrossings *c = context;
    return (c->node_active[node_a] || c->node_active[node_b]) &&
           !(c->node_group[node_a] != MIXED && c->node_group[node_a] == c->node_group[node_b]);
}

static int test_pair(void *context, int a, int b, int worker)
{
    const PeltiCrossings *c = context;
    (void)worker;
    if (!(c->active[a] || c->active[b]) || !pelti_crossings_may(c, a, b) || !pelti_crossings_deep(c, c->last, a, b))
        return 0;
    return pelti_sunk_explains(&c->sunk, a, b) ? PELTI_CROSSES_SUNK : PELTI_CROSSES_ANEW;
}

/// Pairs of triangles that stayed where they were stay in the list.
static void forget_moved(PeltiCrossings *c)
{
    int kept = 0;
    for (int i = 0; i < c->deep_count; i++)
        if (!c->active[c->deep[i].a] && !c->active[c->deep[i].b])
            c->deep[kept++] = c->deep[i];
    c->deep_count = kept;
}

static bool mark_moved(PeltiCrossings *c, const Vec3 *x)
{
    bool any = false;
    for (int t = 0; t < c->mesh->triangle_count; t++) {
        c->active[t] = false;
        for (int k = 0; k < 3; k++) { // bits: a coordinate that is no number has not moved
            int v = c->mesh->triangles[t][k];
            c->active[t] |= memcmp(&x[v], &c->last[v], sizeof *x) != 0;
        }
        any |= c->active[t];
    }
    for (int n = c->tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &c->tree->nodes[n];
        c->node_active[n] = node->right >= 0 && (c->node_active[n + 1] || c->node_active[node->right]);
        for (int s = node->first; s < node->first + node->count && node->right < 0; s++)
            c->node_active[n] |= c->active[c->tree->items[s]];
    }
    return any;
}

void pelti_crossings_update(PeltiCrossings *c, const Vec3 *x, PeltiJobs *jobs)
{
    PeltiPairSearch search = {.nodes = may_hold_pairs, .test = test_pair, .context = c};
    if (!mark_moved(c, x))
        return;
    forget_moved(c);
    memcpy(c->last, x, (size_t)c->mesh->vertex_count * sizeof *x);
    pelti_box_tree_refit_triangles(c->tree, jobs, c->mesh->triangles, c->last, NULL);
    pelti_box_tree_self_pairs_among(c->tree, &search, jobs, &c->found);
    for (int i = 0; i < c->found.count && c->deep_count < MOST_PAIRS; i++)
        c->deep[c->deep_count++] = c->found.pairs[i];
}
