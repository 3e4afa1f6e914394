/// Implicit Euler by local and global steps [Komaritzan2018] sec. 4, with the base points eliminated:
///   (L + M / (c h)^2) x = M / (c h)^2 x~ + sum R G - L_q q,   x~ = x + h v + h^2 g
/// in units where the tissue has stiffness 1; c is the speed of waves in it.
#include "methods/projective/parts.h"

#include "core/clock.h"

#include <string.h>

enum { ROW_GRAIN = PROJ_PIECE, SETTLE_ROUNDS = 80, SETTLE_PASSES = 4 };

typedef struct Rows {
    Projective *p;
    const Mat34 *bones;
    int mode;
    bool touching;
} Rows;

static void pose_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Rows *r = context;
    Projective *p = r->p;
    for (int i = begin; i < end; i++) {
        Vec3 q = pelti_proj_pose_base(&p->base, r->bones, i);
        if (p->folds.start)
            q = pelti_proj_fold_base(&p->folds, i, q);
        p->q[i][0] = q.x;
        p->q[i][1] = q.y;
        p->q[i][2] = q.z;
        p->q[i][3] = 0;
    }
}

/// What stays the same over the iterations, with moves measured from `origin`: tissue and base points there, pins. The inertia
/// pulls towards x~, which is the origin of a moving step.
static void constant_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Rows *r = context;
    Projective *p = r->p;
    const ProjTissue *t = &p->tissue;
    for (int i = begin; i < end; i++) {
        float sum[3] = {0, 0, 0};
        const float *x = p->origin[i];
        for (int e = t->near_start[i]; e < t->near_start[i + 1]; e++) {
            int j = t->near_index[e];
            const float *near = j < 0 ? p->q[~j] : p->origin[j];
            for (int k = 0; k < 3; k++)
                sum[k] -= t->near_value[e] * (near[k] - x[k]);
        }
        if (t->pin[i] > 0) {
            Vec3 goal = pelti_proj_carry(&p->base, r->bones, i, vec3(p->rest[i][0], p->rest[i][1], p->rest[i][2]));
            sum[0] += t->pin[i] * (goal.x - x[0]);
            sum[1] += t->pin[i] * (goal.y - x[1]);
            sum[2] += t->pin[i] * (goal.z - x[2]);
        }
        Vec3 rounding = vec3(p->rest_pull[i][0], p->rest_pull[i][1], p->rest_pull[i][2]);
        if (p->base.anchors[i].bone >= 0)
            rounding = mat34_apply_vector(r->bones[p->base.anchors[i].bone], rounding);
        p->constant[i][0] = sum[0] - rounding.x;
        p->constant[i][1] = sum[1] - rounding.y;
        p->constant[i][2] = sum[2] - rounding.z;
        p->constant[i][3] = 0;
    }
}

void pelti_proj_begin(Projective *p, const Mat34 *bones, int mode)
{
    Rows r = {.p = p, .bones = bones, .mode = mode};
    memcpy(p->origin, p->x, (size_t)p->count * sizeof *p->x);
    memcpy(p->q_last, p->q, (size_t)p->count * sizeof *p->q);
    pelti_proj_pose_joints(&p->base, bones);
    pelti_proj_pose_folds(&p->folds, bones);
    pelti_proj_pose_folds(&p->stored.folds, bones);
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, pose_rows, &r);
    pelti_proj_pose_pairs(p, bones);
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, constant_rows, &r);
    pelti_proj_frames(&p->tissue, p->jobs, (const ProjRow *)p->q, p->frames);
}

/// Right-hand side: the constant part and what the elements pull.
static void gather_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Rows *r = context;
    Projective *p = r->p;
    const ProjTissue *t = &p->tissue;
    for (int i = begin; i < end; i++) {
        typedef float Four __attribute__((vector_size(16)));
        Four sum;
        memcpy(&sum, p->constant[i], sizeof sum);
        for (int e = t->corner_start[i]; e < t->corner_start[i + 1]; e++) {
            Four row;
            memcpy(&row, p->rows[t->corner_row[e]], sizeof row);
            sum += row;
        }
        memcpy(p->y[i], &sum, sizeof sum);
    }
    if (r->touching)
        pelti_proj_contact_forces(p, r->mode, begin / PROJ_PIECE);
}

