/// Minimises the as-rigid-as-possible energy in the tangent planes, by conjugate gradients [Vaillant2014].
#include "methods/tracking/tracking.h"

/// A vertex that slid by less than this share of its edge need not look at the field again: it is off its surface by the square.
static const float STILL = 0.005f;
/// Relaxation ends with a linear solve that gains less than this share of what the first gained.
static const double SATISFIED = 0.04;
/// Or less than this share of the energy of the rest edges: less than half a hundredth of the edges of one finger.
static const double SMALL = 1e-7;
/// Or where what sliding and projection together move, squared, is less than this share of what the first round moved.
static const double SETTLED = 0.01;
/// Of the edge: to turn back by less is no swing.
static const float SWING = 0.01f;

/// Steps of the linear solver between two looks at the field. More looks follow what touches better than more steps do: on a bent
/// hand 6 x 2 leave 20 deep pairs, 3 x 4 44.
enum { INNER = 2, FIRST = 4 }; ///< FIRST: where nothing touches once is nearly enough

typedef struct Relax {
    Tracking *t;
    float length; ///< longest step, of the edge
    float alpha, beta;
} Relax;

/// S P d: the part of d along the surface, all of it where the vertex is free, nothing where it follows its bone; times the share
/// of its steps that the vertex takes, so that the solver knows how little it will move.
static inline Vec3 tangential(const Tracking *t, int v, Vec3 d)
{
    if (t->kind[v] == VERTEX_FREE && !t->contact[v])
        return d;
    if (t->kind[v] == VERTEX_RIGID)
        return vec3(0, 0, 0);
    Vec3 n = t->normal[v];
    return vec3_scale(vec3_mad(d, n, -vec3_dot(d, n)), t->share[v]);
}

/// Half the negative gradient of eq. (3): b_i - sum_j w_ij (x_i - x_j), and the tether.
static inline Vec3 force(const Tracking *t, int v)
{
    const PeltiMesh *mesh = t->mesh;
    Vec3 x = t->x[v], sum = vec3_mad(t->rhs[v], x, -t->hold[v]);
    for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
        sum = vec3_mad(sum, vec3_sub(x, t->x[mesh->ring[e]]), -t->ring_weight[e]);
    return sum;
}

static inline Vec3 row_of(const float row[4])
{
    return vec3(row[0], row[1], row[2]);
}

static inline void set_row(float row[4], Vec3 a)
{
    row[0] = a.x;
    row[1] = a.y;
    row[2] = a.z;
    row[3] = 0;
}

/// Runs a pass over all vertices; the sum of what its blocks leave in t->sums, in a fixed order.
static double pass(Relax *r, PeltiJob job)
{
    int count = r->t->mesh->vertex_count;
    double sum = 0;
    pelti_parallel_for(r->t->jobs, count, GRAIN, job, r);
    for (int k = 0; k < (count + GRAIN - 1) / GRAIN; k++)
        sum += r->t->sums[k];
    return sum;
}

// Conjugate gradients in the tangent planes of the last look at the field: P A P u = P (b - A x), preconditioned by P M^-1 P
// with M factored once. Both projections are needed: normal forces must not leak into sliding. Without the conjugate steps,
// taken in full, P M^-1 P overshoots where normals turn quickly from vertex to vertex (fingertips) and such modes grow.

// All rows are in the order of the factor, k for the vertex order[k]: threads write whole lines of their own.

static void start_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Relax *)context)->t;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int v = t->order[k];
        Vec3 f = tangential(t, v, force(t, v)), zero = {0, 0, 0};
        set_row(t->load[k], f);
        set_row(t->row[k], f);
        set_row(t->slid[k], zero);
        set_row(t->direction[k], zero);
    }
}

/// z = P M^-1 r; leaves r z.
static void precondition_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Relax *)context)->t;
    double sum = 0;
    (void)worker;
    for (int k = begin; k < end; k++) {
        Vec3 z = tangential(t, t->order[k], row_of(t->row[k]));
        set_row(t->row[k], z);
        sum += (double)vec3_dot(z, row_of(t->load[k]));
    }
    t->sums[begin / GRAIN] = sum;
}

