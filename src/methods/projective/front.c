/// Makes the thinnest layer of tissue, without a flat or inverted tetrahedron whatever the skin is like.
///
/// The skin is a front that is pushed in vertex by vertex. A push moves one corner of the front from its skin to its base point
/// and fills what the triangles of its fan sweep: a tetrahedron each, of the front triangle and the base point. Around a triangle
/// with corners pushed in the order 0, 1, 2 those are {q0, x0 x1 x2}, {q1, q0 x1 x2} and {q2, q0 q1 x2}, a prism split as tets.c
/// splits it. So the layer is sound if and only if every base point lies below all triangles that its fan has in the front at the
/// time of its push. All of them pass through the skin vertex, so that is a question of direction alone, not of length: a fan has
/// such a direction where its normals lie in one open half-space.
///
/// A vertex that has none waits: its neighbours' pushes turn its triangles. At the rim of a wall inside a body (two sheets back
/// to back, flesh on either side) they are opposite at first, and part once the sheets have been pushed into their own flesh.
/// What has none even when all others are pushed and lean away from it is not pushed at all. No tetrahedron is made for it, and
/// those of its neighbours do not reach its base point: they are of pushes before. So none that is made is ever flat or inside
/// out.
#include "geometry/triangles.h"
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

enum { MOST_FAN = 64 }; // size of an array: triangles of a fan that are looked at
#define LEAST_SOUND (PUSH_SOUND * TET_FLATTEST)

typedef struct Front {
    const PeltiMesh *mesh;
    const float *room; // [vertex] longest way that leaves room for the other side
    ProjFoot *feet;
    Vec3 *at;      // [vertex] the front: skin, or base point
    Vec3 *goal;    // [vertex] where its push would go
    double *sound; // [vertex] of the flattest tetrahedron of that push, as pelti_proj_flatness
    bool *stale;   // [vertex] the front has changed since
    int pushed;
} Front;

/// Normals of the triangles at v that carry tissue, and their mean by area.
static int fan_normals(const Front *f, const Vec3 *at, int v, Vec3 n[MOST_FAN], Vec3 *mean)
{
    *mean = vec3(0, 0, 0);
    int count = 0;
    for (int k = f->mesh->fan_start[v]; k < f->mesh->fan_start[v + 1] && count < MOST_FAN; k++) {
        const int *t = f->mesh->triangles[f->mesh->fan[k]];
        Vec3 c = pelti_triangle_normal(at, t);
        if (!pelti_proj_carries(f->feet, t))
            continue;
        n[count++] = vec3_normalize_or(c, vec3(0, 0, 0));
        *mean = vec3_add(*mean, c);
    }
    return count;
}

static float least_product(const Vec3 *n, int count, Vec3 d, float enough)
{
    float least = 2;
    for (int k = 0; k < count && least > enough; k++)
        least = fminf(least, vec3_dot(n[k], d));
    return least;
}

/// The unit vector whose least product with n[] is greatest: it stands half-way between two of them or at one angle to three. A
/// mean that is near enough to all of them will do.
static Vec3 widest_way(const Vec3 *n, int count, Vec3 mean)
{
    Vec3 best = vec3_normalize_or(mean, count > 0 ? n[0] : vec3(0, 0, 1));
    float best_least = least_product(n, count, best, -2);
    if (best_least > FAN_WIDE)
        return best;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            for (int k = j; k < count; k++) {
                Vec3 d = k == j ? vec3_add(n[i], n[j]) : vec3_cross(vec3_sub(n[j], n[i]), vec3_sub(n[k], n[i]));
                d = vec3_normalize_or(vec3_dot(d, n[i]) < 0 ? vec3_scale(d, -1) : d, n[i]);
                float least = least_product(n, count, d, best_least);
                if (least > best_least) {
                    best_least = least;
                    best = d;
                }
            }
    return best;
}

