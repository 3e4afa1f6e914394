/// Slides skin on beforehand where joints turn on as they did.
/// It takes most of its last way beforehand, and the relaxation has only the difference left to do.
#include "methods/tracking/tracking.h"

#include <string.h>

#include "methods/tracking/constants.def"

/// How much of the last virtual frame's turns this one repeats, 0 to 1.
static float repeated(Tracking *t, const TrackingBones *from, const TrackingBones *to)
{
    float both = 0, square = 0;
    for (int b = 0; b < t->who->bone_count; b++) {
        Quat q = quat_mul(quat_conjugate(from->joint[b].turn), to->joint[b].turn);
        Vec3 now = q.w < 0 ? vec3(-q.x, -q.y, -q.z) : vec3(q.x, q.y, q.z), before = t->predict.turned[b];
        both += vec3_dot(now, before);
        square += vec3_dot(before, before);
        t->predict.turned[b] = now;
    }
    float share = square > 0 ? both / square : 0;
    return share > 0 ? fminf(share, 1) : 0;
}

static void predict_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    float share = t->predict.share;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Vec3 *way = &t->predict.way[v];
        if (way->x == 0 && way->y == 0 && way->z == 0)
            continue;
        if (tracking_bone_moved(&t->awake, t->skin.bone[v]))
            *way = mat34_apply_vector(t->bones.delta[t->skin.bone[v]], *way);
        t->surface.x[v] = vec3_mad(t->surface.x[v], *way, share);
        t->awake.changed[v] = 1;
        t->surface.drift[v] += share * vec3_length(*way);
        if (t->surface.drift[v] > SLID * t->skin.edge[v]) {
            t->surface.must_look[v] = 1;
            t->surface.drift[v] = 0;
        }
    }
}

void pelti_tracking_predict(Tracking *t, const TrackingBones *from, const TrackingBones *to)
{
    float share = REPEATED * repeated(t, from, to);
    t->predict.share = t->awake.fresh || t->stale.all ? 0 : share;
    if (t->predict.share > 0)
        pelti_parallel_for(t->jobs, t->mesh->vertex_count, TRACKING_GRAIN, predict_range, t);
}

static void remember_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    (void)worker;
    for (int v = begin; v < end; v++)
        t->predict.way[v] = t->awake.on[v]
                                ? vec3_mad(vec3_sub(t->surface.x[v], t->awake.from[v]), t->predict.way[v], t->predict.share)
                                : vec3(0, 0, 0);
}

void pelti_tracking_remember(Tracking *t)
{
    if (t->awake.fresh || t->stale.all)
        memset(t->predict.way, 0, sizeof(Vec3) * (size_t)t->mesh->vertex_count);
    else
        pelti_parallel_for(t->jobs, t->mesh->vertex_count, 4 * TRACKING_GRAIN, remember_range, t);
}

void pelti_tracking_forget(const Tracking *t, TrackingPredict *predict)
{
    memset(predict->turned, 0, sizeof(Vec3) * (size_t)t->who->bone_count);
    memset(predict->way, 0, sizeof(Vec3) * (size_t)t->mesh->vertex_count);
    predict->gain = predict->length = 0;
}
