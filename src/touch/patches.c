/// The skin cut into connected patches of a few triangles each, once.
#include "touch/patches.h"

#include <float.h>
#include <string.h>

// ---- which triangles make a patch ----

typedef struct PatchCutting {
    const PeltiMesh *mesh;
    int *of;
    int (*beside)[3]; ///< [triangle] across its edges; -1: none
} PatchCutting;

static Vec3 centre_of(const PeltiMesh *mesh, int k)
{
    const int *i = mesh->triangles[k];
    return vec3_scale(vec3_add(mesh->rest[i[0]], vec3_add(mesh->rest[i[1]], mesh->rest[i[2]])), 1.0f / 3);
}

/// The triangle of the largest index wins on the first side of an edge, the smallest on the other: with two they are each
/// other's.
static void find_beside(PatchCutting *c, int *first)
{
    const PeltiMesh *mesh = c->mesh;
    memset(first, -1, sizeof *first * (size_t)mesh->edge_count);
    for (int k = 0; k < mesh->triangle_count; k++)
        for (int i = 0; i < 3; i++) {
            int e = mesh->triangle_edges[k][i], other = first[e];
            c->beside[k][i] = other;
            first[e] = k;
            for (int n = 0; other >= 0 && n < 3; n++)
                if (mesh->triangle_edges[other][n] == e)
                    c->beside[other][n] = k;
        }
}

/// Grows a patch from `seed`: always the nearest triangle across an edge.
static int grow_patch(PatchCutting *c, int seed, int patch)
{
    Vec3 centre = centre_of(c->mesh, seed);
    int of[TOUCH_PATCH] = {seed}, count = 1;
    c->of[seed] = patch;
    while (count < TOUCH_PATCH) {
        int best = -1;
        float nearest = INFINITY;
        for (int i = 0; i < 3 * count; i++) {
            int k = c->beside[of[i / 3]][i % 3];
            if (k < 0 || c->of[k] >= 0)
                continue;
            float d = vec3_distance(centre_of(c->mesh, k), centre);
            if (d < nearest || (d == nearest && k < best))
                nearest = d, best = k;
        }
        if (best < 0)
            break;
        c->of[best] = patch;
        of[count++] = best;
    }
    return count;
}

// ---- what a patch knows ----

static int local_vertex(TouchPatch *p, int v)
{
    int i = 0;
    while (i < p->vertex_count && p->vertex[i] != v)
        i++;
    if (i == p->vertex_count)
        p->vertex[p->vertex_count++] = v;
    return i;
}

/// `vertex_taken`, `edge_taken`: who comes first owns.
static void add_triangle(TouchPatch *p, const PeltiMesh *mesh, int k, unsigned char *vertex_taken, unsigned char *edge_taken)
{
    int slot = p->triangle_count++;
    p->triangle[slot] = k;
    for (int i = 0; i < 3; i++) {
        int v = mesh->triangles[k][i], before = p->vertex_count, at = local_vertex(p, v);
        p->corner[slot][i] = (unsigned char)at;
        if (at == before) {
            p->owns_vertex[at] = !vertex_taken[v];
            vertex_taken[v] = 1;
        }
    }
    for (int i = 0; i < 3; i++) {
        unsigned char a = p->corner[slot][i], b = p->corner[slot][(i + 1) % 3], low = a < b ? a : b, high = a < b ? b : a;
        int n = 0, e = mesh->triangle_edges[k][i];
        while (n < p->edge_count && (p->edge[n][0] != low || p->edge[n][1] != high))
            n++;
        if (n < p->edge_count)
            continue;
        p->edge[n][0] = low, p->edge[n][1] = high;
        p->owns_edge[n] = !edge_taken[e];
        edge_taken[e] = 1;
        float length = vec3_distance(mesh->rest[mesh->edges[e][0]], mesh->rest[mesh->edges[e][1]]);
        p->edge_inverse[n] = length > 1e-30f ? 1 / length : 1e30f;
        p->edge_count++;
    }
}

static inline TouchFour four_of(Vec3 p)
{
    return (TouchFour){p.x, p.y, p.z, 0};
}

static inline TouchFour load(const float *p)
{
    TouchFour a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline Vec3 vec3_of(TouchFour a)
{
    return vec3(a[0], a[1], a[2]);
}

static inline TouchFour splat(float s)
{
    return (TouchFour){s, s, s, s};
}

static inline TouchFour cross(TouchFour a, TouchFour b)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3) * __builtin_shufflevector(b, b, 2, 0, 1, 3) -
           __builtin_shufflevector(a, a, 2, 0, 1, 3) * __builtin_shufflevector(b, b, 1, 2, 0, 3);
}

