/// A clip made from the skeleton for characters that have none.
#include "character/range.h"
#include "math/elementary.h"

#include <ctype.h>
#include <string.h>

enum { MOVES = 6, KEYS_PER_MOVE = 8, KEYS = MOVES * KEYS_PER_MOVE + 1 };
enum { HINGES, LIMBS, TRUNK, ENDS, SIDES, TWISTS }; // the moves, a second each

/// Degrees at the height of a move; bending is towards the front, and back where negative. Round figures, about a third to two
/// thirds of what an adult's joints reach: every joint folds well and none to its end; chosen, not measured.
typedef struct MoveLimits {
    int move; // in which it bends
    float bend, side, twist;
    bool curls; // bends downwards, or inwards where it hangs: fingers
} MoveLimits;

/// Parts in the words of the usual rigs; the first that occurs in the name counts.
static const struct {
    const char *word;
    MoveLimits limits;
} PARTS[] = {
    {"thumb", {HINGES, 30, 10, 0, true}},    {"index", {HINGES, 60, 5, 0, true}},      {"middle", {HINGES, 60, 5, 0, true}},
    {"ring", {HINGES, 60, 5, 0, true}},      {"pinky", {HINGES, 60, 5, 0, true}},      {"little", {HINGES, 60, 5, 0, true}},
    {"finger", {HINGES, 60, 5, 0, true}},    {"forearm", {HINGES, 100, 0, 45, false}}, {"lowerarm", {HINGES, 100, 0, 45, false}},
    {"elbow", {HINGES, 100, 0, 45, false}},  {"clavicle", {LIMBS, 10, 10, 0, false}},  {"collar", {LIMBS, 10, 10, 0, false}},
    {"shoulder", {LIMBS, 10, 10, 0, false}}, {"arm", {LIMBS, 60, 45, 30, false}},      {"lowerleg", {HINGES, -90, 0, 0, false}},
    {"calf", {HINGES, -90, 0, 0, false}},    {"shin", {HINGES, -90, 0, 0, false}},     {"knee", {HINGES, -90, 0, 0, false}},
    {"upleg", {LIMBS, 70, 25, 20, false}},   {"upperleg", {LIMBS, 70, 25, 20, false}}, {"thigh", {LIMBS, 70, 25, 20, false}},
    {"leg", {HINGES, -90, 0, 0, false}},     {"hand", {ENDS, 45, 15, 0, false}},       {"wrist", {ENDS, 45, 15, 0, false}},
    {"foot", {ENDS, 25, 10, 0, false}},      {"ankle", {ENDS, 25, 10, 0, false}},      {"toe", {ENDS, 20, 0, 0, false}},
    {"hips", {TRUNK, 0, 0, 0, false}},       {"pelvis", {TRUNK, 0, 0, 0, false}},      {"spine", {TRUNK, 12, 10, 10, false}},
    {"chest", {TRUNK, 12, 10, 10, false}},   {"torso", {TRUNK, 15, 10, 10, false}},    {"neck", {TRUNK, 20, 15, 20, false}},
    {"head", {TRUNK, 25, 15, 30, false}},
};

/// Lower case letters of the name, so that "LeftUpLeg", "thigh.L" and "mixamorig:Left_Up_Leg" read alike.
static MoveLimits limits_of(const char *name, int depth)
{
    char plain[96];
    size_t used = 0;
    for (; *name && used < sizeof plain - 1; name++)
        if (isalpha((unsigned char)*name))
            plain[used++] = (char)tolower((unsigned char)*name);
    plain[used] = 0;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (strstr(plain, PARTS[i].word))
            return PARTS[i].limits;
    // nobody knows what it is: little, since chains (tails, strands) add up; neighbours in a chain move apart
    return (MoveLimits){depth % 2 ? HINGES : LIMBS, 15, 8, 8, false};
}

typedef struct Axes { // world, in the file's pose
    Vec3 bend, side, twist;
} Axes;

