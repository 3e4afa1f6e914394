/// Shape matching of regions with oriented particles, four layers at once [Deul2013 sec. 4.2.1, Mueller2011].
#include "methods/layered/match.h"

#include "math/wide.h"

#include <string.h>

// Four layers in a vector. Sums of m x x0^T far from the origin nearly cancel when the centre is taken off, and masses differ by
// a factor of 400: those are double (whole numbers of 32 bits left fingertips trembling by 1e-5 of the size). Sums of R and t are
// whole numbers: they add up without rounding, and differences of two are right though both have long overflowed, as long as the
// sum of one region fits into 32 bits.
typedef float Float4 __attribute__((vector_size(16), may_alias));
typedef double Double4 __attribute__((vector_size(32), may_alias));
typedef int32_t Int4 __attribute__((vector_size(16), may_alias));
typedef int32_t Int8 __attribute__((vector_size(32), may_alias));
typedef uint32_t Word4 __attribute__((vector_size(16), may_alias));
typedef uint32_t Word8 __attribute__((vector_size(32), may_alias));

enum { SUMS = 12, ROW = SUMS * PELTI_LAYERS };

PELTI_WIDE Double4 wide(Float4 a)
{
    return __builtin_convertvector(a, Double4);
}
PELTI_WIDE Float4 narrow(Double4 a)
{
    return __builtin_convertvector(a, Float4);
}
PELTI_WIDE Double4 splat(double a)
{
    Double4 v = {a};
    return __builtin_shufflevector(v, v, 0, 0, 0, 0);
}
PELTI_WIDE Word4 fixed(Double4 a)
{
    return (Word4) __builtin_convertvector(a, Int4);
}
/// What the layers above and below a layer hold: siblings are part of a region.
PELTI_WIDE Double4 siblings(Double4 a)
{
    Double4 zero = {0, 0, 0, 0};
    return __builtin_shufflevector(a, zero, 4, 0, 1, 2) + __builtin_shufflevector(a, zero, 1, 2, 3, 4);
}
PELTI_WIDE Word4 siblings_w(Word4 a)
{
    Word4 zero = {0, 0, 0, 0};
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
    out->prefix_goal = PELTI_NEW(pool, uint32_t, ((size_t)paths->row_count + 2) * ROW);
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
    PELTI_UNROLL
    for (int q = 0; q < SUMS; q++)
        row[q] = sum[q];
    for (int s = begin; s < end; s++) {
        Double4 x0[3], m = wide(((Float4 *)match->mass)[s]);
        Float4 moment = ((Float4 *)match->moment)[s];
        PELTI_UNROLL
        for (int k = 0; k < 3; k++)
            x0[k] = wide(((Float4 *)match->rest[k])[s]);
        row += SUMS;
        PELTI_UNROLL
        for (int i = 0; i < 3; i++) {
            Double4 mx = m * wide(((Float4 *)match->x[i])[s]);
            sum[i] += mx;
            PELTI_UNROLL
            for (int j = 0; j < 3; j++)
                sum[3 + 3 * i + j] += mx * x0[j] + wide(moment * *rotation_at(match, s, i, j));
        }
        PELTI_UNROLL
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
        PELTI_UNROLL
        for (int q = 0; q < SUMS; q++)
            sum[q] = siblings(own[SUMS + q] - own[q]);
        for (int r = paths->run_start[s]; r < paths->run_start[s + 1]; r++) {
            const Double4 *before = rows + (size_t)paths->runs[r][0] * SUMS, *after = rows + (size_t)paths->runs[r][1] * SUMS;
            PELTI_UNROLL
            for (int q = 0; q < SUMS; q++)
                sum[q] += after[q] - before[q];
        }
        const Double4 *c0 = (const Double4 *)match->centre + (size_t)s * 3;
        Double4 *now = (Double4 *)match->centre_now + (size_t)s * 3, inverse = ((const Double4 *)match->inverse_mass)[s];
        PELTI_UNROLL
        for (int i = 0; i < 3; i++) {
            now[i] = sum[i] * inverse;
            PELTI_UNROLL
            for (int j = 0; j < 3; j++)
                *rotation_at(match, s, i, j) = narrow(sum[3 + 3 * i + j] - sum[i] * c0[j]);
        }
    }
}

/// Prefix sums of t = c - R c0 and of R over one block.
PELTI_CLONES static void sum_goals_block(PeltiMatch *match, int begin, int end)
{
    Word4 sum[SUMS] = {{0}};
    Word4 *row = (Word4 *)match->prefix_goal + (size_t)pelti_path_row(begin) * SUMS;
    Double4 first = splat(1 / match->unit_t), other = splat(1 / match->unit_R);
    PELTI_UNROLL
    for (int q = 0; q < SUMS; q++)
        row[q] = sum[q];
    for (int s = begin; s < end; s++) {
        const Double4 *c0 = (const Double4 *)match->centre + (size_t)s * 3,
                      *now = (const Double4 *)match->centre_now + (size_t)s * 3;
        row += SUMS;
        PELTI_UNROLL
        for (int i = 0; i < 3; i++) {
            Double4 t = now[i];
            PELTI_UNROLL
            for (int j = 0; j < 3; j++) {
                Double4 r = wide(*rotation_at(match, s, i, j));
                t -= r * c0[j];
                sum[3 + 3 * i + j] += fixed(other * r);
            }
            sum[i] += fixed(first * t);
        }
        PELTI_UNROLL
        for (int q = 0; q < SUMS; q++)
            row[q] = sum[q];
    }
}

