/// A step of the pose corrector: detect, linearise, solve, move [Duriez2008 sec. 5].
#include "contact/corrector.h"

#include "contact/corrector_parts.h"
#include "contact/constants.def"

#include <string.h>

enum { MOST_OBJECTS = 4096 };

// ---- create ----

static PeltStatus check_scene(const PeltScene *scene, int character_count, PeltError *err)
{
    const float all[] = {scene->gravity[0],     scene->gravity[1],     scene->gravity[2],     scene->ground_height,
                         scene->friction,       scene->restitution,    scene->alarm_distance, scene->joint_stiffness,
                         scene->root_stiffness, scene->joint_damping_s};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(fabsf(all[i]) <= 1e12f))
            return PELT_FAIL(err, PELT_BAD_INPUT, "scene: a number is not finite");
    if (scene->friction < 0 || scene->restitution < 0 || scene->restitution > 1 || scene->alarm_distance < 0 ||
        scene->root_stiffness < 0 || scene->joint_damping_s < 0)
        return PELT_FAIL(
            err, PELT_BAD_INPUT,
            "scene: friction, alarm distance, stiffness and damping must not be negative, restitution lies in [0, 1]");
    if (scene->object_count > MOST_OBJECTS)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "scene: %d objects, at most %d are handled", scene->object_count, MOST_OBJECTS);
    if (scene->object_count < 0 || (scene->object_count && !scene->objects) || (scene->pair_count && !scene->pairs) ||
        (scene->joint_count && !scene->joints) || (scene->character_count && !scene->characters))
        return PELT_FAIL(err, PELT_BAD_INPUT, "scene: a list is missing");
    for (int i = 0; i < scene->object_count; i++) {
        const PeltSceneObject *o = &scene->objects[i];
        if (!o->name || !o->name[0] || (int)o->kind < 0 || o->kind > PELT_OBJECT_SOFT)
            return PELT_FAIL(err, PELT_BAD_INPUT, "scene: object %d has no name, or is neither fixed, rigid nor soft", i);
    }
    for (int i = 0; i < scene->object_count; i++)
        for (int k = 0; k < i && scene->object_count <= MANY_OBJECTS; k++)
            if (strcmp(scene->objects[i].name, scene->objects[k].name) == 0)
                return PELT_FAIL(err, PELT_BAD_INPUT, "scene: two objects are called %s", scene->objects[i].name);
    if (scene->object_count == 0 && character_count == 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "scene: nothing in it");
    return PELT_OK;
}

static PeltStatus make_skins(PeltiCorrector *c, const PeltiCorrectorDef *def, PeltError *err)
{
    const PeltiCharacter *const *who = def->who;
    for (int s = 0; s < c->things.skin_count; s++) {
        c->things.names[s] = s == 0                              ? "character"
                             : s - 1 < c->scene->character_count ? c->scene->characters[s - 1].name
                                                                 : "character";
        PeltiContactSkinDef skin = {
            .who = who[s], .weights = def->weights[s], .scene = c->scene, .name = c->things.names[s], .jobs = def->jobs};
        PELT_TRY(pelti_contact_skin_init(&c->things.skins[s], &c->pool, &skin, err));
        PELT_TRY(pelti_swing_init(&c->things.swings[s], &c->pool, &c->things.skins[s], err));
        PELT_TRY(pelti_surface_build(&c->pool, who[s]->mesh, &c->things.surfaces[s], err));
        c->things.skins[s].first_slot = c->linear.fixed_slots;
        c->linear.fixed_slots += pelti_contact_skin_slots(&c->things.skins[s]);
        c->things.from[s] = pelti_pose_new(&c->pool, who[s]);
    }
    return PELT_OK;
}

