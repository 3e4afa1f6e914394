/// A step of the last word: from the last safe skin towards the wanted one as far as nothing crosses [Li2021].
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

// ---- the way from pose to pose ----

typedef struct WantedPlaces {
    const PeltiTouch *t;
    const Mat34 *bones;
    Vec3 *out;
    float share;
} WantedPlaces;

Vec3 pelti_touch_blend(const PeltiTouch *t, const Mat34 *bones, int v)
{
    Vec3 sum = {0, 0, 0};
    for (int k = 0; k < TOUCH_INFLUENCES; k++)
        if (t->rest.weight[v][k] > 0)
            sum = vec3_mad(sum, mat34_apply(bones[t->rest.bone[v][k]], t->mesh->rest[v]), t->rest.weight[v][k]);
    return sum;
}

/// Linear blend skinning plus the method's offset from it, which goes evenly, as seen from its bone, from the last pose's to this
/// one's.
static void blend_range(void *context, int begin, int end, int worker)
{
    const WantedPlaces *b = context;
    const PeltiTouch *t = b->t;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Vec3 offset = vec3_lerp(t->way.offset[0][v], t->way.offset[1][v], b->share);
        b->out[v] = vec3_add(pelti_touch_blend(t, b->bones, v), mat34_apply_vector(b->bones[t->rest.bone[v][0]], offset));
    }
}

typedef struct Offsets {
    PeltiTouch *t;
    const Mat34 *bones;
    const Vec3 *skin;
    Vec3 *out;
} Offsets;

static void offset_range(void *context, int begin, int end, int worker)
{
    const Offsets *o = context;
    const PeltiTouch *t = o->t;
    (void)worker;
    for (int v = begin; v < end; v++)
        o->out[v] =
            mat34_apply(t->scratch.bone_back[t->rest.bone[v][0]], vec3_sub(o->skin[v], pelti_touch_blend(t, o->bones, v)));
}

/// The offset of `skin` from linear blend skinning by `bones`, seen from each vertex' strongest bone.
static void find_offsets(PeltiTouch *t, const Mat34 *bones, const Vec3 *skin, Vec3 *out)
{
    for (int b = 0; b < t->who->bone_count; b++) {
        Mat3 back = mat3_identity();
        if (!mat3_inverse(mat34_linear(bones[b]), &back))
            back = mat3_scale(back, 0); // a bone that collapses carries no offset
        t->scratch.bone_back[b] = mat34_from(back, vec3(0, 0, 0));
    }
    pelti_parallel_for(t->jobs, t->count, 8 * TOUCH_GRAIN, offset_range, &(Offsets){t, bones, skin, out});
}

typedef struct Pairing { ///< of two shapes of the skin, vertex by vertex
    PeltiTouch *t;
    const Vec3 *from, *to;
} Pairing;

/// Sums over a block: p, q and q p^T, p and q as seen from the first vertex.
static void sum_range(void *context, int begin, int end, int worker)
{
    const Pairing *pair = context;
    double *sum = pair->t->scratch.sums[begin / TOUCH_BLOCK];
    Vec3 a = pair->from[0], b = pair->to[0];
    (void)worker;
    memset(sum, 0, sizeof *pair->t->scratch.sums);
    for (int v = begin; v < end; v++)
        pelti_touch_sum_pair(sum, a, pair->from[v], b, pair->to[v]);
}

/// The rigid motion that takes `from` nearest to `to`: moving all skin so crosses nothing.
static Mat34 common_motion(PeltiTouch *t, const Vec3 *from, const Vec3 *to)
{
    double sum[TOUCH_SUMS] = {0};
    pelti_parallel_for(t->jobs, t->count, TOUCH_BLOCK, sum_range, &(Pairing){t, from, to});
    for (int b = 0; b * TOUCH_BLOCK < t->count; b++)
        for (int i = 0; i < TOUCH_SUMS; i++)
            sum[i] += t->scratch.sums[b][i];
    return pelti_touch_rigid(sum, t->count, t->rest.size, from[0], to[0]);
}

