/// Vertices inside another part of the surface, and how deep.
#include "measure/parts.h"

#include "measure/constants.def"

#include <string.h>

enum { VERTEX_GRAIN = 256 };

/// A vertex is judged only where its normal leads outward of all its triangles: else the offset point may fall into its own fold.
static void normal_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    PeltiMeasure *m = context;
    const PeltiMesh *mesh = m->mesh;
    for (int v = begin; v < end; v++) {
        MeasureNormal sum = {0, 0, 0};
        for (int k = mesh->fan_start[v]; k < mesh->fan_start[v + 1]; k++) {
            MeasureNormal n = m->frame.normal[mesh->fan[k]];
            sum.x += n.x, sum.y += n.y, sum.z += n.z;
        }
        double length = sqrt(pelti_measure_normal_dot(sum, sum));
        if (length == 0)
            length = 1;
        MeasureNormal u = {sum.x / length, sum.y / length, sum.z / length};
        m->frame.vertex_normal[v] = u;
        double least = INFINITY;
        for (int k = mesh->fan_start[v]; k < mesh->fan_start[v + 1]; k++) {
            MeasureNormal n = m->frame.normal[mesh->fan[k]];
            least = pelti_measure_least(least, pelti_measure_normal_dot(n, u) /
                                                   pelti_measure_most(sqrt(pelti_measure_normal_dot(n, n)), 1e-300));
        }
        m->inside.judged[v] = mesh->fan_start[v] < mesh->fan_start[v + 1] && least > OUTWARD;
    }
}

/// Median of the signed crossings along the three axes, as pelti_box_tree_winding has it; the third is asked only where the
/// first two differ, which is where a ray grazes an edge of an open or crossing surface.
static int median_crossings(const PeltiMeasure *m, int x, int y, const double at[3])
{
    if (x == y)
        return x;
    int z = pelti_box_tree_crossings(m->capped.tree, (const int(*)[3])m->capped.triangles, m->frame.x, at, 2);
    int low = x < y ? x : y, high = x < y ? y : x;
    return z < low ? low : z > high ? high : z;
}

/// Rays from just outside the judged vertices. Returns how many.
static int place_rays(PeltiMeasure *m)
{
    double offset = OUTSIDE * m->size;
    int count = 0;
    for (int v = 0; v < m->mesh->vertex_count; v++) {
        m->inside.winding[v] = 0;
        if (!m->inside.judged[v])
            continue;
        Vec3 p = m->frame.x[v];
        MeasureNormal u = m->frame.vertex_normal[v];
        m->inside.list[count] = v;
        double *at = m->inside.outside[count++];
        at[0] = (double)p.x + offset * u.x, at[1] = (double)p.y + offset * u.y, at[2] = (double)p.z + offset * u.z;
    }
    return count;
}

/// Whether every triangle counts: those that reach beyond 1e30 are left out by rays and trees.
static bool is_whole(const PeltiMeasure *m)
{
    float most = 0;
    for (int v = 0; v < m->capped.vertex_count; v++) {
        Vec3 p = m->frame.x[v];
        float far = fmaxf(fmaxf(fabsf(p.x), fabsf(p.y)), fabsf(p.z));
        most = far > most ? far : most;
    }
    return m->capped.closed && most <= 1e30f;
}

/// A vertex whose judged neighbours have the number it has; a wrong one, of a ray that grazes an edge, has not.
static bool is_believed(const PeltiMeasure *m, int v)
{
    const PeltiMesh *mesh = m->mesh;
    int agree = 0;
    for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
        int j = mesh->ring[e];
        if (m->inside.judged[j] && m->inside.winding[j] != m->inside.winding[v])
            return false;
        agree += m->inside.judged[j];
    }
    return agree >= 2;
}

/// Skin changes sides only along lines where it crosses other skin, so of a closed surface one ray tells most vertices' number:
/// a second, along y, is asked only where neighbours differ. Returns for how many.
static int list_doubtful(PeltiMeasure *m, int count)
{
    int doubtful = 0;
    bool all = !is_whole(m);
    for (int i = 0; i < count; i++) {
        int v = m->inside.list[i];
        if (!all && is_believed(m, v))
            continue;
        memcpy(m->inside.doubtful[doubtful], m->inside.outside[i], sizeof(double[3]));
        m->inside.doubtful_of[doubtful++] = v;
    }
    return doubtful;
}

int pelti_measure_find_inside(PeltiMeasure *m)
{
    const int(*triangles)[3] = (const int(*)[3])m->capped.triangles;
    pelti_parallel_for(m->jobs, m->mesh->vertex_count, VERTEX_GRAIN, normal_range, m);
    int count = place_rays(m), inside = 0;
    PeltiStabRays rays = {count, (const double(*)[3])m->inside.outside, m->capped.triangle_count, triangles, m->frame.x};
    pelti_stab_count(m->inside.stab, &rays, 0, m->jobs, m->inside.crossings);
    for (int i = 0; i < count; i++)
        m->inside.winding[m->inside.list[i]] = m->inside.crossings[i];
    rays.count = list_doubtful(m, count);
    rays.origins = (const double(*)[3])m->inside.doubtful;
    pelti_stab_count(m->inside.stab, &rays, 1, m->jobs, m->inside.second);
    for (int i = 0; i < rays.count; i++) {
        int *winding = &m->inside.winding[m->inside.doubtful_of[i]];
        *winding = median_crossings(m, *winding, m->inside.second[i], m->inside.doubtful[i]);
    }
    for (int i = 0; i < count; i++)
        inside += m->inside.winding[m->inside.list[i]] >= 1;
    return inside;
}

