/// The stages of a frame that look at points, edges and normals.
#include "measure/parts.h"

#include "geometry/constants.def"
#include "measure/constants.def"

#include <string.h>

void pelti_measure_place_holes(const PeltiMesh *mesh, Vec3 *x)
{
    for (int h = 0; h < mesh->hole_count; h++) {
        double sum[3] = {0, 0, 0};
        int begin = mesh->hole_start[h], end = mesh->hole_start[h + 1];
        for (int i = begin; i < end; i++) {
            Vec3 p = x[mesh->hole[i]];
            sum[0] += (double)p.x, sum[1] += (double)p.y, sum[2] += (double)p.z;
        }
        x[mesh->vertex_count + h] =
            vec3((float)(sum[0] / (end - begin)), (float)(sum[1] / (end - begin)), (float)(sum[2] / (end - begin)));
    }
}

static void normal_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    PeltiMeasure *m = context;
    for (int t = begin; t < end; t++) {
        Vec3 a = m->frame.x[m->capped.triangles[t][0]], b = m->frame.x[m->capped.triangles[t][1]],
             c = m->frame.x[m->capped.triangles[t][2]];
        double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y, uz = (double)b.z - (double)a.z;
        double vx = (double)c.x - (double)a.x, vy = (double)c.y - (double)a.y, vz = (double)c.z - (double)a.z;
        m->frame.normal[t] = (MeasureNormal){uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx};
    }
}

void pelti_measure_normals(PeltiMeasure *m)
{
    pelti_parallel_for(m->jobs, m->capped.triangle_count, 2048, normal_range, m);
}

static void add(MeasureNormal *a, MeasureNormal b)
{
    a->x += b.x, a->y += b.y, a->z += b.z;
}

double pelti_measure_edge(const PeltiMeasure *m, const Vec3 *x, int edge)
{
    return sqrt(pelti_measure_squared_distance(x[m->mesh->edges[edge][0]], x[m->mesh->edges[edge][1]]));
}

/// Sums the normals of the triangles across inner edges.
void pelti_measure_sum_neighbours(PeltiMeasure *m)
{
    memset(m->frame.neighbours, 0, (size_t)m->mesh->triangle_count * sizeof(MeasureNormal));
    for (int e = 0; e < m->mesh->edge_count; e++) {
        const int *t = m->rest.edge_triangles[e];
        if (t[0] < 0 || t[1] < 0)
            continue;
        add(&m->frame.neighbours[t[0]], m->frame.normal[t[1]]);
        add(&m->frame.neighbours[t[1]], m->frame.normal[t[0]]);
    }
}

/// The one filter: a frame may come from a cache. lbs and the chosen blend are skins of our own, which have numbers only.
static Vec3 without_nonfinite(Vec3 p, int *nonfinite)
{
    *nonfinite += !isfinite(p.x) + !isfinite(p.y) + !isfinite(p.z);
    return vec3(isfinite(p.x) ? p.x : 0, isfinite(p.y) ? p.y : 0, isfinite(p.z) ? p.z : 0);
}

void pelti_measure_also_near(PeltiMeasure *m, const PeltiMeasureSkin *near)
{
    m->frame.near = near ? *near : (PeltiMeasureSkin){0};
}

/// To the nearer of lbs and the chosen blend, squared, of a point that is finite.
static double distance_from_lbs(const PeltiMeasure *m, const PeltiMeasureSkin *lbs, int p, Vec3 at)
{
    double far = pelti_measure_squared_distance(at, lbs->points[p]);
    return m->frame.near.points ? fmin(far, pelti_measure_squared_distance(at, m->frame.near.points[p])) : far;
}

void pelti_measure_take(PeltiMeasure *m, PeltiMeasureSkin skin, const PeltiMeasureSkin *lbs, PeltQuality *out)
{
    const PeltiMesh *mesh = m->mesh;
    int ignored = 0, wrong = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        m->frame.raw[v] = skin.vertices[v];
        m->frame.x[v] = without_nonfinite(m->frame.raw[v], &ignored);
    }
    m->frame.broken = ignored > 0;
    pelti_measure_place_holes(mesh, m->frame.x);
    memcpy(m->frame.raw + mesh->vertex_count, m->frame.x + mesh->vertex_count, (size_t)mesh->hole_count * sizeof(Vec3));
    double crack = 0, flown = 0;
    for (int p = 0; p < mesh->point_count; p++) {
        int before = wrong;
        Vec3 at = without_nonfinite(skin.points[p], &wrong);
        crack = pelti_measure_most(crack, pelti_measure_squared_distance(at, m->frame.x[mesh->weld[p]]));
        if (lbs && wrong == before)
            flown = pelti_measure_most(flown, distance_from_lbs(m, lbs, p, at));
    }
    out->nonfinite = wrong;
    out->crack = sqrt(crack) / m->size;
    m->frame.has_lbs = lbs != NULL;
    if (!lbs)
        return;
    out->flown = sqrt(flown) / m->size;
    for (int v = 0; v < mesh->vertex_count; v++)
        m->frame.lbs[v] = lbs->vertices[v];
}

static double second_difference(Vec3 now, Vec3 one, Vec3 two)
{
    double x = (double)now.x - 2 * (double)one.x + (double)two.x, y = (double)now.y - 2 * (double)one.y + (double)two.y;
    double z = (double)now.z - 2 * (double)one.z + (double)two.z;
    return x * x + y * y + z * z;
}

