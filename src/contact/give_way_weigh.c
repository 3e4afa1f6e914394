/// Whether giving way helps: what crosses by blending in the corrected pose, beside the clip's own.
/// Parts are rigid for their fields, and clothes are sunk into each other, so what the fields call a way out may cross more
/// than it mends.
#include "contact/give_way_parts.h"
#include "contact/constants.def"
#include "geometry/constants.def"
#include "geometry/triangles.h"
#include "math/order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CROSSING = 1 << 15, MIXED = -2 };

// ---- create ----

static int64_t pair_key(int a, int b)
{
    return a < b ? ((int64_t)a << 32) | (int64_t)b : ((int64_t)b << 32) | (int64_t)a;
}

/// The joint that carries most of a triangle.
static int joint_of(const PeltiGiveWay *g, const int triangle[3])
{
    const PeltiWeights *w = g->skin.weights;
    int best = -1;
    float most = 0;
    for (int i = 0; i < 3 * w->influences; i++) {
        size_t at = (size_t)triangle[i / w->influences] * (size_t)w->influences + (size_t)(i % w->influences);
        float sum = 0;
        for (int k = 0; k < 3 * w->influences; k++) {
            size_t other = (size_t)triangle[k / w->influences] * (size_t)w->influences + (size_t)(k % w->influences);
            sum += w->bone[other] == w->bone[at] ? w->weight[other] : 0;
        }
        if (sum > most)
            most = sum, best = w->bone[at];
    }
    return best < 0 ? -1 : g->skin.bone_joint[best];
}

/// How far triangle `a` reaches to the lesser side of the plane of `b`. Comparisons in place of fmaxf and fminf, which are calls.
static float reach(const Vec3 a[3], const Vec3 b[3])
{
    Vec3 n = vec3_normalize_or(vec3_cross(vec3_sub(b[1], b[0]), vec3_sub(b[2], b[0])), vec3(0, 0, 0));
    float high = 0, low = 0;
    for (int k = 0; k < 3; k++) {
        float h = vec3_dot(vec3_sub(a[k], b[0]), n);
        high = h > high ? h : high;
        low = -h > low ? -h : low;
    }
    return high < low ? high : low;
}

static bool crosses_at_rest(const GiveWeigh *w, int a, int b)
{
    int64_t key = pair_key(a, b);
    return w->rest_count && bsearch(&key, w->rest_keys, (size_t)w->rest_count, sizeof key, pelti_int64_order) != NULL;
}

/// Triangles that different joints carry and that cross by more than touching, as the measures count it.
static int crosses(void *context, int a, int b, int worker)
{
    const PeltiGiveWay *g = context;
    const GiveWeigh *w = &g->weigh;
    (void)worker;
    if (w->joint[a] == w->joint[b] || !(w->at_rest || w->scratch.triangle_moved[a] || w->scratch.triangle_moved[b]))
        return 0;
    const int *s = g->skin.who->mesh->triangles[a], *t = g->skin.who->mesh->triangles[b];
    if (pelti_triangles_share(s, t))
        return 0;
    const Vec3 p[3] = {w->scratch.x[s[0]], w->scratch.x[s[1]], w->scratch.x[s[2]]},
               q[3] = {w->scratch.x[t[0]], w->scratch.x[t[1]], w->scratch.x[t[2]]};
    float touching = (float)DEEP_PAIR * (float)g->size;
    if (!w->at_rest && !(reach(p, q) > touching && reach(q, p) > touching))
        return 0;
    return pelti_triangles_meet(p, q) != PELTI_TRIANGLES_APART && (w->at_rest || !crosses_at_rest(w, a, b));
}

static bool may_cross(void *context, int node_a, int node_b)
{
    const GiveWeigh *w = &((const PeltiGiveWay *)context)->weigh;
    return (w->at_rest || w->scratch.moved[node_a] || w->scratch.moved[node_b]) &&
           !(w->node_joint[node_a] != MIXED && w->node_joint[node_a] == w->node_joint[node_b]);
}

static void find_crossing(PeltiGiveWay *g)
{
    const PeltiMesh *mesh = g->skin.who->mesh;
    PeltiPairSearch search = {.nodes = may_cross, .test = crosses, .context = g};
    pelti_box_tree_refit_triangles(g->weigh.tree, g->jobs, mesh->triangles, g->weigh.scratch.x, NULL);
    pelti_box_tree_self_pairs_among(g->weigh.tree, &search, g->jobs, &g->weigh.scratch.pairs);
}

