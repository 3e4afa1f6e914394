/// Finds and assembles the contacts of a skin with its own other parts, and remembers sides [Duriez2008].
#include "contact/give_way_parts.h"
#include "contact/constants.def"
#include "math/lanes.h"

#include <string.h>

// ---- places ----

Vec3 pelti_give_way_sample(const PeltiGiveWay *g, int sample, const Mat34 *bones)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int i = g->placed.pull_start[sample]; i < g->placed.pull_start[sample + 1]; i++)
        sum = vec3_mad(sum, mat34_apply(bones[g->placed.pulls[i].bone], g->placed.pulls[i].rest), g->placed.pulls[i].share);
    return sum;
}

/// The same from matrices by columns, to the bit.
static Vec3 sample_wide(const PeltiGiveWay *g, int sample)
{
    PeltiFloat4 sum = {0, 0, 0, 0};
    for (int i = g->placed.pull_start[sample]; i < g->placed.pull_start[sample + 1]; i++) {
        const GivePull *pull = &g->placed.pulls[i];
        PeltiFloat4 c[4];
        memcpy(c, g->skin.scratch.columns[pull->bone], sizeof c);
        sum += (c[0] * pull->rest.x + c[1] * pull->rest.y + c[2] * pull->rest.z + c[3]) * pull->share;
    }
    return vec3(sum[0], sum[1], sum[2]);
}

static void place_parts(void *context, int begin, int end, int worker)
{
    PeltiGiveWay *g = context;
    (void)worker;
    for (int p = begin; p < end; p++) {
        const PeltiContactPart *part = &g->parts.parts[p];
        const PeltiContactPartField *f = &part->field;
        if (!pelti_give_way_left_place(g, p))
            continue; // it is where it was
        Mat34 m = g->skin.pose.bones[part->bone];
        g->placed.bounds[p] = g->placed.reach[p] = pelti_box_empty;
        for (int s = part->first_sample; s < part->first_sample + part->sample_count; s++) {
            g->placed.x[s] = sample_wide(g, s);
            pelti_box_take(&g->placed.bounds[p], g->placed.x[s]);
        }
        g->placed.centre[p] = vec3_lerp(g->placed.bounds[p].low, g->placed.bounds[p].high, 0.5f);
        float square = 0;
        for (int s = part->first_sample; s < part->first_sample + part->sample_count; s++) {
            Vec3 d = vec3_sub(g->placed.x[s], g->placed.centre[p]);
            square = fmaxf(square, vec3_dot(d, d));
        }
        g->placed.ball[p] = sqrtf(square);
        if (!(f->radius > 0) || !mat34_inverse(m, &g->placed.inverse[p]))
            continue;
        Vec3 wide = vec3_scale(vec3((float)(f->size[0] - 1), (float)(f->size[1] - 1), (float)(f->size[2] - 1)), f->cell);
        for (int k = 0; k < 8; k++)
            pelti_box_take(&g->placed.reach[p],
                           mat34_apply(m, vec3_add(f->low, vec3(k & 1 ? wide.x : 0, k & 2 ? wide.y : 0, k & 4 ? wide.z : 0))));
    }
}

void pelti_give_way_place(PeltiGiveWay *g)
{
    pelti_contact_skin_columns(&g->skin, g->skin.pose.bones);
    for (int b = 0; b < g->skin.who->bone_count; b++) {
        g->motion.scratch.left_place[b] = memcmp(&g->motion.placed[b], &g->skin.pose.bones[b], sizeof(Mat34)) != 0;
        g->motion.placed[b] = g->skin.pose.bones[b];
    }
    pelti_parallel_for(g->jobs, g->parts.part_count, 8, place_parts, g);
}

// ---- detection ----

static GiveSide *side_of(PeltiGiveWay *g, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return &g->past.sides[low * g->parts.part_count + high];
}