static void move_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Projective *p = ((Rows *)context)->p;
    float most = 0;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            float to = p->origin[i][k] + p->y[i][k];
            float moved = fabsf(to - p->x[i][k]);
            most = moved > most ? moved : most;
            p->x[i][k] = to;
        }
    p->moved[begin / ROW_GRAIN] = most;
}

void pelti_proj_iterate(Projective *p, int mode, bool touching)
{
    Rows r = {p, NULL, mode, touching};
    double start = pelti_clock_ms();
    pelti_proj_local(&p->tissue, p->jobs, (const ProjRow *)p->x, p->frames, p->warm, p->rows, p->swell);
    p->local_ms += pelti_clock_ms() - start;
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, gather_rows, &r);
    start = pelti_clock_ms();
    const PeltiSparse *matrix = mode == PROJ_STILL ? p->still : p->moving;
    if (p->holding) {
        p->contact_count = pelti_proj_stored_pull(p);
        matrix = p->stored.held[mode];
    }
    pelti_sparse_solve_rows_ordered(matrix, p->jobs, p->y, p->work);
    p->solve_ms += pelti_clock_ms() - start;
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, move_rows, &r);
    float most = 0;
    for (int k = 0; k * ROW_GRAIN < p->count; k++)
        most = fmaxf(most, p->moved[k]);
    p->residual = (double)most / (double)p->mesh->diagonal;
}

/// What floats round the tissue's forces to at rest, where there should be none: far from bones little holds the skin, and 1e-7
/// of the forces moved the fingers of an arm without finger bones by 3e-5 of its size.
void pelti_proj_measure_rounding(Projective *p)
{
    for (int b = 0; b < p->who->bone_count; b++)
        p->bones_now[b] = mat34_identity();
    memcpy(p->x, p->rest, (size_t)p->count * sizeof *p->x);
    pelti_proj_begin(p, p->bones_now, PROJ_STILL);
    pelti_proj_local(&p->tissue, p->jobs, (const ProjRow *)p->x, p->frames, p->warm, p->rows, p->swell);
    Rows r = {.p = p, .bones = p->bones_now, .mode = PROJ_STILL};
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, gather_rows, &r);
    memcpy(p->rest_pull, p->y, (size_t)p->count * sizeof *p->y);
    pelti_polar_reset(p->warm, p->tissue.block_count);
}

/// x~: free flight. Velocity that the base does not share fades by `keep`.
static void fly_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Projective *p = ((Rows *)context)->p;
    float h = p->time_step_s;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            float carried = (p->q[i][k] - p->q_last[i][k]) / h;
            float v = carried + p->keep * (p->velocity[i][k] - carried);
            p->last[i][k] = p->x[i][k];
            p->x[i][k] += h * v - (k == 1 ? p->gravity * h * h : 0);
        }
}

static void stop_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Projective *p = ((Rows *)context)->p;
    float per_second = 1 / p->time_step_s;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++)
            p->velocity[i][k] = (p->x[i][k] - p->last[i][k]) * per_second;
}

/// Flesh that a contact presses together bulges elsewhere. Kept through a step, so its energy falls over the iterations.
static void swell(Projective *p, bool touching)
{
    if (p->bulge <= 0 || !(touching || p->swollen))
        return;
    p->swollen = touching ? 60 : p->swollen - 1; // steps until it has gone down again
    if (++p->swell_turn % 2)                     // it changes slowly: every other step will do
        return;
    pelti_proj_swell(&p->tissue, p->jobs, (const ProjRow *)p->x, p->frames, touching ? 0.1f * p->bulge : 0, p->swell);
}

void pelti_proj_substep(Projective *p, const Mat34 *bones)
{
    double start = pelti_clock_ms();
    p->local_ms = p->solve_ms = 0;
    Rows r = {.p = p, .bones = bones, .mode = PROJ_MOVING};
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, fly_rows, &r);
    pelti_proj_begin(p, bones, PROJ_MOVING);
    bool touching = pelti_proj_find_contacts(p);
    swell(p, touching);
    for (int k = 0; k < p->iterations; k++) {
        p->holding = p->stored.count > 0 && 2 * k >= p->iterations;
        pelti_proj_iterate(p, PROJ_MOVING, touching);
    }
    p->holding = false;
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, stop_rows, &r);
    p->substep_ms = pelti_clock_ms() - start;
}