/// Sums of R and t over the region of a slot from its runs, and from the siblings at its middle.
PELTI_WIDE void gather(const PeltiPaths *paths, const uint32_t *prefix, int s, Word4 sum[SUMS])
{
    const Word4 *own = (const Word4 *)prefix + (size_t)pelti_path_row(s) * SUMS;
    Word8 pair[SUMS / 2] = {{0}};
    for (int r = paths->run_start[s]; r < paths->run_start[s + 1]; r++) {
        const Word8 *before = (const Word8 *)prefix + (size_t)paths->runs[r][0] * (SUMS / 2);
        const Word8 *after = (const Word8 *)prefix + (size_t)paths->runs[r][1] * (SUMS / 2);
        PELTI_UNROLL
        for (int q = 0; q < SUMS / 2; q++)
            pair[q] += after[q] - before[q];
    }
    PELTI_UNROLL
    for (int q = 0; q < SUMS / 2; q++) {
        Word4 low = __builtin_shufflevector(pair[q], pair[q], 0, 1, 2, 3);
        Word4 high = __builtin_shufflevector(pair[q], pair[q], 4, 5, 6, 7);
        sum[2 * q] = low + siblings_w(own[SUMS + 2 * q] - own[2 * q]);
        sum[2 * q + 1] = high + siblings_w(own[SUMS + 2 * q + 1] - own[2 * q + 1]);
    }
}

/// Goals: a particle's mean over the regions that hold it, (sum R x0 + sum t) / count; regions are symmetric, so these are
/// the regions at the particles of its own region.
PELTI_CLONES static void move_block(PeltiMatch *match, int begin, int end)
{
    float unit[2] = {(float)match->unit_t, (float)match->unit_R};
    for (int s = begin; s < end; s++) {
        Word4 sum[SUMS];
        gather(match->paths, match->prefix_goal, s, sum);
        Float4 share = ((Float4 *)match->share)[s], stiffness = ((Float4 *)match->stiffness)[s];
        PELTI_UNROLL
        for (int i = 0; i < 3; i++) {
            Float4 goal = {0, 0, 0, 0}, *x = (Float4 *)match->x[i] + s;
            PELTI_UNROLL
            for (int j = 0; j < 3; j++)
                goal += __builtin_convertvector((Int4)sum[3 + 3 * i + j], Float4) * ((Float4 *)match->rest[j])[s];
            goal = unit[0] * __builtin_convertvector((Int4)sum[i], Float4) + unit[1] * goal;
            *x += stiffness * (goal * share - *x);
        }
    }
}

/// The largest coordinate; what is not finite leaves the last one.
PELTI_CLONES static void find_extent(PeltiMatch *match)
{
    Int8 most = {0};
    int count = match->padded * PELTI_LAYERS / 8;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < count; i++) { // floats without their sign are ordered like whole numbers
            Int8 a = ((const Int8 *)match->x[k])[i] & 0x7fffffff, more = a > most;
            most = (a & more) | (most & ~more);
        }
    int32_t all = 0;
    for (int lane = 0; lane < 8; lane++)
        all = most[lane] > all ? most[lane] : all;
    float x;
    memcpy(&x, &all, sizeof x);
    match->x_most = x < INFINITY ? x : match->x_most;
}

/// Units in which no region's sum overflows, with a little room.
static void choose_units(PeltiMatch *match)
{
    const double most = 2147483648.0 * 0.9, tiny = 1e-30;
    find_extent(match);
    double x = fmax((double)match->x_most, tiny), rest = fmax((double)match->rest_most, tiny);
    match->unit_t = match->count_most * (x + 1.8 * rest) / most; // |R c0| <= sqrt(3) times c0's largest coordinate
    match->unit_R = match->count_most / most;
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

void pelti_match_iterate(PeltiMatch *match, PeltiJobs *jobs, PeltiAfterMatch after, void *context)
{
    Pass pass = {match, after, context};
    int n = match->paths->slot_count;
    choose_units(match);
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

void pelti_match_limits(PeltiMatch *match)
{
    match->count_most = 1;
    match->rest_most = 0;
    for (size_t i = 0; i < (size_t)match->paths->slot_count * PELTI_LAYERS; i++) {
        int count = (int)lroundf(1 / match->share[i]);
        match->count_most = count > match->count_most ? count : match->count_most;
        for (int k = 0; k < 3; k++)
            match->rest_most = fmaxf(match->rest_most, fabsf(match->rest[k][i]));
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
    pelti_match_limits(match);
    for (int s = 0; s < match->padded; s++)
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < PELTI_LAYERS; l++)
                match->rotation[s / 2].m[k][k][s % 2 * PELTI_LAYERS + l] = 1;
}
