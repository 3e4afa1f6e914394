/// Measures the parts of a mesh: the volume of closed components, and whether pieces painted to one bone stay rigid [Kabsch1976].
#include "measure/parts.h"

#include "measure/constants.def"

#include <string.h>

// ---- at rest ----

/// A component without border, with two triangles at every edge that run along it in opposite directions.
static void mark_open(const PeltiMesh *mesh, int *direction, bool *open)
{
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            direction[mesh->triangle_edges[t][k]] += mesh->triangles[t][k] < mesh->triangles[t][(k + 1) % 3] ? 1 : -1;
    for (int e = 0; e < mesh->edge_count; e++)
        if (mesh->edge_use[e] != 2 || direction[e] != 0)
            open[mesh->component[mesh->edges[e][0]]] = true;
}

static double six_volumes(const Vec3 *x, const int t[3], Vec3 o)
{
    double a[3] = {(double)x[t[0]].x - (double)o.x, (double)x[t[0]].y - (double)o.y, (double)x[t[0]].z - (double)o.z};
    double b[3] = {(double)x[t[1]].x - (double)o.x, (double)x[t[1]].y - (double)o.y, (double)x[t[1]].z - (double)o.z};
    double c[3] = {(double)x[t[2]].x - (double)o.x, (double)x[t[2]].y - (double)o.y, (double)x[t[2]].z - (double)o.z};
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

typedef struct RestComponent { // of one component at rest
    int first, vertices;
    double area, volume;
    PeltiBox box;
} RestComponent;

static void gather_extents(const PeltiMeasure *m, RestComponent *extents)
{
    const PeltiMesh *mesh = m->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        RestComponent *e = &extents[mesh->component[v]];
        if (e->vertices++ == 0)
            e->first = v, e->box = (PeltiBox){mesh->rest[v], mesh->rest[v]};
        pelti_box_take(&e->box, mesh->rest[v]);
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        RestComponent *e = &extents[mesh->component[mesh->triangles[t][0]]];
        e->area += m->rest.area[t];
        e->volume += six_volumes(mesh->rest, mesh->triangles[t], mesh->rest[e->first]) / 6;
    }
}

static bool has_volume(const PeltiMeasure *m, const RestComponent *e)
{
    double ball = e->area * sqrt(e->area) / 10.6347; // 6 sqrt(pi)
    return fabs(e->volume) > SHEET * ball && (double)vec3_distance(e->box.low, e->box.high) > CRUMB * m->size;
}

static void list_closed(PeltiMeasure *m, const RestComponent *extents, const bool *open)
{
    for (int c = 0; c < m->mesh->component_count; c++) {
        m->parts.closed_of[c] = -1;
        if (open[c] || extents[c].vertices < 4 || !has_volume(m, &extents[c]))
            continue;
        m->parts.closed_of[c] = m->parts.closed_count;
        m->parts.closed[m->parts.closed_count++] =
            (PeltiMeasureClosedPart){.anchor = extents[c].first,
                                     .told = {.component = c, .vertices = extents[c].vertices, .rest_volume = extents[c].volume}};
    }
}

/// The bone that alone moves each component by the file's weights; -1: several, or no weights.
static void find_only_bones(const PeltiMeasure *m, int *only)
{
    const PeltiWeights *w = &m->who->file_weights;
    const PeltiMesh *mesh = m->mesh;
    for (int c = 0; c < mesh->component_count; c++)
        only[c] = w->influences > 0 ? -2 : -1; // -2: not seen yet
    for (int p = 0; p < mesh->point_count && w->influences > 0; p++) {
        size_t row = (size_t)p * (size_t)w->influences;
        int *bone = &only[mesh->component[mesh->weld[p]]];
        bool alone = (double)w->weight[row] >= ONE_BONE && (*bone == -2 || *bone == w->bone[row]);
        *bone = alone ? w->bone[row] : -1;
    }
}

/// Lists the pieces' vertices, piece by piece. Two points are always rigid but for their distance: stretch tells that.
static void list_pieces(PeltiMeasure *m, const RestComponent *extents, const int *only, int *place)
{
    int total = 0;
    for (int c = 0; c < m->mesh->component_count; c++) {
        place[c] = -1;
        if (only[c] < 0 || extents[c].vertices < 3)
            continue;
        place[c] = total;
        m->parts.pieces[m->parts.piece_count++] = (PeltiMeasurePiece){total, extents[c].vertices};
        total += extents[c].vertices;
    }
    for (int v = 0; v < m->mesh->vertex_count; v++)
        if (place[m->mesh->component[v]] >= 0)
            m->parts.piece_vertices[place[m->mesh->component[v]]++] = v;
}

