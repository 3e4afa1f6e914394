/// How much two neighbouring patches may be strained before their triangles could cross: see TouchJoin.
#include "geometry/triangles.h"
#include "touch/patches.h"

enum {
    REGION_PATCHES = 2 + TOUCH_VIA,
    REGION = REGION_PATCHES * TOUCH_PATCH_VERTICES,
    SOURCES = (TOUCH_PATCH_VERTICES + 3) / 4 * 4 // side by side, for the sake of vector instructions
};

/// Vertices of two patches and of those between, with the lengths of ways along edges from the vertices of the first.
typedef struct Region {
    int vertex[REGION], count;
    int edge[REGION_PATCHES * TOUCH_PATCH_EDGES][2], edge_count;
    float length[REGION_PATCHES * TOUCH_PATCH_EDGES];
    float way[REGION][SOURCES];       ///< from the first patch' vertices, which are the region's first
    int second[TOUCH_PATCH_VERTICES]; ///< where the second patch' vertices are
} Region;

static int region_vertex(Region *r, int v)
{
    int i = 0;
    while (i < r->count && r->vertex[i] != v)
        i++;
    if (i == r->count)
        r->vertex[r->count++] = v;
    return i;
}

static void add_patch(Region *r, const TouchPatch *p, int *at)
{
    for (int i = 0; i < p->vertex_count; i++)
        at[i] = region_vertex(r, p->vertex[i]);
    for (int e = 0; e < p->edge_count; e++) {
        int n = r->edge_count++;
        r->edge[n][0] = at[p->edge[e][0]], r->edge[n][1] = at[p->edge[e][1]];
        r->length[n] = 1 / p->edge_inverse[e];
    }
}

static bool shorten(float *restrict to, const float *restrict from, float length)
{
    int shorter = 0;
    for (int s = 0; s < SOURCES; s++) {
        float by = from[s] + length;
        shorter |= by < to[s];
        to[s] = by < to[s] ? by : to[s];
    }
    return shorter;
}

static void find_ways(Region *r)
{
    bool changed = true;
    for (int i = 0; i < r->count; i++)
        for (int s = 0; s < SOURCES; s++)
            r->way[i][s] = i == s ? 0 : INFINITY;
    while (changed) { // Bellman and Ford: ways are a few edges long
        changed = false;
        for (int e = 0; e < r->edge_count; e++) {
            int a = r->edge[e][0], b = r->edge[e][1];
            changed |= shorten(r->way[b], r->way[a], r->length[e]);
            changed |= shorten(r->way[a], r->way[b], r->length[e]);
        }
    }
}

typedef struct JoinLimits {
    TouchPatches *patches;
    const PeltiMesh *mesh;
    TouchExempt exempt;
    const void *context;
} JoinLimits;

/// min over the corners of n.(q - p) / L(p, q).
static float limit_along(Vec3 n, const Vec3 a[3], const Vec3 b[3], const float way[3][3])
{
    float least = INFINITY;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            float limit = vec3_dot(n, vec3_sub(b[k], a[i])) / way[i][k];
            least = limit < least ? limit : least;
        }
    return least;
}

static float pair_limit(const Vec3 a[3], const Vec3 b[3], const float way[3][3], float enough)
{
    Vec3 from = vec3_add(a[0], vec3_add(a[1], a[2])), to = vec3_add(b[0], vec3_add(b[1], b[2]));
    float limit = limit_along(vec3_normalize_or(vec3_sub(to, from), vec3(0, 0, 1)), a, b, way);
    if (limit >= enough)
        return limit;
    PeltiClosestTriangles c = pelti_closest_triangles(a, b);
    Vec3 p = pelti_closest_barycentric(c.weight_a, a[0], a[1], a[2]), q = pelti_closest_barycentric(c.weight_b, b[0], b[1], b[2]);
    if (!c.crossing)
        limit = fmaxf(limit, limit_along(vec3_normalize_or(vec3_sub(q, p), vec3(0, 0, 1)), a, b, way));
    return fmaxf(limit, 0);
}

static float join_limit(const JoinLimits *w, const TouchJoin *join)
{
    const TouchPatch *a = &w->patches->patch[join->a], *b = &w->patches->patch[join->b];
    Region r;
    int at[TOUCH_PATCH_VERTICES];
    float least = 1;
    r.count = r.edge_count = 0;
    add_patch(&r, a, at);
    add_patch(&r, b, r.second);
    for (int i = 0; i < join->via_count; i++)
        add_patch(&r, &w->patches->patch[join->via[i]], at);
    find_ways(&r);
    for (int i = 0; i < a->triangle_count; i++)
        for (int k = join->a == join->b ? i + 1 : 0; k < b->triangle_count; k++) {
            const int *s = w->mesh->triangles[a->triangle[i]], *u = w->mesh->triangles[b->triangle[k]];
            float way[3][3];
            if (pelti_triangles_share(s, u) || w->exempt(w->context, a->triangle[i], b->triangle[k]))
                continue;
            for (int n = 0; n < 9; n++)
                way[n / 3][n % 3] = r.way[r.second[b->corner[k][n % 3]]][a->corner[i][n / 3]];
            const Vec3 *x = w->mesh->rest, p[3] = {x[s[0]], x[s[1]], x[s[2]]}, q[3] = {x[u[0]], x[u[1]], x[u[2]]};
            least = fminf(least, pair_limit(p, q, (const float(*)[3])way, least));
        }
    return least;
}

