/// Contacts between bones that share no joint (hand on chest, thigh on belly, fingertip in palm), which [Komaritzan2018] leaves
/// out. The skin around each bone segment is summed up as a hull: its radius by place along the segment and direction around
/// it. Where the hulls of two segments overlap in a pose, each vertex of one gets a plane across the line from its own place
/// on its bone to the nearest place on the other, half-way through the overlap. Like the planes of folds these depend on the
/// pose alone: nothing to search, nothing that flickers, the same for any number of threads; and base points keep behind them.
#include "methods/projective/parts.h"

#include <string.h>

enum { ALONG = PROJ_HULL_ALONG, AROUND = PROJ_HULL_AROUND, MOST_WAYS = 400 };

static ProjPlace place_segment(const ProjSegment *s, const Mat34 *bones)
{
    ProjPlace p = {s->a, s->b, s->axis, vec3_orthogonal(s->axis), vec3(0, 0, 0), s->length};
    p.side2 = vec3_cross(p.axis, p.side1);
    if (!bones)
        return p;
    Mat34 m = bones[s->bone];
    p.a = mat34_apply(m, s->a);
    p.b = mat34_apply(m, s->b);
    p.length = vec3_distance(p.a, p.b);
    p.axis = vec3_normalize_or(mat34_apply_vector(m, p.axis), p.axis);
    p.side1 = vec3_normalize_or(mat34_apply_vector(m, p.side1), p.side1);
    p.side2 = vec3_cross(p.axis, p.side1);
    return p;
}

static float turn_of(Vec3 n, const ProjPlace *at) // in [0, AROUND)
{
    float turn = atan2f(vec3_dot(n, at->side2), vec3_dot(n, at->side1)) * (AROUND / 6.2831853f);
    return turn < 0 ? turn + AROUND : turn;
}

/// Radius of the hull at share t of the segment, towards n; towards an end it is the cap's.
static float hull_radius(const ProjHull *hull, const ProjPlace *at, float t, Vec3 n)
{
    float u = fminf(fmaxf(t, 0), 1) * (ALONG - 1), turn = turn_of(n, at), along = vec3_dot(n, at->axis);
    int i = u >= ALONG - 1 ? ALONG - 2 : (int)u, j = (int)turn % AROUND, k = (j + 1) % AROUND;
    float fu = u - (float)i, fv = turn - floorf(turn);
    float low = hull->radius[i][j] * (1 - fv) + hull->radius[i][k] * fv,
          high = hull->radius[i + 1][j] * (1 - fv) + hull->radius[i + 1][k] * fv;
    float radius = low * (1 - fu) + high * fu;
    float end = t <= 0 ? fmaxf(-along, 0) : t >= 1 ? fmaxf(along, 0) : 0, cap = t <= 0 ? hull->cap[0] : hull->cap[1];
    return radius + (cap - radius) * end * end;
}

/// The plane for a vertex at share t of segment a against segment b: 1. 0: their hulls are apart there. 2: they are so deep in
/// each other that the plane means little. `way` (may be NULL) is
/// the direction from b to a that held before they came close: bones that pass through each other keep their sides.
static int plane_at(const ProjHull *hull_a, const ProjPlace *a, const ProjHull *hull_b, const ProjPlace *b, float t, float slack,
                    const Vec3 *way, Vec3 *n, float *d)
{
    Vec3 s = vec3_lerp(a->a, a->b, t);
    float y = fminf(fmaxf(vec3_dot(vec3_sub(s, b->a), b->axis), 0), b->length);
    Vec3 c = vec3_mad(b->a, b->axis, y), out = vec3_sub(s, c);
    float distance = vec3_length(out), both = hull_a->most + hull_b->most;
    if (distance > both + slack)
        return 0;
    *n = vec3_normalize_or(out, way ? *way : vec3(0, 0, 0));
    float share = b->length > 0 ? y / b->length : 0;
    float ra = hull_radius(hull_a, a, t, vec3_scale(*n, -1)), rb = hull_radius(hull_b, b, share, *n);
    bool deep = distance < 0.6f * (ra + rb);
    if (way && distance < 0.55f * (ra + rb)) {
        float keep = fminf((0.55f * (ra + rb) - distance) / (0.2f * (ra + rb)), 1);
        *n = vec3_normalize_or(vec3_lerp(*n, *way, keep), *way);
        ra = hull_radius(hull_a, a, t, vec3_scale(*n, -1));
        rb = hull_radius(hull_b, b, share, *n);
        distance = vec3_dot(out, *n);
    }
    if (distance > ra + rb + slack || vec3_dot(*n, *n) < 0.5f)
        return 0;
    *d = vec3_dot(*n, c) + 0.5f * (rb + distance - ra);
    return deep ? 2 : 1;
}

