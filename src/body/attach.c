/// Finds which body vertices a point of the file follows, by ways along the body [Dijkstra1959], and how strongly.
#include "body/attach.h"

#include "body/constants.def"
#include "geometry/box_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float SAME_PLACE = 1e-6f; // of the size

typedef struct PointCell {
    int cell[3];
    int point;
} PointCell;

static int compare_places(const void *a, const void *b)
{
    const PointCell *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->cell[k] != y->cell[k])
            return x->cell[k] < y->cell[k] ? -1 : 1;
    return x->point - y->point;
}

static PeltStatus find_places(const PeltiCharacter *who, PeltiPool *pool, PeltiBodyAttachment *out, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    PointCell *places = PELTI_NEW(&work, PointCell, who->point_count);
    out->place_of = PELTI_NEW(pool, int, who->point_count);
    out->place = PELTI_NEW(pool, Vec3, who->point_count);
    PeltStatus status = pool->failed || work.failed ? pelti_no_memory(err, (size_t)who->point_count * 32) : PELT_OK;
    double cell = (double)SAME_PLACE * (double)who->mesh->diagonal;
    for (int p = 0; p < who->point_count && status == PELT_OK; p++) {
        const float *x = &who->rest_points[p].x, *low = &who->mesh->low.x;
        places[p].point = p;
        for (int k = 0; k < 3; k++)
            places[p].cell[k] = cell > 0 ? (int)floor(((double)x[k] - (double)low[k]) / cell + 0.5) : 0;
    }
    if (status == PELT_OK)
        qsort(places, (size_t)who->point_count, sizeof *places, compare_places);
    for (int i = 0; i < who->point_count && status == PELT_OK; i++) {
        if (i == 0 || memcmp(places[i].cell, places[i - 1].cell, sizeof places[i].cell) != 0)
            out->place[out->place_count++] = who->rest_points[places[i].point];
        out->place_of[places[i].point] = out->place_count - 1;
    }
    pelti_pool_release(&work);
    return status;
}

typedef struct Attach {
    const PeltiCharacter *body;
    const PeltiWeights *body_weights;
    const PeltiMesh *mesh; // of the body
    const PeltiBoxTree *tree;
    PeltiBodyAttachment *out;
    float *edge;   // [body vertices] mean edge length
    int bones;     // a place's weights are kept by its first points: at most this many
    int *bone;     // [places x bones]
    float *weight; // [places x bones]
    float size;
} Attach;

enum { PLACE_BONES = 8 };

/// Weights of a place: the sum over the points there.
static void gather_weights(Attach *a, const PeltiCharacter *who, const PeltiWeights *w)
{
    for (int p = 0; p < who->point_count; p++) {
        size_t at = (size_t)a->out->place_of[p] * PLACE_BONES, from = (size_t)who->mesh->weld[p] * (size_t)w->influences;
        for (int k = 0; k < w->influences; k++) {
            int i = 0;
            while (i < PLACE_BONES && a->weight[at + (size_t)i] > 0 && a->bone[at + (size_t)i] != w->bone[from + (size_t)k])
                i++;
            if (i < PLACE_BONES && w->weight[from + (size_t)k] > 0) {
                a->bone[at + (size_t)i] = w->bone[from + (size_t)k];
                a->weight[at + (size_t)i] += w->weight[from + (size_t)k];
            }
        }
    }
    for (int place = 0; place < a->out->place_count; place++)
        pelti_weights_normalise(PLACE_BONES, a->bone + (size_t)place * PLACE_BONES, a->weight + (size_t)place * PLACE_BONES);
}

/// Share of the weights that the place and the vertex have on common bones.
static float common_weight(const Attach *a, int place, int vertex)
{
    const PeltiWeights *w = a->body_weights;
    const int *bone = a->bone + (size_t)place * PLACE_BONES;
    const float *weight = a->weight + (size_t)place * PLACE_BONES;
    float common = 0;
    for (int k = 0; k < w->influences; k++) {
        size_t i = (size_t)vertex * (size_t)w->influences + (size_t)k;
        for (int j = 0; j < PLACE_BONES; j++)
            if (bone[j] == w->bone[i])
                common += fminf(weight[j], w->weight[i]);
    }
    return common;
}

