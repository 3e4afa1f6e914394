/// Leans closed pieces on blending as far as their volume asks for it.
/// It finds the largest factor on their shares with which that is kept about as well as by blending.
#include "body/lean_volume.h"

#include "body/constants.def"

#include <string.h>

enum { GRAIN = 1024 };

/// Six times the volume below a triangle, x = home + factor share (own - home). About a vertex of its component, so that far
/// pieces lose no digits.
static double volume_below(const PeltiLeanVolume *l, const PeltiLeanShape *s, int triangle, float factor)
{
    const int *corner = l->mesh->triangles[triangle];
    Vec3 x[3], origin = s->home[l->first[l->mesh->component[corner[0]]]];
    for (int k = 0; k < 3; k++) {
        int v = corner[k];
        x[k] = vec3_sub(s->own ? vec3_lerp(s->home[v], s->own[v], factor * s->share[v]) : s->home[v], origin);
    }
    return (double)vec3_dot(x[0], vec3_cross(x[1], x[2]));
}

static int piece_of(const PeltiLeanVolume *l, int triangle)
{
    return l->mesh->component[l->mesh->triangles[triangle][0]];
}

typedef struct VolumeLook {
    PeltiLeanVolume *volume;
    const PeltiLeanShape *shape;
    const int *list; // NULL: all triangles
} VolumeLook;

static void below_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    VolumeLook *look = context;
    PeltiLeanVolume *l = look->volume;
    for (int i = begin; i < end; i++) {
        int t = look->list ? look->list[i] : i;
        if (l->rest[piece_of(l, t)] != 0)
            l->below[t] = volume_below(l, look->shape, t, 1);
    }
}

/// Sums in the order of the triangles.
static void add_up(const PeltiLeanVolume *l, double *out)
{
    memset(out, 0, (size_t)l->mesh->component_count * sizeof *out);
    for (int t = 0; t < l->mesh->triangle_count; t++) {
        int c = piece_of(l, t);
        out[c] += l->rest[c] != 0 ? l->below[t] : 0;
    }
}

static void find_volumes(PeltiLeanVolume *l, const PeltiLeanShape *shape, PeltiJobs *jobs, double *out)
{
    pelti_parallel_for(jobs, l->mesh->triangle_count, GRAIN, below_range, &(VolumeLook){l, shape, NULL});
    add_up(l, out);
}

PeltStatus pelti_lean_volume_create(const PeltiMesh *mesh, const bool *rigid, PeltiPool *pool, PeltiLeanVolume *out,
                                    PeltError *err)
{
    int count = mesh->component_count;
    *out = (PeltiLeanVolume){.mesh = mesh,
                             .rest = PELTI_NEW(pool, double, count),
                             .home = PELTI_NEW(pool, double, count),
                             .now = PELTI_NEW(pool, double, count),
                             .asked = PELTI_NEW(pool, double, count),
                             .low = PELTI_NEW(pool, double, count),
                             .high = PELTI_NEW(pool, double, count),
                             .first = PELTI_NEW(pool, int, count),
                             .below = PELTI_NEW(pool, double, mesh->triangle_count)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)count * 56 + (size_t)mesh->triangle_count * sizeof(double));
    for (int c = 0; c < count; c++)
        out->rest[c] = !rigid[c];
    for (int e = 0; e < mesh->edge_count; e++)
        if (mesh->edge_use[e] != 2)
            out->rest[mesh->component[mesh->edges[e][0]]] = 0;
    for (int v = mesh->vertex_count - 1; v >= 0; v--)
        out->first[mesh->component[v]] = v;
    find_volumes(out, &(PeltiLeanShape){mesh->rest, NULL, NULL}, NULL, out->now);
    double size = (double)mesh->diagonal, least = LEAN_FLAT * size * size * size;
    for (int c = 0; c < count; c++)
        out->rest[c] = out->rest[c] > 0 && fabs(out->now[c]) > least ? out->now[c] : 0;
    pelti_lean_volume_restart(out, mesh->rest, mesh->rest, NULL);
    return PELT_OK;
}

static bool bearable(const PeltiLeanVolume *l, int c)
{
    return pelti_lean_volume_harm(l->now[c] / l->rest[c], l->home[c] / l->rest[c]) <= LEAN_VOLUME_KEPT;
}

void pelti_lean_volume_restart(PeltiLeanVolume *l, const Vec3 *home, const Vec3 *asked, PeltiJobs *jobs)
{
    find_volumes(l, &(PeltiLeanShape){home, NULL, NULL}, jobs, l->home);
    find_volumes(l, &(PeltiLeanShape){asked, NULL, NULL}, jobs, l->asked);
    l->stale = true;
}

/// The volumes of pieces that are not bearable, with the factors that are tried.
static void try_factors(PeltiLeanVolume *l, const PeltiLeanShape *shape)
{
    for (int c = 0; c < l->mesh->component_count; c++) {
        l->high[c] = 0.5 * (l->low[c] + l->high[c]);
        l->now[c] = 0;
    }
    for (int t = 0; t < l->mesh->triangle_count; t++) {
        int c = piece_of(l, t);
        if (l->low[c] < 1)
            l->now[c] += volume_below(l, shape, t, (float)l->high[c]);
    }
}

void pelti_lean_volume_find(PeltiLeanVolume *l, const PeltiLeanShape *shape, PeltiLeanChanged changed, PeltiJobs *jobs)
{
    int count = l->mesh->component_count;
    if (l->stale)
        find_volumes(l, shape, jobs, l->now);
    else if (changed.count) {
        pelti_parallel_for(jobs, changed.count, GRAIN, below_range, &(VolumeLook){l, shape, changed.list});
        add_up(l, l->now);
    }
    l->worse = 0;
    for (int c = 0; c < count; c++) {
        bool fine = l->rest[c] == 0 || bearable(l, c);
        l->low[c] = fine; // bearable as it is: no factor
        l->high[c] = 1;
        l->worse += !fine;
    }
    l->stale = l->worse > 0;
    for (int i = 0; i < LEAN_VOLUME_HALVINGS && l->worse; i++) {
        try_factors(l, shape);
        for (int c = 0; c < count; c++)
            if (l->low[c] < 1) {
                double tried = l->high[c], step = tried - l->low[c];
                bool fits = bearable(l, c);
                l->high[c] = fits ? tried + step : tried;
                l->low[c] = fits ? tried : l->low[c];
            }
    }
}
