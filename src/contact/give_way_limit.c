/// Limits how far giving way takes the skin from its clip: a joint at the top of a chain moves what it carries far.
#include "contact/give_way_parts.h"

#include <string.h>

/// Bounds the shares of the joints that move a sample: with all of them turned by `share` of their turns it moves by no more than
/// that share of its way, to first order.
static void bound_chain(PeltiGiveWay *g, int sample, double share)
{
    for (int i = g->placed.pull_start[sample]; i < g->placed.pull_start[sample + 1]; i++)
        for (int j = g->skin.bone_joint[g->placed.pulls[i].bone]; j >= 0; j = g->skin.joints[j].parent)
            g->held_back.share[j] = fmin(g->held_back.share[j], share);
}

/// Whether anything moves farther than it may; what each joint may keep of its turn is g->held_back.share.
static bool find_shares(PeltiGiveWay *g, double most)
{
    bool any = false;
    for (int j = 0; j < g->skin.joint_count; j++)
        g->held_back.share[j] = 1;
    pelti_pose_bones(g->skin.who, &g->skin.free, g->own.world_free, g->own.bones_free);
    for (int s = 0; s < g->parts.sample_count; s++) {
        double moved = (double)vec3_distance(g->placed.x[s], pelti_give_way_sample(g, s, g->own.bones_free));
        if (!(moved > most))
            continue;
        bound_chain(g, s, most / moved);
        any = true;
    }
    return any;
}

const PeltiPose *pelti_give_way_limit(PeltiGiveWay *g)
{
    PeltiContactSkin *skin = &g->skin;
    if (!(g->settings.most_moved > 0) || !find_shares(g, (double)g->settings.most_moved * g->size))
        return &skin->corrected;
    for (int j = 0; j < skin->joint_count; j++) {
        memcpy(g->held_back.work[j], skin->joints[j].turn, sizeof(double[3]));
        for (int k = 0; k < 3; k++)
            skin->joints[j].turn[k] *= g->held_back.share[j];
    }
    pelti_contact_skin_pose(skin);
    pelti_pose_copy(skin->who, &skin->corrected, &g->held_back.shown);
    for (int j = 0; j < skin->joint_count; j++)
        memcpy(skin->joints[j].turn, g->held_back.work[j], sizeof(double[3]));
    pelti_contact_skin_pose(skin);
    return &g->held_back.shown;
}
