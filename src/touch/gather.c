/// Gathers the vertices that a round looks after: what is in trouble, what lags, and rings around both.
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

void pelti_touch_gather_one(TouchGathered *gathered, int v, TouchRing as)
{
    if (gathered->ring[v])
        return;
    gathered->ring[v] = (unsigned char)as;
    gathered->list[gathered->count++] = v;
}

static void gather_none(PeltiTouch *t)
{
    memset(t->gathered.ring, 0, (size_t)t->count);
    memset(t->gathered.core, 0, (size_t)t->count);
    t->gathered.count = 0;
}

void pelti_touch_gather_begin(PeltiTouch *t)
{
    gather_none(t);
    memset(t->gathered.forced, 0, (size_t)t->patches.count);
}

void pelti_touch_gather_forced(TouchGathered *gathered, int patch)
{
    gathered->forced[patch] = 1;
}

/// Rings of vertices around those listed from `begin`, appended to the list.
static void grow_list(PeltiTouch *t, int begin, int rings, TouchRing as)
{
    for (int ring = 0; ring < rings; ring++) {
        int end = t->gathered.count;
        for (int i = begin; i < end; i++)
            for (int r = t->mesh->ring_start[t->gathered.list[i]]; r < t->mesh->ring_start[t->gathered.list[i] + 1]; r++)
                pelti_touch_gather_one(&t->gathered, t->mesh->ring[r], as);
        begin = end;
    }
}

void pelti_touch_gather(PeltiTouch *t, int wide)
{
    gather_none(t);
    for (int v = 0; v < t->count; v++)
        if (t->state.trouble[v])
            pelti_touch_gather_one(&t->gathered, v, TOUCH_HELD);
    grow_list(t, 0, CORE_RINGS + wide, TOUCH_HELD);
    for (int i = 0; i < t->gathered.count; i++)
        t->gathered.core[t->gathered.list[i]] = 1;
    grow_list(t, 0, RINGS, TOUCH_HELD);
    int begin = t->gathered.count;
    for (int v = 0; v < t->count; v++)
        if (vec3_dot(t->state.lag[v], t->state.lag[v]) > 0)
            pelti_touch_gather_one(&t->gathered, v, TOUCH_LOOSE);
    grow_list(t, begin, LAG_RINGS, TOUCH_LOOSE);
}
