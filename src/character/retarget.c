/// Carries clips of one skeleton over to another.
#include "character/pose_math.h"
#include "character/retarget_parts.h"
#include "math/order.h"

#include <stdlib.h>
#include <string.h>

static const float STEP_S = 1.0f / 30; ///< keys at least so near to each other
enum { KEYS_MOST = 1 << 20 };

// ---- times

/// The clip's own key times and those of a grid where they lie further apart; returns how many, 0: no memory.
static int list_times(const PeltiClip *clip, PeltiPool *work, PeltiPool *pool, float **out)
{
    size_t total = 2;
    int count = 0;
    for (int c = 0; c < clip->channel_count; c++)
        total += (size_t)clip->channels[c].key_count;
    float *all = PELTI_NEW(work, float, total);
    size_t used = 0;
    if (!all)
        return 0;
    all[used++] = 0;
    all[used++] = clip->duration_s;
    for (int c = 0; c < clip->channel_count; c++)
        for (int k = 0; k < clip->channels[c].key_count; k++)
            all[used++] = fmaxf(clip->channels[c].times[k], 0);
    qsort(all, used, sizeof *all, pelti_float_order);
    size_t room = used + (size_t)(fminf(clip->duration_s, 1e5f) / STEP_S) + 2;
    float *times = PELTI_NEW(pool, float, room), last = -1;
    for (size_t i = 0; times && i < used && count < KEYS_MOST; i++) {
        if (all[i] - last < 1e-4f)
            continue;
        int between = last >= 0 ? (int)ceilf((all[i] - last) / STEP_S - 1e-3f) : 1;
        for (int k = 1; k <= between && (size_t)count < room && count < KEYS_MOST; k++)
            times[count++] = k == between ? all[i] : last + (all[i] - last) * (float)k / (float)between;
        last = all[i];
    }
    *out = times;
    return times ? count : 0;
}

// ---- one key

typedef struct Frame {
    PeltiPose from_pose, to_pose;
    PeltiNodeMatrix *from_node_matrix, *to_node_matrix; ///< [node_count]
    Quat *delta;                                        ///< [from node_count] F D F^-1
} Frame;

static Quat world_turn(const PeltiNodeMatrix *node_matrix)
{
    Mat3 linear;
    for (int i = 0; i < 9; i++)
        linear.m[i / 3][i % 3] = (float)node_matrix->m[i / 3][i % 3];
    return quat_from_mat3(mat3_polar(linear, NULL));
}

static Vec3 world_place(const PeltiNodeMatrix *node_matrix)
{
    return vec3((float)node_matrix->m[0][3], (float)node_matrix->m[1][3], (float)node_matrix->m[2][3]);
}

static void read_source(PeltiRetargetWork *w, const PeltiClip *clip, double time_s, Frame *f)
{
    const PeltiCharacter *who = w->from.who;
    pelti_pose_clip(who, clip, time_s, &f->from_pose);
    for (int k = 0; k < who->node_count; k++)
        pelti_pose_node_matrix(who, &f->from_pose, who->node_order[k], f->from_node_matrix);
    for (int p = 0; p < w->pair_count; p++)
        for (int end = 0; end < 2; end++) {
            int n = end ? w->pairs[p].b : w->pairs[p].a;
            Quat d = quat_mul(world_turn(&f->from_node_matrix[n]), quat_conjugate(w->from.turn[n]));
            f->delta[n] = quat_normalize(quat_mul(quat_mul(w->facing, d), quat_conjugate(w->facing)));
        }
}

/// Into the frame of the node's parent as it stands; false: the parent is flat.
static bool into_parent(const Frame *f, int parent, Vec3 place, Vec3 *out)
{
    Mat34 m = mat34_identity(), back;
    for (int i = 0; parent >= 0 && i < 12; i++)
        m.m[i / 4][i % 4] = (float)f->to_node_matrix[parent].m[i / 4][i % 4];
    if (!mat34_inverse(m, &back))
        return false;
    *out = mat34_apply(back, place);
    return true;
}

/// A joint that slides on its parent in a rig of the same names: as far here, times the ratio.
static void slide(const PeltiRetargetWork *w, const PeltiRetargetPair *pair, Frame *f, Trs *local)
{
    int parent = w->to.who->nodes[pair->node].parent, from_parent = w->from.who->nodes[pair->a].parent;
    if (parent < 0 || from_parent < 0 || w->pair_of[parent] < 0 || w->pairs[w->pair_of[parent]].a != from_parent)
        return;
    Vec3 rest =
        quat_rotate(quat_conjugate(w->from.turn[from_parent]), vec3_sub(w->from.head[pair->a], w->from.head[from_parent]));
    Vec3 now = quat_rotate(quat_conjugate(world_turn(&f->from_node_matrix[from_parent])),
                           vec3_sub(world_place(&f->from_node_matrix[pair->a]), world_place(&f->from_node_matrix[from_parent])));
    Vec3 moved = vec3_sub(now, rest); // in the parent's frame, metres
    if (vec3_length(moved) < 1e-5f * vec3_length(rest) + 1e-7f)
        moved = vec3(0, 0, 0);
    // the parent's frames of the two differ by what their rests differ by
    Quat between = quat_mul(quat_conjugate(w->to.turn[parent]), quat_mul(quat_conjugate(w->pairs[w->pair_of[parent]].align),
                                                                         quat_mul(w->facing, w->from.turn[from_parent])));
    Vec3 own = quat_rotate(quat_conjugate(w->to.turn[parent]), vec3_sub(w->to.head[pair->node], w->to.head[parent]));
    own = vec3_mad(own, quat_rotate(between, moved), w->ratio);
    Vec3 place = vec3_add(world_place(&f->to_node_matrix[parent]), quat_rotate(world_turn(&f->to_node_matrix[parent]), own));
    into_parent(f, parent, place, &local->translation);
}