/// Direction from b to a while they are clear of each other, kept in b's own frame; NULL: none is known yet.
static const Vec3 *known_way(ProjPairs *pairs, int segments, int a, int b, const PeltiClosestSegments *near, Vec3 *room)
{
    if (!pairs->ways)
        return NULL;
    Vec3 *kept = &pairs->ways[(size_t)a * (size_t)segments + (size_t)b];
    const ProjPlace *x = &pairs->now[a], *y = &pairs->now[b];
    float both = pairs->hulls[a].most + pairs->hulls[b].most;
    if (near->squared > 0.25 * (double)both * (double)both || vec3_dot(*kept, *kept) < 0.5f) {
        Vec3 out = vec3_sub(vec3_lerp(x->a, x->b, (float)near->s), vec3_lerp(y->a, y->b, (float)near->t));
        out = vec3_normalize_or(out, vec3(0, 0, 0));
        *kept = vec3(vec3_dot(out, y->axis), vec3_dot(out, y->side1), vec3_dot(out, y->side2));
    }
    *room = vec3_mad(vec3_mad(vec3_scale(y->axis, kept->x), y->side1, kept->y), y->side2, kept->z);
    return vec3_dot(*room, *room) > 0.5f ? room : NULL;
}

static bool joined(const ProjSkeleton *k, int a, int b)
{
    if (a == b || k->segments[a].skeleton != k->segments[b].skeleton || k->segments[a].bone == k->segments[b].bone)
        return true;
    for (int n = 0; n < k->segments[a].near_count; n++)
        if (k->near[k->segments[a].near_first + n] == b)
            return true;
    return false;
}

/// Mean radius of the vertices in each bin; empty bins take the mean of what is known around them.
static void fill_hull(ProjHull *hull, float sum[ALONG][AROUND], int count[ALONG][AROUND], float fallback)
{
    for (int i = 0; i < ALONG; i++)
        for (int j = 0; j < AROUND; j++)
            hull->radius[i][j] = count[i][j] ? sum[i][j] / (float)count[i][j] : -1;
    for (int round = 0; round < ALONG + AROUND; round++) {
        ProjHull from = *hull;
        for (int i = 0; i < ALONG; i++)
            for (int j = 0; j < AROUND; j++) {
                if (from.radius[i][j] >= 0)
                    continue;
                const float near[4] = {from.radius[i][(j + 1) % AROUND], from.radius[i][(j + AROUND - 1) % AROUND],
                                       i > 0 ? from.radius[i - 1][j] : -1, i < ALONG - 1 ? from.radius[i + 1][j] : -1};
                float total = 0;
                int known = 0;
                for (int q = 0; q < 4; q++)
                    if (near[q] >= 0) {
                        total += near[q];
                        known++;
                    }
                if (known)
                    hull->radius[i][j] = total / (float)known;
            }
    }
    hull->most = fallback;
    for (int i = 0; i < ALONG; i++)
        for (int j = 0; j < AROUND; j++) {
            if (hull->radius[i][j] < 0)
                hull->radius[i][j] = fallback;
            hull->most = fmaxf(hull->most, hull->radius[i][j]);
        }
    for (int e = 0; e < 2; e++)
        hull->most = fmaxf(hull->most, hull->cap[e]);
}

