#include "measure/measure.h"

#include "measure/parts.h"

#include <string.h>

// ---- create ----

static void take_capped_mesh(PeltiMeasure *m)
{
    const PeltiMesh *mesh = m->mesh;
    int caps = mesh->hole_count ? mesh->hole_start[mesh->hole_count] : 0;
    m->vertex_count = mesh->vertex_count + mesh->hole_count;
    m->triangle_count = mesh->triangle_count + caps;
    m->triangles = pelti_pool_take(&m->pool, (size_t)m->triangle_count, sizeof(int[3]));
    if (m->pool.failed)
        return;
    if (mesh->triangle_count)
        memcpy(m->triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof(int[3]));
    int t = mesh->triangle_count;
    for (int h = 0; h < mesh->hole_count; h++)
        for (int i = mesh->hole_start[h]; i < mesh->hole_start[h + 1]; i++, t++) {
            m->triangles[t][0] = mesh->vertex_count + h;
            m->triangles[t][1] = mesh->hole[i];
            m->triangles[t][2] = mesh->hole[i + 1 < mesh->hole_start[h + 1] ? i + 1 : mesh->hole_start[h]];
        }
}

static void take_arrays(PeltiMeasure *m)
{
    const PeltiMesh *mesh = m->mesh;
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count, edges = (size_t)mesh->edge_count;
    size_t points = (size_t)m->who->point_count;
    PeltiPool *pool = &m->pool;
    m->rest_length = PELTI_NEW(pool, double, edges);
    m->rest_normal = PELTI_NEW(pool, Normal, triangles);
    m->rest_area = PELTI_NEW(pool, double, triangles);
    m->rest_flipped = PELTI_NEW(pool, bool, triangles);
    m->rest_inside = PELTI_NEW(pool, bool, vertices);
    m->edge_triangles = pelti_pool_take(pool, edges, sizeof(int[2]));
    m->triangle_bone = PELTI_NEW(pool, int, triangles);
    m->x = PELTI_NEW(pool, Vec3, m->vertex_count);
    m->raw = PELTI_NEW(pool, Vec3, m->vertex_count);
    m->normal = PELTI_NEW(pool, Normal, m->triangle_count);
    m->vertex_normal = PELTI_NEW(pool, Normal, vertices);
    m->neighbours = PELTI_NEW(pool, Normal, triangles);
    m->winding = PELTI_NEW(pool, int, vertices);
    m->inside = PELTI_NEW(pool, int, vertices);
    m->inside_at = PELTI_NEW(pool, Vec3, vertices);
    m->nearest = PELTI_NEW(pool, PeltiNearest, vertices);
    m->ratio = PELTI_NEW(pool, float, edges > triangles ? edges : triangles);
    m->stretch = PELTI_NEW(pool, float, vertices);
    m->depth = PELTI_NEW(pool, float, vertices);
    m->crossing = PELTI_NEW(pool, uint8_t, triangles);
    m->bone_turn = PELTI_NEW(pool, Mat3, m->who->bone_count);
    m->first_points = PELTI_NEW(pool, Vec3, points);
    m->last_points = PELTI_NEW(pool, Vec3, points);
    for (int k = 0; k < 2; k++) {
        m->previous[k] = PELTI_NEW(pool, Vec3, vertices);
        m->previous_off[k] = PELTI_NEW(pool, Vec3, vertices);
    }
}

static void find_edge_triangles(PeltiMeasure *m)
{
    const PeltiMesh *mesh = m->mesh;
    for (int e = 0; e < mesh->edge_count; e++)
        m->edge_triangles[e][0] = m->edge_triangles[e][1] = -1;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int e = mesh->triangle_edges[t][k];
            if (mesh->edge_use[e] == 2)
                m->edge_triangles[e][m->edge_triangles[e][0] >= 0] = t;
        }
}

