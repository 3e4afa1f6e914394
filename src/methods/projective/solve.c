/// Solves implicit Euler by local and global steps [Komaritzan2018 sec. 4].
/// The base points are eliminated:
///   (L + M / (c h)^2) x = M / (c h)^2 x~ + sum R G - L_q q,   x~ = x + h v + h^2 g
/// in units where the tissue has stiffness 1; c is the speed of waves in it.
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

#include "core/clock.h"

#include <string.h>

enum { ROW_GRAIN = PROJ_PIECE };

typedef float Four __attribute__((vector_size(16))); // a row
typedef int32_t Bits __attribute__((vector_size(16)));

typedef struct GlobalStep {
    Projective *p;
    const Mat34 *bones;
    ProjMode mode;
    bool touching;
} GlobalStep;

static void pose_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    GlobalStep *r = context;
    Projective *p = r->p;
    for (int i = begin; i < end; i++) {
        Vec3 q = pelti_proj_pose_base(&p->base, r->bones, i);
        if (p->contacts.folds.start)
            q = pelti_proj_fold_base(&p->contacts.folds, i, q);
        p->state.q[i][0] = q.x;
        p->state.q[i][1] = q.y;
        p->state.q[i][2] = q.z;
        p->state.q[i][3] = 0;
    }
}

/// What stays the same over the iterations, with moves measured from `origin`: tissue and base points there, pins. The inertia
/// pulls towards x~, which is the origin of a moving step.
static void constant_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    GlobalStep *r = context;
    Projective *p = r->p;
    const ProjTissue *t = &p->tissue;
    const ProjRow *const points[2] = {(const ProjRow *)p->scratch.origin, (const ProjRow *)p->state.q};
    for (int i = begin; i < end; i++) {
        Four sum = {0}, x, near;
        memcpy(&x, p->scratch.origin[i], sizeof x);
        for (int e = t->near_start[i]; e < t->near_start[i + 1]; e++) {
            int j = t->near_index[e], base = j < 0;
            memcpy(&near, points[base][base ? ~j : j], sizeof near);
            sum -= t->near_value[e] * (near - x);
        }
        if (t->pin[i] > 0) {
            Vec3 goal =
                pelti_proj_carry(&p->base, r->bones, i, vec3(p->system.rest[i][0], p->system.rest[i][1], p->system.rest[i][2]));
            sum[0] += t->pin[i] * (goal.x - x[0]);
            sum[1] += t->pin[i] * (goal.y - x[1]);
            sum[2] += t->pin[i] * (goal.z - x[2]);
        }
        Vec3 rounding = vec3(p->system.rest_pull[i][0], p->system.rest_pull[i][1], p->system.rest_pull[i][2]);
        if (p->base.anchors[i].bone >= 0)
            rounding = mat34_apply_vector(r->bones[p->base.anchors[i].bone], rounding);
        sum -= (Four){rounding.x, rounding.y, rounding.z, sum[3]};
        memcpy(p->scratch.constant[i], &sum, sizeof sum);
    }
}

ProjPose pelti_proj_way(ProjTravel *travel, float t)
{
    pelti_motion_at(&travel->motion, t, travel->bones);
    pelti_motion_turns(&travel->motion, t, travel->turns);
    return (ProjPose){travel->bones, travel->turns};
}

void pelti_proj_begin(Projective *p, ProjPose pose, ProjMode mode)
{
    const Mat34 *bones = pose.bones;
    GlobalStep r = {.p = p, .bones = bones, .mode = mode};
    memcpy(p->scratch.origin, p->state.x, (size_t)p->count * sizeof *p->state.x);
    memcpy(p->state.q_last, p->state.q, (size_t)p->count * sizeof *p->state.q);
    pelti_proj_pose_joints(&p->base, pose);
    pelti_proj_pose_folds(&p->contacts.folds, bones);
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, pose_rows, &r);
    pelti_proj_pose_pairs(p, bones);
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, constant_rows, &r);
    pelti_proj_frames(&p->tissue, p->jobs, (const ProjRow *)p->state.q, p->scratch.frames);
}

