/// Moves skin as far towards its goal as nothing can cross [Li2021], at last within its own bounds [Chen2025].
/// Additive conservative advancement [Li2021]: two features at distance d whose points move by at most l relative to each other
/// cannot meet before the share d / l of the move; from there again, until they come nearer than a tenth of d or the move ends.
/// Common motion of the two is taken out first: it brings nothing nearer.
#include "geometry/triangles.h"
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

double pelti_touch_distance(const TouchFeature *f, const Vec3 p[4], float weight[4], Vec3 *normal)
{
    double w[4];
    if (f->edges) {
        PeltiClosestSegments c = pelti_closest_segments(p[0], p[1], p[2], p[3]);
        w[0] = 1 - c.s, w[1] = c.s, w[2] = c.t - 1, w[3] = -c.t;
        if (!weight)
            return sqrt(c.squared);
    } else {
        PeltiClosest c = pelti_closest_on_triangle(p[0], p[1], p[2], p[3]);
        w[0] = 1, w[1] = -c.weight[0], w[2] = -c.weight[1], w[3] = -c.weight[2];
        if (!weight)
            return sqrt(c.squared);
    }
    double d[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        weight[i] = (float)w[i];
        d[0] += w[i] * (double)p[i].x, d[1] += w[i] * (double)p[i].y, d[2] += w[i] * (double)p[i].z;
    }
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), scale = length > 0 ? 1 / length : 0;
    *normal = vec3((float)(d[0] * scale), (float)(d[1] * scale), (float)(d[2] * scale));
    return length;
}

static float det(Vec3 a, Vec3 b, Vec3 c)
{
    return vec3_dot(a, vec3_cross(b, c));
}

/// The volume of the four points over the move is a cubic; where its Bernstein coefficients have one sign, clear of rounding, the
/// points never lie in one plane and so never meet.
static bool never_coplanar(const Vec3 p[4], const Vec3 d[4])
{
    Vec3 a[3], e[3], b[3];
    float size = 0;
    for (int i = 0; i < 3; i++) {
        a[i] = vec3_sub(p[i + 1], p[0]);
        e[i] = vec3_sub(d[i + 1], d[0]);
        b[i] = vec3_add(a[i], e[i]);
        size = fmaxf(size, fmaxf(vec3_dot(a[i], a[i]), vec3_dot(b[i], b[i])));
    }
    float b0 = det(a[0], a[1], a[2]), b3 = det(b[0], b[1], b[2]);
    float b1 = (det(b[0], a[1], a[2]) + det(a[0], b[1], a[2]) + det(a[0], a[1], b[2])) / 3;
    float b2 = (det(a[0], b[1], b[2]) + det(b[0], a[1], b[2]) + det(b[0], b[1], a[2])) / 3;
    float hair = 4e-6f * size * sqrtf(size);
    return (b0 > hair && b1 > hair && b2 > hair && b3 > hair) || (b0 < -hair && b1 < -hair && b2 < -hair && b3 < -hair);
}

float pelti_touch_safe_share(const TouchFeature *f, const Vec3 p[4], const Vec3 d[4], float hair)
{
    Vec3 mean = vec3_scale(vec3_add(vec3_add(d[0], d[1]), vec3_add(d[2], d[3])), 0.25f), r[4], at[4];
    float most[2] = {0, 0};
    int first = f->edges ? 2 : 1;
    for (int i = 0; i < 4; i++) {
        r[i] = vec3_sub(d[i], mean);
        at[i] = p[i];
        most[i >= first] = fmaxf(most[i >= first], vec3_length(r[i]));
    }
    double travel = (double)(most[0] + most[1]), start = (double)f->start, far = start;
    if (start > travel * 1.01 + (double)hair)
        return 1;
    if (never_coplanar(p, d) && start > (double)hair)
        return 1;
    // a pair nearer than a hair may not come much nearer, one farther away may use most of its distance
    double least = fmin(fmax((double)NEAREST * start, (double)hair), NEARER * start), share = 0;
    bool parts = true;
    for (int k = 0; k < ADVANCES; k++) {
        double go = ADVANCE * (far - least) / fmax(travel, 1e-30), before = far;
        if (share + go >= 1)
            return 1;
        if (go < ADVANCE_LEAST && !parts)
            break;
        share += go;
        for (int i = 0; i < 4; i++)
            at[i] = vec3_mad(p[i], r[i], (float)share);
        far = pelti_touch_distance(f, at, NULL, NULL);
        parts = far > before; // steps of what opens are small at first, and grow: a pair that all but touches may part
    }
    return (float)share;
}

float pelti_touch_share_of(const PeltiTouch *t, const TouchFeature *f)
{
    Vec3 p[4], d[4];
    for (int i = 0; i < 4; i++)
        p[i] = t->state.x[f->v[i]], d[i] = vec3_sub(t->moves.plan[f->v[i]], p[i]);
    return pelti_touch_safe_share(f, p, d, HAIR * t->rest.gap);
}

typedef struct Share {
    PeltiTouch *t;
    int first;
    const unsigned char *only;
} Share;

