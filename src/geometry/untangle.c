/// Moves crossing triangles apart, a hair each.
#include "geometry/untangle.h"

#include "geometry/exact.h"

#include <string.h>

enum { MOST_PAIRS = 20000, PARTINGS = 12, STALL = 20, RINGS = 3 }; // rounds: of parting alone, then of both in turn

static bool share_vertex(const int a[3], const int b[3])
{
    for (int i = 0; i < 3; i++)
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2])
            return true;
    return false;
}

static void corners(const PeltiUntangle *u, const Vec3 *x, int triangle, Vec3 p[3])
{
    for (int k = 0; k < 3; k++)
        p[k] = x[u->mesh->triangles[triangle][k]];
}

static int crosses(void *context, int a, int b, int worker)
{
    const PeltiUntangle *u = context;
    Vec3 p[3], q[3];
    (void)worker;
    if (share_vertex(u->mesh->triangles[a], u->mesh->triangles[b]) || (u->rest_crosses[a] && u->rest_crosses[b]))
        return 0;
    corners(u, u->looks_at, a, p);
    corners(u, u->looks_at, b, q);
    return pelti_triangles_meet(p, q) == PELTI_CROSSING;
}

/// Crossing pairs, of all triangles or of those near the last ones only.
static void find_pairs(PeltiUntangle *u, PeltiJobs *jobs, const Vec3 *x, bool all)
{
    u->looks_at = x;
    for (int t = 0; t < u->mesh->triangle_count && !all; t++) {
        const int *v = u->mesh->triangles[t];
        u->boxes[t] = (PeltiBox){vec3(1, 1, 1), vec3(-1, -1, -1)};
        if (u->near[v[0]] && u->near[v[1]] && u->near[v[2]])
            u->boxes[t] =
                (PeltiBox){vec3_min(x[v[0]], vec3_min(x[v[1]], x[v[2]])), vec3_max(x[v[0]], vec3_max(x[v[1]], x[v[2]]))};
    }
    if (all)
        pelti_box_tree_refit_triangles(u->tree, jobs, u->mesh->triangles, x, NULL);
    else
        pelti_box_tree_refit(u->tree, jobs, u->boxes);
    pelti_box_tree_self_pairs(u->tree, 0, crosses, u, jobs, &u->pairs);
}

PeltStatus pelti_untangle_build(PeltiPool *pool, const PeltiMesh *mesh, float gap, PeltiUntangle *out, PeltError *err)
{
    size_t n = (size_t)mesh->vertex_count + 1, triangles = (size_t)mesh->triangle_count + 1;
    *out = (PeltiUntangle){.mesh = mesh, .gap = gap};
    PELT_TRY(pelti_box_tree_build_triangles(pool, mesh->triangle_count, mesh->triangles, mesh->rest, &out->tree, err));
    PELT_TRY(pelti_pairs_create(pool, MOST_PAIRS, out->tree, &out->pairs, err));
    out->boxes = PELTI_NEW(pool, PeltiBox, triangles);
    out->rest_crosses = PELTI_NEW(pool, bool, triangles);
    out->edge = PELTI_NEW(pool, float, n);
    out->near = PELTI_NEW(pool, unsigned char, n);
    out->step = PELTI_NEW(pool, Vec3, n);
    out->best = PELTI_NEW(pool, Vec3, n);
    out->weight = PELTI_NEW(pool, float, n);
    if (pool->failed)
        return pelti_no_memory(err, n * sizeof(Vec3));
    pelti_mesh_edge_lengths(mesh, mesh->rest, out->edge);
    find_pairs(out, NULL, mesh->rest, true);
    for (int i = 0; i < out->pairs.count; i++)
        out->rest_crosses[out->pairs.pairs[i].a] = out->rest_crosses[out->pairs.pairs[i].b] = true;
    return PELT_OK;
}

static Vec3 unit_normal(const Vec3 p[3])
{
    return vec3_normalize_or(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])), vec3(0, 0, 0));
}

/// How far each corner of p lies below `gap` over the plane through q, and the most of these.
static float lift(const Vec3 p[3], Vec3 q, Vec3 normal, float gap, float h[3])
{
    float most = 0;
    for (int k = 0; k < 3; k++) {
        h[k] = fmaxf(0, gap - vec3_dot(vec3_sub(p[k], q), normal));
        most = fmaxf(most, h[k]);
    }
    return most;
}

static void push(PeltiUntangle *u, int v, Vec3 d)
{
    float most = 0.5f * u->edge[v], length = vec3_length(d);
    u->step[v] = vec3_mad(u->step[v], d, length > most ? most / length : 1);
    u->weight[v]++;
}

