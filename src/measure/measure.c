/// The measuring object: the rest shape, the stages of a frame in their order, and the clip.
#include "measure/measure.h"

#include "measure/parts.h"

#include <string.h>

// ---- create ----

static void take_capped_mesh(PeltiMeasure *m)
{
    const PeltiMesh *mesh = m->mesh;
    int caps = mesh->hole_count ? mesh->hole_start[mesh->hole_count] : 0;
    m->capped.vertex_count = mesh->vertex_count + mesh->hole_count;
    m->capped.triangle_count = mesh->triangle_count + caps;
    m->capped.triangles = pelti_pool_take(&m->pool, (size_t)m->capped.triangle_count, sizeof(int[3]));
    if (m->pool.failed)
        return;
    if (mesh->triangle_count)
        memcpy(m->capped.triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof(int[3]));
    int t = mesh->triangle_count;
    for (int h = 0; h < mesh->hole_count; h++)
        for (int i = mesh->hole_start[h]; i < mesh->hole_start[h + 1]; i++, t++) {
            m->capped.triangles[t][0] = mesh->vertex_count + h;
            m->capped.triangles[t][1] = mesh->hole[i];
            m->capped.triangles[t][2] = mesh->hole[i + 1 < mesh->hole_start[h + 1] ? i + 1 : mesh->hole_start[h]];
        }
}

static void take_arrays(PeltiMeasure *m)
{
    const PeltiMesh *mesh = m->mesh;
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count, edges = (size_t)mesh->edge_count;
    size_t points = (size_t)m->who->point_count;
    PeltiPool *pool = &m->pool;
    m->rest.length = PELTI_NEW(pool, double, edges);
    m->rest.normal = PELTI_NEW(pool, MeasureNormal, triangles);
    m->rest.area = PELTI_NEW(pool, double, triangles);
    m->rest.flipped = PELTI_NEW(pool, bool, triangles);
    m->rest.inside = PELTI_NEW(pool, bool, vertices);
    m->rest.edge_triangles = pelti_pool_take(pool, edges, sizeof(int[2]));
    m->rest.triangle_bone = PELTI_NEW(pool, int, triangles);
    m->frame.x = PELTI_NEW(pool, Vec3, m->capped.vertex_count);
    m->frame.raw = PELTI_NEW(pool, Vec3, m->capped.vertex_count);
    m->frame.lbs = PELTI_NEW(pool, Vec3, vertices);
    m->frame.normal = PELTI_NEW(pool, MeasureNormal, m->capped.triangle_count);
    m->frame.vertex_normal = PELTI_NEW(pool, MeasureNormal, vertices);
    m->frame.neighbours = PELTI_NEW(pool, MeasureNormal, triangles);
    m->inside.winding = PELTI_NEW(pool, int, vertices);
    m->inside.judged = PELTI_NEW(pool, bool, vertices);
    m->inside.outside = pelti_pool_take(pool, vertices, sizeof(double[3]));
    m->inside.crossings = PELTI_NEW(pool, int, vertices);
    m->inside.doubtful = pelti_pool_take(pool, vertices, sizeof(double[3]));
    m->inside.doubtful_of = PELTI_NEW(pool, int, vertices);
    m->inside.second = PELTI_NEW(pool, int, vertices);
    m->inside.list = PELTI_NEW(pool, int, vertices);
    m->inside.at = PELTI_NEW(pool, Vec3, vertices);
    m->inside.nearest = PELTI_NEW(pool, PeltiNearest, vertices);
    m->scratch.ratio = PELTI_NEW(pool, float, edges > triangles ? edges : triangles);
    m->scratch.offset = PELTI_NEW(pool, Vec3, vertices);
    m->maps.stretch = PELTI_NEW(pool, float, vertices);
    m->maps.depth = PELTI_NEW(pool, float, vertices);
    m->maps.crossing = PELTI_NEW(pool, uint8_t, triangles);
    m->scratch.bone_turn = PELTI_NEW(pool, Mat3, m->who->bone_count);
    m->clip.first_points = PELTI_NEW(pool, Vec3, points);
    m->clip.last_points = PELTI_NEW(pool, Vec3, points);
    for (int k = 0; k < 2; k++) {
        m->clip.previous[k] = PELTI_NEW(pool, Vec3, vertices);
        m->clip.previous_off[k] = PELTI_NEW(pool, Vec3, vertices);
    }
}

