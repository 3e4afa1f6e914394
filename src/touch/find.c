/// Finding: triangles that cross, and pairs of features that could meet on the way.
#include "geometry/exact.h"
#include "touch/parts.h"

static const float alike = 0.2f; // cosine: normals that look the same way

static inline float lesser(float a, float b) // comparisons: fminf and fmaxf are calls
{
    return a < b ? a : b;
}
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static bool share_vertex(const int a[3], const int b[3])
{
    for (int i = 0; i < 3; i++)
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2])
            return true;
    return false;
}

static int crosses(void *context, int a, int b, int worker)
{
    const PeltiTouch *t = context;
    const int *s = t->mesh->triangles[a], *u = t->mesh->triangles[b];
    (void)worker;
    if (share_vertex(s, u) || touch_exempt_triangles(t, a, b))
        return 0;
    const Vec3 *x = t->looks_at, p[3] = {x[s[0]], x[s[1]], x[s[2]]}, q[3] = {x[u[0]], x[u[1]], x[u[2]]};
    return pelti_triangles_meet(p, q) != PELTI_APART;
}

static inline Vec3 unit_normal(const Vec3 *x, const int i[3])
{
    return vec3_normalize_or(vec3_cross(vec3_sub(x[i[1]], x[i[0]]), vec3_sub(x[i[2]], x[i[0]])), vec3(0, 0, 0));
}

static void normal_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    (void)worker;
    for (int k = begin; k < end; k++) {
        Vec3 n = unit_normal(t->looks_at, t->mesh->triangles[k]);
        t->boxes[k] = (PeltiBox){n, n};
    }
}

static void refit_normals(PeltiTouch *t, int when, const Vec3 *x)
{
    t->looks_at = x;
    pelti_parallel_for(t->jobs, t->mesh->triangle_count, 8 * TOUCH_GRAIN, normal_range, t);
    pelti_box_tree_refit(t->normal_tree[when], t->jobs, t->boxes);
}

/// All normals below two nodes lie in one half space.
static inline bool look_alike(const PeltiBoxTree *normals, int a, int b)
{
    const PeltiBox *n = &normals->nodes[a].box, *m = &normals->nodes[b].box;
    Vec3 low = vec3(lesser(n->low.x, m->low.x), lesser(n->low.y, m->low.y), lesser(n->low.z, m->low.z));
    Vec3 high = vec3(larger(n->high.x, m->high.x), larger(n->high.y, m->high.y), larger(n->high.z, m->high.z));
    Vec3 d = vec3_add(low, high);
    float least = lesser(d.x * low.x, d.x * high.x) + lesser(d.y * low.y, d.y * high.y) + lesser(d.z * low.z, d.z * high.z);
    return least > 0 && least * least > 0.01f * vec3_dot(d, d);
}

/// Two nodes of the tree are one patch of skin where they are of one component and their boxes meet at rest.
static inline bool joined(const PeltiTouch *t, int a, int b)
{
    return t->node_component[a] >= 0 && t->node_component[a] == t->node_component[b] &&
           (a == b || pelti_box_overlap(&t->rest_nodes[a], &t->rest_nodes[b], 0));
}

/// Marks the nodes above triangles with a vertex that `flag` has.
static void wake_nodes(PeltiTouch *t, const unsigned char *flag, unsigned char *awake)
{
    for (int n = t->tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &t->tree->nodes[n];
        if (node->right >= 0) {
            awake[n] = awake[n + 1] | awake[node->right];
            continue;
        }
        awake[n] = 0;
        for (int i = 0; i < node->count; i++) {
            const int *s = t->mesh->triangles[t->tree->items[node->first + i]];
            awake[n] |= flag[s[0]] | flag[s[1]] | flag[s[2]];
        }
    }
}

/// A patch whose normals all lie in one half space does not cross itself [Volino1994].
static bool may_cross(void *context, int a, int b)
{
    const PeltiTouch *t = context;
    if (t->only_awake && !(t->awake[a] | t->awake[b]))
        return false;
    return !(joined(t, a, b) && look_alike(t->normal_tree[0], a, b));
}

int touch_find_crossings(PeltiTouch *t, const Vec3 *x, const unsigned char *among)
{
    refit_normals(t, 0, x);
    t->only_awake = among != NULL;
    if (among)
        wake_nodes(t, among, t->awake);
    pelti_box_tree_refit_triangles(t->tree, t->jobs, t->mesh->triangles, x, NULL);
    pelti_box_tree_self_pairs_among(t->tree, 0, may_cross, crosses, t, t->jobs, &t->pairs);
    return (int)t->pairs.found;
}

// ---- what could meet on the way from x to plan ----

static inline void reach(PeltiBox *box, Vec3 p)
{
    box->low = vec3(lesser(box->low.x, p.x), lesser(box->low.y, p.y), lesser(box->low.z, p.z));
    box->high = vec3(larger(box->high.x, p.x), larger(box->high.y, p.y), larger(box->high.z, p.z));
}

