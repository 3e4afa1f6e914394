/// Shape matching with sums taken particle by particle, which fast summation replaces [Deul2013 sec. 4.3].
#include "bench/layered_plain.h"

#include "math/wide.h"

// As lean as the shipped passes: four layers in a vector, each slot's terms written once, regions read them in slot order.
typedef double SlotLayersDouble __attribute__((vector_size(32), may_alias));

enum { SUMS = 12 };

PELTI_WIDE SlotLayersDouble wide(PeltiLayeredSlots a)
{
    return __builtin_convertvector(a, SlotLayersDouble);
}
PELTI_WIDE PeltiLayeredSlots narrow(SlotLayersDouble a)
{
    return __builtin_convertvector(a, PeltiLayeredSlots);
}
PELTI_WIDE SlotLayersDouble siblings(SlotLayersDouble a)
{
    SlotLayersDouble zero = {0, 0, 0, 0};
    return __builtin_shufflevector(a, zero, 4, 0, 1, 2) + __builtin_shufflevector(a, zero, 1, 2, 3, 4);
}
PELTI_WIDE PeltiLayeredSlots siblings_f(PeltiLayeredSlots a)
{
    PeltiLayeredSlots zero = {0, 0, 0, 0};
    return __builtin_shufflevector(a, zero, 4, 0, 1, 2) + __builtin_shufflevector(a, zero, 1, 2, 3, 4);
}
PELTI_WIDE PeltiLayeredSlots *rotation_at(PeltiLayeredMatch *match, int slot, int row, int column)
{
    return (PeltiLayeredSlots *)&match->rotation[slot / 2].m[row][column][slot % 2 * 4];
}

bool pelti_bench_plain_build(PeltiPool *pool, PeltiLayeredMatch *match, BenchPlain *out)
{
    const PeltiLayeredPaths *paths = match->paths;
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
            const PeltiLayeredTile *tile = &paths->tiles[paths->tile[s]];
            for (int i = paths->runs[r][0]; i < paths->runs[r][0] + paths->runs[r][1]; i++)
                out->members[total++] = pelti_layered_path_slot(paths, tile, i);
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
    PeltiLayeredMatch *match = plain->match;
    for (int s = 0; s < n; s++) {
        SlotLayersDouble *row = (SlotLayersDouble *)plain->terms + (size_t)s * SUMS, x0[3],
                         m = wide(((PeltiLayeredSlots *)match->mass)[s]);
        PeltiLayeredSlots moment = ((PeltiLayeredSlots *)match->moment)[s];
        for (int k = 0; k < 3; k++)
            x0[k] = wide(((PeltiLayeredSlots *)match->rest[k])[s]);
        for (int i = 0; i < 3; i++) {
            SlotLayersDouble mx = m * wide(((PeltiLayeredSlots *)match->x[i])[s]);
            row[i] = mx;
            for (int j = 0; j < 3; j++)
                row[3 + 3 * i + j] = mx * x0[j] + wide(moment * *rotation_at(match, s, i, j));
        }
    }
}

PELTI_CLONES static void gather(const BenchPlain *plain, int n)
{
    PeltiLayeredMatch *match = plain->match;
    const SlotLayersDouble *rows = (const SlotLayersDouble *)plain->terms;
    for (int s = 0; s < n; s++) {
        SlotLayersDouble sum[SUMS];
        for (int q = 0; q < SUMS; q++)
            sum[q] = siblings(rows[(size_t)s * SUMS + (size_t)q]);
        for (int r = plain->member_start[s]; r < plain->member_start[s + 1]; r++) {
            const SlotLayersDouble *row = rows + (size_t)plain->members[r] * SUMS;
            for (int q = 0; q < SUMS; q++)
                sum[q] += row[q];
        }
        const SlotLayersDouble *c0 = (const SlotLayersDouble *)plain->centre + (size_t)s * 3;
        SlotLayersDouble *now = (SlotLayersDouble *)plain->centre_now + (size_t)s * 3,
                         inverse = wide(((const PeltiLayeredSlots *)match->inverse_mass)[s]);
        for (int i = 0; i < 3; i++) {
            now[i] = sum[i] * inverse;
            for (int j = 0; j < 3; j++)
                *rotation_at(match, s, i, j) = narrow(sum[3 + 3 * i + j] - sum[i] * c0[j]);
        }
    }
}

PELTI_CLONES static void write_goals(const BenchPlain *plain, int n)
{
    PeltiLayeredMatch *match = plain->match;
    for (int s = 0; s < n; s++) {
        PeltiLayeredSlots *row = (PeltiLayeredSlots *)plain->goals + (size_t)s * SUMS;
        const SlotLayersDouble *c0 = (const SlotLayersDouble *)plain->centre + (size_t)s * 3,
                               *now = (const SlotLayersDouble *)plain->centre_now + (size_t)s * 3;
        for (int i = 0; i < 3; i++) {
            SlotLayersDouble t = now[i];
            for (int j = 0; j < 3; j++) {
                PeltiLayeredSlots r = *rotation_at(match, s, i, j);
                t -= wide(r) * c0[j];
                row[3 + 3 * i + j] = r;
            }
            row[i] = narrow(t);
        }
    }
}

PELTI_CLONES static void move(const BenchPlain *plain, int n)
{
    PeltiLayeredMatch *match = plain->match;
    const PeltiLayeredSlots *rows = (const PeltiLayeredSlots *)plain->goals;
    for (int s = 0; s < n; s++) {
        PeltiLayeredSlots sum[SUMS];
        for (int q = 0; q < SUMS; q++)
            sum[q] = siblings_f(rows[(size_t)s * SUMS + (size_t)q]);
        for (int r = plain->member_start[s]; r < plain->member_start[s + 1]; r++) {
            const PeltiLayeredSlots *row = rows + (size_t)plain->members[r] * SUMS;
            for (int q = 0; q < SUMS; q++)
                sum[q] += row[q];
        }
        PeltiLayeredSlots share = ((PeltiLayeredSlots *)match->share)[s], stiffness = ((PeltiLayeredSlots *)match->stiffness)[s];
        for (int i = 0; i < 3; i++) {
            PeltiLayeredSlots goal = sum[i], *x = (PeltiLayeredSlots *)match->x[i] + s;
            for (int j = 0; j < 3; j++)
                goal += sum[3 + 3 * i + j] * ((PeltiLayeredSlots *)match->rest[j])[s];
            *x += stiffness * (goal * share - *x);
        }
    }
}

void pelti_bench_plain_iterate(BenchPlain *plain)
{
    PeltiLayeredMatch *match = plain->match;
    int n = match->paths->slot_count;
    write_terms(plain, n);
    gather(plain, n);
    pelti_polar_batch(match->rotation, match->warm, match->rotation, match->padded / 2);
    write_goals(plain, n);
    move(plain, n);
}