static inline void transpose(const TouchFour row[4], TouchFour *x, TouchFour *y, TouchFour *z)
{
    TouchFour xy01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
              xy23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    TouchFour z01 = __builtin_shufflevector(row[0], row[1], 2, 6, 2, 6),
              z23 = __builtin_shufflevector(row[2], row[3], 2, 6, 2, 6);
    *x = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
    *y = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
    *z = __builtin_shufflevector(z01, z23, 0, 1, 4, 5);
}

typedef struct Points { ///< of a patch as it lies
    TouchFour at[TOUCH_PATCH_VERTICES], mean;
    TouchFour area; ///< twice its triangles', along their normals
} Points;

static inline void take_points(const TouchPatch *p, const Vec3 *x, Points *out, Vec3 *areas)
{
    TouchFour sum = {0}, area = {0};
    for (int i = 0; i < p->vertex_count; i++) {
        out->at[i] = four_of(x[p->vertex[i]]);
        sum += out->at[i];
    }
    for (int k = 0; k < p->triangle_count; k++) {
        TouchFour a = out->at[p->corner[k][0]];
        TouchFour by = cross(out->at[p->corner[k][1]] - a, out->at[p->corner[k][2]] - a);
        area += by;
        if (areas)
            areas[p->triangle[k]] = vec3_of(by);
    }
    out->mean = sum * splat(1 / (float)p->vertex_count);
    out->area = area;
}

static Vec3 area_at_rest(const PeltiMesh *mesh, int k, float *slim)
{
    const int *v = mesh->triangles[k];
    Vec3 a = vec3_sub(mesh->rest[v[1]], mesh->rest[v[0]]), b = vec3_sub(mesh->rest[v[2]], mesh->rest[v[0]]);
    Vec3 area = vec3_cross(a, b);
    *slim = fmaxf(*slim, vec3_length(a) * vec3_length(b) / fmaxf(vec3_length(area), FLT_MIN));
    return vec3_normalize_or(area, vec3(0, 0, 0));
}

/// How much its triangles lie against those beside them at rest, and how slim they are.
static void find_folds(TouchPatch *p, const PeltiMesh *mesh, int (*beside)[3])
{
    p->fold = 1, p->slim = 1;
    for (int k = 0; k < 3 * p->triangle_count; k++) {
        int a = p->triangle[k / 3], b = beside[a][k % 3];
        if (b >= 0)
            p->fold = fminf(p->fold, vec3_dot(area_at_rest(mesh, a, &p->slim), area_at_rest(mesh, b, &p->slim)));
    }
}

static void finish_patch(TouchPatch *p, const PeltiMesh *mesh)
{
    Points points;
    Mat3 sum = {{{0}}}, inverse;
    float square = 0;
    take_points(p, mesh->rest, &points, NULL);
    for (int i = 0; i < p->vertex_count; i++) {
        Vec3 rest = vec3_sub(mesh->rest[p->vertex[i]], vec3_of(points.mean));
        p->rest[i][0] = rest.x, p->rest[i][1] = rest.y, p->rest[i][2] = rest.z;
        pelti_touch_add_outer(&sum, rest, rest);
        square += vec3_dot(rest, rest);
    }
    p->normal = vec3_normalize_or(vec3_of(points.area), vec3(0, 0, 1));
    p->normal_weight = 0.5f * square;
    pelti_touch_add_outer(&sum, p->normal, vec3_scale(p->normal, p->normal_weight));
    if (!mat3_inverse(sum, &inverse)) // a patch on a line is never called smooth: its linear part is none
        inverse = (Mat3){{{0}}};
    for (int i = 0; i < 3; i++)
        memcpy(p->inverse[i], inverse.m[i], sizeof inverse.m[i]);
}

/// The linear part's rows: the one that takes the patch at rest nearest to the points, its normal to `normal`.
static inline void fit(const TouchPatch *p, const Points *points, Vec3 normal, TouchFour row[3])
{
    TouchFour sum[3] = {{0}}, along = four_of(vec3_scale(p->normal, p->normal_weight)), to = four_of(normal);
    for (int i = 0; i < p->vertex_count; i++) {
        TouchFour d = points->at[i] - points->mean, rest = load(p->rest[i]);
        for (int k = 0; k < 3; k++)
            sum[k] += splat(d[k]) * rest;
    }
    for (int k = 0; k < 3; k++) {
        sum[k] += splat(to[k]) * along;
        row[k] = splat(sum[k][0]) * load(p->inverse[0]) + splat(sum[k][1]) * load(p->inverse[1]) +
                 splat(sum[k][2]) * load(p->inverse[2]);
    }
}

