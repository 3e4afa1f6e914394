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
            t->rest.bone[v][k] = w->bone[from + (size_t)k];
            t->rest.weight[v][k] = w->weight[from + (size_t)k];
            sum += t->rest.weight[v][k];
        }
        for (int k = 0; k < TOUCH_INFLUENCES; k++)
            t->rest.weight[v][k] = sum > 0 ? t->rest.weight[v][k] / sum : k == 0;
    }
}

static void take_vectors(PeltiTouch *t, size_t n)
{
    TouchScratch *s = &t->scratch;
    Vec3 **all[] = {&t->state.x,     &t->state.wanted,  &t->state.lag,      &t->way.offset[0], &t->way.offset[1],
                    &t->moves.plan,  &t->moves.way_end, &t->moves.cut_mean, &t->moves.shared,  &t->moves.judged,
                    &s->lag_next,    &s->x_saved,       &s->lag_saved,      &s->x_kept,        &s->lag_kept,
                    &s->wanted_kept, &s->before.x,      &s->before.wanted,  &s->before.lag,    &s->iron.blend,
                    &s->iron.offset, &s->iron.next,     &s->iron.before,    &s->draw_in.next,  &s->zones.goal};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = PELTI_NEW(&t->pool, Vec3, n);
}

static void take_skin(PeltiTouch *t)
{
    PeltiPool *pool = &t->pool;
    TouchScratch *s = &t->scratch;
    size_t n = (size_t)t->count + 1;
    take_vectors(t, n);
    unsigned char **flags[] = {&t->gathered.ring,   &t->gathered.core,  &t->state.trouble, &t->moves.cut_short,
                               &t->moves.replanned, &t->moves.fresh,    &t->rest.tangled,  &s->queued,
                               &s->turns,           &s->zones.is_bound, &s->trouble_kept,  &s->before.trouble};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = PELTI_NEW(pool, unsigned char, n);
    int **lists[] = {&t->gathered.list, &s->queue, &s->zones.body, &s->zones.next};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = PELTI_NEW(pool, int, n);
    float **lengths[] = {&t->moves.cut, &t->moves.bound, &t->way.speed, &t->rest.edge, &s->draw_in.scale};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        *lengths[i] = PELTI_NEW(pool, float, n);
    t->look.area = PELTI_NEW(pool, Vec3, t->mesh->triangle_count + 1);
    s->turned = PELTI_NEW(pool, unsigned char, t->mesh->triangle_count + 1);
    t->rest.ring_length = PELTI_NEW(pool, float, t->mesh->ring_start[t->count] + 1);
    t->rest.bone = pelti_pool_take(pool, n, sizeof *t->rest.bone);
    t->rest.weight = pelti_pool_take(pool, n, sizeof *t->rest.weight);
    // Every feature that is listed is paid for, WORK a vertex and for WORK_BASE more at most: a list of about twice that is not
    // full before the work is spent; twice, since workers find into even shares of as much room. Fewer features are held apart
    // than listed; a contact that finds no room is left to the cuts. 8: chosen, not measured.
    t->features.capacity = 20 * t->count + 4096;
    t->contacts.capacity = 8 * t->count + 4096;
    t->features.list = PELTI_NEW(pool, TouchFeature, t->features.capacity);
    t->features.scratch.found = PELTI_NEW(pool, TouchFeature, t->features.capacity);
    t->features.share = PELTI_NEW(pool, float, t->features.capacity);
    t->features.active = PELTI_NEW(pool, unsigned char, t->features.capacity);
    s->sums = pelti_pool_take(pool, n / TOUCH_BLOCK + 1, sizeof *s->sums);
    t->contacts.list = PELTI_NEW(pool, TouchContact, t->contacts.capacity);
}

static PeltStatus take_motion(PeltiTouch *t, PeltError *err)
{
    PeltiArena arena = {0};
    pelti_motion_in(&arena, t->who);
    arena.base = pelti_pool_take(&t->pool, arena.used, 1);
    arena.used = 0;
    if (!arena.base)
        return pelti_no_memory(err, sizeof(PeltiJoint) * (size_t)t->who->bone_count);
    t->way.motion = pelti_motion_in(&arena, t->who);
    pelti_motion_start(&t->way.motion);
    t->way.bones_now = PELTI_NEW(&t->pool, Mat34, t->who->bone_count + 1);
    t->state.bones_last = PELTI_NEW(&t->pool, Mat34, t->who->bone_count + 1);
    t->scratch.bone_turn = PELTI_NEW(&t->pool, Mat34, t->who->bone_count + 1);
    t->scratch.bone_back = PELTI_NEW(&t->pool, Mat34, t->who->bone_count + 1);
    t->scratch.before.bones_last = PELTI_NEW(&t->pool, Mat34, t->who->bone_count + 1);
    return PELT_OK;
}

