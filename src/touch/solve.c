/// Finds where skin would go that keeps a gap to what it would meet.
/// Every vertex goes to its wanted place, but features that would meet are held a gap apart, and what lags behind for that does
/// so smoothly. The lag is a membrane: each pass takes it a part of the way to the mean of its ring, lets it shrink a little
/// and limits its slope, so that edges stay short; then contacts push where they must. At rest the passes agree: the lag is as
/// small and as smooth as the contacts allow.
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

/// The contact that a pair of features would be; returns their distance.
static float make_contact(const PeltiTouch *t, const TouchFeature *f, TouchContact *c)
{
    Vec3 p[4], rest = {0, 0, 0};
    float squares = 0;
    for (int i = 0; i < 4; i++) {
        c->v[i] = f->v[i];
        p[i] = t->state.x[f->v[i]];
    }
    float distance = (float)pelti_touch_distance(f, p, c->weight, &c->normal);
    for (int i = 0; i < 4; i++) {
        squares += c->weight[i] * c->weight[i];
        rest = vec3_mad(rest, t->mesh->rest[f->v[i]], c->weight[i]);
    }
    c->inverse = 1 / squares;                                      // >= 1/4: weights of either side sum to 1
    c->gap = lesser(t->rest.gap, GAP_AT_REST * vec3_length(rest)); // features that are near at rest may stay so
    return distance;
}

/// How far apart a contact's features lie along its normal in `x`.
static inline float opening(const TouchContact *c, const Vec3 *x)
{
    Vec3 d = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        d = vec3_mad(d, x[c->v[i]], c->weight[i]);
    return vec3_dot(d, c->normal);
}

static void mark_replanned(PeltiTouch *t)
{
    float most = CHANGED * t->rest.gap;
    for (int v = 0; v < t->count; v++) {
        Vec3 by = vec3_sub(t->moves.plan[v], t->moves.shared[v]);
        t->moves.replanned[v] = vec3_dot(by, by) > most * most;
    }
}

static bool in_core(const PeltiTouch *t, const TouchFeature *f)
{
    return t->gathered.core[f->v[0]] | t->gathered.core[f->v[1]] | t->gathered.core[f->v[2]] | t->gathered.core[f->v[3]];
}

/// Held apart are features that would meet, those that are near already, and those near by that would come too near: all of them,
/// not only what meets, or contacts would come and go from frame to frame.
static void find_contacts(PeltiTouch *t, bool first)
{
    if (first)
        t->contacts.count = 0;
    else
        mark_replanned(t);
    pelti_touch_share(t, 0, first ? NULL : t->moves.replanned);
    memcpy(t->moves.shared, t->moves.plan, sizeof(Vec3) * (size_t)t->count);
    for (int k = 0; k < t->features.count && t->contacts.count < t->contacts.capacity; k++) {
        const TouchFeature *f = &t->features.list[k];
        bool meets = t->features.share[k] < 1;
        if (t->features.active[k] || (!meets && (f->start > HELD_NEAR * t->rest.gap || !in_core(t, f))))
            continue;
        TouchContact *c = &t->contacts.list[t->contacts.count];
        float distance = make_contact(t, f, c);
        if (!meets && distance > MARGIN * c->gap && opening(c, t->moves.plan) > c->gap)
            continue;
        t->features.active[k] = 1;
        t->contacts.count++;
        for (int i = 0; i < 4; i++) {
            t->state.trouble[f->v[i]] = 1;
            pelti_touch_gather_one(&t->gathered, f->v[i], TOUCH_HELD);
        }
    }
}

