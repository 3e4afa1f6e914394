/// Derives order, parents and segments of bones from the nodes of a file.
#include "character/skeleton.h"
#include "core/roots.h"
#include "math/order.h"

#include "character/constants.def"

#include <stdlib.h>
#include <string.h>

/// Buckets items by key (stable counting sort): start [key_count + 1], items [item_count]. Keys below 0 are left out.
static void bucket(const int *key, int item_count, int key_count, int *start, int *items)
{
    for (int i = 0; i < item_count; i++)
        if (key[i] >= 0)
            start[key[i] + 1]++;
    for (int k = 0; k < key_count; k++)
        start[k + 1] += start[k];
    for (int i = item_count - 1; i >= 0; i--) // from the end, each bucket's end moving down to its start
        if (key[i] >= 0)
            items[--start[key[i] + 1]] = i;
    for (int k = 0; k < key_count; k++) // every slot now holds its own bucket's start one place too far
        start[k] = start[k + 1];
}

PeltStatus pelti_skeleton_order(PeltiCharacter *who, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    int count = who->node_count, done = 0, children = 0;
    int *order = PELTI_NEW(&who->pool, int, count), *parent = PELTI_NEW(&work, int, count);
    int *start = PELTI_NEW(&work, int, count + 1), *child = PELTI_NEW(&work, int, count);
    if (who->pool.failed || work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, (size_t)count * sizeof(int));
    }
    for (int n = 0; n < count; n++) {
        parent[n] = who->nodes[n].parent;
        if (parent[n] < 0)
            order[done++] = n;
        else
            children++;
    }
    bucket(parent, count, count, start, child);
    start[count] = children;
    for (int k = 0; k < done; k++)
        for (int c = start[order[k]]; c < start[order[k] + 1]; c++)
            order[done++] = child[c];
    pelti_pool_release(&work);
    if (done < count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the node tree has a cycle: %d of %d nodes hang below no root", count - done,
                         count);
    who->node_order = order;
    return PELT_OK;
}

// ---- skeletons: bones joined by skins, and by parents whose bind pose fits ----

/// Head: the joint's place in rest space, from the inverse of the inverse bind.
static void place_heads(PeltiCharacter *who)
{
    for (int b = 0; b < who->bone_count; b++) {
        PeltiBone *bone = &who->bones[b];
        Mat34 to_bone, to_rest;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++)
                to_bone.m[i][j] = (float)bone->rest_to_bone[i][j];
        bone->head = mat34_inverse(to_bone, &to_rest) ? mat34_translation(to_rest) : vec3(0, 0, 0);
    }
}

/// Two bones of different skins belong to one skeleton if their bind poses agree with the file's pose on how far apart they
/// are: a head and a body skinned apart do, nested characters that share nothing but a node do not.
static bool binds_fit(const PeltiCharacter *who, const PeltiNodeMatrix *node_matrix, int a, int b)
{
    const double(*p)[4] = node_matrix[who->bones[a].node].m, (*q)[4] = node_matrix[who->bones[b].node].m;
    double in_file = sqrt((p[0][3] - q[0][3]) * (p[0][3] - q[0][3]) + (p[1][3] - q[1][3]) * (p[1][3] - q[1][3]) +
                          (p[2][3] - q[2][3]) * (p[2][3] - q[2][3]));
    double at_rest = (double)vec3_distance(who->bones[a].head, who->bones[b].head);
    return fabs(in_file - at_rest) <= BINDS_APART * (double)who->mesh->diagonal;
}

enum { ANCESTORS_MOST = 4096 }; ///< how far up a parent is looked for: bounds the time a hostile file can ask for

/// Nearest ancestor node that carries a bone; among several bones there, one of the same group if there is one.
static int ancestor_bone(const PeltiCharacter *who, const int *node_bone, const int *next_bone, int *group, int b,
                         bool same_group)
{
    int looked = 0;
    for (int n = who->nodes[who->bones[b].node].parent; n >= 0 && looked < ANCESTORS_MOST; n = who->nodes[n].parent, looked++) {
        int any = -1;
        for (int c = node_bone[n]; c >= 0 && looked < ANCESTORS_MOST; c = next_bone[c], looked++) {
            if (who->bones[c].is_prop)
                continue;
            if (pelti_root_of(group, c) == pelti_root_of(group, b))
                return c;
            any = any < 0 ? c : any;
        }
        if (any >= 0 && !same_group)
            return any;
    }
    return -1;
}

static void join_skins(const PeltiCharacter *who, int *group)
{
    for (int i = 0; i < who->instance_count; i++)
        for (int k = 1; who->instances[i].skin >= 0 && k < who->instances[i].bone_count; k++)
            pelti_roots_join(group, who->instances[i].bones[0], who->instances[i].bones[k]);
}

