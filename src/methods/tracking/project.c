/// Moves vertices rigidly with their bones, then along the gradient to their rest value [Vaillant2014].
#include "methods/tracking/tracking.h"

#include "methods/tracking/constants.def"

typedef struct Projecting {
    Tracking *t;
    TrackingLooks how;
} Projecting;

static void move_range(void *context, int begin, int end, int worker)
{
    Projecting *w = context;
    (void)worker;
    for (int v = begin; v < end; v++) {
        if (!tracking_bone_moved(&w->t->awake, w->t->skin.bone[v]))
            continue;
        const Mat34 *delta = &w->t->bones.delta[w->t->skin.bone[v]];
        w->t->surface.x[v] = mat34_apply(*delta, w->t->surface.x[v]);
        w->t->surface.normal[v] = vec3_normalize_or(mat34_apply_vector(*delta, w->t->surface.normal[v]), w->t->surface.normal[v]);
    }
}

void pelti_tracking_to_rest(const PeltiMesh *mesh, const TrackingSkin *skin, TrackingSurface *surface)
{
    size_t n = (size_t)mesh->vertex_count;
    memcpy(surface->x, mesh->rest, sizeof(Vec3) * n);
    memset(surface->drift, 0, sizeof(float) * n);
    memset(surface->contact, 0, n);
    memset(surface->must_look, 1, n);
    memset(surface->wall, 0, sizeof(float) * n);
    memcpy(surface->tilt_now, skin->tilt, sizeof(float) * n);
}

void pelti_tracking_move(Tracking *t, const TrackingBones *from, const TrackingBones *to)
{
    Projecting w = {.t = t};
    for (int b = 0; b < t->who->bone_count; b++) {
        Mat34 back;
        t->bones.delta[b] = mat34_inverse(from->matrix[b], &back) ? mat34_mul(to->matrix[b], back) : mat34_identity();
    }
    pelti_parallel_for(t->jobs, t->mesh->vertex_count, 4 * TRACKING_GRAIN, move_range, &w);
}

/// d longer than `most` is cut to it.
static Vec3 cut(Vec3 d, float most)
{
    float length = vec3_length(d);
    return length > most ? vec3_scale(d, most / length) : d;
}

static float rise_between(float from, float to, float at)
{
    return smooth_rise((at - from) / (to - from));
}

/// Newton step to the vertex' own value. In a valley the gradient vanishes: the division is bounded, the step cut.
static Vec3 newton_step(const Tracking *t, int v, const PeltiFieldSample *s, float goal)
{
    if (t->skin.kind[v] == TRACKING_VERTEX_FREE)
        return vec3(0, 0, 0);
    float g2 = vec3_dot(s->gradient, s->gradient), steep = LEAST_SLOPE / t->skin.reach[v];
    return cut(vec3_scale(s->gradient, (goal - s->value) / fmaxf(g2, steep * steep)),
               NEWTON_REACH * t->ease.share[v] * t->skin.edge[v]);
}

/// Step to the contact surface f_own = f_other, half the gap on the vertex' own side of it.
static Vec3 side_step(const Tracking *t, int v, const PeltiFieldSample *s, Vec3 *outward, float *short_by)
{
    Vec3 n = vec3_sub(s->own_gradient, s->other_gradient);
    float n2 = vec3_dot(n, n), length = sqrtf(n2), margin = fminf(0.5f * t->set.gap * length, t->skin.slack[v]);
    *short_by = margin - (s->own - s->other);
    if (!(n2 > 1e-20f))
        return vec3(0, 0, 0);
    *outward = vec3_scale(n, -1 / length);
    return cut(vec3_scale(n, *short_by / n2), NEWTON_REACH * t->ease.share[v] * t->skin.edge[v]);
}

/// Swelling as a tilt of the fields: to raise the surface by s is to add 15/16 s/r where they are 0.5, four times that to the
/// logarithm of their odds. It fades in contact: touching skin has nowhere to swell to.
static float tilt_with(const Tracking *t, int v, float wall)
{
    float half = (1 - wall) * 2 * 0.9375f * t->swelling.height[v] / t->skin.reach[v];
    return t->skin.tilt[v] * (1 + half) / (1 - half);
}