enum { CANDIDATES = 256 };
typedef struct KernelVertex {
    int vertex;
    float away;    // from the place
    float measure; // the same, longer where vertex and place follow other bones
    float path;    // along the body, from where it is nearest; INFINITY: not within the kernel
    bool done;     // its path is the shortest
} KernelVertex;
typedef struct Near { // candidates of one place
    const Attach *attach;
    int place, count;
    KernelVertex found[CANDIDATES];
} Near;

static bool visit_vertex(void *context, int vertex)
{
    Near *n = context;
    const Attach *a = n->attach;
    float away = vec3_distance(a->out->place[n->place], a->mesh->rest[vertex]);
    float foreign = fmaxf(0, 1 - 2 * common_weight(a, n->place, vertex)) * ATTACH_FOREIGN * a->size;
    if (n->count < CANDIDATES)
        n->found[n->count++] = (KernelVertex){vertex, away, sqrtf(away * away + foreign * foreign), INFINITY, false};
    return true;
}

static int compare_candidates(const void *a, const void *b)
{
    return ((const KernelVertex *)a)->vertex - ((const KernelVertex *)b)->vertex;
}

static int seed_of(const Near *n)
{
    int best = 0;
    for (int i = 1; i < n->count; i++)
        best = n->found[i].measure < n->found[best].measure ? i : best;
    return best;
}

static KernelVertex *find_candidate(Near *n, int vertex)
{
    KernelVertex key = {.vertex = vertex};
    return bsearch(&key, n->found, (size_t)n->count, sizeof key, compare_candidates);
}

/// From the seed along the body to where it comes nearest: bones choose the seed, never through the air to a neighbour; from
/// there on only places count, so that pieces that lie in each other move as one.
static KernelVertex *walk_nearer(Near *n)
{
    const PeltiMesh *mesh = n->attach->mesh;
    KernelVertex *at = &n->found[seed_of(n)], *better = at;
    do {
        at = better;
        for (int i = mesh->ring_start[at->vertex]; i < mesh->ring_start[at->vertex + 1]; i++) {
            KernelVertex *next = find_candidate(n, mesh->ring[i]);
            if (next && next->away < better->away)
                better = next;
        }
    } while (better != at);
    return at;
}

/// Shortest ways along the body's edges from one candidate, as far as `radius` about the place [Dijkstra1959].
static void measure_paths(Near *n, KernelVertex *from, float radius)
{
    const PeltiMesh *mesh = n->attach->mesh;
    from->path = 0;
    KernelVertex *at = from;
    while (at) {
        for (int i = mesh->ring_start[at->vertex]; i < mesh->ring_start[at->vertex + 1]; i++) {
            KernelVertex *next = find_candidate(n, mesh->ring[i]);
            if (next && next->away < radius)
                next->path = fminf(next->path, at->path + vec3_distance(mesh->rest[at->vertex], mesh->rest[next->vertex]));
        }
        at->done = true;
        at = NULL;
        for (int i = 0; i < n->count; i++)
            if (!n->found[i].done && n->found[i].path < (at ? at->path : INFINITY))
                at = &n->found[i];
    }
}

