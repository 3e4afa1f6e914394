/// Which joint follows which, and what lies between their rest poses.
#include "character/retarget_parts.h"

#include <string.h>

static void add_pair(PeltiRetargetWork *w, PeltiRetargetPair pair)
{
    if (w->pair_of[pair.node] >= 0)
        return;
    pair.is_named =
        !strcmp(pelti_humanoid_short(w->to.who->nodes[pair.node].name), pelti_humanoid_short(w->from.who->nodes[pair.a].name));
    pair.hangs_on = -1;
    w->pair_of[pair.node] = w->pair_count;
    w->pairs[w->pair_count++] = pair;
}

/// A chain of `count` joints on one of another length: joint i of the one, at the share (i + 1) / count of the way out, takes
/// the turn at that share of the other, whose joints are that far out in the same way and whose start is `base`.
static void pair_chain(PeltiRetargetWork *w, PeltiHumanoidPart part, int base)
{
    const PeltiHumanoid *from = &w->from.parts, *to = &w->to.parts;
    int n = from->count[part][0], m = to->count[part][0];
    for (int i = 0; n > 0 && i < m; i++) {
        float at = (float)(i + 1) / (float)m * (float)n - 1; // -1: the base
        int low = (int)floorf(at + 1e-4f);
        float t = at - (float)low;
        t = t < 1e-3f ? 0 : t;
        int a = low < 0 ? base : from->node[part][0][low], b = low + 1 < n ? from->node[part][0][low + 1] : a;
        if (a < 0)
            a = b;
        add_pair(w, (PeltiRetargetPair){.node = to->node[part][0][i], .a = a, .b = b, .t = t, .next = -1});
    }
}

/// Limbs point to the next joint out that both have.
static void pair_limb(PeltiRetargetWork *w, PeltiHumanoidPart part, int side)
{
    static const struct {
        PeltiHumanoidPart part, next[4];
    } outward[] = {
        {PELTI_HUMANOID_UPPER_ARM, {PELTI_HUMANOID_LOWER_ARM, PELTI_HUMANOID_HAND, PELTI_HUMANOID_PARTS}},
        {PELTI_HUMANOID_LOWER_ARM, {PELTI_HUMANOID_HAND, PELTI_HUMANOID_PARTS}},
        {PELTI_HUMANOID_HAND, {PELTI_HUMANOID_MIDDLE, PELTI_HUMANOID_RING, PELTI_HUMANOID_INDEX, PELTI_HUMANOID_PARTS}},
        {PELTI_HUMANOID_UPPER_LEG, {PELTI_HUMANOID_LOWER_LEG, PELTI_HUMANOID_FOOT, PELTI_HUMANOID_PARTS}},
        {PELTI_HUMANOID_LOWER_LEG, {PELTI_HUMANOID_FOOT, PELTI_HUMANOID_PARTS}},
    };
    const PeltiHumanoid *from = &w->from.parts, *to = &w->to.parts;
    int both = from->count[part][side] < to->count[part][side] ? from->count[part][side] : to->count[part][side];
    for (int i = 0; i < both; i++) {
        PeltiRetargetPair pair = {.node = to->node[part][side][i], .a = from->node[part][side][i], .next = -1};
        pair.b = pair.a;
        if (i + 1 < both) {
            pair.next = to->node[part][side][i + 1];
            pair.next_from = from->node[part][side][i + 1];
        }
        for (size_t k = 0; k < sizeof outward / sizeof *outward; k++)
            for (int j = 0; outward[k].part == part && pair.next < 0 && outward[k].next[j] != PELTI_HUMANOID_PARTS; j++) {
                PeltiHumanoidPart next = outward[k].next[j];
                if (from->count[next][side] && to->count[next][side]) {
                    pair.next = to->node[next][side][0];
                    pair.next_from = from->node[next][side][0];
                }
            }
        pair.is_limb = part != PELTI_HUMANOID_CLAVICLE && part != PELTI_HUMANOID_FOOT && part != PELTI_HUMANOID_TOES;
        add_pair(w, pair);
    }
}

static bool is_above(const PeltiCharacter *who, int above, int node)
{
    for (int n = who->nodes[node].parent; n >= 0; n = who->nodes[n].parent)
        if (n == above)
            return true;
    return false;
}

