/// Carries a plan of parting out only if it is good: fewer pairs cross, and nothing tears, turns over or loses its volume.
#include "body/constants.def"
#include "body/parted_parts.h"

#include <string.h>

typedef struct CostLook {
    PeltiParted *l;
    int triangle, cost;
    int enough; // a cost at which nobody asks further
} CostLook;

static PeltiBox box_of(const PeltiParted *l, int triangle)
{
    const int *t = l->mesh->triangles[triangle];
    return (PeltiBox){vec3_min(vec3_min(l->x[t[0]], l->x[t[1]]), l->x[t[2]]),
                      vec3_max(vec3_max(l->x[t[0]], l->x[t[1]]), l->x[t[2]])};
}

/// A pair that rest does not explain counts twice: the others are skin that slides, but more of them is worse, too.
static int cost_of_tag(int tag)
{
    return tag == PELTI_CROSSES_SUNK ? 1 : 2;
}

static void add_pair(CostLook *look, int other)
{
    PeltiParted *l = look->l;
    if (!pelti_crossings_may(l->crossings, look->triangle, other) ||
        !pelti_crossings_deep(l->crossings, l->x, look->triangle, other))
        return;
    int tag = pelti_crossings_tag(l->crossings, look->triangle, other);
    look->cost += cost_of_tag(tag);
    if (l->attempt.hit_count < l->crossings->deep_capacity)
        l->attempt.hit[l->attempt.hit_count++] = (PeltiPair){look->triangle, other, tag};
}

static bool look_at(void *context, int other)
{
    CostLook *look = context;
    if (!look->l->attempt.is_touched[other])
        add_pair(look, other);
    return look->cost < look->enough;
}

/// After a try: pairs of what was touched, with the rest, which is where the tree has it, and among itself.
static int cost_after(PeltiParted *l, int enough)
{
    CostLook look = {.l = l, .enough = enough};
    l->attempt.hit_count = 0;
    for (int i = 0; i < l->attempt.touched_count && look.cost < enough; i++) {
        look.triangle = l->attempt.touched[i];
        l->attempt.box[i] = box_of(l, look.triangle);
        pelti_box_tree_visit(l->crossings->tree, &l->attempt.box[i], 0, look_at, &look);
        for (int k = 0; k < i && look.cost < enough; k++)
            if (pelti_box_overlap(&l->attempt.box[k], &l->attempt.box[i], 0))
                add_pair(&look, l->attempt.touched[k]);
    }
    return look.cost;
}

static bool has_touched(const PeltiParted *l, const PeltiPair *pair)
{
    return l->attempt.is_touched[pair->a] || l->attempt.is_touched[pair->b];
}

static int cost_before(const PeltiParted *l, int *pairs)
{
    int cost = 0;
    *pairs = 0;
    for (int i = 0; i < l->crossings->deep_count; i++)
        if (has_touched(l, &l->crossings->deep[i])) {
            cost += cost_of_tag(l->crossings->deep[i].tag);
            ++*pairs;
        }
    return cost;
}

/// What was touched crosses what it was found to, and nothing else.
static void list_hits(PeltiParted *l)
{
    PeltiCrossings *c = l->crossings;
    int kept = 0;
    for (int i = 0; i < c->deep_count; i++)
        if (!has_touched(l, &c->deep[i]))
            c->deep[kept++] = c->deep[i];
    for (int i = 0; i < l->attempt.hit_count && kept < c->deep_capacity; i++)
        c->deep[kept++] = l->attempt.hit[i];
    c->deep_count = kept;
}

static bool edge_torn(const PeltiParted *l, int e)
{
    int a = l->mesh->edges[e][0], b = l->mesh->edges[e][1];
    float now = vec3_distance(l->x[a], l->x[b]);
    return now > PARTED_TORN * l->length[e] && now > PARTED_BEYOND * vec3_distance(l->shown[a], l->shown[b]);
}

/// Faces away from what is around it, and from where its bone has it.
static bool stands_out(const PeltiParted *l, const Vec3 *x, int t)
{
    Vec3 around = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (l->turned.across[t][k] >= 0)
            around = vec3_add(around, pelti_triangle_normal(x, l->mesh->triangles[l->turned.across[t][k]]));
    const int *c = l->mesh->triangles[t];
    Vec3 now = pelti_triangle_normal(x, c);
    if (vec3_dot(around, now) >= 0)
        return false;
    Vec3 by_bone = mat34_apply_vector(l->bones[l->pieces->label[c[0]]], pelti_triangle_normal(l->mesh->rest, c));
    return vec3_dot(by_bone, now) < 0;
}

