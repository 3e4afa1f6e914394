/// Bones between two poses, each turning about its head relative to its parent.
#include "character/motion.h"

#include <string.h>

static PeltiMotionEnd end_in(PeltiArena *arena, const PeltiCharacter *who)
{
    return (PeltiMotionEnd){.bones = PELTI_TAKE(arena, Mat34, who->bone_count + 1),
                            .joints = PELTI_TAKE(arena, PeltiJoint, who->bone_count + 1)};
}

PeltiMotion pelti_motion_in(PeltiArena *arena, const PeltiCharacter *who)
{
    return (PeltiMotion){.who = who,
                         .from = end_in(arena, who),
                         .to = end_in(arena, who),
                         .order = PELTI_TAKE(arena, int, who->bone_count + 1),
                         .first = PELTI_TAKE(arena, int, who->node_count + 1),
                         .next = PELTI_TAKE(arena, int, who->bone_count + 1)};
}

void pelti_motion_start(PeltiMotion *motion)
{
    const PeltiCharacter *who = motion->who;
    int placed = 0;
    for (int n = 0; n < who->node_count; n++)
        motion->first[n] = -1;
    for (int b = who->bone_count - 1; b >= 0; b--) {
        motion->next[b] = motion->first[who->bones[b].node];
        motion->first[who->bones[b].node] = b;
    }
    // a parent bone sits on an ancestor node, and nodes are ordered parents first
    for (int i = 0; i < who->node_count; i++)
        for (int b = motion->first[who->node_order[i]]; b >= 0; b = motion->next[b])
            motion->order[placed++] = b;
    pelti_motion_reset(motion);
}

static void set_end(const PeltiMotion *motion, PeltiMotionEnd end, const Mat34 *bones, const PeltiJoint *joints)
{
    memcpy(end.bones, bones, sizeof *bones * (size_t)motion->who->bone_count);
    memcpy(end.joints, joints, sizeof *joints * (size_t)motion->who->bone_count);
}

void pelti_motion_reset(PeltiMotion *motion)
{
    for (int b = 0; b < motion->who->bone_count; b++) {
        motion->from.bones[b] = mat34_identity();
        motion->from.joints[b] =
            (PeltiJoint){.turn = quat_identity(), .head = motion->who->bones[b].head, .stretch = mat3_identity()};
    }
    set_end(motion, motion->to, motion->from.bones, motion->from.joints);
}

void pelti_motion_to(PeltiMotion *motion, const Mat34 *bones, const PeltiJoint *joints)
{
    set_end(motion, motion->to, bones, joints);
}

void pelti_motion_arrive(PeltiMotion *motion)
{
    set_end(motion, motion->from, motion->to.bones, motion->to.joints);
}

void pelti_motion_at(const PeltiMotion *motion, float t, Mat34 *out)
{
    if (t <= 0 || t >= 1) {
        memcpy(out, (t <= 0 ? motion->from : motion->to).bones, sizeof *out * (size_t)motion->who->bone_count);
        return;
    }
    for (int i = 0; i < motion->who->bone_count; i++) {
        int b = motion->order[i], parent = motion->who->bones[b].parent;
        const PeltiJoint *from = &motion->from.joints[b], *to = &motion->to.joints[b];
        Mat3 stretch = mat3_add(mat3_scale(from->stretch, 1 - t), mat3_scale(to->stretch, t));
        Mat3 linear = mat3_mul(quat_to_mat3(quat_slerp(from->turn, to->turn, t)), stretch);
        Vec3 head = vec3_lerp(from->head, to->head, t);
        Mat34 m = mat34_from(linear, vec3_sub(head, mat3_apply(linear, motion->who->bones[b].head)));
        out[b] = parent >= 0 ? mat34_mul(out[parent], m) : m;
    }
}

void pelti_motion_turns(const PeltiMotion *motion, float t, Quat *turns)
{
    for (int b = 0; b < motion->who->bone_count; b++)
        turns[b] = quat_slerp(motion->from.joints[b].turn, motion->to.joints[b].turn, fminf(fmaxf(t, 0), 1));
}

float pelti_motion_largest_turn(const PeltiMotion *motion)
{
    float most = 0;
    for (int b = 0; b < motion->who->bone_count; b++)
        most = fmaxf(most, quat_angle(quat_mul(quat_conjugate(motion->from.joints[b].turn), motion->to.joints[b].turn)));
    return most;
}

void pelti_motion_keep(PeltiMotion *motion, PeltiSnapshot *snapshot)
{
    PELTI_KEEP(snapshot, motion->from.bones, motion->who->bone_count);
    PELTI_KEEP(snapshot, motion->from.joints, motion->who->bone_count);
}