/// What is left of the edges beyond that, of their length at rest.
static inline float strain_of(const TouchPatch *p, const Points *points, const TouchFour row[3])
{
    typedef int32_t Mask __attribute__((vector_size(16)));
    TouchFour off[TOUCH_PATCH_VERTICES], column[3], most = {0};
    for (int k = 0; k < 3; k++)
        column[k] = (TouchFour){row[0][k], row[1][k], row[2][k], 0};
    for (int i = 0; i < p->vertex_count; i++)
        off[i] = points->at[i] - points->mean -
                 (column[0] * splat(p->rest[i][0]) + column[1] * splat(p->rest[i][1]) + column[2] * splat(p->rest[i][2]));
    for (int e = 0; e < p->edge_count; e += 4) {
        TouchFour d[4], x, y, z, inverse = load(p->edge_inverse + e);
        for (int k = 0; k < 4; k++)
            d[k] = off[p->edge[e + k][1]] - off[p->edge[e + k][0]];
        transpose(d, &x, &y, &z);
        TouchFour square = (x * x + y * y + z * z) * inverse * inverse;
        Mask more = square > most;
        most = (TouchFour)(((Mask)square & more) | ((Mask)most & ~more));
    }
    float left = most[0] > most[1] ? most[0] : most[1], right = most[2] > most[3] ? most[2] : most[3];
    return sqrtf(left > right ? left : right);
}

void pelti_touch_patch_shape(const TouchPatch *p, const Vec3 *x, TouchShape *out, Vec3 *area)
{
    Points points;
    TouchFour row[3];
    take_points(p, x, &points, area);
    Vec3 normal = vec3_normalize_or(vec3_of(points.area), vec3(0, 0, 0));
    fit(p, &points, normal, row);
    for (int i = 0; i < 9; i++)
        out->linear.m[i / 3][i % 3] = row[i / 3][i % 3];
    out->strain = strain_of(p, &points, row);
}

// ---- neighbours ----

/// Patches at the vertices of patch `a` other than itself, ascending; returns how many. `stamp` [patch] says who was seen by
/// whom.
static int find_neighbours(const TouchPatches *t, const PeltiMesh *mesh, int a, int *stamp, int *out)
{
    const TouchPatch *p = &t->patch[a];
    int count = 0;
    stamp[a] = a;
    for (int i = 0; i < p->vertex_count; i++)
        for (int r = mesh->fan_start[p->vertex[i]]; r < mesh->fan_start[p->vertex[i] + 1]; r++) {
            int b = t->of[mesh->fan[r]], at = count;
            if (stamp[b] == a)
                continue;
            stamp[b] = a;
            for (; out && at > 0 && out[at - 1] > b; at--)
                out[at] = out[at - 1];
            if (out)
                out[at] = b;
            count++;
        }
    return count;
}

static bool joined(const TouchPatches *t, int a, int b)
{
    for (int i = t->neighbour_start[a]; i < t->neighbour_start[a + 1]; i++)
        if (t->neighbour[i] == b)
            return true;
    return false;
}

int pelti_touch_patches_steps(const TouchPatches *t, int a, int b)
{
    if (a == b || joined(t, a, b))
        return a != b;
    int i = t->neighbour_start[a], k = t->neighbour_start[b]; // both ascend: one walk finds a common one
    while (i < t->neighbour_start[a + 1] && k < t->neighbour_start[b + 1]) {
        if (t->neighbour[i] == t->neighbour[k])
            return 2;
        if (t->neighbour[i] < t->neighbour[k])
            i++;
        else
            k++;
    }
    return 3;
}

static void add_join(TouchPatches *t, int a, int b)
{
    TouchJoin *join = &t->join[t->join_count++];
    *join = (TouchJoin){.a = a, .b = b};
    for (int k = t->neighbour_start[a]; a != b && k < t->neighbour_start[a + 1] && join->via_count < TOUCH_VIA; k++)
        if (t->neighbour[k] != b && joined(t, b, t->neighbour[k]))
            join->via[join->via_count++] = t->neighbour[k];
}

