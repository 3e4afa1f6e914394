/// Lets the rest shape of layered flesh follow bones that change their length or scale in the clip.
/// Shape matching and the volume constraint know one rest shape, and would hold a leg that its joint carries away, or a heart
/// that is scaled to beat, against the skeleton. So the rest shape follows: it is the bind pose with every bone's translation
/// and scale of now, but none of the turns. Clips that only turn joints leave it as it is, to the bit.
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

#include <string.h>

enum { GRAIN = 512 };

// ---- which bones hang together, by the skin they share ----

typedef struct Sharing {
    const PeltiFlesh *flesh;
    int bones;
    float *shared; // [bone x bone] sum of products of weights
    int *best;     // [bone] the placed bone it shares most with, -1: none yet
    bool *placed;
} Sharing;

static void add_sharing(const Sharing *sharing)
{
    const PeltiFlesh *flesh = sharing->flesh;
    for (int s = 0; s < flesh->n; s++)
        for (int i = 0; i < flesh->weights.influences; i++)
            for (int k = 0; k < flesh->weights.influences; k++) {
                size_t row = (size_t)s * (size_t)flesh->weights.influences;
                int a = flesh->weights.bone[row + (size_t)i], b = flesh->weights.bone[row + (size_t)k];
                sharing->shared[(size_t)a * (size_t)sharing->bones + (size_t)b] +=
                    flesh->weights.weight[row + (size_t)i] * flesh->weights.weight[row + (size_t)k];
            }
}

static bool is_ancestor(const PeltiCharacter *who, int above, int bone)
{
    for (bone = who->bones[bone].parent; bone >= 0 && bone != above;)
        bone = who->bones[bone].parent;
    return bone >= 0;
}

static float shared_by(const Sharing *sharing, int a, int b)
{
    return sharing->shared[(size_t)a * (size_t)sharing->bones + (size_t)b];
}

/// Mean weight of a bone where it has any: near 1 for one that carries flesh, small for one that was brushed over by mistake.
static float ownership(const Sharing *sharing, int bone)
{
    float total = 0;
    for (int b = 0; b < sharing->bones; b++)
        total += shared_by(sharing, bone, b); // sum of w, because weights sum to one
    return total > 0 ? shared_by(sharing, bone, bone) / total : 0;
}

static void place(const Sharing *sharing, PeltiLayeredStretch *stretch, int bone)
{
    PeltiLayeredStretchBone *out = &stretch->bones[stretch->count++];
    const PeltiCharacter *who = sharing->flesh->who;
    int link = sharing->best[bone];
    bool below = link >= 0 && is_ancestor(who, link, bone), above = link >= 0 && is_ancestor(who, bone, link);
    *out = (PeltiLayeredStretchBone){.bone = bone,
                                     .link = link,
                                     .pivot = who->bones[above ? link : bone].head,
                                     .slides = (below || above) && ownership(sharing, bone) > SLIDE_OWNERSHIP &&
                                               ownership(sharing, link) > SLIDE_OWNERSHIP};
    sharing->placed[bone] = true;
    for (int b = 0; b < sharing->bones; b++) {
        float now = shared_by(sharing, bone, b);
        if (!sharing->placed[b] && now > 0 && (sharing->best[b] < 0 || now > shared_by(sharing, sharing->best[b], b)))
            sharing->best[b] = bone;
    }
}

/// The next bone of a spanning forest of most sharing (Prim); -1: all are placed.
static int next_bone(const Sharing *sharing)
{
    int next = -1;
    float most = -1;
    for (int b = 0; b < sharing->bones; b++) {
        float now = sharing->best[b] >= 0 ? shared_by(sharing, sharing->best[b], b) : 0;
        if (!sharing->placed[b] && now > most) {
            most = now;
            next = b;
        }
    }
    return next;
}

PeltStatus pelti_layered_stretch_build(PeltiFlesh *flesh, PeltError *err)
{
    PeltiLayeredStretch *stretch = &flesh->stretch;
    size_t bones = (size_t)flesh->who->bone_count, lanes = (size_t)flesh->match.padded * PELTI_LAYERS + 16;
    PeltiPool work;
    pelti_pool_init(&work, &flesh->pool.allocator);
    Sharing sharing = {flesh, (int)bones, PELTI_NEW(&work, float, bones *bones + 1), PELTI_NEW(&work, int, bones + 1),
                       PELTI_NEW(&work, bool, bones + 1)};
    stretch->bones = PELTI_NEW(&flesh->pool, PeltiLayeredStretchBone, bones + 1);
    stretch->now = PELTI_NEW(&flesh->pool, Mat34, bones + 1);
    stretch->used = PELTI_NEW(&flesh->pool, Mat34, bones + 1);
    for (int k = 0; k < 3; k++)
        stretch->rest[k] = PELTI_NEW(&flesh->pool, float, lanes);
    bool fits = !flesh->pool.failed && !work.failed;
    if (fits) {
        for (int k = 0; k < 3; k++)
            memcpy(stretch->rest[k], flesh->match.rest[k], sizeof(float) * lanes);
        for (size_t b = 0; b < bones; b++) {
            sharing.best[b] = -1;
            stretch->used[b] = mat34_identity();
        }
        add_sharing(&sharing);
        for (int b = next_bone(&sharing); b >= 0; b = next_bone(&sharing))
            place(&sharing, stretch, b);
    }
    pelti_pool_release(&work);
    return fits ? PELT_OK : pelti_no_memory(err, sizeof(float) * bones * bones);
}

