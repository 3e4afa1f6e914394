/// Parts triangles of the skin that still cross.
#include "methods/tracking/tracking.h"

#include <string.h>

bool tracking_share_vertex(const int a[3], const int b[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i] == b[j])
                return true;
    return false;
}

static Vec3 triangle_normal(const Vec3 p[3])
{
    return vec3_normalize_or(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])), vec3(0, 0, 0));
}

static void corners(const Tracking *t, int triangle, Vec3 p[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = t->shown[t->mesh->triangles[triangle][i]];
}

Vec3 tracking_triangle_normal(const Tracking *t, int triangle)
{
    Vec3 p[3];
    corners(t, triangle, p);
    return triangle_normal(p);
}

/// All corners of q farther than `gap` from the plane of p, on one side of it.
static bool clear_of_plane(Vec3 p, Vec3 n, const Vec3 q[3], float gap)
{
    float a = vec3_dot(vec3_sub(q[0], p), n), b = vec3_dot(vec3_sub(q[1], p), n), c = vec3_dot(vec3_sub(q[2], p), n);
    return fminf(a, fminf(b, c)) > gap || fmaxf(a, fmaxf(b, c)) < -gap;
}

static bool edge_pierces(const Vec3 p[3], const Vec3 q[3])
{
    double at, weight[3];
    for (int i = 0; i < 3; i++)
        if (pelti_segment_pierces(p[i], p[(i + 1) % 3], q[0], q[1], q[2], &at, weight))
            return true;
    return false;
}

/// Crossing, or nearer than the gap and facing each other. Most pairs of boxes that meet are clear by a plane; of the others only
/// those that face each other need their distance.
static int touches(void *context, int a, int b, int worker)
{
    const Tracking *t = context;
    (void)worker;
    if (tracking_share_vertex(t->mesh->triangles[a], t->mesh->triangles[b]) || (t->rest_cross[a] && t->rest_cross[b]))
        return 0;
    Vec3 p[3], q[3], np = t->face_normal[a], nq = t->face_normal[b];
    corners(t, a, p);
    corners(t, b, q);
    bool facing = vec3_dot(np, nq)<-0.2f, flat = vec3_dot(np, np)> 0 && vec3_dot(nq, nq) > 0;
    float gap = facing ? 1.001f * t->set.gap : 0;
    if (flat && (clear_of_plane(p[0], np, q, gap) || clear_of_plane(q[0], nq, p, gap)))
        return 0;
    if (!facing)
        return edge_pierces(p, q) || edge_pierces(q, p);
    PeltiClosestTriangles c = pelti_closest_triangles(p, q);
    if (c.crossing)
        return 1;
    return c.squared < (double)(t->set.gap * t->set.gap) ? 2 : 0;
}

/// How far the lowest corner of p lies below `gap` over the plane of q.
static float lift(const Vec3 p[3], const Vec3 q[3], Vec3 n, float gap, float h[3])
{
    float most = 0;
    for (int i = 0; i < 3; i++) {
        h[i] = fmaxf(0, gap - vec3_dot(vec3_sub(p[i], q[0]), n));
        most = fmaxf(most, h[i]);
    }
    return most;
}

static void push(Tracking *t, int v, Vec3 d)
{
    float most = 0.5f * t->edge[v], length = vec3_length(d);
    if (t->kind[v] == VERTEX_RIGID || !(length > 0))
        return;
    t->step[v] = vec3_mad(t->step[v], d, length > most ? most / length : 1);
    t->push_count[v] += 1;
}

/// Moves two triangles apart along the normal of the one that asks for less: corners below the gap rise to it, half by the
/// one, half by the other.
static void part_pair(Tracking *t, const PeltiPair *pair)
{
    const int *ia = t->mesh->triangles[pair->a], *ib = t->mesh->triangles[pair->b];
    Vec3 p[3], q[3];
    corners(t, pair->a, p);
    corners(t, pair->b, q);
    Vec3 np = t->face_normal[pair->a], nq = t->face_normal[pair->b];
    float gap = 0.5f * t->set.gap, hp[3], hq[3];
    float over_q = lift(p, q, nq, gap, hp), over_p = lift(q, p, np, gap, hq);
    bool first = over_q <= over_p; // p rises over q's plane
    Vec3 n = first ? nq : np;
    const int *rise = first ? ia : ib, *sink = first ? ib : ia;
    const float *h = first ? hp : hq;
    float mean = (h[0] + h[1] + h[2]) / 3;
    for (int i = 0; i < 3; i++) {
        if (h[i] > 0)
            push(t, rise[i], vec3_scale(n, 0.5f * h[i]));
        push(t, sink[i], vec3_scale(n, -0.5f * mean));
    }
}

static void box_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    Vec3 grow = vec3(t->set.gap, t->set.gap, t->set.gap), p[3];
    (void)worker;
    for (int k = begin; k < end; k++) {
        const int *i = t->mesh->triangles[k];
        t->boxes[k] = (PeltiBox){{1, 1, 1}, {-1, -1, -1}};
        if (t->touch[i[0]] + t->touch[i[1]] + t->touch[i[2]] < 0.02f)
            continue;
        corners(t, k, p);
        t->boxes[k].low = vec3_sub(vec3_min(p[0], vec3_min(p[1], p[2])), grow);
        t->boxes[k].high = vec3_add(vec3_max(p[0], vec3_max(p[1], p[2])), grow);
        t->face_normal[k] = triangle_normal(p);
    }
}

