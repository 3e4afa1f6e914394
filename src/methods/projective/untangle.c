/// The last word on what is shown: triangles that still cross after the solve, anywhere on the skin, are found with the box tree
/// and moved apart, a hair each; where the skin crosses itself in a crease it is ironed. Planes by the pose leave shallow
/// overlaps where the skin is not the hull they take it for. This changes the output, never the simulation, so nothing can swing
/// up between the two.
#include "methods/projective/parts.h"

#include "geometry/exact.h"

#include <string.h>

enum { MOST_PAIRS = 20000, ROUNDS = 10 };

static const float own_share = 0.4f; // of a push; the rest goes to the ring

struct ProjUntangle {
    PeltiBoxTree *tree;
    PeltiPairs pairs;
    PeltiBox *boxes;        // [triangle]
    Vec3 *push;             // [vertex] sum of this round
    Vec3 *spread;           // [vertex]
    float *count;           // [vertex]
    unsigned char *near;    // [vertex] may cross something
    unsigned char *tangled; // [triangle] crosses another at rest: stays as it is
    float gap, deepest;
};

typedef struct Cross {
    const PeltiMesh *mesh;
    const Vec3 *x;
} Cross;

static int crosses(void *context, int a, int b, int worker)
{
    (void)worker;
    const Cross *c = context;
    const int *s = c->mesh->triangles[a], *t = c->mesh->triangles[b];
    for (int i = 0; i < 3; i++)
        if (s[i] == t[0] || s[i] == t[1] || s[i] == t[2])
            return 0;
    const Vec3 p[3] = {c->x[s[0]], c->x[s[1]], c->x[s[2]]}, q[3] = {c->x[t[0]], c->x[t[1]], c->x[t[2]]};
    return pelti_triangles_meet(p, q) == PELTI_CROSSING;
}

static Vec3 unit_normal(const Vec3 *x, const int t[3])
{
    return vec3_normalize_or(vec3_cross(vec3_sub(x[t[1]], x[t[0]]), vec3_sub(x[t[2]], x[t[0]])), vec3(0, 0, 0));
}

/// Corners of s that are behind the plane of t move to half a gap before it, half of the way: t does the other half.
static void push_out(ProjUntangle *u, const Vec3 *x, const int s[3], const int t[3], Vec3 normal)
{
    for (int k = 0; k < 3; k++) {
        float h = vec3_dot(vec3_sub(x[s[k]], x[t[0]]), normal);
        if (h >= u->gap || h < -u->deepest)
            continue;
        u->push[s[k]] = vec3_mad(u->push[s[k]], normal, 0.5f * (u->gap - h));
        u->count[s[k]]++;
    }
}

/// Corners of a crumpled triangle move to the mean of their neighbours.
static void iron(ProjUntangle *u, const PeltiMesh *mesh, const Vec3 *x, const int s[3])
{
    for (int k = 0; k < 3; k++) {
        Vec3 sum = {0, 0, 0};
        int first = mesh->ring_start[s[k]], last = mesh->ring_start[s[k] + 1];
        for (int r = first; r < last; r++)
            sum = vec3_add(sum, x[mesh->ring[r]]);
        if (last == first)
            continue;
        u->push[s[k]] = vec3_add(u->push[s[k]], vec3_sub(vec3_scale(sum, 1 / (float)(last - first)), x[s[k]]));
        u->count[s[k]]++;
    }
}

/// Means of the pushes, evened out over rings so that no spike is left: a push alone would crumple the skin around it.
static void apply(ProjUntangle *u, const PeltiMesh *mesh, Vec3 *x)
{
    for (int v = 0; v < mesh->vertex_count; v++)
        u->spread[v] = u->count[v] > 0 ? vec3_scale(u->push[v], 1 / u->count[v]) : vec3(0, 0, 0);
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (!u->near[v])
            continue;
        Vec3 sum = {0, 0, 0};
        float weight = 1e-6f;
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++) {
            sum = vec3_add(sum, u->spread[mesh->ring[r]]);
            weight += 1;
        }
        x[v] = vec3_add(x[v], vec3_add(vec3_scale(u->spread[v], own_share), vec3_scale(sum, (1 - own_share) / weight)));
    }
}

/// Two rings around the vertices marked 1.
static void grow_near(const Projective *p, ProjUntangle *u)
{
    for (int ring = 1; ring <= 2; ring++)
        for (int v = 0; v < p->count; v++)
            for (int r = p->mesh->ring_start[v]; !u->near[v] && r < p->mesh->ring_start[v + 1]; r++)
                if (u->near[p->mesh->ring[r]] == ring)
                    u->near[v] = (unsigned char)(ring + 1);
}