/// A direction of the world, out of b towards a, as the pair keeps it: from the lower part to the higher, in the lower's space.
static Vec3 to_side(const PeltiGiveWay *g, int a, int b, Vec3 n)
{
    int low = a < b ? a : b;
    Vec3 out = b < a ? n : vec3_scale(n, -1);
    Mat3 m = mat34_linear(g->skin.pose.bones[g->parts.parts[low].bone]);
    return mat3_apply(mat3_transpose(m), out); // a rotation, and a scale that a direction does not mind
}

static Vec3 from_side(const PeltiGiveWay *g, int a, int b, Vec3 out)
{
    int low = a < b ? a : b;
    Vec3 n = vec3_normalize_or(mat34_apply_vector(g->skin.pose.bones[g->parts.parts[low].bone], out), vec3(0, 1, 0));
    return b < a ? n : vec3_scale(n, -1);
}

/// What a sample of part a may sink into part b. Negative: it is not judged.
static float allowed(const PeltiGiveWay *g, int a, int b, int sample)
{
    int row = g->flesh.allow_row[a * g->parts.part_count + b];
    return row < 0 ? pelti_give_way_sunk(g, a, b) : g->flesh.allow[row + sample - g->parts.parts[a].first_sample];
}

/// Part a as a ball may come within `reach` of part b.
static bool ball_near(const PeltiGiveWay *g, int a, int b, double reach)
{
    const PeltiContactPartField *f = &g->parts.parts[b].field;
    Mat34 out = g->skin.pose.bones[g->parts.parts[b].bone];
    float scale = vec3_length(vec3(out.m[0][0], out.m[1][0], out.m[2][0])),
          far = (g->placed.ball[a] + (float)reach) / fmaxf(scale, 1e-30f);
    Vec3 c = mat34_apply(g->placed.inverse[b], g->placed.centre[a]);
    float phi;
    if (pelti_contact_part_field_at(f, c, &phi, NULL))
        return phi < far + f->cell; // distances grow by no more than the way; a cell for the table
    const float at[3] = {c.x - f->low.x, c.y - f->low.y, c.z - f->low.z};
    float square = 0;
    for (int k = 0; k < 3; k++) {
        float wide = f->cell * (float)(f->size[k] - 1), d = at[k] < 0 ? -at[k] : at[k] > wide ? at[k] - wide : 0;
        square += d * d;
    }
    return square < far * far;
}

/// Whether two parts may be so near now.
static bool may_be_near(const PeltiGiveWay *g, int a, int b, double reach)
{
    return pelti_give_way_asks(g, a, b) && pelti_box_overlap(&g->placed.bounds[a], &g->placed.reach[b], 0) &&
           ball_near(g, a, b, reach);
}

bool pelti_give_way_asks(const PeltiGiveWay *g, int a, int b)
{
    const PeltiContactPart *pa = &g->parts.parts[a], *pb = &g->parts.parts[b];
    return g->parts.apart[a * g->parts.part_count + b] != PELTI_APART_NEVER && pb->field.radius > 0 &&
           !(pa->field.radius > 0 && pa->area > ASKED_LARGER * pb->area);
}

/// Of the contacts from `first` on that are only watched (farther than the alarm distance), keeps the nearest few.
static void keep_nearest(PeltiGiveWay *g, int first)
{
    enum { WATCHED = 8 }; // size of an array; besides all that are nearer than the alarm distance
    double nearest[WATCHED + 1] = {0};
    int count = 0, kept = first;
    for (int i = first; i < g->detection.contact_count; i++) {
        double gap = g->detection.contacts[i].gap;
        if (!(gap > g->alarm))
            continue;
        int at = count < WATCHED ? count++ : WATCHED;
        for (; at > 0 && nearest[at - 1] > gap; at--)
            nearest[at] = nearest[at - 1];
        nearest[at] = gap;
    }
    for (int i = first; i < g->detection.contact_count; i++)
        if (!(g->detection.contacts[i].gap > g->alarm) || g->detection.contacts[i].gap <= nearest[count ? count - 1 : 0])
            g->detection.contacts[kept++] = g->detection.contacts[i];
    g->detection.contact_count = kept;
}