static PeltStatus make_bodies(PeltiCorrector *c, PeltiLog *log, PeltError *err)
{
    double most = 0;
    for (int b = 0; b < c->things.body_count; b++) {
        PeltiMesh *mesh;
        PeltiContactBody *body = &c->things.bodies[b];
        int s = c->things.skin_count + b;
        PELT_TRY(pelti_contact_body_init(body, &c->pool, &c->scene->objects[b], &mesh, log, err));
        PELT_TRY(pelti_surface_build(&c->pool, mesh, &c->things.surfaces[s], err));
        c->things.names[s] = body->def->name;
        body->surface = s;
        if (body->kind == PELT_OBJECT_RIGID) {
            body->first_slot = c->linear.fixed_slots;
            c->linear.fixed_slots += 2;
        }
        if (body->kind == PELT_OBJECT_SOFT)
            PELT_TRY(pelti_soft_create(&c->pool, body, mesh, &body->soft, err));
        if (body->kind != PELT_OBJECT_FIXED)
            most = fmax(most, (double)mesh->diagonal);
    }
    for (int s = 0; s < c->things.skin_count; s++)
        c->size = fmax(c->size, (double)c->things.surfaces[s].mesh->diagonal);
    c->size = c->size > 0 ? c->size : most > 0 ? most : 1;
    return PELT_OK;
}

static int most_vertices(const PeltiCorrector *c) ///< of a skin
{
    int most = 0;
    for (int s = 0; s < c->things.skin_count; s++)
        most = c->things.surfaces[s].mesh->vertex_count > most ? c->things.surfaces[s].mesh->vertex_count : most;
    return most;
}

static PeltStatus take_room(PeltiCorrector *c, PeltError *err)
{
    PeltiPool *pool = &c->pool;
    int pieces = 0, soft = 0, joints = 2;
    const PeltiBoxTree *widest = c->things.surface_count ? c->things.surfaces[0].tree : NULL;
    for (int s = 0; s < c->things.surface_count; s++)
        if (c->things.surfaces[s].tree->piece_count > pieces)
            pieces = c->things.surfaces[s].tree->piece_count, widest = c->things.surfaces[s].tree;
    for (int b = 0; b < c->things.body_count; b++)
        soft += c->things.bodies[b].soft != NULL;
    for (int s = 0; s < c->things.skin_count; s++)
        joints = c->things.skins[s].joint_count + 1 > joints ? c->things.skins[s].joint_count + 1 : joints;
    int slots = c->linear.fixed_slots + soft * PELTI_SOFT_SLOTS;
    c->detection.bounds = PELTI_NEW(pool, PeltiBox, c->things.surface_count);
    c->detection.touches = (PeltiContactTouches){.list = PELTI_NEW(pool, PeltiContactTouch, CORRECTOR_MOST_CONTACTS),
                                                 .capacity = CORRECTOR_MOST_CONTACTS};
    c->contacts.next = PELTI_NEW(pool, CorrectorKnown, CORRECTOR_MOST_CONTACTS);
    c->contacts.solved = PELTI_NEW(pool, CorrectorKnown, CORRECTOR_MOST_CONTACTS);
    c->contacts.match_scratch = PELTI_NEW(pool, int, CORRECTOR_MATCH_SLOTS);
    c->linear.constraints = PELTI_NEW(pool, PeltiCoulombConstraint, CORRECTOR_MOST_CONTACTS);
    c->linear.blocks = PELTI_NEW(pool, PeltiContactBlock, CORRECTOR_MOST_CONTACTS * CORRECTOR_BLOCKS_A_CONTACT);
    c->linear.side_scratch = PELTI_NEW(pool, PeltiContactBlock, joints + 3);
    c->linear.frames = PELTI_NEW(pool, CorrectorFrame, CORRECTOR_MOST_CONTACTS);
    c->linear.slot_group = PELTI_NEW(pool, int, slots + 1);
    c->linear.groups = PELTI_NEW(pool, PeltiCoulombCompliance, soft + 1);
    c->linear.u = pelti_pool_take(pool, (size_t)slots + 1, sizeof(double[3]));
    c->linear.u_now = pelti_pool_take(pool, (size_t)slots + 1, sizeof(double[3]));
    c->soft_scratch.force = pelti_pool_take(pool, PELTI_SOFT_SLOTS, sizeof(double[3]));
    c->push_scratch.push = PELTI_NEW(pool, PeltiCorrectorPush, most_vertices(c));
    c->push_scratch.queue = PELTI_NEW(pool, int, 2 * most_vertices(c));
    c->soft_scratch.compliance = PELTI_NEW(pool, double, (size_t)soft * 9 * PELTI_SOFT_SLOTS * PELTI_SOFT_SLOTS);
    if (pool->failed)
        return pelti_no_memory(err, pool->used_bytes);
    // 24 MB, the size of an array: what vertices remember, so that they need not be asked; where it is full, all are asked anew
    PELT_TRY(pelti_contact_near_create(pool, c->things.surface_count, c->things.surfaces, (size_t)24 << 20, &c->detection.memory,
                                       err));
    PELT_TRY(pelti_pairs_create(pool, 8 * CORRECTOR_MOST_CONTACTS, widest, &c->detection.touches.pairs_scratch, err));
    for (int s = 0; s < c->things.surface_count; s++)
        c->detection.bounds[s] = c->things.surfaces[s].tree->node_count ? c->things.surfaces[s].tree->nodes[0].box
                                                                        : (PeltiBox){vec3(1, 1, 1), vec3(-1, -1, -1)};
    PELT_TRY(pelti_box_tree_build(pool, c->things.surface_count, c->detection.bounds, &c->detection.broad, err));
    c->linear.system = (PeltiContactSystem){.constraints = c->linear.constraints,
                                            .blocks = c->linear.blocks,
                                            .slot_group = c->linear.slot_group,
                                            .groups = c->linear.groups,
                                            .u = c->linear.u};
    c->linear.system.newton = pelti_newton_new(pool);
    if (!c->linear.system.newton)
        return pelti_no_memory(err, pool->used_bytes);
    return pelti_pairs_create(pool, 8 * (c->things.surface_count + 8), c->detection.broad, &c->detection.near, err);
}

