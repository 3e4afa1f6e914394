/// Finds which bones moved at all and which skin takes part in the relaxation: turning an elbow costs the elbow.
/// All other skin has the forces its last relaxation left it with, and stays where its bone carried it.
#include "methods/tracking/tracking.h"

#include <string.h>

#include "methods/tracking/constants.def"

static void set_bit(uint64_t *set, int bit)
{
    set[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

/// Bones that act on a vertex: carry it, turn its edges or tether it.
static void add_bones(const Tracking *t, int v, uint64_t *set)
{
    const int *bone = t->weights.bone + (size_t)v * (size_t)t->weights.influences;
    const float *weight = t->weights.weight + (size_t)v * (size_t)t->weights.influences;
    set_bit(set, t->skin.bone[v]);
    for (int k = 0; k < t->weights.influences; k++)
        if (k == 0 || weight[k] > 0)
            set_bit(set, bone[k]);
}

static void wake_all(const Tracking *t, TrackingAwake *a)
{
    a->vertex_count = t->mesh->vertex_count;
    for (int v = 0; v < a->vertex_count; v++)
        a->vertex[v] = v;
    memset(a->on, 1, (size_t)a->vertex_count);
    memset(a->scratch.mark, 1, (size_t)a->vertex_count);
    pelti_sparse_some(t->solver.factor, a->scratch.mark, &a->rows);
}

void pelti_tracking_awake_prepare(Tracking *t)
{
    TrackingAwake *a = &t->awake;
    const PeltiMesh *mesh = t->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        uint64_t *set = a->bones + (size_t)v * (size_t)a->words;
        add_bones(t, v, set);
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
            add_bones(t, mesh->ring[e], set);
    }
    a->fresh = a->creeps = true;
    memset(a->moved, 0xff, sizeof(uint64_t) * (size_t)a->words); // until a pose says otherwise
    wake_all(t, a);
}

void pelti_tracking_forget_awake(const PeltiMesh *mesh, TrackingAwake *awake)
{
    awake->fresh = true;
    memset(awake->restless, 0, (size_t)mesh->vertex_count);
    memset(awake->changed, 0, (size_t)mesh->vertex_count);
}

void pelti_tracking_find_moved(Tracking *t, const TrackingBones *from, const TrackingBones *to)
{
    TrackingAwake *a = &t->awake;
    bool all = a->fresh || t->set.everywhere || t->set.target == TRACKING_TARGET_POLAR || t->set.blend_passes > 0;
    memset(a->moved, all ? 0xff : 0, sizeof(uint64_t) * (size_t)a->words);
    a->creeps = all;
    for (int b = 0; b < t->who->bone_count && !all; b++) {
        bool turned = memcmp(&from->turn[b], &to->turn[b], sizeof(Quat)) || memcmp(&from->scale[b], &to->scale[b], sizeof(float));
        if (turned || memcmp(&from->matrix[b], &to->matrix[b], sizeof(Mat34)))
            set_bit(a->moved, b);
        if (memcmp(&from->joint[b], &to->joint[b], sizeof(PeltiJoint)) &&
            pelti_tracking_stands_still(t->mesh->diagonal, &from->joint[b], &to->joint[b]))
            a->creeps = true;
    }
}

/// Force along the surface in the frame of the target rotation, in which rigid motion does not change it.
static Vec3 own_force(const Tracking *t, int v)
{
    return quat_rotate(quat_conjugate(t->target.rotation[v]), tracking_along(t, v, tracking_force(t, v)));
}

static bool has_changed(const Tracking *t, int v)
{
    const PeltiMesh *mesh = t->mesh;
    unsigned char changed = t->awake.changed[v];
    for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
        changed |= t->awake.changed[mesh->ring[e]];
    return changed || tracking_moved_around(&t->awake, v);
}

typedef struct Choosing {
    const Tracking *t;
    TrackingAwake *awake;
} Choosing;

static void need_range(void *context, int begin, int end, int worker)
{
    const Tracking *t = ((const Choosing *)context)->t;
    TrackingAwake *a = ((const Choosing *)context)->awake;
    (void)worker;
    for (int v = begin; v < end; v++) {
        bool need = a->restless[v];
        if (!need && t->skin.kind[v] != TRACKING_VERTEX_RIGID && has_changed(t, v)) {
            float most = CALM * t->skin.edge[v] * (t->energy.diagonal[v] + t->energy.hold[v]);
            need = !(vec3_distance(own_force(t, v), a->left[v]) < most);
        }
        a->on[v] = need;
    }
}

/// What is awake wakes AWAKE_RINGS rings around it. False: that is so much that all may as well be.
static bool spread(const PeltiMesh *mesh, TrackingAwake *a)
{
    int *queue = a->scratch.queue;
    int most = mesh->vertex_count / AWAKE_SHARE, count = 0, done = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (a->on[v] && count <= most)
            queue[count++] = v;
    for (int ring = 0; ring < AWAKE_RINGS; ring++)
        for (int end = count; done < end && count <= most; done++) {
            int v = queue[done];
            for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1] && count <= most; e++)
                if (!a->on[mesh->ring[e]]) {
                    a->on[mesh->ring[e]] = 1;
                    queue[count++] = mesh->ring[e];
                }
        }
    return count <= most;
}

void pelti_tracking_choose_awake(const Tracking *t, TrackingSolver *solver, TrackingAwake *awake)
{
    int count = t->mesh->vertex_count;
    bool all =
        awake->fresh || t->set.everywhere || !t->set.fast || t->set.target == TRACKING_TARGET_POLAR || t->set.blend_passes > 0;
    if (!all) {
        pelti_parallel_for(t->jobs, count, TRACKING_GRAIN, need_range, &(Choosing){t, awake});
        all = !spread(t->mesh, awake);
    }
    memset(awake->changed, 0, (size_t)count);
    memset(solver->direction, 0, sizeof(float[4]) * (size_t)count); // rings of what is awake read it
    if (all) {
        wake_all(t, awake);
    } else {
        awake->vertex_count = 0;
        for (int v = 0; v < count; v++)
            if (awake->on[v])
                awake->vertex[awake->vertex_count++] = v;
        memset(awake->scratch.mark, 0, (size_t)count);
        for (int i = 0; i < awake->vertex_count; i++)
            awake->scratch.mark[solver->place[awake->vertex[i]]] = 1;
        pelti_sparse_some(solver->factor, awake->scratch.mark, &awake->rows);
    }
    for (int i = 0; i < awake->vertex_count; i++)
        awake->from[awake->vertex[i]] = t->surface.x[awake->vertex[i]];
}

static void rest_range(void *context, int begin, int end, int worker)
{
    const Tracking *t = ((const Choosing *)context)->t;
    TrackingAwake *a = ((const Choosing *)context)->awake;
    (void)worker;
    for (int i = begin; i < end; i++) {
        int v = a->vertex[i];
        a->left[v] = own_force(t, v);
        a->restless[v] = !(vec3_distance(t->surface.x[v], a->from[v]) < RESTS * t->skin.edge[v]);
        a->changed[v] = 1;
    }
}

void pelti_tracking_put_to_rest(const Tracking *t, TrackingAwake *awake)
{
    awake->fresh = t->stale.all && awake->vertex_count == t->mesh->vertex_count;
    if (!awake->fresh)
        pelti_parallel_for(t->jobs, awake->vertex_count, TRACKING_GRAIN, rest_range, &(Choosing){t, awake});
}
