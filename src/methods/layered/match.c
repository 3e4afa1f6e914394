#include "methods/layered/match.h"

#include "math/wide.h"

#include <string.h>

// Four layers in a vector; double for the sums that are subtracted from each other, see pelti_match_iterate.
typedef float Float4 __attribute__((vector_size(16), may_alias));
typedef double Double4 __attribute__((vector_size(32), may_alias));
typedef float Float8 __attribute__((vector_size(32), may_alias));

enum { SUMS = 12, ROW = SUMS * PELTI_LAYERS };

PELTI_WIDE Double4 wide(Float4 a)
{
    return __builtin_convertvector(a, Double4);
}
PELTI_WIDE Float4 narrow(Double4 a)
{
    return __builtin_convertvector(a, Float4);
}
/// What the layers above and below a layer hold: siblings are part of a region.
PELTI_WIDE Double4 siblings(Double4 a)
{
    Double4 zero = {0, 0, 0, 0};
    return __builtin_shufflevector(a, zero, 4, 0, 1, 2) + __builtin_shufflevector(a, zero, 1, 2, 3, 4);
}
PELTI_WIDE Float4 siblings_f(Float4 a)
{
    Float4 zero = {0, 0, 0, 0};
    return __builtin_shufflevector(a, zero, 4, 0, 1, 2) + __builtin_shufflevector(a, zero, 1, 2, 3, 4);
}
PELTI_WIDE Float4 *rotation_at(PeltiMatch *match, int slot, int row, int column)
{
    return (Float4 *)&match->rotation[slot / 2].m[row][column][slot % 2 * 4];
}

PeltStatus pelti_match_new(PeltiPool *pool, const PeltiPaths *paths, PeltiMatch *out, PeltError *err)
{
    int padded = (paths->slot_count + 1) / 2 * 2;
    size_t lanes = (size_t)padded * PELTI_LAYERS;
    *out = (PeltiMatch){.paths = paths, .padded = padded};
    for (int k = 0; k < 3; k++) {
        out->x[k] = PELTI_NEW(pool, float, lanes + 16);
        out->rest[k] = PELTI_NEW(pool, float, lanes + 16);
    }
    out->mass = PELTI_NEW(pool, float, lanes + 16);
    out->moment = PELTI_NEW(pool, float, lanes + 16);
    out->stiffness = PELTI_NEW(pool, float, lanes + 16);
    out->share = PELTI_NEW(pool, float, lanes + 16);
    out->rotation = PELTI_NEW(pool, PeltiMat3Block, padded / 2 + 1);
    out->warm = PELTI_NEW(pool, PeltiQuatBlock, padded / 2 + 1);
    out->prefix = PELTI_NEW(pool, double, ((size_t)paths->row_count + 2) * ROW);
    out->prefix_goal = PELTI_NEW(pool, float, ((size_t)paths->row_count + 2) * ROW);
    out->centre = PELTI_NEW(pool, double, lanes * 3 + 16);
    out->centre_now = PELTI_NEW(pool, double, lanes * 3 + 16);
    out->inverse_mass = PELTI_NEW(pool, double, lanes + 16);
    return pool->failed ? pelti_no_memory(err, lanes * 48 * sizeof(double)) : PELT_OK;
}

// ---- the three passes of an iteration ----

/// Prefix sums of m x and of A_i + m x x0^T over one block ([Deul2013] eq. 1 with the particles' moments, expanded:
/// sum m (x - c)(x0 - c0)^T = sum m x x0^T - (sum m x) c0^T).
PELTI_CLONES static void sum_block(PeltiMatch *match, int begin, int end)
{
    Double4 sum[SUMS] = {{0}};
    Double4 *row = (Double4 *)match->prefix + (size_t)pelti_path_row(begin) * SUMS;
    for (int q = 0; q < SUMS; q++)
        row[q] = sum[q];
    for (int s = begin; s < end; s++) {
        Double4 x0[3], m = wide(((Float4 *)match->mass)[s]);
        Float4 moment = ((Float4 *)match->moment)[s];
        for (int k = 0; k < 3; k++)
            x0[k] = wide(((Float4 *)match->rest[k])[s]);
        row += SUMS;
        for (int i = 0; i < 3; i++) {
            Double4 mx = m * wide(((Float4 *)match->x[i])[s]);
            sum[i] += mx;
            for (int j = 0; j < 3; j++)
                sum[3 + 3 * i + j] += mx * x0[j] + wide(moment * *rotation_at(match, s, i, j));
        }
        for (int q = 0; q < SUMS; q++)
            row[q] = sum[q];
    }
}