PeltStatus pelti_corrector_create(const PeltiCorrectorDef *def, const PeltAllocator *allocator, PeltiCorrector **out,
                                  PeltError *err)
{
    const PeltScene *scene = def->scene;
    PELT_TRY(check_scene(scene, def->character_count, err));
    PeltiPool pool;
    pelti_pool_init(&pool, allocator);
    PeltiCorrector *c = PELTI_NEW(&pool, PeltiCorrector, 1);
    if (!c) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, sizeof *c);
    }
    c->pool = pool;
    c->scene = scene;
    c->log = def->log;
    c->jobs = def->jobs;
    c->settings = def->settings;
    c->settings.linearisations = c->settings.linearisations > 0 ? c->settings.linearisations : ROUNDS;
    c->settings.most_substeps = c->settings.most_substeps > 0 ? c->settings.most_substeps : SUBSTEPS;
    c->things.skin_count = def->character_count;
    c->things.body_count = scene->object_count;
    c->things.surface_count = c->things.skin_count + c->things.body_count;
    c->things.skins = PELTI_NEW(&c->pool, PeltiContactSkin, c->things.skin_count);
    c->things.swings = PELTI_NEW(&c->pool, PeltiSwing, c->things.skin_count);
    c->things.bodies = PELTI_NEW(&c->pool, PeltiContactBody, c->things.body_count);
    c->things.surfaces = PELTI_NEW(&c->pool, PeltiSurface, c->things.surface_count);
    c->things.names = PELTI_NEW(&c->pool, const char *, c->things.surface_count);
    c->things.from = PELTI_NEW(&c->pool, PeltiPose, c->things.skin_count);
    c->things.overlaps = PELTI_NEW(&c->pool, bool, c->things.surface_count + 1);
    for (int k = 0; k < 3; k++)
        c->gravity[k] = (double)scene->gravity[k];
    PeltStatus status = c->pool.failed ? pelti_no_memory(err, c->pool.used_bytes) : make_skins(c, def, err);
    status = status == PELT_OK ? make_bodies(c, def->log, err) : status;
    status = status == PELT_OK ? take_room(c, err) : status;
    if (status != PELT_OK) {
        pelti_corrector_destroy(c);
        return status;
    }
    c->alarm = scene->alarm_distance > 0 ? (double)scene->alarm_distance : ALARM * c->size;
    pelti_corrector_detect(c, c->alarm); // also places everything
    for (int s = 0; s < c->things.surface_count; s++)
        memcpy(c->things.surfaces[s].before, c->things.surfaces[s].x,
               (size_t)c->things.surfaces[s].mesh->vertex_count * sizeof(Vec3));
    *out = c;
    return PELT_OK;
}

void pelti_corrector_destroy(PeltiCorrector *c)
{
    if (!c)
        return;
    for (int b = 0; c->things.bodies && b < c->things.body_count; b++)
        pelti_soft_destroy(c->things.bodies[b].soft);
    PeltiPool pool = c->pool; // it holds c itself
    pelti_pool_release(&pool);
}