static void speed_range(void *context, int begin, int end, int worker)
{
    const Pairing *pair = context;
    PeltiTouch *t = pair->t;
    (void)worker;
    for (int v = begin; v < end; v++)
        t->way.speed[v] = vec3_distance(mat34_apply(t->way.common, pair->from[v]), pair->to[v]);
}

/// What all skin has in common on the way between two shapes, and how fast each vertex is apart from that; returns the most.
static float find_speeds(PeltiTouch *t, const Vec3 *from, const Vec3 *to)
{
    float most = 0;
    t->way.common = common_motion(t, from, to);
    pelti_parallel_for(t->jobs, t->count, 8 * TOUCH_GRAIN, speed_range, &(Pairing){t, from, to});
    for (int v = 0; v < t->count; v++)
        most = larger(most, t->way.speed[v]);
    return most;
}

static void carry(PeltiTouch *t, float fastest)
{
    for (int v = 0; v < t->count; v++)
        t->state.x[v] = mat34_apply(t->way.common, t->scratch.before.x[v]);
    t->state.pace = fastest < STILL * t->rest.size ? CALMER * t->state.pace : 1;
}

static bool anything_lags(const PeltiTouch *t)
{
    for (int v = 0; v < t->count; v++)
        if (vec3_dot(t->state.lag[v], t->state.lag[v]) > 0)
            return true;
    return false;
}

/// Lags turn with the bones that carry them. Turns are taken out of matrices, as matrices are all there is of a place between
/// two poses: the step's joint turns are those of its end, and multiplied down the tree they would leave out what an ancestor's
/// stretch, or a shear, adds to a bone's turn.
static void turn_lags(PeltiTouch *t)
{
    bool any = anything_lags(t);
    for (int b = 0; b < t->who->bone_count && any; b++) {
        Mat34 back;
        Mat3 turn = mat3_identity();
        if (mat34_inverse(t->state.bones_last[b], &back))
            turn = mat3_polar(mat34_linear(mat34_mul(t->way.bones_now[b], back)), NULL);
        t->scratch.bone_turn[b] = mat34_from(turn, vec3(0, 0, 0));
    }
    for (int v = 0; v < t->count && any; v++)
        if (vec3_dot(t->state.lag[v], t->state.lag[v]) > 0)
            t->state.lag[v] = mat34_apply(t->scratch.bone_turn[t->rest.bone[v][0]], t->state.lag[v]);
    memcpy(t->state.bones_last, t->way.bones_now, sizeof(Mat34) * (size_t)t->who->bone_count);
}

// ---- what is looked after ----

static void mark_crossings(PeltiTouch *t)
{
    for (int i = 0; i < t->crossings.count; i++) {
        const PeltiPair *pair = &t->crossings.list[i];
        pelti_touch_gather_forced(&t->gathered, t->patches.of[pair->a]);
        pelti_touch_gather_forced(&t->gathered, t->patches.of[pair->b]);
        for (int k = 0; k < 3; k++) {
            t->state.trouble[t->mesh->triangles[pair->a][k]] = 1;
            t->state.trouble[t->mesh->triangles[pair->b][k]] = 1;
        }
    }
}

static int mark_meeting(PeltiTouch *t)
{
    int meets = 0;
    for (int k = 0; k < t->features.count; k++) {
        if (!(t->features.share[k] < 1))
            continue;
        meets++;
        for (int i = 0; i < 4; i++)
            t->state.trouble[t->features.list[k].v[i]] = 1;
    }
    return meets;
}

/// Bones that are scaled draw the edge out as far: it is not torn.
static bool drawn_by_bones(const PeltiTouch *t, int u, int v, float square)
{
    Vec3 by = vec3_sub(pelti_touch_blend(t, t->way.bones_now, u), pelti_touch_blend(t, t->way.bones_now, v));
    return AS_BONES * vec3_dot(by, by) > square;
}

