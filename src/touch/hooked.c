/// Moves all skin but what hooks behind other skin, where the work of a frame runs out.
/// Patches that would meet others on their way go with these as one body, by the rigid motion that their ways have in common:
/// what touches does so as before, and a limb that swings on takes along what hangs on it. So do vertices whose edges a body
/// would draw out; what now meets these is bound to them too, until nothing meets. Where that has no end such bodies stand
/// still: that all skin does is always safe. Features are judged one by one and not listed: no list is too short for it.
#include "core/roots.h"
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

bool pelti_touch_one_body(const TouchZones *zones, const int v[4])
{
    const unsigned char *bound = zones->is_bound;
    const int *body = zones->body;
    return bound[v[0]] && bound[v[1]] && bound[v[2]] && bound[v[3]] && body[v[0]] == body[v[1]] && body[v[0]] == body[v[2]] &&
           body[v[0]] == body[v[3]];
}

static bool is_new(PeltiTouch *t, int v)
{
    if (t->scratch.zones.is_bound[v])
        return false;
    t->scratch.zones.is_bound[v] = 1;
    t->scratch.zones.body[v] = t->scratch.zones.next[v] = v;
    return true;
}

/// Two vertices go as one body; false: they did so already.
static bool bind_to(PeltiTouch *t, int u, int v)
{
    bool more = is_new(t, u);
    more |= is_new(t, v);
    int *body = t->scratch.zones.body, *next = t->scratch.zones.next;
    int a = pelti_root_of(body, u), b = pelti_root_of(body, v), swap = next[a];
    if (a == b)
        return more;
    next[a] = next[b], next[b] = swap; // two rings of vertices become one
    pelti_roots_join(body, a, b);
    return true;
}

/// Where all skin would go, in steps that are worth looking at; what edges would draw out goes as one body.
static void plan_all(PeltiTouch *t)
{
    const PeltiMesh *mesh = t->mesh;
    TouchMoves *m = &t->moves;
    float most = CATCH_UP * LARGEST_MOVE * t->rest.size, had, length;
    for (int v = 0; v < t->count; v++) {
        Vec3 move = vec3_sub(vec3_add(t->state.wanted[v], t->state.lag[v]), t->state.x[v]);
        float far = vec3_length(move);
        m->plan[v] = t->scratch.zones.goal[v] = vec3_mad(t->state.x[v], move, far > most ? most / far : 1);
        t->scratch.zones.is_bound[v] = 0;
    }
    for (int v = 0; v < t->count; v++)
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++) {
            float longest = pelti_touch_longest(t, v, r, &had, &length);
            if (length > TOUCH_TOO_LONG * longest)
                bind_to(t, v, mesh->ring[r]);
        }
}

/// What the ways of a body's vertices have in common.
static Mat34 common_motion(const PeltiTouch *t, int first)
{
    double sum[TOUCH_SUMS] = {0};
    int v = first, count = 0;
    do {
        pelti_touch_sum_pair(sum, t->state.x[first], t->state.x[v], t->scratch.zones.goal[first], t->scratch.zones.goal[v]);
        count++;
        v = t->scratch.zones.next[v];
    } while (v != first);
    return pelti_touch_rigid(sum, count, t->rest.size, t->state.x[first], t->scratch.zones.goal[first]);
}

/// Moves a body, or not, and binds to it what its edges would draw out; true: these are of other bodies, which move anew.
static bool move_body(PeltiTouch *t, int first, bool along)
{
    const PeltiMesh *mesh = t->mesh;
    Mat34 motion = along ? common_motion(t, first) : mat34_identity();
    int *list = t->scratch.queue, count = 0, v = first;
    bool more = false;
    do {
        list[count++] = v;
        v = t->scratch.zones.next[v];
    } while (v != first);
    for (int i = 0; i < count; i++)
        t->moves.plan[list[i]] = along ? mat34_apply(motion, t->state.x[list[i]]) : t->state.x[list[i]];
    for (int i = 0; i < count; i++)
        for (int r = mesh->ring_start[list[i]]; r < mesh->ring_start[list[i] + 1]; r++) {
            float length, had, most = pelti_touch_longest(t, list[i], r, &had, &length);
            int u = mesh->ring[r];
            bool bound = t->scratch.zones.is_bound[u];
            if (!(length > TOUCH_TOO_LONG * most) || !bind_to(t, list[i], u))
                continue;
            more |= bound;
            if (bound)
                continue;
            t->moves.plan[u] = along ? mat34_apply(motion, t->state.x[u]) : t->state.x[u];
            list[count++] = u;
        }
    return more;
}

/// Moves all bodies until no edge is drawn out; false: there was no end to it.
static bool move_bodies(PeltiTouch *t, bool along)
{
    bool more = true;
    for (int sweep = 0; sweep < BODY_SWEEPS && more; sweep++) {
        more = false;
        for (int v = 0; v < t->count; v++)
            if (t->scratch.zones.is_bound[v] && t->scratch.zones.body[v] == v)
                more |= move_body(t, v, along);
    }
    for (int v = 0; v < t->count; v++)
        if (t->scratch.zones.is_bound[v])
            t->scratch.zones.body[v] = pelti_root_of(t->scratch.zones.body, v);
    return !more;
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

/// Whatever its way will be, it is a changed one in the next pass: no way ends so far away.
static void look_again_at(TouchMoves *m, int v)
{
    m->way_end[v] = vec3(INFINITY, 0, 0);
}

static bool bind_patches(PeltiTouch *t, int a, int b)
{
    const TouchPatch *pair[2] = {&t->patches.patch[a], &t->patches.patch[b]};
    bool more = false;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < pair[k]->vertex_count; i++) {
            more |= bind_to(t, pair[0]->vertex[0], pair[k]->vertex[i]);
            look_again_at(&t->moves, pair[k]->vertex[i]);
        }
    return more;
}

static bool bind_hooked(PeltiTouch *t)
{
    bool more = false;
    for (int k = 0; k < t->near.count; k++)
        if (t->near.list[k].meets)
            more |= bind_patches(t, t->near.list[k].a, t->near.list[k].b);
    for (int k = 0; k < t->patches.join_count; k++)
        if (t->marks.join_crosses[k])
            more |= bind_patches(t, t->patches.join[k].a, t->patches.join[k].b);
    return more;
}

bool pelti_touch_leave_hooked(PeltiTouch *t)
{
    bool along = true;
    plan_all(t);
    pelti_touch_forget_overflow(&t->budget);
    for (int pass = 0; pass < HOOK_PASSES; pass++) {
        along = along && move_bodies(t, true);
        if (!along)
            move_bodies(t, false);
        bool done = !mark_changed(t, pass == 0) || !pelti_touch_find_hooks(t);
        if (t->budget.overflow)
            return false;
        if (done) {
            memcpy(t->state.x, t->moves.plan, sizeof(Vec3) * (size_t)t->count);
            return true;
        }
        along = bind_hooked(t) && along && 2 * pass < HOOK_PASSES;
    }
    return false;
}