/// A of every region from its runs; centres of mass on the way.
PELTI_CLONES static void gather_block(PeltiMatch *match, int begin, int end)
{
    const PeltiPaths *paths = match->paths;
    const Double4 *rows = (const Double4 *)match->prefix;
    for (int s = begin; s < end; s++) {
        const Double4 *own = rows + (size_t)pelti_path_row(s) * SUMS;
        Double4 sum[SUMS];
        for (int q = 0; q < SUMS; q++)
            sum[q] = siblings(own[SUMS + q] - own[q]);
        for (int r = paths->run_start[s]; r < paths->run_start[s + 1]; r++) {
            const Double4 *before = rows + (size_t)paths->runs[r][0] * SUMS, *after = rows + (size_t)paths->runs[r][1] * SUMS;
            for (int q = 0; q < SUMS; q++)
                sum[q] += after[q] - before[q];
        }
        const Double4 *c0 = (const Double4 *)match->centre + (size_t)s * 3;
        Double4 *now = (Double4 *)match->centre_now + (size_t)s * 3, inverse = ((const Double4 *)match->inverse_mass)[s];
        for (int i = 0; i < 3; i++) {
            now[i] = sum[i] * inverse;
            for (int j = 0; j < 3; j++)
                *rotation_at(match, s, i, j) = narrow(sum[3 + 3 * i + j] - sum[i] * c0[j]);
        }
    }
}

/// Prefix sums of t = c - R c0 and of R over one block.
PELTI_CLONES static void sum_goals_block(PeltiMatch *match, int begin, int end)
{
    Float4 sum[SUMS] = {{0}};
    Float4 *row = (Float4 *)match->prefix_goal + (size_t)pelti_path_row(begin) * SUMS;
    for (int q = 0; q < SUMS; q++)
        row[q] = sum[q];
    for (int s = begin; s < end; s++) {
        const Double4 *c0 = (const Double4 *)match->centre + (size_t)s * 3,
                      *now = (const Double4 *)match->centre_now + (size_t)s * 3;
        row += SUMS;
        for (int i = 0; i < 3; i++) {
            Double4 t = now[i];
            for (int j = 0; j < 3; j++) {
                Float4 r = *rotation_at(match, s, i, j);
                t -= wide(r) * c0[j];
                sum[3 + 3 * i + j] += r;
            }
            sum[i] += narrow(t);
        }
        for (int q = 0; q < SUMS; q++)
            row[q] = sum[q];
    }
}

/// Goals: a particle's mean over the regions that hold it, (sum R x0 + sum t) / count; regions are symmetric, so these are
/// the regions at the particles of its own region.
PELTI_CLONES static void move_block(PeltiMatch *match, int begin, int end)
{
    const PeltiPaths *paths = match->paths;
    for (int s = begin; s < end; s++) {
        const Float4 *own = (const Float4 *)match->prefix_goal + (size_t)pelti_path_row(s) * SUMS;
        Float4 sum[SUMS] __attribute__((aligned(32)));
        Float8 pair[SUMS / 2] = {{0}};
        for (int r = paths->run_start[s]; r < paths->run_start[s + 1]; r++) {
            const Float8 *before = (const Float8 *)match->prefix_goal + (size_t)paths->runs[r][0] * (SUMS / 2);
            const Float8 *after = (const Float8 *)match->prefix_goal + (size_t)paths->runs[r][1] * (SUMS / 2);
            for (int q = 0; q < SUMS / 2; q++)
                pair[q] += after[q] - before[q];
        }
        memcpy(sum, pair, sizeof sum);
        for (int q = 0; q < SUMS; q++)
            sum[q] += siblings_f(own[SUMS + q] - own[q]);
        Float4 share = ((Float4 *)match->share)[s], stiffness = ((Float4 *)match->stiffness)[s];
        for (int i = 0; i < 3; i++) {
            Float4 goal = sum[i], *x = (Float4 *)match->x[i] + s;
            for (int j = 0; j < 3; j++)
                goal += sum[3 + 3 * i + j] * ((Float4 *)match->rest[j])[s];
            *x += stiffness * (goal * share - *x);
        }
    }
}