/// Edges that the method itself draws out too far are looked after as if they met something; returns how many. Every edge is of
/// a patch, whose shape is known.
static int mark_drawn(PeltiTouch *t)
{
    int drawn = 0;
    for (int k = 0; k < t->patches.count; k++) {
        const TouchPatch *p = &t->patches.patch[k];
        for (int e = 0; pelti_touch_may_be_drawn(&t->bounds.end.shape[k], DRAWN_EDGE) && e < p->edge_count; e++) {
            int u = p->vertex[p->edge[e][0]], v = p->vertex[p->edge[e][1]];
            Vec3 by = vec3_sub(t->moves.plan[u], t->moves.plan[v]);
            float most = DRAWN_EDGE * vec3_distance(t->mesh->rest[u], t->mesh->rest[v]);
            if (!p->owns_edge[e] || !(vec3_dot(by, by) > most * most) || drawn_by_bones(t, u, v, vec3_dot(by, by)))
                continue;
            t->state.trouble[u] = t->state.trouble[v] = 1;
            drawn++;
        }
    }
    return drawn;
}

// ---- one substep ----

static void make_plan(PeltiTouch *t)
{
    for (int v = 0; v < t->count; v++)
        t->moves.plan[v] = vec3_add(t->state.wanted[v], t->state.lag[v]);
}

/// What is far behind catches up in steps that are worth looking at.
static void shorten_moves(PeltiTouch *t)
{
    float most = CATCH_UP * LARGEST_MOVE * t->rest.size;
    for (int v = 0; v < t->count; v++) {
        Vec3 move = vec3_sub(t->moves.plan[v], t->state.x[v]);
        float length = vec3_length(move);
        if (length > most && t->gathered.ring[v])
            t->moves.plan[v] = vec3_mad(t->state.x[v], move, most / length);
    }
}

/// How far the skin is from its plan, at most.
static float behind(const PeltiTouch *t)
{
    float most = 0;
    for (int v = 0; v < t->count; v++) {
        Vec3 by = vec3_sub(t->state.x[v], vec3_add(t->state.wanted[v], t->state.lag[v]));
        most = fmaxf(most, vec3_dot(by, by));
    }
    return sqrtf(most);
}

/// In a held pose what still creeps near contacts does so less with every frame.
static void slow_down(PeltiTouch *t)
{
    if (!(t->state.pace < 1))
        return;
    for (int i = 0; i < t->gathered.count; i++) {
        int v = t->gathered.list[i];
        if (t->gathered.ring[v] != TOUCH_HELD)
            continue; // nothing touches there: what is left of a lag goes
        t->state.lag[v] = vec3_lerp(t->scratch.lag_saved[v], t->state.lag[v], t->state.pace);
        t->moves.plan[v] = vec3_add(t->state.wanted[v], t->state.lag[v]);
    }
}

/// Not all that could meet was looked at.
static bool too_much(const PeltiTouch *t)
{
    return t->budget.spent || t->budget.overflow;
}

/// One round of bounded moves; true where all went where it was planned to go. `unsafe`: some way could not be made safe.
static bool round_of_moves(PeltiTouch *t, int wide, bool again, bool *unsafe, PeltiTouchReport *report)
{
    pelti_touch_gather(t, wide);
    make_plan(t);
    shorten_moves(t);
    pelti_touch_find_features(t, again);
    pelti_touch_find_folds(t);
    pelti_touch_solve(t);
    slow_down(t);
    shorten_moves(t);
    bool safe;
    int cut = pelti_touch_make_safe(t, &safe);
    if (too_much(t))
        return true; // not all was looked at: the skin stays where the last round left it
    memcpy(t->state.x, t->moves.plan, sizeof(Vec3) * (size_t)t->count);
    report->rounds++;
    report->contacts = t->contacts.count;
    *unsafe |= !safe;
    return cut == 0 || behind(t) < ROUND_AGAIN * t->rest.size;
}

/// Who stays awake: what touches, or could not go where it was to go. The rest falls asleep, and a lag of it that is none goes.
static void settle(PeltiTouch *t)
{
    float most = ASLEEP * t->rest.size;
    memset(t->state.trouble, 0, (size_t)t->count);
    for (int k = 0; k < t->contacts.count; k++) {
        const TouchContact *c = &t->contacts.list[k];
        Vec3 d = {0, 0, 0};
        for (int i = 0; i < 4; i++)
            d = vec3_mad(d, t->state.x[c->v[i]], c->weight[i]);
        for (int i = 0; i < 4 && vec3_dot(d, c->normal) < AWAKE_GAP * c->gap; i++)
            t->state.trouble[c->v[i]] = 1;
    }
    for (int v = 0; v < t->count; v++) {
        if (vec3_distance(t->state.x[v], vec3_add(t->state.wanted[v], t->state.lag[v])) > most)
            t->state.trouble[v] = 1;
        if (!t->state.trouble[v] && vec3_length(t->state.lag[v]) < most)
            t->state.lag[v] = vec3(0, 0, 0);
    }
}