/// One projection step. Outside contact: to the vertex' own iso-value. On the contact surface of two parts: to its own side
/// of it. Deeper than the contact surface reaches the composed field pushes it out again, still on its own side.
static Vec3 project_step(Tracking *t, int v, const PeltiFieldSample *s)
{
    float length = vec3_length(s->gradient), both = fminf(s->own, s->other);
    if (length > FLAT / t->skin.reach[v])
        t->surface.normal[v] = vec3_scale(s->gradient, -1 / length);
    else if (s->own > 0)
        t->surface.normal[v] = vec3_normalize_or(vec3_scale(s->own_gradient, -1), t->surface.normal[v]);
    t->surface.residual[v] = t->skin.iso[v] - s->value;
    t->surface.contact[v] = 0;
    t->surface.other[v] = -1;
    float wall = s->other > 0 ? rise_between(s->mouth + WALL_BEGINS, s->mouth + WALL_STANDS, both) : 0;
    float firm = rise_between(0.5f, 0.5f + FIRM, s->depth); // a contact that only begins presses only gently
    wall *= firm;
    float back = t->skin.tilt[v] / t->surface.tilt_now[v];
    if (t->skin.kind[v] == TRACKING_VERTEX_TRACKED)
        t->surface.tilt_now[v] = tilt_with(t, v, t->surface.wall[v]); // a step behind: no two steps of a vertex chase each other
    t->surface.wall[v] = wall;
    if (!(wall > 0))
        return newton_step(t, v, s, t->skin.iso[v]);
    float short_by,
        inside = wall * (1 - rise_between(s->depth - CONTACT_END, s->depth + CONTACT_END, 0.5f * (s->own + s->other)));
    Vec3 outward = t->surface.normal[v], side = side_step(t, v, s, &outward, &short_by);
    Vec3 step = newton_step(t, v, s, t->skin.iso[v] + wall * (0.5f - t->skin.iso[v]));
    t->surface.contact[v] = wall > 0.5f;
    t->surface.other[v] = s->other_part;
    t->surface.pressed[v] = back * s->own / (1 + (back - 1) * s->own) - 0.5f; // without the swelling
    t->surface.normal[v] = vec3_normalize_or(vec3_lerp(t->surface.normal[v], outward, wall), outward);
    step = vec3_lerp(step, side, inside);
    if (short_by > 0 && inside < 1) // on the wrong side of a surface it is not on: back, besides
        step = vec3_mad(step, side, firm * (1 - inside));
    return step;
}

/// Skin that a collision dragged out of its own part's reach, on to another's surface, starts again where its bone carries it.
/// Only where one bone owns it, so that there is no doubt where that is.
static bool is_lost(const Tracking *t, int v, const PeltiFieldSample *s)
{
    return t->skin.kind[v] == TRACKING_VERTEX_TRACKED && t->skin.own_rest[v] >= LOST_REST &&
           s->mine <= LOST * t->skin.own_rest[v] && t->weights.weight[(size_t)v * (size_t)t->weights.influences] >= LOST_WEIGHT;
}

/// One step of a vertex at x.
static Vec3 step_from(Tracking *t, int v, Vec3 x, PeltiFieldSample *s, bool first)
{
    if (first && is_lost(t, v, s)) {
        int bone = t->weights.bone[(size_t)v * (size_t)t->weights.influences];
        return vec3_sub(mat34_apply(t->bones.next.matrix[bone], t->mesh->rest[v]), x);
    }
    s->own += t->skin.own_bias[v];
    if (t->skin.kind[v] == TRACKING_VERTEX_FREE &&
        !(s->other_part >= 0 && pelti_fields_apart(t->fields, t->fields->vertex_part[v], s->other_part)))
        s->other = 0; // against neighbours its side is anybody's guess
    return project_step(t, v, s);
}

/// One step of up to a batch of vertices. A step shorter than `enough` is the last: Newton's error after it is of the order of
/// its square. Where the last step was longer, the vertex stays one that `must_look`. Vertices that take another go to `next`;
/// returns how many.
static int step_batch(const Projecting *w, int count, const int *vertex, bool first, int *next)
{
    Tracking *t = w->t;
    PeltiFieldPoint points[PELTI_FIELD_BATCH] = {0};
    PeltiFieldSample samples[PELTI_FIELD_BATCH];
    for (int i = 0; i < count; i++)
        points[i] = (PeltiFieldPoint){t->surface.x[vertex[i]], t->skin.skeleton[vertex[i]], t->fields->vertex_part[vertex[i]],
                                      t->surface.tilt_now[vertex[i]]};
    pelti_frame_eval_many(&t->frame, count, points, samples);
    int left = 0;
    for (int i = 0; i < count; i++) {
        int v = vertex[i];
        Vec3 step = step_from(t, v, t->surface.x[v], &samples[i], first && w->how.rescue);
        t->surface.x[v] = vec3_add(t->surface.x[v], step);
        t->awake.changed[v] = 1;
        t->surface.must_look[v] = !(vec3_length(step) < w->how.enough * t->skin.edge[v]);
        if (t->surface.must_look[v] && (!w->how.once || (t->surface.other[v] < 0 && vec3_length(step) > FAR * t->skin.edge[v])))
            next[left++] = v;
    }
    return left;
}