static void measure_hull(const Projective *p, ProjPairs *out, int s)
{
    ProjHull *hull = &out->hulls[s];
    ProjPlace at = place_segment(&p->skeleton.segments[s], NULL);
    float sum[ALONG][AROUND] = {{0}}, cap[2] = {0, 0};
    int count[ALONG][AROUND] = {{0}}, caps[2] = {0, 0};
    for (int e = out->start[s]; e < out->start[s + 1]; e++) {
        int i = out->unknowns[e];
        Vec3 x = vec3(p->rest[i][0], p->rest[i][1], p->rest[i][2]);
        float y = vec3_dot(vec3_sub(x, at.a), at.axis), t = fminf(fmaxf(y / at.length, 0), 1);
        Vec3 arm = vec3_sub(x, vec3_lerp(at.a, at.b, t));
        float radius = vec3_length(arm), end = vec3_dot(arm, at.axis);
        out->t[i] = t;
        if (fabsf(end) > 0.7f * radius) {
            cap[end > 0] += radius;
            caps[end > 0]++;
            continue;
        }
        int bin = (int)(t * (ALONG - 1) + 0.5f), turn = (int)(turn_of(arm, &at) + 0.5f) % AROUND;
        sum[bin][turn] += radius;
        count[bin][turn]++;
    }
    for (int e = 0; e < 2; e++)
        hull->cap[e] = caps[e] ? cap[e] / (float)caps[e] : p->skeleton.segments[s].radius;
    fill_hull(hull, sum, count, p->skeleton.segments[s].radius);
}

PeltStatus pelti_proj_pairs(Projective *p, float gap, ProjPairs *out, PeltError *err)
{
    int segments = p->skeleton.segment_count;
    PeltiPool *pool = &p->pool;
    *out = (ProjPairs){.gap = gap};
    out->start = PELTI_NEW(pool, int, (size_t)segments + 2);
    out->unknowns = PELTI_NEW(pool, int, (size_t)p->count + 1);
    out->t = PELTI_NEW(pool, float, (size_t)p->count + 1);
    out->hulls = PELTI_NEW(pool, ProjHull, (size_t)segments + 1);
    out->rest = PELTI_NEW(pool, ProjPlace, (size_t)segments + 1);
    out->now = PELTI_NEW(pool, ProjPlace, (size_t)segments + 1);
    out->plane = pelti_pool_take(pool, (size_t)p->count + 1, sizeof *out->plane);
    if (segments <= MOST_WAYS)
        out->ways = PELTI_NEW(pool, Vec3, (size_t)segments * (size_t)segments + 1);
    out->last = pelti_pool_take(pool, (size_t)p->count + 1, sizeof *out->last);
    out->depth = PELTI_NEW(pool, float, (size_t)p->count + 1);
    out->force = PELTI_NEW(pool, float, (size_t)p->count + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)p->count * 40);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < p->count; i++) {
            int s = p->feet[p->order[i]].segment;
            if (s >= 0 && pass)
                out->unknowns[out->start[s]++] = i;
            else if (s >= 0)
                out->start[s + 1]++;
        }
        for (int s = 0; !pass && s < segments; s++)
            out->start[s + 1] += out->start[s];
    }
    for (int s = segments; s > 0; s--)
        out->start[s] = out->start[s - 1];
    out->start[0] = 0;
    for (int s = 0; s < segments; s++) {
        out->rest[s] = place_segment(&p->skeleton.segments[s], NULL);
        measure_hull(p, out, s);
    }
    return PELT_OK;
}

