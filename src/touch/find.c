/// Finds pairs of features that could meet on the way to the wanted skin.
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

// ---- patches that could meet on the way from x to plan ----

#if defined(__SSE2__) && !defined(PELT_NO_SIMD)
static inline __m128 low_of(const PeltiBox *b)
{
    return _mm_loadu_ps(&b->low.x); // x y z, and what follows
}
static inline __m128 high_of(const PeltiBox *b)
{
    __m128 h = _mm_loadu_ps(&b->low.z); // what precedes, and x y z
    return _mm_shuffle_ps(h, h, _MM_SHUFFLE(3, 3, 2, 1));
}
#else
static inline bool axis_apart(float from, float to, float low, float high)
{
    return from > high || to < low;
}
#endif

#if defined(__SSE2__) && !defined(PELT_NO_SIMD)
static inline TouchFour least_of(TouchFour a, TouchFour b)
{
    return (TouchFour)_mm_min_ps((__m128)a, (__m128)b);
}
static inline TouchFour most_of(TouchFour a, TouchFour b)
{
    return (TouchFour)_mm_max_ps((__m128)a, (__m128)b);
}
#else
static inline TouchFour least_of(TouchFour a, TouchFour b)
{
    return (TouchFour){lesser(a[0], b[0]), lesser(a[1], b[1]), lesser(a[2], b[2]), 0};
}
static inline TouchFour most_of(TouchFour a, TouchFour b)
{
    return (TouchFour){larger(a[0], b[0]), larger(a[1], b[1]), larger(a[2], b[2]), 0};
}
#endif

static inline PeltiBox box_of(TouchFour low, TouchFour high)
{
    return (PeltiBox){vec3(low[0], low[1], low[2]), vec3(high[0], high[1], high[2])};
}

static void find_boxes(PeltiTouch *t, int k)
{
    const TouchPatch *p = &t->patches.patch[k];
    const TouchFour far = {INFINITY, INFINITY, INFINITY, 0};
    TouchFour start[2] = {far, -far}, stop[2] = {far, -far}, move[2] = {far, -far};
    for (int i = 0; i < p->vertex_count; i++) {
        Vec3 x = t->state.x[p->vertex[i]], y = t->moves.plan[p->vertex[i]];
        TouchFour from = {x.x, x.y, x.z, 0}, to = {y.x, y.y, y.z, 0}, by = to - from;
        start[0] = least_of(start[0], from), start[1] = most_of(start[1], from);
        stop[0] = least_of(stop[0], to), stop[1] = most_of(stop[1], to);
        move[0] = least_of(move[0], by), move[1] = most_of(move[1], by);
    }
    t->bounds.start_box[k] = box_of(start[0], start[1]);
    t->bounds.end.box[k] = box_of(stop[0], stop[1]);
    t->bounds.move_box[k] = box_of(move[0], move[1]);
}

typedef struct Judging { ///< where the ways end
    PeltiTouch *t;
    bool all;    ///< all ways are new: ease is of them
    bool looked; ///< shapes and ease are known from the look at this skin
} Judging;

static void way_range(void *context, int begin, int end, int worker)
{
    const Judging *j = context;
    PeltiTouch *t = j->t;
    (void)worker;
    for (int k = begin; k < end; k++) {
        const TouchPatch *p = &t->patches.patch[k];
        t->marks.patch_fresh[k] = 0;
        for (int i = 0; i < p->vertex_count && !t->marks.patch_fresh[k]; i++)
            t->marks.patch_fresh[k] |= t->moves.fresh[p->vertex[i]];
        if (!t->marks.patch_fresh[k])
            continue;
        if (!j->looked)
            pelti_touch_patch_shape(p, t->moves.plan, &t->bounds.end.shape[k], NULL);
        find_boxes(t, k);
    }
}