/// More than one joint of some skin moves points: then linear blending is a motion to compare with.
static bool weights_use_several_joints(const PeltiCharacter *who)
{
    const PeltiWeights *w = &who->file_weights;
    for (int i = 0; i < who->instance_count && w->influences > 0; i++) {
        const PeltiInstance *instance = &who->instances[i];
        int first = -1;
        size_t begin = (size_t)instance->first_point * (size_t)w->influences;
        size_t end = begin + (size_t)instance->point_count * (size_t)w->influences;
        for (size_t k = begin; k < end && instance->skin >= 0; k++) {
            if (w->weight[k] > 0 && first >= 0 && w->bone[k] != first)
                return true;
            if (w->weight[k] > 0)
                first = w->bone[k];
        }
    }
    return false;
}

static void place_hole_centres(const PeltiMesh *mesh, Vec3 *x)
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
        Vec3 a = m->x[m->triangles[t][0]], b = m->x[m->triangles[t][1]], c = m->x[m->triangles[t][2]];
        double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y, uz = (double)b.z - (double)a.z;
        double vx = (double)c.x - (double)a.x, vy = (double)c.y - (double)a.y, vz = (double)c.z - (double)a.z;
        m->normal[t] = (Normal){uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx};
    }
}

static double dot(Normal a, Normal b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static void add(Normal *a, Normal b)
{
    a->x += b.x, a->y += b.y, a->z += b.z;
}

static double edge_length(const PeltiMeasure *m, int e)
{
    Vec3 a = m->x[m->mesh->edges[e][0]], b = m->x[m->mesh->edges[e][1]];
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

/// Sums the normals of the triangles across inner edges: m->neighbours.
static void sum_neighbours(PeltiMeasure *m)
{
    memset(m->neighbours, 0, (size_t)m->mesh->triangle_count * sizeof(Normal));
    for (int e = 0; e < m->mesh->edge_count; e++) {
        const int *t = m->edge_triangles[e];
        if (t[0] < 0 || t[1] < 0)
            continue;
        add(&m->neighbours[t[0]], m->normal[t[1]]);
        add(&m->neighbours[t[1]], m->normal[t[0]]);
    }
}

static PeltStatus measure_rest(PeltiMeasure *m, PeltError *err)
{
    const PeltiMesh *mesh = m->mesh;
    if (mesh->vertex_count)
        memcpy(m->x, mesh->rest, (size_t)mesh->vertex_count * sizeof(Vec3));
    place_hole_centres(mesh, m->x);
    memcpy(m->raw, m->x, (size_t)m->vertex_count * sizeof(Vec3));
    PELT_TRY(pelti_box_tree_build_triangles(&m->pool, m->triangle_count, (const int(*)[3])m->triangles, m->x, &m->tree, err));
    normal_range(m, 0, m->triangle_count, 0);
    for (int t = 0; t < mesh->triangle_count; t++) {
        m->rest_normal[t] = m->normal[t];
        m->rest_area[t] = sqrt(dot(m->normal[t], m->normal[t])) / 2;
        m->mean_area += m->rest_area[t] / mesh->triangle_count;
    }
    find_edge_triangles(m);
    sum_neighbours(m);
    for (int t = 0; t < mesh->triangle_count; t++)
        m->rest_flipped[t] = dot(m->normal[t], m->neighbours[t]) < 0;
    for (int e = 0; e < mesh->edge_count; e++)
        m->rest_length[e] = edge_length(m, e);
    m->rest_volume = pelti_mesh_volume(mesh, mesh->rest);
    m->orientable = mesh->nonmanifold_edge_count == 0 && mesh->inconsistent_edge_count == 0;
    if (m->orientable) {
        pelti_measure_find_inside(m);
        for (int v = 0; v < mesh->vertex_count; v++)
            m->rest_inside[v] = m->winding[v] >= 1;
    }
    PELT_TRY(pelti_measure_rest_crossings(m, err));
    return pelti_measure_nearest_bones(m, err);
}

PeltStatus pelti_measure_create(const PeltiCharacter *who, PeltiJobs *jobs, const PeltAllocator *allocator, PeltiMeasure **out,
                                PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, allocator);
    PeltiMeasure *m = PELTI_NEW(&pool, PeltiMeasure, 1);
    if (!m) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, sizeof *m);
    }
    m->pool = pool;
    m->who = who;
    m->mesh = who->mesh;
    m->jobs = jobs;
    m->size = who->mesh->diagonal > 0 ? (double)who->mesh->diagonal : 1;
    take_capped_mesh(m);
    take_arrays(m);
    PeltStatus status = m->pool.failed ? pelti_no_memory(err, m->pool.used_bytes) : measure_rest(m, err);
    if (status != PELT_OK) {
        pelti_measure_destroy(m);
        return status;
    }
    m->wants_lbs = weights_use_several_joints(who);
    pelti_measure_restart(m);
    *out = m;
    return PELT_OK;
}

