/// Skin that hooks is let go: where it stays so far behind that edges tear, it goes to where the method wants it, and what
/// crosses there is left alone until it has come apart.
#include "touch/constants.def"
#include "touch/parts.h"

/// Marks in `queued` the vertices of edges that hooking has drawn out; returns how many.
static int find_hooked(PeltiTouch *t)
{
    int hooked = 0;
    for (int v = 0; v < t->count; v++) {
        t->queued[v] = 0;
        for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++) {
            int u = t->mesh->ring[r];
            float length = vec3_distance(t->x[v], t->x[u]);
            if (length > HOOKED * t->ring_length[r] && length > HOOKED_BEYOND * vec3_distance(t->wanted[v], t->wanted[u]))
                t->queued[v] = 1;
        }
        hooked += t->queued[v];
    }
    return hooked;
}

/// All skin that is behind together with what is marked goes to its place.
static void let_go_from(PeltiTouch *t)
{
    float least = 0.1f * FAR_BEHIND * t->size;
    int count = 0;
    for (int v = 0; v < t->count; v++)
        if (t->queued[v])
            t->queue[count++] = v;
    for (int i = 0; i < count; i++)
        for (int r = t->mesh->ring_start[t->queue[i]]; r < t->mesh->ring_start[t->queue[i] + 1]; r++) {
            int u = t->mesh->ring[r];
            if (!t->queued[u] && vec3_distance(t->x[u], t->wanted[u]) > least) {
                t->queued[u] = 1;
                t->queue[count++] = u;
            }
        }
    for (int i = 0; i < count; i++) {
        int v = t->queue[i];
        t->x[v] = t->wanted[v];
        t->lag[v] = vec3(0, 0, 0);
        t->trouble[v] = 0;
    }
}

/// What crosses now may go on crossing: its triangles and one ring around them.
static void mark_loose(PeltiTouch *t)
{
    for (int v = 0; v < t->count; v++)
        t->tangled[v] &= (unsigned char)~(TOUCH_LOOSE | TOUCH_LOOSE_RING);
    t->loose = pelti_touch_find_crossings(t, t->x);
    for (int i = 0; i < t->pairs.count; i++)
        for (int k = 0; k < 3; k++) {
            t->tangled[t->mesh->triangles[t->pairs.pairs[i].a][k]] |= TOUCH_LOOSE;
            t->tangled[t->mesh->triangles[t->pairs.pairs[i].b][k]] |= TOUCH_LOOSE;
        }
    for (int v = 0; v < t->count && t->loose; v++)
        for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++)
            if (t->tangled[t->mesh->ring[r]] & TOUCH_LOOSE)
                t->tangled[v] |= TOUCH_LOOSE_RING;
}

int pelti_touch_release(PeltiTouch *t)
{
    int hooked = find_hooked(t);
    if (hooked)
        let_go_from(t);
    if (hooked || t->loose)
        mark_loose(t);
    return hooked;
}