typedef struct Pass {
    PeltiMatch *match;
    PeltiAfterMatch after;
    void *context;
} Pass;

static void run_sums(void *context, int begin, int end, int worker)
{
    (void)worker;
    sum_block(((Pass *)context)->match, begin, end);
}

static void run_rotations(void *context, int begin, int end, int worker)
{
    PeltiMatch *match = ((Pass *)context)->match;
    (void)worker;
    gather_block(match, begin, end);
    int first = begin / 2, blocks = (end + 1) / 2 - first;
    pelti_polar_batch(match->rotation + first, match->warm + first, match->rotation + first, blocks);
    sum_goals_block(match, begin, end);
}

static void run_goals(void *context, int begin, int end, int worker)
{
    Pass *pass = context;
    (void)worker;
    move_block(pass->match, begin, end);
    if (pass->after)
        pass->after(pass->context, begin, end);
}

// Sums of m x x0^T over places far from the origin nearly cancel when the centre is taken off, so those are double; R and t
// are averaged, not subtracted, and float does. Tried on 8 570 slots, omega 2: see docs/layered.md.
void pelti_match_iterate(PeltiMatch *match, PeltiJobs *jobs, PeltiAfterMatch after, void *context)
{
    Pass pass = {match, after, context};
    int n = match->paths->slot_count;
    pelti_parallel_for(jobs, n, PELTI_PATH_BLOCK, run_sums, &pass);
    pelti_parallel_for(jobs, n, PELTI_PATH_BLOCK, run_rotations, &pass);
    pelti_parallel_for(jobs, n, PELTI_PATH_BLOCK, run_goals, &pass);
}

// ---- constants ----

/// Adds m and m x0 of one particle.
static void add_mass(const PeltiMatch *match, size_t lane, double *mass, double moment[3])
{
    *mass += (double)match->mass[lane];
    for (int k = 0; k < 3; k++)
        moment[k] += (double)match->mass[lane] * (double)match->rest[k][lane];
}

void pelti_match_centres(PeltiMatch *match, int begin, int end)
{
    const PeltiPaths *paths = match->paths;
    for (int s = begin; s < end; s++)
        for (int l = 0; l < PELTI_LAYERS; l++) {
            size_t own = (size_t)s * PELTI_LAYERS + (size_t)l;
            double mass = 0, moment[3] = {0};
            for (int r = paths->run_start[s]; r < paths->run_start[s + 1]; r++) {
                int first = pelti_path_slot(paths->runs[r][0]), last = first + paths->runs[r][1] - paths->runs[r][0];
                for (int i = first; i < last; i++)
                    add_mass(match, (size_t)i * PELTI_LAYERS + (size_t)l, &mass, moment);
            }
            if (l > 0)
                add_mass(match, own - 1, &mass, moment);
            if (l < PELTI_LAYERS - 1)
                add_mass(match, own + 1, &mass, moment);
            match->inverse_mass[own] = mass > 0 ? 1 / mass : 0;
            match->share[own] = 1.0f / (float)(paths->region_size[s] + (l > 0) + (l < PELTI_LAYERS - 1));
            for (int k = 0; k < 3; k++)
                match->centre[((size_t)s * 3 + (size_t)k) * PELTI_LAYERS + (size_t)l] = mass > 0 ? moment[k] / mass : 0;
        }
}

void pelti_match_prepare(PeltiMatch *match)
{
    int n = match->paths->slot_count;
    pelti_polar_reset(match->warm, match->padded / 2);
    memset(match->rotation, 0, sizeof *match->rotation * (size_t)(match->padded / 2));
    for (int k = 0; k < 3; k++)
        memcpy(match->x[k], match->rest[k], sizeof(float) * (size_t)n * PELTI_LAYERS);
    pelti_match_centres(match, 0, n);
    for (int s = 0; s < match->padded; s++)
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < PELTI_LAYERS; l++)
                match->rotation[s / 2].m[k][k][s % 2 * PELTI_LAYERS + l] = 1;
}