void pelti_measure_destroy(PeltiMeasure *m)
{
    if (!m)
        return;
    pelti_pool_release(&m->pair_pool);
    PeltiPool pool = m->pool; // it holds m itself
    pelti_pool_release(&pool);
}

bool pelti_measure_wants_lbs(const PeltiMeasure *m)
{
    return m->wants_lbs;
}
const float *pelti_measure_stretch(const PeltiMeasure *m)
{
    return m->stretch;
}
const uint8_t *pelti_measure_crossing(const PeltiMeasure *m)
{
    return m->crossing;
}
const float *pelti_measure_depth(const PeltiMeasure *m)
{
    return m->depth;
}

// ---- one frame ----

static Vec3 without_nonfinite(Vec3 p, int *nonfinite)
{
    *nonfinite += !isfinite(p.x) + !isfinite(p.y) + !isfinite(p.z);
    return vec3(isfinite(p.x) ? p.x : 0, isfinite(p.y) ? p.y : 0, isfinite(p.z) ? p.z : 0);
}

/// Double: coordinates near the end of float's range must not overflow.
static double squared_distance(Vec3 a, Vec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return x * x + y * y + z * z;
}

static void take_points(PeltiMeasure *m, const Vec3 *points, PeltiFrameMeasure *out)
{
    const PeltiMesh *mesh = m->mesh;
    int ignored = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        m->raw[v] = points[mesh->first_point[v]];
        m->x[v] = without_nonfinite(m->raw[v], &ignored);
    }
    m->broken = ignored > 0;
    place_hole_centres(mesh, m->x);
    memcpy(m->raw + mesh->vertex_count, m->x + mesh->vertex_count, (size_t)mesh->hole_count * sizeof(Vec3));
    double crack = 0;
    for (int p = 0; p < mesh->point_count; p++)
        crack = fmax(crack, squared_distance(without_nonfinite(points[p], &out->nonfinite), m->x[mesh->weld[p]]));
    out->crack_max = sqrt(crack) / m->size;
    if (m->frames == 0)
        memcpy(m->first_points, points, (size_t)mesh->point_count * sizeof(Vec3));
    memcpy(m->last_points, points, (size_t)mesh->point_count * sizeof(Vec3));
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
        most = fmax(most, second_difference(now[v], history[0][v], history[1][v]));
    Vec3 *oldest = history[1];
    history[1] = history[0];
    history[0] = oldest;
    memcpy(oldest, now, (size_t)count * sizeof(Vec3));
    return frames >= 2 ? sqrt(most) / size : NAN;
}

static void measure_jitter(PeltiMeasure *m, const Vec3 *lbs_points, PeltiFrameMeasure *out)
{
    const PeltiMesh *mesh = m->mesh;
    out->jitter_max = push_history(m->previous, m->x, mesh->vertex_count, m->frames, m->size);
    out->jitter_vs_lbs_max = NAN;
    if (!lbs_points) {
        m->off_frames = 0;
        return;
    }
    Vec3 *off = m->inside_at; // free until the inside test
    for (int v = 0; v < mesh->vertex_count; v++)
        off[v] = vec3_sub(m->x[v], lbs_points[mesh->first_point[v]]);
    out->jitter_vs_lbs_max = push_history(m->previous_off, off, mesh->vertex_count, m->off_frames, m->size);
    m->off_frames++;
}

