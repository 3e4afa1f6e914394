/// A step of giving way: contacts of the skin with itself are found and solved, and joints turn [Duriez2008 sec. 5].
#include "contact/give_way.h"

#include "contact/give_way_parts.h"
#include "contact/constants.def"

#include <string.h>

// ---- create ----

static void find_crush(PeltiGiveWay *g)
{
    for (int p = 0; p < g->parts.part_count; p++) {
        const PeltiContactPart *part = &g->parts.parts[p];
        const PeltRigJoint *said = pelt_rig_joint(g->settings.rig, g->skin.who->nodes[g->skin.who->bones[part->bone].node].name);
        g->flesh.crush[p] = (said && said->crush >= 0 ? said->crush : g->settings.crush) * part->field.radius;
    }
    for (int j = 0; j < g->skin.joint_count; j++) {
        const char *name = g->skin.who->nodes[g->skin.joints[j].node].name;
        const PeltRigJoint *said = pelt_rig_joint(g->settings.rig, name);
        if (said && said->joint_stiffness > 0)
            g->skin.joints[j].stiffness = (double)said->joint_stiffness;
        g->skin.joints[j].hardens = HARDENS_AT;
        g->gave[j].joint = name;
    }
}

/// What moves each sample, in one row: bone, share and rest position.
static PeltStatus list_influences(PeltiGiveWay *g, PeltError *err)
{
    const PeltiWeights *w = g->skin.weights;
    int samples = g->parts.sample_count, used = 0;
    g->placed.pull_start = PELTI_NEW(&g->pool, int, samples + 1);
    for (int pass = 0; pass < 2; pass++) {
        used = 0;
        for (int s = 0; s < samples && !g->pool.failed; s++) {
            const PeltiSurfaceSpot *spot = &g->parts.samples[s];
            g->placed.pull_start[s] = used;
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < w->influences && spot->weight[c] > 0; k++) {
                    size_t i = (size_t)spot->vertex[c] * (size_t)w->influences + (size_t)k;
                    if (!(w->weight[i] > 0))
                        continue;
                    if (pass)
                        g->placed.pulls[used] =
                            (GivePull){w->bone[i], (float)spot->weight[c] * w->weight[i], g->skin.rest[spot->vertex[c]]};
                    used++;
                }
        }
        if (!pass)
            g->placed.pulls = PELTI_NEW(&g->pool, GivePull, used);
        if (g->pool.failed)
            return pelti_no_memory(err, (size_t)used * sizeof(GivePull));
    }
    g->placed.pull_start[samples] = used;
    return PELT_OK;
}

static PeltStatus take_room(PeltiGiveWay *g, PeltError *err)
{
    PeltiPool *pool = &g->pool;
    size_t joints = (size_t)g->skin.joint_count + 1, parts = (size_t)g->parts.part_count, samples = (size_t)g->parts.sample_count;
    g->flesh.crush = PELTI_NEW(pool, float, parts);
    g->past.from = pelti_pose_new(pool, g->skin.who);
    g->gave = PELTI_NEW(pool, PeltiGiveWayJoint, joints);
    g->placed.x = PELTI_NEW(pool, Vec3, samples);
    g->placed.before = PELTI_NEW(pool, Vec3, samples);
    g->placed.inverse = PELTI_NEW(pool, Mat34, parts);
    g->placed.last.bones = PELTI_NEW(pool, Mat34, g->skin.who->bone_count);
    g->placed.last.inverse = PELTI_NEW(pool, Mat34, parts);
    g->placed.centre = PELTI_NEW(pool, Vec3, parts);
    g->placed.ball = PELTI_NEW(pool, float, parts);
    g->placed.bounds = PELTI_NEW(pool, PeltiBox, parts);
    g->placed.reach = PELTI_NEW(pool, PeltiBox, parts);
    g->past.sides = PELTI_NEW(pool, GiveSide, parts * parts);
    g->past.memory = pelti_pool_take(pool, samples, sizeof *g->past.memory);
    int most = 0;
    for (int p = 0; p < g->parts.part_count; p++)
        most = g->parts.parts[p].sample_count > most ? g->parts.parts[p].sample_count : most;
    GiveHit *hits = PELTI_NEW(pool, GiveHit, (size_t)GIVE_LOOKS * (size_t)most);
    g->detection.scratch.looks = PELTI_NEW(pool, GiveLook, GIVE_LOOKS);
    for (int i = 0; i < GIVE_LOOKS && !pool->failed; i++)
        g->detection.scratch.looks[i].hits = hits + (size_t)i * (size_t)most;
    g->kept.sides = PELTI_NEW(pool, PeltiGiveWaySide, PELTI_MOST_KEPT_SIDES);
    g->kept.parts = pelti_pool_take(pool, PELTI_MOST_KEPT_SIDES, sizeof *g->kept.parts);
    g->own.bones_free = PELTI_NEW(pool, Mat34, g->skin.who->bone_count);
    g->own.node_matrix_free = PELTI_NEW(pool, PeltiNodeMatrix, g->skin.who->node_count);
    g->detection.contacts = PELTI_NEW(pool, GiveContact, GIVE_MOST_CONTACTS);
    g->linear.constraints = PELTI_NEW(pool, PeltiCoulombConstraint, GIVE_MOST_CONTACTS);
    g->linear.block_room = 24 * GIVE_MOST_CONTACTS;
    g->linear.blocks = PELTI_NEW(pool, PeltiContactBlock, g->linear.block_room);
    g->linear.scratch.side = PELTI_NEW(pool, PeltiContactBlock, joints);
    g->linear.u = pelti_pool_take(pool, joints, sizeof(double[3]));
    g->linear.u_now = pelti_pool_take(pool, joints, sizeof(double[3]));
    g->linear.scratch.turn_before = pelti_pool_take(pool, joints, sizeof(double[3]));
    if (pool->failed)
        return pelti_no_memory(err, pool->used_bytes);
    g->linear.system = (PeltiContactSystem){.constraints = g->linear.constraints, .blocks = g->linear.blocks, .u = g->linear.u};
    return PELT_OK;
}

