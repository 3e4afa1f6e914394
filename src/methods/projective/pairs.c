/// Finds planes of contact between bones that share no joint, which [Komaritzan2018] leaves out.
/// Hand on chest, thigh on belly, fingertip in palm: the skin around each bone segment is summed up as a hull: its radius by
/// place along the segment and direction around it. Where the hulls of two segments overlap in a pose, each vertex of one gets
/// a plane across the line from its own place on its bone to the nearest place on the other, half-way through the overlap. Like
/// the planes of folds these depend on the pose alone: nothing to search, nothing that flickers, the same for any number of
/// threads; and base points keep behind them.
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

#include <string.h>

enum { ALONG = PROJ_HULL_ALONG, AROUND = PROJ_HULL_AROUND };

ProjPlace pelti_proj_place(const ProjSegment *s, const Mat34 *bones)
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

/// Direction around a segment in [0, AROUND): not the angle but the place on a diamond, which is as good to sort by and cheap.
static float turn_of(Vec3 n, const ProjPlace *at)
{
    float x = vec3_dot(n, at->side1), y = vec3_dot(n, at->side2), both = fabsf(x) + fabsf(y);
    if (!(both > 1e-20f))
        return 0;
    float quarter = y >= 0 ? 1 - x / both : 3 + x / both; // 0 along side1, 1 along side2
    return quarter * (0.25f * AROUND) * 0.99999f;         // rounding must not reach AROUND itself
}

/// Radius of the hull at share t of the segment, towards n; towards an end it is the cap's.
float pelti_proj_hull_radius(const ProjHull *hull, const ProjPlace *at, float t, Vec3 n)
{
    float u = (t > 0 ? (t < 1 ? t : 1) : 0) * (ALONG - 1), turn = turn_of(n, at), along = vec3_dot(n, at->axis);
    int i = u >= ALONG - 1 ? ALONG - 2 : (int)u, j = (int)turn % AROUND, k = (j + 1) % AROUND;
    float fu = u - (float)i, fv = turn - floorf(turn);
    float low = hull->radius[i][j] * (1 - fv) + hull->radius[i][k] * fv,
          high = hull->radius[i + 1][j] * (1 - fv) + hull->radius[i + 1][k] * fv;
    float radius = low * (1 - fu) + high * fu;
    float end = t <= 0 && along < 0 ? -along : t >= 1 && along > 0 ? along : 0, cap = t <= 0 ? hull->cap[0] : hull->cap[1];
    return radius + (cap - radius) * end * end;
}

typedef struct SegmentSide { // one of two segments
    const ProjHull *hull;
    const ProjPlace *at;
} SegmentSide;

enum { FAR, APART, MEET, DEEP }; // hulls: no plane; a plane between them; a plane; so deep in each other that it means little

/// The plane for a vertex at share t of segment a against segment b. `way` (may be NULL) is
/// the direction from b to a that held before they came close: bones that pass through each other keep their sides.
static int plane_at(SegmentSide x, SegmentSide y, float t, float slack, const Vec3 *way, float out[4])
{
    const ProjPlace *a = x.at, *b = y.at;
    Vec3 s = vec3_lerp(a->a, a->b, t), n;
    float along = fminf(fmaxf(vec3_dot(vec3_sub(s, b->a), b->axis), 0), b->length);
    Vec3 c = vec3_mad(b->a, b->axis, along), away = vec3_sub(s, c);
    float distance = vec3_length(away), both = x.hull->most + y.hull->most;
    if (distance > both + slack)
        return FAR;
    n = vec3_normalize_or(away, way ? *way : vec3(0, 0, 0));
    float share = b->length > 0 ? along / b->length : 0;
    float ra = pelti_proj_hull_radius(x.hull, a, t, vec3_scale(n, -1)), rb = pelti_proj_hull_radius(y.hull, b, share, n);
    bool deep = distance < HULLS_DEEP * (ra + rb);
    if (way && distance < WAY_KEPT * (ra + rb)) {
        float keep = fminf((WAY_KEPT * (ra + rb) - distance) / (WAY_GROWS * (ra + rb)), 1);
        n = vec3_normalize_or(vec3_lerp(n, *way, keep), *way);
        ra = pelti_proj_hull_radius(x.hull, a, t, vec3_scale(n, -1));
        rb = pelti_proj_hull_radius(y.hull, b, share, n);
        distance = vec3_dot(away, n);
    }
    if (vec3_dot(n, n) < 0.5f)
        return FAR;
    memcpy(out, (float[4]){n.x, n.y, n.z, vec3_dot(n, c) + 0.5f * (rb + distance - ra)}, 4 * sizeof *out);
    return distance > ra + rb + slack ? APART : deep ? DEEP : MEET;
}