/// Right-hand side: the constant part, what the elements pull, and contacts.
static void gather(const GlobalStep *r, int begin, int end)
{
    Projective *p = r->p;
    const ProjTissue *t = &p->tissue;
    for (int i = begin; i < end; i++) {
        Four sum;
        memcpy(&sum, p->scratch.constant[i], sizeof sum);
        for (int e = t->corner_start[i]; e < t->corner_start[i + 1]; e++) {
            Four row;
            memcpy(&row, p->scratch.pulls[t->corner_row[e]], sizeof row);
            sum += row;
        }
        memcpy(p->scratch.solved[i], &sum, sizeof sum);
    }
    if (r->touching)
        pelti_proj_contact_forces(p, r->mode, begin, end);
}

static void gather_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    gather(context, begin, end);
}

static void gather_range(void *context, int begin, int end, int range)
{
    (void)range;
    gather(context, begin, end);
}

static ProjPulls pulls_of(Projective *p)
{
    return (ProjPulls){(const ProjRow *)p->state.x, p->scratch.frames, p->swelling.share, p->state.warm, p->scratch.pulls};
}

/// Elements of a range have corners in it and in the top, so nothing of other ranges is waited for.
static void pull_range(void *context, int begin, int end, int range)
{
    const GlobalStep *r = context;
    const ProjPulls pulls = pulls_of(r->p);
    double start = pelti_clock_ms();
    pelti_proj_local_range(&r->p->tissue, range, &pulls);
    r->p->scratch.local_ms[range] += pelti_clock_ms() - start;
    gather(r, begin, end);
}

static void move(void *context, int begin, int end, int range)
{
    Projective *p = ((GlobalStep *)context)->p;
    Four most = {0};
    for (int i = begin; i < end; i++) {
        Four from, to, by;
        memcpy(&from, p->state.x[i], sizeof from);
        memcpy(&to, p->scratch.origin[i], sizeof to);
        memcpy(&by, p->scratch.solved[i], sizeof by);
        to += by;
        memcpy(p->state.x[i], &to, sizeof to);
        Bits moved = (Bits)(to - from) & 0x7fffffff, more = (Four)moved > most;
        most = (Four)((moved & more) | ((Bits)most & ~more));
    }
    p->scratch.moved[range] = fmaxf(fmaxf(most[0], most[1]), most[2]);
}

static void find_pulls(Projective *p)
{
    const ProjPulls pulls = pulls_of(p);
    double start = pelti_clock_ms();
    pelti_proj_local(&p->tissue, p->jobs, &pulls);
    p->figures.local_ms += pelti_clock_ms() - start;
}

void pelti_proj_pull(Projective *p, ProjMode mode, bool touching)
{
    GlobalStep r = {p, NULL, mode, touching};
    find_pulls(p);
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, gather_rows, &r);
}

/// Solves with right-hand sides that `made` makes, and moves by them.
static void global_steps(Projective *p, const PeltiSparse *matrix, const PeltiSparseRows *made)
{
    double start = pelti_clock_ms();
    memset(p->scratch.moved, 0, PELTI_SPARSE_RANGES * sizeof *p->scratch.moved);
    pelti_sparse_solve_made_rows(matrix, p->jobs, made, p->scratch.solved, p->scratch.solver);
    p->figures.solve_ms += pelti_clock_ms() - start;
    float most = 0;
    for (int k = 0; k < PELTI_SPARSE_RANGES; k++)
        most = fmaxf(most, p->scratch.moved[k]);
    p->figures.residual = (double)most / (double)p->mesh->diagonal;
}

void pelti_proj_solve(Projective *p, const PeltiSparse *matrix)
{
    GlobalStep r = {.p = p};
    global_steps(p, matrix, &(PeltiSparseRows){.after = move, .context = &r});
}

