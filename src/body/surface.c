/// The body's skin: the boundary of the cells, drawn to the file's skin, then remeshed evenly.
#include "body/surface.h"

#include "body/constants.def"
#include "geometry/box_tree.h"
#include "remesh/remesh.h"

#include <math.h>
#include <string.h>

typedef struct Draw { // one round of drawing the steps of the cells to the skin
    PeltiRemeshSurface *surface;
    const PeltiPieceSoup *soup;
    const PeltiBoxTree *tree;
    Vec3 *fresh;
    const bool *wall;
    float edge, strength;
} Draw;

static Vec3 soup_normal(const PeltiPieceSoup *soup, int t)
{
    Vec3 a = soup->points[soup->triangles[t][0]], b = soup->points[soup->triangles[t][1]],
         c = soup->points[soup->triangles[t][2]];
    return vec3_normalize_or(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), vec3(0, 0, 0));
}

typedef struct FacingSoup {
    const PeltiPieceSoup *soup;
    Vec3 normal;
} FacingSoup;

static bool faces(void *context, int triangle)
{
    const FacingSoup *f = context;
    return vec3_dot(soup_normal(f->soup, triangle), f->normal) > SURFACE_FACING;
}

static Vec3 ring_centre(const PeltiRemeshSurface *s, int v)
{
    Vec3 sum = {0, 0, 0};
    float count = 0;
    int h = s->out[v];
    do {
        sum = vec3_add(sum, s->position[s->corner[pelti_remesh_next(h)]]);
        count++;
        h = s->opposite[pelti_remesh_previous(h)];
    } while (h != s->out[v]);
    return vec3_scale(sum, 1 / count);
}

static Vec3 drawn(const Draw *d, int v, Vec3 p)
{
    FacingSoup facing = {d->soup, d->surface->normal[v]};
    PeltiNearest near;
    PeltiNearestQuery query = {.triangles = (const int(*)[3])d->soup->triangles,
                               .points = d->soup->points,
                               .point = p,
                               .max_distance = SURFACE_PULL * d->edge,
                               .filter = faces,
                               .context = &facing};
    if (!pelti_box_tree_nearest(d->tree, &query, &near))
        return p;
    Vec3 step = vec3_sub(near.closest.point, p);
    if (d->wall[v] && vec3_dot(step, facing.normal) > 0) // a wall stays between the parts it keeps from each other
        return vec3_mad(p, facing.normal, -SURFACE_WALL_BACK * d->edge);
    return vec3_mad(p, step, d->strength);
}

static void draw_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Draw *d = context;
    for (int v = begin; v < end; v++) {
        Vec3 p = vec3_lerp(d->surface->position[v], ring_centre(d->surface, v), 0.5f);
        d->fresh[v] = d->strength > 0 ? drawn(d, v, p) : p;
    }
}

/// Smoothing takes the steps away, the pull brings the lost volume back.
static PeltStatus draw_to_skin(PeltiRemeshSurface *s, const PeltiPieceSoup *soup, float edge, PeltiJobs *jobs, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, &s->allocator);
    bool *wall = PELTI_NEW(&pool, bool, s->vertex_count);
    Draw d = {.surface = s, .soup = soup, .edge = edge, .wall = wall, .fresh = PELTI_NEW(&pool, Vec3, s->vertex_count)};
    PeltiBoxTree *tree = NULL;
    PeltStatus status = pool.failed ? pelti_no_memory(err, (size_t)s->vertex_count * 13)
                                    : pelti_box_tree_build_triangles(&pool, soup->triangle_count,
                                                                     (const int(*)[3])soup->triangles, soup->points, &tree, err);
    d.tree = tree;
    for (int v = 0; v < s->vertex_count && status == PELT_OK; v++)
        wall[v] = s->size[v] == 0;
    for (int round = 0; round < SURFACE_SMOOTH_ROUNDS && status == PELT_OK; round++) {
        d.strength = round < 2 || round % 2 == 0 ? 0 : SURFACE_STRENGTH;
        pelti_remesh_normals(s);
        pelti_parallel_for(jobs, s->vertex_count, 256, draw_range, &d);
        memcpy(s->position, d.fresh, (size_t)s->vertex_count * sizeof *d.fresh);
    }
    pelti_pool_release(&pool);
    return status;
}

// ---- remeshing: the drawn surface, at a scale of two units, is the shape ----

typedef struct Reference {
    int count;
    int (*triangles)[3];
    Vec3 *points;
    PeltiBoxTree *tree;
} Reference;

static Vec3 project_to_reference(const void *context, Vec3 p, Vec3 normal, float reach)
{
    const Reference *r = context;
    PeltiPieceSoup soup = {.triangles = r->triangles, .points = r->points};
    FacingSoup facing = {&soup, normal};
    PeltiNearest near;
    PeltiNearestQuery query = {.triangles = (const int(*)[3])r->triangles,
                               .points = r->points,
                               .point = p,
                               .max_distance = reach,
                               .filter = faces,
                               .context = &facing};
    if (!pelti_box_tree_nearest(r->tree, &query, &near))
        return p;
    return near.closest.point;
}