static void share_range(void *context, int begin, int end, int worker)
{
    const Share *s = context;
    PeltiTouch *t = s->t;
    (void)worker;
    for (int k = s->first + begin; k < s->first + end; k++) {
        const TouchFeature *f = &t->features.list[k];
        const int *v = f->v;
        if (s->only && !(s->only[v[0]] | s->only[v[1]] | s->only[v[2]] | s->only[v[3]]))
            continue;
        t->features.share[k] = pelti_touch_share_of(t, f);
    }
}

void pelti_touch_share(PeltiTouch *t, int first, const unsigned char *only)
{
    pelti_parallel_for(t->jobs, t->features.count - first, TOUCH_GRAIN, share_range, &(Share){t, first, only});
}

/// Half of the distance to the nearest feature not its own, for every vertex of the core [Chen2025].
static void find_bounds(PeltiTouch *t)
{
    for (int v = 0; v < t->count; v++)
        t->moves.bound[v] = t->rest.gap;
    for (int k = 0; k < t->features.count; k++) {
        const int *v = t->features.list[k].v;
        Vec3 p[4] = {t->state.x[v[0]], t->state.x[v[1]], t->state.x[v[2]], t->state.x[v[3]]};
        float d = BOUND_SHARE * (float)pelti_touch_distance(&t->features.list[k], p, NULL, NULL);
        for (int i = 0; i < 4; i++)
            t->moves.bound[v[i]] = fminf(t->moves.bound[v[i]], d);
    }
}

static void note_cut(PeltiTouch *t, int v, float share, Vec3 mean)
{
    if (!(share < t->moves.cut[v]))
        return;
    t->moves.cut[v] = share;
    t->moves.cut_mean[v] = mean;
    pelti_touch_gather_one(&t->gathered, v, TOUCH_LOOSE); // its edges are looked at from now on
}

/// Notes for every vertex of a pair that is not safe what share of its move is, and the pair's common motion.
static int note_cuts(PeltiTouch *t)
{
    int unsafe = 0;
    for (int v = 0; v < t->count; v++)
        t->moves.cut[v] = 1;
    for (int k = 0; k < t->features.count; k++) {
        const int *v = t->features.list[k].v;
        if (!(t->features.share[k] < 1))
            continue;
        unsafe++;
        Vec3 mean = {0, 0, 0};
        for (int i = 0; i < 4; i++)
            mean = vec3_mad(mean, vec3_sub(t->moves.plan[v[i]], t->state.x[v[i]]), 0.25f);
        for (int i = 0; i < 4; i++)
            note_cut(t, v[i], t->features.share[k], mean);
    }
    return unsafe;
}

float pelti_touch_longest(const PeltiTouch *t, int v, int r, float *had, float *length)
{
    int u = t->mesh->ring[r];
    *had = vec3_distance(t->state.x[u], t->state.x[v]);
    *length = vec3_distance(t->moves.plan[u], t->moves.plan[v]);
    return larger(LONGEST_EDGE * t->rest.ring_length[r], *had);
}

/// Edges that a move would draw out too far are unsafe too: what is held back holds its neighbours back, rather than tear from
/// them.
static int note_stretch(PeltiTouch *t)
{
    const PeltiMesh *mesh = t->mesh;
    int unsafe = 0;
    for (int i = 0; i < t->gathered.count; i++) {
        int v = t->gathered.list[i];
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++) {
            int u = mesh->ring[r];
            if (u < v && t->gathered.ring[u])
                continue;
            float length, had, most = pelti_touch_longest(t, v, r, &had, &length);
            if (!(length > TOUCH_TOO_LONG * most))
                continue;
            Vec3 mean =
                vec3_scale(vec3_add(vec3_sub(t->moves.plan[u], t->state.x[u]), vec3_sub(t->moves.plan[v], t->state.x[v])), 0.5f);
            float share = (most - had) / (length - had); // lengths are convex along the way: no longer than this there
            note_cut(t, u, share, mean);
            note_cut(t, v, share, mean);
            unsafe++;
        }
    }
    return unsafe;
}

float pelti_touch_against_neighbours(const PeltiMesh *mesh, const TouchPatches *patches, const Vec3 *x, int k)
{
    Vec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        if (patches->beside[k][i] >= 0)
            sum = vec3_add(sum, pelti_triangle_normal(x, mesh->triangles[patches->beside[k][i]]));
    return vec3_dot(sum, pelti_triangle_normal(x, mesh->triangles[k]));
}

/// Triangles that would turn against their neighbours are unsafe in the core; `first`: the first look, later ones see to what
/// was cut since.
static int note_flips(PeltiTouch *t, bool first)
{
    const unsigned char *looked = first ? t->gathered.core : t->moves.cut_short;
    int unsafe = 0;
    for (int k = 0; k < t->mesh->triangle_count; k++) {
        const int *v = t->mesh->triangles[k];
        if (!(looked[v[0]] | looked[v[1]] | looked[v[2]]) ||
            pelti_touch_against_neighbours(t->mesh, &t->patches, t->moves.plan, k) >= 0 ||
            pelti_touch_against_neighbours(t->mesh, &t->patches, t->state.x, k) < 0)
            continue;
        Vec3 mean = {0, 0, 0};
        for (int i = 0; i < 3; i++)
            mean = vec3_mad(mean, vec3_sub(t->moves.plan[v[i]], t->state.x[v[i]]), 1.0f / 3);
        for (int i = 0; i < 3; i++) {
            note_cut(t, v[i], 0.5f, mean);
            int b = t->patches.beside[k][i];
            for (int n = 0; b >= 0 && n < 3; n++)
                note_cut(t, t->mesh->triangles[b][n], 0.5f, mean);
        }
        unsafe++;
    }
    return unsafe;
}

