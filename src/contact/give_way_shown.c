/// Keeps what contacts ask of joints from being seen to jump, to go too far from the clip, or to show where it mends nothing.
/// Contacts are followed as without all this, so that nothing jumps when a bound is reached or left.
#include "contact/give_way_parts.h"
#include "contact/constants.def"

#include <string.h>

double pelti_give_way_angle(const double turn[3])
{
    return sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
}

/// How far what a joint carries lies from it, at rest.
static void find_reach(PeltiGiveWay *g)
{
    const PeltiCharacter *who = g->skin.who;
    for (int b = 0; b < who->bone_count; b++) {
        int j = g->skin.bone_joint[b];
        if (j < 0 || g->skin.joints[j].node != who->bones[b].node)
            continue;
        Vec3 head = who->bones[b].head;
        memcpy(g->held_back.head[j], (float[3]){head.x, head.y, head.z}, sizeof(float[3]));
    }
    for (int i = 0; i < g->placed.pull_start[g->parts.sample_count]; i++) {
        const GivePull *pull = &g->placed.pulls[i];
        for (int j = g->skin.bone_joint[pull->bone]; j >= 0 && pull->share > REACH_SHARE; j = g->skin.joints[j].parent) {
            const float *head = g->held_back.head[j];
            double far = (double)vec3_distance(pull->rest, vec3(head[0], head[1], head[2]));
            g->held_back.reach[j] = fmax(g->held_back.reach[j], far);
        }
    }
}

PeltStatus pelti_give_way_shown_create(PeltiGiveWay *g, PeltError *err)
{
    GiveHeldBack *h = &g->held_back;
    size_t joints = (size_t)g->skin.joint_count + 1;
    h->turn = pelti_pool_take(&g->pool, joints, sizeof(double[3]));
    h->wanted = pelti_pool_take(&g->pool, joints, sizeof(double[3]));
    h->speed = pelti_pool_take(&g->pool, joints, sizeof(double[3]));
    h->scratch.change = pelti_pool_take(&g->pool, joints, sizeof(double[3]));
    h->scratch.was = pelti_pool_take(&g->pool, joints, sizeof(double[3]));
    h->scratch.tried = pelti_pool_take(&g->pool, joints, sizeof(double[3]));
    h->scratch.pose = (PeltiContactSkinTrial){pelti_pose_new(&g->pool, g->skin.who),
                                              PELTI_NEW(&g->pool, PeltiNodeMatrix, g->skin.who->node_count),
                                              PELTI_NEW(&g->pool, Mat34, g->skin.who->bone_count)};
    h->scratch.turn_share = PELTI_NEW(&g->pool, double, joints);
    h->scratch.change_share = PELTI_NEW(&g->pool, double, joints);
    h->scratch.x = PELTI_NEW(&g->pool, Vec3, g->parts.sample_count);
    h->shown = pelti_pose_new(&g->pool, g->skin.who);
    h->now = pelti_pool_take(&g->pool, joints, sizeof(double[3]));
    h->head = pelti_pool_take(&g->pool, joints, sizeof(float[3]));
    h->reach = PELTI_NEW(&g->pool, double, joints);
    if (g->pool.failed)
        return pelti_no_memory(err, joints * sizeof(double[3]));
    find_reach(g);
    return PELT_OK;
}

/// By how much a joint would change its speed to follow what is wanted: at once where that moves steadily, and without passing it
/// where it stops. Turns in rad, speeds in rad a step, `most`: the change of speed to brake with.
static void wish(GiveHeldBack *h, int j, double most)
{
    double rest[3], gap = 0;
    for (int k = 0; k < 3; k++) {
        rest[k] = h->wanted[j][k] - h->now[j][k]; // what it lags behind
        gap += rest[k] * rest[k];
    }
    gap = sqrt(gap);
    double brake = most * (sqrt(0.25 + 2 * gap / most) - 0.5), share = gap > brake && gap > 0 ? brake / gap : 1;
    for (int k = 0; k < 3; k++)
        h->scratch.change[j][k] = h->turn[j][k] - h->wanted[j][k] + share * rest[k] - h->speed[j][k];
}

