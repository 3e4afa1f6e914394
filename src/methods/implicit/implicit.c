/// A step: from `dqs` along the field's gradient to the rest value, then relaxation [Vaillant2013].
#include "methods/implicit/implicit.h"
#include "math/order.h"

#include "core/clock.h"
#include "field/section.h"
#include "methods/implicit/constants.def"

#include <stdlib.h>
#include <string.h>

static const PeltiOptionDef options[] = {
    {"step", PELTI_OPTION_FLOAT, "0.35", NULL, 0.01, 1, "share of a Newton step along the gradient, sigma"},
    {"stop-angle", PELTI_OPTION_FLOAT, "55", NULL, 1, 180, "turn of the gradient between two steps that means contact, degrees"},
    {"rounds", PELTI_OPTION_INT, "6", NULL, 1, 1000, "of marching and tangential relaxation"},
    {"marches", PELTI_OPTION_INT, "5", NULL, 1, 1000, "steps along the gradient in each round"},
    {"relax", PELTI_OPTION_BOOL, "on", NULL, 0, 0, "tangential relaxation with mean value coordinates of the rest pose"},
    {"operator", PELTI_OPTION_CHOICE, "union", "union|contact", 0, 0,
     "how parts compose: as published (max), or with the contact operator of tracking"},
    {"blend", PELTI_OPTION_CHOICE, "smooth", "rigid|smooth|smoother", 0, 0,
     "weights of the dqs start: strongest bone alone, as given, averaged"},
    {"smooth", PELTI_OPTION_INT, "7", NULL, 0, 100, "last smoothing passes, spread from stopped vertices"},
    {"samples", PELTI_OPTION_INT, "50", NULL, 8, 90, "samples of the skin a field is fitted to, per part"},
    {"parts", PELTI_OPTION_CHOICE, "moving", "moving|all", 0, 0,
     "fields for joints that some clip moves, or for all that own skin"},
    {0},
};

void pelti_implicit_field(const Implicit *m, int skeleton, Vec3 x, float *value, Vec3 *gradient)
{
    if (!m->set.contact) {
        pelti_frame_max(&m->now.field, skeleton, x, value, gradient);
        return;
    }
    PeltiFieldSample s;
    pelti_frame_eval(&m->now.field, skeleton, -1, x, &s);
    *value = s.value;
    *gradient = s.gradient;
}

typedef struct March { ///< a vertex on its way
    int v;
    Vec3 x, last; ///< the gradient of the step before
} March;

/// v <- v + sigma (iso - f) grad / |grad|^2 until it arrives, or the gradient turns as it does on crossing into another
/// part: there it stops for good. One step, the k-th; false: it was the last.
static bool march_on(Implicit *m, March *at, int k, float value, Vec3 gradient)
{
    int v = at->v;
    float square = vec3_dot(gradient, gradient), before = vec3_dot(at->last, at->last);
    m->now.residual[v] = fabsf(value - m->rest.iso[v]);
    if (!(sqrtf(square) * m->rest.reach[v] > PLATEAU)) {
        m->now.state[v] =
            value > m->rest.iso[v] ? IMPLICIT_VERTEX_STOPPED : IMPLICIT_VERTEX_LEFT; // a plateau, inside or far outside
        return false;
    }
    m->now.normal[v] = vec3_scale(gradient, -1 / sqrtf(square));
    if (before > 0 && vec3_dot(gradient, at->last) < m->set.cos_stop * sqrtf(square * before)) {
        m->now.state[v] = IMPLICIT_VERTEX_STOPPED;
        return false;
    }
    if (k == m->set.steps || m->now.residual[v] < ARRIVED)
        return false;
    float length = m->set.sigma * (m->rest.iso[v] - value) / sqrtf(square), most = LEAP * m->rest.reach[v];
    at->x = vec3_mad(at->x, m->now.normal[v], -fminf(fmaxf(length, -most), most));
    at->last = gradient;
    return true;
}

static void look(const Implicit *m, int count, const PeltiFieldPoint *points, float *value, Vec3 *gradient)
{
    if (!m->set.contact) {
        pelti_frame_max_many(&m->now.field, count, points, value, gradient);
        return;
    }
    PeltiFieldSample s[PELTI_FIELD_BATCH];
    pelti_frame_eval_many(&m->now.field, count, points, s);
    for (int i = 0; i < count; i++) {
        value[i] = s[i].value;
        gradient[i] = s[i].gradient;
    }
}

static void march_batch(Implicit *m, int count, March *at)
{
    for (int k = 0; count; k++) {
        PeltiFieldPoint points[PELTI_FIELD_BATCH] = {0};
        float value[PELTI_FIELD_BATCH];
        Vec3 gradient[PELTI_FIELD_BATCH];
        for (int i = 0; i < count; i++)
            points[i] = (PeltiFieldPoint){at[i].x, m->rest.skeleton[at[i].v], -1, 0};
        look(m, count, points, value, gradient);
        int left = 0;
        for (int i = 0; i < count; i++)
            if (march_on(m, &at[i], k, value[i], gradient[i]))
                at[left++] = at[i];
            else
                m->now.x[at[i].v] = at[i].x;
        count = left;
    }
}

