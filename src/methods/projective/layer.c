/// Makes the base layer fit for tissue: no tetrahedron between it and the skin is flat or inside out.
/// On a body with clothes, thin sheets and bones near its skin, a base point on a bone can lie so that prisms above it are flat
/// or inside out. There the base point comes back towards its skin, and turns below it, until every tetrahedron of its fan has
/// a volume.
///
/// Why that ends, and with none left: levels only rise, those of bad tetrahedra do, and where all corners of a triangle are at
/// the last level, its tetrahedra are those of the thinnest layer, which are sound (front.c).
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

#include "geometry/ray.h"
#include "math/elementary.h"

#include <string.h>

enum { GRAIN = 256 };

typedef struct Layer {
    const PeltiMesh *mesh;
    const PeltiBoxTree *tree;
    ProjFoot *feet;
    Vec3 *thinnest; // [vertex] base point at the last level
    Vec3 *below;    // [vertex] unit, from the skin to there
    Vec3 *way;      // [vertex] unit, from skin to base as the bones have it
    float *length;  // [vertex] of that way
    float *thin;    // [vertex] length of the way to `thinnest`
    float *most;    // [vertex] deepest a base point may be that has left its bone
    int *level;     // [vertex] 0: on the bone, TURN_LEVELS: straight below, MOST_LEVEL: thin
    bool *moved;    // [vertex] since the last look
    bool *bad;      // [triangle]
} Layer;

/// Half of what is below the skin, along its normal; the way to the bone.
static void measure_vertices(void *context, int begin, int end, int worker)
{
    (void)worker;
    Layer *l = context;
    const PeltiMesh *mesh = l->mesh;
    float size = mesh->diagonal;
    for (int v = begin; v < end; v++) { // the ray begins beyond the vertex' own fan
        Vec3 x = mesh->rest[v], arm = vec3_sub(l->feet[v].base, x);
        PeltiBoxRay ray = {.origin = x, .direction = vec3_scale(l->below[v], -1), .near = 1e-5f * size, .far = LAYER_FAR * size};
        PeltiBoxHit hit;
        bool met = pelti_box_tree_first_hit(l->tree, mesh->triangles, mesh->rest, &ray, &hit);
        l->most[v] = 0.5f * LAYER_DEEPEST * (met ? hit.distance : ray.far);
        l->length[v] = vec3_length(arm);
        l->way[v] = vec3_normalize_or(arm, ray.direction);
    }
}

static void place(Layer *l, int v)
{
    int level = l->level[v];
    ProjFoot *foot = &l->feet[v];
    if (foot->segment < 0)
        return;
    if (level == MOST_LEVEL || foot->push_order == PROJ_STAYS)
        foot->base = l->thinnest[v];
    if (level == 0 || level == MOST_LEVEL || foot->push_order == PROJ_STAYS)
        return;
    float turn = fminf((float)level / (float)TURN_LEVELS, 1), share = (float)level / (float)MOST_LEVEL;
    // no tissue at all would have no direction to grow in: the least lengths are for rounding
    float thin = fmaxf(l->thin[v], 1e-7f * l->mesh->diagonal), from = fmaxf(l->length[v], LAYER_SHORTEST * thin);
    Vec3 way = vec3_normalize_or(vec3_lerp(l->way[v], l->below[v], turn), l->below[v]);
    float length = from * pelti_powf(thin / from, share);
    length = fminf(length, from + (fmaxf(fminf(l->most[v], from), thin) - from) * turn);
    foot->base = vec3_mad(l->mesh->rest[v], way, length);
}

static void look(void *context, int begin, int end, int worker)
{
    (void)worker;
    Layer *l = context;
    for (int f = begin; f < end; f++) {
        const int *t = l->mesh->triangles[f];
        if (l->moved[t[0]] || l->moved[t[1]] || l->moved[t[2]])
            l->bad[f] = pelti_proj_bad_tets(l->mesh, l->feet, t) > 0;
    }
}

static void raise(Layer *l, int v, int to)
{
    if (to > MOST_LEVEL || to <= l->level[v])
        return;
    l->level[v] = to;
    l->moved[v] = true;
}

/// Levels of neighbours differ by little: a base point deep inside beside one below its skin would tear the layer apart.
static void spread(Layer *l)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < l->mesh->edge_count; i++) {
            const int *e = l->mesh->edges[pass ? l->mesh->edge_count - 1 - i : i];
            raise(l, e[0], l->level[e[1]] - LAYER_STEEPEST);
            raise(l, e[1], l->level[e[0]] - LAYER_STEEPEST);
        }
}

static void settle(Layer *l, PeltiJobs *jobs)
{
    const PeltiMesh *mesh = l->mesh;
    int n = mesh->vertex_count;
    for (bool any = true; any;) {
        pelti_parallel_for(jobs, mesh->triangle_count, GRAIN, look, l);
        memset(l->moved, 0, (size_t)n * sizeof *l->moved);
        for (int f = 0; f < mesh->triangle_count; f++)
            for (int k = 0; l->bad[f] && k < 3; k++) {
                int v = mesh->triangles[f][k];
                if (!l->moved[v])
                    raise(l, v, l->level[v] + 1);
            }
        spread(l);
        any = false;
        for (int v = 0; v < n; v++)
            if (l->moved[v]) {
                place(l, v);
                any = true;
            }
    }
}

PeltStatus pelti_proj_layer(const PeltiMesh *mesh, ProjFoot *feet, PeltiPool *temp, PeltiJobs *jobs, PeltError *err)
{
    size_t n = (size_t)mesh->vertex_count + 1;
    PeltiBoxTree *tree;
    Layer l = {.mesh = mesh, .feet = feet};
    l.thinnest = PELTI_NEW(temp, Vec3, n);
    l.below = PELTI_NEW(temp, Vec3, n);
    l.way = PELTI_NEW(temp, Vec3, n);
    l.length = PELTI_NEW(temp, float, n);
    l.thin = PELTI_NEW(temp, float, n);
    l.most = PELTI_NEW(temp, float, n);
    l.level = PELTI_NEW(temp, int, n);
    l.moved = PELTI_NEW(temp, bool, n);
    l.bad = PELTI_NEW(temp, bool, (size_t)mesh->triangle_count + 1);
    if (temp->failed)
        return pelti_no_memory(err, n * sizeof(Vec3) * 3);
    PELT_TRY(pelti_box_tree_build_triangles(temp, mesh->triangle_count, mesh->triangles, mesh->rest, &tree, err));
    l.tree = tree;
    pelti_mesh_normals(mesh, mesh->rest, l.below);
    pelti_parallel_for(jobs, mesh->vertex_count, GRAIN, measure_vertices, &l);
    PELT_TRY(pelti_proj_front(mesh, l.most, feet, temp, l.thinnest, err));
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 down = vec3_sub(l.thinnest[v], mesh->rest[v]);
        l.thin[v] = vec3_length(down);
        l.below[v] = vec3_normalize_or(down, vec3_scale(l.below[v], -1));
        l.level[v] = (int)ceilf(feet[v].blend * (float)TURN_LEVELS);
        l.moved[v] = true;
    }
    spread(&l);
    for (int v = 0; v < mesh->vertex_count; v++)
        place(&l, v);
    settle(&l, jobs);
    return PELT_OK;
}