PeltStatus pelti_measure_find_parts(PeltiMeasure *m, PeltError *err)
{
    const PeltiMesh *mesh = m->mesh;
    size_t components = (size_t)mesh->component_count;
    PeltiPool work;
    pelti_pool_init(&work, &m->pool.allocator);
    int *direction = PELTI_NEW(&work, int, mesh->edge_count), *only = PELTI_NEW(&work, int, components);
    int *place = PELTI_NEW(&work, int, components);
    bool *open = PELTI_NEW(&work, bool, components);
    RestComponent *extents = PELTI_NEW(&work, RestComponent, components);
    m->parts.closed = PELTI_NEW(&m->pool, PeltiMeasureClosedPart, components);
    m->parts.closed_of = PELTI_NEW(&m->pool, int, components);
    m->parts.pieces = PELTI_NEW(&m->pool, PeltiMeasurePiece, components);
    m->parts.piece_vertices = PELTI_NEW(&m->pool, int, mesh->vertex_count);
    PeltStatus status = work.failed || m->pool.failed ? pelti_no_memory(err, components * sizeof(RestComponent)) : PELT_OK;
    if (status == PELT_OK) {
        mark_open(mesh, direction, open);
        gather_extents(m, extents);
        list_closed(m, extents, open);
        find_only_bones(m, only);
        list_pieces(m, extents, only, place);
    }
    pelti_pool_release(&work);
    return status;
}

// ---- volumes ----

typedef enum VolumeOf { VOLUME_NOW, VOLUME_LBS, VOLUME_NEAR } VolumeOf;

static double *volume_of(PeltiMeasureClosedPart *part, VolumeOf of)
{
    return of == VOLUME_NOW ? &part->now : of == VOLUME_LBS ? &part->lbs : &part->near;
}

static void sum_volumes(PeltiMeasure *m, const Vec3 *x, VolumeOf of)
{
    const PeltiMesh *mesh = m->mesh;
    for (int i = 0; i < m->parts.closed_count; i++)
        *volume_of(&m->parts.closed[i], of) = 0;
    for (int t = 0; t < mesh->triangle_count && m->parts.closed_count > 0; t++) {
        int i = m->parts.closed_of[mesh->component[mesh->triangles[t][0]]];
        if (i < 0)
            continue;
        double more = six_volumes(x, mesh->triangles[t], x[m->parts.closed[i].anchor]) / 6 / m->parts.closed[i].told.rest_volume;
        *volume_of(&m->parts.closed[i], of) += more;
    }
}

/// Of the chosen blend, where that is not lbs.
static void sum_near_volumes(PeltiMeasure *m)
{
    for (int i = 0; i < m->parts.closed_count && !m->frame.near.vertices; i++)
        m->parts.closed[i].near = m->parts.closed[i].lbs;
    if (m->frame.near.vertices)
        sum_volumes(m, m->frame.near.vertices, VOLUME_NEAR);
}

/// 0 where the ratio is at least as near to 1 as that of lbs or that of the chosen blend; else the lesser difference to the two.
static double beside_lbs(const PeltiMeasureClosedPart *part)
{
    double off = fabs(part->now - 1);
    double lbs = off <= fabs(part->lbs - 1) ? 0 : fabs(part->now - part->lbs);
    return off <= fabs(part->near - 1) ? 0 : fmin(lbs, fabs(part->now - part->near));
}

void pelti_measure_volumes(PeltiMeasure *m, PeltQuality *out)
{
    if (fabs(m->rest.volume) > 1e-12)
        out->volume_ratio_min = out->volume_ratio_max = pelti_mesh_volume(m->mesh, m->frame.x) / m->rest.volume;
    sum_volumes(m, m->frame.x, VOLUME_NOW);
    if (m->frame.has_lbs) {
        sum_volumes(m, m->frame.lbs, VOLUME_LBS);
        sum_near_volumes(m);
    }
    for (int i = 0; i < m->parts.closed_count; i++) {
        const PeltiMeasureClosedPart *part = &m->parts.closed[i];
        out->component_volume_min = fmin(out->component_volume_min, part->now);
        out->component_volume_max = fmax(out->component_volume_max, part->now);
        out->component_volume_error = fmax(out->component_volume_error, fabs(part->now - 1));
        if (m->frame.has_lbs)
            out->component_volume_vs_lbs = fmax(out->component_volume_vs_lbs, beside_lbs(part));
    }
}

