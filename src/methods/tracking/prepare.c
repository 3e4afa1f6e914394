/// Prepares tracking: settings, fields, the rest state and the factor of the energy [Vaillant2014].
#include "methods/tracking/tracking.h"

#include "character/skeleton.h"

#include <string.h>

#include "methods/tracking/constants.def"

void pelti_tracking_retune(void *state, const PeltiOptions *o)
{
    Tracking *t = state;
    TrackingSettings *s = &t->set;
    s->fast = pelti_option_is(o, "solver", "fast");
    s->iterations = pelti_option_int(o, "iterations");
    s->tolerance = pelti_option_float(o, "tolerance");
    s->floor_rad = pelti_option_float(o, "virtual-step") * 0.01745329f;
    s->subdivide = pelti_option_bool(o, "virtual-frames");
    s->gap = pelti_option_float(o, "gap") * t->mesh->diagonal;
    s->target = pelti_option_is(o, "target", "blended") ? TRACKING_TARGET_BLENDED
                : pelti_option_is(o, "target", "rigid") ? TRACKING_TARGET_RIGID
                                                        : TRACKING_TARGET_POLAR;
    s->blend_passes = pelti_option_is(o, "blend", "smoother") ? BLEND_PASSES : 0;
    if (pelti_option_is(o, "blend", "rigid"))
        s->target = s->target == TRACKING_TARGET_BLENDED ? TRACKING_TARGET_RIGID : s->target;
    s->smooth_passes = pelti_option_int(o, "smooth");
    s->slide = pelti_option_float(o, "slide");
    s->keep_volume = pelti_option_float(o, "keep-volume");
    s->hold = pelti_option_float(o, "hold");
    t->awake.fresh = true;
}

static PeltStatus order_bones(Tracking *t, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &t->pool.allocator);
    int *depth = PELTI_NEW(&work, int, t->who->bone_count);
    PeltStatus status = depth ? pelti_skeleton_by_depth(t->who, &work, depth, t->bones.order, err)
                              : pelti_no_memory(err, (size_t)t->who->bone_count * sizeof *depth);
    pelti_pool_release(&work);
    return status;
}

static void bind_vertices(Tracking *t)
{
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        int owner = t->weights.bone[(size_t)v * (size_t)t->weights.influences], part = t->fields->vertex_part[v];
        bool prop = t->who->bones[owner].is_prop, loose = t->mesh->ring_start[v + 1] == t->mesh->ring_start[v];
        t->skin.skeleton[v] = t->who->bones[owner].skeleton;
        t->skin.bone[v] = part < 0 ? owner : t->fields->parts[part].bone;
        t->skin.reach[v] = part < 0 ? 1 : t->fields->parts[part].radius;
        t->skin.paint[v] = t->set.slide;
        t->skin.kind[v] = part < 0 || prop || loose ? TRACKING_VERTEX_RIGID : TRACKING_VERTEX_TRACKED;
        if (t->skin.kind[v] == TRACKING_VERTEX_RIGID)
            t->skin.bone[v] = owner;
    }
}

static PeltStatus weigh_edges(Tracking *t, PeltError *err)
{
    const PeltiMesh *mesh = t->mesh;
    PeltiPool work;
    pelti_pool_init(&work, &t->pool.allocator);
    float *weight = PELTI_NEW(&work, float, mesh->edge_count);
    PeltiSparseEntry *entries = PELTI_NEW(&work, PeltiSparseEntry, mesh->edge_count + mesh->vertex_count);
    PeltStatus status = work.failed ? pelti_no_memory(err, sizeof(PeltiSparseEntry) * (size_t)mesh->edge_count) : PELT_OK;
    if (status == PELT_OK) {
        pelti_mesh_cotangents(mesh, mesh->rest, COTANGENT_LEAST, weight, t->skin.area);
        pelti_mesh_edge_lengths(mesh, mesh->rest, t->skin.edge);
        int count = 0;
        for (int v = 0; v < mesh->vertex_count; v++)
            for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
                t->energy.ring_weight[e] = weight[pelti_mesh_edge(mesh, v, mesh->ring[e])];
                t->energy.diagonal[v] += t->energy.ring_weight[e];
            }
        status = pelti_tracking_find_holds(t, err);
        for (int e = 0; e < mesh->edge_count; e++) {
            int a = mesh->edges[e][0], b = mesh->edges[e][1];
            if (t->skin.kind[a] != TRACKING_VERTEX_RIGID && t->skin.kind[b] != TRACKING_VERTEX_RIGID)
                entries[count++] = (PeltiSparseEntry){a, b, -(double)weight[e]};
        }
        for (int v = 0; v < mesh->vertex_count; v++)
            entries[count++] =
                (PeltiSparseEntry){v, v,
                                   t->skin.kind[v] == TRACKING_VERTEX_RIGID || !(t->energy.diagonal[v] > 0)
                                       ? 1
                                       : (double)t->energy.diagonal[v] * (1 + (double)SHIFT) + (double)t->energy.hold[v]};
        PeltiSparseEntries matrix = {.n = mesh->vertex_count, .count = count, .list = entries};
        if (status == PELT_OK)
            status = pelti_sparse_create(&t->pool.allocator, &matrix, PELTI_ORDER_BEST, &t->solver.factor, err);
    }
    pelti_pool_release(&work);
    return status;
}