/// Shares of the wished changes with which no skin changes its speed, against the clip, by more than `most`.
static void find_change_shares(PeltiGiveWay *g, double most)
{
    GiveHeldBack *h = &g->held_back;
    for (int j = 0; j < g->skin.joint_count; j++) {
        h->scratch.change_share[j] = 1;
        for (int k = 0; k < 3; k++)
            h->scratch.tried[j][k] = h->now[j][k] + h->speed[j][k];
    }
    pelti_contact_skin_try(&g->skin, (const double(*)[3])h->scratch.tried, &h->scratch.pose);
    for (int s = 0; s < g->parts.sample_count; s++)
        h->scratch.x[s] = pelti_give_way_sample(g, s, h->scratch.pose.bones);
    for (int j = 0; j < g->skin.joint_count; j++)
        for (int k = 0; k < 3; k++)
            h->scratch.tried[j][k] += h->scratch.change[j][k];
    pelti_contact_skin_try(&g->skin, (const double(*)[3])h->scratch.tried, &h->scratch.pose);
    for (int s = 0; s < g->parts.sample_count; s++) {
        double moved = (double)vec3_distance(h->scratch.x[s], pelti_give_way_sample(g, s, h->scratch.pose.bones));
        if (moved > most)
            pelti_give_way_bound_chain(g, s, most / moved, h->scratch.change_share);
    }
}

static void follow(PeltiGiveWay *g, double dt_s, bool restart)
{
    GiveHeldBack *h = &g->held_back;
    bool jumps = restart || !(dt_s > 0);
    double most = CALM * g->size * dt_s * dt_s;
    for (int j = 0; j < g->skin.joint_count; j++) {
        if (jumps)
            memcpy(h->now[j], h->turn[j], sizeof(double[3])), memset(h->speed[j], 0, sizeof(double[3]));
        else
            wish(h, j, BRAKE * most / fmax(h->reach[j], LEAST_REACH * g->size));
        memcpy(h->wanted[j], h->turn[j], sizeof(double[3]));
    }
    if (jumps)
        return;
    find_change_shares(g, most);
    for (int j = 0; j < g->skin.joint_count; j++) {
        for (int k = 0; k < 3; k++) {
            h->speed[j][k] += h->scratch.change_share[j] * h->scratch.change[j][k];
            h->scratch.was[j][k] = h->now[j][k];
            h->now[j][k] += h->speed[j][k];
        }
    }
    if (pelti_give_way_limit(g, h->now))
        for (int j = 0; j < g->skin.joint_count; j++)
            for (int k = 0; k < 3; k++)
                h->speed[j][k] = h->now[j][k] - h->scratch.was[j][k];
    for (int j = 0; j < g->skin.joint_count; j++)
        if (!(pelti_give_way_angle(h->now[j]) > UNTURNED) && !(pelti_give_way_angle(h->wanted[j]) > 0)) {
            memset(h->now[j], 0, sizeof(double[3]));
            memset(h->speed[j], 0, sizeof(double[3]));
        }
}

static bool any_turned(const PeltiGiveWay *g, const double (*turn)[3])
{
    for (int j = 0; j < g->skin.joint_count; j++)
        if (turn[j][0] != 0 || turn[j][1] != 0 || turn[j][2] != 0)
            return true;
    return false;
}

const PeltiPose *pelti_give_way_shown(PeltiGiveWay *g, double dt_s, bool restart)
{
    GiveHeldBack *h = &g->held_back;
    for (int j = 0; j < g->skin.joint_count; j++)
        memcpy(h->turn[j], g->skin.joints[j].turn, sizeof(double[3]));
    bool turned = any_turned(g, (const double(*)[3])h->turn);
    if (!turned && !any_turned(g, (const double(*)[3])h->now))
        return &g->skin.pose.free;
    if (turned && !(g->settings.most_moved > 0) && !g->settings.weigh)
        return &g->skin.pose.corrected; // as contacts have it
    pelti_give_way_limit(g, h->turn);
    if (turned && g->settings.weigh)
        pelti_give_way_weigh(g, dt_s, restart);
    follow(g, dt_s, restart || !g->settings.weigh);
    pelti_contact_skin_try(&g->skin, (const double(*)[3])h->now, &h->scratch.pose);
    pelti_pose_copy(g->skin.who, &h->scratch.pose.pose, &h->shown);
    return &h->shown;
}
