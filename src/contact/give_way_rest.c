/// How deep each sample may be in each other part: what flesh takes, and what rest and folds explain.
#include "contact/give_way_parts.h"
#include "contact/constants.def"
#include "geometry/constants.def"

#include <string.h>

float pelti_give_way_sunk(const PeltiGiveWay *g, int a, int b)
{
    return fminf(g->flesh.crush[a] + g->flesh.crush[b], MOST_SUNK * g->parts.parts[b].field.radius);
}

/// phi of part b at every sample of part a, at rest; INFINITY where it is far.
static bool rest_depths(const PeltiGiveWay *g, int a, int b, float *phi)
{
    const PeltiContactPart *pa = &g->parts.parts[a];
    bool any = false;
    for (int i = 0; i < pa->sample_count; i++) {
        if (!pelti_contact_part_field_at(&g->parts.parts[b].field, g->parts.rest[pa->first_sample + i], &phi[i], NULL))
            phi[i] = INFINITY;
        any |= phi[i] < INFINITY;
    }
    return any;
}

/// A part that is sunk into another at rest goes on sliding in it: near such places the overlap may grow by their depth, less the
/// way to there.
static float slide(const PeltiGiveWay *g, int a, const float *phi, int sample)
{
    const PeltiContactPart *pa = &g->parts.parts[a];
    const Vec3 *rest = g->parts.rest + pa->first_sample;
    float most = 0, reach = (float)SUNK_REACH * (float)g->size;
    for (int i = 0; i < pa->sample_count; i++)
        if (phi[i] < 0)
            most = fmaxf(most, reach - phi[i] - vec3_distance(rest[i], rest[sample]));
    return most;
}

/// What of part a may sink how deep into part b; false: all of it by what flesh takes.
static bool allow_pair(const PeltiGiveWay *g, int a, int b, float *phi, float *allow)
{
    const PeltiContactPart *pa = &g->parts.parts[a];
    float sunk = pelti_give_way_sunk(g, a, b), both = pa->field.radius + g->parts.parts[b].field.radius;
    bool near = g->parts.apart[a * g->parts.part_count + b] == PELTI_APART_NEAR, special = false;
    if (!rest_depths(g, a, b, phi))
        return false;
    for (int i = 0; i < pa->sample_count; i++) {
        bool fold = near && phi[i] < FOLD_NEAR * both;
        allow[i] = phi[i] < 0 || fold ? -1 : sunk + slide(g, a, phi, i);
        special |= allow[i] != sunk;
    }
    return special;
}

/// Run twice: counts the rows, then fills them.
static int fill_rows(PeltiGiveWay *g, float *phi, float *allow, float *rows)
{
    int n = g->parts.part_count, used = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            g->flesh.allow_row[a * n + b] = -1;
            if (!pelti_give_way_asks(g, a, b) || !allow_pair(g, a, b, phi, allow))
                continue;
            if (rows)
                memcpy(rows + used, allow, sizeof *rows * (size_t)g->parts.parts[a].sample_count);
            g->flesh.allow_row[a * n + b] = used;
            used += g->parts.parts[a].sample_count;
        }
    return used;
}

PeltStatus pelti_give_way_allow(PeltiGiveWay *g, PeltError *err)
{
    int n = g->parts.part_count;
    g->flesh.allow_row = PELTI_NEW(&g->pool, int, (size_t)n *(size_t)n);
    float *phi = PELTI_NEW(&g->pool, float, g->parts.sample_count), *allow = PELTI_NEW(&g->pool, float, g->parts.sample_count);
    if (g->pool.failed)
        return pelti_no_memory(err, (size_t)g->parts.sample_count * sizeof(float));
    int count = fill_rows(g, phi, allow, NULL);
    g->flesh.allow = PELTI_NEW(&g->pool, float, count);
    if (g->pool.failed)
        return pelti_no_memory(err, (size_t)count * sizeof(float));
    fill_rows(g, phi, allow, g->flesh.allow);
    return PELT_OK;
}