static Normal turn(const Mat3 *r, Normal n)
{
    return (Normal){(double)r->m[0][0] * n.x + (double)r->m[0][1] * n.y + (double)r->m[0][2] * n.z,
                    (double)r->m[1][0] * n.x + (double)r->m[1][1] * n.y + (double)r->m[1][2] * n.z,
                    (double)r->m[2][0] * n.x + (double)r->m[2][1] * n.y + (double)r->m[2][2] * n.z};
}

static void measure_flips(PeltiMeasure *m, const Mat34 *bones, PeltiFrameMeasure *out)
{
    bool by_bone = bones && m->has_skin;
    for (int b = 0; b < m->who->bone_count && by_bone; b++)
        m->bone_turn[b] = mat3_polar(mat34_linear(bones[b]), NULL);
    sum_neighbours(m);
    out->flipped_vs_bone = out->flipped_both = by_bone ? 0 : -1;
    for (int t = 0; t < m->mesh->triangle_count; t++) {
        Normal n = m->normal[t];
        bool against_neighbours = dot(n, m->neighbours[t]) < 0 && !m->rest_flipped[t];
        out->flipped_vs_neighbours += against_neighbours;
        double area = sqrt(dot(n, n)) / 2;
        out->degenerate += area < 1e-6 * fmax(m->rest_area[t], 1e-6 * m->mean_area);
        int bone = m->triangle_bone[t];
        if (!by_bone || bone < 0)
            continue;
        bool against_bone = dot(n, turn(&m->bone_turn[bone], m->rest_normal[t])) < 0;
        out->flipped_vs_bone += against_bone;
        out->flipped_both += against_bone && against_neighbours;
    }
}

static void measure_stretch(PeltiMeasure *m, PeltiFrameMeasure *out)
{
    const PeltiMesh *mesh = m->mesh;
    int count = 0;
    double low = INFINITY, high = -INFINITY;
    memset(m->stretch, 0, (size_t)mesh->vertex_count * sizeof(float));
    for (int e = 0; e < mesh->edge_count; e++) {
        double rest = m->rest_length[e], ratio = 1;
        if (rest > 1e-7 * m->size) {
            ratio = edge_length(m, e) / rest;
            m->ratio[count++] = (float)ratio;
            low = fmin(low, ratio), high = fmax(high, ratio);
        }
        m->stretch[mesh->edges[e][0]] += (float)ratio;
        m->stretch[mesh->edges[e][1]] += (float)ratio;
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        int edges = mesh->ring_start[v + 1] - mesh->ring_start[v];
        m->stretch[v] = edges ? m->stretch[v] / (float)edges : 1;
    }
    out->stretch_min = count ? low : NAN;
    out->stretch_max = count ? high : NAN;
    out->stretch_p1 = pelti_percentile(m->ratio, count, 1);
    out->stretch_p50 = pelti_percentile(m->ratio, count, 50);
    out->stretch_p99 = pelti_percentile(m->ratio, count, 99);
    count = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (m->rest_area[t] > 1e-9 * m->mean_area)
            m->ratio[count++] = (float)(sqrt(dot(m->normal[t], m->normal[t])) / 2 / m->rest_area[t]);
    out->area_p1 = pelti_percentile(m->ratio, count, 1);
    out->area_p99 = pelti_percentile(m->ratio, count, 99);
}

static long most_long(long a, long b)
{
    return a > b ? a : b;
}
static int most_int(int a, int b)
{
    return a > b ? a : b;
}