static PeltStatus take_patches(PeltiTouch *t, PeltError *err)
{
    TouchPatches *patches = &t->patches;
    PELT_TRY(pelti_touch_patches_create(&t->pool, t->mesh, patches, err));
    size_t n = (size_t)patches->count + 1, joins = (size_t)patches->join_count + 1;
    PeltiBox **boxes[] = {&t->bounds.start_box, &t->bounds.end.box, &t->bounds.move_box, &t->scratch.search.skin.box};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        *boxes[i] = PELTI_NEW(&t->pool, PeltiBox, n);
    unsigned char **flags[] = {&t->marks.join_listed, &t->marks.join_crosses, &t->marks.join_smooth,
                               &t->scratch.search.joins_cross};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = PELTI_NEW(&t->pool, unsigned char, joins);
    t->marks.patch_fresh = PELTI_NEW(&t->pool, unsigned char, n);
    t->gathered.forced = PELTI_NEW(&t->pool, unsigned char, n);
    TouchShape **shapes[] = {&t->look.shape, &t->bounds.end.shape, &t->scratch.search.skin.shape};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        *shapes[i] = PELTI_NEW(&t->pool, TouchShape, n);
    t->look.ease = PELTI_NEW(&t->pool, TouchEase, n);
    t->bounds.end_ease = PELTI_NEW(&t->pool, TouchEase, n);
    // Pairs of patches: of each about ten at two steps or less (six around it, twelve around these, every pair once, and itself),
    // the rest for skin that lies on skin, and 1024 so that a small skin may lie on itself all over; chosen, not measured. What
    // finds no room makes the substep one that cannot be finished.
    t->near.capacity = 24 * (int)n + 1024;
    t->near.list = PELTI_NEW(&t->pool, TouchNear, t->near.capacity);
    t->features.scratch.chunks = PELTI_NEW(&t->pool, TouchChunk, t->near.capacity / TOUCH_CHUNK + 2);
    // Pairs of triangles that cross: four for every two patches that are neighbours, and 1024 for small skins; chosen, not
    // measured. What finds no room is counted, but neither looked after nor, at rest, exempt.
    t->crossings.capacity = 4 * (int)joins + 1024;
    t->crossings.list = PELTI_NEW(&t->pool, PeltiPair, t->crossings.capacity);
    if (t->pool.failed)
        return pelti_no_memory(err, n * sizeof(TouchShape));
    for (int i = 0; i < patches->count; i++) {
        t->bounds.start_box[i] =
            (PeltiBox){t->mesh->rest[patches->patch[i].vertex[0]], t->mesh->rest[patches->patch[i].vertex[0]]};
        for (int k = 1; k < patches->patch[i].vertex_count; k++)
            pelti_box_take(&t->bounds.start_box[i], t->mesh->rest[patches->patch[i].vertex[k]]);
    }
    PeltiBoxTree **trees[] = {&t->bounds.start_tree, &t->bounds.move_tree, &t->scratch.search.tree}; // of one form
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        PELT_TRY(pelti_box_tree_build(&t->pool, patches->count, t->bounds.start_box, trees[i], err));
    t->bounds.node_fresh = PELTI_NEW(&t->pool, unsigned char, t->bounds.start_tree->node_count + 1);
    return pelti_pairs_create(&t->pool, t->near.capacity, t->bounds.start_tree, &t->scratch.pairs, err);
}

static bool exempt(const void *touch, int a, int b)
{
    return pelti_touch_exempt_triangles(touch, a, b);
}

static bool unwanted(const PeltiTouch *t, const PeltiTouchDef *def)
{
    return def->only_clean && t->rest.crossings > 0;
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
    pelti_mesh_edge_lengths(mesh, mesh->rest, t->rest.edge);
    for (int v = 0; v < t->count; v++)
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
            t->rest.ring_length[r] = vec3_distance(mesh->rest[v], mesh->rest[mesh->ring[r]]);
    PELT_TRY(pelti_touch_find_exempt(t, err));
    if (unwanted(t, def))
        return PELT_OK;
    pelti_touch_patches_limits(&t->patches, mesh, exempt, t, t->jobs);
    if (t->rest.crossings && def->log)
        pelti_warn(def->log, "rest-crosses", "%d pairs of triangles cross at rest: they are left as they are", t->rest.crossings);
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
    t->rest.size = t->mesh->diagonal;
    t->rest.gap = GAP * t->rest.size;
    t->rest.margin = MARGIN * t->rest.gap;
    PeltStatus status = build(t, def, err);
    if (status != PELT_OK || unwanted(t, def)) {
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
