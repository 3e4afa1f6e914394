/// Tetrahedra of a soft object from a grid, and how its surface hangs in them.
#include "contact/soft_mesh.h"

#include <string.h>

double pelti_contact_tet_volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++)
        u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6;
}

static void barycentric(const PeltiSoftMesh *m, const int tet[4], const double p[3], double w[4])
{
    double whole = pelti_contact_tet_volume(m->nodes[tet[0]], m->nodes[tet[1]], m->nodes[tet[2]], m->nodes[tet[3]]);
    w[0] = pelti_contact_tet_volume(p, m->nodes[tet[1]], m->nodes[tet[2]], m->nodes[tet[3]]) / whole;
    w[1] = pelti_contact_tet_volume(m->nodes[tet[0]], p, m->nodes[tet[2]], m->nodes[tet[3]]) / whole;
    w[2] = pelti_contact_tet_volume(m->nodes[tet[0]], m->nodes[tet[1]], p, m->nodes[tet[3]]) / whole;
    w[3] = 1 - w[0] - w[1] - w[2];
}

/// Hangs every surface vertex in the tetrahedron it lies in, or lies least outside of.
static PeltStatus hang_surface(PeltiPool *pool, const PeltiContactBody *body, const PeltiMesh *surface, PeltiSoftMesh *m,
                               PeltError *err)
{
    m->corner = pelti_pool_take(pool, (size_t)surface->vertex_count, sizeof(int[4]));
    m->weight = pelti_pool_take(pool, (size_t)surface->vertex_count, sizeof(double[4]));
    if (pool->failed)
        return pelti_no_memory(err, (size_t)surface->vertex_count * sizeof(double[4]));
    for (int v = 0; v < surface->vertex_count; v++) {
        double p[3] = {(double)body->local[v].x, (double)body->local[v].y, (double)body->local[v].z}, best = -INFINITY;
        for (int t = 0; t < m->tet_count && best < -1e-9; t++) {
            double w[4];
            barycentric(m, m->tets[t], p, w);
            double least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
            if (least > best) {
                best = least;
                memcpy(m->corner[v], m->tets[t], sizeof(int[4]));
                memcpy(m->weight[v], w, sizeof w);
            }
        }
    }
    return PELT_OK;
}

// ---- a lattice of cubes over the bounds, each cut into six ----

typedef struct Lattice {
    int cells[3];
    double low[3], step[3];
    bool *kept;  // [cells]
    int *number; // [nodes] -1: unused
} Lattice;

static int cell_index(const Lattice *l, int x, int y, int z)
{
    return (z * l->cells[1] + y) * l->cells[0] + x;
}

static int node_index(const Lattice *l, int x, int y, int z)
{
    return (z * (l->cells[1] + 1) + y) * (l->cells[0] + 1) + x;
}

/// A cell belongs to the body if its middle lies inside, or a vertex of the surface lies in it.
static PeltStatus keep_cells(PeltiPool *work, const PeltiContactBody *body, const PeltiMesh *surface, Lattice *l, PeltError *err)
{
    PeltiBoxTree *tree;
    PELT_TRY(pelti_box_tree_build_triangles(work, surface->triangle_count, surface->triangles, body->local, &tree, err));
    for (int z = 0; z < l->cells[2]; z++)
        for (int y = 0; y < l->cells[1]; y++)
            for (int x = 0; x < l->cells[0]; x++) {
                // a hair off the middle: lattices like to have their middles on edges of boxes
                double p[3] = {l->low[0] + (x + 0.5003) * l->step[0], l->low[1] + (y + 0.4996) * l->step[1],
                               l->low[2] + (z + 0.5002) * l->step[2]};
                l->kept[cell_index(l, x, y, z)] = pelti_box_tree_winding(tree, surface->triangles, body->local, p) >= 1;
            }
    for (int v = 0; v < surface->vertex_count; v++) {
        const float p[3] = {body->local[v].x, body->local[v].y, body->local[v].z};
        int at[3];
        bool border = false; // on a face between cells either will do
        for (int k = 0; k < 3; k++) {
            double u = ((double)p[k] - l->low[k]) / l->step[k];
            border |= fabs(u - round(u)) < 1e-3;
            at[k] = (int)fmin(fmax(floor(u), 0), l->cells[k] - 1);
        }
        if (!border)
            l->kept[cell_index(l, at[0], at[1], at[2])] = true;
    }
    return PELT_OK;
}

static void cut_cell(Lattice *l, PeltiSoftMesh *m, int x, int y, int z)
{
    static const int paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}; // Kuhn: along the axes in each order
    for (int p = 0; p < 6; p++) {
        int at[3] = {x, y, z}, tet[4];
        for (int c = 0; c < 4; c++) {
            int n = node_index(l, at[0], at[1], at[2]);
            if (l->number[n] < 0) {
                l->number[n] = m->node_count;
                for (int k = 0; k < 3; k++)
                    m->nodes[m->node_count][k] = l->low[k] + at[k] * l->step[k];
                m->node_count++;
            }
            tet[c] = l->number[n];
            if (c < 3)
                at[paths[p][c]]++;
        }
        if (pelti_contact_tet_volume(m->nodes[tet[0]], m->nodes[tet[1]], m->nodes[tet[2]], m->nodes[tet[3]]) < 0) {
            int swap = tet[2];
            tet[2] = tet[3], tet[3] = swap;
        }
        memcpy(m->tets[m->tet_count++], tet, sizeof tet);
    }
}