static PeltStatus list_rest(PeltiGiveWay *g, PeltError *err)
{
    GiveWeigh *w = &g->weigh;
    memcpy(w->scratch.x, g->skin.who->mesh->rest, (size_t)g->skin.who->mesh->vertex_count * sizeof(Vec3));
    w->at_rest = true;
    find_crossing(g);
    w->at_rest = false;
    w->rest_count = w->scratch.pairs.count;
    w->rest_keys = PELTI_NEW(&g->pool, int64_t, w->rest_count);
    if (g->pool.failed)
        return pelti_no_memory(err, (size_t)w->rest_count * sizeof(int64_t));
    for (int i = 0; i < w->rest_count; i++)
        w->rest_keys[i] = pair_key(w->scratch.pairs.pairs[i].a, w->scratch.pairs.pairs[i].b);
    if (w->rest_count)
        qsort(w->rest_keys, (size_t)w->rest_count, sizeof(int64_t), pelti_int64_order);
    return PELT_OK;
}

PeltStatus pelti_give_way_weigh_create(PeltiGiveWay *g, PeltError *err)
{
    GiveWeigh *w = &g->weigh;
    const PeltiMesh *mesh = g->skin.who->mesh;
    size_t joints = (size_t)g->skin.joint_count + 1;
    PELT_TRY(pelti_box_tree_build_triangles(&g->pool, mesh->triangle_count, mesh->triangles, mesh->rest, &w->tree, err));
    PELT_TRY(pelti_pairs_create(&g->pool, MOST_CROSSING, w->tree, &w->scratch.pairs, err));
    w->joint = PELTI_NEW(&g->pool, int, mesh->triangle_count);
    w->scratch.x = PELTI_NEW(&g->pool, Vec3, mesh->vertex_count);
    w->scratch.other = PELTI_NEW(&g->pool, Vec3, mesh->vertex_count);
    w->scratch.moved = PELTI_NEW(&g->pool, bool, w->tree->node_count);
    w->scratch.triangle_moved = PELTI_NEW(&g->pool, bool, mesh->triangle_count);
    w->node_joint = PELTI_NEW(&g->pool, int, w->tree->node_count);
    w->scratch.on_path = PELTI_NEW(&g->pool, bool, joints);
    w->gate = PELTI_NEW(&g->pool, double, joints);
    w->scratch.by_clip = PELTI_NEW(&g->pool, int, joints);
    w->scratch.by_turn = PELTI_NEW(&g->pool, int, joints);
    if (g->pool.failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof(Vec3));
    for (int t = 0; t < mesh->triangle_count; t++)
        w->joint[t] = joint_of(g, mesh->triangles[t]);
    for (int n = w->tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &w->tree->nodes[n];
        int one = w->joint[w->tree->items[node->first]];
        for (int s = node->first; s < node->first + node->count && node->right < 0; s++)
            one = w->joint[w->tree->items[s]] == one ? one : MIXED;
        if (node->right >= 0)
            one = w->node_joint[n + 1] == w->node_joint[node->right] ? w->node_joint[n + 1] : MIXED;
        w->node_joint[n] = one;
    }
    return list_rest(g, err);
}

// ---- a step ----

/// Branches of the tree in which the two poses differ.
static void mark_moved(PeltiGiveWay *g)
{
    GiveWeigh *w = &g->weigh;
    const PeltiMesh *mesh = g->skin.who->mesh;
    float least = 0.5f * (float)DEEP_PAIR * (float)g->size;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        w->scratch.triangle_moved[t] = vec3_distance(w->scratch.x[v[0]], w->scratch.other[v[0]]) > least ||
                                       vec3_distance(w->scratch.x[v[1]], w->scratch.other[v[1]]) > least ||
                                       vec3_distance(w->scratch.x[v[2]], w->scratch.other[v[2]]) > least;
    }
    for (int n = w->tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &w->tree->nodes[n];
        w->scratch.moved[n] = node->right >= 0 && (w->scratch.moved[n + 1] || w->scratch.moved[node->right]);
        for (int s = node->first; s < node->first + node->count && node->right < 0 && !w->scratch.moved[n]; s++)
            w->scratch.moved[n] = w->scratch.triangle_moved[w->tree->items[s]];
    }
}