// ---- a step ----

static void keep_places(PeltiCorrector *c)
{
    for (int s = 0; s < c->things.surface_count; s++) {
        PeltiSurface *surface = &c->things.surfaces[s];
        if (s < c->things.skin_count)
            pelti_contact_skin_place(&c->things.skins[s], c->things.skins[s].pose.bones, surface->x);
        else if (c->things.bodies[s - c->things.skin_count].soft)
            pelti_soft_place(c->things.bodies[s - c->things.skin_count].soft, surface->x);
        else
            pelti_contact_body_place(&c->things.bodies[s - c->things.skin_count], surface->x, surface->mesh->vertex_count);
        memcpy(surface->before, surface->x, (size_t)surface->mesh->vertex_count * sizeof(Vec3));
    }
}

/// Motion of a body's centre in the step, if nothing stops it.
static Vec3 shift_of(const PeltiCorrector *c, int surface, double dt)
{
    const PeltiContactBody *body = surface < c->things.skin_count ? NULL : &c->things.bodies[surface - c->things.skin_count];
    if (!body || (body->kind == PELT_OBJECT_FIXED && !body->hand.held))
        return vec3(0, 0, 0);
    if (body->soft) {
        double p[3], scale = dt / body->mass;
        pelti_soft_momentum(body->soft, p);
        return vec3((float)(scale * p[0]), (float)(scale * p[1]), (float)(scale * p[2]));
    }
    return vec3((float)(dt * body->now.velocity[0]), (float)(dt * body->now.velocity[1]), (float)(dt * body->now.velocity[2]));
}

static PeltiBox grown(const PeltiBox *box, Vec3 by, double margin)
{
    Vec3 m = vec3((float)margin, (float)margin, (float)margin);
    return (PeltiBox){vec3_sub(vec3_min(box->low, vec3_add(box->low, by)), m),
                      vec3_add(vec3_max(box->high, vec3_add(box->high, by)), m)};
}

/// How far vertices of a skin that come near the other surface move relative to it.
static double skin_motion(const PeltiSurface *skin, double moved, const PeltiBox *bounds, Vec3 shift, double alarm)
{
    PeltiBox box = grown(bounds, vec3(0, 0, 0), MOVES_AT_ONCE * alarm + moved + (double)vec3_length(shift));
    double most = 0;
    for (int v = 0; v < skin->mesh->vertex_count; v++) {
        Vec3 p = skin->before[v], d = vec3_sub(vec3_sub(skin->x[v], p), shift);
        double length = (double)vec3_length(d);
        if (length <= most || p.x < box.low.x || p.x > box.high.x || p.y < box.low.y || p.y > box.high.y || p.z < box.low.z ||
            p.z > box.high.z)
            continue;
        most = length;
    }
    return most;
}

/// How far bodies move that come near other bodies or the ground.
static double body_motion(const PeltiCorrector *c, double dt)
{
    double most = 0;
    for (int b = c->things.skin_count; b < c->things.surface_count; b++) {
        Vec3 shift = shift_of(c, b, dt);
        PeltiBox swept = grown(&c->detection.bounds[b], shift, c->alarm);
        double length = (double)vec3_length(shift);
        if (length <= most)
            continue;
        if (c->things.body_count > MANY_OBJECTS || (c->scene->has_ground && swept.low.y < c->scene->ground_height))
            most = length;
        for (int o = c->things.skin_count; o < c->things.surface_count && c->things.body_count <= MANY_OBJECTS; o++) {
            Vec3 other = shift_of(c, o, dt);
            PeltiBox other_swept = grown(&c->detection.bounds[o], other, c->alarm);
            if (o != b && pelti_box_overlap(&swept, &other_swept, 0))
                most = fmax(most, (double)vec3_distance(shift, other));
        }
    }
    return most;
}

/// Poses the skins where this step would end with the last correction, to see how far they go. Parts of the step pose them anew.
static void aim_skins(PeltiCorrector *c, const PeltiPose *free)
{
    for (int s = 0; s < c->things.skin_count; s++) {
        PeltiContactSkin *skin = &c->things.skins[s];
        pelti_pose_copy(skin->who, &free[s], &skin->pose.free);
        pelti_contact_skin_pose(skin);
        pelti_contact_skin_place(skin, skin->pose.bones, c->things.surfaces[s].x);
    }
}

