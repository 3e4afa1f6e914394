/// Builds, refits and walks the tree: pairs, nearest, crossings.
#include "geometry/box_tree.h"

#include "geometry/crossing.h"

#include <string.h>

enum { LEAF_ITEMS = 4, STACK = 96, REFIT_GRAIN = 2048, QUERY_GRAIN = 256 };

static bool usable(Vec3 p) // written so that NaN fails
{
    return fabsf(p.x) <= 1e30f && fabsf(p.y) <= 1e30f && fabsf(p.z) <= 1e30f;
}

#if defined(__SSE2__) && !defined(PELT_NO_SIMD)
static inline __m128 load_point(const Vec3 *p) // x, y, z, 0
{
    return _mm_movelh_ps(_mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(const void *)p), _mm_load_ss(&p->z));
}

static PeltiBox triangle_box(const int triangle[3], const Vec3 *points) // to the bit the plain one
{
    __m128 a = load_point(&points[triangle[0]]), b = load_point(&points[triangle[1]]), c = load_point(&points[triangle[2]]);
    __m128 sign = _mm_set1_ps(-0.0f), most = _mm_set1_ps(1e30f);
    __m128 good = _mm_and_ps(_mm_cmple_ps(_mm_andnot_ps(sign, a), most),
                             _mm_and_ps(_mm_cmple_ps(_mm_andnot_ps(sign, b), most), _mm_cmple_ps(_mm_andnot_ps(sign, c), most)));
    if (_mm_movemask_ps(good) != 15)
        return pelti_box_empty;
    __m128 low = _mm_min_ps(a, _mm_min_ps(b, c)), high = _mm_max_ps(a, _mm_max_ps(b, c));
    PeltiBox box;
    _mm_storel_pi((__m64 *)(void *)&box.low, low);
    _mm_store_ss(&box.low.z, _mm_movehl_ps(low, low));
    _mm_storel_pi((__m64 *)(void *)&box.high, high);
    _mm_store_ss(&box.high.z, _mm_movehl_ps(high, high));
    return box;
}
#else
static PeltiBox triangle_box(const int triangle[3], const Vec3 *points)
{
    Vec3 a = points[triangle[0]], b = points[triangle[1]], c = points[triangle[2]];
    if (!usable(a) || !usable(b) || !usable(c))
        return pelti_box_empty;
    PeltiBox box = {a, a};
    pelti_box_take(&box, b);
    pelti_box_take(&box, c);
    return box;
}
#endif

// ---- build ----

typedef struct TreeBuild {
    const PeltiBox *boxes; // by item
    float (*centre)[3];    // by item; twice the centre
    int *items;
    PeltiBoxTree *tree;
    int piece_items;
} TreeBuild;

static bool before(const TreeBuild *b, int axis, int i, int j) // a total order: ties by index
{
    float x = b->centre[i][axis], y = b->centre[j][axis];
    return x < y || (x == y && i < j);
}

