/// Triangles that cross: which, how deep, and whether rest or touching explains them.
#include "geometry/constants.def"
#include "geometry/triangles.h"
#include "math/order.h"
#include "measure/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PAIRS = 1 << 16, MOST_PAIRS = 2000000 };

static int meet(void *context, int a, int b, int worker)
{
    (void)worker;
    const PeltiMeasure *m = context;
    int own = m->mesh->triangle_count;
    if (a >= own || b >= own)
        return 0; // the caps over holes are not skin
    const int *s = m->capped.triangles[a], *t = m->capped.triangles[b];
    if (pelti_triangles_share(s, t))
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

static bool at_rest_too(const PeltiMeasure *m, const PeltiPair *pair)
{
    int64_t key = pair_key(pair);
    return m->rest_pairs.count &&
           bsearch(&key, m->rest_pairs.keys, (size_t)m->rest_pairs.count, sizeof key, pelti_int64_order) != NULL;
}

/// How far triangle `a` reaches to the lesser side of the plane of `b`.
static double reach(const PeltiMeasure *m, int a, int b)
{
    MeasureNormal n = m->frame.normal[b];
    double length = pelti_measure_most(sqrt(n.x * n.x + n.y * n.y + n.z * n.z), 1e-300), high = -INFINITY, low = INFINITY;
    Vec3 o = m->frame.x[m->capped.triangles[b][0]];
    for (int k = 0; k < 3; k++) {
        Vec3 p = m->frame.x[m->capped.triangles[a][k]];
        double h =
            (((double)p.x - (double)o.x) * n.x + ((double)p.y - (double)o.y) * n.y + ((double)p.z - (double)o.z) * n.z) / length;
        high = pelti_measure_most(high, h), low = pelti_measure_least(low, h);
    }
    return pelti_measure_least(pelti_measure_most(high, 0), pelti_measure_most(-low, 0));
}

PeltStatus pelti_measure_rest_crossings(PeltiMeasure *m, PeltError *err)
{
    pelti_pool_init(&m->pair_pool, &m->pool.allocator);
    PELT_TRY(pelti_pairs_create(&m->pair_pool, FIRST_PAIRS, m->capped.tree, &m->frame.pairs, err));
    find_pairs(m);
    m->rest_pairs.keys = PELTI_NEW(&m->pool, int64_t, m->frame.pairs.count);
    if (m->pool.failed)
        return pelti_no_memory(err, (size_t)m->frame.pairs.count * sizeof(int64_t));
    m->rest_pairs.count = m->frame.pairs.count;
    for (int i = 0; i < m->frame.pairs.count; i++) {
        m->rest_pairs.keys[i] = pair_key(&m->frame.pairs.pairs[i]);
        m->rest_pairs.self_intersections += m->frame.pairs.pairs[i].tag == PELTI_TRIANGLES_CROSSING;
    }
    if (m->rest_pairs.count)
        qsort(m->rest_pairs.keys, (size_t)m->rest_pairs.count, sizeof(int64_t), pelti_int64_order);
    return pelti_sunk_create(m->mesh, m->frame.pairs.pairs, m->frame.pairs.count, &m->pool, &m->rest_pairs.sunk, err);
}

void pelti_measure_crossings(PeltiMeasure *m, PeltQuality *out)
{
    find_pairs(m);
    memset(m->maps.crossing, 0, (size_t)m->mesh->triangle_count);
    out->self_intersections_new = out->coplanar_overlaps = out->deep_pairs = out->crossings_new = 0;
    out->pair_depth = 0;
    for (int i = 0; i < m->frame.pairs.count; i++) {
        const PeltiPair *p = &m->frame.pairs.pairs[i];
        out->coplanar_overlaps += p->tag == PELTI_TRIANGLES_COPLANAR;
        if (!m->maps.crossing[p->a])
            m->maps.crossing[p->a] = 1;
        if (!m->maps.crossing[p->b])
            m->maps.crossing[p->b] = 1;
        if (at_rest_too(m, p))
            continue;
        out->self_intersections_new++;
        double depth = pelti_measure_least(reach(m, p->a, p->b), reach(m, p->b, p->a)) / m->size;
        out->pair_depth = pelti_measure_most(out->pair_depth, depth);
        if (depth > DEEP_PAIR) {
            out->deep_pairs++;
            out->crossings_new += !pelti_sunk_explains(&m->rest_pairs.sunk, p->a, p->b);
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
