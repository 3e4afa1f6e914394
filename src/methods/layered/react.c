// Two-way coupling: the reaction of pressed flesh on the skeleton, which the paper leaves as future work (sec. 6), as small turns
// of joints. Where the skeleton alone would make two parts of the skin overlap by `over` (beyond what flesh bears), a turn of
// joint j by w changes the overlap by -g . w with g = (x - head) x n. The joint's own stiffness K pulls back to the animated
// pose: the turns seek the least of  sum K L^2 |w|^2 + mean of over^2,  L the contacts' lever at the joint; a part of the way
// each step.
#include "methods/layered/flesh.h"

#include <string.h>

/// Turns of joints about their heads, parents first: a bone's correction carries all that hangs on it.
void pelti_react_pose(PeltiFlesh *flesh, const Mat34 *bones, Mat34 *out)
{
    for (int i = 0; i < flesh->who->bone_count; i++) {
        int b = flesh->motion.bones[i].bone, parent = flesh->who->bones[b].parent;
        Vec3 head = mat34_apply(bones[b], flesh->who->bones[b].head), w = flesh->turn[b];
        float angle = vec3_length(w);
        Mat3 r = angle > 0 ? quat_to_mat3(quat_axis_angle(vec3_scale(w, 1 / angle), angle)) : mat3_identity();
        Mat34 turn = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
        flesh->turn_chain[b] = parent >= 0 ? mat34_mul(flesh->turn_chain[parent], turn) : turn;
        out[b] = mat34_mul(flesh->turn_chain[b], bones[b]);
    }
}

static bool carries(const PeltiFlesh *flesh, int joint, int bone)
{
    while (bone >= 0 && bone != joint)
        bone = flesh->who->bones[bone].parent;
    return bone == joint;
}

/// Adds to every joint that moves `bone` but not `other` what a push of `over` along `n` at x asks of it.
static void add_push(PeltiFlesh *flesh, int bone, int other, Vec3 x, Vec3 n, float over)
{
    for (int j = bone; j >= 0 && flesh->who->bones[j].parent >= 0 && !carries(flesh, j, other); j = flesh->who->bones[j].parent) {
        Vec3 lever = vec3_sub(x, flesh->joint_now[j]);
        // weighted by the overlap itself: the deepest contacts decide
        flesh->turn_sum[j] = vec3_mad(flesh->turn_sum[j], vec3_cross(lever, n), over * over);
        flesh->turn_lever[j] += over * vec3_dot(lever, lever);
        flesh->turn_weight[j] += over;
    }
}

static int bone_of(const PeltiFlesh *flesh, int slot)
{
    return flesh->bone[(size_t)slot * (size_t)flesh->influences];
}

void pelti_react(PeltiFlesh *flesh)
{
    const float rate = 0.1f, relax = 0.02f, most = 0.5f; // share of the way in a step; of the way back; radians
    int bones = flesh->who->bone_count;
    memset(flesh->turn_sum, 0, sizeof *flesh->turn_sum * (size_t)bones);
    memset(flesh->turn_lever, 0, sizeof *flesh->turn_lever * (size_t)bones);
    memset(flesh->turn_weight, 0, sizeof *flesh->turn_weight * (size_t)bones);
    for (int i = 0; i < flesh->collide.count; i++) {
        const PeltiContact *c = &flesh->collide.contacts[i];
        int second = c->edges ? 2 : 1, p = bone_of(flesh, c->slot[0]), q = bone_of(flesh, c->slot[second]);
        Vec3 gap = {0, 0, 0}, x = pelti_lane(flesh->match.x, c->slot[0], PELTI_SKIN);
        if (!(c->push > 0) || p == q)
            continue;
        for (int k = 0; k < 4; k++)
            gap = vec3_mad(gap, pelti_lane(flesh->goal, c->slot[k], PELTI_SKIN), c->weight[k]);
        float bears = flesh->set.crush * (flesh->depth[c->slot[0]] + flesh->depth[c->slot[second]]);
        float over = -vec3_dot(gap, c->normal) - bears;
        if (!(over > 0))
            continue;
        add_push(flesh, p, q, x, c->normal, over);
        add_push(flesh, q, p, x, vec3_scale(c->normal, -1), over);
    }
    for (int b = 0; b < bones; b++) {
        float weight = flesh->turn_weight[b], K = flesh->set.joint_stiffness * flesh->around[b].joint_stiffness;
        Vec3 *w = &flesh->turn[b];
        if (weight > 0 && flesh->turn_lever[b] > 0) { // w += rate (mean of g over - K L^2 w) / ((1 + K) L^2)
            Vec3 wanted = vec3_scale(flesh->turn_sum[b], 1 / flesh->turn_lever[b]);
            *w = vec3_mad(*w, vec3_sub(wanted, vec3_scale(*w, K)), rate / (1 + K));
        } else {
            *w = vec3_scale(*w, 1 - relax);
        }
        float angle = vec3_length(*w);
        if (angle > most)
            *w = vec3_scale(*w, most / angle);
    }
}