/// How often to cut the step on the way to where the skins are aimed: nothing near anything else may move farther at once,
/// relative to it.
static int count_substeps(const PeltiCorrector *c, double dt)
{
    double most = body_motion(c, dt);
    for (int s = 0; s < c->things.skin_count; s++) {
        const PeltiSurface *surface = &c->things.surfaces[s];
        PeltiBox swept = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
        double moved = 0;
        for (int v = 0; v < surface->mesh->vertex_count; v++) {
            Vec3 p = surface->x[v], q = surface->before[v];
            double d = (double)vec3_distance(p, q);
            pelti_box_take(&swept, p);
            pelti_box_take(&swept, q);
            moved = d > moved ? d : moved;
            if (c->scene->has_ground && d > most && (double)(p.y < q.y ? p.y : q.y) < (double)c->scene->ground_height + c->alarm)
                most = d;
        }
        for (int o = 0; o < c->things.surface_count; o++) {
            Vec3 shift = shift_of(c, o, dt);
            PeltiBox reach = grown(&c->detection.bounds[o], shift, MOVES_AT_ONCE * c->alarm);
            if (o != s && pelti_box_overlap(&swept, &reach, 0))
                most = fmax(most, skin_motion(surface, moved, &c->detection.bounds[o], shift, c->alarm));
        }
    }
    int n = (int)fmin(ceil(most / (MOVES_AT_ONCE * c->alarm)), c->settings.most_substeps);
    int power = 1;
    while (power < n)
        power *= 2; // few different steps: a soft body is factored for each
    return power;
}

static PeltiCoulombSettings solver_settings(const PeltiCorrector *c)
{
    bool final = c->settings.final;
    return (PeltiCoulombSettings){.tolerance = (final ? EXACT_FINAL : EXACT_NORMAL) * c->size,
                                  .iterations = final ? SWEEPS_FINAL : SWEEPS_NORMAL,
                                  .regularisation = final ? GIVE_FINAL : GIVE_NORMAL};
}

/// How far one contact's side moves along its normal from where the problem was linearised to the solution, at most.
static double farthest_moved(const PeltiCorrector *c)
{
    double moved = 0;
    for (int i = 0; i < c->linear.system.constraint_count; i++) {
        const PeltiCoulombConstraint *k = &c->linear.constraints[i];
        for (int b = 0; b < k->block_count; b++) {
            const PeltiContactBlock *block = &c->linear.blocks[k->first_block + b];
            const double *u = c->linear.u[block->slot], *now = c->linear.u_now[block->slot];
            double along = 0;
            for (int e = 0; e < 3; e++)
                along += block->j[0][e] * (u[e] - now[e]);
            moved = fmax(moved, fabs(along));
        }
    }
    return moved;
}

static void pose_skins(PeltiCorrector *c)
{
    for (int s = 0; s < c->things.skin_count; s++)
        pelti_contact_skin_pose(&c->things.skins[s]);
}

/// The contacts of this solve are those that are known from here on, and what the next solve guesses from.
static void hand_on_contacts(PeltiCorrector *c)
{
    CorrectorKnown *room = c->contacts.solved;
    c->contacts.solved = c->contacts.next, c->contacts.solved_count = c->contacts.next_count, c->contacts.next = room;
}

static void tell_solve(const PeltiCorrector *c, const PeltiCoulombResult *result, PeltiContactReport *report)
{
    report->iterations += result->iterations;
    report->linearisations++;
    report->work += result->work;
    report->change = result->change / c->size;
    report->converged &= result->converged;
}

/// More rounds than are set only where things are still on their way.
static bool goes_on(const PeltiCorrector *c, int round, double moved)
{
    int most = c->settings.linearisations;
    return round < most || (round < ROUNDS_ON * most && moved > c->alarm);
}