static bool anything(const PeltiTouch *t)
{
    for (int v = 0; v < t->count; v++)
        if (t->state.trouble[v])
            return true;
    return anything_lags(t);
}

/// What hooks stays where it is, or all skin; from there it comes nearer in the steps that follow.
static void stay(PeltiTouch *t, PeltiTouchReport *report)
{
    bool spent = too_much(t), moved = pelti_touch_leave_hooked(t);
    for (int v = 0; v < t->count; v++) {
        t->state.lag[v] = vec3_sub(t->state.x[v], t->state.wanted[v]);
        t->state.trouble[v] |= !moved || t->scratch.zones.is_bound[v];
    }
    report->spent += spent;
    report->frozen += !spent && !moved;
}

/// From t->state.x to t->state.wanted, never across; false: it could not be finished.
static bool advance(PeltiTouch *t, PeltiTouchReport *report)
{
    size_t bytes = sizeof(Vec3) * (size_t)t->count;
    make_plan(t);
    pelti_touch_gather_begin(t);
    pelti_touch_find_features(t, true);
    pelti_touch_share(t, 0, NULL);
    bool folds = memchr(t->marks.join_crosses, 1, (size_t)t->patches.join_count) != NULL;
    if (too_much(t))
        return false;
    int drawn = mark_drawn(t), meets = mark_meeting(t);
    if (!drawn && !meets && !anything(t) && !folds) {
        memcpy(t->state.x, t->state.wanted, bytes);
        return true;
    }
    memcpy(t->scratch.x_saved, t->state.x, bytes);
    memcpy(t->scratch.lag_saved, t->state.lag, bytes);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        bool unsafe = false; // what crosses now is searched with exact arithmetic
        for (int round = 0; round < ROUNDS; round++)
            if (round_of_moves(t, attempt * ATTEMPT_RINGS, attempt + round > 0, &unsafe, report) ||
                2 * t->budget.used > t->budget.allowed)
                break; // a round costs what the last one did
        if (!unsafe || !pelti_touch_find_crossings(t, t->state.x)) {
            if (!too_much(t))
                settle(t);
            return !too_much(t);
        }
        mark_crossings(t);
        memcpy(t->state.x, t->scratch.x_saved, bytes);
        memcpy(t->state.lag, t->scratch.lag_saved, bytes);
    }
    return false;
}

// ---- a frame ----

void pelti_touch_to_rest(PeltiTouch *t)
{
    size_t bytes = sizeof(Vec3) * (size_t)t->count;
    memcpy(t->state.x, t->mesh->rest, bytes);
    memcpy(t->state.wanted, t->mesh->rest, bytes);
    memset(t->state.lag, 0, bytes);
    memset(t->state.trouble, 0, (size_t)t->count);
    for (int b = 0; b < t->who->bone_count; b++)
        t->state.bones_last[b] = mat34_identity();
    pelti_motion_reset(&t->way.motion);
}

static int count_substeps(const PeltiTouch *t, float farthest)
{
    float wants = fmaxf(pelti_motion_largest_turn(&t->way.motion) / LARGEST_TURN, farthest / (LARGEST_MOVE * t->rest.size));
    return wants < (float)MOST_SUBSTEPS ? (int)ceilf(fmaxf(wants, 1)) : MOST_SUBSTEPS;
}

static void finish(PeltiTouch *t, Vec3 *vertices, PeltiTouchReport *report)
{
    report->held = 0;
    report->lag = 0;
    memcpy(vertices, t->state.x, sizeof(Vec3) * (size_t)t->count);
    for (int v = 0; v < t->count; v++) {
        float lag = vec3_distance(t->state.x[v], t->state.wanted[v]);
        report->held += lag > ASLEEP * t->rest.size;
        report->lag = fmaxf(report->lag, lag);
    }
    report->behind = t->state.behind = report->lag > FAR_BEHIND * t->rest.size ? t->state.behind + 1 : 0;
    pelti_motion_arrive(&t->way.motion);
}

