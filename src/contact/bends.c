/// Tells joints that bend from cuts of a limb that only twist.
#include "contact/bends.h"

#include "character/joints.h"
#include "contact/constants.def"

static Vec3 direction(const PeltiCharacter *who, int bone)
{
    const PeltiBone *b = &who->bones[bone];
    if (b->segment_count == 0)
        return vec3(0, 0, 0);
    const PeltiSkeletonSegment *s = &who->segments[b->segment_first];
    return vec3_normalize_or(vec3_sub(s->b, s->a), vec3(0, 0, 0));
}

static bool goes_on(const PeltiCharacter *who, int bone)
{
    int up = who->bones[bone].parent;
    if (up < 0 || who->bones[bone].is_prop)
        return false;
    Vec3 along = vec3_normalize_or(vec3_sub(who->bones[bone].head, who->bones[up].head), vec3(0, 0, 0));
    return vec3_dot(along, direction(who, bone)) > LIMB_STRAIGHT;
}

/// Marks the joints that this pose bends: how far a bone's direction turns as its parent sees it.
static void mark_bent(const PeltiCharacter *who, const PeltiJoint *joints, bool *bends)
{
    for (int b = 0; b < who->bone_count; b++) {
        Vec3 d = direction(who, b), now = quat_rotate(joints[b].turn, d);
        bends[b] |= who->bones[b].parent >= 0 && vec3_dot(now, d) < LIMB_BENT;
    }
}

PeltStatus pelti_contact_bone_limbs(const PeltiCharacter *who, PeltiPool *work, int *limb, PeltError *err)
{
    bool *bends = PELTI_NEW(work, bool, who->bone_count), any = false;
    PeltiJoint *joints = PELTI_NEW(work, PeltiJoint, who->bone_count);
    PeltiPose pose = pelti_pose_new(work, who);
    if (work->failed)
        return pelti_no_memory(err, (size_t)who->bone_count * sizeof *joints);
    int each = who->clip_count ? MOST_POSES / who->clip_count : 0;
    each = each < 2 ? 2 : each > POSES_A_CLIP ? POSES_A_CLIP : each;
    for (int c = 0; c < who->clip_count && c < MOST_POSES; c++)
        for (int k = 0; k < each; k++) {
            pelti_pose_clip(who, &who->clips[c], (double)who->clips[c].duration_s * (k + 0.5) / each, &pose);
            pelti_joints_pose(who, &pose, joints);
            mark_bent(who, joints, bends);
        }
    for (int b = 0; b < who->bone_count; b++)
        any |= bends[b];
    for (int b = 0; b < who->bone_count; b++)
        limb[b] = any && !bends[b] && goes_on(who, b) ? who->bones[b].parent : b;
    for (int b = 0; b < who->bone_count; b++) // parents may come later: to the start of the line
        for (int up = limb[b]; limb[b] != limb[up]; up = limb[up])
            limb[b] = limb[up];
    return PELT_OK;
}
