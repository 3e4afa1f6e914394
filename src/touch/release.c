/// Skin that hooks or is stuck is let go: where it stays so far behind that edges tear, or no step could be finished for some
/// frames, it goes to where the method wants it, and what crosses there is left alone until it has come apart.
#include "touch/constants.def"
#include "touch/parts.h"

/// Marks in `queued` the vertices of edges that hooking has drawn out; returns how many.
static int find_hooked(PeltiTouch *t)
{
    int hooked = 0;
    for (int v = 0; v < t->count; v++) {
        t->scratch.queued[v] = 0;
        for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++) {
            int u = t->mesh->ring[r];
            float length = vec3_distance(t->state.x[v], t->state.x[u]);
            if (length > HOOKED * t->rest.ring_length[r] &&
                length > HOOKED_BEYOND * vec3_distance(t->state.wanted[v], t->state.wanted[u]))
                t->scratch.queued[v] = 1;
        }
        hooked += t->scratch.queued[v];
    }
    return hooked;
}

/// All skin that is behind together with what is marked goes to its place.
static void let_go_from(PeltiTouch *t)
{
    float least = 0.1f * FAR_BEHIND * t->rest.size;
    int count = 0;
    for (int v = 0; v < t->count; v++)
        if (t->scratch.queued[v])
            t->scratch.queue[count++] = v;
    for (int i = 0; i < count; i++)
        for (int r = t->mesh->ring_start[t->scratch.queue[i]]; r < t->mesh->ring_start[t->scratch.queue[i] + 1]; r++) {
            int u = t->mesh->ring[r];
            if (!t->scratch.queued[u] && vec3_distance(t->state.x[u], t->state.wanted[u]) > least) {
                t->scratch.queued[u] = 1;
                t->scratch.queue[count++] = u;
            }
        }
    for (int i = 0; i < count; i++) {
        int v = t->scratch.queue[i];
        t->state.x[v] = t->state.wanted[v];
        t->state.lag[v] = vec3(0, 0, 0);
        t->state.trouble[v] = 0;
    }
}

/// What crosses now may go on crossing: its triangles and one ring around them.
static void mark_loose(PeltiTouch *t)
{
    for (int v = 0; v < t->count; v++)
        t->state.tangled[v] &= (unsigned char)~(TOUCH_LOOSE | TOUCH_LOOSE_RING);
    t->state.loose = pelti_touch_find_crossings(t, t->state.x);
    for (int i = 0; i < t->search.crossings.count; i++)
        for (int k = 0; k < 3; k++) {
            t->state.tangled[t->mesh->triangles[t->search.crossings.pairs[i].a][k]] |= TOUCH_LOOSE;
            t->state.tangled[t->mesh->triangles[t->search.crossings.pairs[i].b][k]] |= TOUCH_LOOSE;
        }
    for (int v = 0; v < t->count && t->state.loose; v++)
        for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++)
            if (t->state.tangled[t->mesh->ring[r]] & TOUCH_LOOSE)
                t->state.tangled[v] |= TOUCH_LOOSE_RING;
}

/// Where steps cannot be finished, in `queued` all that is behind; returns how many.
static int find_stuck(PeltiTouch *t)
{
    int stuck = 0;
    for (int v = 0; v < t->count; v++) {
        t->scratch.queued[v] = vec3_distance(t->state.x[v], t->state.wanted[v]) > ASLEEP * t->rest.size;
        stuck += t->scratch.queued[v];
    }
    t->state.stuck = 0;
    return stuck;
}

int pelti_touch_release(PeltiTouch *t)
{
    int hooked = t->state.stuck >= MOST_STUCK ? find_stuck(t) : find_hooked(t);
    if (hooked)
        let_go_from(t);
    if (hooked || t->state.loose)
        mark_loose(t);
    return hooked;
}