/// Where a bone points: to the mean of its children, else on from its parent.
static Vec3 direction_of(const PeltiCharacter *who, const Vec3 *head, const int *children, const Vec3 *child_sum, int bone)
{
    int parent = who->bones[bone].parent;
    Vec3 d = vec3(0, 1, 0);
    if (children[bone])
        d = vec3_sub(vec3_scale(child_sum[bone], 1.0f / (float)children[bone]), head[bone]);
    else if (parent >= 0)
        d = vec3_sub(head[bone], head[parent]);
    return vec3_normalize_or(d, vec3(0, 1, 0));
}

/// Turning by +angle about d x f takes d towards f.
static Axes axes_of(Vec3 d, const MoveLimits *limits, Vec3 head, Vec3 middle, bool faces_back)
{
    Vec3 towards = vec3(0, 0, faces_back ? -1 : 1);
    if (limits->curls) {
        towards = vec3(0, -1, 0);
        if (fabsf(d.y) > 0.7f)
            towards = vec3(middle.x > head.x ? 1 : -1, 0, 0);
    }
    Axes axes;
    axes.twist = d;
    axes.bend = vec3_normalize_or(vec3_cross(d, towards), vec3_orthogonal(d));
    axes.side = vec3_cross(axes.bend, d);
    return axes;
}

static Quat turn(Vec3 axis, float degrees)
{
    float half = degrees * 0.00872664626f;
    float s = pelti_sinf(half);
    return (Quat){axis.x * s, axis.y * s, axis.z * s, pelti_cosf(half)};
}

/// 0 at both ends of a move, 1 in the middle, smooth: sin^2.
static float swell(int key, int move)
{
    float u = (float)(key - move * KEYS_PER_MOVE) / KEYS_PER_MOVE;
    float s = u > 0 && u < 1 ? pelti_sinf(3.14159265f * u) : 0;
    return s * s;
}

typedef struct RangePose {
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix; // [node_count]
    Mat34 *matrix;                // [bone_count]
    Vec3 *head;                   // [bone_count] world
    Vec3 *child_sum;              // [bone_count]
    int *children;                // [bone_count]
    int *depth;                   // [bone_count] below the root of its skeleton
    bool *done;                   // [node_count] a node may be several bones
} RangePose;

static bool start(RangePose *w, PeltiPool *pool, const PeltiCharacter *who)
{
    w->pose = pelti_pose_new(pool, who);
    w->node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, who->node_count);
    w->matrix = PELTI_NEW(pool, Mat34, who->bone_count);
    w->head = PELTI_NEW(pool, Vec3, who->bone_count);
    w->child_sum = PELTI_NEW(pool, Vec3, who->bone_count);
    w->children = PELTI_NEW(pool, int, who->bone_count);
    w->depth = PELTI_NEW(pool, int, who->bone_count);
    w->done = PELTI_NEW(pool, bool, who->node_count);
    return !pool->failed;
}

/// Heads in the file's pose, children and depths.
static Vec3 look(RangePose *w, const PeltiCharacter *who)
{
    Vec3 middle = vec3(0, 0, 0);
    int count = 0;
    pelti_pose_file(who, &w->pose);
    pelti_pose_bones(who, &w->pose, w->node_matrix, w->matrix);
    for (int b = 0; b < who->bone_count; b++) {
        const PeltiNodeMatrix *at = &w->node_matrix[who->bones[b].node];
        w->head[b] = vec3((float)at->m[0][3], (float)at->m[1][3], (float)at->m[2][3]);
    }
    for (int b = 0; b < who->bone_count; b++) {
        int parent = who->bones[b].parent;
        if (who->bones[b].is_prop)
            continue;
        middle = vec3_add(middle, w->head[b]);
        count++;
        for (int up = parent; up >= 0 && w->depth[b] < 1000; up = who->bones[up].parent)
            w->depth[b]++;
        if (parent >= 0) {
            w->children[parent]++;
            w->child_sum[parent] = vec3_add(w->child_sum[parent], w->head[b]);
        }
    }
    return count ? vec3_scale(middle, 1.0f / (float)count) : middle;
}