/// Two triangles part along the normal of the one that asks for less: corners of the other rise over its plane half of the way,
/// it sinks by half of their mean. Where both face the same way neither
/// normal says which side is right.
static void part_pair(PeltiUntangle *u, const Vec3 *x, int a, int b)
{
    Vec3 p[3], q[3];
    float hp[3], hq[3];
    corners(u, x, a, p);
    corners(u, x, b, q);
    Vec3 np = unit_normal(p), nq = unit_normal(q);
    if (vec3_dot(np, nq) > 0.3f)
        return;
    bool first = lift(p, q[0], nq, u->gap, hp) <= lift(q, p[0], np, u->gap, hq);
    Vec3 n = first ? nq : np;
    const int *rise = u->mesh->triangles[first ? a : b], *sink = u->mesh->triangles[first ? b : a];
    const float *h = first ? hp : hq;
    float mean = (h[0] + h[1] + h[2]) / 3;
    for (int k = 0; k < 3; k++) {
        if (h[k] > 0)
            push(u, rise[k], vec3_scale(n, 0.5f * h[k]));
        push(u, sink[k], vec3_scale(n, -0.5f * mean));
    }
}

/// Pairs are worth more the deeper they are: a touch hardly shows.
static double score(const PeltiUntangle *u, const Vec3 *x)
{
    double sum = 0;
    for (int i = 0; i < u->pairs.count; i++) {
        Vec3 p[3], q[3];
        float h[3], past = INFINITY;
        corners(u, x, u->pairs.pairs[i].a, p);
        corners(u, x, u->pairs.pairs[i].b, q);
        past = fminf(past, lift(p, q[0], unit_normal(q), 0, h));
        past = fminf(past, lift(q, p[0], unit_normal(p), 0, h));
        sum += 1 + (double)(past / u->gap);
    }
    return sum;
}

static void mark_near(PeltiUntangle *u)
{
    const PeltiMesh *mesh = u->mesh;
    for (int i = 0; i < u->pairs.count; i++)
        for (int k = 0; k < 3; k++)
            u->near[mesh->triangles[u->pairs.pairs[i].a][k]] = u->near[mesh->triangles[u->pairs.pairs[i].b][k]] = 1;
    for (int ring = 1; ring <= RINGS; ring++)
        for (int v = 0; v < mesh->vertex_count; v++)
            for (int r = mesh->ring_start[v]; !u->near[v] && r < mesh->ring_start[v + 1]; r++)
                if (u->near[mesh->ring[r]] == ring)
                    u->near[v] = (unsigned char)(ring + 1);
}

/// Vertices that were pushed take the mean of their pushes; those beside them a share of it, so that no spike is left.
static void part(PeltiUntangle *u, Vec3 *x)
{
    const PeltiMesh *mesh = u->mesh;
    memset(u->step, 0, sizeof *u->step * (size_t)mesh->vertex_count);
    memset(u->weight, 0, sizeof *u->weight * (size_t)mesh->vertex_count);
    for (int i = 0; i < u->pairs.count; i++)
        part_pair(u, x, u->pairs.pairs[i].a, u->pairs.pairs[i].b);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (u->weight[v] > 0)
            u->step[v] = vec3_scale(u->step[v], 1 / u->weight[v]);
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 move = u->step[v];
        if (u->near[v] && !(u->weight[v] > 0)) {
            for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
                move = vec3_add(move, u->step[mesh->ring[r]]);
            move = vec3_scale(move, 0.67f / (float)(mesh->ring_start[v + 1] - mesh->ring_start[v] + 1));
        }
        x[v] = vec3_add(x[v], move);
    }
}

/// Crumpled skin has no side to be pushed to: it is smoothed, less with every ring. (Smoothing forth and back, which keeps girth,
/// leaves the crumples: 81 deep pairs in place of none in a body that squats with its knees at its chest.)
static void iron(PeltiUntangle *u, Vec3 *x)
{
    const PeltiMesh *mesh = u->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        Vec3 sum = {0, 0, 0};
        u->step[v] = x[v];
        if (!u->near[v] || u->near[v] > RINGS || !degree)
            continue;
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
            sum = vec3_add(sum, x[mesh->ring[r]]);
        u->step[v] = vec3_lerp(x[v], vec3_scale(sum, 1 / (float)degree), 0.5f / (float)u->near[v]);
    }
    memcpy(x, u->step, sizeof *x * (size_t)mesh->vertex_count);
}

int pelti_untangle(PeltiUntangle *u, PeltiJobs *jobs, Vec3 *x, int rounds)
{
    size_t bytes = sizeof *x * (size_t)u->mesh->vertex_count;
    find_pairs(u, jobs, x, true);
    int left = u->found = u->pairs.count;
    if (!left)
        return 0;
    double best = score(u, x);
    memcpy(u->best, x, bytes);
    memset(u->near, 0, (size_t)u->mesh->vertex_count);
    for (int round = 0, stalled = 0; round < rounds && left && stalled < STALL; round++, stalled++) {
        if (round == PARTINGS) { // what is left of the best state is ironed and parted in turn
            memcpy(x, u->best, bytes);
            find_pairs(u, jobs, x, false);
        }
        mark_near(u);
        if (round >= PARTINGS && round % 2 == 0)
            iron(u, x);
        else
            part(u, x);
        find_pairs(u, jobs, x, false);
        double now = score(u, x);
        if (now < best) {
            best = now;
            stalled = 0;
            left = u->pairs.count;
            memcpy(u->best, x, bytes);
        }
    }
    memcpy(x, u->best, bytes);
    return left;
}