/// Joints that the table does not know but that both have by the same name, as long as they do not carry the hips.
static void pair_by_name(PeltiRetargetWork *w)
{
    const PeltiCharacter *from = w->from.who, *to = w->to.who;
    int hips = w->pair_count && w->to.parts.count[PELTI_HUMANOID_HIPS][0] ? w->to.parts.node[PELTI_HUMANOID_HIPS][0][0] : -1;
    for (int n = 0; n < to->node_count; n++) {
        if (!w->to.usable[n] || w->pair_of[n] >= 0 || (hips >= 0 && is_above(to, n, hips)))
            continue;
        for (int k = 0; k < from->node_count; k++)
            if (w->from.moves[k] && !strcmp(pelti_humanoid_short(to->nodes[n].name), pelti_humanoid_short(from->nodes[k].name))) {
                add_pair(w, (PeltiRetargetPair){.node = n, .a = k, .b = k, .next = -1, .is_limb = hips < 0});
                break;
            }
    }
}

static void sort_pairs(PeltiRetargetWork *w)
{
    PeltiRetargetPair *sorted = PELTI_NEW(w->pool, PeltiRetargetPair, w->pair_count);
    int placed = 0;
    for (int k = 0; sorted && k < w->to.who->node_count; k++) {
        int n = w->to.who->node_order[k];
        if (w->pair_of[n] < 0)
            continue;
        sorted[placed] = w->pairs[w->pair_of[n]];
        w->pair_of[n] = placed++;
    }
    w->pairs = sorted ? sorted : w->pairs;
}

static int pair_above(const PeltiRetargetWork *w, int node)
{
    for (int n = w->to.who->nodes[node].parent; n >= 0; n = w->to.who->nodes[n].parent)
        if (w->pair_of[n] >= 0)
            return w->pair_of[n];
    return -1;
}

/// Without a table joints point to the mean of the pairs below them.
static bool directions(const PeltiRetargetWork *w, const PeltiRetargetPair *pair, Vec3 *own, Vec3 *other)
{
    const PeltiRetargetBody *from = &w->from, *to = &w->to;
    int index = w->pair_of[pair->node];
    *own = *other = vec3(0, 0, 0);
    if (pair->next >= 0) {
        *own = vec3_sub(to->head[pair->next], to->head[pair->node]);
        *other = vec3_sub(from->head[pair->next_from], from->head[pair->a]);
    }
    for (int p = 0; pair->next < 0 && pair->is_named && !pelti_humanoid_is(&w->to.parts) && p < w->pair_count; p++)
        if (pair_above(w, w->pairs[p].node) == index) {
            *own = vec3_add(*own, vec3_sub(to->head[w->pairs[p].node], to->head[pair->node]));
            *other = vec3_add(*other, vec3_sub(from->head[w->pairs[p].a], from->head[pair->a]));
        }
    *own = vec3_normalize_or(*own, vec3(0, 0, 0));
    *other = vec3_normalize_or(quat_rotate(w->facing, *other), vec3(0, 0, 0));
    return vec3_length(*own) > 0.5f && vec3_length(*other) > 0.5f;
}

/// The lower limb that ends in this foot or hand; -1: it is neither.
static int limb_of_goal(const PeltiRetargetWork *w, int node)
{
    static const PeltiHumanoidPart ends[2] = {PELTI_HUMANOID_FOOT, PELTI_HUMANOID_HAND},
                                   limbs[2] = {PELTI_HUMANOID_LOWER_LEG, PELTI_HUMANOID_LOWER_ARM};
    const PeltiHumanoid *parts = &w->to.parts;
    for (int i = 0; i < 4; i++)
        if (parts->count[ends[i / 2]][i % 2] && parts->node[ends[i / 2]][i % 2][0] == node && parts->count[limbs[i / 2]][i % 2])
            return parts->node[limbs[i / 2]][i % 2][0];
    return -1;
}

static void align_pairs(PeltiRetargetWork *w)
{
    for (int p = 0; p < w->pair_count; p++) {
        PeltiRetargetPair *pair = &w->pairs[p];
        int above = pair_above(w, pair->node);
        Vec3 own, other;
        bool trunk = !pair->is_limb && !pair->is_named;
        pair->is_free = above < 0;
        if (above < 0 && w->pair_count > 1)
            pair->hangs_on = limb_of_goal(w, pair->node);
        pair->align = above >= 0 && !trunk ? w->pairs[above].align : quat_identity();
        if (pair->is_limb && directions(w, pair, &own, &other))
            pair->align = quat_from_to(own, other);
        else if (!pair->is_limb && pelti_humanoid_is(&w->to.parts))
            pair->align = quat_identity(); // feet stand flat, trunks upright in any rest pose
    }
}

