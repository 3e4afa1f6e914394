/// From touching pairs to the contact problem: frames, older forces, Jacobian blocks, compliances [Duriez2008].
#include "contact/corrector_parts.h"
#include "math/elementary.h"
#include "contact/constants.def"

#include <string.h>

// ---- pairs of surfaces ----

static bool named(const char *text, const char *name)
{
    return text && name && strcmp(text, name) == 0;
}

/// Friction and restitution of two surfaces (b -1: the ground).
static void find_materials(const PeltiCorrector *c, int a, int b, double *mu, double *restitution)
{
    const PeltScene *scene = c->scene;
    const char *na = c->things.names[a], *nb = b < 0 ? "ground" : c->things.names[b];
    float value[2][2] = {{-1, -1}, {-1, -1}}; // of either
    for (int side = 0; side < 2; side++) {
        int body = (side ? b : a) - c->things.skin_count;
        if (body >= 0) {
            value[side][0] = c->things.bodies[body].def->friction;
            value[side][1] = c->things.bodies[body].def->restitution;
        }
    }
    double out[2] = {(double)scene->friction, (double)scene->restitution};
    for (int k = 0; k < 2; k++) {
        if (value[0][k] >= 0 && value[1][k] >= 0)
            out[k] = sqrt((double)value[0][k] * (double)value[1][k]);
        else if (value[0][k] >= 0 || value[1][k] >= 0)
            out[k] = (double)fmaxf(value[0][k], value[1][k]);
    }
    for (int i = 0; i < scene->pair_count; i++) {
        const PeltScenePair *p = &scene->pairs[i];
        if ((named(p->a, na) && named(p->b, nb)) || (named(p->a, nb) && named(p->b, na))) {
            out[0] = p->friction >= 0 ? (double)p->friction : out[0];
            out[1] = p->restitution >= 0 ? (double)p->restitution : out[1];
        }
    }
    *mu = out[0];
    *restitution = out[1];
}

static bool movable(const PeltiCorrector *c, int surface)
{
    return surface < c->things.skin_count || pelti_contact_body_moves(&c->things.bodies[surface - c->things.skin_count]);
}

static PeltiBox bounds_of(const PeltiSurface *s)
{
    return s->tree->node_count ? s->tree->nodes[0].box : (PeltiBox){vec3(1, 1, 1), vec3(-1, -1, -1)};
}

/// World to the frame of a surface, if it has one that it keeps its shape in.
static bool frame_to(const PeltiCorrector *c, int surface, Mat34 *out)
{
    double at[3];
    PeltiContactTurn r;
    if (surface < c->things.skin_count || c->things.bodies[surface - c->things.skin_count].soft)
        return false;
    pelti_contact_body_current(&c->things.bodies[surface - c->things.skin_count], at, &r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out->m[i][j] = (float)r.m[j][i];
        out->m[i][3] = (float)-(r.m[0][i] * at[0] + r.m[1][i] * at[1] + r.m[2][i] * at[2]);
    }
    return true;
}

void pelti_corrector_detect(PeltiCorrector *c, double reach)
{
    c->detection.touches.count = 0;
    for (int s = 0; s < c->things.surface_count; s++) {
        if (s >= c->things.skin_count) {
            const PeltiContactBody *body = &c->things.bodies[s - c->things.skin_count];
            if (body->kind == PELT_OBJECT_FIXED && !body->hand.held && c->started)
                continue;
            if (body->soft)
                pelti_soft_place(body->soft, c->things.surfaces[s].x);
            else
                pelti_contact_body_place(body, c->things.surfaces[s].x, c->things.surfaces[s].mesh->vertex_count);
        } else {
            pelti_contact_skin_place(&c->things.skins[s], c->things.skins[s].pose.bones, c->things.surfaces[s].x);
        }
        pelti_surface_refit(&c->things.surfaces[s], c->jobs);
        c->detection.bounds[s] = bounds_of(&c->things.surfaces[s]);
    }
    pelti_box_tree_refit(c->detection.broad, NULL, c->detection.bounds);
    pelti_box_tree_self_pairs(c->detection.broad, (float)reach, NULL, NULL, NULL, &c->detection.near);
    Mat34 frame;
    for (int i = 0; i < c->detection.near.count; i++) {
        int a = c->detection.near.pairs[i].a, b = c->detection.near.pairs[i].b;
        if (a > b) {
            int swap = a;
            a = b, b = swap;
        }
        if ((movable(c, a) || movable(c, b)) && (c->escapes.look || !pelti_corrector_leaves(c, a, b))) {
            PeltiSurfacePair two = {.surfaces = c->things.surfaces,
                                    .a = a,
                                    .b = b,
                                    .to_frame = frame_to(c, b, &frame) ? &frame : NULL,
                                    .jobs = c->jobs};
            pelti_contact_touch_surfaces(c->detection.memory, &two, reach, &c->detection.touches);
        }
    }
    for (int s = 0; s < c->things.surface_count && c->scene->has_ground; s++)
        if (movable(c, s))
            pelti_contact_touch_ground(c->things.surfaces, s, (double)c->scene->ground_height, reach, &c->detection.touches);
    if (c->escapes.look && c->escapes.sparing_s > 0)
        pelti_corrector_find_escapes(c);
    pelti_corrector_lead_out(c);
}