/// Box of some points from start to end, seen by an observer who moves by `mean`.
static inline PeltiBox way_of(const PeltiTouch *t, const int *v, int count, Vec3 mean)
{
    PeltiBox box = {t->x[v[0]], t->x[v[0]]};
    reach(&box, vec3_sub(t->plan[v[0]], mean));
    for (int i = 1; i < count; i++) {
        reach(&box, t->x[v[i]]);
        reach(&box, vec3_sub(t->plan[v[i]], mean));
    }
    return box;
}

static inline bool ways_meet(const PeltiTouch *t, const int *v, int first, int second)
{
    Vec3 mean = {0, 0, 0};
    for (int i = 0; i < first + second; i++)
        mean = vec3_add(mean, vec3_sub(t->plan[v[i]], t->x[v[i]]));
    mean = vec3_scale(mean, 1 / (float)(first + second));
    PeltiBox a = way_of(t, v, first, mean), b = way_of(t, v + first, second, mean);
    return pelti_box_overlap(&a, &b, t->margin);
}

static bool new_way(const PeltiTouch *t, const int s[3])
{
    return t->fresh[s[0]] | t->fresh[s[1]] | t->fresh[s[2]];
}

/// A pair of features that could meet: not neighbours, not exempt, at least one of the core whose way is new.
static inline bool worth(const PeltiTouch *t, const int v[4], int first)
{
    if (!(t->fresh[v[0]] | t->fresh[v[1]] | t->fresh[v[2]] | t->fresh[v[3]]))
        return false;
    for (int i = 0; i < first; i++)
        for (int k = first; k < 4; k++)
            if (v[i] == v[k] || touch_exempt_vertices(t, v[i], v[k]))
                return false;
    return ways_meet(t, v, first, 4 - first);
}

/// What is farther apart than its relative motion and the margin cannot meet, whatever is cut later by less than the gap.
static inline bool near_enough(const PeltiTouch *t, TouchFeature *f)
{
    Vec3 p[4], mean = {0, 0, 0};
    int first = f->edges ? 2 : 1;
    float most[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        p[i] = t->x[f->v[i]];
        mean = vec3_mad(mean, vec3_sub(t->plan[f->v[i]], p[i]), 0.25f);
    }
    for (int i = 0; i < 4; i++) {
        Vec3 by = vec3_sub(vec3_sub(t->plan[f->v[i]], p[i]), mean);
        most[i >= first] = larger(most[i >= first], vec3_dot(by, by));
    }
    f->start = (float)touch_distance(f, p, NULL, NULL);
    return f->start < sqrtf(most[0]) + sqrtf(most[1]) + t->margin;
}

/// The n-th of the 15 pairs of features of two triangles, if they speak for it: 0..5 a vertex of one with the other triangle, then
/// edges with edges.
static inline bool nth_feature(const PeltiTouch *t, int a, int b, int n, TouchFeature *out)
{
    if (n < 6) {
        int own = n < 3 ? a : b, v = t->mesh->triangles[own][n % 3];
        const int *q = t->mesh->triangles[n < 3 ? b : a];
        *out = (TouchFeature){.v = {v, q[0], q[1], q[2]}};
        return t->vertex_owner[v] == own;
    }
    int e = t->mesh->triangle_edges[a][(n - 6) / 3], g = t->mesh->triangle_edges[b][(n - 6) % 3];
    const int *p = t->mesh->edges[e], *q = t->mesh->edges[g];
    *out = (TouchFeature){.v = {p[0], p[1], q[0], q[1]}, .edges = true};
    return t->edge_owner[e] == a && t->edge_owner[g] == b;
}

/// Skin meets skin face to face, or back to back from inside. Triangles that look the same way before and after a move are taken
/// to be one smooth patch and left out; what that overlooks is found crossing at the end, and is suspect from then on.
static inline bool one_patch(const PeltiTouch *t, int a, int b)
{
    const int *p = t->mesh->triangles[a], *q = t->mesh->triangles[b];
    return !((t->suspect[p[0]] | t->suspect[p[1]] | t->suspect[p[2]]) & (t->suspect[q[0]] | t->suspect[q[1]] | t->suspect[q[2]])) &&
           vec3_dot(t->normal[0][a], t->normal[0][b]) > alike && vec3_dot(t->normal[1][a], t->normal[1][b]) > alike;
}

/// Which of the 15 pairs of features of two triangles could meet, one bit each.
static int could_meet(void *context, int a, int b, int worker)
{
    const PeltiTouch *t = context;
    const int *p = t->mesh->triangles[a], *q = t->mesh->triangles[b];
    int mask = 0;
    (void)worker;
    if (one_patch(t, a, b) || !(new_way(t, p) || new_way(t, q)))
        return 0;
    if (touch_exempt_triangles(t, a, b) || !ways_meet(t, (int[6]){p[0], p[1], p[2], q[0], q[1], q[2]}, 3, 3))
        return 0;
    for (int n = 0; n < 15; n++) {
        TouchFeature f;
        if (nth_feature(t, a, b, n, &f) && worth(t, f.v, f.edges ? 2 : 1) && near_enough(t, &f))
            mask |= 1 << n;
    }
    return mask;
}

