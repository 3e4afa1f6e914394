/// Limits of joints that a rig gives: `twist` about the bone, `bend` across it, both away from the file's pose.
#include "distil/constants.def"
#include "distil/distilled.h"
#include "distil/poses.h"

static const float RADIANS = 0.017453292519943295f; ///< a degree

/// Along the bone, rest space: its longest segment.
static Vec3 along_bone(const PeltiCharacter *who, const PeltiBone *bone)
{
    Vec3 along = vec3(0, 0, 0);
    for (int i = 0; i < bone->segment_count; i++) {
        const PeltiSkeletonSegment *segment = &who->segments[bone->segment_first + i];
        Vec3 this = vec3_sub(segment->b, segment->a);
        along = vec3_length(this) > vec3_length(along) ? this : along;
    }
    return vec3_normalize_or(along, vec3(0, 1, 0));
}

/// Which of a joint's axes lies along the bone; -1: none does.
static int twisting(const PeltiDistilPoseJoint *joint)
{
    for (int a = 0; a < 3; a++)
        if (fabsf(vec3_dot(joint->axis[a], joint->bone_axis)) > TWIST_ALIKE)
            return a;
    return -1;
}

/// The strongest axis that does not lie along the bone, to the side the joint bends farther to.
static int find_bend(PeltiDistilPoseJoint *joint)
{
    int a = twisting(joint) == 0 ? 1 : 0;
    Vec3 across = vec3_mad(joint->axis[a], joint->bone_axis, -vec3_dot(joint->axis[a], joint->bone_axis));
    float sign = joint->most[2 * a] >= joint->most[2 * a + 1] ? 1 : -1;
    joint->bend_axis = vec3_scale(vec3_normalize_or(across, joint->axis[a]), sign);
    return a;
}

/// How far the joint is drawn along one axis: to what is given, to the side that the axis of the limits has.
static void reach(PeltiDistilPoseJoint *joint, int a, Vec3 towards, const float given[2])
{
    int same = vec3_dot(joint->axis[a], towards) >= 0 ? 0 : 1;
    joint->most[2 * a + same] = fmaxf(given[1], 0);
    joint->most[2 * a + 1 - same] = fmaxf(-given[0], 0);
}

static void take(PeltiDistilPoseJoint *joint, const PeltRigJoint *given)
{
    int bend = find_bend(joint), twist = twisting(joint);
    for (int i = 0; i < 2 && given->has_bend_limits; i++)
        joint->bend[i] = given->bend_limits_deg[i] * RADIANS;
    for (int i = 0; i < 2 && given->has_twist_limits; i++)
        joint->twist[i] = given->twist_limits_deg[i] * RADIANS;
    if (given->has_bend_limits)
        reach(joint, bend, joint->bend_axis, joint->bend);
    if (given->has_twist_limits && twist >= 0)
        reach(joint, twist, joint->bone_axis, joint->twist);
}

void pelti_distil_limits(PeltiDistilPoses *poses, const PeltRig *rig)
{
    const PeltiCharacter *who = poses->who;
    for (int j = 0; j < poses->joint_count; j++) {
        PeltiDistilPoseJoint *joint = &poses->joints[j];
        const PeltiNode *node = &who->nodes[joint->node];
        const PeltRigJoint *given = pelt_rig_joint(rig, node->name);
        joint->bend[0] = joint->twist[0] = -INFINITY;
        joint->bend[1] = joint->twist[1] = INFINITY;
        if (!given)
            continue;
        Vec3 own = quat_rotate(who->bones[joint->bone].bind_turn, along_bone(who, &who->bones[joint->bone]));
        joint->bone_axis = quat_rotate(quat_normalize(node->trs.rotation), own);
        take(joint, given);
    }
}

static float between(float x, const float range[2])
{
    return fminf(fmaxf(x, range[0]), range[1]);
}

/// turn = swing * twist: the twist between its limits, the swing no farther than the larger of its limits, and between them about
/// the axis it bends about.
static Quat kept(const PeltiDistilPoseJoint *joint, Vec3 r)
{
    Quat turn = quat_axis_angle(vec3_normalize_or(r, vec3(1, 0, 0)), vec3_length(r));
    Quat about = pelti_distil_twist(turn, joint->bone_axis);
    Vec3 swing = pelti_distil_rotation_vector(quat_mul(turn, quat_conjugate(about)));
    float twist = vec3_dot(pelti_distil_rotation_vector(about), joint->bone_axis), bend = vec3_dot(swing, joint->bend_axis);
    float most = fmaxf(fabsf(joint->bend[0]), fabsf(joint->bend[1]));
    swing = vec3_mad(swing, joint->bend_axis, between(bend, joint->bend) - bend);
    if (vec3_length(swing) > most) { // what it turns aside gives way first
        bend = vec3_dot(swing, joint->bend_axis);
        Vec3 aside = vec3_mad(swing, joint->bend_axis, -bend);
        float room = sqrtf(fmaxf(most * most - bend * bend, 0));
        swing = vec3_mad(vec3_scale(vec3_normalize_or(aside, vec3(0, 0, 0)), room), joint->bend_axis, bend);
    }
    Quat bent = quat_axis_angle(vec3_normalize_or(swing, vec3(1, 0, 0)), vec3_length(swing));
    return quat_mul(bent, quat_axis_angle(joint->bone_axis, between(twist, joint->twist)));
}

void pelti_distil_keep_to_limits(const PeltiDistilPoses *poses, PeltiPose *pose)
{
    for (int j = 0; j < poses->joint_count; j++) {
        const PeltiDistilPoseJoint *joint = &poses->joints[j];
        if (isinf(joint->bend[1]) && isinf(joint->twist[1]))
            continue;
        Quat file = quat_normalize(poses->who->nodes[joint->node].trs.rotation);
        Quat turn = kept(joint, pelti_distil_away(poses->who, pose, joint->node));
        pose->local[joint->node].rotation = quat_normalize(quat_mul(turn, file));
        pose->touched[joint->node] = true;
    }
}