// ---- the rest shape of a pose ----

/// The pose without its turns. Of a link across the hierarchy (shin and foot) only the scale is taken: where its joint lies is
/// not known well enough to tell a slide from a turn.
static void unturn(PeltiFlesh *flesh, const Mat34 *bones)
{
    PeltiLayeredStretch *stretch = &flesh->stretch;
    for (int i = 0; i < stretch->count; i++) {
        const PeltiLayeredStretchBone *bone = &stretch->bones[i];
        Mat34 back = mat34_identity();
        bool hangs = bone->link >= 0 && mat34_inverse(bones[bone->link], &back);
        Mat34 m = hangs ? mat34_mul(back, bones[bone->bone]) : bones[bone->bone];
        Mat3 scale;
        mat3_polar(mat34_linear(m), &scale);
        Vec3 to = hangs && bone->slides ? mat34_apply(m, bone->pivot) : bone->pivot;
        m = mat34_from(scale, vec3_sub(to, mat3_apply(scale, bone->pivot)));
        stretch->now[bone->bone] = hangs ? mat34_mul(stretch->now[bone->link], m) : m;
    }
}

/// How far the rest shape differs between two poses without turns: at most, of points within a size of a bone's head.
static float difference(const PeltiFlesh *flesh, const Mat34 *a, const Mat34 *b)
{
    float most = 0;
    for (int i = 0; i < flesh->who->bone_count; i++) {
        Vec3 head = flesh->who->bones[i].head;
        for (int k = 0; k < 4; k++) {
            Vec3 p = vec3(head.x + (k == 1 ? flesh->rest.size : 0), head.y + (k == 2 ? flesh->rest.size : 0),
                          head.z + (k == 3 ? flesh->rest.size : 0));
            most = fmaxf(most, vec3_distance(mat34_apply(a ? a[i] : mat34_identity(), p), mat34_apply(b[i], p)));
        }
    }
    return most / flesh->rest.size;
}

static void blend_rest(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    const PeltiLayeredStretch *stretch = &flesh->stretch;
    (void)worker;
    for (int s = begin; s < end; s++)
        for (int l = 0; l < PELTI_LAYERS; l++) {
            Vec3 x = vec3_add(pelti_flesh_lane(stretch->rest, s, l), flesh->rest.centre), sum = {0, 0, 0};
            float total = 0;
            for (int k = 0; k < flesh->weights.influences; k++) {
                size_t i = (size_t)s * (size_t)flesh->weights.influences + (size_t)k;
                if (!(flesh->weights.weight[i] > 0))
                    continue;
                sum = vec3_mad(sum, mat34_apply(stretch->used[flesh->weights.bone[i]], x), flesh->weights.weight[i]);
                total += flesh->weights.weight[i];
            }
            sum = total > 0 ? vec3_scale(sum, 1 / total) : x;
            pelti_flesh_set_lane(flesh->match.rest, s, l, vec3_sub(sum, flesh->rest.centre));
        }
}

static void find_centres(void *context, int begin, int end, int worker)
{
    (void)worker;
    pelti_layered_match_centres(&((PeltiFlesh *)context)->match, begin, end);
}

void pelti_layered_stretch_reshape(PeltiFlesh *flesh)
{
    PeltiLayeredStretch *stretch = &flesh->stretch;
    if (stretch->active)
        pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, blend_rest, flesh);
    else
        for (int k = 0; k < 3; k++)
            memcpy(flesh->match.rest[k], stretch->rest[k], sizeof(float) * (size_t)flesh->n * PELTI_LAYERS);
    pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, find_centres, flesh);
    pelti_layered_layers_lengths(flesh);
    pelti_layered_volume_rest(&flesh->volume, flesh->match.rest);
}

void pelti_layered_stretch_pose(PeltiFlesh *flesh, const Mat34 *bones)
{
    PeltiLayeredStretch *stretch = &flesh->stretch;
    unturn(flesh, bones);
    bool bind = difference(flesh, NULL, stretch->now) < STRETCH_SEEN;
    if (bind ? !stretch->active : difference(flesh, stretch->used, stretch->now) < STRETCH_MOVED * STRETCH_SEEN)
        return;
    stretch->active = !bind;
    for (int b = 0; b < flesh->who->bone_count; b++)
        stretch->used[b] = bind ? mat34_identity() : stretch->now[b];
    pelti_layered_stretch_reshape(flesh);
}