/// Seen from q, how far p can come on its way: on some axis not near enough. `d`, `e`: boxes of their moves.
static inline bool ways_apart(const PeltiBox *p, const PeltiBox *q, const PeltiBox *d, const PeltiBox *e, float margin)
{
#if defined(__SSE2__) && !defined(PELT_NO_SIMD) // three axes at once, as in pelti_box_overlap
    __m128 m = _mm_set1_ps(margin), none = _mm_setzero_ps();
    __m128 least = _mm_min_ps(none, _mm_sub_ps(low_of(d), high_of(e))),
           most = _mm_max_ps(none, _mm_sub_ps(high_of(d), low_of(e)));
    __m128 over = _mm_cmpgt_ps(_mm_sub_ps(_mm_add_ps(low_of(p), least), m), high_of(q));
    __m128 under = _mm_cmplt_ps(_mm_add_ps(_mm_add_ps(high_of(p), most), m), low_of(q));
    return _mm_movemask_ps(_mm_or_ps(over, under)) & 7;
#else
    return axis_apart(p->low.x + lesser(0, d->low.x - e->high.x) - margin, p->high.x + larger(0, d->high.x - e->low.x) + margin,
                      q->low.x, q->high.x) ||
           axis_apart(p->low.y + lesser(0, d->low.y - e->high.y) - margin, p->high.y + larger(0, d->high.y - e->low.y) + margin,
                      q->low.y, q->high.y) ||
           axis_apart(p->low.z + lesser(0, d->low.z - e->high.z) - margin, p->high.z + larger(0, d->high.z - e->low.z) + margin,
                      q->low.z, q->high.z);
#endif
}

static bool may_meet(void *context, int a, int b)
{
    const PeltiTouch *t = context;
    return (t->bounds.node_fresh[a] | t->bounds.node_fresh[b]) &&
           !ways_apart(&t->bounds.start_tree->nodes[a].box, &t->bounds.start_tree->nodes[b].box,
                       &t->bounds.move_tree->nodes[a].box, &t->bounds.move_tree->nodes[b].box, t->rest.margin);
}

static int patches_meet(void *context, int a, int b, int worker)
{
    const PeltiTouch *t = context;
    (void)worker;
    return (t->marks.patch_fresh[a] | t->marks.patch_fresh[b]) &&
           !ways_apart(&t->bounds.start_box[a], &t->bounds.start_box[b], &t->bounds.move_box[a], &t->bounds.move_box[b],
                       t->rest.margin) &&
           pelti_touch_patches_steps(&t->patches, a, b) > 2;
}

static void mark_fresh_nodes(PeltiTouch *t)
{
    for (int n = t->bounds.start_tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &t->bounds.start_tree->nodes[n];
        t->bounds.node_fresh[n] = node->right >= 0 ? t->bounds.node_fresh[n + 1] | t->bounds.node_fresh[node->right] : 0;
        for (int i = 0; node->right < 0 && i < node->count; i++)
            t->bounds.node_fresh[n] |= t->marks.patch_fresh[t->bounds.start_tree->items[node->first + i]];
    }
}

/// Neighbours: those that are not surely smooth are tested as they will lie.
static void join_range(void *context, int begin, int end, int worker)
{
    const Judging *j = context;
    PeltiTouch *t = j->t;
    (void)worker;
    for (int k = begin; k < end; k++) {
        const TouchJoin *join = &t->patches.join[k];
        bool fresh = t->marks.patch_fresh[join->a] | t->marks.patch_fresh[join->b];
        for (int i = 0; i < join->via_count && !fresh; i++)
            fresh = t->marks.patch_fresh[join->via[i]];
        if (j->all && pelti_touch_join_eased(join, t->bounds.end_ease))
            t->marks.join_crosses[k] = 0, t->marks.join_smooth[k] = 1;
        else if (fresh)
            t->marks.join_crosses[k] = pelti_touch_join_crosses(t, &t->bounds.end, join, &t->marks.join_smooth[k]);
    }
}

static void list_near(PeltiTouch *t, int a, int b, bool whole)
{
    if (t->near.count < t->near.capacity)
        t->near.list[t->near.count++] = (TouchNear){.a = a, .b = b, .whole = whole};
    else
        pelti_touch_overflow(&t->budget, true);
}

static bool lags(const PeltiTouch *t, int patch)
{
    const TouchPatch *p = &t->patches.patch[patch];
    for (int i = 0; i < p->vertex_count && t->gathered.count; i++)
        if (t->gathered.core[p->vertex[i]])
            return true;
    return false;
}