static double scale_of(Mat34 m)
{
    return (double)vec3_length(vec3(m.m[0][0], m.m[1][0], m.m[2][0]));
}

static double watched(PeltiGiveWay *g, int a, int b) ///< how far contacts of the pair are looked for
{
    return (side_of(g, a, b)->held ? HELD_REACH : 1) *
           g->alarm; // what lets go of a touch must not slip by before it is seen again
}

static void look(void *context, int begin, int end, int worker)
{
    PeltiGiveWay *g = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        GiveLook *l = &g->detection.scratch.looks[i];
        const PeltiContactPart *pa = &g->parts.parts[l->a], *pb = &g->parts.parts[l->b];
        double far = watched(g, l->a, l->b) / scale_of(g->skin.pose.bones[pb->bone]);
        l->count = 0;
        l->clear = INFINITY;
        for (int s = pa->first_sample; s < pa->first_sample + pa->sample_count; s++) {
            GiveHit *hit = &l->hits[l->count];
            hit->home = mat34_apply(g->placed.inverse[l->b], g->placed.x[s]);
            if (!pelti_contact_part_field_at(&pb->field, hit->home, &hit->phi, NULL))
                hit->phi = INFINITY;
            if (!((double)hit->phi > far)) {
                pelti_contact_part_field_at(&pb->field, hit->home, &hit->phi, &hit->gradient);
                hit->sample = s;
                hit->allow = allowed(g, l->a, l->b, s);
                l->count += hit->allow >= 0;
            }
            float clear = pelti_give_way_clearance(g, l->b, hit->home, hit->phi, (float)far);
            if (clear < l->clear && allowed(g, l->a, l->b, s) >= 0)
                l->clear = clear;
        }
    }
}

/// Contacts of one look, in the order of the samples.
static void add_contacts(PeltiGiveWay *g, const GiveLook *l)
{
    const PeltiContactPart *pb = &g->parts.parts[l->b];
    GiveSide *side = side_of(g, l->a, l->b);
    Mat34 out = g->skin.pose.bones[pb->bone];
    double scale = scale_of(out), alarm = watched(g, l->a, l->b);
    int first = g->detection.contact_count;
    for (int i = 0; i < l->count; i++) {
        const GiveHit *hit = &l->hits[i];
        double gap = ((double)hit->phi + (double)hit->allow + (double)side->let) * scale;
        side->scratch.inside |= hit->phi < 0;
        if (gap > alarm)
            continue;
        if (g->detection.contact_count == GIVE_MOST_CONTACTS) {
            g->detection.dropped++;
            continue;
        }
        GiveContact *c = &g->detection.contacts[g->detection.contact_count++];
        *c = (GiveContact){.sample = hit->sample,
                           .a = l->a,
                           .b = l->b,
                           .point = g->placed.x[hit->sample],
                           .home = hit->home,
                           .gap = gap,
                           .mu = (double)g->settings.friction};
        c->deep = -hit->phi / pb->field.radius;
        c->normal = vec3_normalize_or(mat34_apply_vector(out, hit->gradient), vec3(0, 1, 0));
        side->scratch.seen = true;
        if (gap < 0)
            side->scratch.sum =
                vec3_mad(side->scratch.sum, vec3_normalize_or(to_side(g, l->a, l->b, c->normal), vec3(0, 1, 0)), (float)-gap);
    }
    keep_nearest(g, first);
}

static void take_looks(PeltiGiveWay *g)
{
    pelti_parallel_for(g->jobs, g->detection.scratch.look_count, 4, look, g);
    for (int i = 0; i < g->detection.scratch.look_count; i++) {
        const GiveLook *l = &g->detection.scratch.looks[i];
        g->motion.clear[l->a * g->parts.part_count + l->b] = l->clear;
        add_contacts(g, l);
    }
    g->detection.scratch.look_count = 0;
}