/// Planes of the vertices of segment a against b; a vertex keeps the plane it is deepest behind.
static void cut_segment(Projective *p, ProjPairs *pairs, int a, int b, const Vec3 *way)
{
    float slack = 4 * pairs->gap;
    for (int e = pairs->start[a]; e < pairs->start[a + 1]; e++) {
        int i = pairs->unknowns[e];
        Vec3 n, rest_n, q = vec3(p->q[i][0], p->q[i][1], p->q[i][2]);
        float d, rest_d, offset = 0.5f * pairs->gap, thick = vec3_distance(p->feet[p->order[i]].base, p->mesh->rest[p->order[i]]);
        if (!plane_at(&pairs->hulls[a], &pairs->now[a], &pairs->hulls[b], &pairs->now[b], pairs->t[i], slack, way, &n, &d))
            continue;
        float margin = 0.6f * thick + offset;
        int at_rest = plane_at(&pairs->hulls[a], &pairs->rest[a], &pairs->hulls[b], &pairs->rest[b], pairs->t[i], slack, NULL,
                               &rest_n, &rest_d);
        if (at_rest) {
            Vec3 x0 = vec3(p->rest[i][0], p->rest[i][1], p->rest[i][2]), q0 = p->feet[p->order[i]].base;
            if (vec3_dot(rest_n, x0) - rest_d < offset) // one flesh at rest: these two cannot be told apart here
                continue;
            if (at_rest == 2 &&
                !plane_at(&pairs->hulls[a], &pairs->now[a], &pairs->hulls[b], &pairs->now[b], pairs->t[i], slack, NULL, &n, &d))
                continue;
            margin = fminf(margin, vec3_dot(rest_n, q0) - rest_d);
        }
        float behind = d + margin - vec3_dot(n, q);
        if (behind > 0) {
            p->q[i][0] += behind * n.x;
            p->q[i][1] += behind * n.y;
            p->q[i][2] += behind * n.z;
        }
        float depth = d + offset - (n.x * p->x[i][0] + n.y * p->x[i][1] + n.z * p->x[i][2]);
        if (depth > pairs->depth[i]) {
            pairs->depth[i] = depth;
            pairs->plane[i][0] = n.x;
            pairs->plane[i][1] = n.y;
            pairs->plane[i][2] = n.z;
            pairs->plane[i][3] = d + offset;
        }
    }
}

void pelti_proj_pose_pairs(Projective *p, const Mat34 *bones)
{
    ProjPairs *pairs = &p->pairs;
    int segments = p->skeleton.segment_count;
    if (!pairs->start)
        return;
    for (int s = 0; s < segments; s++)
        pairs->now[s] = place_segment(&p->skeleton.segments[s], bones);
    for (int i = 0; i < p->count; i++) {
        pairs->depth[i] = -INFINITY;
        memcpy(pairs->last[i], pairs->plane[i], sizeof pairs->plane[i]);
    }
    for (int a = 0; a < segments; a++)
        for (int b = 0; b < segments; b++) {
            if (pairs->start[a] == pairs->start[a + 1] || pairs->start[b] == pairs->start[b + 1] || joined(&p->skeleton, a, b))
                continue;
            const ProjPlace *x = &pairs->now[a], *y = &pairs->now[b];
            float reach = pairs->hulls[a].most + pairs->hulls[b].most + 4 * pairs->gap;
            Vec3 between = vec3_scale(vec3_sub(vec3_add(x->a, x->b), vec3_add(y->a, y->b)), 0.5f);
            if (vec3_length(between) > 1.5f * reach + 0.5f * (x->length + y->length))
                continue;
            PeltiClosestSegments near = pelti_closest_segments(x->a, x->b, y->a, y->b);
            Vec3 room;
            const Vec3 *way = known_way(pairs, segments, a, b, &near, &room);
            if (near.squared < (double)reach * (double)reach)
                cut_segment(p, pairs, a, b, way);
        }
    for (int i = 0; i < p->count; i++) { // a force does not turn with its plane
        const float *n = pairs->plane[i], *old = pairs->last[i];
        pairs->force[i] *= fmaxf(0, n[0] * old[0] + n[1] * old[1] + n[2] * old[2]);
    }
}

void pelti_proj_pair_push(ProjPairs *pairs, int i, const float *x, float rate, float most, float *sum)
{
    if (!(pairs->depth[i] > -INFINITY)) {
        pairs->force[i] = 0;
        return;
    }
    const float *n = pairs->plane[i];
    float force = pairs->force[i] + rate * (n[3] - (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]));
    pairs->force[i] = fminf(fmaxf(0, force), most);
    for (int k = 0; k < 3; k++)
        sum[k] += pairs->force[i] * n[k];
}