/// Direction from b to a while they are clear of each other, kept in b's own frame; NULL: none is known yet.
static const Vec3 *known_way(ProjPairs *pairs, int segments, int a, int b, const PeltiClosestSegments *near, Vec3 *room)
{
    Vec3 *kept = &pairs->ways[(size_t)a * (size_t)segments + (size_t)b];
    const ProjPlace *x = &pairs->now[a], *y = &pairs->now[b];
    float both = pairs->hulls[a].most + pairs->hulls[b].most;
    if (near->squared > WAY_TAKEN * WAY_TAKEN * (double)both * (double)both || vec3_dot(*kept, *kept) < 0.5f) {
        Vec3 out = vec3_sub(vec3_lerp(x->a, x->b, (float)near->s), vec3_lerp(y->a, y->b, (float)near->t));
        out = vec3_normalize_or(out, vec3(0, 0, 0));
        *kept = vec3(vec3_dot(out, y->axis), vec3_dot(out, y->side1), vec3_dot(out, y->side2));
    }
    *room = vec3_mad(vec3_mad(vec3_scale(y->axis, kept->x), y->side1, kept->y), y->side2, kept->z);
    return vec3_dot(*room, *room) > 0.5f ? room : NULL;
}

bool pelti_proj_joined(const ProjSkeleton *k, int a, int b)
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
    ProjPlace at = pelti_proj_place(&p->skeleton.segments[s], NULL);
    float sum[ALONG][AROUND] = {{0}}, cap[2] = {0, 0};
    int count[ALONG][AROUND] = {{0}}, caps[2] = {0, 0};
    for (int e = out->start[s]; e < out->start[s + 1]; e++) {
        int i = out->unknowns[e];
        Vec3 x = vec3(p->system.rest[i][0], p->system.rest[i][1], p->system.rest[i][2]);
        float y = vec3_dot(vec3_sub(x, at.a), at.axis), t = fminf(fmaxf(y / at.length, 0), 1);
        Vec3 arm = vec3_sub(x, vec3_lerp(at.a, at.b, t));
        float radius = vec3_length(arm), end = vec3_dot(arm, at.axis);
        out->t[i] = t;
        if (fabsf(end) > HULL_CAP * radius) {
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

/// Planes against one other segment depend on the place along the segment alone: they are found at a few places and lie between
/// two of them elsewhere, unless the hulls part there.
enum { PLANES = 2 * ALONG - 1 };
typedef struct PairPlanes {
    const ProjPairs *pairs;
    const ProjPlace *at; // rest or now
    int a, b;
    const Vec3 *way;
    float most;                // that a base point may have to move
    signed char meets[PLANES]; // -1: not found yet
    float plane[PLANES][4];
} PairPlanes;

static int find_plane(const PairPlanes *planes, float t, float out[4])
{
    const ProjPairs *pairs = planes->pairs;
    SegmentSide a = {&pairs->hulls[planes->a], &planes->at[planes->a]}, b = {&pairs->hulls[planes->b], &planes->at[planes->b]};
    return plane_at(a, b, t, PAIR_NEAR * pairs->gap, planes->way, out);
}

/// Whether planes between places `low` and the next may be mixed from theirs: not where one has none, or where they turn fast.
static bool mixes(const PairPlanes *planes, int low)
{
    const float *p = planes->plane[low], *q = planes->plane[low + 1];
    return planes->meets[low] != FAR && planes->meets[low + 1] != FAR && p[0] * q[0] + p[1] * q[1] + p[2] * q[2] >= PLANES_ALIKE;
}

/// The plane at share t of the segment, its normal not longer than 1; false: hulls are apart there.
static bool plane_between(PairPlanes *planes, float t, float out[4], bool *deep)
{
    float u = t * (PLANES - 1);
    int low = u < PLANES - 1 ? (int)u : PLANES - 2;
    for (int k = low; k <= low + 1; k++)
        if (planes->meets[k] < 0)
            planes->meets[k] = (signed char)find_plane(planes, (float)k / (PLANES - 1), planes->plane[k]);
    int most = planes->meets[low] > planes->meets[low + 1] ? planes->meets[low] : planes->meets[low + 1];
    *deep = most == DEEP;
    if (most < MEET)
        return false;
    if (!mixes(planes, low))
        return find_plane(planes, t, out) >= MEET;
    const float *p = planes->plane[low], *q = planes->plane[low + 1];
    float share = u - (float)low;
    for (int k = 0; k < 4; k++)
        out[k] = p[k] + share * (q[k] - p[k]);
    return true;
}

static void make_unit(float n[4])
{
    float scale = 1 / sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 4; k++)
        n[k] *= scale;
}

static float before_plane(const float n[4], const float *x)
{
    return n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - n[3];
}

/// A vertex keeps the plane it is deepest behind.
static void cut_vertex(Projective *p, ProjPairs *pairs, PairPlanes *planes, int i, float margin)
{
    float n[4], *q = p->state.q[i];
    const float *x = p->state.x[i];
    bool deep;
    if (!plane_between(planes, pairs->t[i], n, &deep))
        return;
    if (before_plane(n, q) > margin && before_plane(n, x) > (0.5f + CONTACT_NEAR) * pairs->gap) // half a gap is added below
        return; // farther yet by a unit normal: nobody will ask for this plane
    make_unit(n);
    float behind = margin - before_plane(n, q);
    if (behind > planes->most) { // the plane has turned, not come
        n[3] -= behind - planes->most;
        behind = planes->most;
    }
    for (int k = 0; behind > 0 && k < 3; k++)
        q[k] += behind * n[k];
    n[3] += 0.5f * pairs->gap;
    float depth = -before_plane(n, x);
    if (depth > pairs->depth[i]) {
        pairs->depth[i] = depth;
        memcpy(pairs->plane[i], n, sizeof n);
    }
}

static float full_margin(const Projective *p, const ProjPairs *pairs, int i)
{
    return BASE_MARGIN * vec3_distance(p->feet[p->system.order[i]].base, p->mesh->rest[p->system.order[i]]) + 0.5f * pairs->gap;
}

/// `moved`: how far the two bones have moved against each other since the rest pose. Where vertices were clear of the other bone
/// at rest, they are not asked to move much farther than that.
static void cut_segment(Projective *p, ProjPairs *pairs, int a, int b, const Vec3 *way, float moved)
{
    const ProjNear *near = &pairs->near[(size_t)a * (size_t)p->skeleton.segment_count + (size_t)b];
    PairPlanes planes = {
        .pairs = pairs, .at = pairs->now, .a = a, .b = b, .way = way, .most = near->first < 0 ? INFINITY : PLANE_MOST * moved};
    PairPlanes deep = planes;
    deep.way = NULL;
    memset(planes.meets, -1, sizeof planes.meets);
    memset(deep.meets, -1, sizeof deep.meets);
    if (near->first < 0) {
        for (int e = pairs->start[a]; e < pairs->start[a + 1]; e++)
            cut_vertex(p, pairs, &planes, pairs->unknowns[e], pairs->margin[pairs->unknowns[e]]);
        return;
    }
    for (int e = near->first; e < near->first + near->count; e++) {
        const ProjClear *clear = &pairs->clear[e];
        cut_vertex(p, pairs, clear->deep ? &deep : &planes, clear->unknown, clear->margin);
    }
}

static bool may_meet(const ProjPairs *pairs, const ProjPlace *at, int a, int b, float factor, PeltiClosestSegments *near)
{
    const ProjPlace *x = &at[a], *y = &at[b];
    float reach = factor * (pairs->hulls[a].most + pairs->hulls[b].most) + PAIR_NEAR * pairs->gap;
    Vec3 between = vec3_scale(vec3_sub(vec3_add(x->a, x->b), vec3_add(y->a, y->b)), 0.5f);
    if (vec3_length(between) > reach + 0.5f * (x->length + y->length))
        return false;
    *near = pelti_closest_segments(x->a, x->b, y->a, y->b);
    return near->squared < (double)reach * (double)reach;
}

/// Segments near each other at rest: which vertices are clear of the other one there. The rest is one flesh with it.
static PeltStatus find_clear(Projective *p, ProjPairs *pairs, PeltError *err)
{
    int segments = p->skeleton.segment_count;
    PeltiArray list;
    pelti_array_init(&list, &p->allocator, sizeof(ProjClear));
    for (int a = 0; a < segments; a++)
        for (int b = 0; b < segments; b++) {
            ProjNear *to = &pairs->near[(size_t)a * (size_t)segments + (size_t)b];
            PeltiClosestSegments near;
            *to = (ProjNear){-1, 0};
            if (pelti_proj_joined(&p->skeleton, a, b) || !may_meet(pairs, pairs->rest, a, b, 1, &near))
                continue;
            to->first = (int)list.count;
            PairPlanes planes = {.pairs = pairs, .at = pairs->rest, .a = a, .b = b};
            memset(planes.meets, -1, sizeof planes.meets);
            for (int e = pairs->start[a]; e < pairs->start[a + 1]; e++) {
                int i = pairs->unknowns[e];
                Vec3 x = p->mesh->rest[p->system.order[i]], q = p->feet[p->system.order[i]].base;
                float n[4], margin = pairs->margin[i];
                bool deep, meets = plane_between(&planes, pairs->t[i], n, &deep);
                if (meets)
                    make_unit(n);
                if (meets && n[0] * x.x + n[1] * x.y + n[2] * x.z - n[3] < 0.5f * pairs->gap)
                    continue;
                if (meets)
                    margin = fminf(margin, n[0] * q.x + n[1] * q.y + n[2] * q.z - n[3]);
                ProjClear clear = {i, margin, meets && deep};
                pelti_array_push(&list, &clear);
            }
            to->count = (int)list.count - to->first;
        }
    pairs->clear = PELTI_NEW(&p->pool, ProjClear, list.count + 1);
    bool failed = list.failed || p->pool.failed;
    if (!failed && list.count)
        memcpy(pairs->clear, list.data, list.count * sizeof(ProjClear));
    pelti_array_release(&list);
    return failed ? pelti_no_memory(err, (size_t)p->count * sizeof(ProjClear)) : PELT_OK;
}

PeltStatus pelti_proj_pairs(Projective *p, float gap, ProjPairs *out, PeltError *err)
{
    int segments = p->skeleton.segment_count;
    PeltiPool *pool = &p->pool;
    *out = (ProjPairs){.gap = gap};
    if (segments > PAIR_SEGMENTS)
        return PELT_OK;
    out->start = PELTI_NEW(pool, int, (size_t)segments + 2);
    out->unknowns = PELTI_NEW(pool, int, (size_t)p->count + 1);
    out->t = PELTI_NEW(pool, float, (size_t)p->count + 1);
    out->hulls = PELTI_NEW(pool, ProjHull, (size_t)segments + 1);
    out->rest = PELTI_NEW(pool, ProjPlace, (size_t)segments + 1);
    out->now = PELTI_NEW(pool, ProjPlace, (size_t)segments + 1);
    out->plane = pelti_pool_take(pool, (size_t)p->count + 1, sizeof *out->plane);
    out->margin = PELTI_NEW(pool, float, (size_t)p->count + 1);
    out->other_start = PELTI_NEW(pool, int, (size_t)segments + 2);
    out->others = PELTI_NEW(pool, int, (size_t)segments *(size_t)segments + 1);
    out->near = PELTI_NEW(pool, ProjNear, (size_t)segments * (size_t)segments + 1);
    out->ways = PELTI_NEW(pool, Vec3, (size_t)segments * (size_t)segments + 1);
    out->last_scratch = pelti_pool_take(pool, (size_t)p->count + 1, sizeof *out->last_scratch);
    out->depth = PELTI_NEW(pool, float, (size_t)p->count + 1);
    out->force = PELTI_NEW(pool, float, (size_t)p->count + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)p->count * 40);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < p->count; i++) {
            int s = pelti_proj_segment(&p->feet[p->system.order[i]]);
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
        out->rest[s] = pelti_proj_place(&p->skeleton.segments[s], NULL);
        measure_hull(p, out, s);
    }
    for (int i = 0; i < p->count; i++)
        out->margin[i] = full_margin(p, out, i);
    for (int a = 0, used = 0; a < segments; a++) {
        for (int b = 0; out->start[a] < out->start[a + 1] && b < segments; b++)
            if (!pelti_proj_joined(&p->skeleton, a, b))
                out->others[used++] = b;
        out->other_start[a + 1] = used;
    }
    return find_clear(p, out, err);
}