static void direction_range(void *context, int begin, int end, int worker)
{
    Relax *r = context;
    Tracking *t = r->t;
    (void)worker;
    for (int k = begin; k < end; k++)
        set_row(t->direction[k], vec3_mad(row_of(t->row[k]), row_of(t->direction[k]), r->beta));
}

/// q = P A p, left in row; leaves p q.
static void image_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Relax *)context)->t;
    const int *ring_start = t->mesh->ring_start;
    double sum = 0;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int v = t->order[k];
        Vec3 p = row_of(t->direction[k]), q = vec3_scale(p, t->hold[v]);
        for (int e = ring_start[v]; e < ring_start[v + 1]; e++)
            q = vec3_mad(q, vec3_sub(p, row_of(t->direction[t->ring_place[e]])), t->ring_weight[e]);
        q = tangential(t, v, q);
        set_row(t->row[k], q);
        sum += (double)vec3_dot(q, p);
    }
    t->sums[begin / GRAIN] = sum;
}

static void advance_range(void *context, int begin, int end, int worker)
{
    Relax *r = context;
    Tracking *t = r->t;
    (void)worker;
    for (int k = begin; k < end; k++) {
        Vec3 load = vec3_mad(row_of(t->load[k]), row_of(t->row[k]), -r->alpha);
        set_row(t->slid[k], vec3_mad(row_of(t->slid[k]), row_of(t->direction[k]), r->alpha));
        set_row(t->load[k], load);
        set_row(t->row[k], load); // for the next solve, which works in place
    }
}

/// At most `most` steps; t->slid is the displacement, `gain` how much energy it takes away in those planes. Returns the number of
/// steps.
static int conjugate_steps(Tracking *t, int most, double *gain)
{
    Relax r = {.t = t};
    double rz = 0, first = 0;
    *gain = 0;
    int k = 0;
    pass(&r, start_range);
    for (; k < most; k++) {
        pelti_sparse_solve_rows_ordered(t->factor, t->jobs, t->row, t->solve_work);
        double before = rz;
        rz = pass(&r, precondition_range);
        first = k ? first : rz;
        if (!(rz > 1e-6 * first)) // nothing left to gain; not a number
            break;
        r.beta = k ? (float)(rz / before) : 0;
        pass(&r, direction_range);
        double pq = pass(&r, image_range);
        if (!(pq > 0))
            break;
        r.alpha = (float)(rz / pq);
        pass(&r, advance_range);
        *gain += rz * rz / pq;
    }
    return k;
}

/// Jacobi: the step that would satisfy a vertex' own equation, its neighbours held.
static void jacobi_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Relax *)context)->t;
    (void)worker;
    for (int v = begin; v < end; v++)
        t->step[v] =
            t->diagonal[v] > 0 ? tangential(t, v, vec3_scale(force(t, v), 1 / (t->diagonal[v] + t->hold[v]))) : vec3(0, 0, 0);
}

static void apply_range(void *context, int begin, int end, int worker)
{
    Relax *r = context;
    Tracking *t = r->t;
    float largest = 0;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Vec3 step = t->set.fast ? row_of(t->slid[t->place[v]]) : t->step[v];
        float most = r->length * t->edge[v], length = vec3_length(step);
        float scale = t->paint[v] * (length > most ? most / length : 1);
        t->stirred[v] |= t->other[v] >= 0;
        if (!(length >= 0) || scale == 0)
            continue;
        t->x[v] = vec3_mad(t->x[v], step, scale);
        largest = fmaxf(largest, scale * length / t->edge[v]);
        t->drift[v] += scale * length;
        if (t->drift[v] > STILL * t->edge[v]) {
            t->stirred[v] = 1;
            t->drift[v] = 0;
        }
    }
    t->moved[begin / GRAIN] = largest;
}