/// The linear solver's own numbering of vertices and rings.
static void number_rows(Tracking *t)
{
    const PeltiMesh *mesh = t->mesh;
    t->solver.order = pelti_sparse_order(t->solver.factor);
    for (int k = 0; k < mesh->vertex_count; k++)
        t->solver.place[t->solver.order[k]] = k;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            Vec3 edge = vec3_sub(mesh->rest[v], mesh->rest[mesh->ring[e]]);
            t->energy.rest += (double)(t->energy.ring_weight[e] * vec3_dot(edge, edge));
        }
    TrackingRows *ring = &t->solver.ring;
    int count = 0;
    for (int k = 0; k < mesh->vertex_count; k++) {
        int v = t->solver.order[k];
        ring->start[k] = count;
        ring->hold[k] = t->energy.hold[v];
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++, count++) {
            ring->vertex[count] = mesh->ring[e];
            ring->place[count] = t->solver.place[mesh->ring[e]];
            ring->weight[count] = t->energy.ring_weight[e];
        }
    }
    ring->start[mesh->vertex_count] = count;
}

static PeltStatus build(Tracking *t, const PeltiMethodPrepare *in, PeltError *err)
{
    PeltiFieldOptions options = pelti_field_options_default();
    options.jobs = t->jobs, options.log = in->log;
    options.samples = pelti_option_int(in->options, "samples");
    options.fold_depth = pelti_option_float(in->options, "fold-depth");
    options.join_still = pelti_option_is(in->options, "parts", "moving");
    pelti_tracking_retune(t, in->options);
    PELT_TRY(pelti_rig_fields(&t->pool, t->who, &in->artist, &options, &t->rig, err));
    PELT_TRY(pelti_fields_build(&t->pool, t->who, &t->weights, &options, &t->fields, err));
    PELT_TRY(pelti_tracking_memory(t, err));
    t->skin.volume = pelti_mesh_volume(t->mesh, t->mesh->rest);
    PELT_TRY(order_bones(t, err));
    bind_vertices(t);
    PELT_TRY(pelti_tracking_order_looks(t, err));
    for (int p = 0; p < t->fields->part_count; p++)
        t->bones.part_matrix[p] = mat34_identity();
    pelti_frame_set(&t->frame, t->bones.part_matrix);
    pelti_mesh_normals(t->mesh, t->mesh->rest, t->surface.normal);
    pelti_tracking_rest_values(t);
    PELT_TRY(pelti_tracking_effects(t, in->artist.rig, err));
    PELT_TRY(weigh_edges(t, err));
    number_rows(t);
    pelti_tracking_awake_prepare(t);
    for (int v = 0; v < t->mesh->vertex_count; v++)
        t->ease.share[v] = 1;
    t->solver.scratch = PELTI_NEW(&t->pool, float, pelti_sparse_row_work(t->solver.factor));
    if (t->pool.failed)
        return pelti_no_memory(err, sizeof(float) * pelti_sparse_row_work(t->solver.factor));
    return PELT_OK;
}

PeltStatus pelti_tracking_prepare(const PeltiMethodPrepare *in, void **state, PeltError *err)
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
        pelti_tracking_destroy(t);
        return status;
    }
    *state = t;
    return PELT_OK;
}

void pelti_tracking_destroy(void *state)
{
    Tracking *t = state;
    if (!t)
        return;
    pelti_sparse_destroy(t->solver.factor);
    PeltiPool pool = t->pool; // t lives in it
    pelti_pool_release(&pool);
}