static PeltStatus copy_reference(const PeltiRemeshSurface *s, PeltiPool *pool, Reference *out, PeltError *err)
{
    out->count = s->triangle_count;
    out->triangles = (int(*)[3])PELTI_NEW(pool, int, (size_t)3 * (size_t)s->triangle_count);
    out->points = PELTI_NEW(pool, Vec3, s->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)s->triangle_count * 12);
    memcpy(out->triangles, s->corner, (size_t)s->triangle_count * sizeof(int[3]));
    memcpy(out->points, s->position, (size_t)s->vertex_count * sizeof(Vec3));
    return pelti_box_tree_build_triangles(pool, out->count, (const int(*)[3])out->triangles, out->points, &out->tree, err);
}

static void scale_all(PeltiRemeshSurface *s, Vec3 centre, float scale, bool back)
{
    for (int v = 0; v < s->vertex_count; v++)
        s->position[v] = back ? vec3_mad(centre, s->position[v], scale) : vec3_scale(vec3_sub(s->position[v], centre), scale);
}

/// The remesher speaks of metres: a character of any unit is brought to a diagonal of two.
static PeltStatus remesh(PeltiRemeshSurface *s, const PeltiMesh *mesh, int vertices, PeltiJobs *jobs, PeltError *err)
{
    Vec3 centre = vec3_lerp(mesh->low, mesh->high, 0.5f);
    float scale = 2 / mesh->diagonal;
    PeltiPool pool;
    pelti_pool_init(&pool, &s->allocator);
    Reference reference;
    scale_all(s, centre, scale, false);
    PeltStatus status = copy_reference(s, &pool, &reference, err);
    if (status == PELT_OK) {
        PeltiRemeshShape shape = {
            .context = &reference, .project = project_to_reference, .finest = SURFACE_FINEST, .sharp = true};
        status = pelti_remesh_even(&shape, s, vertices, jobs, err);
    }
    scale_all(s, centre, 1 / scale, true);
    pelti_pool_release(&pool);
    return status;
}

static PeltStatus hand_over(const PeltiRemeshSurface *s, PeltiPool *pool, PeltiBodySurface *out, PeltError *err)
{
    *out = (PeltiBodySurface){.vertex_count = s->vertex_count, .triangle_count = s->triangle_count};
    out->points = PELTI_NEW(pool, Vec3, s->vertex_count);
    out->triangles = (int(*)[3])PELTI_NEW(pool, int, (size_t)3 * (size_t)s->triangle_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)s->triangle_count * 12);
    memcpy(out->points, s->position, (size_t)s->vertex_count * sizeof(Vec3));
    memcpy(out->triangles, s->corner, (size_t)s->triangle_count * sizeof(int[3]));
    return PELT_OK;
}

/// One closed skin is its own shape: only its triangles are made anew, so that what is apart stays apart. PELT_FAILED where it
/// is no manifold.
static PeltStatus take_skin(const PeltiMesh *mesh, const PeltiPieceSoup *soup, PeltiRemeshSurface *out, PeltError *err)
{
    PELT_TRY(pelti_remesh_reserve(out, mesh->vertex_count, soup->triangle_count, err));
    out->vertex_count = mesh->vertex_count;
    out->triangle_count = soup->triangle_count;
    memcpy(out->position, mesh->rest, (size_t)mesh->vertex_count * sizeof(Vec3));
    memcpy(out->corner, soup->triangles, (size_t)soup->triangle_count * sizeof(int[3]));
    return pelti_remesh_connect(out, err);
}

static PeltStatus take_cells(const PeltiCellsDef *def, PeltiRemeshSurface *out, PeltError *err)
{
    PeltiPool work;
    PeltAllocator allocator = out->allocator;
    pelti_pool_init(&work, &allocator);
    PeltiCells cells;
    PeltStatus status = pelti_cells_create(def, &work, &cells, err);
    if (status == PELT_OK)
        status = pelti_cells_surface(&cells, SURFACE_CRUMB, &allocator, out, err);
    pelti_pool_release(&work);
    return status == PELT_OK && out->vertex_count > 0 ? draw_to_skin(out, def->soup, def->edge, def->jobs, err) : status;
}

PeltStatus pelti_body_surface(const PeltiCellsDef *def, int vertices, PeltiPool *pool, PeltiBodySurface *out, PeltError *err)
{
    PeltiRemeshSurface surface = {.allocator = pool->allocator};
    PeltStatus status = PELT_FAILED;
    if (pelti_pieces_one_skin(def->who, def->pieces))
        status = take_skin(def->who->mesh, def->soup, &surface, NULL);
    bool coarser = status == PELT_OK && vertices < def->who->mesh->vertex_count; // a skin of its own with fewer triangles
    if (status == PELT_FAILED) {
        pelti_remesh_release(&surface);
        surface = (PeltiRemeshSurface){.allocator = pool->allocator};
        status = take_cells(def, &surface, err);
    }
    if (status == PELT_OK && surface.vertex_count > 0)
        status = remesh(&surface, def->who->mesh, vertices, def->jobs, err);
    if (status == PELT_OK && coarser)
        status = pelti_remesh_apart(&surface, true, def->jobs, err); // relaxed vertices of thin parts may have come through
    if (status == PELT_OK)
        status = hand_over(&surface, pool, out, err);
    pelti_remesh_release(&surface);
    return status;
}