/// Where the method's skin lies a share of the way from the last pose to this one.
static void go_to(PeltiTouch *t, float share, const Vec3 *goal)
{
    pelti_motion_at(&t->way.motion, share, t->way.bones_now);
    if (share < 1) {
        pelti_parallel_for(t->jobs, t->count, 8 * TOUCH_GRAIN, blend_range,
                           &(WantedPlaces){t, t->way.bones_now, t->state.wanted, share});
        pelti_touch_look(t, t->state.wanted);
        if (pelti_touch_draw_in(t, t->way.bones_now, t->state.wanted))
            pelti_touch_forget_look(t);
    } else {
        memcpy(t->state.wanted, goal, sizeof(Vec3) * (size_t)t->count);
    }
}

/// Offsets from linear blending at both ends of the frame's way, for what lies between.
static void find_both_offsets(PeltiTouch *t, bool restart, const Vec3 *goal)
{
    if (restart)
        memset(t->way.offset[0], 0, sizeof(Vec3) * (size_t)t->count);
    else
        find_offsets(t, t->way.motion.from.bones, t->state.wanted, t->way.offset[0]);
    find_offsets(t, t->way.motion.to.bones, goal, t->way.offset[1]);
}

static void swap_skins(TouchState *a, TouchState *b)
{
    Vec3 *x = a->x, *wanted = a->wanted;
    a->x = b->x, a->wanted = b->wanted;
    b->x = x, b->wanted = wanted;
}

static void copy_rest(PeltiTouch *t, TouchState *to, const TouchState *from)
{
    memcpy(to->lag, from->lag, sizeof(Vec3) * (size_t)t->count);
    memcpy(to->trouble, from->trouble, (size_t)t->count);
    memcpy(to->bones_last, from->bones_last, sizeof(Mat34) * (size_t)t->who->bone_count);
    to->pace = from->pace;
}

typedef struct Way { ///< of a frame
    const Vec3 *goal;
    bool restart;
    bool whole;    ///< it is one piece so far: nothing is known of what lies between its ends
    float fastest; ///< of all skin on the whole way, apart from what it has in common
    int substeps;  ///< tried so far
    int halves;    ///< how many may still be taken in two
} Way;

/// A substep from one share of the way to another. One that cannot be finished is taken in two: on shorter ways less could meet,
/// and what touches is held before it is deep.
static void go_from(PeltiTouch *t, Way *way, float from, float to, PeltiTouchReport *report)
{
    swap_skins(&t->state, &t->scratch.before); // both are written anew
    copy_rest(t, &t->scratch.before, &t->state);
    go_to(t, to, way->goal);
    carry(t, way->whole ? way->fastest : find_speeds(t, t->scratch.before.wanted, t->state.wanted));
    turn_lags(t);
    way->substeps++;
    pelti_touch_allow(&t->budget, t->count);
    if (advance(t, report))
        return;
    if (way->halves <= 0 || to - from < LEAST_SHARE) {
        stay(t, report);
        return;
    }
    swap_skins(&t->state, &t->scratch.before);
    copy_rest(t, &t->state, &t->scratch.before);
    way->halves--;
    if (way->whole)
        find_both_offsets(t, way->restart, way->goal);
    way->whole = false;
    float middle = 0.5f * (from + to);
    go_from(t, way, from, middle, report);
    go_from(t, way, middle, to, report);
}

void pelti_touch_go_on(PeltiTouch *t, PeltiTouchReport *report)
{
    float pace = t->state.pace;
    for (int v = 0; v < t->count; v++)
        t->way.speed[v] = vec3_distance(t->state.x[v], t->state.wanted[v]);
    t->state.pace = 1;
    pelti_touch_allow(&t->budget, t->count);
    if (!advance(t, report))
        stay(t, report);
    t->state.pace = pace;
    report->substeps++;
}