PeltStatus pelti_skeleton_bones(PeltiCharacter *who, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    int *group = PELTI_NEW(&work, int, who->bone_count), *next_bone = PELTI_NEW(&work, int, who->bone_count);
    int *node_bone = PELTI_NEW(&work, int, who->node_count);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&work, PeltiNodeMatrix, who->node_count);
    Mat34 *matrix = PELTI_NEW(&work, Mat34, who->bone_count);
    PeltiPose pose = pelti_pose_new(&work, who);
    if (work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, (size_t)who->node_count * sizeof(PeltiNodeMatrix));
    }
    place_heads(who);
    pelti_pose_file(who, &pose);
    pelti_pose_bones(who, &pose, node_matrix, matrix);
    for (int n = 0; n < who->node_count; n++)
        node_bone[n] = -1;
    for (int b = who->bone_count - 1; b >= 0; b--) {
        group[b] = b;
        next_bone[b] = node_bone[who->bones[b].node];
        node_bone[who->bones[b].node] = b;
    }
    join_skins(who, group);
    for (int b = 0; b < who->bone_count; b++) {
        int above = ancestor_bone(who, node_bone, next_bone, group, b, false);
        if (above >= 0 && (who->bones[b].is_prop || binds_fit(who, node_matrix, above, b)))
            pelti_roots_join(group, above, b);
    }
    for (int b = 0; b < who->bone_count; b++) {
        who->bones[b].parent = ancestor_bone(who, node_bone, next_bone, group, b, true);
        who->bones[b].skeleton = pelti_root_of(group, b);
        who->bones[b].is_repeat = node_bone[who->bones[b].node] != b;
    }
    pelti_pool_release(&work);
    return PELT_OK;
}

/// Each bone is walked over twice at most: up to one whose depth is known, and down again.
static void find_depths(const PeltiCharacter *who, int *depth)
{
    for (int b = 0; b < who->bone_count; b++)
        depth[b] = -1;
    for (int b = 0; b < who->bone_count; b++) {
        int at = b, steps = 0;
        for (; at >= 0 && depth[at] < 0; at = who->bones[at].parent)
            steps++;
        int d = (at < 0 ? -1 : depth[at]) + steps;
        for (at = b; at >= 0 && depth[at] < 0; at = who->bones[at].parent)
            depth[at] = d--;
    }
}

PeltStatus pelti_skeleton_by_depth(const PeltiCharacter *who, PeltiPool *work, int *depth, int *order, PeltError *err)
{
    int count = who->bone_count, *start = PELTI_NEW(work, int, count + 1);
    if (!start)
        return pelti_no_memory(err, ((size_t)count + 1) * sizeof *start);
    find_depths(who, depth);
    for (int b = 0; b < count; b++)
        start[depth[b] + 1]++;
    for (int d = 0; d < count; d++)
        start[d + 1] += start[d];
    for (int b = 0; b < count; b++)
        order[start[depth[b]]++] = b;
    return PELT_OK;
}

void pelti_skeleton_moves(const PeltiCharacter *who, bool *moves)
{
    for (int b = 0; b < who->bone_count; b++)
        for (int up = moves[b] ? who->bones[b].parent : -1; up >= 0 && !moves[up]; up = who->bones[up].parent)
            moves[up] = true;
}

// ---- segments ----

float pelti_skeleton_segment_distance2(Vec3 p, Vec3 a, Vec3 b, float *t)
{
    Vec3 along = vec3_sub(b, a), to = vec3_sub(p, a);
    float length2 = vec3_dot(along, along), s = length2 > 0 ? vec3_dot(to, along) / length2 : 0;
    s = s > 0 ? (s < 1 ? s : 1) : 0;
    if (t)
        *t = s;
    Vec3 d = vec3_mad(to, along, -s);
    return vec3_dot(d, d);
}

/// End of a leaf bone that owns `count` points: along their mean direction, to the 90th percentile of their reach. False
/// where they say nothing.
static bool tip_from_points(Vec3 head, const Vec3 *points, int count, float *reach, Vec3 *tip)
{
    double sum[3] = {0};
    if (count < 4)
        return false;
    for (int i = 0; i < count; i++) {
        sum[0] += (double)(points[i].x - head.x);
        sum[1] += (double)(points[i].y - head.y);
        sum[2] += (double)(points[i].z - head.z);
    }
    Vec3 mean = vec3((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count));
    float length = vec3_length(mean);
    if (!(length > 1e-9f))
        return false;
    Vec3 direction = vec3_scale(mean, 1 / length);
    for (int i = 0; i < count; i++)
        reach[i] = vec3_dot(vec3_sub(points[i], head), direction);
    qsort(reach, (size_t)count, sizeof *reach, pelti_float_order);
    float rank = TIP_RANK * (float)(count - 1);
    int below = (int)rank;
    float far = reach[below] + (rank - (float)below) * (below + 1 < count ? reach[below + 1] - reach[below] : 0);
    *tip = vec3_mad(head, direction, fmaxf(far, 0));
    return true;
}

/// Half the parent's length straight on: what a leaf gets when no vertex speaks for it.
static Vec3 tip_straight_on(const PeltiCharacter *who, const PeltiBone *bone)
{
    if (bone->parent < 0)
        return bone->head;
    return vec3_mad(bone->head, vec3_sub(bone->head, who->bones[bone->parent].head), 0.5f);
}