static void limit_range(void *context, int begin, int end, int worker)
{
    const JoinLimits *w = context;
    (void)worker;
    for (int i = begin; i < end; i++)
        if (pelti_touch_patches_steps(w->patches, w->patches->join[i].a, w->patches->join[i].b) < 2)
            w->patches->join[i].limit = join_limit(w, &w->patches->join[i]);
}

void pelti_touch_patches_limits(TouchPatches *patches, const PeltiMesh *mesh, TouchExempt exempt, const void *context,
                                PeltiJobs *jobs)
{
    pelti_parallel_for(jobs, patches->join_count, 16, limit_range, &(JoinLimits){patches, mesh, exempt, context});
}

// ---- judging ----

/// Square of a length that no unit vector is stretched below.
static float least_stretch_square(const Mat3 *m)
{
    Mat3 g;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            g.m[i][k] = m->m[0][i] * m->m[0][k] + m->m[1][i] * m->m[1][k] + m->m[2][i] * m->m[2][k];
    return pelti_touch_lowest_eigenvalue(&g);
}

static float mat3_apart_square(const Mat3 *a, const Mat3 *b)
{
    float sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sum += (a->m[i][k] - b->m[i][k]) * (a->m[i][k] - b->m[i][k]);
    return sum;
}

static float mat3_apart(const Mat3 *a, const Mat3 *b)
{
    return sqrtf(mat3_apart_square(a, b));
}

bool pelti_touch_join_smooth(const TouchJoin *join, const TouchShape *shapes)
{
    const TouchShape *a = &shapes[join->a], *b = &shapes[join->b];
    if (!(join->limit > 0))
        return false;
    Mat3 mean = a->linear;
    float strain = a->strain;
    if (join->a != join->b) {
        for (int i = 0; i < 9; i++)
            mean.m[i / 3][i % 3] = 0.5f * (a->linear.m[i / 3][i % 3] + b->linear.m[i / 3][i % 3]);
        float apart = 0.5f * mat3_apart(&a->linear, &b->linear);
        strain = (a->strain > b->strain ? a->strain : b->strain) + apart;
        for (int i = 0; i < join->via_count; i++) {
            const TouchShape *c = &shapes[join->via[i]];
            float by = c->strain + mat3_apart(&c->linear, &mean);
            strain = by > strain ? by : strain;
        }
    }
    float least = least_stretch_square(&mean), limit = 0.999f * join->limit; // 0.999: rounding
    return least > 0 && strain * strain < limit * limit * least;
}

/// Edges e of a patch and of its neighbours are M e + something no larger than s |e|, M its linear part, and the area vectors of
/// their triangles cof(M) A + something no larger than E = 2 |M| s + s^2 times their sides' product. With low and high between
/// which the squared stretches of M lie and c the cosine of two triangles at rest, their areas' product is at least (low^2 (1 +
/// c) - high^2 (1 - c)) / 2 - 2 high E slim - (E slim)^2 of what it was for c = 1: above 0, they do not lie against each other.
static bool stays_flat(const TouchPatch *p, float strain, float low, float high)
{
    if (!(low > 0))
        return false;
    float s = strain / sqrtf(high), by = p->slim * (2 * s + s * s), ratio = low / high;
    float left = 0.5f * (ratio * ratio * (1 + p->fold) - (1 - p->fold));
    return left > 0.01f && (1 + by) * (1 + by) < 0.99f * (1 + left); // 0.01 and 0.99: rounding
}

/// The linear part of a join's mean differs from this patch' by half of `apart` at most, and so does the square of its least
/// stretch by no more than |A| apart + apart^2 / 4: the bound of eigenvalues changes by no more than the matrix does.
TouchEase pelti_touch_patch_ease(const TouchPatches *patches, const TouchShape *shapes, int patch)
{
    const TouchShape *a = &shapes[patch];
    float strain = a->strain, apart = 0, norm = 0;
    for (int i = patches->neighbour_start[patch]; i < patches->neighbour_start[patch + 1]; i++) {
        const TouchShape *b = &shapes[patches->neighbour[i]];
        float by = mat3_apart_square(&a->linear, &b->linear);
        strain = b->strain > strain ? b->strain : strain;
        apart = by > apart ? by : apart;
    }
    for (int i = 0; i < 9; i++)
        norm += a->linear.m[i / 3][i % 3] * a->linear.m[i / 3][i % 3];
    apart = sqrtf(apart);
    float low = least_stretch_square(&a->linear) - 1e-5f * norm, high = norm / 1.5f - low; // 1e-5: rounding
    return (TouchEase){.strain = strain + apart,
                       .stretch = low - sqrtf(norm) * apart - 0.25f * apart * apart,
                       .flat = stays_flat(&patches->patch[patch], strain + apart, low, high)};
}

bool pelti_touch_join_eased(const TouchJoin *join, const TouchEase *eases)
{
    const TouchEase *a = &eases[join->a], *b = &eases[join->b];
    float strain = a->strain > b->strain ? a->strain : b->strain, limit = 0.99f * join->limit;
    float stretch = a->stretch > b->stretch ? a->stretch : b->stretch;
    return limit > 0 && stretch > 0 && strain * strain < limit * limit * stretch;
}
