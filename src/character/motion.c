/// Bones between two poses, each turning about its head relative to its parent.
#include "character/motion.h"

PeltiMotion pelti_motion_in(PeltiArena *arena, const PeltiCharacter *who)
{
    return (PeltiMotion){.who = who,
                         .bones = PELTI_TAKE(arena, PeltiMotionBone, who->bone_count + 1),
                         .first = PELTI_TAKE(arena, int, who->node_count + 1),
                         .next = PELTI_TAKE(arena, int, who->bone_count + 1)};
}

void pelti_motion_order(PeltiMotion *motion)
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
            motion->bones[placed++].bone = b;
}

/// The bone's motion in its parent's rest space; in the world's where `parent` is -1.
static Mat34 relative(const Mat34 *bones, int b, int parent)
{
    Mat34 back;
    if (!bones)
        return mat34_identity();
    if (parent < 0 || !mat34_inverse(bones[parent], &back))
        return bones[b];
    return mat34_mul(back, bones[b]);
}

void pelti_motion_set(PeltiMotion *motion, const Mat34 *from, const Mat34 *to)
{
    motion->from = from;
    motion->to = to;
    for (int i = 0; i < motion->who->bone_count; i++) {
        PeltiMotionBone *bone = &motion->bones[i];
        int parent = motion->who->bones[bone->bone].parent;
        Mat34 back;
        if (parent >= 0 && ((from && !mat34_inverse(from[parent], &back)) || (to && !mat34_inverse(to[parent], &back))))
            parent = -1;
        bone->parent = parent;
        for (int end = 0; end < 2; end++) {
            Mat34 m = relative(end ? to : from, bone->bone, parent);
            bone->turn[end] = quat_from_mat3(mat3_polar(mat34_linear(m), &bone->stretch[end]));
            bone->head[end] = mat34_apply(m, motion->who->bones[bone->bone].head);
        }
    }
}

static void copy_end(const PeltiMotion *motion, const Mat34 *end, Mat34 *out)
{
    for (int b = 0; b < motion->who->bone_count; b++)
        out[b] = end ? end[b] : mat34_identity();
}

void pelti_motion_at(const PeltiMotion *motion, float t, Mat34 *out)
{
    if (t <= 0 || t >= 1) {
        copy_end(motion, t <= 0 ? motion->from : motion->to, out);
        return;
    }
    for (int i = 0; i < motion->who->bone_count; i++) {
        const PeltiMotionBone *bone = &motion->bones[i];
        Mat3 stretch = mat3_add(mat3_scale(bone->stretch[0], 1 - t), mat3_scale(bone->stretch[1], t));
        Mat3 linear = mat3_mul(quat_to_mat3(quat_slerp(bone->turn[0], bone->turn[1], t)), stretch);
        Vec3 head = vec3_lerp(bone->head[0], bone->head[1], t);
        Mat34 m = mat34_from(linear, vec3_sub(head, mat3_apply(linear, motion->who->bones[bone->bone].head)));
        out[bone->bone] = bone->parent >= 0 ? mat34_mul(out[bone->parent], m) : m;
    }
}

float pelti_motion_largest_turn(const PeltiMotion *motion)
{
    float most = 0;
    for (int i = 0; i < motion->who->bone_count; i++) {
        const PeltiMotionBone *bone = &motion->bones[i];
        most = fmaxf(most, quat_angle(quat_mul(quat_conjugate(bone->turn[0]), bone->turn[1])));
    }
    return most;
}