/// Quickselect: items[middle] becomes the one that sorting [first, first + count) would put there.
static void select_middle(TreeBuild *b, int axis, int first, int count, int middle)
{
    int low = first, high = first + count - 1, *items = b->items;
    while (low < high) {
        int pivot = items[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (before(b, axis, items[i], pivot))
                i++;
            while (before(b, axis, pivot, items[j]))
                j--;
            if (i <= j) {
                int swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static int widest_axis(const TreeBuild *b, int first, int count)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = lesser(low[k], b->centre[b->items[i]][k]);
            high[k] = larger(high[k], b->centre[b->items[i]][k]);
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[axis] - low[axis])
            axis = k;
    return axis;
}

static int build_node(TreeBuild *b, int first, int count, bool inside_piece) // depth <= log2(count) + 1: halves
{
    int index = b->tree->node_count++;
    PeltiBoxNode *node = &b->tree->nodes[index];
    *node = (PeltiBoxNode){.right = -1, .first = first, .count = count};
    if (!inside_piece && count <= b->piece_items) {
        b->tree->pieces[b->tree->piece_count++] = index;
        inside_piece = true;
    }
    if (count <= LEAF_ITEMS)
        return index;
    int middle = first + count / 2;
    select_middle(b, widest_axis(b, first, count), first, count, middle);
    build_node(b, first, middle - first, inside_piece);
    node->right = build_node(b, middle, first + count - middle, inside_piece);
    return index;
}

static void refit_nodes(PeltiBoxTree *tree)
{
    for (int n = tree->node_count - 1; n >= 0; n--) { // preorder backwards: children first
        PeltiBoxNode *node = &tree->nodes[n];
        if (node->right >= 0) {
            node->box = tree->nodes[n + 1].box;
            pelti_box_join(&node->box, &tree->nodes[node->right].box);
            continue;
        }
        node->box = pelti_box_empty;
        for (int i = 0; i < node->count; i++)
            pelti_box_join(&node->box, &tree->boxes[node->first + i]);
    }
}

static float twice_centre(float low, float high)
{
    float sum = low + high;
    return isfinite(sum) ? sum : 0; // an empty box sits anywhere until a refit makes it real
}

PeltStatus pelti_box_tree_build(PeltiPool *pool, int count, const PeltiBox *boxes, PeltiBoxTree **out, PeltError *err)
{
    PELT_ASSERT(count >= 0);
    PeltiBoxTree *tree = PELTI_NEW(pool, PeltiBoxTree, 1);
    int piece_items = count / 128 > 64 ? count / 128 : 64;
    if (tree) {
        tree->item_count = count;
        tree->nodes = PELTI_NEW(pool, PeltiBoxNode, 2 * (size_t)count + 1);
        tree->items = PELTI_NEW(pool, int, count + 1);
        tree->boxes = PELTI_NEW(pool, PeltiBox, count + 1);
        tree->pieces = PELTI_NEW(pool, int, 2 * (count / (piece_items / 2) + 2));
    }
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    TreeBuild build = {.boxes = boxes,
                       .tree = tree,
                       .piece_items = piece_items,
                       .centre = pelti_pool_take(&work, (size_t)count, sizeof(float[3]))};
    if (pool->failed || work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, (size_t)count * (sizeof(PeltiBoxNode) * 2 + sizeof(PeltiBox)));
    }
    build.items = tree->items;
    for (int i = 0; i < count; i++) {
        tree->items[i] = i;
        build.centre[i][0] = twice_centre(boxes[i].low.x, boxes[i].high.x);
        build.centre[i][1] = twice_centre(boxes[i].low.y, boxes[i].high.y);
        build.centre[i][2] = twice_centre(boxes[i].low.z, boxes[i].high.z);
    }
    if (count > 0)
        build_node(&build, 0, count, false);
    pelti_pool_release(&work);
    pelti_box_tree_refit(tree, NULL, boxes);
    *out = tree;
    return PELT_OK;
}

PeltStatus pelti_box_tree_build_triangles(PeltiPool *pool, int count, const int (*triangles)[3], const Vec3 *points,
                                          PeltiBoxTree **out, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    PeltiBox *boxes = PELTI_NEW(&work, PeltiBox, count);
    PeltStatus status = PELT_OK;
    if (work.failed) {
        status = pelti_no_memory(err, (size_t)count * sizeof(PeltiBox));
    } else {
        for (int i = 0; i < count; i++)
            boxes[i] = triangle_box(triangles[i], points);
        status = pelti_box_tree_build(pool, count, boxes, out, err);
    }
    pelti_pool_release(&work);
    return status;
}

// ---- refit ----

typedef struct Refit {
    PeltiBoxTree *tree;
    const PeltiBox *boxes;
    const int (*triangles)[3];
    const Vec3 *points, *next;
} Refit;

static void refit_slots(void *context, int begin, int end, int worker)
{
    (void)worker;
    Refit *r = context;
    for (int slot = begin; slot < end; slot++) {
        int item = r->tree->items[slot];
        PeltiBox box;
        if (r->boxes) {
            box = r->boxes[item];
            if (!usable(box.low) || !usable(box.high))
                box = pelti_box_empty;
        } else {
            box = triangle_box(r->triangles[item], r->points);
            if (r->next) {
                PeltiBox then = triangle_box(r->triangles[item], r->next);
                pelti_box_join(&box, &then);
            }
        }
        r->tree->boxes[slot] = box;
    }
}

void pelti_box_tree_refit(PeltiBoxTree *tree, PeltiJobs *jobs, const PeltiBox *boxes)
{
    pelti_parallel_for(jobs, tree->item_count, REFIT_GRAIN, refit_slots, &(Refit){.tree = tree, .boxes = boxes});
    refit_nodes(tree);
}

void pelti_box_tree_refit_triangles(PeltiBoxTree *tree, PeltiJobs *jobs, const int (*triangles)[3], const Vec3 *points,
                                    const Vec3 *next)
{
    pelti_parallel_for(jobs, tree->item_count, REFIT_GRAIN, refit_slots,
                       &(Refit){.tree = tree, .triangles = triangles, .points = points, .next = next});
    refit_nodes(tree);
}

// ---- pairs ----

struct PeltiPairPiece { // what one piece of the tree found, and where it lies in the workers' room
    int worker, start, count;
    long found, candidates;
};

PeltStatus pelti_pairs_create(PeltiPool *pool, int capacity, const PeltiBoxTree *tree, PeltiPairs *out, PeltError *err)
{
    *out = (PeltiPairs){.capacity = capacity, .piece_capacity = tree->piece_count};
    out->pairs = PELTI_NEW(pool, PeltiPair, capacity);
    out->scratch = PELTI_NEW(pool, PeltiPair, capacity);
    out->piece = PELTI_NEW(pool, struct PeltiPairPiece, tree->piece_count);
    return pool->failed ? pelti_no_memory(err, (size_t)capacity * 2 * sizeof(PeltiPair)) : PELT_OK;
}

typedef struct PairQuery {
    const PeltiBoxTree *a, *b;
    bool self;
    float margin;
    bool far;                ///< no margin is too large: boxes are not asked
    PeltiPairNodeTest nodes; // NULL: all
    PeltiPairTest test;
    void *context;
    PeltiPairs *out;
    int threads;
    bool overflow; // some worker's share was too small (only ever set, read after the join)
    int used[64];  // by worker, in its share
    bool full[64]; // by worker
} PairQuery;

typedef struct PairWalk {
    const PairQuery *q;
    PeltiPair *room;
    int capacity, count, worker;
    int limit; // self: only slots from here on in b
    long found, candidates;
} PairWalk;

static void test_pair(PairWalk *w, int slot_a, int slot_b)
{
    const PairQuery *q = w->q;
    w->candidates++;
    int a = q->a->items[slot_a], b = q->b->items[slot_b];
    int tag = q->test ? q->test(q->context, a, b, w->worker) : 1;
    if (!tag)
        return;
    w->found++;
    if (w->count < w->capacity)
        w->room[w->count++] = (PeltiPair){a, b, tag};
}

/// One item against those of a leaf, from slot `from` on.
static inline void try_pairs(PairWalk *w, int slot, int from, int end)
{
    const PeltiBox *box = &w->q->a->boxes[slot], *others = w->q->b->boxes;
    float margin = w->q->margin;
    for (int i = from; i < end; i++)
        if (w->q->far || pelti_box_overlap(box, &others[i], margin))
            test_pair(w, slot, i);
}

/// Asked before a pair of branches is entered: most are not, and a call for each costs more than the boxes.
static inline bool branches_meet(const PairWalk *w, int node_a, int node_b)
{
    const PairQuery *q = w->q;
    const PeltiBoxNode *b = &q->b->nodes[node_b];
    return b->first + b->count > w->limit && (q->far || pelti_box_overlap(&q->a->nodes[node_a].box, &b->box, q->margin)) &&
           (!q->nodes || q->nodes(q->context, node_a, node_b));
}

static void walk_met(PairWalk *w, int node_a, int node_b) // of branches that may meet
{
    const PeltiBoxNode *a = &w->q->a->nodes[node_a], *b = &w->q->b->nodes[node_b];
    bool straddles = b->first < w->limit;
    if (a->right < 0 && b->right < 0) {
        for (int i = a->first; i < a->first + a->count; i++)
            if (w->q->far || pelti_box_overlap(&w->q->a->boxes[i], &b->box, w->q->margin))
                try_pairs(w, i, b->first, b->first + b->count);
    } else if (b->right >= 0 && (straddles || a->right < 0 || b->count > a->count)) {
        if (branches_meet(w, node_a, node_b + 1))
            walk_met(w, node_a, node_b + 1);
        if (branches_meet(w, node_a, b->right))
            walk_met(w, node_a, b->right);
    } else {
        if (branches_meet(w, node_a + 1, node_b))
            walk_met(w, node_a + 1, node_b);
        if (branches_meet(w, a->right, node_b))
            walk_met(w, a->right, node_b);
    }
}

static void walk_two(PairWalk *w, int node_a, int node_b)
{
    if (branches_meet(w, node_a, node_b))
        walk_met(w, node_a, node_b);
}

static void walk_self(PairWalk *w, int node)
{
    const PeltiBoxNode *n = &w->q->a->nodes[node];
    if (w->q->nodes && !w->q->nodes(w->q->context, node, node))
        return;
    if (n->right < 0) {
        for (int i = n->first; i < n->first + n->count; i++)
            try_pairs(w, i, i + 1, n->first + n->count);
        return;
    }
    walk_self(w, node + 1);
    walk_self(w, n->right);
    w->limit = 0;
    walk_two(w, node + 1, n->right);
}

static void walk_piece(PairQuery *q, int piece, PairWalk *w)
{
    int node = q->a->pieces[piece];
    if (!q->self) {
        w->limit = 0;
        walk_two(w, node, 0);
        return;
    }
    walk_self(w, node);
    w->limit = q->a->nodes[node].first + q->a->nodes[node].count; // pairs with earlier pieces are theirs to find
    walk_two(w, node, 0);
}

static void run_pieces(void *context, int begin, int end, int worker)
{
    PairQuery *q = context;
    int share = q->out->capacity / q->threads;
    for (int piece = begin; piece < end; piece++) {
        int start = worker * share + q->used[worker];
        PairWalk w = {.q = q, .room = q->out->scratch + start, .capacity = share - q->used[worker], .worker = worker};
        walk_piece(q, piece, &w);
        q->used[worker] += w.count;
        if (w.found > w.count)
            q->full[worker] = true;
        q->out->piece[piece] = (struct PeltiPairPiece){worker, start, w.count, w.found, w.candidates};
    }
}

/// One thread, straight into the result: also what is done again when a worker's share of the room did not suffice, so
/// that what is kept on overflow does not depend on the threads.
static void run_serial(PairQuery *q)
{
    PairWalk w = {.q = q, .room = q->out->pairs, .capacity = q->out->capacity};
    for (int piece = 0; piece < q->a->piece_count; piece++)
        walk_piece(q, piece, &w);
    q->out->count = w.count;
    q->out->found = w.found;
    q->out->candidates = w.candidates;
}

static void run_query(PairQuery *q, PeltiJobs *jobs)
{
    PeltiPairs *out = q->out;
    out->count = 0;
    out->found = out->candidates = 0;
    if (q->a->item_count == 0 || q->b->item_count == 0)
        return;
    PELT_ASSERT(out->piece_capacity >= q->a->piece_count);
    q->threads = pelti_jobs_threads(jobs);
    if (q->threads == 1 || q->threads > 64) {
        run_serial(q);
        return;
    }
    pelti_parallel_for(jobs, q->a->piece_count, 1, run_pieces, q);
    for (int t = 0; t < q->threads; t++)
        q->overflow |= q->full[t];
    if (q->overflow) {
        run_serial(q);
        return;
    }
    for (int piece = 0; piece < q->a->piece_count; piece++) {
        const struct PeltiPairPiece *p = &out->piece[piece];
        memcpy(out->pairs + out->count, out->scratch + p->start, (size_t)p->count * sizeof(PeltiPair));
        out->count += p->count;
        out->found += p->found;
        out->candidates += p->candidates;
    }
}

void pelti_box_tree_self_pairs(const PeltiBoxTree *tree, float margin, PeltiPairTest test, void *context, PeltiJobs *jobs,
                               PeltiPairs *out)
{
    pelti_box_tree_self_pairs_among(tree, &(PeltiPairSearch){margin, NULL, test, context}, jobs, out);
}

static PairQuery query_of(const PeltiBoxTree *a, const PeltiBoxTree *b, const PeltiPairSearch *s, PeltiPairs *out)
{
    return (PairQuery){.a = a,
                       .b = b,
                       .self = a == b,
                       .margin = s->margin,
                       .far = s->margin == INFINITY,
                       .nodes = s->nodes,
                       .test = s->test,
                       .context = s->context,
                       .out = out};
}

void pelti_box_tree_self_pairs_among(const PeltiBoxTree *tree, const PeltiPairSearch *search, PeltiJobs *jobs, PeltiPairs *out)
{
    PairQuery q = query_of(tree, tree, search, out);
    run_query(&q, jobs);
}

void pelti_box_tree_pairs(const PeltiBoxTree *a, const PeltiBoxTree *b, const PeltiPairSearch *search, PeltiJobs *jobs,
                          PeltiPairs *out)
{
    PELT_ASSERT(a != b);
    PairQuery q = query_of(a, b, search, out);
    run_query(&q, jobs);
}

void pelti_box_tree_visit(const PeltiBoxTree *tree, const PeltiBox *box, float margin, PeltiBoxVisit visit, void *context)
{
    int stack[STACK], top = 0;
    if (tree->node_count)
        stack[top++] = 0;
    while (top) {
        int n = stack[--top];
        const PeltiBoxNode *node = &tree->nodes[n];
        if (!pelti_box_overlap(&node->box, box, margin))
            continue;
        if (node->right >= 0) {
            stack[top++] = node->right;
            stack[top++] = n + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++)
            if (pelti_box_overlap(&tree->boxes[i], box, margin) && !visit(context, tree->items[i]))
                return;
    }
}

// ---- nearest ----

#if defined(__SSE2__) && !defined(PELT_NO_SIMD)
static inline double box_squared(const PeltiBox *box, Vec3 p) // x and y at once; to the bit the plain one
{
    __m128 low = _mm_loadu_ps(&box->low.x), up = _mm_loadu_ps(&box->low.z); // up: z, and x y z
    __m128 high = _mm_shuffle_ps(up, up, _MM_SHUFFLE(3, 3, 2, 1)), at = _mm_setr_ps(p.x, p.y, p.z, 0);
    __m128d zero = _mm_setzero_pd(), p_xy = _mm_cvtps_pd(at), p_z = _mm_cvtps_pd(_mm_movehl_ps(at, at));
    __m128d xy = _mm_max_pd(_mm_sub_pd(_mm_cvtps_pd(low), p_xy), _mm_sub_pd(p_xy, _mm_cvtps_pd(high)));
    __m128d z = _mm_max_pd(_mm_sub_pd(_mm_cvtps_pd(_mm_movehl_ps(low, low)), p_z),
                           _mm_sub_pd(p_z, _mm_cvtps_pd(_mm_movehl_ps(high, high))));
    xy = _mm_max_pd(xy, zero), z = _mm_max_pd(z, zero);
    xy = _mm_mul_pd(xy, xy), z = _mm_mul_sd(z, z);
    return _mm_cvtsd_f64(_mm_add_sd(_mm_add_sd(xy, _mm_unpackhi_pd(xy, xy)), z));
}
#else
static inline double beyond(float low, float high, float at)
{
    double below = (double)low - (double)at, above = (double)at - (double)high;
    double d = below > above ? below : above;
    return d > 0 ? d : 0;
}

static inline double box_squared(const PeltiBox *box, Vec3 p)
{
    double x = beyond(box->low.x, box->high.x, p.x), y = beyond(box->low.y, box->high.y, p.y),
           z = beyond(box->low.z, box->high.z, p.z);
    return x * x + y * y + z * z;
}
#endif

typedef struct Nearest {
    const PeltiBoxTree *tree;
    const int (*triangles)[3];
    const Vec3 *points, *queries;
    float max_distance;
    PeltiNearestFilter filter;
    PeltiNearestNode nodes;
    void *context;
    PeltiNearest *out;
} Nearest;

/// Squared distance that some triangle is known to have, the one found for a point nearby; so far is far enough. What is found
/// does not depend on it: what lies farther is never the answer, and all else is met in the same order.
static double known_bound(const Nearest *q, Vec3 point, int query, int triangle)
{
    double most = (double)q->max_distance * (double)q->max_distance;
    if (triangle < 0 || !usable(point) || (q->filter && !q->filter(q->context, query, triangle)))
        return most;
    const int *t = q->triangles[triangle];
    double squared = pelti_closest_on_triangle(point, q->points[t[0]], q->points[t[1]], q->points[t[2]]).squared;
    return squared < most ? squared : most;
}

/// best: squared distance within which to look
static bool find_nearest(const Nearest *q, Vec3 point, int query, double best, PeltiNearest *out)
{
    struct {
        int node;
        double squared;
    } stack[STACK];
    int top = 0;
    *out = (PeltiNearest){.triangle = -1, .distance = INFINITY};
    if (q->tree->node_count && usable(point))
        stack[top].node = 0, stack[top++].squared = box_squared(&q->tree->nodes[0].box, point);
    while (top) {
        top--;
        int n = stack[top].node;
        if (!(stack[top].squared <= best) || (q->nodes && !q->nodes(q->context, query, n)))
            continue;
        const PeltiBoxNode *node = &q->tree->nodes[n];
        if (node->right >= 0) {
            double left = box_squared(&q->tree->nodes[n + 1].box, point),
                   right = box_squared(&q->tree->nodes[node->right].box, point);
            bool left_last = left <= right; // the nearer one is taken up first
            double near = left_last ? left : right, far = left_last ? right : left;
            if (far <= best)
                stack[top].node = left_last ? node->right : n + 1, stack[top++].squared = far;
            if (near <= best)
                stack[top].node = left_last ? n + 1 : node->right, stack[top++].squared = near;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++) {
            if (!(box_squared(&q->tree->boxes[i], point) <= best))
                continue;
            int item = q->tree->items[i];
            if (q->filter && !q->filter(q->context, query, item))
                continue;
            const int *t = q->triangles[item];
            PeltiClosest c = pelti_closest_on_triangle(point, q->points[t[0]], q->points[t[1]], q->points[t[2]]);
            if (c.squared < best || (c.squared <= best && out->triangle < 0)) {
                best = c.squared;
                out->triangle = item;
                out->closest = c;
            }
        }
    }
    if (out->triangle < 0)
        return false;
    out->distance = sqrt(best);
    return true;
}

typedef struct OneFilter {
    PeltiTriangleFilter filter;
    void *context;
} OneFilter;

static bool filter_one(void *context, int query, int triangle)
{
    (void)query;
    OneFilter *one = context;
    return one->filter(one->context, triangle);
}

bool pelti_box_tree_nearest(const PeltiBoxTree *tree, const PeltiNearestQuery *query, PeltiNearest *out)
{
    OneFilter one = {query->filter, query->context};
    Nearest q = {.tree = tree, .triangles = query->triangles, .points = query->points, .max_distance = query->max_distance};
    q.filter = query->filter ? filter_one : NULL;
    q.context = &one;
    return find_nearest(&q, query->point, 0, known_bound(&q, query->point, 0, -1), out);
}

static void nearest_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Nearest *q = context;
    for (int i = begin; i < end; i++) {
        int before = i > begin ? q->out[i - 1].triangle : -1; // queries in a row are mostly neighbours
        find_nearest(q, q->queries[i], i, known_bound(q, q->queries[i], i, before), &q->out[i]);
    }
}