/// Largest second difference of now against history[0], history[1]; then now becomes history[0].
static double push_history(Vec3 *history[2], const Vec3 *now, int count, int frames, double size)
{
    double most = 0;
    for (int v = 0; v < count && frames >= 2; v++)
        most = pelti_measure_most(most, second_difference(now[v], history[0][v], history[1][v]));
    Vec3 *oldest = history[1];
    history[1] = history[0];
    history[0] = oldest;
    memcpy(oldest, now, (size_t)count * sizeof(Vec3));
    return frames >= 2 ? sqrt(most) / size : NAN;
}

void pelti_measure_jitter(PeltiMeasure *m, PeltQuality *out)
{
    const PeltiMesh *mesh = m->mesh;
    out->jitter_world = push_history(m->clip.previous, m->frame.x, mesh->vertex_count, m->clip.frames, m->size);
    if (!m->frame.has_lbs) {
        m->clip.off_frames = 0;
        return;
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        m->scratch.offset[v] = vec3_sub(m->frame.x[v], m->frame.lbs[v]);
    out->jitter = push_history(m->clip.previous_off, m->scratch.offset, mesh->vertex_count, m->clip.off_frames, m->size);
    m->clip.off_frames++;
}

static MeasureNormal turn(const Mat3 *r, MeasureNormal n)
{
    return (MeasureNormal){(double)r->m[0][0] * n.x + (double)r->m[0][1] * n.y + (double)r->m[0][2] * n.z,
                           (double)r->m[1][0] * n.x + (double)r->m[1][1] * n.y + (double)r->m[1][2] * n.z,
                           (double)r->m[2][0] * n.x + (double)r->m[2][1] * n.y + (double)r->m[2][2] * n.z};
}

void pelti_measure_flips(PeltiMeasure *m, const Mat34 *bones, PeltQuality *out)
{
    bool by_bone = bones && m->rest.has_skin;
    for (int b = 0; b < m->who->bone_count && by_bone; b++)
        m->scratch.bone_turn[b] = mat3_polar(mat34_linear(bones[b]), NULL);
    pelti_measure_sum_neighbours(m);
    out->flipped_vs_bone = out->inverted = by_bone ? 0 : -1;
    out->flipped_vs_neighbours = out->degenerate = 0;
    for (int t = 0; t < m->mesh->triangle_count; t++) {
        MeasureNormal n = m->frame.normal[t];
        bool against_neighbours = pelti_measure_normal_dot(n, m->frame.neighbours[t]) < 0 && !m->rest.flipped[t];
        out->flipped_vs_neighbours += against_neighbours;
        double area = sqrt(pelti_measure_normal_dot(n, n)) / 2;
        out->degenerate += area < DEGENERATE * pelti_measure_most(m->rest.area[t], DEGENERATE * m->rest.mean_area);
        int bone = m->rest.triangle_bone[t];
        if (!by_bone || bone < 0)
            continue;
        bool against_bone = pelti_measure_normal_dot(n, turn(&m->scratch.bone_turn[bone], m->rest.normal[t])) < 0;
        out->flipped_vs_bone += against_bone;
        out->inverted += against_bone && against_neighbours;
    }
}

/// Torn: longer than anything living stretches, and not because the skeleton pulls it there.
static bool is_torn(const PeltiMeasure *m, int edge, double ratio)
{
    return ratio > TORN && ratio * m->rest.length[edge] > TORN_BEYOND_LBS * pelti_measure_edge(m, m->frame.lbs, edge);
}

void pelti_measure_stretches(PeltiMeasure *m, PeltQuality *out)
{
    const PeltiMesh *mesh = m->mesh;
    int count = 0, torn = 0;
    double low = INFINITY, high = -INFINITY;
    memset(m->maps.stretch, 0, (size_t)mesh->vertex_count * sizeof(float));
    for (int e = 0; e < mesh->edge_count; e++) {
        double rest = m->rest.length[e], ratio = 1;
        if (rest > 1e-7 * m->size) {
            ratio = pelti_measure_edge(m, m->frame.x, e) / rest;
            m->scratch.ratio[count++] = (float)ratio;
            low = ratio < low ? ratio : low, high = ratio > high ? ratio : high;
            torn += m->frame.has_lbs && is_torn(m, e, ratio);
        }
        m->maps.stretch[mesh->edges[e][0]] += (float)ratio;
        m->maps.stretch[mesh->edges[e][1]] += (float)ratio;
    }
    if (m->frame.has_lbs)
        out->torn = torn;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int edges = mesh->ring_start[v + 1] - mesh->ring_start[v];
        m->maps.stretch[v] = edges ? m->maps.stretch[v] / (float)edges : 1;
    }
    out->stretch_min = count ? low : NAN;
    out->stretch_max = count ? high : NAN;
    out->stretch_p1 = pelti_measure_percentile(m->scratch.ratio, count, 1);
    out->stretch_p50_min = out->stretch_p50_max = pelti_measure_percentile(m->scratch.ratio, count, 50);
    out->stretch_p99 = pelti_measure_percentile(m->scratch.ratio, count, 99);
    count = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (m->rest.area[t] > 1e-9 * m->rest.mean_area)
            m->scratch.ratio[count++] =
                (float)(sqrt(pelti_measure_normal_dot(m->frame.normal[t], m->frame.normal[t])) / 2 / m->rest.area[t]);
    out->area_p1 = pelti_measure_percentile(m->scratch.ratio, count, 1);
    out->area_p99 = pelti_measure_percentile(m->scratch.ratio, count, 99);
}
