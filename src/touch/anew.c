/// Skin that is stuck, or hooked behind other skin, is led in anew.
/// It goes from the rest pose, which crosses nothing, to the pose of this frame, past what it was caught by. Nothing crosses on
/// that way either; where it ends no nearer, or draws an edge out too far, all stays as it was. In a held pose nothing is shown
/// that is farther behind than what was: so it comes to rest.
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

/// The longest edge of the shown skin, of its length at rest; what a method may show counts as one that it does.
static float longest_edge(const PeltiTouch *t)
{
    float longest = DRAWN_EDGE;
    for (int v = 0; v < t->count; v++)
        for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++)
            if (t->rest.ring_length[r] > 0)
                longest = larger(longest, vec3_distance(t->state.x[v], t->state.x[t->mesh->ring[r]]) / t->rest.ring_length[r]);
    return longest;
}

/// Exchanges what is shown with what was kept.
static void exchange(PeltiTouch *t)
{
    Vec3 *x = t->state.x, *lag = t->state.lag;
    unsigned char *trouble = t->state.trouble;
    t->state.x = t->scratch.x_kept, t->scratch.x_kept = x;
    t->state.lag = t->scratch.lag_kept, t->scratch.lag_kept = lag;
    t->state.trouble = t->scratch.trouble_kept, t->scratch.trouble_kept = trouble;
}

bool pelti_touch_travel_held(PeltiTouch *t, PeltiTouchPose pose, const Vec3 *goal, PeltiTouchReport *report)
{
    float most;
    memcpy(t->scratch.x_kept, t->state.x, sizeof(Vec3) * (size_t)t->count);
    memcpy(t->scratch.trouble_kept, t->state.trouble, (size_t)t->count);
    pelti_touch_travel(t, pose, goal, report);
    if (pelti_touch_behind(t, t->state.x, &most) <= pelti_touch_behind(t, t->scratch.x_kept, &most))
        return false;
    for (int v = 0; v < t->count; v++)
        t->scratch.lag_kept[v] = vec3_sub(t->scratch.x_kept[v], t->state.wanted[v]);
    exchange(t);
    return true;
}

bool pelti_touch_travel_pushed(PeltiTouch *t, PeltiTouchPose pose, const Vec3 *goal, PeltiTouchReport *report)
{
    size_t bytes = sizeof(Vec3) * (size_t)t->count;
    float pace = t->state.pace;
    double before = 0, after = 0;
    memcpy(t->scratch.x_kept, t->state.x, bytes);
    memcpy(t->scratch.lag_kept, t->state.lag, bytes);
    memcpy(t->scratch.wanted_kept, t->state.wanted, bytes);
    memcpy(t->scratch.trouble_kept, t->state.trouble, (size_t)t->count);
    pelti_touch_travel(t, pose, goal, report);
    for (int v = 0; v < t->count; v++) {
        Vec3 push = vec3_sub(goal[v], t->scratch.wanted_kept[v]),
             left = vec3_sub(vec3_add(t->scratch.x_kept[v], push), t->state.x[v]);
        before += (double)vec3_dot(push, push);
        after += (double)vec3_dot(left, left);
    }
    if (after < (double)PUSH_FOLLOWED * before)
        return true;
    exchange(t);
    memcpy(t->state.wanted, t->scratch.wanted_kept, bytes);
    t->state.pace = pace;
    return false;
}

void pelti_touch_lead_anew(PeltiTouch *t, PeltiTouchPose pose, const Vec3 *goal, bool stays, PeltiTouchReport *report)
{
    float most, pace = t->state.pace;
    double before = pelti_touch_behind(t, t->state.x, &most);
    t->state.stuck = !stays && (report->frozen || report->spent) ? t->state.stuck + 1 : 0;
    float hangs = most / (HUNG * t->rest.size);
    t->state.hung = hangs > 1 ? t->state.hung + hangs * hangs : 0;
    if (t->state.stuck < MOST_STUCK && t->state.hung < MOST_HUNG)
        return;
    t->state.stuck = 0;
    t->state.hung = 0;
    float drawn = longest_edge(t);
    exchange(t);
    pelti_touch_to_rest(t);
    pose.restart = true;
    pelti_touch_travel(t, pose, goal, report);
    report->led_anew = pelti_touch_behind(t, t->state.x, &most) < (double)ANEW_BETTER * before && longest_edge(t) <= drawn;
    if (!report->led_anew) {
        exchange(t);
        t->state.pace = pace;
    }
}