static PeltStatus create(PeltiGiveWay *g, const PeltiGiveWayDef *def, PeltError *err)
{
    PeltScene scene = {.gravity = {0, -9.81f, 0}}; // sizes the joints' stiffness
    PeltiContactSkinDef skin = {
        .who = def->who, .weights = def->weights, .scene = &scene, .name = "character", .jobs = def->jobs};
    PELT_TRY(pelti_contact_skin_init(&g->skin, &g->pool, &skin, err));
    g->skin.most_back_s = MOST_BACK_S;
    g->skin.root.stiffness = 0; // no shift of all takes one part out of another
    PELT_TRY(pelti_contact_parts_create(&g->pool, def->who, def->weights, def->jobs, &g->parts, err));
    g->size = (double)def->who->mesh->diagonal;
    g->alarm = SELF_ALARM * g->size;
    PELT_TRY(take_room(g, err));
    PELT_TRY(list_influences(g, err));
    PELT_TRY(pelti_give_way_motion_create(g, err));
    find_crush(g);
    PELT_TRY(pelti_give_way_allow(g, err));
    if (g->settings.weigh)
        PELT_TRY(pelti_give_way_weigh_create(g, err));
    return pelti_give_way_shown_create(g, err);
}

PeltStatus pelti_give_way_create(const PeltiGiveWayDef *def, const PeltAllocator *allocator, PeltiGiveWay **out, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, allocator);
    PeltiGiveWay *g = PELTI_NEW(&pool, PeltiGiveWay, 1);
    if (!g) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, sizeof *g);
    }
    g->pool = pool;
    g->settings = def->settings;
    g->jobs = def->jobs;
    PeltStatus status = create(g, def, err);
    if (status != PELT_OK) {
        pelti_give_way_destroy(g);
        return status;
    }
    *out = g;
    return PELT_OK;
}

void pelti_give_way_destroy(PeltiGiveWay *g)
{
    if (!g)
        return;
    PeltiPool pool = g->pool; // it holds g itself
    pelti_pool_release(&pool);
}

// ---- a step ----

/// The solution becomes the joints' turns, no farther from the round's start than it can be trusted; the largest change.
static double take_turns(PeltiGiveWay *g)
{
    double most = 0;
    pelti_contact_skin_set(&g->skin, (const double(*)[3])g->linear.u);
    for (int j = 0; j < g->skin.joint_count; j++) {
        double *turn = g->skin.joints[j].turn, square = 0, size = 0;
        const double *before = g->linear.scratch.turn_before[j];
        for (int k = 0; k < 3; k++)
            square += (turn[k] - before[k]) * (turn[k] - before[k]);
        double change = sqrt(square), keep = change > TURN_IN_A_ROUND ? TURN_IN_A_ROUND / change : 1;
        for (int k = 0; k < 3; k++) {
            turn[k] = before[k] + keep * (turn[k] - before[k]);
            size += turn[k] * turn[k];
        }
        if (!(size > UNTURNED * UNTURNED))
            memset(turn, 0, sizeof(double[3]));
        most = fmax(most, change);
    }
    return most;
}

static void keep_places(PeltiGiveWay *g)
{
    memcpy(g->placed.before, g->placed.x, (size_t)g->parts.sample_count * sizeof(Vec3));
    memcpy(g->placed.last.bones, g->skin.pose.bones, (size_t)g->skin.who->bone_count * sizeof(Mat34));
    memcpy(g->placed.last.inverse, g->placed.inverse, (size_t)g->parts.part_count * sizeof(Mat34));
}

