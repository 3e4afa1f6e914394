/// Fields, rest values and memory of the implicit method.
#include "methods/implicit/implicit.h"
#include "math/elementary.h"
#include "methods/implicit/constants.def"

void pelti_implicit_retune(void *state, const PeltiOptions *o)
{
    ImplicitSettings *s = &((Implicit *)state)->set;
    s->sigma = pelti_option_float(o, "step");
    s->cos_stop = pelti_cosf(pelti_option_float(o, "stop-angle") * 0.01745329f);
    s->rounds = pelti_option_int(o, "rounds");
    s->steps = pelti_option_int(o, "marches");
    s->relax = pelti_option_bool(o, "relax");
    s->contact = pelti_option_is(o, "operator", "contact");
    s->smooth_passes = pelti_option_int(o, "smooth");
}

static void take_memory(Implicit *m)
{
    PeltiPool *pool = &m->pool;
    int n = m->mesh->vertex_count;
    Vec3 **vectors[] = {&m->now.x, &m->now.x_scratch, &m->now.normal};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = PELTI_NEW(pool, Vec3, n);
    float **floats[] = {&m->rest.iso,  &m->rest.reach,        &m->now.residual,
                        &m->now.touch, &m->now.touch_scratch, &m->now.residual_scratch};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        *floats[k] = PELTI_NEW(pool, float, n);
    m->rest.ring_share = PELTI_NEW(pool, float, m->mesh->ring_start[n]);
    m->rest.projected = PELTI_NEW(pool, bool, n);
    m->rest.skeleton = PELTI_NEW(pool, int, n);
    m->now.state = PELTI_NEW(pool, unsigned char, n);
    m->now.part_matrix = PELTI_NEW(pool, Mat34, m->fields->part_count);
    PeltiArena arena = {0};
    pelti_frame_in(&arena, m->fields, &m->now.field);
    arena.base = pelti_pool_take(pool, arena.used, 1);
    arena.used = 0;
    if (arena.base)
        pelti_frame_in(&arena, m->fields, &m->now.field);
}

/// A vertex takes part where the field at rest is no plateau and agrees with the skin about outside.
static void rest_range(void *context, int begin, int end, int worker)
{
    Implicit *m = context;
    (void)worker;
    for (int v = begin; v < end; v++) {
        int part = m->fields->vertex_part[v];
        Vec3 gradient;
        m->rest.projected[v] = false;
        if (part < 0)
            continue;
        m->rest.skeleton[v] = m->fields->parts[part].skeleton;
        m->rest.reach[v] = m->fields->parts[part].radius;
        pelti_implicit_field(m, m->rest.skeleton[v], m->mesh->rest[v], &m->rest.iso[v], &gradient);
        float steep = vec3_length(gradient), facing = -vec3_dot(gradient, m->now.normal[v]);
        m->rest.projected[v] = m->rest.iso[v] > ISO_LEAST && m->rest.iso[v] < 1 - ISO_LEAST &&
                               steep * m->rest.reach[v] > REST_SLOPE && facing > REST_FACING * steep;
    }
}

static PeltStatus build(Implicit *m, const PeltiMethodPrepare *in, PeltError *err)
{
    pelti_implicit_retune(m, in->options);
    m->dqs = pelti_method_find("dqs");
    PeltiMethodPrepare start = *in;
    PeltiWeights weights;
    PELT_TRY(pelti_implicit_weights(m, in->weights, pelti_option_text(in->options, "blend"), &weights, err));
    start.weights = &weights;
    start.point_weights = NULL; // one position a vertex
    PELT_TRY(m->dqs->prepare(&start, &m->dqs_state, err));
    PeltiFieldOptions options = pelti_field_options_default();
    options.jobs = m->jobs, options.log = in->log;
    options.samples = pelti_option_int(in->options, "samples");
    options.join_still = pelti_option_is(in->options, "parts", "moving");
    PELT_TRY(pelti_rig_fields(&m->pool, m->who, &in->artist, &options, &m->rig, err));
    PELT_TRY(pelti_fields_build(&m->pool, m->who, in->weights, &options, &m->fields, err));
    take_memory(m);
    if (m->pool.failed)
        return pelti_no_memory(err, (size_t)m->mesh->vertex_count * 80);
    for (int p = 0; p < m->fields->part_count; p++)
        m->now.part_matrix[p] = mat34_identity();
    pelti_frame_set(&m->now.field, m->now.part_matrix);
    pelti_mesh_normals(m->mesh, m->mesh->rest, m->now.normal);
    pelti_parallel_for(m->jobs, m->mesh->vertex_count, IMPLICIT_GRAIN, rest_range, m);
    pelti_implicit_coordinates(m, m->now.normal);
    return PELT_OK;
}

PeltStatus pelti_implicit_prepare(const PeltiMethodPrepare *in, void **state, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, in->allocator);
    Implicit *m = PELTI_NEW(&pool, Implicit, 1);
    if (!m)
        return pelti_no_memory(err, sizeof *m);
    m->pool = pool;
    m->who = in->who;
    m->mesh = in->who->mesh;
    m->jobs = in->jobs;
    PeltStatus status = build(m, in, err);
    if (status != PELT_OK) {
        pelti_implicit_destroy(m);
        return status;
    }
    *state = m;
    return PELT_OK;
}

void pelti_implicit_destroy(void *state)
{
    Implicit *m = state;
    if (!m)
        return;
    if (m->dqs_state)
        m->dqs->destroy(m->dqs_state);
    PeltiPool pool = m->pool; // m lives in it
    pelti_pool_release(&pool);
}
