/// Shape matching with sums taken particle by particle, which fast summation replaces [Deul2013 sec. 4.3].
#include "bench/layered_plain.h"

#include "math/wide.h"

// As lean as the shipped passes: four layers in a vector, each slot's terms written once, regions read them in slot order.
typedef float Float4 __attribute__((vector_size(16), may_alias));
typedef double Double4 __attribute__((vector_size(32), may_alias));

enum { SUMS = 12 };

PELTI_WIDE Double4 wide(Float4 a)
{
    return __builtin_convertvector(a, Double4);
}
PELTI_WIDE Float4 narrow(Double4 a)
{
    return __builtin_convertvector(a, Float4);
}
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

bool pelti_bench_plain_build(PeltiPool *pool, PeltiMatch *match, BenchPlain *out)
{
    const PeltiPaths *paths = match->paths;
    int n = paths->slot_count, total = 0;
    for (int s = 0; s < n; s++)
        total += paths->region_size[s];
    *out = (BenchPlain){match,
                        PELTI_NEW(pool, int, n + 1),
                        PELTI_NEW(pool, int, total),
                        PELTI_NEW(pool, double, (size_t)n *SUMS *PELTI_LAYERS),
                        PELTI_NEW(pool, float, (size_t)n *SUMS *PELTI_LAYERS),
                        PELTI_NEW(pool, double, (size_t)n * 3 * PELTI_LAYERS),
                        PELTI_NEW(pool, double, (size_t)n * 3 * PELTI_LAYERS)};
    if (pool->failed)
        return false;
    total = 0;
    for (int s = 0; s < n; s++) {
        for (int r = paths->run_start[s]; r < paths->run_start[s + 1]; r++) {
            const PeltiTile *tile = &paths->tiles[paths->tile[s]];
            for (int i = paths->runs[r][0]; i < paths->runs[r][0] + paths->runs[r][1]; i++)
                out->members[total++] = pelti_path_slot(paths, tile, i);
        }
        out->member_start[s + 1] = total;
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < PELTI_LAYERS; l++)
                out->centre[(s * 3 + k) * PELTI_LAYERS + l] =
                    (double)match->centre[k][s * PELTI_LAYERS + l] + (double)match->about[paths->tile[s]].rest[k];
    }
    return true;
}

PELTI_CLONES static void write_terms(const BenchPlain *plain, int n)
{
    PeltiMatch *match = plain->match;
    for (int s = 0; s < n; s++) {
        Double4 *row = (Double4 *)plain->terms + (size_t)s * SUMS, x0[3], m = wide(((Float4 *)match->mass)[s]);
        Float4 moment = ((Float4 *)match->moment)[s];
        for (int k = 0; k < 3; k++)
            x0[k] = wide(((Float4 *)match->rest[k])[s]);
        for (int i = 0; i < 3; i++) {
            Double4 mx = m * wide(((Float4 *)match->x[i])[s]);
            row[i] = mx;
            for (int j = 0; j < 3; j++)
                row[3 + 3 * i + j] = mx * x0[j] + wide(moment * *rotation_at(match, s, i, j));
        }
    }
}

PELTI_CLONES static void gather(const BenchPlain *plain, int n)
{
    PeltiMatch *match = plain->match;
    const Double4 *rows = (const Double4 *)plain->terms;
    for (int s = 0; s < n; s++) {
        Double4 sum[SUMS];
        for (int q = 0; q < SUMS; q++)
            sum[q] = siblings(rows[(size_t)s * SUMS + (size_t)q]);
        for (int r = plain->member_start[s]; r < plain->member_start[s + 1]; r++) {
            const Double4 *row = rows + (size_t)plain->members[r] * SUMS;
            for (int q = 0; q < SUMS; q++)
                sum[q] += row[q];
        }
        const Double4 *c0 = (const Double4 *)plain->centre + (size_t)s * 3;
        Double4 *now = (Double4 *)plain->centre_now + (size_t)s * 3, inverse = wide(((const Float4 *)match->inverse_mass)[s]);
        for (int i = 0; i < 3; i++) {
            now[i] = sum[i] * inverse;
            for (int j = 0; j < 3; j++)
                *rotation_at(match, s, i, j) = narrow(sum[3 + 3 * i + j] - sum[i] * c0[j]);
        }
    }
}

PELTI_CLONES static void write_goals(const BenchPlain *plain, int n)
{
    PeltiMatch *match = plain->match;
    for (int s = 0; s < n; s++) {
        Float4 *row = (Float4 *)plain->goals + (size_t)s * SUMS;
        const Double4 *c0 = (const Double4 *)plain->centre + (size_t)s * 3,
                      *now = (const Double4 *)plain->centre_now + (size_t)s * 3;
        for (int i = 0; i < 3; i++) {
            Double4 t = now[i];
            for (int j = 0; j < 3; j++) {
                Float4 r = *rotation_at(match, s, i, j);
                t -= wide(r) * c0[j];
                row[3 + 3 * i + j] = r;
            }
            row[i] = narrow(t);
        }
    }
}

PELTI_CLONES static void move(const BenchPlain *plain, int n)
{
    PeltiMatch *match = plain->match;
    const Float4 *rows = (const Float4 *)plain->goals;
    for (int s = 0; s < n; s++) {
        Float4 sum[SUMS];
        for (int q = 0; q < SUMS; q++)
            sum[q] = siblings_f(rows[(size_t)s * SUMS + (size_t)q]);
        for (int r = plain->member_start[s]; r < plain->member_start[s + 1]; r++) {
            const Float4 *row = rows + (size_t)plain->members[r] * SUMS;
            for (int q = 0; q < SUMS; q++)
                sum[q] += row[q];
        }
        Float4 share = ((Float4 *)match->share)[s], stiffness = ((Float4 *)match->stiffness)[s];
        for (int i = 0; i < 3; i++) {
            Float4 goal = sum[i], *x = (Float4 *)match->x[i] + s;
            for (int j = 0; j < 3; j++)
                goal += sum[3 + 3 * i + j] * ((Float4 *)match->rest[j])[s];
            *x += stiffness * (goal * share - *x);
        }
    }
}

void pelti_bench_plain_iterate(BenchPlain *plain)
{
    PeltiMatch *match = plain->match;
    int n = match->paths->slot_count;
    write_terms(plain, n);
    gather(plain, n);
    pelti_polar_batch(match->rotation, match->warm, match->rotation, match->padded / 2);
    write_goals(plain, n);
    move(plain, n);
}
