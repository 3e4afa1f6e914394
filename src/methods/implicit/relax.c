/// Tangential relaxation by mean value coordinates [Hormann2006], and smoothing where skin touches [Vaillant2013].
#include "methods/implicit/implicit.h"

#include "methods/implicit/constants.def"

#include <string.h>

static int ring_place(const PeltiMesh *mesh, int v, int neighbour)
{
    for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
        if (mesh->ring[e] == neighbour)
            return e;
    return -1;
}

/// Half-angle tangent of the corner v of triangle (v, a, b) seen along n; NaN where it has no angle.
static float half_tangent(Vec3 v, Vec3 a, Vec3 b, Vec3 n, float *length_a, float *length_b)
{
    Vec3 p = vec3_sub(a, v), q = vec3_sub(b, v);
    p = vec3_mad(p, n, -vec3_dot(p, n));
    q = vec3_mad(q, n, -vec3_dot(q, n));
    *length_a = vec3_length(p);
    *length_b = vec3_length(q);
    float sine = vec3_dot(vec3_cross(p, q), n), cosine = vec3_dot(p, q);
    return sine / (*length_a * *length_b + cosine); // tan(t / 2) = sin t / (1 + cos t)
}

/// Mean value coordinates of each vertex among its neighbours, both seen along the vertex normal [Hormann2006]. None on a
/// border, nor where a fan does not go once around.
void pelti_implicit_coordinates(Implicit *m, const Vec3 *normals)
{
    const PeltiMesh *mesh = m->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int begin = mesh->ring_start[v], end = mesh->ring_start[v + 1];
        bool good = end - begin >= 3 && mesh->fan_start[v + 1] - mesh->fan_start[v] == end - begin;
        for (int k = mesh->fan_start[v]; good && k < mesh->fan_start[v + 1]; k++) {
            const int *t = mesh->triangles[mesh->fan[k]];
            int corner = t[0] == v ? 0 : t[1] == v ? 1 : 2, a = t[(corner + 1) % 3], b = t[(corner + 2) % 3];
            float la, lb, tangent = half_tangent(mesh->rest[v], mesh->rest[a], mesh->rest[b], normals[v], &la, &lb);
            good = isfinite(tangent) && la > 0 && lb > 0;
            if (good) {
                m->rest.ring_share[ring_place(mesh, v, a)] += tangent / la;
                m->rest.ring_share[ring_place(mesh, v, b)] += tangent / lb;
            }
        }
        float sum = 0, least = 0;
        for (int e = begin; e < end; e++) {
            sum += m->rest.ring_share[e];
            least = fminf(least, m->rest.ring_share[e]);
        }
        good = good && isfinite(sum) && sum > 0 && least >= -RING_AGAINST * sum;
        for (int e = begin; e < end; e++)
            m->rest.ring_share[e] = good ? m->rest.ring_share[e] / sum : 0;
    }
}

/// v <- (1 - mu) v + mu sum_j share_j q_j, q_j the neighbours seen along the normal, mu = max(0, 1 - (|f - iso| - 1)^4):
/// nothing where the vertex has arrived, all the way where it is far from its value.
static void relax_range(void *context, int begin, int end, int worker)
{
    Implicit *m = context;
    const PeltiMesh *mesh = m->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Vec3 x = m->now.x[v], move = {0, 0, 0}, n = m->now.normal[v];
        float away = m->now.residual[v] - 1, mu = fmaxf(0, 1 - away * away * away * away);
        m->now.x_scratch[v] = x;
        if (m->now.state[v] != IMPLICIT_VERTEX_MARCHING || !(mu > 0))
            continue;
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
            move = vec3_mad(move, vec3_sub(m->now.x[mesh->ring[e]], x), m->rest.ring_share[e]);
        move = vec3_mad(move, n, -vec3_dot(move, n));
        m->now.x_scratch[v] = vec3_mad(x, move, mu);
    }
}

static void swap_positions(Implicit *m)
{
    Vec3 *swap = m->now.x;
    m->now.x = m->now.x_scratch;
    m->now.x_scratch = swap;
}

void pelti_implicit_relax(Implicit *m)
{
    pelti_parallel_for(m->jobs, m->mesh->vertex_count, IMPLICIT_GRAIN, relax_range, m);
    swap_positions(m);
}

static void spread_range(void *context, int begin, int end, int worker)
{
    Implicit *m = context;
    const PeltiMesh *mesh = m->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        float sum = 0;
        int count = mesh->ring_start[v + 1] - mesh->ring_start[v];
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
            sum += m->now.touch[mesh->ring[e]];
        m->now.touch_scratch[v] = count ? 0.5f * (m->now.touch[v] + sum / (float)count) : 0;
    }
}

static void smooth_range(void *context, int begin, int end, int worker)
{
    Implicit *m = context;
    const PeltiMesh *mesh = m->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        int count = mesh->ring_start[v + 1] - mesh->ring_start[v];
        m->now.x_scratch[v] = m->now.x[v];
        if (!(m->now.touch[v] > SMOOTH_LEAST) || !count || m->now.state[v] == IMPLICIT_VERTEX_LEFT)
            continue;
        Vec3 sum = {0, 0, 0};
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
            sum = vec3_add(sum, m->now.x[mesh->ring[e]]);
        m->now.x_scratch[v] = vec3_lerp(m->now.x[v], vec3_scale(sum, 1 / (float)count), m->now.touch[v]);
    }
}

/// Laplacian smoothing whose strength is 1 at stopped vertices and diffuses from them [Vaillant2013].
void pelti_implicit_smooth(Implicit *m)
{
    int count = m->mesh->vertex_count, stopped = 0;
    for (int v = 0; v < count; v++) {
        m->now.touch[v] = m->now.state[v] == IMPLICIT_VERTEX_STOPPED;
        stopped += m->now.state[v] == IMPLICIT_VERTEX_STOPPED;
    }
    if (!stopped)
        return;
    for (int k = 0; k < STOP_SPREAD; k++) {
        pelti_parallel_for(m->jobs, count, IMPLICIT_GRAIN, spread_range, m);
        float *swap = m->now.touch;
        m->now.touch = m->now.touch_scratch;
        m->now.touch_scratch = swap;
    }
    for (int k = 0; k < m->set.smooth_passes; k++) {
        pelti_parallel_for(m->jobs, count, IMPLICIT_GRAIN, smooth_range, m);
        swap_positions(m);
    }
}