/// Rotations of a joint over the clip: about world axes, carried into its parent's frame, on top of the file's own.
static void fill_keys(const PeltiCharacter *who, const RangePose *w, int bone, const MoveLimits *limits, const Axes *axes,
                      float *values)
{
    int node = who->bones[bone].node, parent = who->nodes[node].parent;
    Mat3 frame = mat3_identity();
    if (parent >= 0) {
        Mat3 linear, stretch;
        for (int i = 0; i < 9; i++)
            linear.m[i / 3][i % 3] = (float)w->node_matrix[parent].m[i / 3][i % 3];
        frame = mat3_transpose(mat3_polar(linear, &stretch));
    }
    Vec3 bend = mat3_apply(frame, axes->bend), side = mat3_apply(frame, axes->side), twist = mat3_apply(frame, axes->twist);
    for (int k = 0; k < KEYS; k++) {
        Quat q = turn(bend, limits->bend * swell(k, limits->move));
        q = quat_mul(turn(side, limits->side * swell(k, SIDES)), q);
        q = quat_mul(turn(twist, limits->twist * swell(k, TWISTS)), q);
        q = quat_normalize(quat_mul(q, who->nodes[node].trs.rotation));
        memcpy(values + 4 * k, &q.x, 4 * sizeof(float));
    }
}

static PeltStatus fill_clip(PeltiCharacter *who, RangePose *w, PeltiClip *clip, PeltError *err)
{
    float *times = PELTI_NEW(&who->pool, float, KEYS);
    PeltiChannel *channels = PELTI_NEW(&who->pool, PeltiChannel, 3 * (size_t)who->bone_count);
    if (!times || !channels)
        return pelti_no_memory(err, (size_t)who->bone_count * sizeof *channels);
    for (int k = 0; k < KEYS; k++)
        times[k] = (float)k / KEYS_PER_MOVE;
    Vec3 middle = look(w, who);
    for (int b = 0; b < who->bone_count; b++) {
        int node = who->bones[b].node;
        if (who->bones[b].is_prop || who->bones[b].parent < 0 || w->done[node])
            continue;
        w->done[node] = true;
        float *values = PELTI_NEW(&who->pool, float, 4 * KEYS);
        if (!values)
            return pelti_no_memory(err, 4 * KEYS * sizeof(float));
        MoveLimits limits = limits_of(who->nodes[node].name, w->depth[b]);
        Axes axes =
            axes_of(direction_of(who, w->head, w->children, w->child_sum, b), &limits, w->head[b], middle, who->faces_back);
        fill_keys(who, w, b, &limits, &axes, values);
        channels[clip->channel_count++] =
            (PeltiChannel){node, PELTI_CHANNEL_ROTATION, PELTI_CHANNEL_LINEAR, KEYS, times, values, 4, 0};
        if (!who->nodes[node].has_matrix)
            continue;
        const Trs *trs = &who->nodes[node].trs; // a clip that moves a node given by a matrix must give all its parts
        channels[clip->channel_count++] =
            (PeltiChannel){node, PELTI_CHANNEL_TRANSLATION, PELTI_CHANNEL_LINEAR, 1, times, &trs->translation.x, 3, 0};
        channels[clip->channel_count++] =
            (PeltiChannel){node, PELTI_CHANNEL_SCALE, PELTI_CHANNEL_LINEAR, 1, times, &trs->scale.x, 3, 0};
    }
    clip->channels = channels;
    clip->duration_s = times[KEYS - 1];
    return PELT_OK;
}

PeltStatus pelti_range_clip(PeltiCharacter *who, PeltError *err)
{
    PeltiPool work;
    RangePose w = {0};
    PeltiClip *clips = PELTI_NEW(&who->pool, PeltiClip, (size_t)who->clip_count + 1);
    if (!clips)
        return pelti_no_memory(err, sizeof *clips);
    for (int c = 0; c < who->clip_count; c++)
        clips[c] = who->clips[c];
    clips[who->clip_count] = (PeltiClip){.name = "range"};
    who->clips = clips;
    pelti_pool_init(&work, &who->pool.allocator);
    PeltStatus status = start(&w, &work, who) ? fill_clip(who, &w, &clips[who->clip_count], err) : pelti_no_memory(err, 0);
    pelti_pool_release(&work);
    return status;
}