static bool any_turned(const PeltiGiveWay *g)
{
    for (int j = 0; j < g->skin.joint_count; j++)
        if (g->skin.joints[j].turn[0] != 0 || g->skin.joints[j].turn[1] != 0 || g->skin.joints[j].turn[2] != 0)
            return true;
    return false;
}

static void substep(PeltiGiveWay *g, double h, int rounds, PeltiGiveWayReport *report)
{
    PeltiCoulombSettings settings = {.tolerance = SELF_EXACT * g->size, .iterations = SELF_SWEEPS, .regularisation = SELF_GIVE};
    pelti_contact_skin_begin(&g->skin, COMES_BACK_S, h);
    for (int k = 0; k < rounds; k++) {
        for (int j = 0; j < g->skin.joint_count; j++)
            memcpy(g->linear.scratch.turn_before[j], g->skin.joints[j].turn, sizeof(double[3]));
        pelti_contact_skin_soften(&g->skin);
        pelti_give_way_detect(g);
        if (k == 0)
            report->depth_free = fmax(report->depth_free, g->detection.deepest / g->size);
        if (!(g->detection.deepest > 0) && !any_turned(g))
            break;
        pelti_give_way_assemble(g);
        PeltiCoulombResult r = pelti_coulomb_solve(&g->linear.system, &settings);
        pelti_give_way_remember(g);
        report->sweeps += r.iterations;
        report->rounds++;
        double change = take_turns(g);
        pelti_contact_skin_pose(&g->skin);
        pelti_give_way_place(g);
        if (change < TURNED_ENOUGH)
            break; // else look again: what let go may touch elsewhere
    }
    keep_places(g);
    pelti_give_way_bend(g);
}

/// Does the straight way from `was` to `now` lead through the part?
static bool leads_through(const PeltiContactPartField *field, Vec3 was, Vec3 now, double step)
{
    double way = (double)vec3_distance(was, now);
    int count = (int)fmin(ceil(way / step), WAY_LOOKS);
    for (int k = 0; k <= count; k++) {
        float phi;
        if (pelti_contact_part_field_at(field, vec3_lerp(was, now, (float)k / (float)count), &phi, NULL) &&
            phi < WAY_NEAR * field->radius)
            return true;
    }
    return false;
}

/// Motion of one part's samples relative to another part, of those that meet it on the way; in rest lengths of b. Less than
/// `step` is 0.
static double motion_past(const PeltiGiveWay *g, int a, int b, double step)
{
    const PeltiContactPart *pa = &g->parts.parts[a], *pb = &g->parts.parts[b];
    double most = step;
    if ((double)pelti_give_way_moved(g, a, b, &g->placed.last) < step)
        return 0;
    for (int s = pa->first_sample; s < pa->first_sample + pa->sample_count; s += 2) {
        Vec3 now = mat34_apply(g->placed.inverse[b], g->placed.x[s]),
             was = mat34_apply(g->placed.last.inverse[b], g->placed.before[s]);
        double moved = (double)vec3_distance(now, was);
        if (moved > most && leads_through(&pb->field, was, now, step))
            most = moved;
    }
    return most > step ? most : 0;
}

/// Nothing that may touch moves more than a share of the thinner part's depth at once, or it would be found on the wrong side.
static int count_substeps(PeltiGiveWay *g)
{
    double most = 0;
    int n = g->parts.part_count;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            const PeltiContactPart *pa = &g->parts.parts[a], *pb = &g->parts.parts[b];
            if (!pelti_give_way_asks(g, a, b) || !pelti_box_overlap(&g->placed.bounds[a], &g->placed.reach[b], 0))
                continue;
            float thin = pa->field.radius > 0 ? fminf(pa->field.radius, pb->field.radius) : pb->field.radius;
            double step = fmax(STEP_DEPTH * (double)thin, 1e-6 * g->size);
            most = fmax(most, motion_past(g, a, b, step) / step);
        }
    int count = (int)ceil(fmin(most, SELF_SUBSTEPS));
    return count < 1 ? 1 : count;
}