/// How far bones have moved against each other since the rest pose, measured at the ends of b.
static float moved_since_rest(const Projective *p, const Mat34 *bones, int a, int b)
{
    const ProjSegment *x = &p->skeleton.segments[a], *y = &p->skeleton.segments[b];
    float start = vec3_distance(mat34_apply(bones[x->bone], y->a), mat34_apply(bones[y->bone], y->a));
    float end = vec3_distance(mat34_apply(bones[x->bone], y->b), mat34_apply(bones[y->bone], y->b));
    return fmaxf(start, end);
}

typedef struct Pose {
    Projective *p;
    const Mat34 *bones;
} Pose;

static void pose_segments(void *context, int begin, int end, int worker) // each segment writes to its own vertices
{
    (void)worker;
    Projective *p = ((Pose *)context)->p;
    ProjPairs *pairs = &p->contacts.pairs;
    int segments = p->skeleton.segment_count;
    for (int a = begin; a < end; a++) {
        for (int e = pairs->start[a]; e < pairs->start[a + 1]; e++) {
            int i = pairs->unknowns[e];
            pairs->depth[i] = -INFINITY;
            if (pairs->force[i] > 0)
                memcpy(pairs->last_scratch[i], pairs->plane[i], sizeof pairs->plane[i]);
        }
        for (int k = pairs->other_start[a]; k < pairs->other_start[a + 1]; k++) {
            PeltiClosestSegments near;
            Vec3 room;
            int b = pairs->others[k];
            if (!may_meet(pairs, pairs->now, a, b, WAY_WATCHED, &near))
                continue;
            const Vec3 *way = known_way(pairs, segments, a, b, &near, &room);
            float reach = pairs->hulls[a].most + pairs->hulls[b].most + PAIR_NEAR * pairs->gap;
            if (!(near.squared < (double)reach * (double)reach))
                continue;
            float moved = moved_since_rest(p, ((Pose *)context)->bones, a, b);
            if (moved > PAIR_STILL * reach) // else they have nothing new to say to each other
                cut_segment(p, pairs, a, b, way, moved - PAIR_STILL * reach);
        }
        for (int e = pairs->start[a]; e < pairs->start[a + 1]; e++) { // a force does not turn with its plane
            int i = pairs->unknowns[e];
            const float *n = pairs->plane[i], *old = pairs->last_scratch[i];
            if (!(pairs->force[i] > 0))
                continue;
            float turn = n[0] * old[0] + n[1] * old[1] + n[2] * old[2];
            pairs->force[i] *= turn > 0 ? turn : 0;
        }
    }
}

void pelti_proj_pose_pairs(Projective *p, const Mat34 *bones)
{
    if (!p->contacts.pairs.start)
        return;
    for (int s = 0; s < p->skeleton.segment_count; s++)
        p->contacts.pairs.now[s] = pelti_proj_place(&p->skeleton.segments[s], bones);
    Pose pose = {p, bones};
    pelti_parallel_for(p->jobs, p->skeleton.segment_count, 2, pose_segments, &pose);
}
