/// A skeleton at rest: where its joints are, how they are turned, where its left and its up are.
#include "character/constants.def"
#include "character/pose_math.h"
#include "character/retarget_parts.h"

#include <string.h>

static Quat turn_of(double m[3][4])
{
    Mat3 linear;
    for (int i = 0; i < 9; i++)
        linear.m[i / 3][i % 3] = (float)m[i / 3][i % 3];
    return quat_from_mat3(mat3_polar(linear, NULL));
}

/// A turn near one that maps axes to axes becomes that one.
static Mat3 snap(Mat3 r)
{
    Mat3 out = {{{0}}};
    for (int i = 0; i < 3; i++) {
        int most = 0;
        for (int j = 1; j < 3; j++)
            most = fabsf(r.m[i][j]) > fabsf(r.m[i][most]) ? j : most;
        if (fabsf(r.m[i][most]) < RETARGET_SNAP)
            return r;
        out.m[i][most] = r.m[i][most] > 0 ? 1 : -1;
    }
    return mat3_det(out) > 0.5f ? out : r;
}

/// The turn and shift that take rest space to the world: the mean of what bones do to it in the file's pose.
static Mat34 rest_to_world(const PeltiCharacter *who, const PeltiNodeMatrix *node_matrix)
{
    Mat3 sum = {{{0}}};
    int top = -1;
    for (int b = 0; b < who->bone_count; b++) {
        PeltiBone *bone = &who->bones[b];
        double m[3][4], node[3][4];
        if (bone->is_prop)
            continue;
        top = top < 0 && bone->parent < 0 ? b : top;
        memcpy(node, node_matrix[bone->node].m, sizeof node);
        mat34_mul_double(node, bone->rest_to_bone, m);
        sum = mat3_add(sum, quat_to_mat3(turn_of(m)));
    }
    Mat3 turn = top >= 0 ? snap(mat3_polar(sum, NULL)) : mat3_identity();
    if (top < 0)
        return mat34_identity();
    const PeltiNodeMatrix *at = &node_matrix[who->bones[top].node];
    Vec3 place = vec3((float)at->m[0][3], (float)at->m[1][3], (float)at->m[2][3]);
    return mat34_from(turn, vec3_sub(place, mat3_apply(turn, who->bones[top].head)));
}

/// Bones stand as they were bound, all else as the file has it against what it hangs on.
static bool place_at_rest(PeltiPool *pool, PeltiRetargetBody *body)
{
    const PeltiCharacter *who = body->who;
    PeltiPose pose = pelti_pose_new(pool, who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, who->node_count),
                    *rest = PELTI_NEW(pool, PeltiNodeMatrix, who->node_count);
    int *bone_of = PELTI_NEW(pool, int, who->node_count);
    if (pool->failed)
        return false;
    pelti_pose_file(who, &pose);
    for (int k = 0; k < who->node_count; k++) {
        pelti_pose_node_matrix(who, &pose, who->node_order[k], node_matrix);
        bone_of[k] = -1;
    }
    for (int b = who->bone_count - 1; b >= 0; b--)
        if (!who->bones[b].is_prop)
            bone_of[who->bones[b].node] = b;
    Mat34 to_world = rest_to_world(who, node_matrix);
    double g[3][4], local[3][4];
    for (int i = 0; i < 12; i++)
        g[i / 4][i % 4] = (double)to_world.m[i / 4][i % 4];
    for (int k = 0; k < who->node_count; k++) {
        int n = who->node_order[k], parent = who->nodes[n].parent;
        pelti_pose_local(who, &pose, n, local);
        if (bone_of[n] >= 0)
            mat34_mul_double(g, who->bones[bone_of[n]].bone_to_rest, rest[n].m);
        else if (parent >= 0)
            mat34_mul_double(rest[parent].m, local, rest[n].m);
        else
            memcpy(rest[n].m, local, sizeof local);
        body->turn[n] = turn_of(rest[n].m);
        body->head[n] = vec3((float)rest[n].m[0][3], (float)rest[n].m[1][3], (float)rest[n].m[2][3]);
    }
    return true;
}

