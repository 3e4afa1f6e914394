#include "methods/tracking/tracking.h"

/// A vertex that moved by less than this share of its edge and has less than this residual need not look at the field again.
static const float STILL = 2e-4f;

typedef struct Relax {
    Tracking *t;
    float length; ///< longest step, of the edge
} Relax;

/// Part of d along the surface; all of it where the vertex is free, nothing where it follows its bone.
static inline Vec3 tangential(const Tracking *t, int v, Vec3 d)
{
    if (t->kind[v] == VERTEX_FREE && !t->contact[v])
        return d;
    if (t->kind[v] == VERTEX_RIGID)
        return vec3(0, 0, 0);
    Vec3 n = t->normal[v];
    return vec3_mad(d, n, -vec3_dot(d, n));
}

/// Half the negative gradient of eq. (3): b_i - sum_j w_ij (x_i - x_j).
static inline Vec3 force(const Tracking *t, int v)
{
    const PeltiMesh *mesh = t->mesh;
    Vec3 x = t->x[v], sum = vec3_mad(t->rhs[v], x, -t->hold[v]);
    for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
        sum = vec3_mad(sum, vec3_sub(x, t->x[mesh->ring[e]]), -t->ring_weight[e]);
    return sum;
}

static void force_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Relax *)context)->t;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Vec3 f = tangential(t, v, force(t, v));
        t->row[v][0] = f.x;
        t->row[v][1] = f.y;
        t->row[v][2] = f.z;
        t->row[v][3] = 0;
    }
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

static void take_rows(void *context, int begin, int end, int worker)
{
    Tracking *t = ((Relax *)context)->t;
    (void)worker;
    for (int v = begin; v < end; v++)
        t->step[v] = tangential(t, v, vec3(t->row[v][0], t->row[v][1], t->row[v][2]));
}

static void apply_range(void *context, int begin, int end, int worker)
{
    Relax *r = context;
    Tracking *t = r->t;
    float largest = 0;
    (void)worker;
    for (int v = begin; v < end; v++) {
        float most = r->length * t->edge[v], length = vec3_length(t->step[v]);
        float scale = t->paint[v] * (length > most ? most / length : 1);
        t->stirred[v] = t->other[v] >= 0 || (t->kind[v] == VERTEX_TRACKED && fabsf(t->residual[v]) > STILL);
        if (!(length >= 0) || scale == 0)
            continue;
        t->x[v] = vec3_mad(t->x[v], t->step[v], scale);
        largest = fmaxf(largest, scale * length / t->edge[v]);
        t->stirred[v] |= scale * length > STILL * t->edge[v];
    }
    t->moved[begin / GRAIN] = largest;
}

static float apply(Tracking *t)
{
    Relax r = {t, 0.5f};
    int count = t->mesh->vertex_count;
    float largest = 0;
    pelti_parallel_for(t->jobs, count, GRAIN, apply_range, &r);
    for (int k = 0; k < (count + GRAIN - 1) / GRAIN; k++)
        largest = fmaxf(largest, t->moved[k]);
    return largest;
}

int tracking_relax(Tracking *t)
{
    Relax r = {.t = t};
    int count = t->mesh->vertex_count, k = 0;
    for (; k < t->set.iterations; k++) {
        if (t->set.fast) { // P M^-1 P g: normal forces must not leak into sliding (both projections)
            pelti_parallel_for(t->jobs, count, GRAIN, force_range, &r);
            pelti_sparse_solve_rows(t->factor, t->jobs, (const float(*)[4])t->row, t->row, t->solve_work);
            pelti_parallel_for(t->jobs, count, GRAIN, take_rows, &r);
        } else {
            pelti_parallel_for(t->jobs, count, GRAIN, jacobi_range, &r);
        }
        float moved = apply(t);
        tracking_project(t, 1, false);
        if (t->set.target == TARGET_POLAR) {
            tracking_target_rotations(t, &t->next);
            tracking_right_hand_side(t, &t->next);
        }
        if (moved < t->set.tolerance)
            break;
    }
    return k;
}

double tracking_energy(const Tracking *t)
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