/// All local and global steps at once: what a range of unknowns does from one answer of the top to the next waits for nobody.
static void run_ranges(Projective *p, const PeltiSparse *matrix, GlobalStep *r, int times)
{
    int threads = pelti_jobs_threads(p->jobs);
    double local_ms = 0;
    memset(p->scratch.local_ms, 0, PELTI_SPARSE_RANGES * sizeof *p->scratch.local_ms);
    global_steps(p, matrix, &(PeltiSparseRows){pull_range, move, r, times});
    for (int k = 0; k < p->system.range_count; k++)
        local_ms += p->scratch.local_ms[k] / threads;
    p->figures.local_ms += local_ms;
    p->figures.solve_ms -= local_ms;
}

void pelti_proj_run(Projective *p, const ProjRounds *rounds)
{
    const PeltiSparse *matrix = rounds->mode == PROJ_STILL ? p->system.still : p->system.moving;
    GlobalStep r = {.p = p, .mode = rounds->mode, .touching = rounds->touching};
    bool by_range = pelti_jobs_threads(p->jobs) < p->system.range_count; // more threads than parts: elements are cut finer
    int times = by_range && rounds->enough <= 0 ? rounds->most : 1;
    for (int k = 0; k < rounds->most; k += times) {
        if (by_range) {
            run_ranges(p, matrix, &r, times);
        } else {
            find_pulls(p);
            global_steps(p, matrix, &(PeltiSparseRows){gather_range, move, &r, 1});
        }
        if (p->figures.residual < rounds->enough)
            break;
    }
}

static void tell_contacts(const Projective *p, PeltiStepReport *report)
{
    pelti_step_stat(report, "contacts", p->contacts.count, PELTI_MOST);
}

static void made_no_more(Projective *p)
{
    (void)p;
}

const ProjRoad pelti_proj_road = {pelti_proj_run, tell_contacts, made_no_more};

/// What floats round the tissue's forces to at rest, where there should be none: far from bones little holds the skin, and 1e-7
/// of the forces moved the fingers of an arm without finger bones by 3e-5 of its size.
void pelti_proj_measure_rounding(Projective *p)
{
    const ProjPose pose = pelti_proj_way(&p->travel, 0); // of a motion that was reset: the bind pose
    memcpy(p->state.x, p->system.rest, (size_t)p->count * sizeof *p->state.x);
    pelti_proj_begin(p, pose, PROJ_STILL);
    find_pulls(p);
    GlobalStep r = {.p = p, .bones = pose.bones, .mode = PROJ_STILL};
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, gather_rows, &r);
    memcpy(p->system.rest_pull, p->scratch.solved, (size_t)p->count * sizeof *p->scratch.solved);
    pelti_polar_reset(p->state.warm, p->tissue.block_count);
}

/// x~: free flight. Velocity that the base does not share fades by `keep`.
static void fly_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Projective *p = ((GlobalStep *)context)->p;
    float h = p->settings.time_step_s;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            float carried = (p->state.q[i][k] - p->state.q_last[i][k]) / h;
            float v = carried + p->settings.keep * (p->state.velocity[i][k] - carried);
            p->state.last[i][k] = p->state.x[i][k];
            p->state.x[i][k] += h * v - (k == 1 ? p->settings.gravity * h * h : 0);
        }
}

static void stop_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Projective *p = ((GlobalStep *)context)->p;
    float per_second = 1 / p->settings.time_step_s;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++)
            p->state.velocity[i][k] = (p->state.x[i][k] - p->state.last[i][k]) * per_second;
}

