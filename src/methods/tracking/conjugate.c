/// Linear solves of the relaxation: conjugate gradients in the tangent planes, preconditioned by a factor made once.
#include "methods/tracking/tracking.h"

typedef struct Solve {
    Tracking *t;
    float alpha, beta;
} Solve;

/// Runs a pass over all rows that take part; the sum of what its blocks leave in t->solver.sum_scratch, in a fixed order.
static double pass(Solve *r, PeltiJob job)
{
    int count = r->t->awake.rows.count;
    double sum = 0;
    pelti_parallel_for(r->t->jobs, count, TRACKING_GRAIN, job, r);
    for (int k = 0; k < (count + TRACKING_GRAIN - 1) / TRACKING_GRAIN; k++)
        sum += r->t->solver.sum_scratch[k];
    return sum;
}

// Conjugate gradients in the tangent planes of the last look at the field: P A P u = P (b - A x), preconditioned by P M^-1 P
// with M factored once. Both projections are needed: normal forces must not leak into sliding. Without the conjugate steps,
// taken in full, P M^-1 P overshoots where normals turn quickly from vertex to vertex (fingertips) and such modes grow.

// All rows are in the order of the factor, k for the vertex order[k]: threads write whole lines of their own.

static void start_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Solve *)context)->t;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int k = t->awake.rows.column[i];
        int v = t->solver.order[k];
        Vec3 f = tracking_tangential(t, v, tracking_force(t, v)), zero = {0, 0, 0};
        tracking_set_row(t->solver.load[k], f);
        tracking_set_row(t->solver.row[k], f);
        tracking_set_row(t->solver.slid[k], zero);
        tracking_set_row(t->solver.direction[k], zero);
    }
}

/// z = P M^-1 r; leaves r z.
static void precondition_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Solve *)context)->t;
    double sum = 0;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int k = t->awake.rows.column[i];
        Vec3 z = tracking_tangential(t, t->solver.order[k], tracking_row(t->solver.row[k]));
        tracking_set_row(t->solver.row[k], z);
        sum += (double)vec3_dot(z, tracking_row(t->solver.load[k]));
    }
    t->solver.sum_scratch[begin / TRACKING_GRAIN] = sum;
}

static void direction_range(void *context, int begin, int end, int worker)
{
    Solve *r = context;
    Tracking *t = r->t;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int k = t->awake.rows.column[i];
        tracking_set_row(t->solver.direction[k],
                         vec3_mad(tracking_row(t->solver.row[k]), tracking_row(t->solver.direction[k]), r->beta));
    }
}

/// q = P A p, left in row; leaves p q.
static void image_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Solve *)context)->t;
    const int *ring_start = t->mesh->ring_start;
    double sum = 0;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int k = t->awake.rows.column[i];
        int v = t->solver.order[k];
        Vec3 p = tracking_row(t->solver.direction[k]), q = vec3_scale(p, t->energy.hold[v]);
        for (int e = ring_start[v]; e < ring_start[v + 1]; e++)
            q = vec3_mad(q, vec3_sub(p, tracking_row(t->solver.direction[t->solver.ring_place[e]])), t->energy.ring_weight[e]);
        q = tracking_tangential(t, v, q);
        tracking_set_row(t->solver.row[k], q);
        sum += (double)vec3_dot(q, p);
    }
    t->solver.sum_scratch[begin / TRACKING_GRAIN] = sum;
}

static void advance_range(void *context, int begin, int end, int worker)
{
    Solve *r = context;
    Tracking *t = r->t;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int k = t->awake.rows.column[i];
        Vec3 load = vec3_mad(tracking_row(t->solver.load[k]), tracking_row(t->solver.row[k]), -r->alpha);
        tracking_set_row(t->solver.slid[k],
                         vec3_mad(tracking_row(t->solver.slid[k]), tracking_row(t->solver.direction[k]), r->alpha));
        tracking_set_row(t->solver.load[k], load);
        tracking_set_row(t->solver.row[k], load); // for the next solve, which works in place
    }
}

/// At most `most` steps; t->solver.slid is the displacement, `gain` how much energy it takes away in those planes. Returns the
/// number of steps.
int pelti_tracking_conjugate_steps(Tracking *t, int most, double *gain)
{
    Solve r = {.t = t};
    double rz = 0, first = 0;
    *gain = 0;
    int k = 0;
    pass(&r, start_range);
    for (; k < most; k++) {
        pelti_sparse_solve_rows_some(t->solver.factor, t->jobs, &t->awake.rows, t->solver.row, t->solver.scratch);
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
