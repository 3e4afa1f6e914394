/// Lets go of a limb that a clip took through another for good: held on its side, it would never come back to its clip.
#include "contact/give_way_parts.h"
#include "contact/constants.def"

/// The clip's own pose has no sample of part a in part b that flesh does not take.
static bool clip_is_free(const PeltiGiveWay *g, int a, int b)
{
    const PeltiContactPart *pa = &g->parts.parts[a], *pb = &g->parts.parts[b];
    Mat34 back;
    if (!pelti_give_way_asks(g, a, b) || !mat34_inverse(g->own.bones_free[pb->bone], &back))
        return true;
    for (int s = pa->first_sample; s < pa->first_sample + pa->sample_count; s++) {
        float phi;
        Vec3 y = mat34_apply(back, pelti_give_way_sample(g, s, g->own.bones_free));
        if (pelti_contact_part_field_at(&pb->field, y, &phi, NULL) && phi < -(g->flesh.crush[a] + g->flesh.crush[b]))
            return false;
    }
    return true;
}

static void note_release(PeltiGiveWay *g, int a, int b, bool begins)
{
    PeltiGiveWaySide *told = pelti_give_way_kept(g, a, b);
    if (told && begins)
        told->let_go = g->past.steps, told->through = -1;
    else if (told)
        told->through = g->past.steps;
}

static void judge(PeltiGiveWay *g, int a, int b, float dt)
{
    GiveSide *side = &g->past.sides[a * g->parts.part_count + b];
    float depth = g->parts.parts[a].field.radius + g->parts.parts[b].field.radius, rate = depth / THROUGH_S;
    bool free = clip_is_free(g, a, b) && clip_is_free(g, b, a);
    side->clear_s = free ? side->clear_s + dt : 0;
    if (side->let > 0 && !side->scratch.inside) {
        *side = (GiveSide){0}; // it is through
        note_release(g, a, b, false);
    } else if (!free) {
        side->let = fmaxf(0, side->let - rate * dt);
    } else if (side->clear_s > PATIENCE_S) {
        if (!(side->let > 0))
            note_release(g, a, b, true);
        side->let += rate * dt;
    }
}

void pelti_give_way_release(PeltiGiveWay *g, double dt_s)
{
    int n = g->parts.part_count;
    bool any = false;
    for (int i = 0; i < n * n && !any; i++)
        any = g->past.sides[i].let > 0 || (g->past.sides[i].held && g->past.sides[i].pushed);
    if (any)
        pelti_pose_bones(g->skin.who, &g->skin.pose.free, g->own.node_matrix_free, g->own.bones_free);
    for (int a = 0; a < n && any; a++)
        for (int b = a + 1; b < n; b++) {
            GiveSide *side = &g->past.sides[a * n + b];
            if (side->let > 0 || (side->held && side->pushed))
                judge(g, a, b, (float)dt_s);
            else
                side->clear_s = 0;
        }
    if (any)
        pelti_give_way_note_held(g);
}