static void find_edge_triangles(PeltiMeasure *m)
{
    const PeltiMesh *mesh = m->mesh;
    for (int e = 0; e < mesh->edge_count; e++)
        m->rest.edge_triangles[e][0] = m->rest.edge_triangles[e][1] = -1;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int e = mesh->triangle_edges[t][k];
            if (mesh->edge_use[e] == 2)
                m->rest.edge_triangles[e][m->rest.edge_triangles[e][0] >= 0] = t;
        }
}

static PeltStatus measure_rest(PeltiMeasure *m, PeltError *err)
{
    const PeltiMesh *mesh = m->mesh;
    if (mesh->vertex_count)
        memcpy(m->frame.x, mesh->rest, (size_t)mesh->vertex_count * sizeof(Vec3));
    pelti_measure_place_holes(mesh, m->frame.x);
    memcpy(m->frame.raw, m->frame.x, (size_t)m->capped.vertex_count * sizeof(Vec3));
    PELT_TRY(pelti_box_tree_build_triangles(&m->pool, m->capped.triangle_count, (const int(*)[3])m->capped.triangles, m->frame.x,
                                            &m->capped.tree, err));
    m->inside.facing = PELTI_NEW(&m->pool, MeasureFacing, m->capped.tree->node_count);
    if (m->pool.failed)
        return pelti_no_memory(err, sizeof(MeasureFacing) * (size_t)m->capped.tree->node_count);
    pelti_measure_normals(m);
    for (int t = 0; t < mesh->triangle_count; t++) {
        m->rest.normal[t] = m->frame.normal[t];
        m->rest.area[t] = sqrt(pelti_measure_normal_dot(m->frame.normal[t], m->frame.normal[t])) / 2;
        m->rest.mean_area += m->rest.area[t] / mesh->triangle_count;
    }
    PELT_TRY(pelti_stab_create(&m->pool, mesh->vertex_count, &m->inside.stab, err));
    find_edge_triangles(m);
    pelti_measure_sum_neighbours(m);
    for (int t = 0; t < mesh->triangle_count; t++)
        m->rest.flipped[t] = pelti_measure_normal_dot(m->frame.normal[t], m->frame.neighbours[t]) < 0;
    for (int e = 0; e < mesh->edge_count; e++)
        m->rest.length[e] = pelti_measure_edge(m, m->frame.x, e);
    m->rest.volume = pelti_mesh_volume(mesh, mesh->rest);
    m->capped.orientable = mesh->nonmanifold_edge_count == 0 && mesh->inconsistent_edge_count == 0;
    m->capped.closed = m->capped.orientable && mesh->border_edge_count == m->capped.triangle_count - mesh->triangle_count;
    if (m->capped.orientable) {
        pelti_measure_find_inside(m);
        for (int v = 0; v < mesh->vertex_count; v++)
            m->rest.inside[v] = m->inside.winding[v] >= 1;
    }
    PELT_TRY(pelti_measure_rest_crossings(m, err));
    PELT_TRY(pelti_measure_find_parts(m, err));
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

bool pelti_measure_has_reference(const PeltiCharacter *who)
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

const float *pelti_measure_stretch(const PeltiMeasure *m)
{
    return m->maps.stretch;
}
const uint8_t *pelti_measure_crossing(const PeltiMeasure *m)
{
    return m->maps.crossing;
}
const float *pelti_measure_depth(const PeltiMeasure *m)
{
    return m->maps.depth;
}

// ---- frames ----

typedef struct FrameMeasuring {
    PeltiMeasure *m;
    const Mat34 *bones;
    PeltQuality *out;
} FrameMeasuring;

/// Stages that share nothing but what they read, each on one thread. The longest first.
typedef enum LastStage { STRETCHES, VOLUMES, FLIPS, PIECES, LAST_STAGES } LastStage;

static void last_stages(void *context, int begin, int end, int worker)
{
    const FrameMeasuring *s = context;
    (void)worker;
    for (int stage = begin; stage < end; stage++) {
        switch ((LastStage)stage) {
        case STRETCHES:
            pelti_measure_stretches(s->m, s->out);
            break;
        case VOLUMES:
            pelti_measure_volumes(s->m, s->out);
            break;
        case FLIPS:
            pelti_measure_flips(s->m, s->bones, s->out);
            break;
        case PIECES:
            pelti_measure_pieces(s->m, s->out);
            break;
        case LAST_STAGES:
            break;
        }
    }
}

/// What needs one frame only. `inside`: with the inside test, the dearest.
static PeltQuality measure_shape(PeltiMeasure *m, PeltiMeasureSkin skin, const Mat34 *bones, const PeltiMeasureSkin *lbs,
                                 bool inside)
{
    PeltQuality frame = pelti_quality_none();
    frame.frames = 1;
    frame.rest_self_intersections = m->rest_pairs.self_intersections;
    pelti_measure_take(m, skin, lbs, &frame);
    pelti_measure_normals(m);
    pelti_box_tree_refit_triangles(m->capped.tree, m->jobs, (const int(*)[3])m->capped.triangles, m->frame.raw, NULL);
    pelti_measure_crossings(m, &frame);
    if (inside)
        pelti_measure_inside(m, &frame);
    FrameMeasuring stages = {m, bones, &frame};
    pelti_parallel_for(m->jobs, LAST_STAGES, 1, last_stages, &stages);
    return frame;
}

void pelti_measure_frame(PeltiMeasure *m, PeltiMeasureSkin skin, const Mat34 *bones, const PeltiMeasureSkin *lbs,
                         PeltQuality *out)
{
    size_t bytes = (size_t)m->mesh->point_count * sizeof(Vec3);
    PeltQuality frame = measure_shape(m, skin, bones, lbs, true);
    pelti_measure_keep_volumes(m);
    pelti_measure_jitter(m, &frame);
    if (m->clip.frames == 0 && bytes)
        memcpy(m->clip.first_points, skin.points, bytes);
    if (bytes)
        memcpy(m->clip.last_points, skin.points, bytes);
    pelti_quality_merge(&m->clip.quality, &frame);
    m->clip.frames++;
    if (out)
        *out = frame;
}

void pelti_measure_lbs(PeltiMeasure *m, PeltiMeasureSkin lbs, const Mat34 *bones)
{
    PeltQuality frame = measure_shape(m, lbs, bones, &lbs, false);
    pelti_quality_merge(&m->clip.lbs_quality, &frame);
}

/// Of lbs there is no inside test and no jitter, be it measured beside another skin or as the skin itself.
void pelti_measure_lbs_is(PeltiMeasure *m, const PeltQuality *frame)
{
    const PeltQuality none = pelti_quality_none();
    PeltQuality lbs = *frame;
    lbs.inside_vertices = none.inside_vertices, lbs.everted_vertices = none.everted_vertices, lbs.depth = none.depth;
    lbs.jitter = none.jitter, lbs.jitter_world = none.jitter_world;
    pelti_quality_merge(&m->clip.lbs_quality, &lbs);
}

void pelti_measure_restart(PeltiMeasure *m)
{
    m->clip.frames = m->clip.off_frames = 0;
    m->clip.quality = m->clip.lbs_quality = pelti_quality_none();
    m->clip.quality.rest_self_intersections = m->rest_pairs.self_intersections;
    pelti_measure_forget_volumes(m);
}

void pelti_measure_summary(const PeltiMeasure *m, PeltQuality *out)
{
    *out = m->clip.quality;
    if (m->clip.frames == 0 || m->mesh->point_count == 0)
        return;
    double most = NAN;
    for (int p = 0; p < m->mesh->point_count; p++)
        if (vec3_finite(m->clip.last_points[p]) && vec3_finite(m->clip.first_points[p]))
            most = fmax(most, pelti_measure_squared_distance(m->clip.last_points[p], m->clip.first_points[p]));
    out->loop_error = sqrt(most) / m->size;
}

void pelti_measure_lbs_summary(const PeltiMeasure *m, PeltQuality *out)
{
    *out = m->clip.lbs_quality;
}
