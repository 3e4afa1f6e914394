/// Memory, fields and rest state of tracking.
#include "methods/tracking/tracking.h"

#include <string.h>

static const float SHIFT = 0.03f; ///< M = L + SHIFT diag(L): keeps the preconditioner definite

void tracking_retune(void *state, const PeltiOptions *o)
{
    Tracking *t = state;
    TrackingSettings *s = &t->set;
    s->fast = pelti_option_is(o, "solver", "fast");
    s->iterations = pelti_option_int(o, "iterations");
    s->tolerance = pelti_option_float(o, "tolerance");
    s->floor_rad = pelti_option_float(o, "virtual-step") * 0.01745329f;
    s->subdivide = pelti_option_bool(o, "virtual-frames");
    s->gap = pelti_option_float(o, "gap") * t->mesh->diagonal;
    s->target = pelti_option_is(o, "target", "blended") ? TARGET_BLENDED
                : pelti_option_is(o, "target", "rigid") ? TARGET_RIGID
                                                        : TARGET_POLAR;
    s->blend_passes = pelti_option_is(o, "blend", "smoother") ? 24 : 0;
    if (pelti_option_is(o, "blend", "rigid"))
        s->target = s->target == TARGET_BLENDED ? TARGET_RIGID : s->target;
    s->smooth_passes = pelti_option_int(o, "smooth");
    s->slide = pelti_option_float(o, "slide");
    s->keep_volume = pelti_option_float(o, "keep-volume");
    s->hold = pelti_option_float(o, "hold");
}

static Bones new_bones(PeltiPool *pool, int count)
{
    return (Bones){PELTI_NEW(pool, Mat34, count), PELTI_NEW(pool, Joint, count), PELTI_NEW(pool, Quat, count),
                   PELTI_NEW(pool, float, count)};
}

static void take_memory(Tracking *t)
{
    PeltiPool *pool = &t->pool;
    int n = t->mesh->vertex_count, bones = t->who->bone_count, rings = t->mesh->ring_start[n];
    t->kind = PELTI_NEW(pool, unsigned char, n);
    t->contact = PELTI_NEW(pool, unsigned char, n);
    t->stirred = PELTI_NEW(pool, unsigned char, n);
    t->skeleton = PELTI_NEW(pool, int, n);
    t->other = PELTI_NEW(pool, int, n);
    t->bone = PELTI_NEW(pool, int, n);
    t->place = PELTI_NEW(pool, int, n);
    float **floats[] = {&t->iso,   &t->slack,      &t->edge, &t->reach, &t->paint, &t->diagonal, &t->residual, &t->rotation_scale,
                        &t->touch, &t->touch_scratch, &t->area, &t->hold,  &t->swell, &t->pressed,  &t->own_bias, &t->own_rest,
                        &t->drift, &t->tilt,       &t->lean, &t->wall,  &t->share};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        *floats[k] = PELTI_NEW(pool, float, n);
    Vec3 **vectors[] = {&t->x, &t->normal, &t->rhs, &t->step, &t->before, &t->went, &t->shown, &t->buffer};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = PELTI_NEW(pool, Vec3, n);
    t->ring_weight = PELTI_NEW(pool, float, rings);
    t->lost = PELTI_NEW(pool, float, 2 * t->fields->part_count);
    t->grown = PELTI_NEW(pool, float, t->fields->part_count);
    t->rotation = PELTI_NEW(pool, Quat, n);
    t->rotation_next = PELTI_NEW(pool, Quat, n);
    t->row = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    t->load = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    t->direction = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    t->slid = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    t->ring_place = PELTI_NEW(pool, int, rings);
    t->sums = PELTI_NEW(pool, double, n / GRAIN + 1);
    t->moved = PELTI_NEW(pool, float, n / GRAIN + 1);
    t->looks = PELTI_NEW(pool, int, n / GRAIN + 1);
    t->bone_order = PELTI_NEW(pool, int, bones);
    t->bone_delta = PELTI_NEW(pool, Mat34, bones);
    t->part_matrix = PELTI_NEW(pool, Mat34, t->fields->part_count);
    t->now = new_bones(pool, bones);
    t->next = new_bones(pool, bones);
    t->goal = new_bones(pool, bones);
    PeltiArena arena = {0};
    pelti_frame_in(&arena, t->fields, &t->frame);
    arena.base = pelti_pool_take(pool, arena.used, 1);
    arena.used = 0;
    if (arena.base)
        pelti_frame_in(&arena, t->fields, &t->frame);
    t->around = PELTI_NEW(pool, uint64_t, (size_t)n * (size_t)t->frame.words);
    t->cluster = PELTI_NEW(pool, int, bones);
    t->strange = PELTI_NEW(pool, uint64_t, (size_t)bones * (size_t)t->frame.words);
}

static void order_bones(Tracking *t)
{
    int count = t->who->bone_count, done = 0;
    for (int depth = 0; done < count; depth++)
        for (int b = 0; b < count; b++) {
            int d = 0;
            for (int p = t->who->bones[b].parent; p >= 0; p = t->who->bones[p].parent)
                d++;
            if (d == depth)
                t->bone_order[done++] = b;
        }
}