/// fmax and fmin take the number where one is NAN: "not defined" never hides a value.
static void merge(PeltiQuality *q, const PeltiFrameMeasure *f)
{
    q->frames++;
    q->nonfinite += f->nonfinite;
    q->self_intersections = most_long(q->self_intersections, f->self_intersections);
    q->self_intersections_new = most_long(q->self_intersections_new, f->self_intersections_new);
    q->frames_with_new_self_intersections += f->self_intersections_new > 0;
    q->coplanar_overlaps = most_long(q->coplanar_overlaps, f->coplanar_overlaps);
    q->deep_pairs = most_long(q->deep_pairs, f->deep_pairs);
    q->triangles_intersecting = most_int(q->triangles_intersecting, f->triangles_intersecting);
    q->inside_vertices = most_int(q->inside_vertices, f->inside_vertices);
    q->everted_vertices = most_int(q->everted_vertices, f->everted_vertices);
    q->degenerate = most_int(q->degenerate, f->degenerate);
    q->flipped_vs_neighbours = most_int(q->flipped_vs_neighbours, f->flipped_vs_neighbours);
    q->flipped_vs_bone = most_int(q->flipped_vs_bone, f->flipped_vs_bone);
    q->inverted = most_int(q->inverted, f->flipped_both);
    q->pair_depth = fmax(q->pair_depth, f->pair_depth_max);
    q->depth = fmax(q->depth, f->depth_max);
    q->volume_ratio_min = fmin(q->volume_ratio_min, f->volume_ratio);
    q->volume_ratio_max = fmax(q->volume_ratio_max, f->volume_ratio);
    q->stretch_min = fmin(q->stretch_min, f->stretch_min);
    q->stretch_p1 = fmin(q->stretch_p1, f->stretch_p1);
    q->stretch_p50_min = fmin(q->stretch_p50_min, f->stretch_p50);
    q->stretch_p50_max = fmax(q->stretch_p50_max, f->stretch_p50);
    q->stretch_p99 = fmax(q->stretch_p99, f->stretch_p99);
    q->stretch_max = fmax(q->stretch_max, f->stretch_max);
    q->crack = fmax(q->crack, f->crack_max);
    q->jitter_world = fmax(q->jitter_world, f->jitter_max);
    q->jitter = fmax(q->jitter, f->jitter_vs_lbs_max);
}

void pelti_measure_frame(PeltiMeasure *m, const Vec3 *points, const Mat34 *bones, const Vec3 *lbs_points, PeltiFrameMeasure *out)
{
    PeltiFrameMeasure frame = {0};
    take_points(m, points, &frame);
    measure_jitter(m, lbs_points, &frame);
    pelti_parallel_for(m->jobs, m->triangle_count, 2048, normal_range, m);
    pelti_box_tree_refit_triangles(m->tree, m->jobs, (const int(*)[3])m->triangles, m->raw, NULL);
    pelti_measure_crossings(m, &frame);
    pelti_measure_inside(m, &frame);
    measure_flips(m, bones, &frame);
    frame.volume_ratio = fabs(m->rest_volume) > 1e-12 ? pelti_mesh_volume(m->mesh, m->x) / m->rest_volume : NAN;
    measure_stretch(m, &frame);
    merge(&m->quality, &frame);
    m->frames++;
    if (out)
        *out = frame;
}

void pelti_measure_restart(PeltiMeasure *m)
{
    m->frames = m->off_frames = 0;
    m->quality = (PeltiQuality){.inside_vertices = -1,
                                .everted_vertices = -1,
                                .flipped_vs_bone = -1,
                                .inverted = -1,
                                .depth = NAN,
                                .volume_ratio_min = NAN,
                                .volume_ratio_max = NAN,
                                .stretch_min = NAN,
                                .stretch_p1 = NAN,
                                .stretch_p50_min = NAN,
                                .stretch_p50_max = NAN,
                                .stretch_p99 = NAN,
                                .stretch_max = NAN,
                                .jitter_world = NAN,
                                .jitter = NAN,
                                .loop_error = NAN,
                                .rest_self_intersections = m->rest_self_intersections};
}

void pelti_measure_summary(const PeltiMeasure *m, PeltiQuality *out)
{
    *out = m->quality;
    if (m->frames == 0 || m->mesh->point_count == 0)
        return;
    double most = NAN;
    for (int p = 0; p < m->mesh->point_count; p++)
        if (vec3_finite(m->last_points[p]) && vec3_finite(m->first_points[p]))
            most = fmax(most, squared_distance(m->last_points[p], m->first_points[p]));
    out->loop_error = sqrt(most) / m->size;
}