/// The way out of part b from a point of its rest space along a direction of it: a length of rest space, INFINITY: too far.
static double way_out(const PeltiContactPartField *f, Vec3 y, Vec3 along)
{
    double way = 0, most = WAY_OUT_FAR * (double)f->radius;
    for (int k = 0; k < WAY_OUT_LOOKS && way < most; k++) {
        float phi;
        if (!pelti_contact_part_field_at(f, vec3_mad(y, along, (float)way), &phi, NULL) || phi >= 0)
            return way;
        way += fmax((double)-phi, WAY_OUT_STEP * (double)f->cell);
    }
    return INFINITY;
}

/// A contact that would push its part on through the other, out at the far side, is turned to the side where the pair is held.
static bool keep_side(PeltiGiveWay *g, GiveContact *c)
{
    const GiveSide *side = side_of(g, c->a, c->b);
    if (!side->held || g->settings.no_memory)
        return true;
    Vec3 out = from_side(g, c->a, c->b, side->out);
    if (vec3_dot(out, c->normal) > -SIDE_AGAINST) { // deep inside the nearest way out is anywhere: more and more the pair's
        float share = (c->deep - SIDE_TURNS) / SIDE_TURNS;
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        c->normal = vec3_normalize_or(vec3_lerp(c->normal, out, share), out);
        return true;
    }
    if (!(c->gap < 0))
        return false; // beside or beyond: no business of this side
    const PeltiContactPart *pb = &g->parts.parts[c->b];
    Mat34 m = g->skin.pose.bones[pb->bone];
    double scale = scale_of(m);
    Vec3 along = vec3_normalize_or(mat34_apply_vector(g->placed.inverse[c->b], out), vec3(0, 1, 0));
    double way = way_out(&pb->field, c->home, along) * scale;
    if (!(way < 1e30))
        return false;
    c->normal = out;
    c->gap = (double)(pelti_give_way_sunk(g, c->a, c->b) + side->let) * scale - way;
    return true;
}

/// Which side of part b part a comes from: where its joint is, as the way out of b nearest to there. World.
static bool comes_from(const PeltiGiveWay *g, int a, int b, Vec3 *out)
{
    const PeltiContactPartField *f = &g->parts.parts[b].field;
    const PeltiBone *bone = &g->skin.who->bones[g->parts.parts[a].bone];
    if (!(f->radius > 0))
        return false;
    Vec3 head = mat34_apply(g->placed.inverse[b], mat34_apply(g->skin.pose.bones[g->parts.parts[a].bone], bone->head)), gradient;
    Vec3 high =
        vec3_add(f->low, vec3_scale(vec3((float)(f->size[0] - 1), (float)(f->size[1] - 1), (float)(f->size[2] - 1)), f->cell));
    // inside the grid by more than rounding
    Vec3 inset = vec3(0.01f * f->cell, 0.01f * f->cell, 0.01f * f->cell);
    Vec3 at = vec3_max(vec3_add(f->low, inset), vec3_min(vec3_sub(high, inset), head));
    float phi;
    if (!pelti_contact_part_field_at(f, at, &phi, &gradient) || phi < 0)
        return false;
    Vec3 away = vec3_add(vec3_scale(vec3_normalize_or(gradient, vec3(0, 0, 0)), phi), vec3_sub(head, at));
    *out = vec3_normalize_or(mat34_apply_vector(g->skin.pose.bones[g->parts.parts[b].bone], away), vec3(0, 0, 0));
    return vec3_length(*out) > 0;
}

/// A new pair takes the side that its contacts point to; but where that is through the other part, away from where the smaller of
/// the two comes from, the side it comes from.
static void take_sides(PeltiGiveWay *g)
{
    int n = g->parts.part_count;
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            GiveSide *side = &g->past.sides[a * n + b];
            if (!side->scratch.seen)
                side->held = false;
            if (!side->scratch.seen || side->held || !(vec3_length(side->scratch.sum) > 0))
                continue;
            int small = g->parts.parts[a].area < g->parts.parts[b].area ? a : b, large = small == a ? b : a;
            Vec3 from;
            side->out = vec3_normalize_or(side->scratch.sum, vec3(0, 1, 0));
            if (comes_from(g, small, large, &from) && vec3_dot(from, from_side(g, small, large, side->out)) < 0)
                side->out = vec3_normalize_or(to_side(g, small, large, from), side->out);
            side->held = true;
            g->motion.clear[a * n + b] = g->motion.clear[b * n + a] = 0; // from now on it is watched farther
        }
}