static bool stands_out_anew(const PeltiParted *l, int t)
{
    return stands_out(l, l->x, t) && !stands_out(l, l->shown, t);
}

static bool turned_over(const PeltiParted *l, int t)
{
    Vec3 before = pelti_triangle_normal(l->shown, l->mesh->triangles[t]),
         now = pelti_triangle_normal(l->x, l->mesh->triangles[t]);
    return vec3_dot(before, now) < PARTED_UPRIGHT * vec3_length(before) * vec3_length(now) || stands_out_anew(l, t);
}

/// A triangle that stays may be turned over by those around it.
static bool turns_neighbours(const PeltiParted *l, int t)
{
    for (int k = 0; k < 3; k++) {
        int other = l->turned.across[t][k];
        if (other >= 0 && !l->attempt.is_touched[other] && stands_out_anew(l, other))
            return true;
    }
    return false;
}

/// Six times the signed volume below triangle t, seen from a fixed place of its component.
static double volume_below(const PeltiParted *l, const Vec3 *x, int t)
{
    const int *c = l->mesh->triangles[t];
    Vec3 o = l->shown[l->pieces->vertex[l->pieces->start[l->mesh->component[c[0]]]]];
    return (double)vec3_dot(vec3_sub(x[c[0]], o), vec3_cross(vec3_sub(x[c[1]], o), vec3_sub(x[c[2]], o)));
}

void pelti_parted_volumes(PeltiParted *l)
{
    memset(l->volumes.as_shown, 0, (size_t)l->mesh->component_count * sizeof *l->volumes.as_shown);
    for (int t = 0; t < l->mesh->triangle_count; t++)
        l->volumes.as_shown[l->mesh->component[l->mesh->triangles[t][0]]] += volume_below(l, l->shown, t);
}

/// A closed piece may lose or gain a little by parting, or be about as large as blending makes it.
static bool bearable(const PeltiParted *l, int c, double change)
{
    double rest = l->volumes.rest[c];
    if (rest == 0 || change == 0)
        return true;
    if (l->blended->rest[c] == 0) // flat
        return fabs(change) <= PARTED_VOLUME * fabs(rest);
    double asked = l->blended->asked[c] / rest, before = pelti_lean_volume_harm(l->volumes.as_shown[c] / rest, asked);
    return pelti_lean_volume_harm((l->volumes.as_shown[c] + change) / rest, asked) <= fmax(LEAN_VOLUME_KEPT, before);
}

static bool is_sound(PeltiParted *l, const double *before)
{
    for (int i = 0; i < l->attempt.touched_count; i++) {
        int t = l->attempt.touched[i];
        if (turned_over(l, t) || turns_neighbours(l, t))
            return false;
        for (int k = 0; k < 3; k++)
            if (edge_torn(l, l->mesh->triangle_edges[t][k]))
                return false;
        l->volumes.trying[l->mesh->component[l->mesh->triangles[t][0]]] += volume_below(l, l->x, t);
    }
    for (int c = 0; c < l->mesh->component_count; c++)
        if (!bearable(l, c, before[c] + l->volumes.trying[c]))
            return false;
    return true;
}

static void touch_triangles(PeltiParted *l)
{
    const PeltiMesh *mesh = l->mesh;
    memset(l->attempt.is_touched, 0, (size_t)mesh->triangle_count * sizeof *l->attempt.is_touched);
    memset(l->volumes.trying, 0, (size_t)mesh->component_count * sizeof *l->volumes.trying);
    l->attempt.touched_count = 0;
    for (int i = 0; i < l->attempt.push_count; i++)
        for (int k = mesh->fan_start[l->attempt.push[i].vertex]; k < mesh->fan_start[l->attempt.push[i].vertex + 1]; k++) {
            int t = mesh->fan[k];
            if (l->attempt.is_touched[t])
                continue;
            l->attempt.is_touched[t] = true;
            l->attempt.touched[l->attempt.touched_count++] = t;
            l->volumes.trying[mesh->component[mesh->triangles[t][0]]] -= volume_below(l, l->x, t);
        }
}

static void show_pushes(PeltiParted *l, bool pushed)
{
    for (int i = 0; i < l->attempt.push_count; i++)
        l->x[l->attempt.push[i].vertex] =
            pushed ? vec3_add(l->attempt.push[i].from, l->attempt.push[i].by) : l->attempt.push[i].from;
}