void pelti_touch_travel(PeltiTouch *t, PeltiTouchPose pose, const Vec3 *goal, PeltiTouchReport *report)
{
    pelti_motion_to(&t->way.motion, pose.bones, pose.joints);
    Way way = {.goal = goal,
               .restart = pose.restart,
               .fastest = find_speeds(t, t->state.wanted, goal),
               .halves = t->state.stuck ? 0 : MOST_HALVES};
    int substeps = count_substeps(t, way.fastest);
    way.whole = substeps == 1;
    if (!way.whole)
        find_both_offsets(t, pose.restart, goal);
    for (int k = 1; k <= substeps; k++)
        go_from(t, &way, (float)(k - 1) / (float)substeps, (float)k / (float)substeps, report);
    report->substeps += way.substeps;
    if (!(pose.hold > 0) || pose.restart) // a held pose comes to rest: nothing in it sets in anew
        pelti_touch_catch_up(t, report);
}

/// In a held pose ironing and drawing in set in and out, by what the last frames left behind; the skin they make is to rest too.
static void keep_wanted(PeltiTouch *t, const PeltiTouchPose *pose, Vec3 *vertices)
{
    if (!(pose->hold > 0) || pose->restart)
        return;
    for (int v = 0; v < t->count; v++) {
        Vec3 bones = vec3_sub(pelti_touch_blend(t, pose->bones, v), pelti_touch_blend(t, t->state.bones_last, v));
        Vec3 by = vec3_sub(vec3_add(t->state.wanted[v], bones), vertices[v]);
        vertices[v] = vec3_mad(vertices[v], by, pose->hold);
    }
    pelti_touch_forget_look(t);
}

void pelti_touch_step(PeltiTouch *t, PeltiTouchPose pose, Vec3 *vertices, PeltiTouchReport *report)
{
    *report = (PeltiTouchReport){0};
    if (t->count == 0)
        return;
    pose.restart |= !t->state.started; // from the rest pose, where the method's offset is none
    if (pose.restart) {
        pelti_touch_to_rest(t);
        t->state.started = true;
        t->state.behind = t->state.stuck = 0;
        t->state.hung = 0;
    }
    pelti_touch_look(t, vertices);
    if (pelti_touch_iron(t, pose.bones, vertices))
        pelti_touch_look(t, vertices);
    if (pelti_touch_draw_in(t, pose.bones, vertices))
        pelti_touch_forget_look(t);
    keep_wanted(t, &pose, vertices);
    bool stays = false;
    if (pose.hold > 0 && !pose.restart)
        stays = pelti_touch_travel_held(t, pose, vertices, report);
    else
        pelti_touch_travel(t, pose, vertices, report);
    pelti_touch_lead_anew(t, pose, vertices, stays, report);
    finish(t, vertices, report);
}

bool pelti_touch_push(PeltiTouch *t, PeltiTouchPose pose, Vec3 *vertices, PeltiTouchReport *report)
{
    pose.restart = false;
    for (int v = 0; v < t->count; v++) // what lags goes on doing so
        vertices[v] = vec3_add(t->state.wanted[v], vec3_sub(vertices[v], t->state.x[v]));
    pelti_touch_forget_look(t);
    bool taken = pelti_touch_travel_pushed(t, pose, vertices, report);
    t->state.behind -= t->state.behind > 0; // a frame counts once
    finish(t, vertices, report);
    return taken;
}

void pelti_touch_keep(PeltiTouch *t, PeltiSnapshot *s)
{
    enum { VECTORS = 3 };
    TouchState *state = &t->state;
    PELTI_KEEP(s, &state->started, 1);
    PELTI_KEEP(s, &state->pace, 1);
    PELTI_KEEP(s, &state->behind, 1);
    PELTI_KEEP(s, &state->stuck, 1);
    PELTI_KEEP(s, &state->hung, 1);
    Vec3 *vectors[VECTORS] = {state->x, state->wanted, state->lag};
    for (int k = 0; k < VECTORS; k++)
        PELTI_KEEP(s, vectors[k], t->count);
    PELTI_KEEP(s, state->trouble, t->count);
    pelti_motion_keep(&t->way.motion, s);
    PELTI_KEEP(s, state->bones_last, t->who->bone_count);
}