/// Neighbours are looked at where they would cross, and where something else touches and they are not surely smooth. Elsewhere a
/// fold that snaps over may do so: held on its old side it would stay there for good.
static bool worth_listing(const PeltiTouch *t, int k)
{
    const TouchJoin *join = &t->patches.join[k];
    return t->marks.join_crosses[k] || (t->gathered.forced[join->a] & t->gathered.forced[join->b]) ||
           (!t->marks.join_smooth[k] && lags(t, join->a) && lags(t, join->b));
}

/// All features of those that were not listed; of the others, `again`, those with new ways.
static void list_joins(PeltiTouch *t, bool again)
{
    for (int k = 0; k < t->patches.join_count; k++) {
        const TouchJoin *join = &t->patches.join[k];
        if (t->marks.join_listed[k] ? again && (t->marks.patch_fresh[join->a] | t->marks.patch_fresh[join->b])
                                    : worth_listing(t, k)) {
            list_near(t, join->a, join->b, !t->marks.join_listed[k]);
            t->marks.join_listed[k] = 1;
        }
    }
}

/// Where patches with new ways go, and whether neighbours cross there; `all`: all of them have.
static void judge_ways(PeltiTouch *t, bool all)
{
    Judging judging = {.t = t, .all = all, .looked = all && pelti_touch_take_look(t)};
    t->bounds.end.x = t->moves.plan;
    pelti_touch_forget_look(t);
    pelti_parallel_for(t->jobs, t->patches.count, TOUCH_CHUNK, way_range, &judging);
    if (all && !judging.looked)
        pelti_touch_ease(t, t->bounds.end.shape, t->bounds.end_ease);
    pelti_parallel_for(t->jobs, t->patches.join_count, 4 * TOUCH_CHUNK, join_range, &judging);
    t->near.count = 0;
}

static void judge_joins(PeltiTouch *t, bool all, bool again)
{
    judge_ways(t, all);
    for (int v = 0; v < t->count; v++)
        if (t->moves.fresh[v]) // the others may have moved too, by less than makes a way new: folds ask again
            t->moves.judged[v] = t->moves.plan[v];
    list_joins(t, again);
}

/// Lists patches that are no neighbours and come near each other, one of them at least on a new way.
static void find_near(PeltiTouch *t)
{
    pelti_box_tree_refit(t->bounds.start_tree, t->jobs, t->bounds.start_box);
    pelti_box_tree_refit(t->bounds.move_tree, t->jobs, t->bounds.move_box);
    mark_fresh_nodes(t);
    pelti_box_tree_self_pairs_among(t->bounds.start_tree, &(PeltiPairSearch){INFINITY, may_meet, patches_meet, t}, t->jobs,
                                    &t->scratch.pairs);
    pelti_touch_overflow(&t->budget, t->scratch.pairs.found > t->scratch.pairs.count);
    for (int k = 0; k < t->scratch.pairs.count; k++)
        list_near(t, t->scratch.pairs.pairs[k].a, t->scratch.pairs.pairs[k].b, false);
}

// ---- features of two patches that could meet ----

static inline PeltiBox hull(const PeltiBox *a, const PeltiBox *b)
{
    PeltiBox box = *a;
    pelti_box_join(&box, b);
    return box;
}

typedef struct PatchSide { ///< a patch' features that come near the other patch, with the boxes of their ways
    const TouchPatch *patch;
    PeltiBox whole, vertex[TOUCH_PATCH_VERTICES], edge[TOUCH_PATCH_EDGES], triangle[TOUCH_PATCH];
    int vertices[TOUCH_PATCH_VERTICES], edges[TOUCH_PATCH_EDGES], triangles[TOUCH_PATCH]; ///< in the patch
    int vertex_count, edge_count, triangle_count;
    PeltiBox way[TOUCH_PATCH_VERTICES]; ///< of every vertex
    float radius[TOUCH_PATCH_VERTICES];
} PatchSide;