/// Without sane weights every point is held against every segment of its skin: with many of both, every step-th point is
/// enough to say where a leaf ends.
static int owner_step(const PeltiCharacter *who)
{
    const double pairs_most = 2e7; // 0.3 s
    double pairs = 0;
    for (int i = 0; i < who->instance_count; i++)
        pairs += (double)who->instances[i].point_count * (double)who->instances[i].bone_count;
    return who->file_weights_sane ? 1 : 1 + (int)(pairs / pairs_most);
}

/// The bone each point follows: its strongest weight, or without sane weights the nearest of its own skin's segments; -1 for
/// points that are not asked.
static void find_owners(const PeltiCharacter *who, int *owner)
{
    int step = owner_step(who);
    for (int p = 0; p < who->point_count; p++) {
        const PeltiInstance *instance = &who->instances[who->point_instance[p]];
        owner[p] = -1;
        if (p % step)
            continue;
        if (who->file_weights_sane) {
            if (who->bad_rows.bad && who->bad_rows.bad[p])
                continue; // its row is a placeholder still
            owner[p] = who->file_weights.bone[(size_t)p * (size_t)who->file_weights.influences];
            continue;
        }
        float best = INFINITY;
        for (int k = 0; k < instance->bone_count; k++) {
            const PeltiBone *bone = &who->bones[instance->bones[k]];
            for (int s = 0; s < bone->segment_count; s++) {
                const PeltiSkeletonSegment *segment = &who->segments[bone->segment_first + s];
                float d = pelti_skeleton_segment_distance2(who->rest_points[p], segment->a, segment->b, NULL);
                if (d < best) {
                    best = d;
                    owner[p] = segment->bone;
                }
            }
        }
    }
}

/// One segment to each child that is not a prop; leaves get a provisional straight tip.
static void lay_segments(PeltiCharacter *who)
{
    int next = 0;
    for (int b = 0; b < who->bone_count; b++)
        who->bones[b].segment_count = 0;
    for (int b = 0; b < who->bone_count; b++)
        if (who->bones[b].parent >= 0 && !who->bones[b].is_prop)
            who->bones[who->bones[b].parent].segment_count++;
    for (int b = 0; b < who->bone_count; b++) {
        PeltiBone *bone = &who->bones[b];
        bone->segment_first = next;
        next += bone->segment_count ? bone->segment_count : 1;
        if (bone->segment_count == 0) {
            who->segments[bone->segment_first] = (PeltiSkeletonSegment){b, -1, bone->head, tip_straight_on(who, bone)};
            bone->segment_count = -1; // a leaf, while children below are being laid
        } else {
            bone->segment_count = 0;
        }
    }
    for (int b = 0; b < who->bone_count; b++) {
        int parent = who->bones[b].parent;
        if (parent < 0 || who->bones[b].is_prop)
            continue;
        PeltiBone *above = &who->bones[parent];
        who->segments[above->segment_first + above->segment_count++] =
            (PeltiSkeletonSegment){parent, b, above->head, who->bones[b].head};
    }
    for (int b = 0; b < who->bone_count; b++)
        if (who->bones[b].segment_count < 0)
            who->bones[b].segment_count = 1;
    who->segment_count = next;
}

/// Moves each leaf's tip to where the points it owns end.
static void reach_tips(PeltiCharacter *who, const int *start, const int *items, Vec3 *points, float *reach)
{
    for (int b = 0; b < who->bone_count; b++) {
        PeltiBone *bone = &who->bones[b];
        PeltiSkeletonSegment *segment = &who->segments[bone->segment_first];
        int count = start[b + 1] - start[b];
        if (segment->child >= 0)
            continue;
        for (int i = 0; i < count; i++)
            points[i] = who->rest_points[items[start[b] + i]];
        tip_from_points(bone->head, points, count, reach, &segment->b);
    }
}

PeltStatus pelti_skeleton_segments(PeltiCharacter *who, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    who->segments = PELTI_NEW(&who->pool, PeltiSkeletonSegment, 2 * who->bone_count + 1);
    int *owner = PELTI_NEW(&work, int, who->point_count), *items = PELTI_NEW(&work, int, who->point_count);
    int *start = PELTI_NEW(&work, int, who->bone_count + 1);
    Vec3 *points = PELTI_NEW(&work, Vec3, who->point_count);
    float *reach = PELTI_NEW(&work, float, who->point_count);
    if (who->pool.failed || work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(Vec3));
    }
    lay_segments(who);
    find_owners(who, owner);
    int owned = 0;
    for (int p = 0; p < who->point_count; p++)
        owned += owner[p] >= 0;
    bucket(owner, who->point_count, who->bone_count, start, items);
    start[who->bone_count] = owned;
    reach_tips(who, start, items, points, reach);
    pelti_pool_release(&work);
    return PELT_OK;
}
