/// Leaves out skin that sees the same field as in the frame before [Vaillant2014 sec. 6.1].
/// Most joints stand still most of the time: skin that moves rigidly with every part near it need not look at the field again.
#include "methods/tracking/tracking.h"

#include <string.h>

#include "methods/tracking/constants.def"

typedef struct FindStale {
    Tracking *t;
    int share; ///< vertices v with v % TURNS = share look in this virtual frame, whatever they saw
} FindStale;

bool pelti_tracking_stands_still(float size, const PeltiJoint *from, const PeltiJoint *to)
{
    Quat a = from->turn, b = to->turn;
    float turn = fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z) + fabsf(a.w - b.w), stretch = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stretch += fabsf(from->stretch.m[i][j] - to->stretch.m[i][j]);
    return turn < STANDS && stretch < STANDS && vec3_distance(from->head, to->head) < STANDS * size;
}

/// Clusters of bones that move as one: a joint that stands still goes with its parent. Returns how many clusters there are.
static int find_clusters(Tracking *t, const TrackingBones *from, const TrackingBones *to)
{
    int count = 0;
    for (int k = 0; k < t->who->bone_count; k++) {
        int b = t->bones.order[k], parent = t->who->bones[b].parent;
        t->stale.scratch.cluster[b] =
            parent >= 0 && pelti_tracking_stands_still(t->mesh->diagonal, &from->joint[b], &to->joint[b])
                ? t->stale.scratch.cluster[parent]
                : count++;
    }
    return count;
}

/// For each cluster the parts that do not belong to it. A muscle belongs to none: it swells.
static void find_strangers(Tracking *t, int clusters)
{
    int words = t->frame.words;
    memset(t->stale.scratch.strange, 0, sizeof(uint64_t) * (size_t)clusters * (size_t)words);
    for (int c = 0; c < clusters; c++)
        for (int p = 0; p < t->fields->part_count; p++)
            if (t->fields->parts[p].primitive >= 0 || t->stale.scratch.cluster[t->fields->parts[p].bone] != c)
                t->stale.scratch.strange[(size_t)c * (size_t)words + (size_t)(p >> 6)] |= (uint64_t)1 << (p & 63);
}

static void find_range(void *context, int begin, int end, int worker)
{
    const FindStale *w = context;
    Tracking *t = w->t;
    int words = t->frame.words;
    (void)worker;
    for (int v = begin; v < end; v++) {
        const uint64_t *now = pelti_frame_around(&t->frame, t->surface.x[v]),
                       *strange = t->stale.scratch.strange + (size_t)t->stale.scratch.cluster[t->skin.bone[v]] * (size_t)words;
        uint64_t *before = t->stale.around + (size_t)v * (size_t)words, met = now ? 0 : 1;
        for (int k = 0; k < words; k++) {
            uint64_t here = now ? now[k] : ~(uint64_t)0;
            met |= (here | before[k]) & strange[k];
            before[k] = here;
        }
        bool due = v % TURNS == w->share && (t->awake.creeps || tracking_bone_moved(&t->awake, t->skin.bone[v]));
        if (met || t->stale.all || due)
            t->surface.must_look[v] = 1;
    }
}

void pelti_tracking_forget_around(const Tracking *t, TrackingStale *stale)
{
    stale->virtual_frame = 0;
    memset(stale->around, 0xff, sizeof(uint64_t) * (size_t)t->mesh->vertex_count * (size_t)t->frame.words); // look everywhere
}

void pelti_tracking_find_stale(Tracking *t, const TrackingBones *from, const TrackingBones *to)
{
    int clusters = find_clusters(t, from, to);
    FindStale w = {.t = t, .share = (int)(t->stale.virtual_frame++ % (unsigned)TURNS)};
    t->stale.all = t->set.everywhere || clusters * HARDLY > t->who->bone_count; // hardly anything could be left out
    if (!t->stale.all)
        find_strangers(t, clusters);
    else
        memset(t->stale.scratch.strange, 0xff, sizeof(uint64_t) * (size_t)clusters * (size_t)t->frame.words);
    pelti_parallel_for(t->jobs, t->mesh->vertex_count, TRACKING_GRAIN, find_range, &w);
}