static void march_range(void *context, int begin, int end, int worker)
{
    Implicit *m = context;
    March at[PELTI_FIELD_BATCH];
    int count = 0;
    (void)worker;
    for (int v = begin; v < end; v++) {
        if (m->now.state[v] != IMPLICIT_VERTEX_MARCHING)
            continue;
        at[count++] = (March){v, m->now.x[v], {0, 0, 0}};
        if (count == PELTI_FIELD_BATCH) {
            march_batch(m, count, at);
            count = 0;
        }
    }
    march_batch(m, count, at);
}

static void march(Implicit *m)
{
    pelti_parallel_for(m->jobs, m->mesh->vertex_count, IMPLICIT_GRAIN, march_range, m);
}

static void report(Implicit *m, PeltiStepReport *out)
{
    static const char *const stages[IMPLICIT_STAGE_COUNT] = {"start_ms", "march_ms", "relax_ms", "smooth_ms"};
    int stopped = 0, left = 0, count = 0;
    for (int v = 0; v < m->mesh->vertex_count; v++) {
        stopped += m->now.state[v] == IMPLICIT_VERTEX_STOPPED;
        left += m->now.state[v] == IMPLICIT_VERTEX_LEFT;
        if (m->now.state[v] == IMPLICIT_VERTEX_MARCHING)
            m->now.residual_scratch[count++] = m->now.residual[v];
    }
    qsort(m->now.residual_scratch, (size_t)count, sizeof(float), pelti_float_order);
    for (int k = 0; k < IMPLICIT_STAGE_COUNT; k++)
        pelti_step_stat(out, stages[k], m->now.ms[k], PELTI_MEAN);
    pelti_step_stat(out, "stopped_vertices", stopped, PELTI_MOST);
    pelti_step_stat(out, "unprojected_vertices", left, PELTI_MOST);
    pelti_step_stat(out, "iso_residual_p99", count ? (double)m->now.residual_scratch[(int)(0.99 * (count - 1))] : 0, PELTI_MOST);
    pelti_step_stat(out, "parts", m->fields->part_count, PELTI_LAST);
    pelti_step_stat(out, "field_mb", (double)m->fields->bytes / 1048576, PELTI_LAST);
}

static void step(void *state, const PeltiStepInput *in, Vec3 *vertices, PeltiStepReport *out)
{
    Implicit *m = state;
    const PeltiMesh *mesh = m->mesh;
    double since = pelti_clock_ms();
    memset(m->now.ms, 0, sizeof m->now.ms);
    m->dqs->step(m->dqs_state, in, m->now.x, NULL);
    for (int v = 0; v < mesh->vertex_count; v++) {
        m->now.state[v] = m->rest.projected[v] ? IMPLICIT_VERTEX_MARCHING : IMPLICIT_VERTEX_LEFT;
        m->now.residual[v] = 0;
    }
    pelti_rig_matrices(&m->rig, m->fields, &(PeltiRigPose){in->bones, in->joints}, m->now.part_matrix);
    pelti_frame_set(&m->now.field, m->now.part_matrix);
    pelti_clock_lap(&since, &m->now.ms[IMPLICIT_STAGE_START]);
    for (int k = 0; k < m->set.rounds; k++) {
        march(m);
        pelti_clock_lap(&since, &m->now.ms[IMPLICIT_STAGE_MARCH]);
        if (m->set.relax && k + 1 < m->set.rounds)
            pelti_implicit_relax(m);
        pelti_clock_lap(&since, &m->now.ms[IMPLICIT_STAGE_RELAX]);
    }
    pelti_implicit_smooth(m);
    pelti_clock_lap(&since, &m->now.ms[IMPLICIT_STAGE_SMOOTH]);
    memcpy(vertices, m->now.x, sizeof(Vec3) * (size_t)mesh->vertex_count);
    if (out)
        report(m, out);
}

static float section_value(const void *state, Vec3 x)
{
    float value;
    Vec3 gradient;
    pelti_implicit_field(state, -1, x, &value, &gradient);
    return value;
}

static float section_contact(const void *state, Vec3 x)
{
    return pelti_section_contact(&((const Implicit *)state)->now.field, x);
}

static void draw(const void *state, const char *what, PeltiMethodDraw *to)
{
    const Implicit *m = state;
    if (strcmp(what, "section") || !to->field)
        return;
    to->field(to->user, "field", section_value, state, 0.5f);
    if (to->contact && m->set.contact)
        to->contact(to->user, section_contact);
}

extern const PeltiMethod pelti_method_implicit;
const PeltiMethod pelti_method_implicit = {
    .name = "implicit",
    .rig_parts = PELTI_METHOD_RIG_JOINTS | PELTI_METHOD_RIG_MUSCLES,
    .summary = "dqs corrected by projection to an implicit surface: joints keep their shape, shallow folds touch",
    .reference = "[Vaillant2013]",
    .flags = PELTI_METHOD_NEEDS_WEIGHTS | PELTI_METHOD_FLESH,
    .options = options,
    .prepare = pelti_implicit_prepare,
    .step = step,
    .destroy = pelti_implicit_destroy,
    .retune = pelti_implicit_retune,
    .live = "step|stop-angle|rounds|marches|relax|smooth",
    .draw = draw,
};
