/// Triangles that cross: which, how deep, and whether rest or touching explains them.
#include "geometry/exact.h"
#include "measure/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PAIRS = 1 << 16, MOST_PAIRS = 2000000 };
static const double deep_pair = 2e-4;  // of the size: a crossing shallower than this is touching skin
static const double rest_reach = 0.02; // of the size: a pair this near to one that crosses at rest is a sunk part that slides

static int meet(void *context, int a, int b, int worker)
{
    (void)worker;
    const PeltiMeasure *m = context;
    int own = m->mesh->triangle_count;
    if (a >= own || b >= own)
        return 0; // the caps over holes are not skin
    const int *s = m->capped.triangles[a], *t = m->capped.triangles[b];
    for (int i = 0; i < 3; i++)
        if ((s[i] == t[0]) | (s[i] == t[1]) | (s[i] == t[2]))
            return 0;
    const Vec3 p[3] = {m->frame.raw[s[0]], m->frame.raw[s[1]], m->frame.raw[s[2]]},
               q[3] = {m->frame.raw[t[0]], m->frame.raw[t[1]], m->frame.raw[t[2]]};
    return (int)pelti_triangles_meet(p, q);
}

static void find_pairs(PeltiMeasure *m)
{
    pelti_box_tree_self_pairs(m->capped.tree, 0, meet, m, m->jobs, &m->frame.pairs);
    while (m->frame.pairs.found > m->frame.pairs.count && m->frame.pairs.capacity < MOST_PAIRS) {
        int room = m->frame.pairs.capacity * 4 < MOST_PAIRS ? m->frame.pairs.capacity * 4 : MOST_PAIRS;
        PeltiPool larger;
        pelti_pool_init(&larger, &m->pool.allocator);
        PeltiPairs pairs;
        if (pelti_pairs_create(&larger, room, m->capped.tree, &pairs, NULL) != PELT_OK) {
            pelti_pool_release(&larger); // refused: the count stays right, the list stays short
            return;
        }
        pelti_pool_release(&m->pair_pool);
        m->pair_pool = larger;
        m->frame.pairs = pairs;
        pelti_box_tree_self_pairs(m->capped.tree, 0, meet, m, m->jobs, &m->frame.pairs);
    }
}

static int64_t pair_key(const PeltiPair *p)
{
    int low = p->a < p->b ? p->a : p->b, high = p->a < p->b ? p->b : p->a;
    return ((int64_t)low << 32) | (int64_t)high;
}