/// The affine motion that two patches have in common, p -> linear (p - from) + to, and 1 / what it leaves of a length at least.
/// Let p(s) = x + s (plan - x) and A(s) go evenly from the identity to that motion. Then p(s) = A(s) (x + s A(s)^-1 d) with
/// d = plan - A(1) x, and affine maps neither make nor undo crossings: for what could meet, a vertex is never farther from x
/// than |d| / sigma, sigma the least stretch on the way, >= min(1, lowest eigenvalue of A's symmetric part). A limb that turns
/// brings nothing nearer.
typedef struct Common {
    Mat3 linear;
    Vec3 from, to;
    float inverse;
} Common;

static void sum_motion(const PeltiTouch *t, const TouchPatch *p, Vec3 *from, Vec3 *to)
{
    for (int i = 0; i < p->vertex_count; i++) {
        *from = vec3_add(*from, t->state.x[p->vertex[i]]);
        *to = vec3_add(*to, t->moves.plan[p->vertex[i]]);
    }
}

static void sum_turn(const PeltiTouch *t, const TouchPatch *p, const Common *c, Mat3 *mixed, Mat3 *own)
{
    for (int i = 0; i < p->vertex_count; i++) {
        Vec3 x = vec3_sub(t->state.x[p->vertex[i]], c->from), y = vec3_sub(t->moves.plan[p->vertex[i]], c->to);
        pelti_touch_add_outer(mixed, y, x);
        pelti_touch_add_outer(own, x, x);
    }
}

static Common common_motion(const PeltiTouch *t, const TouchPatch *a, const TouchPatch *b)
{
    Common c = {.linear = mat3_identity(), .inverse = 1};
    Mat3 mixed = {{{0}}}, own = {{{0}}}, inverse;
    float count = (float)(a->vertex_count + (a == b ? 0 : b->vertex_count));
    sum_motion(t, a, &c.from, &c.to);
    if (a != b)
        sum_motion(t, b, &c.from, &c.to);
    c.from = vec3_scale(c.from, 1 / count);
    c.to = vec3_scale(c.to, 1 / count);
    sum_turn(t, a, &c, &mixed, &own);
    if (a != b)
        sum_turn(t, b, &c, &mixed, &own);
    float hold = TURN_HOLD * (own.m[0][0] + own.m[1][1] + own.m[2][2]); // flat patches say nothing about their normal
    for (int i = 0; i < 3; i++)
        mixed.m[i][i] += hold, own.m[i][i] += hold;
    if (!mat3_inverse(own, &inverse))
        return c;
    Mat3 linear = mat3_mul(mixed, inverse);
    Mat3 symmetric = mat3_scale(mat3_add(linear, mat3_transpose(linear)), 0.5f);
    float least = pelti_touch_lowest_eigenvalue(&symmetric);
    if (least > TURN_FLATTEST) {
        c.linear = linear;
        c.inverse = least < 1 ? 1 / least : 1;
    }
    return c;
}

static void take_ways(const PeltiTouch *t, const TouchPatch *p, const Common *c, PatchSide *s)
{
    s->patch = p;
    for (int i = 0; i < p->vertex_count; i++) {
        int v = p->vertex[i];
        Vec3 x = t->state.x[v], d = vec3_sub(vec3_sub(t->moves.plan[v], c->to), mat3_apply(c->linear, vec3_sub(x, c->from)));
        float r = 1.0001f * vec3_length(d) * c->inverse;
        s->radius[i] = r;
        s->way[i] = (PeltiBox){vec3(x.x - r, x.y - r, x.z - r), vec3(x.x + r, x.y + r, x.z + r)};
        s->whole = i ? hull(&s->whole, &s->way[i]) : s->way[i];
    }
}

/// Along the line between their centres the patches stay a margin apart.
static bool planes_part(const PeltiTouch *t, const PatchSide *a, const PatchSide *b)
{
    Vec3 n = vec3_sub(vec3_add(b->whole.low, b->whole.high), vec3_add(a->whole.low, a->whole.high));
    float far = -INFINITY, near = INFINITY;
    n = vec3_normalize_or(n, vec3(0, 0, 0));
    for (int i = 0; i < a->patch->vertex_count; i++)
        far = larger(far, vec3_dot(n, t->state.x[a->patch->vertex[i]]) + a->radius[i]);
    for (int i = 0; i < b->patch->vertex_count; i++)
        near = lesser(near, vec3_dot(n, t->state.x[b->patch->vertex[i]]) - b->radius[i]);
    return near - far > t->rest.margin;
}