static void pose_joint(const PeltiRetargetWork *w, const PeltiRetargetPair *pair, Frame *f)
{
    int n = pair->node, parent = w->to.who->nodes[n].parent;
    Trs *local = &f->to_pose.local[n];
    Quat delta = pair->t > 0 ? quat_slerp(f->delta[pair->a], f->delta[pair->b], pair->t) : f->delta[pair->a];
    Quat turn = quat_mul(delta, quat_mul(pair->align, w->to.turn[n]));
    Quat above = parent >= 0 ? world_turn(&f->to_node_matrix[parent]) : quat_identity();
    f->to_pose.touched[n] = true;
    local->rotation = quat_normalize(quat_mul(quat_conjugate(above), turn));
    if (pair->is_free) {
        Vec3 moved = vec3_sub(world_place(&f->from_node_matrix[pair->a]), w->from.head[pair->a]);
        Vec3 place = vec3_mad(w->to.head[n], quat_rotate(w->facing, moved), w->ratio);
        into_parent(f, parent, place, &local->translation);
    } else if (pair->is_named && w->from.slides[pair->a]) {
        slide(w, pair, f, local);
    }
}

/// Where the limb it ends has carried it.
static void hang(const PeltiRetargetWork *w, const PeltiRetargetPair *pair, Frame *f)
{
    int n = pair->node, limb = pair->hangs_on;
    Quat turn = quat_mul(world_turn(&f->to_node_matrix[limb]), quat_conjugate(w->to.turn[limb]));
    Vec3 place = vec3_add(world_place(&f->to_node_matrix[limb]), quat_rotate(turn, vec3_sub(w->to.head[n], w->to.head[limb])));
    into_parent(f, w->to.who->nodes[n].parent, place, &f->to_pose.local[n].translation);
}

static void pose_target(const PeltiRetargetWork *w, Frame *f)
{
    const PeltiCharacter *who = w->to.who;
    pelti_pose_file(who, &f->to_pose);
    for (int k = 0; k < who->node_count; k++) {
        int n = who->node_order[k];
        if (w->pair_of[n] >= 0)
            pose_joint(w, &w->pairs[w->pair_of[n]], f);
        pelti_pose_node_matrix(who, &f->to_pose, n, f->to_node_matrix);
    }
    for (int p = 0; p < w->pair_count; p++)
        if (w->pairs[p].hangs_on >= 0)
            hang(w, &w->pairs[p], f);
}

// ---- a clip

static bool start_frame(const PeltiRetargetWork *w, Frame *f)
{
    f->from_pose = pelti_pose_new(w->pool, w->from.who);
    f->to_pose = pelti_pose_new(w->pool, w->to.who);
    f->from_node_matrix = PELTI_NEW(w->pool, PeltiNodeMatrix, w->from.who->node_count);
    f->to_node_matrix = PELTI_NEW(w->pool, PeltiNodeMatrix, w->to.who->node_count);
    f->delta = PELTI_NEW(w->pool, Quat, w->from.who->node_count);
    return !w->pool->failed;
}

/// Channels of one pair, with room for its keys; a place only where it is not the file's at every key.
typedef struct Track {
    float *turn, *place;
} Track;

static void keep_key(const PeltiRetargetWork *w, const Frame *f, Track *tracks, int key)
{
    for (int p = 0; p < w->pair_count; p++) {
        const Trs *local = &f->to_pose.local[w->pairs[p].node];
        float *turn = tracks[p].turn + 4 * (size_t)key;
        Quat q = local->rotation;
        if (key > 0 && quat_dot(q, (Quat){turn[-4], turn[-3], turn[-2], turn[-1]}) < 0)
            q = (Quat){-q.x, -q.y, -q.z, -q.w};
        memcpy(turn, &q.x, 4 * sizeof(float));
        memcpy(tracks[p].place + 3 * (size_t)key, &local->translation.x, 3 * sizeof(float));
    }
}

static bool is_still(const float *place, int keys, Vec3 file)
{
    for (int k = 0; k < keys; k++)
        if (place[3 * k] != file.x || place[3 * k + 1] != file.y || place[3 * k + 2] != file.z)
            return false;
    return true;
}