// ---- guesses ----

static unsigned key_hash(const PeltiContactTouch *t)
{
    unsigned h = 2166136261u;
    const unsigned words[4] = {(unsigned)t->a, (unsigned)t->b, t->spot_a.feature, t->spot_b.feature};
    for (int i = 0; i < 4; i++)
        h = (h ^ words[i]) * 16777619u, h ^= h >> 15;
    return h;
}

static bool same_key(const PeltiContactTouch *x, const PeltiContactTouch *y)
{
    return x->a == y->a && x->b == y->b && x->spot_a.feature == y->spot_a.feature && x->spot_b.feature == y->spot_b.feature;
}

static void index_solved(PeltiCorrector *c)
{
    for (int i = 0; i < CORRECTOR_MATCH_SLOTS; i++)
        c->contacts.match_scratch[i] = -1;
    for (int i = 0; i < c->contacts.solved_count; i++) {
        c->contacts.solved[i].claimed = false;
        unsigned at = key_hash(&c->contacts.solved[i].touch) % CORRECTOR_MATCH_SLOTS;
        while (c->contacts.match_scratch[at] >= 0)
            at = (at + 1) % CORRECTOR_MATCH_SLOTS;
        c->contacts.match_scratch[at] = i;
    }
}

static CorrectorKnown *same_features(PeltiCorrector *c, const PeltiContactTouch *t)
{
    for (unsigned at = key_hash(t) % CORRECTOR_MATCH_SLOTS; c->contacts.match_scratch[at] >= 0;
         at = (at + 1) % CORRECTOR_MATCH_SLOTS)
        if (same_key(&c->contacts.solved[c->contacts.match_scratch[at]].touch, t))
            return &c->contacts.solved[c->contacts.match_scratch[at]];
    return NULL;
}

/// The features are gone: the nearest contact of the same two surfaces that nobody claimed (the paper's future work).
static CorrectorKnown *neighbour(PeltiCorrector *c, const PeltiContactTouch *t)
{
    CorrectorKnown *best = NULL;
    float nearest = (float)c->alarm * NEIGHBOUR_NEAR;
    for (int i = 0; i < c->contacts.solved_count; i++) {
        CorrectorKnown *k = &c->contacts.solved[i];
        if (k->claimed || k->touch.a != t->a || k->touch.b != t->b)
            continue;
        float d = vec3_distance(k->touch.point_b, t->point_b);
        if (d < nearest)
            nearest = d, best = k;
    }
    return best;
}

static void guess_forces(PeltiCorrector *c)
{
    index_solved(c);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c->linear.system.constraint_count; i++) {
            CorrectorKnown *mine = &c->contacts.next[i];
            if (mine->guessed)
                continue;
            CorrectorKnown *k = pass == 0 ? same_features(c, &mine->touch) : neighbour(c, &mine->touch);
            if (!k)
                continue;
            mine->guessed = k->claimed = true;
            mine->bend = k->bend;
            for (int r = 1; r < 3; r++)
                c->linear.constraints[i].free[r] -= c->linear.frames[i].m[r][0] * (double)k->bend.x +
                                                    c->linear.frames[i].m[r][1] * (double)k->bend.y +
                                                    c->linear.frames[i].m[r][2] * (double)k->bend.z;
            for (int r = 0; r < 3 && !c->settings.cold; r++)
                c->linear.constraints[i].force[r] = c->linear.frames[i].m[r][0] * (double)k->force.x +
                                                    c->linear.frames[i].m[r][1] * (double)k->force.y +
                                                    c->linear.frames[i].m[r][2] * (double)k->force.z;
        }
}

