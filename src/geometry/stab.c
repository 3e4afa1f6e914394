/// Signed crossings of many parallel rays with one mesh: strips of sorted origins, triangles looked up in them.
#include "geometry/stab.h"

#include "geometry/crossing.h"
#include "math/wide.h"

#include <stdatomic.h>
#include <string.h>

enum { TRIANGLE_GRAIN = 512, DIGITS = 11, BUCKETS = 1 << DIGITS };

struct PeltiStab {
    int capacity, most_strips;
    uint32_t *key[2];           ///< [capacity] of the coordinate being sorted by
    int *order[2];              ///< [capacity]
    int *strip;                 ///< [capacity] by origin
    int *place;                 ///< [most_strips + 1] first slot of each strip
    float *low, *high;          ///< [most_strips] of the strip, across
    float *across, *along, *up; ///< [capacity + lanes] by slot: the origin's coordinates, rounded to float
    double (*origin)[3];        ///< [capacity] by slot
    atomic_int *found;          ///< [capacity] by slot: sums of whole numbers, so that the order of adding does not matter
    int bucket[BUCKETS + 1];    ///< of the radix sort
};

PeltStatus pelti_stab_create(PeltiPool *pool, int capacity, PeltiStab **out, PeltError *err)
{
    PeltiStab *s = PELTI_NEW(pool, PeltiStab, 1);
    if (!s)
        return pelti_no_memory(err, sizeof *s);
    s->capacity = capacity;
    s->most_strips = (int)sqrt((double)capacity) + 1;
    for (int k = 0; k < 2; k++) {
        s->key[k] = PELTI_NEW(pool, uint32_t, capacity);
        s->order[k] = PELTI_NEW(pool, int, capacity);
    }
    s->strip = PELTI_NEW(pool, int, capacity);
    s->place = PELTI_NEW(pool, int, s->most_strips + 1);
    s->low = PELTI_NEW(pool, float, s->most_strips);
    s->high = PELTI_NEW(pool, float, s->most_strips);
    s->across = PELTI_NEW(pool, float, capacity + PELT_W);
    s->along = PELTI_NEW(pool, float, capacity + PELT_W);
    s->up = PELTI_NEW(pool, float, capacity + PELT_W);
    s->origin = pelti_pool_take(pool, (size_t)capacity, sizeof(double[3]));
    s->found = PELTI_NEW(pool, atomic_int, capacity);
    *out = s;
    return pool->failed ? pelti_no_memory(err, (size_t)capacity * 64) : PELT_OK;
}

// ---- strips ----

