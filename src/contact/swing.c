/// No limb swings much farther than a contact asks: a joint stiffens that takes skin farther than its contacts are taken.
#include "contact/swing.h"
#include "contact/constants.def"

#include <math.h>

enum { WAYS = 14 }; // axes and diagonals

/// The vertices of each bone's own skin that lie farthest out: what swings most is among them, or near.
static void find_tips(PeltiSwing *swing, const PeltiContactSkin *skin)
{
    static const float ways[WAYS][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},   {0, -1, 0}, {0, 0, 1},   {0, 0, -1},  {1, 1, 1},
                                        {1, 1, -1}, {1, -1, 1}, {1, -1, -1}, {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
    const PeltiMesh *mesh = skin->who->mesh;
    const PeltiWeights *w = skin->weights;
    for (int i = 0; i < skin->who->bone_count * WAYS; i++)
        swing->tips[i] = -1;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < w->influences; k++) {
            size_t i = (size_t)v * (size_t)w->influences + (size_t)k;
            if (!(w->weight[i] > SWING_OWN))
                continue;
            for (int d = 0; d < WAYS; d++) {
                int *tip = &swing->tips[w->bone[i] * WAYS + d];
                Vec3 way = vec3(ways[d][0], ways[d][1], ways[d][2]);
                if (*tip < 0 || vec3_dot(mesh->rest[v], way) > vec3_dot(mesh->rest[*tip], way))
                    *tip = v;
            }
        }
}

PeltStatus pelti_swing_init(PeltiSwing *swing, PeltiPool *pool, const PeltiContactSkin *skin, PeltError *err)
{
    const PeltiCharacter *who = skin->who;
    swing->scratch.node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, who->node_count);
    swing->scratch.bones = PELTI_NEW(pool, Mat34, who->bone_count);
    swing->tips = PELTI_NEW(pool, int, who->bone_count *WAYS);
    swing->scratch.asked = PELTI_NEW(pool, double, skin->joint_count + 1);
    swing->scratch.went = PELTI_NEW(pool, double, skin->joint_count + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->bone_count * sizeof(Mat34));
    find_tips(swing, skin);
    return PELT_OK;
}

void pelti_swing_begin(PeltiSwing *swing, const PeltiContactSkin *skin)
{
    swing->scratch.touches = false;
    for (int j = 0; j < skin->joint_count; j++)
        swing->scratch.asked[j] = swing->scratch.went[j] = 0;
}

void pelti_swing_contact(PeltiSwing *swing, const PeltiContactSkin *skin, const PeltiContactTouch *touch)
{
    const PeltiSurfaceSpot *spot = &touch->spot_a;
    const PeltiWeights *w = skin->weights;
    Vec3 by = vec3(0, 0, 0);
    if (!swing->scratch.touches)
        pelti_pose_bones(skin->who, &skin->pose.free, swing->scratch.node_matrix, swing->scratch.bones);
    swing->scratch.touches = true;
    for (int pass = 0; pass < 2; pass++) {
        // along the wall it asks nothing, stick or slide: what friction drags farther than it is pushed is no need of the contact
        double asked = fmax(fabs((double)vec3_dot(by, touch->normal)), 1e-30); // more than 0: something touches
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < w->influences && spot->weight[c] > 0; k++) {
                size_t i = (size_t)spot->vertex[c] * (size_t)w->influences + (size_t)k;
                float share = (float)spot->weight[c] * w->weight[i];
                int bone = w->bone[i], joint = skin->bone_joint[bone];
                Vec3 r = skin->rest[spot->vertex[c]];
                if (!(share > 0))
                    continue;
                if (pass == 0)
                    by = vec3_mad(
                        by, vec3_sub(mat34_apply(skin->pose.bones[bone], r), mat34_apply(swing->scratch.bones[bone], r)), share);
                else if (joint >= 0)
                    swing->scratch.asked[joint] = fmax(swing->scratch.asked[joint], asked);
            }
    }
}

void pelti_swing_end(PeltiSwing *swing, PeltiContactSkin *skin, double alarm)
{
    for (int b = 0; b < skin->who->bone_count && swing->scratch.touches; b++)
        for (int d = 0; d < WAYS; d++) {
            int v = swing->tips[b * WAYS + d], j = skin->bone_joint[b];
            if (v < 0 || j < 0)
                continue;
            Vec3 r = skin->rest[v];
            double by = (double)vec3_distance(mat34_apply(skin->pose.bones[b], r), mat34_apply(swing->scratch.bones[b], r));
            swing->scratch.went[j] = fmax(swing->scratch.went[j], by);
        }
    for (int j = skin->joint_count - 1; j >= 0; j--) {
        PeltiGive *joint = &skin->joints[j];
        if (joint->parent >= 0) {
            swing->scratch.asked[joint->parent] = fmax(swing->scratch.asked[joint->parent], swing->scratch.asked[j]);
            swing->scratch.went[joint->parent] = fmax(swing->scratch.went[joint->parent], swing->scratch.went[j]);
        }
        double asked = fmax(swing->scratch.asked[j], SWING_SMALL * alarm),
               went = swing->scratch.asked[j] > 0 ? swing->scratch.went[j] : 0;
        double ratio = fmin(fmax(went / asked, 1 / SWING_PACE), SWING_PACE);
        joint->firm = joint->told ? 0 : fmin(fmax((1 + joint->firm) * ratio, 1), FIRMEST) - 1;
    }
}