static void take_features(PatchSide *s, const PeltiBox *other, float margin)
{
    const TouchPatch *p = s->patch;
    s->vertex_count = s->edge_count = s->triangle_count = 0;
    for (int i = 0; i < p->vertex_count; i++)
        if (p->owns_vertex[i] && pelti_box_overlap(&s->way[i], other, margin)) {
            s->vertex[s->vertex_count] = s->way[i];
            s->vertices[s->vertex_count++] = i;
        }
    for (int e = 0; e < p->edge_count; e++) {
        PeltiBox box = hull(&s->way[p->edge[e][0]], &s->way[p->edge[e][1]]);
        if (!p->owns_edge[e] || !pelti_box_overlap(&box, other, margin))
            continue;
        s->edge[s->edge_count] = box;
        s->edges[s->edge_count++] = e;
    }
    for (int k = 0; k < p->triangle_count; k++) {
        PeltiBox box = hull(&s->way[p->corner[k][0]], &s->way[p->corner[k][1]]);
        box = hull(&box, &s->way[p->corner[k][2]]);
        if (!pelti_box_overlap(&box, other, margin))
            continue;
        s->triangle[s->triangle_count] = box;
        s->triangles[s->triangle_count++] = k;
    }
}

typedef struct Finder {
    PeltiTouch *t;
    TouchFeature *room; ///< of this worker
    int count, capacity;
    bool full, whole; ///< whole: features whose ways are not new too
    bool judges;      ///< nothing is listed: it is enough to know whether something meets
    bool meets;
} Finder;

/// Along the line between two features' nearest points they lie at least their distance apart. Where they do so at the end by
/// more than the margin, they do all the way: both sides' points move evenly.
static bool parted(const PeltiTouch *t, const TouchFeature *f, Vec3 n)
{
    int first = f->edges ? 2 : 1;
    float far = -INFINITY, near = INFINITY;
    for (int i = 0; i < first; i++)
        near = lesser(near, vec3_dot(n, t->moves.plan[f->v[i]]));
    for (int i = first; i < 4; i++)
        far = larger(far, vec3_dot(n, t->moves.plan[f->v[i]]));
    return near - far > t->rest.margin;
}

/// Across the line between their middles two features lie farther apart than `reach`: cheaper than their distance.
static inline bool far_apart(const Vec3 p[4], int first, float reach)
{
    Vec3 n = first == 2 ? vec3_sub(vec3_add(p[0], p[1]), vec3_add(p[2], p[3]))
                        : vec3_sub(vec3_scale(p[0], 3), vec3_add(p[1], vec3_add(p[2], p[3])));
    float near = vec3_dot(n, p[0]), far = larger(vec3_dot(n, p[2]), vec3_dot(n, p[3]));
    if (first == 2)
        near = lesser(near, vec3_dot(n, p[1]));
    else
        far = larger(far, vec3_dot(n, p[1]));
    float apart = near - far;
    return apart > 0 && apart * apart > 1.001f * reach * reach * vec3_dot(n, n);
}

/// `ways`: how far the two features come together. What is farther apart than that and the margin cannot meet, whatever is cut
/// later by less than the gap.
static void try_feature(Finder *f, TouchFeature feature, float ways)
{
    const PeltiTouch *t = f->t;
    const int *v = feature.v;
    int first = feature.edges ? 2 : 1;
    if (f->meets || (!f->whole && !(t->moves.fresh[v[0]] | t->moves.fresh[v[1]] | t->moves.fresh[v[2]] | t->moves.fresh[v[3]])))
        return;
    if (f->judges && pelti_touch_one_body(&t->scratch.zones, v))
        return;
    for (int i = 0; i < first; i++)
        for (int k = first; k < 4; k++)
            if (v[i] == v[k] || pelti_touch_exempt_vertices(t, v[i], v[k]))
                return;
    const Vec3 p[4] = {t->state.x[v[0]], t->state.x[v[1]], t->state.x[v[2]], t->state.x[v[3]]};
    float weight[4];
    Vec3 normal;
    if (far_apart(p, first, ways + t->rest.margin))
        return;
    feature.start = (float)pelti_touch_distance(&feature, p, weight, &normal);
    if (feature.start > t->rest.margin && (feature.start > ways + t->rest.margin || parted(t, &feature, normal)))
        return;
    if (f->judges)
        f->meets = pelti_touch_share_of(t, &feature) < 1;
    else if (f->count < f->capacity)
        f->room[f->count++] = feature;
    else
        f->full = true;
}