/// Depth is measured to skin that faces the vertex, and never to its own triangles.
static bool opposes(void *context, int query, int triangle)
{
    const PeltiMeasure *m = context;
    int v = m->inside.list[query];
    const int *t = m->capped.triangles[triangle];
    return pelti_measure_normal_dot(m->frame.normal[triangle], m->frame.vertex_normal[v]) < 0 && t[0] != v && t[1] != v &&
           t[2] != v;
}

static void widen(MeasureFacing *to, const float low[3], const float high[3])
{
    for (int i = 0; i < 3; i++) {
        to->low[i] = low[i] < to->low[i] ? low[i] : to->low[i];
        to->high[i] = high[i] > to->high[i] ? high[i] : to->high[i];
    }
}

/// Bounds of the normals below each node, from the leaves up: children come after their parents.
static void bound_normals(PeltiMeasure *m)
{
    const PeltiBoxTree *tree = m->capped.tree;
    for (int n = tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &tree->nodes[n];
        MeasureFacing *f = &m->inside.facing[n];
        *f = (MeasureFacing){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        if (node->right >= 0) {
            widen(f, m->inside.facing[n + 1].low, m->inside.facing[n + 1].high);
            widen(f, m->inside.facing[node->right].low, m->inside.facing[node->right].high);
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++) {
            MeasureNormal u = m->frame.normal[tree->items[i]];
            double most = pelti_measure_most(pelti_measure_most(fabs(u.x), fabs(u.y)), fabs(u.z));
            const float at[3] = {(float)(u.x / most), (float)(u.y / most), (float)(u.z / most)};
            if (most > 0) // what has no normal faces nowhere
                widen(f, at, at);
        }
    }
}

/// Most skin near a vertex that is not deep is its own side, which faces as the vertex does: branches of it need no look.
static bool may_oppose(void *context, int query, int node)
{
    const PeltiMeasure *m = context;
    const MeasureFacing *f = &m->inside.facing[node];
    MeasureNormal u = m->frame.vertex_normal[m->inside.list[query]];
    double least = u.x * (double)(u.x > 0 ? f->low[0] : f->high[0]) + u.y * (double)(u.y > 0 ? f->low[1] : f->high[1]) +
                   u.z * (double)(u.z > 0 ? f->low[2] : f->high[2]);
    return least < 1e-6; // far above the rounding to float
}

static double depth_of(const PeltiMeasure *m, int query)
{
    const PeltiNearest *n = &m->inside.nearest[query];
    if (n->triangle < 0)
        return 0;
    const int *t = m->capped.triangles[n->triangle];
    Vec3 p = m->inside.at[query], a = m->frame.x[t[0]], b = m->frame.x[t[1]], c = m->frame.x[t[2]];
    const double *w = n->closest.weight;
    MeasureNormal to = {w[0] * (double)a.x + w[1] * (double)b.x + w[2] * (double)c.x - (double)p.x,
                        w[0] * (double)a.y + w[1] * (double)b.y + w[2] * (double)c.y - (double)p.y,
                        w[0] * (double)a.z + w[1] * (double)b.z + w[2] * (double)c.z - (double)p.z};
    return pelti_measure_normal_dot(m->frame.normal[n->triangle], to) > 0 ? n->distance
                                                                          : 0; // on the outer side of it: touching, not inside
}

void pelti_measure_inside(PeltiMeasure *m, PeltQuality *out)
{
    const PeltiMesh *mesh = m->mesh;
    out->inside_vertices = out->everted_vertices = -1;
    out->depth = NAN;
    memset(m->maps.depth, 0, (size_t)mesh->vertex_count * sizeof(float));
    if (!m->capped.orientable)
        return;
    if (m->frame.broken) // the pairs left out broken triangles, here their non-finite coordinates are 0
        pelti_box_tree_refit_triangles(m->capped.tree, m->jobs, (const int(*)[3])m->capped.triangles, m->frame.x, NULL);
    pelti_measure_find_inside(m);
    int count = 0;
    out->everted_vertices = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        out->everted_vertices += m->inside.winding[v] <= -1;
        if (m->inside.winding[v] >= 1 && !m->rest.inside[v]) {
            m->inside.list[count] = v;
            m->inside.at[count++] = m->frame.x[v];
        }
    }
    PeltiNearestSearch search = {.triangles = (const int(*)[3])m->capped.triangles,
                                 .points = m->frame.x,
                                 .query_count = count,
                                 .queries = m->inside.at,
                                 .max_distance = INFINITY,
                                 .filter = opposes,
                                 .nodes = may_oppose,
                                 .context = m};
    if (count)
        bound_normals(m);
    pelti_box_tree_nearest_many(m->capped.tree, &search, m->jobs, m->inside.nearest);
    out->inside_vertices = 0;
    double most = 0;
    for (int i = 0; i < count; i++) {
        double d = depth_of(m, i) / m->size;
        m->maps.depth[m->inside.list[i]] = (float)d;
        out->inside_vertices += d > 0;
        most = fmax(most, d);
    }
    out->depth = most;
}