static void smooth_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int v = t->gathered.list[i], degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        Vec3 own = t->state.lag[v], sum = {0, 0, 0};
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
            sum = vec3_add(sum, vec3_sub(t->state.lag[mesh->ring[r]], own));
        float share = degree ? 1 / (float)degree : 0;
        bool held = t->gathered.ring[v] == TOUCH_HELD;
        Vec3 change = vec3_scale(sum, LAG_SPREAD * share);
        change = vec3_mad(change, vec3_add(own, change), held ? -SHRINK_HELD : -SHRINK_FREE);
        float length = vec3_length(change), most = CHANGE_OF_GAP * t->rest.gap + CHANGE_OF_MOTION * t->way.speed[v];
        t->scratch.lag_next[v] = vec3_mad(own, change, held && length > most ? most / length : 1);
    }
}

static void smooth_lag(PeltiTouch *t)
{
    pelti_parallel_for(t->jobs, t->gathered.count, 4 * TOUCH_GRAIN, smooth_range, t);
    for (int i = 0; i < t->gathered.count; i++)
        t->state.lag[t->gathered.list[i]] = t->scratch.lag_next[t->gathered.list[i]];
}

/// Limits the slope of the lag, from the contacts outwards: of two neighbours whose lags differ too much the one with less is
/// taken along. A queue of those that changed, each at most MOST_TURNS times.
static void limit_slopes(PeltiTouch *t)
{
    const PeltiMesh *mesh = t->mesh;
    int head = 0, waiting = 0, size = t->count;
    memset(t->scratch.queued, 0, (size_t)t->count);
    memset(t->scratch.turns, 0, (size_t)t->count);
    for (int i = 0; i < t->gathered.count; i++) {
        int v = t->gathered.list[i];
        if (vec3_dot(t->state.lag[v], t->state.lag[v]) > 0) {
            t->scratch.queue[waiting++] = v;
            t->scratch.queued[v] = 1;
        }
    }
    while (waiting > 0) {
        int v = t->scratch.queue[head];
        head = head + 1 < size ? head + 1 : 0;
        waiting--;
        t->scratch.queued[v] = 0;
        Vec3 own = t->state.lag[v];
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++) {
            int u = mesh->ring[r];
            Vec3 by = vec3_sub(own, t->state.lag[u]);
            float most = LAG_SLOPE * t->rest.ring_length[r], square = vec3_dot(by, by);
            if (!(square > 1.0001f * most * most) || vec3_dot(t->state.lag[u], t->state.lag[u]) > vec3_dot(own, own))
                continue;
            t->state.lag[u] = vec3_mad(t->state.lag[u], by, 1 - most / sqrtf(square));
            pelti_touch_gather_one(&t->gathered, u, TOUCH_HELD);
            if (t->scratch.queued[u] || t->scratch.turns[u] > MOST_TURNS)
                continue;
            t->scratch.queued[u] = 1;
            t->scratch.turns[u]++;
            t->scratch.queue[(head + waiting++) % size] = u;
        }
    }
}

static void push_contacts(PeltiTouch *t)
{
    for (int k = 0; k < t->contacts.count; k++) {
        const TouchContact *c = &t->contacts.list[k];
        Vec3 d = {0, 0, 0};
        for (int i = 0; i < 4; i++)
            d = vec3_mad(d, vec3_add(t->state.wanted[c->v[i]], t->state.lag[c->v[i]]), c->weight[i]);
        float missing = c->gap - vec3_dot(d, c->normal);
        if (!(missing > 0))
            continue;
        missing *= c->inverse;
        for (int i = 0; i < 4; i++)
            t->state.lag[c->v[i]] = vec3_mad(t->state.lag[c->v[i]], c->normal, missing * c->weight[i]);
    }
}

void pelti_touch_solve(PeltiTouch *t)
{
    for (int set = 0; set < SETS; set++) {
        find_contacts(t, set == 0);
        for (int pass = 0; pass < PASSES; pass++) {
            smooth_lag(t);
            push_contacts(t);
        }
        limit_slopes(t);
        push_contacts(t);
        for (int v = 0; v < t->count; v++)
            t->moves.plan[v] = vec3_add(t->state.wanted[v], t->state.lag[v]);
    }
}