/// `loose`: a part of a frame that is not its end; the next part puts right what is left. `work`: visits to contacts at most.
static void solve_step(PeltiCorrector *c, double h, bool loose, long work, PeltiContactReport *report)
{
    PeltiCoulombSettings settings = solver_settings(c);
    double moved = 0, enough = c->settings.final ? ENOUGH_FINAL : loose ? ENOUGH_LOOSE : ENOUGH_NORMAL;
    for (int round = 0; work > 0 && goes_on(c, round, moved); round++) {
        pelti_corrector_detect(c, c->alarm +
                                      fmin(moved, SEEN_FARTHER * c->alarm)); // what contact pushed apart must stay in the problem
        c->escapes.look = false;
        pelti_corrector_assemble(c, h);
        settings.work = work;
        PeltiCoulombResult result = pelti_coulomb_solve(&c->linear.system, &settings);
        moved = farthest_moved(c);
        pelti_corrector_take(c, h);
        pose_skins(c);
        hand_on_contacts(c);
        tell_solve(c, &result, report);
        work -= result.work;
        if (c->linear.system.constraint_count == 0 || moved < enough * c->alarm)
            break;
    }
}

static void keep_momentum(PeltiCorrector *c, double h)
{
    for (int i = 0; i < c->contacts.solved_count; i++) {
        const CorrectorKnown *k = &c->contacts.solved[i];
        PeltiContactBody *a = k->touch.a < c->things.skin_count ? NULL : &c->things.bodies[k->touch.a - c->things.skin_count],
                         *b = k->touch.b < c->things.skin_count ? NULL : &c->things.bodies[k->touch.b - c->things.skin_count];
        if (a && b && a->kind == PELT_OBJECT_RIGID && b->kind == PELT_OBJECT_RIGID && !a->hand.held && !b->hand.held)
            pelti_contact_body_keep_momentum(a, b, (double[3]){(double)k->force.x, (double)k->force.y, (double)k->force.z}, h);
    }
}

/// A skin that has left what it started in is from now on kept out of it at any speed.
static void forget_overlaps(PeltiCorrector *c)
{
    for (int s = c->things.skin_count; s <= c->things.surface_count; s++) {
        bool inside = false;
        for (int i = 0; i < c->detection.touches.count && c->things.overlaps[s]; i++) { // as detected last
            const PeltiContactTouch *t = &c->detection.touches.list[i];
            inside |= (t->b < 0 ? c->things.surface_count : t->b) == s && t->gap < -INSIDE * c->alarm;
        }
        c->things.overlaps[s] &= inside;
    }
}

static bool stands(const PeltiCorrector *c, int surface) ///< the ground or a fixed object; what a hand holds will be let go
{
    return surface < 0 ||
           (surface >= c->things.skin_count && c->things.bodies[surface - c->things.skin_count].kind == PELT_OBJECT_FIXED);
}

/// Something near the skin can move: another skin, or an object.
static bool movable_near(const PeltiCorrector *c, int skin)
{
    for (int i = 0; i < c->detection.near.count; i++) {
        int a = c->detection.near.pairs[i].a, b = c->detection.near.pairs[i].b;
        if ((a == skin && !stands(c, b)) || (b == skin && !stands(c, a)))
            return true;
    }
    return false;
}

/// Joints that swing skin farther than contacts with what stands ask are stiffer from the next step on. Not beside what can move:
/// there the joints' springs say how fingers close on it, and how firmly it is held.
static void weigh_swings(PeltiCorrector *c)
{
    for (int s = 0; s < c->things.skin_count; s++) {
        PeltiSwing *swing = &c->things.swings[s];
        PeltiContactSkin *skin = &c->things.skins[s];
        bool stays = !movable_near(c, s);
        pelti_swing_begin(swing, skin);
        for (int i = 0; i < c->contacts.solved_count && stays; i++) {
            const CorrectorKnown *k = &c->contacts.solved[i];
            if (k->touch.a == s && vec3_dot(k->force, k->force) > 0)
                pelti_swing_contact(swing, skin, &k->touch);
        }
        pelti_swing_end(swing, skin, c->alarm);
    }
}

/// The skins go on to `share` of the way from the last free pose to this one.
static void begin_skins(PeltiCorrector *c, const PeltiPose *free, float share, double h)
{
    for (int s = 0; s < c->things.skin_count; s++) {
        PeltiContactSkin *skin = &c->things.skins[s];
        pelti_pose_blend(skin->who, &c->things.from[s], &free[s], share, &skin->pose.free);
        pelti_contact_skin_begin(skin, (double)c->scene->joint_damping_s, h);
        pelti_contact_skin_pose(skin); // with the last correction: near where it will end
    }
}