static void bind_vertices(Tracking *t)
{
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        int owner = t->weights.bone[(size_t)v * (size_t)t->weights.influences], part = t->fields->vertex_part[v];
        bool prop = t->who->bones[owner].is_prop, loose = t->mesh->ring_start[v + 1] == t->mesh->ring_start[v];
        t->skeleton[v] = t->who->bones[owner].skeleton;
        t->bone[v] = part < 0 ? owner : t->fields->parts[part].bone;
        t->reach[v] = part < 0 ? 1 : t->fields->parts[part].radius;
        t->paint[v] = t->set.slide;
        t->kind[v] = part < 0 || prop || loose ? VERTEX_RIGID : VERTEX_TRACKED;
        if (t->kind[v] == VERTEX_RIGID)
            t->bone[v] = owner;
    }
}

static PeltStatus weigh_edges(Tracking *t, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    PeltiPool work;
    pelti_pool_init(&work, &t->pool.allocator);
    float *weight = PELTI_NEW(&work, float, mesh->edge_count);
    PeltiEntry *entries = PELTI_NEW(&work, PeltiEntry, mesh->edge_count + mesh->vertex_count);
    PeltStatus status = work.failed ? pelti_no_memory(err, sizeof(PeltiEntry) * (size_t)mesh->edge_count) : PELT_OK;
    if (status == PELT_OK) {
        pelti_mesh_cotangents(mesh, mesh->rest, 0.02f, weight, t->area);
        pelti_mesh_edge_lengths(mesh, mesh->rest, t->edge);
        int count = 0;
        for (int v = 0; v < mesh->vertex_count; v++)
            for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
                t->ring_weight[e] = weight[pelti_mesh_edge(mesh, v, mesh->ring[e])];
                t->diagonal[v] += t->ring_weight[e];
            }
        status = tracking_find_holds(t, err);
        for (int e = 0; e < mesh->edge_count; e++) {
            int a = mesh->edges[e][0], b = mesh->edges[e][1];
            if (t->kind[a] != VERTEX_RIGID && t->kind[b] != VERTEX_RIGID)
                entries[count++] = (PeltiEntry){a, b, -(double)weight[e]};
        }
        for (int v = 0; v < mesh->vertex_count; v++)
            entries[count++] = (PeltiEntry){v, v,
                                            t->kind[v] == VERTEX_RIGID || !(t->diagonal[v] > 0)
                                                ? 1
                                                : (double)t->diagonal[v] * (1 + (double)SHIFT) + (double)t->hold[v]};
        if (status == PELT_OK)
            status =
                pelti_sparse_create(&t->pool.allocator, mesh->vertex_count, count, entries, PELTI_ORDER_BEST, &t->factor, err);
    }
    pelti_pool_release(&work);
    return status;
}

/// The linear solver's own numbering of vertices and rings.
static void number_rows(Tracking *t)
{
    const PeltiMesh *mesh = t->mesh;
    t->order = pelti_sparse_order(t->factor);
    for (int k = 0; k < mesh->vertex_count; k++)
        t->place[t->order[k]] = k;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            Vec3 edge = vec3_sub(mesh->rest[v], mesh->rest[mesh->ring[e]]);
            t->ring_place[e] = t->place[mesh->ring[e]];
            t->rest_energy += (double)(t->ring_weight[e] * vec3_dot(edge, edge));
        }
}

static PeltStatus build(Tracking *t, const PeltiPrepare *in, PeltError *err)
{
    PeltiFieldOptions options = pelti_field_options_default();
    options.samples = pelti_option_int(in->options, "samples");
    options.fold_depth = pelti_option_float(in->options, "fold-depth");
    options.join_still = pelti_option_is(in->options, "parts", "moving");
    tracking_retune(t, in->options);
    PELT_TRY(pelti_rig_fields(&t->pool, t->who, &in->artist, &options, &t->rig, err));
    PELT_TRY(pelti_fields_build(&t->pool, t->who, &t->weights, &options, t->jobs, in->log, &t->fields, err));
    take_memory(t);
    if (t->pool.failed)
        return pelti_no_memory(err, (size_t)t->mesh->vertex_count * 200);
    t->rest_volume = pelti_mesh_volume(t->mesh, t->mesh->rest);
    order_bones(t);
    bind_vertices(t);
    for (int p = 0; p < t->fields->part_count; p++)
        t->part_matrix[p] = mat34_identity();
    pelti_frame_set(&t->frame, t->part_matrix);
    pelti_mesh_normals(t->mesh, t->mesh->rest, t->normal);
    tracking_rest_values(t);
    PELT_TRY(tracking_effects_prepare(t, in->artist.rig, err));
    PELT_TRY(weigh_edges(t, err));
    number_rows(t);
    for (int v = 0; v < t->mesh->vertex_count; v++)
        t->share[v] = 1;
    t->solve_work = PELTI_NEW(&t->pool, float, pelti_sparse_row_work(t->factor));
    if (t->pool.failed)
        return pelti_no_memory(err, sizeof(float) * pelti_sparse_row_work(t->factor));
    return PELT_OK;
}

PeltStatus tracking_prepare(const PeltiPrepare *in, void **state, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, in->allocator);
    Tracking *t = PELTI_NEW(&pool, Tracking, 1);
    if (!t)
        return pelti_no_memory(err, sizeof *t);
    t->pool = pool;
    t->who = in->who;
    t->mesh = in->who->mesh;
    t->weights = *in->weights;
    t->jobs = in->jobs;
    PeltStatus status = build(t, in, err);
    if (status != PELT_OK) {
        tracking_destroy(t);
        return status;
    }
    *state = t;
    return PELT_OK;
}

void tracking_destroy(void *state)
{
    Tracking *t = state;
    if (!t)
        return;
    pelti_sparse_destroy(t->factor);
    PeltiPool pool = t->pool; // t lives in it
    pelti_pool_release(&pool);
}