static void vertices_with_triangles(Finder *f, const PatchSide *a, const PatchSide *b)
{
    float margin = f->t->rest.margin;
    for (int i = 0; i < a->vertex_count; i++)
        for (int k = 0; k < b->triangle_count; k++)
            if (pelti_box_overlap(&a->vertex[i], &b->triangle[k], margin)) {
                const unsigned char *c = b->patch->corner[b->triangles[k]];
                const int *q = b->patch->vertex;
                try_feature(f, (TouchFeature){.v = {a->patch->vertex[a->vertices[i]], q[c[0]], q[c[1]], q[c[2]]}},
                            a->radius[a->vertices[i]] + larger(b->radius[c[0]], larger(b->radius[c[1]], b->radius[c[2]])));
            }
}

static void edges_with_edges(Finder *f, const PatchSide *a, const PatchSide *b)
{
    float margin = f->t->rest.margin;
    for (int i = 0; i < a->edge_count; i++)
        for (int k = a == b ? i + 1 : 0; k < b->edge_count; k++)
            if (pelti_box_overlap(&a->edge[i], &b->edge[k], margin)) {
                const unsigned char *e = a->patch->edge[a->edges[i]], *g = b->patch->edge[b->edges[k]];
                const int *p = a->patch->vertex, *q = b->patch->vertex;
                try_feature(f, (TouchFeature){.v = {p[e[0]], p[e[1]], q[g[0]], q[g[1]]}, .edges = true},
                            larger(a->radius[e[0]], a->radius[e[1]]) + larger(b->radius[g[0]], b->radius[g[1]]));
            }
}

static void features_of(Finder *f, const TouchNear *near)
{
    const PeltiTouch *t = f->t;
    const TouchPatch *p = &t->patches.patch[near->a], *q = &t->patches.patch[near->b];
    Common common = common_motion(t, p, q);
    PatchSide a, b;
    f->whole = near->whole;
    take_ways(t, p, &common, &a);
    if (p == q) {
        take_features(&a, &a.whole, t->rest.margin);
        vertices_with_triangles(f, &a, &a);
        edges_with_edges(f, &a, &a);
        return;
    }
    take_ways(t, q, &common, &b);
    if (!pelti_box_overlap(&a.whole, &b.whole, t->rest.margin) || planes_part(t, &a, &b))
        return;
    take_features(&a, &b.whole, t->rest.margin);
    take_features(&b, &a.whole, t->rest.margin);
    vertices_with_triangles(f, &a, &b);
    vertices_with_triangles(f, &b, &a);
    edges_with_edges(f, &a, &b);
}

/// What chunk found what: workers write into rooms of their own, and chunks are joined in their order.
static void chunk_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    int share = t->features.capacity / pelti_jobs_threads(t->jobs), start = t->features.scratch.worker_used[worker];
    Finder f = {.t = t, .room = t->features.scratch.found + (size_t)worker * (size_t)share + start, .capacity = share - start};
    for (int k = begin; k < end && !f.full; k++)
        features_of(&f, &t->near.list[k]);
    t->features.scratch.worker_used[worker] += f.count;
    t->features.scratch.chunks[begin / TOUCH_CHUNK] = (TouchChunk){worker * share + start, f.count, f.full};
}

/// In one thread, straight into the list: when a worker's room did not suffice, so that the threads do not show.
static void find_serially(PeltiTouch *t, int before)
{
    Finder f = {.t = t, .room = t->features.list + before, .capacity = t->features.capacity - before};
    for (int k = 0; k < t->near.count && !f.full; k++)
        features_of(&f, &t->near.list[k]);
    t->features.count = before + f.count;
    pelti_touch_overflow(&t->budget, f.full);
}

