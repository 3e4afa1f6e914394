/// Prepares the last word on a skin: features, weights, memory.
#include "touch/parts.h"

#include <string.h>

static const float gap_share = 5e-4f; // of the size

static void own_features(PeltiTouch *t)
{
    const PeltiMesh *mesh = t->mesh;
    for (int v = 0; v < t->count; v++)
        t->vertex_owner[v] = mesh->fan_start[v] < mesh->fan_start[v + 1] ? mesh->fan[mesh->fan_start[v]] : -1;
    for (int k = mesh->triangle_count - 1; k >= 0; k--)
        for (int i = 0; i < 3; i++)
            t->edge_owner[mesh->triangle_edges[k][i]] = k;
}

/// The strongest influences of every shown vertex, from the weights of the mesh the method works on.
static void copy_weights(PeltiTouch *t, const PeltiTouchDef *def)
{
    const PeltiWeights *w = def->weights;
    for (int v = 0; v < t->count; v++) {
        size_t from = (size_t)def->fine->mesh->weld[t->mesh->first_point[v]] * (size_t)w->influences;
        float sum = 0;
        for (int k = 0; k < TOUCH_INFLUENCES && k < w->influences; k++) {
            t->bone[v][k] = w->bone[from + (size_t)k];
            t->weight[v][k] = w->weight[from + (size_t)k];
            sum += t->weight[v][k];
        }
        for (int k = 0; k < TOUCH_INFLUENCES; k++)
            t->weight[v][k] = sum > 0 ? t->weight[v][k] / sum : k == 0;
    }
}

static void take_skin(PeltiTouch *t)
{
    PeltiPool *pool = &t->pool;
    size_t n = (size_t)t->count + 1;
    Vec3 **all[] = {&t->x,        &t->wanted,    &t->offset[0], &t->offset[1], &t->lag,  &t->lag_next,
                    &t->x_saved, &t->lag_saved, &t->plan,      &t->way_end,   &t->cut_mean,  &t->shared};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = PELTI_NEW(pool, Vec3, n);
    unsigned char **flags[] = {&t->ring, &t->core, &t->trouble, &t->dirty, &t->tangled, &t->fresh, &t->queued, &t->suspect};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = PELTI_NEW(pool, unsigned char, n);
    t->list = PELTI_NEW(pool, int, n);
    t->queue = PELTI_NEW(pool, int, n);
    t->ring_length = PELTI_NEW(pool, float, t->mesh->ring_start[t->count] + 1);
    t->cut = PELTI_NEW(pool, float, n);
    t->bound = PELTI_NEW(pool, float, n);
    t->speed = PELTI_NEW(pool, float, n);
    t->edge = PELTI_NEW(pool, float, n);
    t->bone = pelti_pool_take(pool, n, sizeof *t->bone);
    t->weight = pelti_pool_take(pool, n, sizeof *t->weight);
    t->vertex_owner = PELTI_NEW(pool, int, n);
    t->edge_owner = PELTI_NEW(pool, int, t->mesh->edge_count + 1);
    t->boxes = PELTI_NEW(pool, PeltiBox, t->mesh->triangle_count + 1);
    t->normal[0] = PELTI_NEW(pool, Vec3, t->mesh->triangle_count + 1);
    t->normal[1] = PELTI_NEW(pool, Vec3, t->mesh->triangle_count + 1);
    t->features = PELTI_NEW(pool, TouchFeature, TOUCH_MOST_FEATURES);
    t->share = PELTI_NEW(pool, float, TOUCH_MOST_FEATURES);
    t->active = PELTI_NEW(pool, unsigned char, TOUCH_MOST_FEATURES);
    t->contacts = PELTI_NEW(pool, TouchContact, TOUCH_MOST_CONTACTS);
}

static PeltStatus take_motion(PeltiTouch *t, PeltError *err)
{
    PeltiArena arena = {0};
    pelti_motion_in(&arena, t->who);
    arena.base = pelti_pool_take(&t->pool, arena.used, 1);
    arena.used = 0;
    if (!arena.base)
        return pelti_no_memory(err, sizeof(PeltiMotionBone) * (size_t)t->who->bone_count);
    t->motion = pelti_motion_in(&arena, t->who);
    pelti_motion_order(&t->motion);
    Mat34 **bones[] = {&t->bones_from, &t->bones_to, &t->bones_now, &t->bones_last};
    for (int i = 0; i < 4; i++)
        *bones[i] = PELTI_NEW(&t->pool, Mat34, t->who->bone_count + 1);
    return PELT_OK;
}