bool pelti_parted_try(PeltiParted *l, PeltiJobs *jobs)
{
    touch_triangles(l);
    show_pushes(l, true);
    int pairs, before = cost_before(l, &pairs);
    bool good = is_sound(l, l->volumes.change) && cost_after(l, before) < before && l->attempt.hit_count <= pairs;
    if (!good) {
        show_pushes(l, false);
        return false;
    }
    for (int c = 0; c < l->mesh->component_count; c++)
        l->volumes.change[c] += l->volumes.trying[c];
    list_hits(l);
    pelti_crossings_refit(l->crossings, l->x, jobs);
    return true;
}

/// Triangles that l->start moves, and those across their edges: others are as they are shown. Lists what it moves in
/// l->scratch.queue and returns how many.
static int touch_started(PeltiParted *l)
{
    const PeltiMesh *mesh = l->mesh;
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (l->start[v].x != 0 || l->start[v].y != 0 || l->start[v].z != 0)
            l->scratch.queue[count++] = v;
    pelti_lean_turned_list(&l->turned, l->scratch.queue, count);
    memset(l->attempt.is_touched, 0, (size_t)mesh->triangle_count * sizeof *l->attempt.is_touched);
    for (int i = 0; i < l->turned.list_count; i++) {
        int t = l->turned.list[i];
        l->attempt.is_touched[t] = true;
        for (int k = 0; k < 3; k++)
            if (l->turned.across[t][k] >= 0)
                l->attempt.is_touched[l->turned.across[t][k]] = true;
    }
    return count;
}

/// Marks in l->scratch.seen the corners of what is torn or turned over; returns how many triangles are.
static int find_wrong(PeltiParted *l)
{
    const PeltiMesh *mesh = l->mesh;
    int wrong = 0;
    memset(l->scratch.seen, 0, (size_t)mesh->vertex_count * sizeof *l->scratch.seen);
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (!l->attempt.is_touched[t])
            continue;
        bool bad = turned_over(l, t);
        for (int k = 0; k < 3; k++)
            bad |= edge_torn(l, mesh->triangle_edges[t][k]);
        for (int k = 0; k < 12 && bad; k++) { // and those around it, which may have turned it over
            int around = k < 3 ? t : l->turned.across[t][k / 3 - 1];
            if (around >= 0)
                l->scratch.seen[mesh->triangles[around][k % 3]] = true;
        }
        wrong += bad;
    }
    return wrong;
}

/// What x changes of the volumes that `shown` has. False: by more than a piece bears.
static bool find_change(PeltiParted *l)
{
    const PeltiMesh *mesh = l->mesh;
    bool all = true;
    memset(l->volumes.change, 0, (size_t)mesh->component_count * sizeof *l->volumes.change);
    for (int t = 0; t < mesh->triangle_count; t++)
        if (l->attempt.is_touched[t])
            l->volumes.change[mesh->component[mesh->triangles[t][0]]] += volume_below(l, l->x, t) - volume_below(l, l->shown, t);
    for (int c = 0; c < mesh->component_count; c++)
        all &= bearable(l, c, l->volumes.change[c]);
    return all;
}

void pelti_parted_calm(PeltiParted *l)
{
    const PeltiMesh *mesh = l->mesh;
    int moved = touch_started(l);
    for (int v = 0; v < mesh->vertex_count; v++)
        l->x[v] = vec3_add(l->shown[v], l->start[v]);
    for (int pass = 0; pass < PARTED_PASSES && find_wrong(l); pass++)
        for (int i = 0; i < moved; i++) {
            int v = l->scratch.queue[i];
            if (l->scratch.seen[v])
                l->start[v] = vec3_scale(l->start[v], pass < PARTED_PASSES - 1 ? 0.5f : 0);
            if (pass < PARTED_PASSES - 1)
                l->x[v] = vec3_add(l->shown[v], l->start[v]);
        }
    for (int pass = 0; pass < PARTED_PASSES && !find_change(l); pass++)
        for (int i = 0; i < moved; i++) {
            int v = l->scratch.queue[i], c = mesh->component[v];
            if (bearable(l, c, l->volumes.change[c]))
                continue;
            l->start[v] = vec3_scale(l->start[v], pass < PARTED_PASSES - 1 ? 0.5f : 0);
            l->x[v] = vec3_add(l->shown[v], l->start[v]);
        }
    find_change(l);
}