// ---- the linearised problem ----

static CorrectorFrame frame_of(Vec3 normal)
{
    Vec3 t = vec3_orthogonal(normal), s = vec3_cross(normal, t);
    return (CorrectorFrame){{{(double)normal.x, (double)normal.y, (double)normal.z},
                             {(double)t.x, (double)t.y, (double)t.z},
                             {(double)s.x, (double)s.y, (double)s.z}}};
}

/// Blocks of one side in world axes, into c->linear.side_scratch; -1: no room.
static int side_blocks(PeltiCorrector *c, int surface, const PeltiSurfaceSpot *spot, const double point[3], double h)
{
    if (surface < 0)
        return 0;
    if (surface < c->things.skin_count)
        return pelti_contact_skin_blocks(&c->things.skins[surface], spot, c->linear.side_scratch);
    PeltiContactBody *body = &c->things.bodies[surface - c->things.skin_count];
    if (!pelti_contact_body_moves(body))
        return 0;
    if (!body->soft) {
        c->linear.side_scratch[0].slot = body->first_slot;
        c->linear.side_scratch[1].slot = body->first_slot + 1;
        pelti_contact_body_blocks(body, point, h, c->linear.side_scratch[0].j, c->linear.side_scratch[1].j);
        return 2;
    }
    int count = 0;
    for (int k = 0; k < 3; k++) {
        if (!(spot->weight[k] > 0))
            continue;
        int slot = pelti_soft_slot(body->soft, spot->vertex[k]);
        if (slot < 0)
            return -1;
        double w = spot->weight[k];
        // numbered within the body for now, below zero: final numbers follow when all contacts are known
        c->linear.side_scratch[count++] = (PeltiContactBlock){-1 - (slot + (surface - c->things.skin_count) * PELTI_SOFT_SLOTS),
                                                              {{w, 0, 0}, {0, w, 0}, {0, 0, w}}};
    }
    return count;
}

static bool add_side(PeltiCorrector *c, PeltiCoulombConstraint *k, const CorrectorFrame *frame, int count, double sign)
{
    if (count < 0 || c->linear.block_count + count > CORRECTOR_MOST_CONTACTS * CORRECTOR_BLOCKS_A_CONTACT)
        return false;
    for (int b = 0; b < count; b++) {
        PeltiContactBlock *out = &c->linear.blocks[c->linear.block_count + b];
        out->slot = c->linear.side_scratch[b].slot;
        for (int r = 0; r < 3; r++)
            for (int col = 0; col < 3; col++)
                out->j[r][col] = sign * (frame->m[r][0] * c->linear.side_scratch[b].j[0][col] +
                                         frame->m[r][1] * c->linear.side_scratch[b].j[1][col] +
                                         frame->m[r][2] * c->linear.side_scratch[b].j[2][col]);
    }
    c->linear.block_count += count;
    k->block_count += count;
    return true;
}

static void difference(Vec3 a, Vec3 b, double out[3])
{
    out[0] = (double)a.x - (double)b.x, out[1] = (double)a.y - (double)b.y, out[2] = (double)a.z - (double)b.z;
}

/// delta at the present places: gap along the normal, slip over the step along the tangents (eq. 3).
static void present_delta(const PeltiCorrector *c, const PeltiContactTouch *t, const CorrectorFrame *frame, double delta[3],
                          double *gap_before)
{
    Vec3 a0 = pelti_contact_spot_point(&t->spot_a, c->things.surfaces[t->a].before), b0 = t->point_b;
    if (t->b >= 0)
        b0 = pelti_contact_spot_point(&t->spot_b, c->things.surfaces[t->b].before);
    double now[3], then[3];
    difference(t->point_a, t->point_b, now);
    difference(a0, b0, then);
    delta[0] = t->gap;
    for (int r = 1; r < 3; r++)
        delta[r] =
            frame->m[r][0] * (now[0] - then[0]) + frame->m[r][1] * (now[1] - then[1]) + frame->m[r][2] * (now[2] - then[2]);
    *gap_before = t->gap - (frame->m[0][0] * (now[0] - then[0]) + frame->m[0][1] * (now[1] - then[1]) +
                            frame->m[0][2] * (now[2] - then[2]));
}