static PeltStatus make_lattice(PeltiPool *pool, PeltiPool *work, const PeltiContactBody *body, const PeltiMesh *surface,
                               PeltiSoftMesh *m, PeltError *err)
{
    Lattice l = {.cells = {0}};
    Vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3_scale(low, -1);
    for (int v = 0; v < surface->vertex_count; v++)
        low = vec3_min(low, body->local[v]), high = vec3_max(high, body->local[v]);
    double extent[3] = {(double)(high.x - low.x), (double)(high.y - low.y), (double)(high.z - low.z)},
           start[3] = {(double)low.x, (double)low.y, (double)low.z};
    double longest = fmax(extent[0], fmax(extent[1], extent[2]));
    int cells = 1, nodes = 1;
    pelti_contact_shape_cells(body->def, (const float[3]){(float)extent[0], (float)extent[1], (float)extent[2]}, l.cells);
    for (int k = 0; k < 3; k++) {
        l.low[k] = start[k];
        l.step[k] = fmax(extent[k], 1e-6 * longest) / l.cells[k];
        cells *= l.cells[k];
        nodes *= l.cells[k] + 1;
    }
    l.kept = PELTI_NEW(work, bool, cells);
    l.number = PELTI_NEW(work, int, nodes);
    m->nodes = pelti_pool_take(pool, (size_t)nodes, sizeof(double[3]));
    m->tets = pelti_pool_take(pool, (size_t)cells * 6, sizeof(int[4]));
    if (pool->failed || work->failed)
        return pelti_no_memory(err, (size_t)cells * 6 * sizeof(int[4]));
    for (int n = 0; n < nodes; n++)
        l.number[n] = -1;
    PELT_TRY(keep_cells(work, body, surface, &l, err));
    for (int z = 0; z < l.cells[2]; z++)
        for (int y = 0; y < l.cells[1]; y++)
            for (int x = 0; x < l.cells[0]; x++)
                if (l.kept[cell_index(&l, x, y, z)])
                    cut_cell(&l, m, x, y, z);
    return m->tet_count ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "object %s: nothing inside its surface", body->def->name);
}

static PeltStatus copy_tets(PeltiPool *pool, const PeltiContactBody *body, PeltiSoftMesh *m, PeltError *err)
{
    const PeltSceneObject *def = body->def;
    double scale = def->scale > 0 ? (double)def->scale : 1;
    m->node_count = def->vertex_count, m->tet_count = def->tetrahedron_count;
    m->nodes = pelti_pool_take(pool, (size_t)m->node_count, sizeof(double[3]));
    m->tets = pelti_pool_take(pool, (size_t)m->tet_count, sizeof(int[4]));
    if (pool->failed)
        return pelti_no_memory(err, (size_t)m->tet_count * sizeof(int[4]));
    for (int n = 0; n < m->node_count; n++)
        for (int k = 0; k < 3; k++)
            m->nodes[n][k] = scale * (double)def->vertices[n][k] - body->centre_offset[k];
    for (int t = 0; t < m->tet_count; t++) {
        for (int c = 0; c < 4; c++) {
            m->tets[t][c] = def->tetrahedra[t][c];
            if (m->tets[t][c] < 0 || m->tets[t][c] >= m->node_count)
                return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: tetrahedron %d has node %d of %d", def->name, t, m->tets[t][c],
                                 m->node_count);
        }
        double volume = pelti_contact_tet_volume(m->nodes[m->tets[t][0]], m->nodes[m->tets[t][1]], m->nodes[m->tets[t][2]],
                                                 m->nodes[m->tets[t][3]]);
        if (volume == 0)
            return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: tetrahedron %d has no volume", def->name, t);
        if (volume < 0) {
            int swap = m->tets[t][2];
            m->tets[t][2] = m->tets[t][3], m->tets[t][3] = swap;
        }
    }
    return PELT_OK;
}

PeltStatus pelti_soft_mesh_make(PeltiPool *pool, const PeltiContactBody *body, const PeltiMesh *surface, PeltiSoftMesh *out,
                                PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    *out = (PeltiSoftMesh){0};
    bool given = body->def->shape == PELT_SHAPE_MESH && body->def->tetrahedron_count > 0;
    PeltStatus status = given ? copy_tets(pool, body, out, err) : make_lattice(pool, &work, body, surface, out, err);
    pelti_pool_release(&work);
    return status == PELT_OK ? hang_surface(pool, body, surface, out, err) : status;
}