/// F, from the two bodies' left and up.
static Quat facing(const PeltiRetargetBody *from, const PeltiRetargetBody *to)
{
    if (!from->has_sides || !to->has_sides)
        return quat_identity();
    Mat3 frames[2];
    const PeltiRetargetBody *bodies[2] = {from, to};
    for (int i = 0; i < 2; i++) {
        Vec3 x = bodies[i]->left, y = bodies[i]->up, z = vec3_cross(x, y);
        frames[i] = (Mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    }
    return quat_from_mat3(mat3_mul(frames[1], mat3_transpose(frames[0])));
}

static float leg_length(const PeltiRetargetBody *body)
{
    static const PeltiHumanoidPart way[] = {PELTI_HUMANOID_UPPER_LEG, PELTI_HUMANOID_LOWER_LEG, PELTI_HUMANOID_FOOT};
    float sum = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 2; i++) {
            if (!body->parts.count[way[i]][side] || !body->parts.count[way[i + 1]][side])
                return 0;
            sum +=
                vec3_distance(body->head[body->parts.node[way[i]][side][0]], body->head[body->parts.node[way[i + 1]][side][0]]);
        }
    return sum;
}

/// By the legs; else by how far the paired joints lie from their middle.
static float size_ratio(const PeltiRetargetWork *w)
{
    float legs[2] = {leg_length(&w->from), leg_length(&w->to)};
    if (legs[0] > 0 && legs[1] > 0)
        return legs[1] / legs[0];
    Vec3 middle[2] = {{0}};
    double spread[2] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (int p = 0; p < w->pair_count; p++) {
            Vec3 heads[2] = {w->from.head[w->pairs[p].a], w->to.head[w->pairs[p].node]};
            for (int i = 0; i < 2; i++) {
                if (pass == 0)
                    middle[i] = vec3_mad(middle[i], heads[i], 1.0f / (float)w->pair_count);
                else
                    spread[i] += (double)vec3_distance(heads[i], middle[i]);
            }
        }
    return spread[0] > 1e-12 && spread[1] > 0 ? (float)(spread[1] / spread[0]) : 1;
}

PeltStatus pelti_retarget_pairs(PeltiRetargetWork *w, PeltError *err)
{
    const PeltiHumanoid *from = &w->from.parts, *to = &w->to.parts;
    w->pairs = PELTI_NEW(w->pool, PeltiRetargetPair, w->to.who->node_count);
    w->pair_of = PELTI_NEW(w->pool, int, w->to.who->node_count);
    if (w->pool->failed)
        return pelti_no_memory(err, (size_t)w->to.who->node_count * sizeof *w->pairs);
    for (int n = 0; n < w->to.who->node_count; n++)
        w->pair_of[n] = -1;
    int base = from->count[PELTI_HUMANOID_HIPS][0] ? from->node[PELTI_HUMANOID_HIPS][0][0] : -1;
    if (base >= 0 && to->count[PELTI_HUMANOID_HIPS][0]) // without hips in both, parts of a body are only words
        for (int part = 0; part < PELTI_HUMANOID_PARTS; part++) {
            int spine = from->count[PELTI_HUMANOID_SPINE][0];
            if (part == PELTI_HUMANOID_SPINE || part == PELTI_HUMANOID_HIPS || part == PELTI_HUMANOID_HEAD)
                pair_chain(w, (PeltiHumanoidPart)part, base);
            else if (part == PELTI_HUMANOID_NECK)
                pair_chain(w, PELTI_HUMANOID_NECK, spine ? from->node[PELTI_HUMANOID_SPINE][0][spine - 1] : base);
            else
                for (int side = 0; side < 2; side++)
                    pair_limb(w, (PeltiHumanoidPart)part, side);
        }
    pair_by_name(w);
    sort_pairs(w);
    if (w->pool->failed)
        return pelti_no_memory(err, (size_t)w->pair_count * sizeof *w->pairs);
    w->facing = w->pair_count ? facing(&w->from, &w->to) : quat_identity();
    align_pairs(w);
    w->ratio = size_ratio(w);
    return PELT_OK;
}