static void number_soft_slots(PeltiCorrector *c)
{
    int next = c->linear.fixed_slots, groups = 0;
    size_t used = 0;
    for (int s = 0; s < c->linear.fixed_slots; s++)
        c->linear.slot_group[s] = -1;
    for (int b = 0; b < c->things.body_count; b++) {
        PeltiContactBody *body = &c->things.bodies[b];
        int count = body->soft ? pelti_soft_slot_count(body->soft) : 0;
        if (!count)
            continue;
        body->first_slot = next;
        c->linear.groups[groups] = (PeltiCoulombCompliance){next, count, c->soft_scratch.compliance + used};
        pelti_soft_compliance(body->soft, c->soft_scratch.compliance + used);
        pelti_soft_moved(body->soft, c->linear.u_now + next);
        used += 9 * (size_t)count * (size_t)count;
        for (int s = 0; s < count; s++)
            c->linear.slot_group[next++] = groups;
        groups++;
    }
    for (int i = 0; i < c->linear.block_count; i++)
        if (c->linear.blocks[i].slot < 0) {
            int code = -1 - c->linear.blocks[i].slot;
            c->linear.blocks[i].slot = c->things.bodies[code / PELTI_SOFT_SLOTS].first_slot + code % PELTI_SOFT_SLOTS;
        }
    c->linear.system.slot_count = next;
    c->linear.system.group_count = groups;
}

/// A skin in something that does not move takes no speed from being pushed out, so it leaves at once, however it came in; but
/// not where the scene started it inside.
static bool is_firm(const PeltiCorrector *c, const PeltiContactTouch *t)
{
    return t->a < c->things.skin_count && (t->b < 0 || !movable(c, t->b)) &&
           !c->things.overlaps[t->b < 0 ? c->things.surface_count : t->b];
}

/// free = delta now - J u now: the solver's u is the whole motion by contact, not a change of it.
static void free_delta(PeltiCorrector *c, PeltiCoulombConstraint *k, const PeltiContactTouch *t, double restitution,
                       double gap_before, double h)
{
    for (int b = 0; b < k->block_count; b++) {
        const PeltiContactBlock *block = &c->linear.blocks[k->first_block + b];
        const double *u = c->linear.u_now[block->slot];
        for (int r = 0; r < 3; r++)
            k->free[r] -= block->j[r][0] * u[0] + block->j[r][1] * u[1] + block->j[r][2] * u[2];
    }
    double approach = gap_before - k->free[0],
           slow = BOUNCES_FROM * h * h *
                  sqrt(c->gravity[0] * c->gravity[0] + c->gravity[1] * c->gravity[1] + c->gravity[2] * c->gravity[2]);
    if (gap_before < -INSIDE * c->alarm && !is_firm(c, t)) // started inside: pushed out at a bounded speed
        k->free[0] -= fmin(0, gap_before + (t->speed > 0 ? t->speed : OUT_SPEED * c->alarm) * h);
    else if (restitution > 0 && k->free[0] < 0 && approach > slow)
        k->free[0] -= fmax(gap_before, 0) + restitution * approach;
}