static void tell(PeltiGiveWay *g, PeltiGiveWayReport *report)
{
    report->contacts = g->detection.contact_count;
    report->most_joint = -1;
    for (int i = 0; i < g->detection.contact_count; i++)
        report->active += vec3_length(g->detection.contacts[i].force) > 0;
    for (int j = 0; j < g->skin.joint_count; j++) {
        const double *t = g->skin.joints[j].turn;
        double angle = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        PeltiGiveWayJoint *gave = &g->gave[j];
        gave->now = angle;
        gave->steps += angle > COUNTS_AS_TURNED;
        if (angle > gave->most)
            gave->most = angle, gave->most_step = g->past.steps;
        if (angle > report->most_turn)
            report->most_turn = angle, report->most_joint = j;
    }
    for (int i = 0; i < g->parts.part_count * g->parts.part_count; i++)
        report->held += g->past.sides[i].held;

    report->depth = g->detection.deepest / g->size;
    g->past.steps++;
}

const PeltiPose *pelti_give_way_step(PeltiGiveWay *g, const PeltiPose *free, double dt_s, bool restart,
                                     PeltiGiveWayReport *report)
{
    PeltiGiveWayReport now = {0};
    const PeltiCharacter *who = g->skin.who;
    restart |= !g->past.started;
    if (restart) {
        for (int j = 0; j < g->skin.joint_count; j++)
            memset(g->skin.joints[j].turn, 0, sizeof(double[3]));
        pelti_give_way_forget(g);
    }
    pelti_pose_copy(who, free, &g->skin.pose.free);
    pelti_contact_skin_pose(&g->skin);
    pelti_give_way_place(g);
    if (restart) {
        keep_places(g);
        now.substeps = 1;
        substep(g, 0, SELF_ROUNDS_AT_START, &now);
    } else {
        now.substeps = count_substeps(g);
        for (int k = 1; k <= now.substeps; k++) {
            if (now.substeps > 1) {
                pelti_pose_blend(who, &g->past.from, free, (float)k / (float)now.substeps, &g->skin.pose.free);
                pelti_contact_skin_pose(&g->skin);
                pelti_give_way_place(g);
            }
            substep(g, dt_s / now.substeps, k < now.substeps ? SELF_ROUNDS_ON_THE_WAY : SELF_ROUNDS, &now);
        }
    }
    pelti_give_way_release(g, restart ? 0 : dt_s);
    pelti_pose_copy(who, free, &g->past.from);
    g->past.started = true;
    tell(g, &now);
    if (report)
        *report = now;
    return pelti_give_way_shown(g, dt_s, restart);
}

int pelti_give_way_joint_count(const PeltiGiveWay *g)
{
    return g->skin.joint_count;
}

PeltiGiveWayJoint pelti_give_way_joint(const PeltiGiveWay *g, int joint)
{
    return g->gave[joint];
}

int pelti_give_way_push_count(const PeltiGiveWay *g)
{
    return g->detection.contact_count;
}

PeltiGivePush pelti_give_way_push(const PeltiGiveWay *g, int push)
{
    const GiveContact *c = &g->detection.contacts[push];
    const PeltiCharacter *who = g->skin.who;
    return (PeltiGivePush){.point = c->point,
                           .normal = c->normal,
                           .force = c->force,
                           .a = who->nodes[who->bones[g->parts.parts[c->a].bone].node].name,
                           .b = who->nodes[who->bones[g->parts.parts[c->b].bone].node].name};
}

static void keep_pose(const PeltiCharacter *who, PeltiPose *pose, PeltiSnapshot *s)
{
    PELTI_KEEP(s, pose->local, who->node_count);
    PELTI_KEEP(s, pose->touched, who->node_count);
    PELTI_KEEP(s, pose->morph, who->target_count);
}

void pelti_give_way_keep(PeltiGiveWay *g, PeltiSnapshot *s)
{
    const PeltiCharacter *who = g->skin.who;
    size_t parts = (size_t)g->parts.part_count, samples = (size_t)g->parts.sample_count;
    PELTI_KEEP(s, &g->past.started, 1);
    PELTI_KEEP(s, &g->past.steps, 1);
    keep_pose(who, &g->past.from, s);
    keep_pose(who, &g->skin.pose.corrected, s);
    PELTI_KEEP(s, g->skin.joints, g->skin.joint_count);
    PELTI_KEEP(s, g->skin.root.shift, 3);
    PELTI_KEEP(s, g->skin.root.base, 3);
    PELTI_KEEP(s, g->placed.before, samples);
    PELTI_KEEP(s, g->placed.last.bones, who->bone_count);
    PELTI_KEEP(s, g->placed.last.inverse, parts);
    PELTI_KEEP(s, g->past.sides, parts * parts);
    PELTI_KEEP(s, g->past.memory, samples);
    PELTI_KEEP(s, g->held_back.wanted, g->skin.joint_count);
    PELTI_KEEP(s, g->held_back.now, g->skin.joint_count);
    PELTI_KEEP(s, g->held_back.speed, g->skin.joint_count);
    if (g->settings.weigh)
        PELTI_KEEP(s, g->weigh.gate, g->skin.joint_count);
}