void tracking_gather_boxes(Tracking *t)
{
    pelti_parallel_for(t->jobs, t->mesh->triangle_count, 8 * GRAIN, box_range, t);
    pelti_box_tree_refit(t->tree, t->jobs, t->boxes);
}

/// Crossing pairs of what is shown, near contacts; pairs are left in t->pairs.
static int count_crossings(Tracking *t)
{
    int crossing = 0;
    tracking_gather_boxes(t);
    pelti_box_tree_self_pairs(t->tree, 0, touches, t, t->jobs, &t->pairs);
    for (int k = 0; k < t->pairs.count; k++)
        crossing += t->pairs.pairs[k].tag == 1;
    return crossing;
}

/// The skin of one part, or of two that belong together.
static bool same_skin(const Tracking *t, const PeltiPair *pair)
{
    int a = t->fields->vertex_part[t->mesh->triangles[pair->a][0]], b = t->fields->vertex_part[t->mesh->triangles[pair->b][0]];
    return a < 0 || b < 0 || !pelti_fields_apart(t->fields, a, b);
}

static void part_pairs(Tracking *t, bool only_apart)
{
    int count = t->mesh->vertex_count;
    memset(t->step, 0, sizeof(Vec3) * (size_t)count);
    memset(t->push_count, 0, sizeof(float) * (size_t)count);
    for (int k = 0; k < t->pairs.count; k++)
        if (!only_apart || !same_skin(t, &t->pairs.pairs[k]))
            part_pair(t, &t->pairs.pairs[k]);
    for (int v = 0; v < count; v++)
        if (t->push_count[v] > 0)
            t->shown[v] = vec3_mad(t->shown[v], t->step[v], 1 / t->push_count[v]);
}

/// Crumpled skin that crosses itself has no side to be pushed to: it is smoothed out, with two rings around it.
static void iron(Tracking *t)
{
    const PeltiMesh *mesh = t->mesh;
    int count = mesh->vertex_count;
    memset(t->push_count, 0, sizeof(float) * (size_t)count);
    for (int k = 0; k < t->pairs.count; k++)
        for (int i = 0; i < 6 && t->pairs.pairs[k].tag == 1 && same_skin(t, &t->pairs.pairs[k]); i++)
            t->push_count[mesh->triangles[i < 3 ? t->pairs.pairs[k].a : t->pairs.pairs[k].b][i % 3]] = 1;
    for (int round = 0; round < 2; round++)
        for (int v = 0; v < count; v++) {
            float most = 0;
            for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
                most = fmaxf(most, t->push_count[mesh->ring[e]] - (round ? 0.4f : 0.3f));
            if (t->push_count[v] < most && t->push_count[v] < 1)
                t->push_count[v] = most;
        }
    for (int v = 0; v < count; v++) {
        int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        Vec3 sum = {0, 0, 0};
        t->step[v] = t->shown[v];
        if (!(t->push_count[v] > 0) || degree == 0 || t->kind[v] == VERTEX_RIGID)
            continue;
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
            sum = vec3_add(sum, t->shown[mesh->ring[e]]);
        t->step[v] = vec3_lerp(t->shown[v], vec3_scale(sum, 1 / (float)degree), 0.5f * t->push_count[v]);
    }
    memcpy(t->shown, t->step, sizeof(Vec3) * (size_t)count);
}

/// Passes without fewer crossings after which a way of parting is given up; a crumple of more than MANY is worth fewer, and each
/// has to take a share of it away.
enum { PATIENCE = 12, HASTE = 2, MANY = 100 };

/// Last explicit separation of touching skin: shown, not kept. Pairs are found with the box tree among triangles near
/// contacts and parted a little at a time; what a pass moves is averaged per vertex, so the order does not matter. The
/// state with the fewest crossings on the way is the one shown: crumpled skin can get worse by pushing.
void tracking_separate(Tracking *t)
{
    size_t bytes = sizeof(Vec3) * (size_t)t->mesh->vertex_count;
    t->counters.separated = 0;
    if (!t->counters.contacts || t->set.separate_passes <= 0)
        return;
    int best = count_crossings(t), now = best, stale = 0;
    memcpy(t->buffer, t->shown, bytes);
    for (int pass = -1; pass < 2 * t->set.separate_passes && best > 0; pass++) {
        bool stuck = stale >= (best > MANY ? HASTE : PATIENCE);
        if (stuck && pass >= t->set.separate_passes)
            break;
        if (stuck)
            pass = t->set.separate_passes;
        if (pass == t->set.separate_passes) { // iron what is left of the best state
            memcpy(t->shown, t->buffer, bytes);
            count_crossings(t);
            stale = 0;
        }
        bool press = pass < 0 || (pass < t->set.separate_passes && pass % 4 == 3);
        if (press) {
            tracking_press_apart(t, pass < 0);
        } else if (pass < t->set.separate_passes) {
            part_pairs(t, false);
        } else {
            part_pairs(t, true);
            iron(t);
        }
        now = count_crossings(t);
        stale = now < best - (best > MANY ? best / 16 : 0) || (press && best <= MANY) ? 0 : stale + 1;
        if (now < best) {
            best = now;
            memcpy(t->buffer, t->shown, bytes);
        }
    }
    if (now > best)
        memcpy(t->shown, t->buffer, bytes);
    t->counters.separated = best;
}