void pelti_corrector_assemble(PeltiCorrector *c, double h)
{
    double gap_before[CORRECTOR_MOST_CONTACTS], restitution[CORRECTOR_MOST_CONTACTS];
    c->linear.block_count = c->linear.system.constraint_count = 0;
    for (int b = 0; b < c->things.body_count; b++) {
        if (c->things.bodies[b].soft)
            pelti_soft_clear_slots(c->things.bodies[b].soft);
        else
            for (int k = 0; k < 3; k++)
                c->things.bodies[b].motion.arms_from[k] =
                    c->things.bodies[b].motion.free_at[k] + c->things.bodies[b].motion.moved[0][k];
    }
    for (int i = 0; i < c->detection.touches.count; i++) {
        const PeltiContactTouch *t = &c->detection.touches.list[i];
        int n = c->linear.system.constraint_count;
        PeltiCoulombConstraint *k = &c->linear.constraints[n];
        *k = (PeltiCoulombConstraint){.first_block = c->linear.block_count};
        find_materials(c, t->a, t->b, &k->mu, &restitution[n]);
        k->mu = t->speed > 0 ? 0 : k->mu;
        c->linear.frames[n] = frame_of(t->normal);
        Vec3 m = vec3_lerp(t->point_a, t->point_b, 0.5f); // one place for both: the pair of forces has no moment
        double middle[3] = {(double)m.x, (double)m.y, (double)m.z};
        bool leaves =
            t->speed > 0 && t->a < c->things.skin_count && t->b >= c->things.skin_count && movable(c, t->b); // the skin stays
        if ((!leaves && !add_side(c, k, &c->linear.frames[n], side_blocks(c, t->a, &t->spot_a, middle, h), 1)) ||
            !add_side(c, k, &c->linear.frames[n], side_blocks(c, t->b, &t->spot_b, middle, h), -1)) {
            c->detection.touches.dropped++;
            c->linear.block_count = k->first_block;
            continue;
        }
        present_delta(c, t, &c->linear.frames[n], k->free, &gap_before[n]);
        c->contacts.next[n] = (CorrectorKnown){.touch = *t};
        c->linear.system.constraint_count++;
    }
    for (int s = 0; s < c->things.skin_count; s++)
        pelti_contact_skin_get(&c->things.skins[s], c->linear.u_now);
    for (int b = 0; b < c->things.body_count; b++)
        if (c->things.bodies[b].kind == PELT_OBJECT_RIGID && !c->things.bodies[b].hand.held)
            pelti_contact_body_get(&c->things.bodies[b], h, c->linear.u_now[c->things.bodies[b].first_slot],
                                   c->linear.u_now[c->things.bodies[b].first_slot + 1]);
    number_soft_slots(c);
    for (int i = 0; i < c->linear.system.constraint_count; i++)
        free_delta(c, &c->linear.constraints[i], &c->contacts.next[i].touch, restitution[i], gap_before[i], h);
    guess_forces(c);
}

void pelti_corrector_take(PeltiCorrector *c, double h)
{
    const PeltiContactSystem *s = &c->linear.system;
    for (int i = 0; i < s->constraint_count; i++) {
        const double *f = c->linear.constraints[i].force;
        double(*m)[3] = c->linear.frames[i].m;
        c->contacts.next[i].force = vec3((float)(m[0][0] * f[0] + m[1][0] * f[1] + m[2][0] * f[2]),
                                         (float)(m[0][1] * f[0] + m[1][1] * f[1] + m[2][1] * f[2]),
                                         (float)(m[0][2] * f[0] + m[1][2] * f[1] + m[2][2] * f[2]));
        c->contacts.next[i].touch.gap = c->linear.constraints[i].delta[0] - c->linear.constraints[i].epsilon * f[0];
        c->contacts.next[i].epsilon = c->linear.constraints[i].epsilon;
        c->contacts.next[i].slides =
            f[0] > 0 && pelti_hypot(c->linear.constraints[i].delta[1], c->linear.constraints[i].delta[2]) > SLIDES_FROM * c->size;
    }
    c->contacts.next_count = s->constraint_count;
    for (int k = 0; k < c->things.skin_count; k++)
        pelti_contact_skin_set(&c->things.skins[k], (const double(*)[3])s->u);
    for (int b = 0; b < c->things.body_count; b++) {
        PeltiContactBody *body = &c->things.bodies[b];
        if (body->kind == PELT_OBJECT_RIGID && !body->hand.held)
            pelti_contact_body_take(body, h, s->u[body->first_slot], s->u[body->first_slot + 1]);
        int count = body->soft ? pelti_soft_slot_count(body->soft) : 0;
        if (!body->soft)
            continue;
        memset(c->soft_scratch.force, 0, (size_t)count * sizeof(double[3]));
        for (int i = 0; i < s->constraint_count && count; i++)
            for (int q = 0; q < c->linear.constraints[i].block_count; q++) {
                const PeltiContactBlock *block = &c->linear.blocks[c->linear.constraints[i].first_block + q];
                int local = block->slot - body->first_slot;
                if (local < 0 || local >= count || block->slot < c->linear.fixed_slots)
                    continue;
                for (int col = 0; col < 3; col++)
                    for (int r = 0; r < 3; r++)
                        c->soft_scratch.force[local][col] += block->j[r][col] * c->linear.constraints[i].force[r];
            }
        pelti_soft_take(body->soft, (const double(*)[3])c->soft_scratch.force);
    }
}