/// Vertices that take another step close up, so that batches stay full; each goes its own way whatever the others do.
static void project_range(void *context, int begin, int end, int worker)
{
    Projecting *w = context;
    int looks = 0, count = 0, vertex[TRACKING_GRAIN];
    (void)worker;
    for (int i = begin; i < end; i++) {
        int v = w->t->surface.look_order[i];
        if (w->t->skin.kind[v] != TRACKING_VERTEX_RIGID && (w->how.all || w->t->surface.must_look[v]))
            vertex[count++] = v;
    }
    for (int k = 0; k < w->how.steps && count; k++) {
        int left = 0;
        looks += count;
        for (int i = 0; i < count; i += PELTI_FIELD_BATCH)
            left +=
                step_batch(w, count - i < PELTI_FIELD_BATCH ? count - i : PELTI_FIELD_BATCH, vertex + i, k == 0, vertex + left);
        count = left;
    }
    w->t->surface.looks_scratch[begin / TRACKING_GRAIN] = looks;
}

void pelti_tracking_project(Tracking *t, TrackingLooks how)
{
    Projecting w = {t, how};
    pelti_parallel_for(t->jobs, t->mesh->vertex_count, TRACKING_GRAIN, project_range, &w);
    for (int k = 0; k < (t->mesh->vertex_count + TRACKING_GRAIN - 1) / TRACKING_GRAIN; k++)
        t->counters.evaluations += t->surface.looks_scratch[k];
}

/// The tilt with which the fields compose to 0.5 at the vertex' place at rest; s: the sample there.
static float find_tilt(const Tracking *t, int v, PeltiFieldSample *s)
{
    float tilt = 1;
    for (int k = 0; k < TILT_LOOKS && fabsf(s->value - 0.5f) > TILT_ENOUGH; k++) {
        tilt *= (1 - s->value) / s->value;
        PeltiFieldPoint point = {t->mesh->rest[v], t->skin.skeleton[v], t->fields->vertex_part[v], tilt};
        pelti_frame_eval_many(&t->frame, 1, &point, s);
    }
    return tilt;
}

static void rest_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Projecting *)context)->t;
    (void)worker;
    for (int v = begin; v < end; v++) {
        PeltiFieldSample s;
        pelti_frame_eval(&t->frame, t->skin.skeleton[v], t->fields->vertex_part[v], t->mesh->rest[v], &s);
        Vec3 n = t->surface.normal[v]; // of the rest mesh
        float length = vec3_length(s.gradient);
        float facing = length > 0 ? -vec3_dot(s.gradient, n) / length : 0;
        bool says =
            s.value > SAYS_FROM && s.value < 1 - SAYS_FROM && length * t->skin.reach[v] > SAYS_SLOPE && facing > SAYS_FACING;
        t->skin.tilt[v] = t->skin.kind[v] == TRACKING_VERTEX_TRACKED && says ? find_tilt(t, v, &s) : 1;
        t->surface.tilt_now[v] = t->skin.tilt[v];
        t->skin.iso[v] = s.value;
        t->skin.own_rest[v] = s.own;
        t->skin.slack[v] = s.other > NEAR_REST ? s.own - s.other : 1;
        if (t->skin.kind[v] == TRACKING_VERTEX_TRACKED && !says) {
            t->skin.kind[v] = TRACKING_VERTEX_FREE;
            t->skin.own_bias[v] = 0.5f - s.own; // its skin lies where its own field would say 0.5
            t->skin.slack[v] = s.other > NEAR_REST ? 0.5f - s.other : 1;
        }
    }
}

void pelti_tracking_rest_values(Tracking *t)
{
    Projecting w = {.t = t};
    pelti_parallel_for(t->jobs, t->mesh->vertex_count, TRACKING_GRAIN, rest_range, &w);
}