/// Pairs that cross, for each joint that moves one of the two against the other.
static void count_crossing(PeltiGiveWay *g, int *count)
{
    GiveWeigh *w = &g->weigh;
    memset(count, 0, sizeof *count * (size_t)g->skin.joint_count);
    find_crossing(g);
    for (int i = 0; i < w->scratch.pairs.count; i++) {
        const int ends[2] = {w->joint[w->scratch.pairs.pairs[i].a], w->joint[w->scratch.pairs.pairs[i].b]};
        for (int e = 0; e < 2; e++)
            for (int j = ends[e]; j >= 0; j = g->skin.joints[j].parent)
                w->scratch.on_path[j] ^= true;
        for (int e = 0; e < 2; e++)
            for (int j = ends[e]; j >= 0; j = g->skin.joints[j].parent)
                if (w->scratch.on_path[j])
                    count[j]++, w->scratch.on_path[j] = false;
    }
}

static double wanted_gate(const GiveWeigh *w, int joint)
{
    int clip = w->scratch.by_clip[joint], less = clip - w->scratch.by_turn[joint];
    return less <= 0 ? 0 : fmin(1, (double)less / (ENOUGH_LESS * (double)clip));
}

/// Gates go to where the two poses say, no faster than skin may be seen to go.
static void move_gates(PeltiGiveWay *g, double dt_s, bool restart)
{
    GiveWeigh *w = &g->weigh;
    for (int j = 0; j < g->skin.joint_count; j++) {
        double moves = pelti_give_way_angle(g->held_back.turn[j]) * g->held_back.reach[j];
        double most = restart || !(dt_s > 0) ? 1 : dt_s * GATE_SPEED * g->size / fmax(moves, 1e-9 * g->size);
        double change = wanted_gate(w, j) - w->gate[j];
        w->gate[j] += fmax(-most, fmin(most, change));
    }
}

/// Whether all turns are as they were.
static bool gate_turns(PeltiGiveWay *g)
{
    bool as_turned = true;
    for (int j = 0; j < g->skin.joint_count; j++) {
        as_turned &= g->weigh.gate[j] == 1 || !(pelti_give_way_angle(g->held_back.turn[j]) > 0);
        for (int k = 0; k < 3; k++)
            g->held_back.turn[j][k] *= g->weigh.gate[j];
    }
    return as_turned;
}

static void place_turned(PeltiGiveWay *g, const double (*turn)[3], Vec3 *x)
{
    PeltiContactSkinTrial *pose = &g->held_back.scratch.pose;
    pelti_contact_skin_try(&g->skin, turn, pose);
    pelti_contact_skin_place(&g->skin, pose->bones, x);
}

static bool any_shown(const PeltiGiveWay *g)
{
    bool any = false;
    for (int j = 0; j < g->skin.joint_count; j++)
        any |= pelti_give_way_angle(g->held_back.turn[j]) > 0;
    return any;
}

/// What is about to be shown crosses more than the clip's own pose somewhere: there nothing is shown of it.
static void refuse_worse(PeltiGiveWay *g, long by_clip, bool as_turned)
{
    GiveWeigh *w = &g->weigh;
    for (int round = 0; round < WEIGH_ROUNDS && any_shown(g); round++) {
        bool any = false;
        if (round > 0 || !as_turned) {
            place_turned(g, (const double(*)[3])g->held_back.turn, w->scratch.x);
            count_crossing(g, w->scratch.by_turn);
        }
        for (int j = 0; j < g->skin.joint_count; j++)
            if (pelti_give_way_angle(g->held_back.turn[j]) > 0 &&
                (w->scratch.by_turn[j] > w->scratch.by_clip[j] ||
                 (round == WEIGH_ROUNDS - 1 && w->scratch.pairs.count > by_clip))) {
                any = true;
                w->gate[j] = 0;
                memset(g->held_back.turn[j], 0, sizeof(double[3]));
            }
        if (!any)
            return;
    }
}

void pelti_give_way_weigh(PeltiGiveWay *g, double dt_s, bool restart)
{
    GiveWeigh *w = &g->weigh;
    bool any = false;
    for (int j = 0; j < g->skin.joint_count; j++)
        any |= pelti_give_way_angle(g->held_back.turn[j]) > WORTH_WEIGHING;
    if (!any)
        return;
    place_turned(g, (const double(*)[3])g->held_back.turn, w->scratch.other);
    place_turned(g, NULL, w->scratch.x);
    mark_moved(g);
    count_crossing(g, w->scratch.by_clip);
    long by_clip = w->scratch.pairs.count;
    Vec3 *swap = w->scratch.x;
    w->scratch.x = w->scratch.other, w->scratch.other = swap;
    count_crossing(g, w->scratch.by_turn);
    move_gates(g, dt_s, restart);
    refuse_worse(g, by_clip, gate_turns(g));
}