/// Neighbours whose triangles cross where the way ends, though no feature meets another on it as far as was seen: halfway to what
/// the two triangles have in common. They crossed nothing before, so cuts come to an end.
static int note_folds(PeltiTouch *t)
{
    pelti_touch_list_crossings(t, &t->bounds.end, t->marks.join_crosses);
    for (int i = 0; i < t->crossings.count; i++) {
        const int *p = t->mesh->triangles[t->crossings.list[i].a], *q = t->mesh->triangles[t->crossings.list[i].b];
        Vec3 mean = {0, 0, 0};
        for (int k = 0; k < 6; k++) {
            int v = k < 3 ? p[k] : q[k - 3];
            mean = vec3_mad(mean, vec3_sub(t->moves.plan[v], t->state.x[v]), 1.0f / 6);
        }
        for (int k = 0; k < 6; k++)
            note_cut(t, k < 3 ? p[k] : q[k - 3], 0.5f, mean);
    }
    return t->crossings.count;
}

/// Vertices whose ways are cut short stand still, and those that would draw edges out from them too, and so on: no edge of theirs
/// grows beyond the longest.
static void stand_still(PeltiTouch *t)
{
    const PeltiMesh *mesh = t->mesh;
    int count = 0;
    for (int v = 0; v < t->count; v++)
        if (t->moves.cut_short[v]) {
            t->moves.plan[v] = t->state.x[v];
            t->scratch.queue[count++] = v;
        }
    for (int i = 0; i < count; i++) {
        int v = t->scratch.queue[i];
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++) {
            float length, had, most = pelti_touch_longest(t, v, r, &had, &length);
            int u = mesh->ring[r];
            if (t->moves.cut_short[u] || !(length > TOUCH_TOO_LONG * most))
                continue;
            t->moves.cut_short[u] = 1;
            t->moves.plan[u] = t->state.x[u];
            t->scratch.queue[count++] = u;
        }
    }
}

static Vec3 cut_move(const PeltiTouch *t, int v, int look)
{
    Vec3 move = vec3_sub(t->moves.plan[v], t->state.x[v]);
    float length = vec3_length(move);
    if (look < RELATIVE_CUTS)
        return vec3_lerp(t->moves.cut_mean[v], move, CUT_SHARE * t->moves.cut[v]);
    if (look < CUTS)
        return vec3_scale(move, CUT_SHARE * t->moves.cut[v]);
    return vec3_scale(move, length > t->moves.bound[v] ? t->moves.bound[v] / length : 0.5f);
}

/// First towards the common motion of the pair; where that does not end, towards standing still; then to half of the distance
/// to the nearest feature, which is safe whatever the others do once all of a pair have been cut so. Ways that were cut are new
/// ways: others may meet them now. Ends, not safe, where the frame's work is spent.
int pelti_touch_make_safe(PeltiTouch *t, bool *safe)
{
    int most = 0;
    bool judged = false, bounded = false; // how neighbours lie at the end of the way; whether bounds are known
    *safe = false;
    pelti_touch_find_features(t, false);
    pelti_touch_share(t, 0, NULL);
    for (int look = 0; look < LOOKS; look++) {
        if (!pelti_touch_spend(&t->budget, t->count / LOOK_VERTICES + t->features.count / LOOK_FEATURES))
            return most;
        int unsafe = note_cuts(t);
        unsafe += note_stretch(t) + (look < FLIP_CUTS ? note_flips(t, look == 0) : 0);
        most = look == 0 ? unsafe : most;
        if (!unsafe && !judged) {
            int added = pelti_touch_find_folds(t);
            pelti_touch_share(t, t->features.count - added, NULL);
            judged = true;
            continue;
        }
        if (!unsafe && !note_folds(t)) {
            *safe = true;
            break;
        }
        judged = false;
        if (look < IN_A_HURRY && 8 * t->budget.used > HURRY_AT * t->budget.allowed)
            look = IN_A_HURRY;
        if (look >= CUTS && !bounded)
            find_bounds(t);
        bounded = look >= CUTS;
        for (int v = 0; v < t->count; v++) {
            t->moves.cut_short[v] = t->moves.cut[v] < 1;
            if (t->moves.cut_short[v] && look < STOP)
                t->moves.plan[v] = vec3_add(t->state.x[v], cut_move(t, v, look));
        }
        if (look >= STOP)
            stand_still(t);
        pelti_touch_share(t, 0, t->moves.cut_short);
        int added = pelti_touch_find_features(t, false);
        pelti_touch_share(t, t->features.count - added, NULL);
    }
    return most;
}
