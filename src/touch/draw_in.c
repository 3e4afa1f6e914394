/// Edges that a method or blending itself draws out too far are drawn in before anything is looked at.
/// Held back on the way they would hook, and a web of them holds all skin.
#include "math/elementary.h"
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

/// How much a bone enlarges what it carries, at most; 1: it does not. Powers of the linear part's square lead to the largest.
static float enlarges(Mat34 bone)
{
    Mat3 m = mat34_linear(bone), square = mat3_mul(mat3_transpose(m), m);
    float trace = square.m[0][0] + square.m[1][1] + square.m[2][2];
    if (!(trace > 3.01f))
        return 1;
    square = mat3_scale(square, 1 / trace);
    for (int k = 0; k < 4; k++)
        square = mat3_mul(square, square);
    float sixteenth = square.m[0][0] + square.m[1][1] + square.m[2][2]; // between the largest and three times as much
    return sqrtf(trace * pelti_powf(sixteenth, 1.0f / 16));
}

/// How much its bones enlarge the skin at a vertex: where they do, edges may grow with it. Turned apart they do not.
static float enlarged(const PeltiTouch *t, const Mat34 *bones, int v)
{
    float most = 1;
    for (int k = 0; k < TOUCH_INFLUENCES; k++)
        if (t->rest.weight[v][k] > 0)
            most = larger(most, enlarges(bones[t->rest.bone[v][k]]));
    return most;
}

int pelti_touch_add_rings(const PeltiMesh *mesh, TouchScratch *scratch, int begin, int count, int rings)
{
    int *list = scratch->queue;
    unsigned char *listed = scratch->queued;
    for (int ring = 0; ring < rings && count; ring++) {
        int end = count;
        for (; begin < end; begin++)
            for (int r = mesh->ring_start[list[begin]]; r < mesh->ring_start[list[begin] + 1]; r++)
                if (!listed[mesh->ring[r]]) {
                    listed[mesh->ring[r]] = 1;
                    list[count++] = mesh->ring[r];
                }
    }
    return count;
}

/// Marks the vertices of edges that are too long in t->scratch.queued; true: there are some. Every edge is of a patch.
static bool mark_drawn(PeltiTouch *t, const Vec3 *x)
{
    bool any = false;
    for (int k = 0; k < t->patches.count; k++) {
        const TouchPatch *p = &t->patches.patch[k];
        if (!pelti_touch_may_be_drawn(&t->look.shape[k], DRAWN_IN))
            continue;
        for (int e = 0; e < p->edge_count; e++) {
            int u = p->vertex[p->edge[e][0]], v = p->vertex[p->edge[e][1]];
            Vec3 by = vec3_sub(x[u], x[v]);
            float most = DRAWN_IN * vec3_distance(t->mesh->rest[u], t->mesh->rest[v]);
            if (!(vec3_dot(by, by) > most * most))
                continue;
            t->scratch.queued[u] = t->scratch.queued[v] = 1;
            any = true;
        }
    }
    return any;
}

/// Vertices of edges that are too long, and rings around them, which give way.
static int list_drawn(PeltiTouch *t, const Vec3 *x)
{
    int count = 0;
    memset(t->scratch.queued, 0, (size_t)t->count);
    if (!mark_drawn(t, x))
        return 0;
    for (int v = 0; v < t->count; v++)
        if (t->scratch.queued[v])
            t->scratch.queue[count++] = v;
    count = pelti_touch_add_rings(t->mesh, &t->scratch, 0, count, DRAWN_RINGS);
    memset(t->scratch.queued, 0, (size_t)t->count);
    return count;
}

/// Half of what each edge of v is too long, the mean over them: Jacobi's pass of position-based dynamics.
static Vec3 drawn_in(const PeltiTouch *t, const float *scale, const Vec3 *x, int v)
{
    Vec3 sum = {0, 0, 0};
    int count = 0;
    for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++) {
        Vec3 by = vec3_sub(x[t->mesh->ring[r]], x[v]);
        float most = DRAWN_IN * larger(scale[v], scale[t->mesh->ring[r]]) * t->rest.ring_length[r], length = vec3_length(by);
        if (!(length > most))
            continue;
        sum = vec3_mad(sum, by, 0.5f * (1 - most / length));
        count++;
    }
    return count ? vec3_mad(x[v], sum, 1 / (float)count) : x[v];
}

bool pelti_touch_draw_in(PeltiTouch *t, const Mat34 *bones, Vec3 *x)
{
    int count = list_drawn(t, x);
    const int *list = t->scratch.queue;
    Vec3 *next = t->scratch.draw_in.next;
    float *scale = t->scratch.draw_in.scale;
    for (int i = 0; i < count; i++) {
        scale[list[i]] = enlarged(t, bones, list[i]);
        for (int r = t->mesh->ring_start[list[i]]; r < t->mesh->ring_start[list[i] + 1]; r++)
            scale[t->mesh->ring[r]] = enlarged(t, bones, t->mesh->ring[r]);
    }
    bool moved = count > 0;
    for (int pass = 0; pass < DRAWN_PASSES && moved; pass++) {
        moved = false;
        for (int i = 0; i < count; i++)
            next[list[i]] = drawn_in(t, scale, x, list[i]);
        for (int i = 0; i < count; i++) {
            moved |= memcmp(&x[list[i]], &next[list[i]], sizeof *x) != 0;
            x[list[i]] = next[list[i]];
        }
    }
    return count > 0;
}