void pelti_box_tree_nearest_many(const PeltiBoxTree *tree, const PeltiNearestSearch *s, PeltiJobs *jobs, PeltiNearest *out)
{
    Nearest q = {tree, s->triangles, s->points, s->queries, s->max_distance, s->filter, s->nodes, s->context, out};
    pelti_parallel_for(jobs, s->query_count, QUERY_GRAIN, nearest_range, &q);
}

// ---- winding ----

/// The ray's line in float, rounded outwards: boxes may only be kept in vain.
typedef struct RoundedLine {
    Vec3 low, high;
} RoundedLine;

PELTI_AXIS_INLINE bool may_meet(const PeltiBox *box, const RoundedLine *line, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return (int)(pelti_along(&line->high, i) >= pelti_along(&box->low, i)) &
           (int)(pelti_along(&line->low, i) <= pelti_along(&box->high, i)) &
           (int)(pelti_along(&line->high, j) >= pelti_along(&box->low, j)) &
           (int)(pelti_along(&line->low, j) <= pelti_along(&box->high, j)) &
           (int)(pelti_along(&line->low, axis) <= pelti_along(&box->high, axis));
}

PELTI_AXIS_INLINE int crossings(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const double origin[3],
                                int axis)
{
    int stack[STACK], top = 0, winding = 0;
    Vec3 o = vec3((float)origin[0], (float)origin[1], (float)origin[2]);
    const RoundedLine line = {vec3(nextafterf(o.x, -INFINITY), nextafterf(o.y, -INFINITY), nextafterf(o.z, -INFINITY)),
                              vec3(nextafterf(o.x, INFINITY), nextafterf(o.y, INFINITY), nextafterf(o.z, INFINITY))};
    if (tree->node_count)
        stack[top++] = 0;
    while (top) {
        int n = stack[--top];
        const PeltiBoxNode *node = &tree->nodes[n];
        if (!may_meet(&node->box, &line, axis))
            continue;
        if (node->right >= 0) {
            stack[top++] = node->right;
            stack[top++] = n + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++)
            if (may_meet(&tree->boxes[i], &line, axis))
                winding += pelti_ray_crossing(triangles[tree->items[i]], points, origin, axis);
    }
    return winding;
}

int pelti_box_tree_crossings(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const double origin[3],
                             int axis)
{
    return axis == 0   ? crossings(tree, triangles, points, origin, 0)
           : axis == 1 ? crossings(tree, triangles, points, origin, 1)
                       : crossings(tree, triangles, points, origin, 2);
}

int pelti_box_tree_winding(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const double origin[3])
{
    int x = pelti_box_tree_crossings(tree, triangles, points, origin, 0);
    int y = pelti_box_tree_crossings(tree, triangles, points, origin, 1);
    if (x == y)
        return x; // the median, whatever the third says
    int z = pelti_box_tree_crossings(tree, triangles, points, origin, 2);
    int low = x < y ? x : y, high = x < y ? y : x;
    return z < low ? low : z > high ? high : z;
}