/// Joins `a` with itself and every later patch at most two steps away; not `fill`: counts only.
static int list_joins(TouchPatches *t, int a, int *stamp, bool fill)
{
    int count = 1;
    stamp[a] = a;
    if (fill)
        add_join(t, a, a);
    for (int i = t->neighbour_start[a]; i < t->neighbour_start[a + 1]; i++) {
        int c = t->neighbour[i];
        for (int k = t->neighbour_start[c] - 1; k < t->neighbour_start[c + 1]; k++) {
            int b = k < t->neighbour_start[c] ? c : t->neighbour[k];
            if (b < a || stamp[b] == a)
                continue;
            stamp[b] = a;
            count++;
            if (fill)
                add_join(t, a, b);
        }
    }
    return count;
}

static PeltStatus find_joins(PeltiPool *pool, PeltiPool *work, const PeltiMesh *mesh, TouchPatches *t, PeltError *err)
{
    int *stamp = PELTI_NEW(work, int, t->count + 1), total = 0;
    t->neighbour_start = PELTI_NEW(pool, int, t->count + 1);
    if (pool->failed || work->failed)
        return pelti_no_memory(err, sizeof *stamp * (size_t)t->count);
    for (int pass = 0; pass < 2; pass++) {
        memset(stamp, -1, sizeof *stamp * (size_t)t->count);
        total = 0;
        for (int a = 0; a < t->count; a++) {
            t->neighbour_start[a] = total;
            total += find_neighbours(t, mesh, a, stamp, pass ? t->neighbour + total : NULL);
        }
        t->neighbour_start[t->count] = total;
        if (pass == 0)
            t->neighbour = PELTI_NEW(pool, int, total + 1);
        if (pool->failed)
            return pelti_no_memory(err, sizeof(int) * (size_t)total);
    }
    total = 0;
    memset(stamp, -1, sizeof *stamp * (size_t)t->count);
    for (int a = 0; a < t->count; a++)
        total += list_joins(t, a, stamp, false);
    t->join = PELTI_NEW(pool, TouchJoin, total + 1);
    if (pool->failed)
        return pelti_no_memory(err, sizeof(TouchJoin) * (size_t)total);
    memset(stamp, -1, sizeof *stamp * (size_t)t->count);
    for (int a = 0; a < t->count; a++)
        list_joins(t, a, stamp, true);
    return PELT_OK;
}

static PeltStatus create(PeltiPool *pool, PeltiPool *work, const PeltiMesh *mesh, TouchPatches *t, PeltError *err)
{
    int triangles = mesh->triangle_count;
    PatchCutting cut = {mesh, PELTI_NEW(pool, int, triangles + 1), pelti_pool_take(pool, (size_t)triangles + 1, sizeof(int[3]))};
    int *first = PELTI_NEW(work, int, mesh->edge_count + 1);
    unsigned char *vertex_taken = PELTI_NEW(work, unsigned char, mesh->vertex_count + 1);
    unsigned char *edge_taken = PELTI_NEW(work, unsigned char, mesh->edge_count + 1);
    if (pool->failed || work->failed)
        return pelti_no_memory(err, sizeof(int[4]) * (size_t)triangles);
    t->of = cut.of;
    t->beside = cut.beside;
    find_beside(&cut, first);
    memset(cut.of, -1, sizeof *cut.of * (size_t)triangles);
    for (int k = 0; k < triangles; k++)
        if (cut.of[k] < 0)
            grow_patch(&cut, k, t->count++);
    t->patch = PELTI_NEW(pool, TouchPatch, t->count + 1);
    if (pool->failed)
        return pelti_no_memory(err, sizeof(TouchPatch) * (size_t)t->count);
    for (int k = 0; k < triangles; k++)
        add_triangle(&t->patch[cut.of[k]], mesh, k, vertex_taken, edge_taken);
    for (int i = 0; i < t->count; i++) {
        finish_patch(&t->patch[i], mesh);
        find_folds(&t->patch[i], mesh, t->beside);
    }
    return find_joins(pool, work, mesh, t, err);
}

PeltStatus pelti_touch_patches_create(PeltiPool *pool, const PeltiMesh *mesh, TouchPatches *out, PeltError *err)
{
    PeltiPool work;
    *out = (TouchPatches){0};
    pelti_pool_init(&work, &pool->allocator);
    PeltStatus status = create(pool, &work, mesh, out, err);
    pelti_pool_release(&work);
    return status;
}