static int compare_keys(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool at_rest_too(const PeltiMeasure *m, const PeltiPair *pair)
{
    int64_t key = pair_key(pair);
    return m->rest_pairs.count &&
           bsearch(&key, m->rest_pairs.keys, (size_t)m->rest_pairs.count, sizeof key, compare_keys) != NULL;
}

/// How far triangle `a` reaches to the lesser side of the plane of `b`.
static double reach(const PeltiMeasure *m, int a, int b)
{
    Normal n = m->frame.normal[b];
    double length = pelti_most(sqrt(n.x * n.x + n.y * n.y + n.z * n.z), 1e-300), high = -INFINITY, low = INFINITY;
    Vec3 o = m->frame.x[m->capped.triangles[b][0]];
    for (int k = 0; k < 3; k++) {
        Vec3 p = m->frame.x[m->capped.triangles[a][k]];
        double h =
            (((double)p.x - (double)o.x) * n.x + ((double)p.y - (double)o.y) * n.y + ((double)p.z - (double)o.z) * n.z) / length;
        high = pelti_most(high, h), low = pelti_least(low, h);
    }
    return pelti_least(pelti_most(high, 0), pelti_most(-low, 0));
}

// ---- pairs that cross near where pairs cross at rest ----

static void rest_centre(const PeltiMeasure *m, int triangle, double out[3])
{
    const int *t = m->capped.triangles[triangle];
    Vec3 a = m->mesh->rest[t[0]], b = m->mesh->rest[t[1]], c = m->mesh->rest[t[2]];
    out[0] = ((double)a.x + (double)b.x + (double)c.x) / 3;
    out[1] = ((double)a.y + (double)b.y + (double)c.y) / 3;
    out[2] = ((double)a.z + (double)b.z + (double)c.z) / 3;
}

/// Cells are as wide as the reach and count from the lower corner of the rest shape: 51 at most in an axis, plus the border.
static uint64_t cell_of(const PeltiMeasure *m, const double at[3], int dx, int dy, int dz)
{
    double edge = rest_reach * m->size;
    const Vec3 low = m->mesh->low;
    int x = (int)((at[0] - (double)low.x) / edge) + 1 + dx, y = (int)((at[1] - (double)low.y) / edge) + 1 + dy;
    int z = (int)((at[2] - (double)low.z) / edge) + 1 + dz;
    return (uint64_t)x << 32 | (uint64_t)y << 16 | (uint64_t)z;
}

static int compare_ends(const void *a, const void *b)
{
    uint64_t x = ((const PeltiRestEnd *)a)->cell, y = ((const PeltiRestEnd *)b)->cell;
    return (x > y) - (x < y);
}

static bool near_at_rest(const PeltiMeasure *m, const double at[3], int triangle)
{
    double c[3], reach_here = rest_reach * m->size;
    rest_centre(m, triangle, c);
    double x = c[0] - at[0], y = c[1] - at[1], z = c[2] - at[2];
    return x * x + y * y + z * z <= reach_here * reach_here;
}

static bool end_explains(const PeltiMeasure *m, uint64_t cell, const double a[3], const double b[3])
{
    int low = 0, high = 2 * m->rest_pairs.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (m->rest_pairs.ends[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < 2 * m->rest_pairs.count && m->rest_pairs.ends[low].cell == cell; low++)
        if (near_at_rest(m, b, m->rest_pairs.ends[low].far) && near_at_rest(m, a, m->rest_pairs.ends[low].near))
            return true;
    return false;
}

/// A pair of triangles crosses at rest, one near each of these two: a button sinks into its jacket, and goes on doing so.
static bool rest_explains(const PeltiMeasure *m, const PeltiPair *pair)
{
    if (m->rest_pairs.count == 0)
        return false;
    double a[3], b[3];
    rest_centre(m, pair->a, a);
    rest_centre(m, pair->b, b);
    for (int k = 0; k < 27; k++)
        if (end_explains(m, cell_of(m, a, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1), a, b))
            return true;
    return false;
}

static void keep_rest_pair(PeltiMeasure *m, int i)
{
    const PeltiPair *p = &m->frame.pairs.pairs[i];
    double a[3], b[3];
    rest_centre(m, p->a, a);
    rest_centre(m, p->b, b);
    m->rest_pairs.keys[i] = pair_key(p);
    m->rest_pairs.ends[2 * i] = (PeltiRestEnd){cell_of(m, a, 0, 0, 0), p->a, p->b};
    m->rest_pairs.ends[2 * i + 1] = (PeltiRestEnd){cell_of(m, b, 0, 0, 0), p->b, p->a};
    m->rest_pairs.self_intersections += p->tag == PELTI_CROSSING;
}

PeltStatus pelti_measure_rest_crossings(PeltiMeasure *m, PeltError *err)
{
    pelti_pool_init(&m->pair_pool, &m->pool.allocator);
    PELT_TRY(pelti_pairs_create(&m->pair_pool, FIRST_PAIRS, m->capped.tree, &m->frame.pairs, err));
    find_pairs(m);
    m->rest_pairs.keys = PELTI_NEW(&m->pool, int64_t, m->frame.pairs.count);
    m->rest_pairs.ends = PELTI_NEW(&m->pool, PeltiRestEnd, 2 * (size_t)m->frame.pairs.count);
    if (m->pool.failed)
        return pelti_no_memory(err, (size_t)m->frame.pairs.count * sizeof(int64_t));
    m->rest_pairs.count = m->frame.pairs.count;
    for (int i = 0; i < m->frame.pairs.count; i++)
        keep_rest_pair(m, i);
    if (m->rest_pairs.count) {
        qsort(m->rest_pairs.keys, (size_t)m->rest_pairs.count, sizeof(int64_t), compare_keys);
        qsort(m->rest_pairs.ends, 2 * (size_t)m->rest_pairs.count, sizeof(PeltiRestEnd), compare_ends);
    }
    return PELT_OK;
}

void pelti_measure_crossings(PeltiMeasure *m, PeltQuality *out)
{
    find_pairs(m);
    memset(m->maps.crossing, 0, (size_t)m->mesh->triangle_count);
    out->self_intersections_new = out->coplanar_overlaps = out->deep_pairs = out->crossings_new = 0;
    out->pair_depth = 0;
    for (int i = 0; i < m->frame.pairs.count; i++) {
        const PeltiPair *p = &m->frame.pairs.pairs[i];
        out->coplanar_overlaps += p->tag == PELTI_COPLANAR;
        if (!m->maps.crossing[p->a])
            m->maps.crossing[p->a] = 1;
        if (!m->maps.crossing[p->b])
            m->maps.crossing[p->b] = 1;
        if (at_rest_too(m, p))
            continue;
        out->self_intersections_new++;
        double depth = pelti_least(reach(m, p->a, p->b), reach(m, p->b, p->a)) / m->size;
        out->pair_depth = pelti_most(out->pair_depth, depth);
        if (depth > deep_pair) {
            out->deep_pairs++;
            out->crossings_new += !rest_explains(m, p);
            m->maps.crossing[p->a] = m->maps.crossing[p->b] = 2;
        }
    }
    long crossing = m->frame.pairs.found - out->coplanar_overlaps;
    out->self_intersections = crossing < INT_MAX ? (int)crossing : INT_MAX;
    out->self_intersecting_frames = out->self_intersections_new > 0;
    out->triangles_intersecting = 0;
    for (int t = 0; t < m->mesh->triangle_count; t++)
        out->triangles_intersecting += m->maps.crossing[t] != 0;
}