static void box_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    (void)worker;
    for (int k = begin; k < end; k++) {
        const int *i = t->mesh->triangles[k];
        Vec3 d = vec3_sub(t->plan[i[0]], t->x[i[0]]);
        t->boxes[k] = (PeltiBox){d, d};
        reach(&t->boxes[k], vec3_sub(t->plan[i[1]], t->x[i[1]]));
        reach(&t->boxes[k], vec3_sub(t->plan[i[2]], t->x[i[2]]));
    }
}

/// Trees of where triangles are, how they move and where they look, before and after.
static void refit_ways(PeltiTouch *t, bool all)
{
    if (all) { // later plans of a round differ little: where they look is not worth another refit
        refit_normals(t, 0, t->x);
        refit_normals(t, 1, t->plan);
        for (int k = 0; k < t->mesh->triangle_count; k++)
            for (int when = 0; when < 2; when++)
                t->normal[when][t->tree->items[k]] = t->normal_tree[when]->boxes[k].low;
        pelti_box_tree_refit_triangles(t->tree, t->jobs, t->mesh->triangles, t->x, NULL);
        wake_nodes(t, t->suspect, t->wary);
    }
    pelti_parallel_for(t->jobs, t->mesh->triangle_count, 8 * TOUCH_GRAIN, box_range, t);
    pelti_box_tree_refit(t->move_tree, t->jobs, t->boxes);
    wake_nodes(t, t->fresh, t->awake);
}

/// Low and high of one axis, seen from b: how far a can come on its way.
static inline bool axis_apart(float a_low, float a_high, float b_low, float b_high, float least, float most, float margin)
{
    return a_low + lesser(0, least) - margin > b_high || a_high + larger(0, most) + margin < b_low;
}

/// Leaves out branches that do not come near each other, and those that are one smooth patch.
static bool may_meet(void *context, int a, int b)
{
    const PeltiTouch *t = context;
    if (!(t->awake[a] | t->awake[b]))
        return false;
    const PeltiBox *p = &t->tree->nodes[a].box, *q = &t->tree->nodes[b].box;
    const PeltiBox *d = &t->move_tree->nodes[a].box, *e = &t->move_tree->nodes[b].box;
    if (axis_apart(p->low.x, p->high.x, q->low.x, q->high.x, d->low.x - e->high.x, d->high.x - e->low.x, t->margin) ||
        axis_apart(p->low.y, p->high.y, q->low.y, q->high.y, d->low.y - e->high.y, d->high.y - e->low.y, t->margin) ||
        axis_apart(p->low.z, p->high.z, q->low.z, q->high.z, d->low.z - e->high.z, d->high.z - e->low.z, t->margin))
        return false;
    return t->wary[a] | t->wary[b] || !joined(t, a, b) || !look_alike(t->normal_tree[0], a, b) ||
           !look_alike(t->normal_tree[1], a, b);
}

typedef struct Starts {
    PeltiTouch *t;
    int first;
} Starts;

static void start_range(void *context, int begin, int end, int worker)
{
    const Starts *s = context;
    (void)worker;
    for (int k = s->first + begin; k < s->first + end; k++)
        near_enough(s->t, &s->t->features[k]);
}

/// A way is new where it ends elsewhere than when it was last looked at.
static int mark_new_ways(PeltiTouch *t, bool all)
{
    int count = 0;
    float most = 0.4f * t->margin * (0.4f * t->margin);
    for (int v = 0; v < t->count; v++) {
        Vec3 by = vec3_sub(t->plan[v], t->way_end[v]);
        t->fresh[v] = t->core[v] && (all || vec3_dot(by, by) > most);
        if (t->fresh[v] || all)
            t->way_end[v] = t->plan[v];
        count += t->fresh[v];
    }
    return count;
}

/// Forgets pairs with a new way: they are found again if they still matter.
static void drop_new_ways(PeltiTouch *t)
{
    int kept = 0;
    for (int k = 0; k < t->feature_count; k++) {
        const int *v = t->features[k].v;
        if (t->fresh[v[0]] | t->fresh[v[1]] | t->fresh[v[2]] | t->fresh[v[3]])
            continue;
        t->features[kept] = t->features[k];
        t->share[kept++] = t->share[k];
    }
    t->feature_count = kept;
}

int touch_find_features(PeltiTouch *t, bool all)
{
    t->feature_count = all ? 0 : t->feature_count;
    if (!mark_new_ways(t, all))
        return 0;
    drop_new_ways(t);
    int before = t->feature_count;
    refit_ways(t, all);
    pelti_box_tree_self_pairs_among(t->tree, INFINITY, may_meet, could_meet, t, t->jobs, &t->core_pairs);
    for (int i = 0; i < t->core_pairs.count; i++)
        for (int n = 0; n < 15 && t->feature_count < TOUCH_MOST_FEATURES; n++)
            if (t->core_pairs.pairs[i].tag >> n & 1) {
                nth_feature(t, t->core_pairs.pairs[i].a, t->core_pairs.pairs[i].b, n, &t->features[t->feature_count]);
                t->active[t->feature_count++] = 0;
            }
    pelti_parallel_for(t->jobs, t->feature_count - before, TOUCH_GRAIN, start_range, &(Starts){t, before});
    return t->feature_count - before;
}