/// Vertices of triangles that cross: all that moves from now on is around them.
static void mark_crossing(const Projective *p, ProjUntangle *u)
{
    memset(u->near, 0, (size_t)p->count);
    for (int k = 0; k < u->pairs.count; k++)
        for (int c = 0; c < 3; c++) {
            u->near[p->mesh->triangles[u->pairs.pairs[k].a][c]] = 1;
            u->near[p->mesh->triangles[u->pairs.pairs[k].b][c]] = 1;
        }
    grow_near(p, u);
}

static void place_boxes(const Projective *p, ProjUntangle *u, const Vec3 *x)
{
    for (int f = 0; f < p->mesh->triangle_count; f++) {
        const int *t = p->mesh->triangles[f];
        u->boxes[f] = (PeltiBox){vec3(1, 1, 1), vec3(-1, -1, -1)};
        if (!u->tangled[f] && (u->near[t[0]] | u->near[t[1]] | u->near[t[2]]))
            u->boxes[f] =
                (PeltiBox){vec3_min(x[t[0]], vec3_min(x[t[1]], x[t[2]])), vec3_max(x[t[0]], vec3_max(x[t[1]], x[t[2]]))};
    }
}

int pelti_proj_untangle(Projective *p, Vec3 *x)
{
    ProjUntangle *u = p->untangle;
    if (!u)
        return 0;
    memset(u->near, 1, (size_t)p->count);
    Cross cross = {p->mesh, x};
    int left = 0;
    for (int round = 0; round < ROUNDS; round++) {
        place_boxes(p, u, x);
        pelti_box_tree_refit(u->tree, p->jobs, u->boxes);
        pelti_box_tree_self_pairs(u->tree, 0, crosses, &cross, p->jobs, &u->pairs);
        left = u->pairs.count;
        if (!left)
            break;
        if (round == 0)
            mark_crossing(p, u);
        memset(u->push, 0, (size_t)p->count * sizeof *u->push);
        memset(u->count, 0, (size_t)p->count * sizeof *u->count);
        for (int k = 0; k < u->pairs.count; k++) {
            const int *s = p->mesh->triangles[u->pairs.pairs[k].a], *t = p->mesh->triangles[u->pairs.pairs[k].b];
            Vec3 ns = unit_normal(x, s), nt = unit_normal(x, t);
            if (vec3_dot(ns, nt) > -0.3f) { // a crease of one patch: nothing to tell apart
                iron(u, p->mesh, x, s);
                iron(u, p->mesh, x, t);
                continue;
            }
            push_out(u, x, s, t, nt);
            push_out(u, x, t, s, ns);
        }
        apply(u, p->mesh, x);
    }
    return left;
}

PeltStatus pelti_proj_untangle_create(Projective *p, PeltError *err)
{
    const PeltiMesh *mesh = p->mesh;
    size_t n = (size_t)mesh->vertex_count + 1;
    ProjUntangle *u = PELTI_NEW(&p->pool, ProjUntangle, 1);
    if (!u)
        return pelti_no_memory(err, sizeof *u);
    PELT_TRY(pelti_box_tree_build_triangles(&p->pool, mesh->triangle_count, mesh->triangles, mesh->rest, &u->tree, err));
    PELT_TRY(pelti_pairs_create(&p->pool, MOST_PAIRS, u->tree, &u->pairs, err));
    u->boxes = PELTI_NEW(&p->pool, PeltiBox, (size_t)mesh->triangle_count + 1);
    u->push = PELTI_NEW(&p->pool, Vec3, n);
    u->spread = PELTI_NEW(&p->pool, Vec3, n);
    u->count = PELTI_NEW(&p->pool, float, n);
    u->near = PELTI_NEW(&p->pool, unsigned char, n);
    u->tangled = PELTI_NEW(&p->pool, unsigned char, (size_t)mesh->triangle_count + 1);
    if (p->pool.failed)
        return pelti_no_memory(err, n * sizeof(Vec3));
    u->gap = 1.5e-4f * mesh->diagonal;
    u->deepest = 0.008f * mesh->diagonal;
    Cross cross = {mesh, mesh->rest};
    pelti_box_tree_self_pairs(u->tree, 0, crosses, &cross, p->jobs, &u->pairs);
    for (int k = 0; k < u->pairs.count; k++)
        u->tangled[u->pairs.pairs[k].a] = u->tangled[u->pairs.pairs[k].b] = 1;
    p->untangle = u;
    return PELT_OK;
}