/// Where there are skins: joints, what they hang on and what hangs on them.
static void mark_usable(PeltiRetargetBody *body)
{
    const PeltiCharacter *who = body->who;
    bool any = false;
    for (int b = 0; b < who->bone_count; b++)
        for (int n = who->bones[b].is_prop ? -1 : who->bones[b].node; n >= 0 && !body->usable[n]; n = who->nodes[n].parent)
            any = body->usable[n] = true;
    for (int k = 0; k < who->node_count; k++) {
        int n = who->node_order[k], parent = who->nodes[n].parent;
        body->usable[n] = body->usable[n] || !any || (parent >= 0 && body->usable[parent]);
    }
}

static void mark_moving(PeltiRetargetBody *body)
{
    for (int c = 0; c < body->who->clip_count; c++)
        for (int k = 0; k < body->who->clips[c].channel_count; k++) {
            const PeltiChannel *channel = &body->who->clips[c].channels[k];
            if (channel->path == PELTI_CHANNEL_ROTATION || channel->path == PELTI_CHANNEL_TRANSLATION)
                body->moves[channel->node] = true;
            body->slides[channel->node] = body->slides[channel->node] || channel->path == PELTI_CHANNEL_TRANSLATION;
        }
}

/// The axis nearest to v, where one is near; v itself else.
static Vec3 snap_axis(Vec3 v)
{
    const float c[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++)
        if (fabsf(c[k]) > RETARGET_SNAP_AXIS) {
            float s = c[k] > 0 ? 1 : -1;
            return vec3(k == 0 ? s : 0, k == 1 ? s : 0, k == 2 ? s : 0);
        }
    return v;
}

/// Up from the hips to the head, left from leg to leg or arm to arm.
static void find_sides(PeltiRetargetBody *body)
{
    static const PeltiHumanoidPart ups[] = {PELTI_HUMANOID_HEAD, PELTI_HUMANOID_NECK, PELTI_HUMANOID_SPINE},
                                   lefts[] = {PELTI_HUMANOID_UPPER_LEG, PELTI_HUMANOID_UPPER_ARM, PELTI_HUMANOID_CLAVICLE,
                                              PELTI_HUMANOID_FOOT, PELTI_HUMANOID_HAND};
    const PeltiHumanoid *parts = &body->parts;
    Vec3 up = {0}, left = {0};
    for (size_t i = 0; i < sizeof ups / sizeof *ups && vec3_length(up) == 0; i++)
        if (parts->count[PELTI_HUMANOID_HIPS][0] && parts->count[ups[i]][0])
            up = vec3_sub(body->head[parts->node[ups[i]][0][parts->count[ups[i]][0] - 1]],
                          body->head[parts->node[PELTI_HUMANOID_HIPS][0][0]]);
    for (size_t i = 0; i < sizeof lefts / sizeof *lefts && vec3_length(left) == 0; i++)
        if (parts->count[lefts[i]][0] && parts->count[lefts[i]][1])
            left = vec3_sub(body->head[parts->node[lefts[i]][0][0]], body->head[parts->node[lefts[i]][1][0]]);
    body->up = snap_axis(vec3_normalize_or(up, vec3(0, 0, 0)));
    left = vec3_mad(left, body->up, -vec3_dot(left, body->up));
    body->left = snap_axis(vec3_normalize_or(left, vec3(0, 0, 0)));
    body->left = vec3_normalize_or(vec3_mad(body->left, body->up, -vec3_dot(body->left, body->up)), vec3(0, 0, 0));
    body->has_sides = vec3_length(body->up) > 0.5f && vec3_length(body->left) > 0.5f;
}

PeltStatus pelti_retarget_body(PeltiRetargetWork *w, const PeltiRetargetEnd *end, PeltiRetargetBody *body, PeltError *err)
{
    const PeltiCharacter *who = end->who;
    *body = (PeltiRetargetBody){.who = who,
                                .usable = PELTI_NEW(w->pool, bool, who->node_count),
                                .turn = PELTI_NEW(w->pool, Quat, who->node_count),
                                .head = PELTI_NEW(w->pool, Vec3, who->node_count),
                                .moves = PELTI_NEW(w->pool, bool, who->node_count),
                                .slides = PELTI_NEW(w->pool, bool, who->node_count)};
    if (w->pool->failed || !place_at_rest(w->pool, body))
        return pelti_no_memory(err, (size_t)who->node_count * sizeof(PeltiNodeMatrix));
    mark_usable(body);
    mark_moving(body);
    body->parts = pelti_humanoid_find(who, end->said, body->usable);
    find_sides(body);
    return PELT_OK;
}
