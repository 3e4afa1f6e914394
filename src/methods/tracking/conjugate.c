/// Linear solves of the relaxation: conjugate gradients in the tangent planes, preconditioned by a factor made once.
#include "methods/tracking/constants.def"
#include "methods/tracking/tracking.h"

#include <string.h>

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

// All rows are in the order of the factor, k for the vertex order[k]: threads write whole lines of their own. Rows are four
// floats wide, and each lane goes the way its coordinate would go alone, in the same order of sums.

typedef PeltiFloat4 VertexRow;

static inline VertexRow load_row(const float row[4])
{
    VertexRow a;
    memcpy(&a, row, sizeof a);
    return a;
}

static inline void store_row(float row[4], VertexRow a)
{
    memcpy(row, &a, sizeof a);
}

static inline VertexRow row_of(Vec3 a)
{
    return (VertexRow){a.x, a.y, a.z, 0};
}

static inline float dot_rows(VertexRow a, VertexRow b)
{
    VertexRow m = a * b;
    return m[0] + m[1] + m[2];
}

/// P d: see tracking_along.
static inline VertexRow along_plane(VertexRow d, VertexRow plane)
{
    const VertexRow normal = {plane[0], plane[1], plane[2], 0};
    return (d - normal * dot_rows(d, normal)) * plane[3];
}

static VertexRow plane_of(const Tracking *t, int v)
{
    if (!t->awake.on[v] || t->skin.kind[v] == TRACKING_VERTEX_RIGID)
        return (VertexRow){0, 0, 0, 0};
    if (t->skin.kind[v] == TRACKING_VERTEX_FREE && !t->surface.contact[v])
        return (VertexRow){0, 0, 0, 1};
    Vec3 n = t->surface.normal[v];
    return (VertexRow){n.x, n.y, n.z, t->ease.share[v]};
}

static void start_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Solve *)context)->t;
    const TrackingRows *ring = &t->solver.ring;
    const VertexRow zero = {0, 0, 0, 0};
    (void)worker;
    for (int i = begin; i < end; i++) {
        int k = t->awake.rows.column[i], v = t->solver.order[k];
        VertexRow plane = plane_of(t, v), f = zero;
        if (plane[3] > 0) { // tracking_force
            VertexRow x = row_of(t->surface.x[v]);
            f = row_of(t->target.rhs[v]) - x * ring->hold[k];
            for (int e = ring->start[k]; e < ring->start[k + 1]; e++)
                f -= (x - row_of(t->surface.x[ring->vertex[e]])) * ring->weight[e];
            f = along_plane(f, plane);
        }
        store_row(t->solver.plane[k], plane);
        store_row(t->solver.load[k], f);
        store_row(t->solver.preconditioned[k], f);
        store_row(t->solver.slid[k], zero);
        store_row(t->solver.direction[k], zero);
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
        VertexRow z = along_plane(load_row(t->solver.preconditioned[k]), load_row(t->solver.plane[k]));
        store_row(t->solver.preconditioned[k], z);
        sum += (double)dot_rows(z, load_row(t->solver.load[k]));
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
        store_row(t->solver.direction[k], load_row(t->solver.preconditioned[k]) + load_row(t->solver.direction[k]) * r->beta);
    }
}

/// q = P A p, left in `image`; leaves p q.
static void image_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Solve *)context)->t;
    const TrackingRows *ring = &t->solver.ring;
    double sum = 0;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int k = t->awake.rows.column[i];
        VertexRow p = load_row(t->solver.direction[k]), q = p * ring->hold[k];
        for (int e = ring->start[k]; e < ring->start[k + 1]; e++)
            q += (p - load_row(t->solver.direction[ring->place[e]])) * ring->weight[e];
        q = along_plane(q, load_row(t->solver.plane[k]));
        store_row(t->solver.image[k], q);
        sum += (double)dot_rows(q, p);
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
        VertexRow load = load_row(t->solver.load[k]) - load_row(t->solver.image[k]) * r->alpha;
        store_row(t->solver.slid[k], load_row(t->solver.slid[k]) + load_row(t->solver.direction[k]) * r->alpha);
        store_row(t->solver.load[k], load);
        store_row(t->solver.preconditioned[k], load); // for the next solve, which works in place
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
        pelti_sparse_solve_rows_some(t->solver.factor, t->jobs, &t->awake.rows, t->solver.preconditioned, t->solver.scratch);
        double before = rz;
        rz = pass(&r, precondition_range);
        first = k ? first : rz;
        if (!(rz > SOLVED * first)) // nothing left to gain; not a number
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