/// The kernel (1 - (d / r)^2)^2 about the place, the strongest kept. Where the way along the body is much longer than the
/// straight one (from finger to finger through the web) what it is longer counts too: a neighbour fades in, and does not jump in.
static void share_out(const Attach *a, Near *n, int place)
{
    int *vertex = a->out->vertex + (size_t)place * PELTI_ATTACH_MOST;
    float *share = a->out->share + (size_t)place * PELTI_ATTACH_MOST, sum = 0;
    qsort(n->found, (size_t)n->count, sizeof *n->found, compare_candidates);
    KernelVertex *nearest = walk_nearer(n);
    float radius = nearest->away + ATTACH_WIDTH * a->edge[nearest->vertex];
    Vec3 from = a->mesh->rest[nearest->vertex];
    a->out->away[place] = nearest->away;
    measure_paths(n, nearest, radius);
    for (int i = 0; i < n->count; i++) {
        const KernelVertex *c = &n->found[i];
        float detour = fmaxf(0, c->path - ATTACH_ZIGZAG * vec3_distance(from, a->mesh->rest[c->vertex]));
        float d = (c->away + detour) / radius, k = d < 1 ? (1 - d * d) * (1 - d * d) : 0;
        pelti_weights_insert(PELTI_ATTACH_MOST, vertex, share, c->vertex, k);
    }
    for (int k = 0; k < PELTI_ATTACH_MOST; k++)
        sum += share[k];
    for (int k = 0; k < PELTI_ATTACH_MOST; k++)
        share[k] /= sum;
}

static void attach_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Attach *a = context;
    for (int place = begin; place < end; place++) {
        Near near = {.attach = a, .place = place};
        float radius = ATTACH_FIRST_LOOK * a->size;
        PeltiBox box = {a->out->place[place], a->out->place[place]};
        bool found = false;
        for (int tries = 0; tries < ATTACH_LOOKS && !found; tries++, radius *= ATTACH_WIDER) {
            near.count = 0;
            pelti_box_tree_visit(a->tree, &box, radius, visit_vertex, &near);
            if (near.count < 4)
                continue;
            const KernelVertex *seed = &near.found[seed_of(&near)]; // all that the kernel needs must have been seen
            found = seed->measure + ATTACH_WIDTH * a->edge[seed->vertex] <= radius || near.count == CANDIDATES;
        }
        if (near.count > 0)
            share_out(a, &near, place);
    }
}

PeltStatus pelti_body_attach(PeltiBodyBound file, PeltiBodyBound body, PeltiPool *pool, PeltiJobs *jobs, PeltiBodyAttachment *out,
                             PeltError *err)
{
    *out = (PeltiBodyAttachment){0};
    PELT_TRY(find_places(file.who, pool, out, err));
    size_t places = (size_t)out->place_count;
    out->vertex = PELTI_NEW(pool, int, places *PELTI_ATTACH_MOST);
    out->share = PELTI_NEW(pool, float, places *PELTI_ATTACH_MOST);
    out->away = PELTI_NEW(pool, float, places);
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    const PeltiMesh *mesh = body.who->mesh;
    Attach a = {.body = body.who, .body_weights = body.weights, .mesh = mesh, .out = out, .size = file.who->mesh->diagonal};
    a.edge = PELTI_NEW(&work, float, mesh->vertex_count);
    a.bone = PELTI_NEW(&work, int, places *PLACE_BONES);
    a.weight = PELTI_NEW(&work, float, places *PLACE_BONES);
    PeltiBox *boxes = PELTI_NEW(&work, PeltiBox, mesh->vertex_count);
    PeltiBoxTree *tree = NULL;
    PeltStatus status = pool->failed || work.failed ? pelti_no_memory(err, places * 160) : PELT_OK;
    for (int v = 0; v < mesh->vertex_count && status == PELT_OK; v++)
        boxes[v] = (PeltiBox){mesh->rest[v], mesh->rest[v]};
    if (status == PELT_OK)
        status = pelti_box_tree_build(&work, mesh->vertex_count, boxes, &tree, err);
    if (status == PELT_OK) {
        a.tree = tree;
        pelti_mesh_edge_lengths(mesh, mesh->rest, a.edge);
        gather_weights(&a, file.who, file.weights);
        pelti_parallel_for(jobs, out->place_count, 256, attach_range, &a);
    }
    pelti_pool_release(&work);
    return status;
}