/// Bits that sort as the numbers do.
static uint32_t sortable(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/// Sorts order[0] by key[0] (both given by origin), digit by digit from the least; stable.
static void radix_sort(PeltiStab *s, int count)
{
    for (int shift = 0; shift < 32; shift += DIGITS) {
        memset(s->bucket, 0, sizeof s->bucket);
        for (int i = 0; i < count; i++)
            s->bucket[(s->key[0][i] >> shift & (BUCKETS - 1)) + 1]++;
        for (int b = 1; b <= BUCKETS; b++)
            s->bucket[b] += s->bucket[b - 1];
        for (int i = 0; i < count; i++) {
            int to = s->bucket[s->key[0][i] >> shift & (BUCKETS - 1)]++;
            s->key[1][to] = s->key[0][i];
            s->order[1][to] = s->order[0][i];
        }
        uint32_t *key = s->key[0];
        int *order = s->order[0];
        s->key[0] = s->key[1], s->key[1] = key;
        s->order[0] = s->order[1], s->order[1] = order;
    }
}

static void sort_by(PeltiStab *s, int count, const double (*origins)[3], int axis)
{
    for (int i = 0; i < count; i++) {
        s->key[0][i] = sortable((float)origins[i][axis]);
        s->order[0][i] = i;
    }
    radix_sort(s, count);
}

/// Strips of equal number across, each sorted along. Returns how many.
static int make_strips(PeltiStab *s, int count, const double (*origins)[3], int across, int along)
{
    int strips = (int)(0.4 * sqrt((double)count)) + 1;
    sort_by(s, count, origins, across);
    for (int r = 0; r < count; r++)
        s->strip[s->order[0][r]] = (int)((int64_t)r * strips / count);
    sort_by(s, count, origins, along);
    memset(s->place, 0, (size_t)(strips + 1) * sizeof *s->place);
    for (int i = 0; i < count; i++)
        s->place[s->strip[i] + 1]++;
    for (int k = 0; k < strips; k++) {
        s->place[k + 1] += s->place[k];
        s->low[k] = INFINITY, s->high[k] = -INFINITY;
    }
    for (int r = 0; r < count; r++) {
        int i = s->order[0][r], k = s->strip[i], slot = s->place[k]++;
        float a = (float)origins[i][across];
        s->order[1][slot] = i; // from here on: slot -> origin
        s->across[slot] = a;
        s->along[slot] = (float)origins[i][along];
        s->up[slot] = (float)origins[i][3 - across - along];
        memcpy(s->origin[slot], origins[i], sizeof(double[3]));
        s->low[k] = a < s->low[k] ? a : s->low[k], s->high[k] = a > s->high[k] ? a : s->high[k];
        atomic_store_explicit(&s->found[slot], 0, memory_order_relaxed);
    }
    memmove(s->place + 1, s->place, (size_t)strips * sizeof *s->place);
    s->place[0] = 0;
    return strips;
}

// ---- triangles ----

typedef struct Query {
    PeltiStab *s;
    const int (*triangles)[3];
    const Vec3 *points;
    int strips;
} Query;

/// First of [begin, end) whose value is not below `low`. Without branches to guess wrong.
static inline int first_from(const float *values, int begin, int end, float low)
{
    int count = end - begin;
    while (count > 0) {
        int half = (count + 1) / 2;
        begin += values[begin + half - 1] < low ? half : 0;
        count -= half;
    }
    return begin;
}

static inline float least(float a, float b, float c)
{
    float d = a < b ? a : b;
    return d < c ? d : c;
}
static inline float most(float a, float b, float c)
{
    float d = a > b ? a : b;
    return d > c ? d : c;
}

/// A triangle's shadow for eight rays at a time: its edges in float, with room for all rounding. What it lets through is judged
/// exactly; what it does not is surely outside.
typedef struct Shadow {
    float low, high, left, right, top; // bounds: across, along, and up the ray
    float at[3][2], edge[3][2];        // corners, edges from there
    float slack;                       // |side| below this may have either sign
} Shadow;

PELTI_AXIS_INLINE Shadow shadow_of(const Vec3 *a, const Vec3 *b, const Vec3 *c, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const float x[3] = {pelti_along(a, i), pelti_along(b, i), pelti_along(c, i)};
    const float y[3] = {pelti_along(a, j), pelti_along(b, j), pelti_along(c, j)};
    Shadow s = {.low = least(x[0], x[1], x[2]),
                .high = most(x[0], x[1], x[2]),
                .left = least(y[0], y[1], y[2]),
                .right = most(y[0], y[1], y[2]),
                .top = most(pelti_along(a, axis), pelti_along(b, axis), pelti_along(c, axis))};
    for (int k = 0; k < 3; k++) {
        s.at[k][0] = x[k], s.at[k][1] = y[k];
        s.edge[k][0] = x[(k + 1) % 3] - x[k], s.edge[k][1] = y[(k + 1) % 3] - y[k];
    }
    // differences are off by an ulp of the coordinates (the ray's was rounded to float), products by three of their own
    float extent = (s.high - s.low) + (s.right - s.left);
    float reach = most(fabsf(s.low), fabsf(s.high), 0) + most(fabsf(s.left), fabsf(s.right), 0);
    s.slack = 1e-6f * extent * (reach + extent);
    return s;
}

/// Lanes that may lie in the shadow. Written with "not less": where float's range ends, lanes are let through.
PELTI_WIDE MaskW outside_w(const Shadow *s, FloatW across, FloatW along, FloatW up)
{
    FloatW least_side = splat_w(INFINITY), most_side = splat_w(-INFINITY);
    for (int k = 0; k < 3; k++) {
        FloatW u = sub_w(across, splat_w(s->at[k][0])), v = sub_w(along, splat_w(s->at[k][1]));
        FloatW side = sub_w(mul_w(splat_w(s->edge[k][0]), v), mul_w(splat_w(s->edge[k][1]), u));
        least_side = min_w(least_side, side);
        most_side = max_w(most_side, side);
    }
    MaskW apart = and_w(less_w(least_side, splat_w(-s->slack)), less_w(splat_w(s->slack), most_side));
    MaskW beside = or_w(less_w(across, splat_w(s->low)), less_w(splat_w(s->high), across));
    return or_w(or_w(apart, beside), less_w(splat_w(s->top), up));
}

/// Rounding to float keeps order, so that an origin within the triangle's shadow is within it rounded, too.
PELTI_AXIS_INLINE void stab_triangle(const Query *q, const int triangle[3], int axis)
{
    const PeltiStab *s = q->s;
    Shadow shadow = shadow_of(&q->points[triangle[0]], &q->points[triangle[1]], &q->points[triangle[2]], axis);
    for (int k = first_from(s->high, 0, q->strips, shadow.low); k < q->strips && s->low[k] <= shadow.high; k++) {
        int end = s->place[k + 1];
        for (int slot = first_from(s->along, s->place[k], end, shadow.left); slot < end && s->along[slot] <= shadow.right;
             slot += PELT_W) {
            MaskW out = outside_w(&shadow, load_w(s->across + slot), load_w(s->along + slot), load_w(s->up + slot));
            if (all_w(out))
                continue;
            for (int lane = 0; lane < PELT_W && slot + lane < end; lane++) {
                int sign = lane_is(out, lane) ? 0 : pelti_ray_crossing(triangle, q->points, s->origin[slot + lane], axis);
                if (sign)
                    atomic_fetch_add_explicit(&s->found[slot + lane], sign, memory_order_relaxed);
            }
        }
    }
}

static bool usable(Vec3 p) // written so that NaN fails
{
    return fabsf(p.x) <= 1e30f && fabsf(p.y) <= 1e30f && fabsf(p.z) <= 1e30f;
}

PELTI_AXIS_INLINE void stab_triangles(const Query *q, int begin, int end, int axis)
{
    for (int t = begin; t < end; t++) {
        const int *corner = q->triangles[t];
        if (usable(q->points[corner[0]]) && usable(q->points[corner[1]]) && usable(q->points[corner[2]]))
            stab_triangle(q, corner, axis);
    }
}

PELTI_CLONES static void stab_x(void *context, int begin, int end, int worker)
{
    (void)worker;
    stab_triangles(context, begin, end, 0);
}
PELTI_CLONES static void stab_y(void *context, int begin, int end, int worker)
{
    (void)worker;
    stab_triangles(context, begin, end, 1);
}
PELTI_CLONES static void stab_z(void *context, int begin, int end, int worker)
{
    (void)worker;
    stab_triangles(context, begin, end, 2);
}

void pelti_stab_count(PeltiStab *s, const PeltiStabRays *rays, int axis, PeltiJobs *jobs, int *crossings)
{
    int count = rays->count;
    static const PeltiJob ranges[3] = {stab_x, stab_y, stab_z};
    PELT_ASSERT(count <= s->capacity && axis >= 0 && axis < 3);
    if (count == 0)
        return;
    Query q = {s, rays->triangles, rays->points, make_strips(s, count, rays->origins, (axis + 1) % 3, (axis + 2) % 3)};
    pelti_parallel_for(jobs, rays->triangle_count, TRIANGLE_GRAIN, ranges[axis], &q);
    for (int slot = 0; slot < count; slot++)
        crossings[s->order[1][slot]] = atomic_load_explicit(&s->found[slot], memory_order_relaxed);
}