static void carry_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Rows *r = context;
    Projective *p = r->p;
    for (int i = begin; i < end; i++) {
        Vec3 at = pelti_proj_carry(&p->base, r->bones, i, vec3(p->rest[i][0], p->rest[i][1], p->rest[i][2]));
        p->x[i][0] = at.x;
        p->x[i][1] = at.y;
        p->x[i][2] = at.z;
        p->x[i][3] = 0;
    }
}

void pelti_proj_swell_reset(Projective *p)
{
    for (int b = 0; b < p->tissue.block_count; b++)
        for (int k = 0; k < PROJ_LANES; k++)
            p->swell[b].s[k] = 1;
    p->swollen = 0;
}

/// Contact forces and directions kept from earlier steps: a cut knows none.
static void forget_contacts(Projective *p)
{
    size_t segments = (size_t)p->skeleton.segment_count;
    for (int m = 0; p->folds.start && m < p->folds.start[p->count]; m++)
        p->folds.members[m].force = 0;
    if (p->pairs.start) {
        memset(p->pairs.force, 0, (size_t)p->count * sizeof *p->pairs.force);
        memset(p->pairs.plane, 0, (size_t)p->count * sizeof *p->pairs.plane);
        memset(p->pairs.last, 0, (size_t)p->count * sizeof *p->pairs.last);
        memset(p->pairs.ways, 0, segments * segments * sizeof *p->pairs.ways);
    }
    p->swell_turn = 0;
}

/// From the bind pose in virtual frames, so that folds close as they would in motion, then until nothing moves.
void pelti_proj_settle(Projective *p, const Mat34 *bones)
{
    forget_contacts(p);
    pelti_motion_set(&p->motion, NULL, bones);
    float turn = pelti_motion_largest_turn(&p->motion);
    int frames = (int)ceilf(turn / 0.1f) + 1;
    pelti_motion_at(&p->motion, 0, p->bones_now);
    pelti_proj_pose_joints(&p->base, p->bones_now);
    Rows r = {.p = p, .bones = p->bones_now, .mode = PROJ_STILL};
    pelti_parallel_for(p->jobs, p->count, ROW_GRAIN, carry_rows, &r);
    memcpy(p->last, p->x, (size_t)p->count * sizeof *p->x);
    pelti_polar_reset(p->warm, p->tissue.block_count);
    pelti_proj_swell_reset(p);
    for (int f = 1; f <= frames; f++) {
        pelti_motion_at(&p->motion, (float)f / (float)frames, p->bones_now);
        pelti_proj_begin(p, p->bones_now, PROJ_STILL);
        bool touching = pelti_proj_find_contacts(p);
        swell(p, touching);
        int rounds = f < frames ? SETTLE_PASSES : SETTLE_ROUNDS;
        for (int k = 0; k < rounds; k++) {
            p->holding = p->stored.count > 0 && 2 * k >= rounds;
            pelti_proj_iterate(p, PROJ_STILL, touching);
            if (f == frames && p->residual < 1e-7 && (p->holding || !p->stored.count))
                break;
        }
        p->holding = false;
        memcpy(p->last, p->x, (size_t)p->count * sizeof *p->x);
    }
    memcpy(p->q_last, p->q, (size_t)p->count * sizeof *p->q);
    memset(p->velocity, 0, (size_t)p->count * sizeof *p->velocity);
}

double pelti_proj_total_energy(const Projective *p, int mode)
{
    double sum = pelti_proj_energy(&p->tissue, (const ProjRow *)p->x, (const ProjRow *)p->q, p->warm, p->swell);
    for (int i = 0; mode == PROJ_MOVING && i < p->count; i++)
        for (int k = 0; k < 3; k++) {
            double m = (double)p->inertia[i], fly_to = (double)p->last[i][k] + (double)p->time_step_s * (double)p->velocity[i][k];
            sum += 0.5 * m * ((double)p->x[i][k] - fly_to) * ((double)p->x[i][k] - fly_to);
        }
    return sum;
}
