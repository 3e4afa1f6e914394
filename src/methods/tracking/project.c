#include "tracking/tracking.h"

static const float NEWTON_REACH = 0.5f; ///< of the edge length: the longest step
static const float CONTACT_FROM = 0.42f; ///< an opposing field weaker than this touches nothing yet

typedef struct Work {
    Tracking *t;
    const Bones *from, *to;
    Mat34 *delta; ///< [bone_count]
    int iterations;
} Work;

static void move_range(void *context, int begin, int end, int worker)
{
    Work *w = context;
    (void)worker;
    for (int v = begin; v < end; v++)
        w->t->x[v] = mat34_apply(w->delta[w->t->bone[v]], w->t->x[v]);
}

void tracking_move_rigidly(Tracking *t, const Bones *from, const Bones *to)
{
    Work w = {.t = t, .delta = t->bone_delta};
    for (int b = 0; b < t->who->bone_count; b++) {
        Mat34 back;
        w.delta[b] = mat34_inverse(from->matrix[b], &back) ? mat34_mul(to->matrix[b], back) : mat34_identity();
    }
    pelti_parallel_for(t->jobs, t->mesh->vertex_count, 4 * GRAIN, move_range, &w);
}

/// d longer than `most` is cut to it.
static Vec3 cut(Vec3 d, float most)
{
    float length = vec3_length(d);
    return length > most ? vec3_scale(d, most / length) : d;
}

/// Keeps a vertex on its own side of whatever opposes it: f_own >= f_other + margin, the margin half the gap.
static bool keep_side(const Tracking *t, int v, const PeltiFieldSample *s, Vec3 *x, Vec3 *normal)
{
    if (s->other < CONTACT_FROM || s->own < CONTACT_FROM * 0.5f)
        return false;
    Vec3 n = vec3_sub(s->own_gradient, s->other_gradient);
    float n2 = vec3_dot(n, n), length = sqrtf(n2);
    if (!(n2 > 1e-20f))
        return false;
    float margin = fminf(0.5f * t->set.gap * length, t->slack[v]), side = s->own - s->other;
    if (side >= 2 * margin + 1e-3f && side >= 0.05f)
        return false;
    *normal = vec3_scale(n, -1 / length);
    if (side < margin)
        *x = vec3_add(*x, cut(vec3_scale(n, (margin - side) / n2), NEWTON_REACH * t->edge[v]));
    return true;
}

static void project_vertex(Tracking *t, int v, int iterations)
{
    Vec3 x = t->x[v];
    float edge = t->edge[v], iso = t->iso[v];
    int own = t->fields->vertex_part[v];
    bool contact = false;
    for (int k = 0; k < iterations; k++) {
        PeltiFieldSample s;
        pelti_frame_eval(&t->frame, t->skeleton[v], own, x, &s);
        Vec3 before = x;
        float g2 = vec3_dot(s.gradient, s.gradient), length = sqrtf(g2);
        bool facing = s.other > CONTACT_FROM && s.own > CONTACT_FROM;
        // a vertex whose own value lies below the valley's floor rests on the floor
        float goal = facing ? fmaxf(iso, 0.5f) : iso, off = goal - s.value, steep = 0.2f / t->reach[v];
        t->residual[v] = off;
        if (length > steep * 0.05f)
            t->normal[v] = vec3_scale(s.gradient, -1 / length);
        else if (s.own > 0)
            t->normal[v] = vec3_normalize_or(vec3_scale(s.own_gradient, -1), t->normal[v]);
        if (length > 0 && !(facing && fabsf(off) < 0.01f)) // in the valley the gradient vanishes: bound the division
            x = vec3_add(x, cut(vec3_scale(s.gradient, off / fmaxf(g2, steep * steep)), NEWTON_REACH * edge));
        contact = keep_side(t, v, &s, &x, &t->normal[v]);
        if (vec3_distance(before, x) < 1e-4f * edge)
            break;
    }
    t->contact[v] = contact;
    if (vec3_finite(x))
        t->x[v] = x;
}

static void project_range(void *context, int begin, int end, int worker)
{
    Work *w = context;
    (void)worker;
    for (int v = begin; v < end; v++)
        if (w->t->kind[v] == VERTEX_TRACKED)
            project_vertex(w->t, v, w->iterations);
}

void tracking_project(Tracking *t, int iterations)
{
    Work w = {.t = t, .iterations = iterations};
    pelti_parallel_for(t->jobs, t->mesh->vertex_count, GRAIN, project_range, &w);
}

static void rest_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Work *)context)->t;
    (void)worker;
    for (int v = begin; v < end; v++) {
        PeltiFieldSample s;
        pelti_frame_eval(&t->frame, t->skeleton[v], t->fields->vertex_part[v], t->mesh->rest[v], &s);
        t->iso[v] = s.value;
        t->slack[v] = s.other > CONTACT_FROM * 0.5f ? fmaxf(s.own - s.other, -1) : 1;
        Vec3 n = t->normal[v]; // of the rest mesh
        float length = vec3_length(s.gradient);
        float facing = length > 0 ? -vec3_dot(s.gradient, n) / length : 0;
        bool says = s.value > 0.02f && s.value < 0.98f && length * t->reach[v] > 0.1f && facing > 0.2f;
        if (t->kind[v] == VERTEX_TRACKED && !says)
            t->kind[v] = VERTEX_FREE;
    }
}

void tracking_rest_values(Tracking *t)
{
    Work w = {.t = t};
    pelti_parallel_for(t->jobs, t->mesh->vertex_count, GRAIN, rest_range, &w);
}