/// Of the tetrahedron that a push to q makes with a triangle of the front; below zero: inside out.
static double tet_soundness(const Front *f, const int t[3], Vec3 q)
{
    const Vec3 p[4] = {q, f->at[t[0]], f->at[t[1]], f->at[t[2]]};
    bool is_free[4] = {false};
    for (int c = 0; c < 3; c++)
        is_free[c + 1] = f->feet[t[c]].push_order == PROJ_STAYS;
    return pelti_proj_flatness(p, is_free);
}

/// Of the flattest that a push of v to q makes.
static double soundness(const Front *f, int v, Vec3 q)
{
    double least = INFINITY;
    for (int k = f->mesh->fan_start[v]; k < f->mesh->fan_start[v + 1]; k++) {
        const int *t = f->mesh->triangles[f->mesh->fan[k]];
        if (pelti_proj_carries(f->feet, t))
            least = fmin(least, tet_soundness(f, t, q));
    }
    return least;
}

/// The best place for v's push on one way, `at` being the front or the skin; the first that is sound enough, as the thinnest is.
static void aim_along(Front *f, int v, const Vec3 *at)
{
    Vec3 n[MOST_FAN], mean, x = f->mesh->rest[v];
    int ring = f->mesh->ring_start[v + 1] - f->mesh->ring_start[v];
    float edges = 0;
    for (int r = f->mesh->ring_start[v]; r < f->mesh->ring_start[v + 1]; r++)
        edges += vec3_distance(f->mesh->rest[f->mesh->ring[r]], x) / (float)ring;
    int count = fan_normals(f, at, v, n, &mean);
    Vec3 way = widest_way(n, count, mean);
    float thin = LAYER_THIN * edges;
    const float lengths[] = {fminf(thin, f->room[v]),
                             PUSH_SHORTER * thin,
                             thin,
                             PUSH_LONGER * thin,
                             PUSH_LONGER * PUSH_LONGER * thin,
                             PUSH_LONGER * PUSH_LONGER * PUSH_LONGER * thin};
    for (int k = 0; k < (int)(sizeof lengths / sizeof *lengths) && f->sound[v] < PUSH_ENOUGH * TET_FLATTEST; k++) {
        Vec3 q = vec3_mad(x, way, -lengths[k]);
        double sound = soundness(f, v, q);
        if (sound > f->sound[v]) {
            f->sound[v] = sound;
            f->goal[v] = q;
        }
    }
}

/// Straight below the skin where that will do: there neighbours go side by side. Else below the front.
static void aim(Front *f, int v)
{
    f->sound[v] = -INFINITY;
    f->stale[v] = false;
    aim_along(f, v, f->mesh->rest);
    aim_along(f, v, f->at);
}

static void move_base(Front *f, int v, Vec3 to)
{
    f->at[v] = to;
    f->feet[v].base = to;
}

static void push(Front *f, int v)
{
    move_base(f, v, f->goal[v]);
    f->feet[v].push_order = f->pushed++;
    for (int r = f->mesh->ring_start[v]; r < f->mesh->ring_start[v + 1]; r++)
        f->stale[f->mesh->ring[r]] = true;
}

static bool waits(const Front *f, int v)
{
    return f->feet[v].push_order == PROJ_STAYS && f->feet[v].segment >= 0;
}

/// All whose push is as sound as this, again and again: a push can free its neighbours.
static void push_all(Front *f, double sound)
{
    bool any = true;
    while (any) {
        any = false;
        for (int v = 0; v < f->mesh->vertex_count; v++) {
            if (!waits(f, v))
                continue;
            if (f->stale[v])
                aim(f, v);
            if (f->sound[v] >= sound) {
                push(f, v);
                any = true;
            }
        }
    }
}

