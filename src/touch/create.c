/// Prepares the last word on a skin: features, weights, memory.
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

/// The strongest influences of every vertex.
static void copy_weights(PeltiTouch *t, const PeltiTouchDef *def)
{
    const PeltiWeights *w = def->weights;
    for (int v = 0; v < t->count; v++) {
        size_t from = (size_t)v * (size_t)w->influences;
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
    Vec3 **all[] = {&t->x,         &t->wanted, &t->offset[0], &t->offset[1], &t->lag,    &t->lag_next, &t->x_saved,
                    &t->lag_saved, &t->plan,   &t->way_end,   &t->cut_mean,  &t->shared, &t->judged};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = PELTI_NEW(pool, Vec3, n);
    unsigned char **flags[] = {&t->ring, &t->core, &t->trouble, &t->dirty, &t->tangled, &t->fresh, &t->queued};
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
    t->feature_capacity = 20 * t->count + 4096;
    t->contact_capacity = 8 * t->count + 4096;
    t->features = PELTI_NEW(pool, TouchFeature, t->feature_capacity);
    t->found = PELTI_NEW(pool, TouchFeature, t->feature_capacity);
    t->share = PELTI_NEW(pool, float, t->feature_capacity);
    t->active = PELTI_NEW(pool, unsigned char, t->feature_capacity);
    t->sums = pelti_pool_take(pool, n / TOUCH_BLOCK + 1, sizeof *t->sums);
    t->contacts = PELTI_NEW(pool, TouchContact, t->contact_capacity);
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

static PeltStatus take_patches(PeltiTouch *t, PeltError *err)
{
    TouchPatches *patches = &t->patches;
    PELT_TRY(pelti_touch_patches_create(&t->pool, t->mesh, patches, err));
    size_t n = (size_t)patches->count + 1, joins = (size_t)patches->join_count + 1;
    PeltiBox **boxes[] = {&t->start_box, &t->end_box, &t->move_box};
    for (int i = 0; i < 3; i++)
        *boxes[i] = PELTI_NEW(&t->pool, PeltiBox, n);
    unsigned char **flags[] = {&t->join_listed, &t->join_crosses, &t->join_smooth};
    for (int i = 0; i < 3; i++)
        *flags[i] = PELTI_NEW(&t->pool, unsigned char, joins);
    t->patch_fresh = PELTI_NEW(&t->pool, unsigned char, n);
    t->patch_forced = PELTI_NEW(&t->pool, unsigned char, n);
    t->shape_end = PELTI_NEW(&t->pool, TouchShape, n);
    t->near_capacity = 24 * (int)n + 1024;
    t->near = PELTI_NEW(&t->pool, TouchNear, t->near_capacity);
    t->chunks = PELTI_NEW(&t->pool, TouchChunk, t->near_capacity / TOUCH_CHUNK + 2);
    t->pairs = (PeltiPairs){.capacity = 4 * (int)joins + 1024};
    t->pairs.pairs = PELTI_NEW(&t->pool, PeltiPair, t->pairs.capacity);
    if (t->pool.failed)
        return pelti_no_memory(err, n * sizeof(TouchShape));
    for (int i = 0; i < patches->count; i++) {
        t->start_box[i] = (PeltiBox){t->mesh->rest[patches->patch[i].vertex[0]], t->mesh->rest[patches->patch[i].vertex[0]]};
        for (int k = 1; k < patches->patch[i].vertex_count; k++)
            pelti_touch_reach(&t->start_box[i], t->mesh->rest[patches->patch[i].vertex[k]]);
    }
    PELT_TRY(pelti_box_tree_build(&t->pool, patches->count, t->start_box, &t->tree, err));
    PELT_TRY(pelti_box_tree_build(&t->pool, patches->count, t->start_box, &t->move_tree, err));
    t->awake = PELTI_NEW(&t->pool, unsigned char, t->tree->node_count + 1);
    return pelti_pairs_create(&t->pool, t->near_capacity, t->tree, &t->near_pairs, err);
}

static bool exempt(const void *touch, int a, int b)
{
    return pelti_touch_exempt_triangles(touch, a, b);
}

static PeltStatus build(PeltiTouch *t, const PeltiTouchDef *def, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    PELT_TRY(take_patches(t, err));
    PELT_TRY(take_motion(t, err));
    take_skin(t);
    if (t->pool.failed)
        return pelti_no_memory(err, (size_t)t->count * sizeof(Vec3));
    copy_weights(t, def);
    pelti_mesh_edge_lengths(mesh, mesh->rest, t->edge);
    for (int v = 0; v < t->count; v++)
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
            t->ring_length[r] = vec3_distance(mesh->rest[v], mesh->rest[mesh->ring[r]]);
    PELT_TRY(pelti_touch_find_exempt(t, err));
    pelti_touch_patches_limits(&t->patches, mesh, exempt, t, t->jobs);
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
    t->gap = GAP * t->size;
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
