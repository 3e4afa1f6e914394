/// What is told of limbs that a clip takes through others: which were held on their side, how far, when, and which were let go.
#include "contact/give_way_parts.h"

static const char *part_name(const PeltiGiveWay *g, int part)
{
    const PeltiCharacter *who = g->skin.who;
    return who->nodes[who->bones[g->parts.parts[part].bone].node].name;
}

PeltiGiveWaySide *pelti_give_way_kept(PeltiGiveWay *g, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a, i = 0;
    while (i < g->kept.count && !(g->kept.parts[i][0] == low && g->kept.parts[i][1] == high))
        i++;
    if (i < g->kept.count)
        return &g->kept.sides[i];
    if (i == PELTI_MOST_KEPT_SIDES)
        return NULL;
    int small = g->parts.parts[low].area < g->parts.parts[high].area ? low : high, large = small == low ? high : low;
    g->kept.parts[i][0] = low, g->kept.parts[i][1] = high;
    g->kept.sides[i] = (PeltiGiveWaySide){
        .a = part_name(g, small), .b = part_name(g, large), .first = -1, .last = -1, .let_go = -1, .through = -1};
    g->kept.count++;
    return &g->kept.sides[i];
}

/// How far the clip's own pose has the sample of a contact beyond where it is held, along the way in; rest length of part b.
static double beyond(const PeltiGiveWay *g, const GiveContact *c, const Mat34 *back)
{
    Vec3 clip = mat34_apply(*back, pelti_give_way_sample(g, c->sample, g->own.bones_free));
    Vec3 out = vec3_normalize_or(mat34_apply_vector(g->placed.inverse[c->b], c->normal), vec3(0, 1, 0));
    return (double)vec3_dot(vec3_sub(c->home, clip), out);
}

static void note(PeltiGiveWay *g, const GiveContact *c, double way)
{
    PeltiGiveWaySide *told = pelti_give_way_kept(g, c->a, c->b);
    if (!told)
        return;
    Mat34 m = g->own.bones_free[g->parts.parts[c->b].bone];
    double scale = (double)vec3_length(vec3(m.m[0][0], m.m[1][0], m.m[2][0]));
    told->first = told->first < 0 ? g->past.steps : told->first;
    told->steps += told->last != g->past.steps;
    told->last = g->past.steps;
    told->most = fmax(told->most, way * scale / g->size);
}

/// A point on the skin of a part, taken in by more than the part is deep, is past its middle: out is then the other side.
void pelti_give_way_note_held(PeltiGiveWay *g)
{
    Mat34 back = g->own.bones_free[0];
    int of = -1; // the part of `back`
    for (int i = 0; i < g->detection.contact_count; i++) {
        const GiveContact *c = &g->detection.contacts[i];
        if (!(vec3_dot(c->force, c->normal) > 0))
            continue;
        if (of != c->b)
            of = mat34_inverse(g->own.bones_free[g->parts.parts[c->b].bone], &back) ? c->b : -1;
        if (of < 0)
            continue;
        double way = beyond(g, c, &back);
        if (way > (double)g->parts.parts[c->b].field.radius)
            note(g, c, way);
    }
}

int pelti_give_way_side_count(const PeltiGiveWay *g)
{
    return g->kept.count;
}

PeltiGiveWaySide pelti_give_way_side(const PeltiGiveWay *g, int side)
{
    return g->kept.sides[side];
}