/// Samples of part a may be seen near part b: no bound says that they are clear of it since they were last looked for.
static bool still_near(PeltiGiveWay *g, int a, int b)
{
    float *clear = &g->motion.clear[a * g->parts.part_count + b];
    if (!may_be_near(g, a, b, HELD_REACH * g->alarm)) {
        *clear = 0;
        return false;
    }
    double scale = scale_of(g->placed.inverse[b]);
    if (!(fabs(scale - scale_of(g->motion.looked.inverse[b])) < 1e-5 * scale))
        *clear = 0; // it looks as far in the world, not in its rest space
    if (*clear > 0)
        *clear -= pelti_give_way_moved(g, a, b, &g->motion.looked);
    return !(*clear > 0);
}

void pelti_give_way_detect(PeltiGiveWay *g)
{
    int n = g->parts.part_count, kept = 0;
    g->detection.contact_count = g->detection.dropped = 0;
    g->detection.deepest = 0;
    for (int i = 0; i < n * n; i++)
        g->past.sides[i].scratch.sum = vec3(0, 0, 0), g->past.sides[i].scratch.seen = g->past.sides[i].scratch.inside = false;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (still_near(g, a, b)) {
                GiveLook *l = &g->detection.scratch.looks[g->detection.scratch.look_count++];
                l->a = a, l->b = b;
                if (g->detection.scratch.look_count == GIVE_LOOKS)
                    take_looks(g);
            }
    take_looks(g);
    pelti_give_way_looked(g);
    take_sides(g);
    for (int i = 0; i < g->detection.contact_count; i++) {
        GiveContact c = g->detection.contacts[i];
        if (!keep_side(g, &c))
            continue;
        g->detection.contacts[kept++] = c;
        g->detection.deepest = fmax(g->detection.deepest, -c.gap);
    }
    g->detection.contact_count = kept;
}

// ---- the linearised problem ----

static void frame_of(Vec3 normal, Vec3 frame[3])
{
    frame[0] = normal;
    frame[1] = vec3_orthogonal(normal);
    frame[2] = vec3_cross(normal, frame[1]);
}

/// From the contact's memory: the force to begin with, and how far it is bent.
static void recall(const PeltiGiveWay *g, GiveContact *c, const Vec3 frame[3], PeltiCoulombConstraint *k)
{
    for (int m = 0; m < GIVE_REMEMBERED; m++)
        if (g->past.memory[c->sample][m].part == c->b) {
            c->bend = g->past.memory[c->sample][m].bend;
            for (int r = 0; r < 3; r++)
                k->force[r] = (double)vec3_dot(frame[r], g->past.memory[c->sample][m].force);
        }
    for (int r = 1; r < 3; r++)
        k->free[r] -= (double)vec3_dot(frame[r], c->bend);
}

