/// Edges that a method itself draws out too far are drawn in before anything is looked at: held back on the way they would hook.
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

/// How long an edge may be: what is torn beyond, unless its bones draw it out as far.
static float longest(const PeltiTouch *t, const Vec3 *blend, int v, int r)
{
    return larger(DRAWN_IN * t->rest.ring_length[r], vec3_distance(blend[v], blend[t->mesh->ring[r]]));
}

int pelti_touch_add_rings(PeltiTouch *t, int begin, int count, int rings)
{
    int *list = t->scratch.queue;
    unsigned char *listed = t->scratch.queued;
    for (int ring = 0; ring < rings && count; ring++) {
        int end = count;
        for (; begin < end; begin++)
            for (int r = t->mesh->ring_start[list[begin]]; r < t->mesh->ring_start[list[begin] + 1]; r++)
                if (!listed[t->mesh->ring[r]]) {
                    listed[t->mesh->ring[r]] = 1;
                    list[count++] = t->mesh->ring[r];
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
        if (!pelti_touch_may_be_drawn(&t->bounds.shape_end[k], DRAWN_IN))
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
    count = pelti_touch_add_rings(t, 0, count, DRAWN_RINGS);
    memset(t->scratch.queued, 0, (size_t)t->count);
    return count;
}

/// Half of what each edge of v is too long, the mean over them: Jacobi's pass of position-based dynamics.
static Vec3 drawn_in(const PeltiTouch *t, const Vec3 *blend, const Vec3 *x, int v)
{
    Vec3 sum = {0, 0, 0};
    int count = 0;
    for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++) {
        Vec3 by = vec3_sub(x[t->mesh->ring[r]], x[v]);
        float length = vec3_length(by), most = longest(t, blend, v, r);
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
    Vec3 *blend = t->scratch.x_saved, *next = t->scratch.lag_saved;
    for (int i = 0; i < count; i++) {
        int v = list[i];
        blend[v] = pelti_touch_blend(t, bones, v);
        for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++)
            blend[t->mesh->ring[r]] = pelti_touch_blend(t, bones, t->mesh->ring[r]);
    }
    bool moved = count > 0;
    for (int pass = 0; pass < DRAWN_PASSES && moved; pass++) {
        moved = false;
        for (int i = 0; i < count; i++)
            next[list[i]] = drawn_in(t, blend, x, list[i]);
        for (int i = 0; i < count; i++) {
            moved |= memcmp(&x[list[i]], &next[list[i]], sizeof *x) != 0;
            x[list[i]] = next[list[i]];
        }
    }
    return count > 0;
}