void pelti_measure_keep_volumes(PeltiMeasure *m)
{
    for (int i = 0; i < m->parts.closed_count; i++) {
        PeltiMeasureClosedPart *part = &m->parts.closed[i];
        part->told.ratio_min = fmin(part->told.ratio_min, part->now);
        part->told.ratio_max = fmax(part->told.ratio_max, part->now);
        if (m->frame.has_lbs)
            part->told.vs_lbs = fmax(part->told.vs_lbs, beside_lbs(part));
    }
}

void pelti_measure_forget_volumes(PeltiMeasure *m)
{
    for (int i = 0; i < m->parts.closed_count; i++)
        m->parts.closed[i].told.ratio_min = m->parts.closed[i].told.ratio_max = m->parts.closed[i].told.vs_lbs = NAN;
}

int pelti_measure_component_count(const PeltiMeasure *m)
{
    return m->parts.closed_count;
}

PeltComponentQuality pelti_measure_component(const PeltiMeasure *m, int index)
{
    PELT_ASSERT(index >= 0 && index < m->parts.closed_count);
    return m->parts.closed[index].told;
}

// ---- rigid pieces ----

static void mean_of(const Vec3 *x, const int *vertices, int count, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < count; i++) {
        Vec3 p = x[vertices[i]];
        out[0] += (double)p.x / count, out[1] += (double)p.y / count, out[2] += (double)p.z / count;
    }
}

/// Best rotation of `from` onto the shape now: the polar factor of sum (now - mean)(from - mean)^T [Kabsch1976].
static Mat3 best_turn(const PeltiMeasure *m, const Vec3 *from, const int *vertices, int count, double middle[2][3])
{
    double sum[3][3] = {{0}}, most = 0;
    for (int i = 0; i < count; i++) {
        Vec3 p = m->frame.x[vertices[i]], q = from[vertices[i]];
        const double a[3] = {(double)p.x - middle[0][0], (double)p.y - middle[0][1], (double)p.z - middle[0][2]};
        const double b[3] = {(double)q.x - middle[1][0], (double)q.y - middle[1][1], (double)q.z - middle[1][2]};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                sum[r][c] += a[r] * b[c];
    }
    Mat3 scaled;
    for (int k = 0; k < 9; k++)
        most = fmax(most, fabs(sum[k / 3][k % 3]));
    for (int k = 0; k < 9; k++) // largest entry 1: float has room for pieces of any size
        scaled.m[k / 3][k % 3] = (float)(most > 0 ? sum[k / 3][k % 3] / most : 0);
    return mat3_polar(scaled, NULL);
}

/// How far the piece is from `from` turned and moved.
static double piece_error(const PeltiMeasure *m, const Vec3 *from, const int *vertices, int count)
{
    double middle[2][3], most = 0;
    mean_of(m->frame.x, vertices, count, middle[0]);
    mean_of(from, vertices, count, middle[1]);
    Mat3 turn = best_turn(m, from, vertices, count, middle);
    for (int i = 0; i < count; i++) {
        Vec3 p = m->frame.x[vertices[i]], q = from[vertices[i]];
        const double a[3] = {(double)p.x - middle[0][0], (double)p.y - middle[0][1], (double)p.z - middle[0][2]};
        const double b[3] = {(double)q.x - middle[1][0], (double)q.y - middle[1][1], (double)q.z - middle[1][2]};
        double squared = 0;
        for (int r = 0; r < 3; r++) {
            double d = a[r] - (double)turn.m[r][0] * b[0] - (double)turn.m[r][1] * b[1] - (double)turn.m[r][2] * b[2];
            squared += d * d;
        }
        most = pelti_measure_most(most, squared);
    }
    return sqrt(most) / m->size;
}

/// Of the shape by lbs, which says how large the piece should be where its bone scales, or of that at rest, where a trace of
/// other bones' weight bends it by lbs.
void pelti_measure_pieces(PeltiMeasure *m, PeltQuality *out)
{
    for (int i = 0; i < m->parts.piece_count && m->frame.has_lbs; i++) {
        const int *vertices = m->parts.piece_vertices + m->parts.pieces[i].first, count = m->parts.pieces[i].count;
        double by_lbs = piece_error(m, m->frame.lbs, vertices, count), by_rest = piece_error(m, m->mesh->rest, vertices, count);
        out->rigid_error = fmax(out->rigid_error, fmin(by_lbs, by_rest));
    }
}