static void join_chunks(PeltiTouch *t, int before)
{
    int chunks = (t->near.count + TOUCH_CHUNK - 1) / TOUCH_CHUNK, total = before;
    bool full = false;
    for (int k = 0; k < chunks; k++) {
        full |= t->features.scratch.chunks[k].full;
        total += t->features.scratch.chunks[k].count;
    }
    if (full || total > t->features.capacity) {
        find_serially(t, before);
        return;
    }
    for (int k = 0; k < chunks; k++) {
        memcpy(t->features.list + t->features.count, t->features.scratch.found + t->features.scratch.chunks[k].start,
               sizeof *t->features.scratch.found * (size_t)t->features.scratch.chunks[k].count);
        t->features.count += t->features.scratch.chunks[k].count;
    }
}

/// A way is new where it ends elsewhere than when it was last looked at.
static int mark_new_ways(PeltiTouch *t, bool all)
{
    int count = 0;
    float most = NEW_WAY * t->rest.margin * (NEW_WAY * t->rest.margin);
    for (int v = 0; v < t->count; v++) {
        Vec3 by = vec3_sub(t->moves.plan[v], t->moves.way_end[v]);
        t->moves.fresh[v] = all || vec3_dot(by, by) > most;
        if (t->moves.fresh[v])
            t->moves.way_end[v] = t->moves.plan[v];
        count += t->moves.fresh[v];
    }
    return count;
}

/// Forgets pairs with a new way: they are found again if they still matter.
static void drop_new_ways(PeltiTouch *t)
{
    int kept = 0;
    for (int k = 0; k < t->features.count; k++) {
        const int *v = t->features.list[k].v;
        if (t->moves.fresh[v[0]] | t->moves.fresh[v[1]] | t->moves.fresh[v[2]] | t->moves.fresh[v[3]])
            continue;
        t->features.list[kept] = t->features.list[k];
        t->features.active[kept] = t->features.active[k];
        t->features.share[kept++] = t->features.share[k];
    }
    t->features.count = kept;
}

/// Features of the patches that are listed as near.
static int add_features(PeltiTouch *t)
{
    int before = t->features.count;
    if (!pelti_touch_spend(&t->budget, 2 * (long long)t->near.count))
        return 0;
    memset(t->features.scratch.worker_used, 0, sizeof t->features.scratch.worker_used);
    if (pelti_jobs_threads(t->jobs) > TOUCH_MOST_THREADS) {
        find_serially(t, before);
    } else {
        pelti_parallel_for(t->jobs, t->near.count, TOUCH_CHUNK, chunk_range, t);
        join_chunks(t, before);
    }
    memset(t->features.active + before, 0, (size_t)(t->features.count - before));
    pelti_touch_spend(&t->budget, t->features.count - before);
    return t->features.count - before;
}

int pelti_touch_find_features(PeltiTouch *t, bool all)
{
    if (all) {
        t->features.count = 0;
        memset(t->marks.join_listed, 0, (size_t)t->patches.join_count);
    }
    if (!mark_new_ways(t, all))
        return 0;
    drop_new_ways(t);
    judge_joins(t, all, true);
    find_near(t);
    return add_features(t);
}

int pelti_touch_find_folds(PeltiTouch *t)
{
    for (int v = 0; v < t->count; v++)
        t->moves.fresh[v] = memcmp(&t->moves.plan[v], &t->moves.judged[v], sizeof(Vec3)) != 0;
    judge_joins(t, false, false);
    return add_features(t);
}

// ---- patches that would meet others, whatever else is known ----

static void hook_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    (void)worker;
    for (int k = begin; k < end; k++) {
        Finder f = {.t = t, .judges = true};
        features_of(&f, &t->near.list[k]);
        t->near.list[k].meets = f.meets;
    }
}

int pelti_touch_find_hooks(PeltiTouch *t)
{
    int count = 0;
    judge_ways(t, false);
    find_near(t);
    pelti_parallel_for(t->jobs, t->near.count, TOUCH_CHUNK, hook_range, t);
    for (int k = 0; k < t->near.count; k++)
        count += t->near.list[k].meets;
    for (int k = 0; k < t->patches.join_count; k++)
        count += t->marks.join_crosses[k];
    return count;
}