static void free_steps(PeltiCorrector *c, double h)
{
    for (int b = 0; b < c->things.body_count; b++) {
        PeltiContactBody *body = &c->things.bodies[b];
        if (body->soft)
            pelti_soft_free_step(body->soft, c->gravity, h);
        else
            pelti_contact_body_free_step(body, c->gravity, h);
    }
}

static void keep_bends(PeltiCorrector *c)
{
    for (int i = 0; i < c->contacts.solved_count; i++) {
        CorrectorKnown *k = &c->contacts.solved[i];
        Vec3 along = vec3_mad(k->force, k->touch.normal, -vec3_dot(k->force, k->touch.normal));
        k->bend = vec3_scale(along, (float)k->epsilon);
    }
}

static void end_bodies(PeltiCorrector *c, double h)
{
    for (int b = 0; b < c->things.body_count; b++) {
        if (c->things.bodies[b].soft)
            pelti_soft_end_step(c->things.bodies[b].soft, h);
        else
            pelti_contact_body_end_step(&c->things.bodies[b], h);
    }
}

static void substep(PeltiCorrector *c, const PeltiPose *free, float share, double h, long work, PeltiContactReport *report)
{
    begin_skins(c, free, share, h);
    free_steps(c, h);
    solve_step(c, h, share < 1, work, report);
    keep_bends(c);
    weigh_swings(c);
    keep_momentum(c, h);
    forget_overlaps(c);
    pelti_corrector_forget_escapes(c, h);
    keep_places(c);
    end_bodies(c, h);
}

static void fill_report(const PeltiCorrector *c, PeltiContactReport *report)
{
    report->contacts = c->contacts.solved_count;
    report->dropped = c->detection.touches.dropped;
    for (int i = 0; i < c->contacts.solved_count; i++) {
        double f = (double)vec3_length(c->contacts.solved[i].force);
        report->active += f > 0;
        report->most_force = fmax(report->most_force, f);
        report->deepest = fmax(report->deepest, -c->contacts.solved[i].touch.gap / c->size);
    }
}

/// The first pair that starts inside each other: it is pushed apart slowly, which a user should expect.
static void say_what_overlaps(PeltiCorrector *c)
{
    const PeltiContactTouch *worst = NULL;
    for (int i = 0; i < c->detection.touches.count; i++) {
        const PeltiContactTouch *t = &c->detection.touches.list[i];
        if (t->gap < (worst ? worst->gap : -c->alarm))
            worst = t;
        if (t->gap < -INSIDE * c->alarm)
            c->things.overlaps[t->b < 0 ? c->things.surface_count : t->b] = true;
    }
    if (worst)
        pelti_warn(c->log, "scene-overlap", "%s and %s start %g inside each other: they are pushed apart at a bounded speed",
                   c->things.names[worst->a], worst->b < 0 ? "ground" : c->things.names[worst->b], -worst->gap);
}

static void drive_bodies(PeltiCorrector *c, double dt)
{
    for (int b = 0; b < c->things.body_count; b++) {
        if (c->things.bodies[b].soft)
            pelti_soft_drive(c->things.bodies[b].soft, dt);
        else
            pelti_contact_body_drive(&c->things.bodies[b], dt);
    }
}

/// No time passes: all is where it is, and nothing is solved.
static void stand_still(PeltiCorrector *c, const PeltiPose *free)
{
    for (int s = 0; s < c->things.skin_count; s++)
        pelti_pose_copy(c->things.skins[s].who, &free[s], &c->things.skins[s].pose.free);
    pose_skins(c);
    c->escapes.look = true;
    pelti_corrector_detect(c, c->alarm);
    keep_places(c);
    if (!c->started) {
        say_what_overlaps(c);
        pelti_corrector_find_escapes(c);
    }
    c->started = true;
}

/// Visits to contacts that a step may take.
static long most_work(const PeltiCorrector *c)
{
    long work = c->settings.work > 0 ? c->settings.work : (long)WORK * (c->settings.final ? WORK_FINAL : 1);
    return c->escapes.sparing_s > 0 && work > WORK_INSIDE ? WORK_INSIDE : work;
}

static void move_on(PeltiCorrector *c, const PeltiPose *free, double dt_s, PeltiContactReport *report)
{
    aim_skins(c, free);
    int count = report->substeps = count_substeps(c, dt_s);
    long work = most_work(c);
    c->escapes.look = true;          // once a step
    for (int k = 1; k <= count; k++) // each may use its share of what is left
        substep(c, free, (float)k / (float)count, dt_s / count, (work - report->work) / (count + 1 - k), report);
}

