/// Where the work of a frame runs out only what hooks stays behind, with all that would be torn from it. Patches that would meet
/// others on their way stand still, so do the vertices whose edges these would draw out; what now meets these does so too, until
/// nothing meets. Features are judged one by one and not listed: no list is too short for it. That all skin stands still is
/// always safe, so there is an end.
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

/// Where all skin would go, in steps that are worth looking at; edges that this would draw out stay as they are.
static void plan_all(PeltiTouch *t)
{
    const PeltiMesh *mesh = t->mesh;
    TouchMoves *m = &t->moves;
    float most = 1.5f * LARGEST_MOVE * t->rest.size, had, length;
    for (int v = 0; v < t->count; v++) {
        Vec3 move = vec3_sub(vec3_add(t->state.wanted[v], t->state.lag[v]), t->state.x[v]);
        float far = vec3_length(move);
        m->plan[v] = vec3_mad(t->state.x[v], move, far > most ? most / far : 1);
        m->dirty[v] = 0;
    }
    for (int v = 0; v < t->count; v++)
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++) {
            float longest = pelti_touch_longest(t, v, r, &had, &length);
            if (length > TOUCH_TOO_LONG * longest)
                m->dirty[v] = m->dirty[mesh->ring[r]] = 1;
        }
}

/// Ways that changed since the last pass; `all`: this is the first.
static bool mark_changed(PeltiTouch *t, bool all)
{
    TouchMoves *m = &t->moves;
    bool any = false;
    for (int v = 0; v < t->count; v++) {
        m->fresh[v] = all || memcmp(&m->plan[v], &m->way_end[v], sizeof(Vec3)) != 0;
        m->way_end[v] = m->plan[v];
        any |= m->fresh[v];
    }
    return any;
}

static void hold_hooked(PeltiTouch *t)
{
    for (int k = 0; k < t->patches.count; k++)
        for (int i = 0; t->marks.patch_hooked[k] && i < t->patches.patch[k].vertex_count; i++)
            t->moves.dirty[t->patches.patch[k].vertex[i]] = 1;
}

bool pelti_touch_leave_hooked(PeltiTouch *t)
{
    plan_all(t);
    t->search.overflow = false;
    for (int pass = 0; pass < HOOK_PASSES; pass++) {
        pelti_touch_stand_still(t);
        bool done = !mark_changed(t, pass == 0) || !pelti_touch_find_hooks(t);
        if (t->search.overflow)
            return false;
        if (done) {
            memcpy(t->state.x, t->moves.plan, sizeof(Vec3) * (size_t)t->count);
            return true;
        }
        hold_hooked(t);
    }
    return false;
}