static void list_channels(const PeltiRetargetWork *w, const Track *tracks, const float *times, int keys, PeltiClip *out)
{
    PeltiChannel *channels = (PeltiChannel *)out->channels; // being filled
    for (int p = 0; p < w->pair_count; p++) {
        int n = w->pairs[p].node;
        const PeltiNode *node = &w->to.who->nodes[n];
        channels[out->channel_count++] =
            (PeltiChannel){n, PELTI_CHANNEL_ROTATION, PELTI_CHANNEL_LINEAR, keys, times, tracks[p].turn, 4, 0};
        if (node->has_matrix || !is_still(tracks[p].place, keys, node->trs.translation))
            channels[out->channel_count++] =
                (PeltiChannel){n, PELTI_CHANNEL_TRANSLATION, PELTI_CHANNEL_LINEAR, keys, times, tracks[p].place, 3, 0};
        if (node->has_matrix) // a clip that moves a node given by a matrix must give all its parts
            channels[out->channel_count++] =
                (PeltiChannel){n, PELTI_CHANNEL_SCALE, PELTI_CHANNEL_LINEAR, 1, times, &node->trs.scale.x, 3, 0};
    }
}

/// Writes a clip of `from` as one of `to`, into the pool that lasts.
static PeltStatus retarget_clip(PeltiRetargetWork *w, const PeltiClip *from, PeltiPool *pool, PeltiClip *out, PeltError *err)
{
    Frame f;
    float *times = NULL;
    int keys = list_times(from, w->pool, pool, &times);
    Track *tracks = PELTI_NEW(w->pool, Track, w->pair_count);
    *out = (PeltiClip){.name = pelti_pool_text(pool, from->name), .duration_s = from->duration_s};
    out->channels = PELTI_NEW(pool, PeltiChannel, 3 * (size_t)w->pair_count);
    if (!start_frame(w, &f) || keys == 0 || pool->failed)
        return pelti_no_memory(err, (size_t)w->pair_count * sizeof *tracks);
    for (int p = 0; p < w->pair_count; p++) {
        tracks[p].turn = PELTI_NEW(pool, float, 4 * (size_t)keys);
        tracks[p].place = PELTI_NEW(pool, float, 3 * (size_t)keys);
    }
    if (pool->failed)
        return pelti_no_memory(err, 7 * (size_t)keys * (size_t)w->pair_count * sizeof(float));
    for (int k = 0; k < keys; k++) {
        read_source(w, from, (double)times[k], &f);
        pose_target(w, &f);
        keep_key(w, &f, tracks, k);
    }
    list_channels(w, tracks, times, keys, out);
    return PELT_OK;
}

// ---- all of it

static void tell(const PeltiRetargetWork *w, PeltiRetarget *out)
{
    const PeltiCharacter *from = w->from.who;
    out->pair_count = w->pair_count;
    out->from_words = pelti_humanoid_is(&w->from.parts) ? w->from.parts.convention : NULL;
    out->words = pelti_humanoid_is(&w->to.parts) ? w->to.parts.convention : NULL;
    for (int n = 0; n < from->node_count; n++) {
        bool used = false;
        for (int p = 0; p < w->pair_count; p++)
            used = used || w->pairs[p].a == n || w->pairs[p].b == n;
        for (int p = 0; p < w->pair_count; p++) // what carries a joint that is used is in its place already
            for (int up = w->pairs[p].a; w->pairs[p].is_free && up >= 0 && !used; up = from->nodes[up].parent)
                used = up == n;
        out->from_count += w->from.moves[n];
        if (w->from.moves[n] && !used && out->unmatched_count++ < 4)
            out->unmatched[out->unmatched_count - 1] = from->nodes[n].name;
    }
}

static PeltStatus run(PeltiRetargetWork *w, const PeltiRetargetEnd *from, const PeltiRetargetEnd *to, PeltiPool *pool,
                      PeltiRetarget *out, PeltError *err)
{
    PELT_TRY(pelti_retarget_body(w, from, &w->from, err));
    PELT_TRY(pelti_retarget_body(w, to, &w->to, err));
    PELT_TRY(pelti_retarget_pairs(w, err));
    if (w->pair_count == 0)
        return PELT_FAIL(err, PELT_BAD_INPUT,
                         "no joint of the motion has a pair in the character: neither equal names nor names of the usual rigs");
    tell(w, out);
    out->clips = PELTI_NEW(pool, PeltiClip, from->who->clip_count);
    if (!out->clips)
        return pelti_no_memory(err, sizeof *out->clips);
    for (int c = 0; c < from->who->clip_count; c++) {
        if (from->who->clips[c].channel_count == 0)
            continue;
        PELT_TRY(retarget_clip(w, &from->who->clips[c], pool, &out->clips[out->clip_count], err));
        out->clip_count++;
    }
    return PELT_OK;
}

PeltStatus pelti_retarget(const PeltiRetargetEnd *from, const PeltiRetargetEnd *to, PeltiPool *pool, PeltiRetarget *out,
                          PeltError *err)
{
    PeltiPool work;
    PeltiRetargetWork w = {.pool = &work};
    *out = (PeltiRetarget){0};
    pelti_pool_init(&work, &pool->allocator);
    PeltStatus status = run(&w, from, to, pool, out, err);
    pelti_pool_release(&work);
    return status;
}