void pelti_corrector_step(PeltiCorrector *c, const PeltiPose *free, double dt_s, PeltiPose *corrected, PeltiContactReport *report)
{
    PeltiContactReport now = {.converged = true};
    bool passes = c->started && dt_s > 0;
    c->detection.touches.dropped = 0;
    drive_bodies(c, passes ? dt_s : 0);
    if (passes)
        move_on(c, free, dt_s, &now);
    else
        stand_still(c, free);
    for (int s = 0; s < c->things.skin_count; s++) {
        pelti_pose_copy(c->things.skins[s].who, &free[s], &c->things.from[s]);
        pelti_pose_copy(c->things.skins[s].who, &c->things.skins[s].pose.corrected, &corrected[s]);
    }
    fill_report(c, &now);
    if (report)
        *report = now;
}

void pelti_corrector_shown(PeltiCorrector *c, int character, const Vec3 *vertices, bool swings)
{
    PeltiContactSkin *skin = &c->things.skins[character];
    PeltiSurface *surface = &c->things.surfaces[character];
    pelti_contact_skin_shown(skin, vertices, swings ? SWING_SHARE : 1);
    pelti_contact_skin_place(skin, skin->pose.bones, surface->x);
    memcpy(surface->before, surface->x, (size_t)surface->mesh->vertex_count * sizeof(Vec3));
}

int pelti_corrector_contact_count(const PeltiCorrector *c)
{
    return c->contacts.solved_count;
}

PeltiContactPoint pelti_corrector_contact(const PeltiCorrector *c, int index)
{
    const CorrectorKnown *k = &c->contacts.solved[index];
    return (PeltiContactPoint){.a = c->things.names[k->touch.a],
                               .b = k->touch.b < 0 ? "ground" : c->things.names[k->touch.b],
                               .point = vec3_lerp(k->touch.point_a, k->touch.point_b, 0.5f),
                               .normal = k->touch.normal,
                               .force = k->force,
                               .gap = k->touch.gap,
                               .slides = k->slides};
}

int pelti_corrector_object_count(const PeltiCorrector *c)
{
    return c->things.body_count;
}

void pelti_corrector_hold(PeltiCorrector *c, int index, Trs goal)
{
    PeltiContactTurn turn;
    const float q[4] = {goal.rotation.x, goal.rotation.y, goal.rotation.z, goal.rotation.w};
    pelti_contact_turn_from_quat(q, &turn);
    const double origin[3] = {(double)goal.translation.x, (double)goal.translation.y, (double)goal.translation.z};
    if (c->things.bodies[index].soft)
        pelti_soft_hold(c->things.bodies[index].soft, origin);
    else
        pelti_contact_body_hold(&c->things.bodies[index], origin, &turn);
}

void pelti_corrector_let_go(PeltiCorrector *c, int index)
{
    if (c->things.bodies[index].soft)
        pelti_soft_let_go(c->things.bodies[index].soft);
    else
        pelti_contact_body_let_go(&c->things.bodies[index]);
}

PeltiCorrectorView pelti_corrector_object(const PeltiCorrector *c, int index)
{
    const PeltiContactBody *body = &c->things.bodies[index];
    const PeltiSurface *surface = &c->things.surfaces[body->surface];
    PeltiCorrectorView view = {.name = body->def->name,
                               .kind = body->kind,
                               .vertex_count = surface->mesh->vertex_count,
                               .triangle_count = surface->mesh->triangle_count,
                               .x = surface->before,
                               .triangles = surface->mesh->triangles,
                               .rest = surface->mesh->rest,
                               .mass = body->mass};
    pelti_contact_body_frame(body, &view.frame);
    memcpy(view.velocity, body->now.velocity, sizeof view.velocity);
    memcpy(view.momentum, body->now.momentum, sizeof view.momentum);
    memcpy(view.centre, body->now.at, sizeof view.centre);
    pelti_contact_body_spin(body, view.spin);
    if (body->soft) {
        pelti_soft_centre(body->soft, view.centre);
        pelti_soft_momentum(body->soft, view.velocity);
        for (int k = 0; k < 3; k++)
            view.velocity[k] /= body->mass;
    }
    return view;
}