/// Of the flattest tetrahedron around v that has been made.
static double made_soundness(const Front *f, int v)
{
    double least = INFINITY;
    for (int k = f->mesh->fan_start[v]; k < f->mesh->fan_start[v + 1]; k++)
        least = fmin(least, pelti_proj_flattest(f->mesh, f->feet, f->mesh->triangles[f->mesh->fan[k]]));
    return least;
}

/// One corner of a front triangle that stands in the way of v's push leans away from it.
static bool lean(Front *f, int v, int u, Vec3 way)
{
    Vec3 from = f->at[u], goal = f->goal[v];
    double before = f->sound[v];
    float edge = vec3_distance(f->mesh->rest[u], f->mesh->rest[v]);
    if (f->feet[u].push_order == PROJ_STAYS)
        return false;
    // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): it halves, and counts nothing
    for (float step = LEAN_FIRST; step > LEAN_LEAST; step *= 0.5f) {
        move_base(f, u, vec3_mad(from, way, step * edge));
        if (made_soundness(f, u) >= LEAST_SOUND) {
            aim(f, v);
            if (f->sound[v] > before + LEAN_GAIN * TET_FLATTEST)
                return true;
        }
    }
    move_base(f, u, from);
    f->sound[v] = before;
    f->goal[v] = goal;
    return false;
}

/// Neighbours lean away until v can be pushed.
static bool make_way(Front *f, int v)
{
    aim(f, v);
    bool gained = true;
    for (int round = 0; round < MOST_LEANS && gained && f->sound[v] < LEAST_SOUND; round++) {
        gained = false;
        for (int k = f->mesh->fan_start[v]; k < f->mesh->fan_start[v + 1]; k++) {
            const int *t = f->mesh->triangles[f->mesh->fan[k]];
            if (!pelti_proj_carries(f->feet, t) || tet_soundness(f, t, f->goal[v]) >= LEAST_SOUND)
                continue;
            for (int c = 0; c < 3; c++) {
                int u = t[c], a = t[(c + 1) % 3], b = t[(c + 2) % 3];
                Vec3 q = f->goal[v];
                Vec3 way = vec3_normalize_or(vec3_cross(vec3_sub(f->at[a], q), vec3_sub(f->at[b], q)), vec3(0, 0, 0));
                gained = (u != v && lean(f, v, u, way)) || gained;
            }
        }
    }
    return f->sound[v] >= LEAST_SOUND;
}

static void make_ways(Front *f)
{
    bool any = true;
    while (any) {
        any = false;
        for (int v = 0; v < f->mesh->vertex_count; v++)
            if (waits(f, v) && make_way(f, v)) {
                push(f, v);
                any = true;
            }
        push_all(f, LEAST_SOUND);
    }
}

PeltStatus pelti_proj_front(const PeltiMesh *mesh, const float *room, ProjFoot *feet, PeltiPool *temp, Vec3 *thinnest,
                            PeltError *err)
{
    size_t n = (size_t)mesh->vertex_count + 1;
    Front f = {.mesh = mesh, .room = room, .at = thinnest};
    f.feet = PELTI_NEW(temp, ProjFoot, n);
    f.goal = PELTI_NEW(temp, Vec3, n);
    f.sound = PELTI_NEW(temp, double, n);
    f.stale = PELTI_NEW(temp, bool, n);
    if (temp->failed)
        return pelti_no_memory(err, n * sizeof(Vec3));
    for (int v = 0; v < mesh->vertex_count; v++) {
        f.at[v] = mesh->rest[v];
        f.stale[v] = true;
        f.feet[v] = feet[v];
        f.feet[v].push_order = PROJ_STAYS;
    }
    // the soundest first: the others may gain by it. NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): as above
    for (double sound = PUSH_FIRST; sound > 1; sound /= 2)
        push_all(&f, sound * TET_FLATTEST);
    push_all(&f, LEAST_SOUND);
    make_ways(&f);
    for (int v = 0; v < mesh->vertex_count; v++)
        feet[v].push_order = f.feet[v].push_order;
    return PELT_OK;
}