/// What the nodes of the tree are at rest.
static PeltStatus take_nodes(PeltiTouch *t, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    PeltiBoxTree **trees[] = {&t->normal_tree[0], &t->normal_tree[1], &t->move_tree};
    for (int i = 0; i < 3; i++)
        PELT_TRY(pelti_box_tree_build_triangles(&t->pool, mesh->triangle_count, mesh->triangles, mesh->rest, trees[i], err));
    t->awake = PELTI_NEW(&t->pool, unsigned char, t->tree->node_count + 1);
    t->wary = PELTI_NEW(&t->pool, unsigned char, t->tree->node_count + 1);
    t->rest_nodes = PELTI_NEW(&t->pool, PeltiBox, t->tree->node_count + 1);
    t->node_component = PELTI_NEW(&t->pool, int, t->tree->node_count + 1);
    if (t->pool.failed)
        return pelti_no_memory(err, (size_t)t->tree->node_count * sizeof(PeltiBox));
    for (int n = 0; n < t->tree->node_count; n++) {
        const PeltiBoxNode *node = &t->tree->nodes[n];
        t->rest_nodes[n] = node->box;
        for (int i = 0; i < node->count; i++) {
            int of = mesh->component[mesh->triangles[t->tree->items[node->first + i]][0]];
            t->node_component[n] = i == 0 || t->node_component[n] == of ? of : -1;
            if (t->node_component[n] < 0)
                break;
        }
    }
    return PELT_OK;
}

static PeltStatus build(PeltiTouch *t, const PeltiTouchDef *def, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    PELT_TRY(pelti_box_tree_build_triangles(&t->pool, mesh->triangle_count, mesh->triangles, mesh->rest, &t->tree, err));
    PELT_TRY(pelti_pairs_create(&t->pool, TOUCH_MOST_PAIRS / 4, t->tree, &t->pairs, err));
    PELT_TRY(pelti_pairs_create(&t->pool, TOUCH_MOST_PAIRS, t->tree, &t->core_pairs, err));
    PELT_TRY(take_nodes(t, err));
    PELT_TRY(take_motion(t, err));
    take_skin(t);
    if (t->pool.failed)
        return pelti_no_memory(err, (size_t)t->count * sizeof(Vec3));
    own_features(t);
    copy_weights(t, def);
    pelti_mesh_edge_lengths(mesh, mesh->rest, t->edge);
    for (int v = 0; v < t->count; v++)
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
            t->ring_length[r] = vec3_distance(mesh->rest[v], mesh->rest[mesh->ring[r]]);
    PELT_TRY(touch_find_exempt(t, err));
    if (t->rest_crossings && def->log)
        pelti_warn(def->log, "rest-crosses", "%d pairs of triangles cross at rest: they are left as they are", t->rest_crossings);
    return PELT_OK;
}

PeltStatus pelti_touch_create(const PeltiTouchDef *def, PeltiTouch **out, PeltError *err)
{
    *out = NULL;
    PeltiTouch *t = pelti_alloc(def->allocator, sizeof *t);
    if (!t)
        return pelti_no_memory(err, sizeof *t);
    memset(t, 0, sizeof *t);
    pelti_pool_init(&t->pool, def->allocator);
    t->who = def->who;
    t->mesh = def->who->mesh;
    t->jobs = def->jobs;
    t->count = t->mesh->vertex_count;
    t->size = t->mesh->diagonal;
    t->gap = gap_share * t->size;
    t->margin = 2.5f * t->gap;
    PeltStatus status = build(t, def, err);
    if (status != PELT_OK) {
        pelti_touch_destroy(t);
        return status;
    }
    *out = t;
    return PELT_OK;
}

void pelti_touch_destroy(PeltiTouch *t)
{
    if (!t)
        return;
    PeltAllocator allocator = t->pool.allocator;
    pelti_pool_release(&t->pool);
    pelti_free(&allocator, t, sizeof *t);
}

int pelti_touch_rest_crossings(const PeltiTouch *t)
{
    return t->rest_crossings;
}