static float apply(Tracking *t)
{
    Relax r = {.t = t, .length = 0.5f};
    int count = t->mesh->vertex_count;
    float largest = 0;
    pelti_parallel_for(t->jobs, count, GRAIN, apply_range, &r);
    for (int k = 0; k < (count + GRAIN - 1) / GRAIN; k++)
        largest = fmaxf(largest, t->moved[k]);
    return largest;
}

static void begin_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Relax *)context)->t;
    (void)worker;
    for (int v = begin; v < end; v++) {
        t->share[v] = 1;
        t->before[v] = t->x[v];
        t->went[v] = vec3(0, 0, 0);
    }
}

/// Where the tangent plane says little about the surface (a crease, the rim of a thin part), slide and projection swing a vertex
/// to and fro for ever, and it drags its surroundings along. A vertex that turns back takes half as long steps from then on.
/// Leaves the squared ways in units of the energy.
static void ease_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Relax *)context)->t;
    double sum = 0;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Vec3 way = vec3_sub(t->x[v], t->before[v]);
        float square = vec3_dot(way, way), least = SWING * t->edge[v];
        sum += (double)(t->diagonal[v] * square);
        if (square > least * least && vec3_dot(way, t->went[v]) < 0)
            t->share[v] *= 0.5f;
        t->went[v] = way;
        t->before[v] = t->x[v];
    }
    t->sums[begin / GRAIN] = sum;
}

int pelti_tracking_relax(Tracking *t)
{
    Relax r = {.t = t};
    int k = 0, count = t->mesh->vertex_count;
    double gain = 0, first_gain = 0, first_way = 0, least = SMALL * t->rest_energy;
    pelti_parallel_for(t->jobs, count, 4 * GRAIN, begin_range, &r);
    for (int round = 0; k < t->set.iterations; round++) {
        int left = t->set.iterations - k, wanted = round ? INNER : FIRST, taken = 1;
        if (t->set.fast)
            taken = conjugate_steps(t, left < wanted ? left : wanted, &gain);
        else
            pelti_parallel_for(t->jobs, count, GRAIN, jacobi_range, &r);
        k += taken ? taken : 1;
        float moved = apply(t);
        tracking_project(t, t->set.fast ? BETWEEN : 1, !t->set.fast, 2e-3f);
        if (t->set.target == TARGET_POLAR) {
            tracking_target_rotations(t, &t->next);
            tracking_right_hand_side(t, &t->next);
        }
        double way = t->set.fast ? pass(&r, ease_range) : 0;
        first_gain = round ? first_gain : gain;
        first_way = round ? first_way : way;
        bool still = gain < fmax(SATISFIED * first_gain, least) || way < fmax(SETTLED * first_way, least);
        if (moved < t->set.tolerance || (t->set.tolerance > 0 && t->set.fast && still))
            break;
    }
    pelti_parallel_for(t->jobs, count, 4 * GRAIN, begin_range, &r); // projections outside of relaxation go their whole way
    return k;
}

double pelti_tracking_energy(const Tracking *t)
{
    const PeltiMesh *mesh = t->mesh;
    double sum = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            int j = mesh->ring[e];
            Vec3 rest = vec3_sub(mesh->rest[v], mesh->rest[j]), now = vec3_sub(t->x[v], t->x[j]);
            Vec3 d = vec3_sub(now, vec3_scale(quat_rotate(t->rotation[v], rest), t->rotation_scale[v]));
            sum += (double)t->ring_weight[e] * (double)vec3_dot(d, d);
        }
    for (int v = 0; v < mesh->vertex_count; v++)
        if (t->hold[v] > 0) {
            int bone = t->weights.bone[(size_t)v * (size_t)t->weights.influences];
            Vec3 d = vec3_sub(t->x[v], mat34_apply(t->now.matrix[bone], mesh->rest[v]));
            sum += 2 * (double)t->hold[v] * (double)vec3_dot(d, d); // each edge is counted from both ends above
        }
    return sum;
}
