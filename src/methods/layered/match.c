/// Shape matching of regions with oriented particles, four layers at once [Deul2013 sec. 4.2.1, Mueller2011].
#include "methods/layered/match.h"

#include "math/wide.h"

#include <string.h>

// Four layers of two slots in a vector, as the batched rotations want them; two quantities of one slot in a vector where slots
// are summed. Sums are about a point of the tile and over few places, so that little cancels and float is enough (whole numbers
// of 32 bits about the middle of the mesh left fingertips trembling by 1e-5 of the size: masses differ by a factor of 400).
typedef float Float8 __attribute__((vector_size(32), may_alias));

enum { SUMS = 12, ROW = SUMS / 2 }; // quantities; vectors in a row

PELTI_WIDE Float8 splat(float a)
{
    Float8 v = {a};
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 0, 0, 0, 0);
}
/// What the layers above and below a layer hold: siblings are part of a region.
PELTI_WIDE Float8 siblings(Float8 a)
{
    Float8 zero = {0};
    return __builtin_shufflevector(a, zero, 8, 0, 1, 2, 8, 4, 5, 6) + __builtin_shufflevector(a, zero, 1, 2, 3, 8, 5, 6, 7, 8);
}

/// Rows of two slots from twelve quantities of both, added up; and back.
PELTI_WIDE void add_rows(const Float8 quantity[SUMS], Float8 sum[ROW], Float8 *row)
{
    PELTI_UNROLL
    for (int q = 0; q < ROW; q++) {
        sum[q] += __builtin_shufflevector(quantity[2 * q], quantity[2 * q + 1], 0, 1, 2, 3, 8, 9, 10, 11);
        row[q] = sum[q];
        sum[q] += __builtin_shufflevector(quantity[2 * q], quantity[2 * q + 1], 4, 5, 6, 7, 12, 13, 14, 15);
        row[ROW + q] = sum[q];
    }
}
PELTI_WIDE void from_rows(const Float8 first[ROW], const Float8 second[ROW], Float8 quantity[SUMS])
{
    PELTI_UNROLL
    for (int q = 0; q < ROW; q++) {
        quantity[2 * q] = __builtin_shufflevector(first[q], second[q], 0, 1, 2, 3, 8, 9, 10, 11);
        quantity[2 * q + 1] = __builtin_shufflevector(first[q], second[q], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

PeltStatus pelti_layered_match_new(PeltiPool *pool, const PeltiLayeredPaths *paths, int workers, PeltiLayeredMatch *out,
                                   PeltError *err)
{
    int padded = (paths->slot_count + 1) / 2 * 2;
    size_t lanes = (size_t)padded * PELTI_LAYERS + 16;
    *out = (PeltiLayeredMatch){.paths = paths, .padded = padded, .workers = workers < 1 ? 1 : workers};
    for (int k = 0; k < 3; k++) {
        out->x[k] = PELTI_NEW(pool, float, lanes);
        out->rest[k] = PELTI_NEW(pool, float, lanes);
        out->centre[k] = PELTI_NEW(pool, float, lanes);
        out->centre_now[k] = PELTI_NEW(pool, float, lanes);
    }
    out->mass = PELTI_NEW(pool, float, lanes);
    out->moment = PELTI_NEW(pool, float, lanes);
    out->stiffness = PELTI_NEW(pool, float, lanes);
    out->share = PELTI_NEW(pool, float, lanes);
    out->inverse_mass = PELTI_NEW(pool, float, lanes);
    out->rotation = PELTI_NEW(pool, PeltiMat3Block, padded / 2 + 1);
    out->rotation_next = PELTI_NEW(pool, PeltiMat3Block, padded / 2 + 1);
    out->warm = PELTI_NEW(pool, PeltiQuatBlock, padded / 2 + 1);
    out->about = PELTI_NEW(pool, PeltiLayeredMatchAbout, paths->tile_count);
    out->scratch_each = ((size_t)paths->places_most + 1) * ROW * 8;
    out->scratch = PELTI_NEW(pool, float, out->scratch_each *(size_t)out->workers);
    return pool->failed ? pelti_no_memory(err, lanes * 48 * sizeof(float)) : PELT_OK;
}

// ---- sums over a tile's regions ----

/// The sum over the region of a slot, and the siblings at its middle.
PELTI_WIDE void gather(const PeltiLayeredPaths *paths, const Float8 *rows, int s, int place, Float8 sum[ROW])
{
    const Float8 *own = rows + (place + 1) * ROW, *before_own = place % PELTI_PATH_GROUP ? own - ROW : rows;
    PELTI_UNROLL
    for (int q = 0; q < ROW; q++)
        sum[q] = siblings(own[q] - before_own[q]);
    for (int r = paths->piece_start[s]; r < paths->piece_start[s + 1]; r++) {
        const Float8 *before = rows + (size_t)paths->pieces[r][0] * ROW, *after = rows + (size_t)paths->pieces[r][1] * ROW;
        PELTI_UNROLL
        for (int q = 0; q < ROW; q++)
            sum[q] += after[q] - before[q];
    }
}
/// Of the two slots at a place; of one where they are an odd number.
PELTI_WIDE void gather_pair(const PeltiLayeredPaths *paths, const Float8 *rows, int s, int place, Float8 quantity[SUMS])
{
    Float8 sum[2][ROW];
    gather(paths, rows, s, place, sum[0]);
    if (s + 1 < paths->slot_count)
        gather(paths, rows, s + 1, place + 1, sum[1]);
    else
        memcpy(sum[1], sum[0], sizeof sum[1]);
    from_rows(sum[0], sum[1], quantity);
}

// ---- the two passes of an iteration ----

/// Terms m x and A_i + m x x0^T of two slots ([Deul2013] eq. 1 with the particles' moments, expanded:
/// sum m (x - c)(x0 - c0)^T = sum m x x0^T - (sum m x) c0^T).
PELTI_WIDE void moments_at(const PeltiLayeredMatch *match, const PeltiLayeredMatchAbout *about, int pair, Float8 term[SUMS])
{
    const PeltiMat3Block *turn = &match->rotation[pair];
    Float8 x0[3], m = ((const Float8 *)match->mass)[pair], moment = ((const Float8 *)match->moment)[pair];
    PELTI_UNROLL
    for (int j = 0; j < 3; j++)
        x0[j] = ((const Float8 *)match->rest[j])[pair] - splat(about->rest[j]);
    PELTI_UNROLL
    for (int i = 0; i < 3; i++) {
        term[i] = m * (((const Float8 *)match->x[i])[pair] - splat(about->now[i]));
        PELTI_UNROLL
        for (int j = 0; j < 3; j++)
            term[3 + 3 * i + j] = term[i] * x0[j] + moment * *(const Float8 *)turn->m[i][j];
    }
}

/// A of every region of a tile; centres of mass on the way.
PELTI_CLONES static void sum_moments(PeltiLayeredMatch *match, const PeltiLayeredTile *tile, PeltiLayeredMatchAbout *about,
                                     Float8 *rows)
{
    const PeltiLayeredPaths *paths = match->paths;
    Float8 before[ROW] = {{0}};
    for (int k = 0; k < 3; k++)
        about->now[k] = match->x[k][(size_t)about->middle * PELTI_LAYERS];
    for (int i = 0; i < tile->places; i += 2) {
        Float8 term[SUMS];
        moments_at(match, about, pelti_layered_path_slot(paths, tile, i) / 2, term);
        if (i % PELTI_PATH_GROUP == 0)
            memset(before, 0, sizeof before);
        add_rows(term, before, rows + (i + 1) * ROW);
    }
    for (int i = 0; i < tile->places_own; i += 2) {
        int pair = (tile->first + i) / 2;
        Float8 sum[SUMS], inverse = ((const Float8 *)match->inverse_mass)[pair];
        gather_pair(paths, rows, tile->first + i, i, sum);
        PELTI_UNROLL
        for (int p = 0; p < 3; p++) {
            ((Float8 *)match->centre_now[p])[pair] = sum[p] * inverse;
            PELTI_UNROLL
            for (int q = 0; q < 3; q++)
                *(Float8 *)match->rotation_next[pair].m[p][q] =
                    sum[3 + 3 * p + q] - sum[p] * ((const Float8 *)match->centre[q])[pair];
        }
    }
}

/// Terms t = c - R c0 and R of two slots' regions; their centres are about a point of their own tile.
PELTI_WIDE void goals_at(const PeltiLayeredMatch *match, const PeltiLayeredMatchAbout *about, int pair, Float8 term[SUMS])
{
    const PeltiLayeredMatchAbout *from = &match->about[match->paths->tile[2 * pair]];
    const PeltiMat3Block *turn = &match->rotation[pair];
    Float8 c0[3];
    PELTI_UNROLL
    for (int j = 0; j < 3; j++)
        c0[j] = ((const Float8 *)match->centre[j])[pair] + splat(from->rest[j] - about->rest[j]);
    PELTI_UNROLL
    for (int i = 0; i < 3; i++) {
        term[i] = ((const Float8 *)match->centre_now[i])[pair] + splat(from->now[i] - about->now[i]);
        PELTI_UNROLL
        for (int j = 0; j < 3; j++) {
            Float8 r = *(const Float8 *)turn->m[i][j];
            term[i] -= r * c0[j];
            term[3 + 3 * i + j] = r;
        }
    }
}

/// Goals: a particle's mean over the regions that hold it, (sum R x0 + sum t) / count; regions are symmetric, so these are
/// the regions at the particles of its own region.
PELTI_CLONES static void move_tile(PeltiLayeredMatch *match, const PeltiLayeredTile *tile, const PeltiLayeredMatchAbout *about,
                                   Float8 *rows)
{
    const PeltiLayeredPaths *paths = match->paths;
    Float8 before[ROW] = {{0}};
    for (int i = 0; i < tile->places; i += 2) {
        Float8 term[SUMS];
        goals_at(match, about, pelti_layered_path_slot(paths, tile, i) / 2, term);
        if (i % PELTI_PATH_GROUP == 0)
            memset(before, 0, sizeof before);
        add_rows(term, before, rows + (i + 1) * ROW);
    }
    for (int i = 0; i < tile->places_own; i += 2) {
        int pair = (tile->first + i) / 2;
        Float8 sum[SUMS], share = ((const Float8 *)match->share)[pair], stiffness = ((const Float8 *)match->stiffness)[pair];
        gather_pair(paths, rows, tile->first + i, i, sum);
        PELTI_UNROLL
        for (int p = 0; p < 3; p++) {
            Float8 goal = sum[p], *x = (Float8 *)match->x[p] + pair;
            PELTI_UNROLL
            for (int q = 0; q < 3; q++)
                goal += sum[3 + 3 * p + q] * (((const Float8 *)match->rest[q])[pair] - splat(about->rest[q]));
            *x += stiffness * (goal * share + splat(about->now[p]) - *x);
        }
    }
}

typedef struct MatchPass {
    PeltiLayeredMatch *match;
    PeltiLayeredMatchAfter after;
    void *context;
} MatchPass;

static Float8 *scratch_of(const PeltiLayeredMatch *match, int worker)
{
    return (Float8 *)(match->scratch + match->scratch_each * (size_t)worker);
}

static void run_rotations(void *context, int begin, int end, int worker)
{
    PeltiLayeredMatch *match = ((MatchPass *)context)->match;
    for (int t = begin; t < end; t++) {
        const PeltiLayeredTile *tile = &match->paths->tiles[t];
        PeltiMat3Block *matrices = match->rotation_next + tile->first / 2;
        sum_moments(match, tile, &match->about[t], scratch_of(match, worker));
        pelti_polar_batch(matrices, match->warm + tile->first / 2, matrices, tile->places_own / 2);
    }
}

static void run_goals(void *context, int begin, int end, int worker)
{
    MatchPass *pass = context;
    PeltiLayeredMatch *match = pass->match;
    for (int t = begin; t < end; t++) {
        const PeltiLayeredTile *tile = &match->paths->tiles[t];
        move_tile(match, tile, &match->about[t], scratch_of(match, worker));
        if (pass->after)
            pass->after(pass->context, tile->first, tile->first + tile->count);
    }
}

void pelti_layered_match_iterate(PeltiLayeredMatch *match, PeltiJobs *jobs, PeltiLayeredMatchAfter after, void *context)
{
    MatchPass pass = {match, after, context};
    int n = match->paths->tile_count;
    if (pelti_jobs_threads(jobs) > match->workers)
        jobs = NULL; // more than there is scratch for
    pelti_parallel_for(jobs, n, 1, run_rotations, &pass);
    PeltiMat3Block *before = match->rotation;
    match->rotation = match->rotation_next;
    match->rotation_next = before;
    pelti_parallel_for(jobs, n, 1, run_goals, &pass);
}

// ---- constants ----

/// Adds m and m x0 of one particle.
static void add_mass(const PeltiLayeredMatch *match, size_t lane, double *mass, double moment[3])
{
    *mass += (double)match->mass[lane];
    for (int k = 0; k < 3; k++)
        moment[k] += (double)match->mass[lane] * (double)match->rest[k][lane];
}

void pelti_layered_match_centres(PeltiLayeredMatch *match, int begin, int end)
{
    const PeltiLayeredPaths *paths = match->paths;
    for (int s = begin; s < end; s++)
        for (int l = 0; l < PELTI_LAYERS; l++) {
            const PeltiLayeredTile *tile = &paths->tiles[paths->tile[s]];
            size_t own = (size_t)s * PELTI_LAYERS + (size_t)l;
            double mass = 0, moment[3] = {0};
            for (int r = paths->run_start[s]; r < paths->run_start[s + 1]; r++)
                for (int i = paths->runs[r][0]; i < paths->runs[r][0] + paths->runs[r][1]; i++)
                    add_mass(match, (size_t)pelti_layered_path_slot(paths, tile, i) * PELTI_LAYERS + (size_t)l, &mass, moment);
            if (l > 0)
                add_mass(match, own - 1, &mass, moment);
            if (l < PELTI_LAYERS - 1)
                add_mass(match, own + 1, &mass, moment);
            match->inverse_mass[own] = mass > 0 ? (float)(1 / mass) : 0;
            match->share[own] = 1.0f / (float)(paths->region_size[s] + (l > 0) + (l < PELTI_LAYERS - 1));
            for (int k = 0; k < 3; k++) {
                double about = (double)match->about[paths->tile[s]].rest[k];
                match->centre[k][own] = mass > 0 ? (float)(moment[k] / mass - about) : 0;
            }
        }
}

/// The slot of a tile that lies nearest to the mean of its skin: sums are about where that is.
static void find_middle(PeltiLayeredMatch *match, int t)
{
    const PeltiLayeredTile *tile = &match->paths->tiles[t];
    double mean[3] = {0}, least = INFINITY;
    for (int s = tile->first; s < tile->first + tile->count; s++)
        for (int k = 0; k < 3; k++)
            mean[k] += (double)match->rest[k][(size_t)s * PELTI_LAYERS] / tile->count;
    for (int s = tile->first; s < tile->first + tile->count; s++) {
        double squared = 0;
        for (int k = 0; k < 3; k++) {
            double d = (double)match->rest[k][(size_t)s * PELTI_LAYERS] - mean[k];
            squared += d * d;
        }
        if (squared < least) {
            least = squared;
            match->about[t].middle = s;
        }
    }
    for (int k = 0; k < 3; k++)
        match->about[t].rest[k] = match->rest[k][(size_t)match->about[t].middle * PELTI_LAYERS];
}

void pelti_layered_match_prepare(PeltiLayeredMatch *match)
{
    int n = match->paths->slot_count;
    pelti_polar_reset(match->warm, match->padded / 2);
    memset(match->rotation, 0, sizeof *match->rotation * (size_t)(match->padded / 2));
    for (int k = 0; k < 3; k++)
        memcpy(match->x[k], match->rest[k], sizeof(float) * (size_t)n * PELTI_LAYERS);
    for (int t = 0; t < match->paths->tile_count; t++)
        find_middle(match, t);
    pelti_layered_match_centres(match, 0, n);
    for (int s = 0; s < match->padded; s++)
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < PELTI_LAYERS; l++)
                match->rotation[s / 2].m[k][k][s % 2 * PELTI_LAYERS + l] = 1;
}
