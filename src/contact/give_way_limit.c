/// Limits how far giving way takes the skin from its clip: a joint at the top of a chain moves what it carries far.
#include "contact/give_way_parts.h"

void pelti_give_way_bound_chain(const PeltiGiveWay *g, int sample, double share, double *shares)
{
    for (int i = g->placed.pull_start[sample]; i < g->placed.pull_start[sample + 1]; i++)
        for (int j = g->skin.bone_joint[g->placed.pulls[i].bone]; j >= 0; j = g->skin.joints[j].parent)
            shares[j] = fmin(shares[j], share);
}

/// Whether turns take anything farther than it may be; what each joint may keep of its turn is g->held_back.scratch.turn_share.
static bool find_shares(PeltiGiveWay *g, const double (*turn)[3], double most)
{
    bool any = false;
    for (int j = 0; j < g->skin.joint_count; j++)
        g->held_back.scratch.turn_share[j] = 1;
    pelti_pose_bones(g->skin.who, &g->skin.pose.free, g->own.node_matrix_free, g->own.bones_free);
    pelti_contact_skin_try(&g->skin, turn, &g->held_back.scratch.pose);
    for (int s = 0; s < g->parts.sample_count; s++) {
        double moved = (double)vec3_distance(pelti_give_way_sample(g, s, g->held_back.scratch.pose.bones),
                                             pelti_give_way_sample(g, s, g->own.bones_free));
        if (!(moved > most))
            continue;
        pelti_give_way_bound_chain(g, s, most / moved, g->held_back.scratch.turn_share);
        any = true;
    }
    return any;
}

bool pelti_give_way_limit(PeltiGiveWay *g, double (*turn)[3])
{
    if (!(g->settings.most_moved > 0) || !find_shares(g, (const double(*)[3])turn, (double)g->settings.most_moved * g->size))
        return false;
    for (int j = 0; j < g->skin.joint_count; j++)
        for (int k = 0; k < 3; k++)
            turn[j][k] *= g->held_back.scratch.turn_share[j];
    return true;
}
