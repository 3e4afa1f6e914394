/// Minimises the as-rigid-as-possible energy in the tangent planes, by conjugate gradients [Vaillant2014].
#include "methods/tracking/tracking.h"

#include "methods/tracking/constants.def"

/// Jacobi: the step that would satisfy a vertex' own equation, its neighbours held.
static void jacobi_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int v = t->awake.vertex[i];
        float diagonal = t->energy.diagonal[v];
        Vec3 step = {0, 0, 0};
        if (diagonal > 0)
            step = tracking_tangential(t, v, vec3_scale(tracking_force(t, v), 1 / (diagonal + t->energy.hold[v])));
        tracking_set_row(t->solver.slid[t->solver.place[v]], step);
    }
}

static void apply_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    float largest = 0;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int v = t->awake.vertex[i];
        Vec3 step = tracking_row(t->solver.slid[t->solver.place[v]]);
        float most = SLIDE_REACH * t->skin.edge[v], length = vec3_length(step);
        float scale = t->skin.paint[v] * (length > most ? most / length : 1);
        t->surface.must_look[v] |= t->surface.other[v] >= 0;
        if (!(length >= 0) || scale == 0)
            continue;
        t->surface.x[v] = vec3_mad(t->surface.x[v], step, scale);
        largest = fmaxf(largest, scale * length / t->skin.edge[v]);
        t->surface.drift[v] += scale * length;
        if (t->surface.drift[v] > SLID * t->skin.edge[v]) {
            t->surface.must_look[v] = 1;
            t->surface.drift[v] = 0;
        }
    }
    t->slides.moved_scratch[begin / TRACKING_GRAIN] = largest;
}

static float apply(Tracking *t)
{
    int count = t->awake.vertex_count;
    float largest = 0;
    pelti_parallel_for(t->jobs, count, TRACKING_GRAIN, apply_range, t);
    for (int k = 0; k < (count + TRACKING_GRAIN - 1) / TRACKING_GRAIN; k++)
        largest = fmaxf(largest, t->slides.moved_scratch[k]);
    return largest;
}

static void begin_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int v = t->awake.vertex[i];
        t->ease.share[v] = 1;
        t->ease.before[v] = t->surface.x[v];
        t->ease.went[v] = vec3(0, 0, 0);
    }
}

/// Where the tangent plane says little about the surface (a crease, the rim of a thin part), slide and projection swing a vertex
/// to and fro for ever, and it drags its surroundings along. A vertex that turns back takes half as long steps from then on.
/// Leaves the squared ways in units of the energy.
static void ease_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    double sum = 0;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int v = t->awake.vertex[i];
        Vec3 way = vec3_sub(t->surface.x[v], t->ease.before[v]);
        float square = vec3_dot(way, way), least = SWING * t->skin.edge[v];
        sum += (double)(t->energy.diagonal[v] * square);
        if (square > least * least && vec3_dot(way, t->ease.went[v]) < 0)
            t->ease.share[v] *= EASED;
        t->ease.went[v] = way;
        t->ease.before[v] = t->surface.x[v];
    }
    t->slides.way_scratch[begin / TRACKING_GRAIN] = sum;
}

/// Slides: what the solver gives, at once or by a Jacobi sweep. Returns the number of its steps.
static int slide(Tracking *t, int most, double *gain)
{
    if (t->set.fast)
        return pelti_tracking_conjugate_steps(t, most, gain);
    pelti_parallel_for(t->jobs, t->awake.vertex_count, TRACKING_GRAIN, jacobi_range, t);
    return 1;
}

static void look_between(Tracking *t)
{
    TrackingLooks fast = {.steps = BETWEEN_LOOKS, .enough = BETWEEN_ENOUGH, .once = true, .rescue = true},
                  published = {.steps = 1, .enough = BETWEEN_ENOUGH, .all = true};
    pelti_tracking_project(t, t->set.fast ? fast : published);
    if (t->set.target == TRACKING_TARGET_POLAR) {
        pelti_tracking_target_rotations(t, &t->bones.next);
        pelti_tracking_right_hand_side(t, &t->bones.next);
    }
}

static double ease(Tracking *t)
{
    double sum = 0;
    pelti_parallel_for(t->jobs, t->awake.vertex_count, TRACKING_GRAIN, ease_range, t);
    for (int k = 0; k < (t->awake.vertex_count + TRACKING_GRAIN - 1) / TRACKING_GRAIN; k++)
        sum += t->slides.way_scratch[k];
    return sum;
}

int pelti_tracking_relax(Tracking *t)
{
    int k = 0, count = t->awake.vertex_count;
    double gain = 0, first_gain = 0, first_way = 0, least = SMALL * t->energy.rest;
    pelti_parallel_for(t->jobs, count, 4 * TRACKING_GRAIN, begin_range, t);
    for (int round = 0; k < t->set.iterations && count; round++) {
        int left = t->set.iterations - k, wanted = round || t->predict.share > 0 ? INNER_STEPS : FIRST_STEPS;
        int taken = slide(t, left < wanted ? left : wanted, &gain);
        k += taken ? taken : 1;
        float moved = apply(t);
        look_between(t);
        double way = t->set.fast ? ease(t) : 0;
        if (!round) {
            double s = (double)(t->predict.share * t->predict.share);
            t->predict.gain = first_gain = fmax(gain, s * t->predict.gain);
            t->predict.length = first_way = fmax(way, s * t->predict.length);
        }
        bool still = gain < fmax(SATISFIED * first_gain, least) || way < fmax(SETTLED * first_way, least);
        if (moved < t->set.tolerance || (t->set.tolerance > 0 && t->set.fast && still))
            break;
    }
    pelti_parallel_for(t->jobs, count, 4 * TRACKING_GRAIN, begin_range,
                       t); // projections outside of relaxation go their whole way
    return k;
}

double pelti_tracking_energy(const Tracking *t)
{
    const PeltiMesh *mesh = t->mesh;
    double sum = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            int j = mesh->ring[e];
            Vec3 rest = vec3_sub(mesh->rest[v], mesh->rest[j]), now = vec3_sub(t->surface.x[v], t->surface.x[j]);
            Vec3 d = vec3_sub(now, vec3_scale(quat_rotate(t->target.rotation[v], rest), t->target.scale[v]));
            sum += (double)t->energy.ring_weight[e] * (double)vec3_dot(d, d);
        }
    for (int v = 0; v < mesh->vertex_count; v++)
        if (t->energy.hold[v] > 0) {
            int bone = t->weights.bone[(size_t)v * (size_t)t->weights.influences];
            Vec3 d = vec3_sub(t->surface.x[v], mat34_apply(t->bones.now.matrix[bone], mesh->rest[v]));
            sum += 2 * (double)t->energy.hold[v] * (double)vec3_dot(d, d); // each edge is counted from both ends above
        }
    return sum;
}