/// Flesh that a contact presses together bulges elsewhere. Kept through a step, so its energy falls over the iterations.
static void swell(Projective *p, bool touching)
{
    if (p->settings.bulge <= 0 || !(touching || p->swelling.steps_left))
        return;
    p->swelling.steps_left = touching ? SWELL_STEPS : p->swelling.steps_left - 1; // steps until it has gone down again
    if (++p->swelling.steps % 2)                                                  // it changes slowly: every other step will do
        return;
    pelti_proj_swell(&p->tissue, p->jobs, (const ProjRow *)p->state.x, p->scratch.frames,
                     touching ? SWELL_AMOUNT * p->settings.bulge : 0, p->swelling.share);
}

void pelti_proj_substep(Projective *p, ProjPose pose)
{
    double start = pelti_clock_ms();
    p->figures.local_ms = p->figures.solve_ms = 0;
    GlobalStep r = {.p = p, .bones = pose.bones, .mode = PROJ_MOVING};
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, fly_rows, &r);
    pelti_proj_begin(p, pose, PROJ_MOVING);
    double found = pelti_clock_ms();
    bool touching = pelti_proj_find_contacts(p);
    swell(p, touching);
    p->figures.contacts_ms = pelti_clock_ms() - found;
    p->road->run(p, &(ProjRounds){.pose = pose, .mode = PROJ_MOVING, .most = p->settings.iterations, .touching = touching});
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, stop_rows, &r);
    p->figures.substep_ms = pelti_clock_ms() - start;
}

static void carry_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    GlobalStep *r = context;
    Projective *p = r->p;
    for (int i = begin; i < end; i++) {
        Vec3 at = pelti_proj_carry(&p->base, r->bones, i, vec3(p->system.rest[i][0], p->system.rest[i][1], p->system.rest[i][2]));
        p->state.x[i][0] = at.x;
        p->state.x[i][1] = at.y;
        p->state.x[i][2] = at.z;
        p->state.x[i][3] = 0;
    }
}

void pelti_proj_swell_reset(const ProjTissue *tissue, ProjSwelling *swelling)
{
    for (int b = 0; b < tissue->block_count; b++)
        for (int k = 0; k < PROJ_LANES; k++)
            swelling->share[b].s[k] = 1;
    swelling->steps_left = 0;
}

/// From the bind pose in virtual frames, so that folds close as they would in motion, then until nothing moves.
void pelti_proj_settle(Projective *p)
{
    pelti_proj_forget_contacts(p);
    p->swelling.steps = 0;
    float turn = pelti_motion_largest_turn(&p->travel.motion);
    int frames = (int)ceilf(turn / SETTLE_TURN) + 1;
    ProjPose pose = pelti_proj_way(&p->travel, 0);
    pelti_proj_unwind_joints(&p->base);
    pelti_proj_pose_joints(&p->base, pose);
    GlobalStep r = {.p = p, .bones = pose.bones, .mode = PROJ_STILL};
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, carry_rows, &r);
    memcpy(p->state.last, p->state.x, (size_t)p->count * sizeof *p->state.x);
    pelti_polar_reset(p->state.warm, p->tissue.block_count);
    pelti_proj_swell_reset(&p->tissue, &p->swelling);
    for (int f = 1; f <= frames; f++) {
        pose = pelti_proj_way(&p->travel, (float)f / (float)frames);
        pelti_proj_begin(p, pose, PROJ_STILL);
        bool touching = pelti_proj_find_contacts(p);
        swell(p, touching);
        ProjRounds rounds = {.pose = pose, .mode = PROJ_STILL, .most = SETTLE_PASSES, .touching = touching};
        if (f == frames) {
            rounds.most = SETTLE_ROUNDS;
            rounds.enough = SETTLE_STILL;
        }
        p->road->run(p, &rounds);
        memcpy(p->state.last, p->state.x, (size_t)p->count * sizeof *p->state.x);
    }
    memcpy(p->state.q_last, p->state.q, (size_t)p->count * sizeof *p->state.q);
    memset(p->state.velocity, 0, (size_t)p->count * sizeof *p->state.velocity);
}