void pelti_give_way_assemble(PeltiGiveWay *g)
{
    PeltiContactSystem *s = &g->linear.system;
    s->constraint_count = g->linear.block_count = 0;
    pelti_contact_skin_get(&g->skin, g->linear.u_now);
    for (int i = 0; i < g->detection.contact_count; i++) {
        GiveContact *c = &g->detection.contacts[i];
        PeltiCoulombConstraint *k = &g->linear.constraints[i];
        Vec3 frame[3], now = c->point, // the point of b that meets the sample now, and where both were
            slip = vec3_sub(vec3_sub(now, g->placed.before[c->sample]),
                            vec3_sub(now, mat34_apply(g->placed.last.bones[g->parts.parts[c->b].bone], c->home)));
        int count = pelti_contact_skin_self_blocks(&g->skin, &g->parts.samples[c->sample], g->parts.parts[c->b].bone, c->point,
                                                   g->linear.scratch.side);
        *k = (PeltiCoulombConstraint){.first_block = g->linear.block_count, .mu = c->mu};
        frame_of(c->normal, frame);
        s->constraint_count++;
        if (g->linear.block_count + count > g->linear.block_room)
            count = 0;
        k->free[0] = c->gap;
        for (int r = 1; r < 3; r++)
            k->free[r] = (double)vec3_dot(frame[r], slip);
        for (int b = 0; b < count; b++) {
            PeltiContactBlock *block = &g->linear.blocks[g->linear.block_count++];
            const double *u = g->linear.u_now[g->linear.scratch.side[b].slot];
            block->slot = g->linear.scratch.side[b].slot;
            for (int r = 0; r < 3; r++) {
                for (int col = 0; col < 3; col++)
                    block->j[r][col] = (double)frame[r].x * g->linear.scratch.side[b].j[0][col] +
                                       (double)frame[r].y * g->linear.scratch.side[b].j[1][col] +
                                       (double)frame[r].z * g->linear.scratch.side[b].j[2][col];
                k->free[r] -= block->j[r][0] * u[0] + block->j[r][1] * u[1] + block->j[r][2] * u[2];
            }
        }
        k->block_count = count;
        recall(g, c, (const Vec3 *)frame, k);
    }
    s->slot_count = g->skin.joint_count;
}

void pelti_give_way_remember(PeltiGiveWay *g)
{
    int n = g->parts.part_count;
    for (int s = 0; s < g->parts.sample_count; s++)
        for (int m = 0; m < GIVE_REMEMBERED; m++)
            g->past.memory[s][m].part = -1;
    for (int i = 0; i < n * n; i++)
        g->past.sides[i].pushed = false;
    for (int i = 0; i < g->detection.contact_count; i++) {
        GiveContact *c = &g->detection.contacts[i];
        const double *f = g->linear.constraints[i].force;
        Vec3 frame[3];
        frame_of(c->normal, frame);
        c->force = vec3_mad(vec3_mad(vec3_scale(frame[0], (float)f[0]), frame[1], (float)f[1]), frame[2], (float)f[2]);
        side_of(g, c->a, c->b)->pushed |= f[0] > 0;
        for (int m = 0; m < GIVE_REMEMBERED && f[0] > 0; m++)
            if (g->past.memory[c->sample][m].part < 0) {
                Vec3 along = vec3_mad(c->force, frame[0], (float)-f[0]);
                g->past.memory[c->sample][m] =
                    (GiveMemory){c->b, c->force, c->bend, vec3_scale(along, (float)g->linear.constraints[i].epsilon)};
                break;
            }
    }
    for (int i = 0; i < n * n; i++) // the side goes along where a part slides around another
        if (g->past.sides[i].held && vec3_length(g->past.sides[i].scratch.sum) > 0 &&
            vec3_dot(g->past.sides[i].scratch.sum, g->past.sides[i].out) > 0)
            g->past.sides[i].out =
                vec3_normalize_or(vec3_lerp(g->past.sides[i].out,
                                            vec3_normalize_or(g->past.sides[i].scratch.sum, g->past.sides[i].out), SIDE_FOLLOWS),
                                  g->past.sides[i].out);
}

void pelti_give_way_bend(PeltiGiveWay *g)
{
    for (int s = 0; s < g->parts.sample_count; s++)
        for (int m = 0; m < GIVE_REMEMBERED; m++)
            g->past.memory[s][m].bend = g->past.memory[s][m].give;
}

void pelti_give_way_forget(PeltiGiveWay *g)
{
    int n = g->parts.part_count;
    for (int s = 0; s < g->parts.sample_count; s++)
        for (int m = 0; m < GIVE_REMEMBERED; m++)
            g->past.memory[s][m].part = -1;
    for (int i = 0; i < n * n; i++)
        g->past.sides[i] = (GiveSide){0};
}
