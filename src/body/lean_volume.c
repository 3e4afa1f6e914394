/// Leaning of closed pieces by their volume: the largest factor on their shares with which it is kept about as well as by
/// blending.
#include "body/lean_volume.h"

#include "body/constants.def"

#include <math.h>
#include <string.h>

static const double FLAT = 1e-8; // of the size, cubed
enum { HALVINGS = 6 };

/// Six times the volume of each component, x = home + factor share (own - home); `factor` NULL: 1, `own` NULL: home. About a
/// vertex of its own, so that far pieces lose no digits.
static void find_volumes(const PeltiLeanVolume *l, const Vec3 *home, const Vec3 *own, const float *share, const double *factor,
                         double *out)
{
    const PeltiMesh *mesh = l->mesh;
    memset(out, 0, (size_t)mesh->component_count * sizeof *out);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *corner = mesh->triangles[t];
        int c = mesh->component[corner[0]];
        if (l->rest[c] == 0)
            continue;
        Vec3 x[3], origin = home[l->first[c]];
        for (int k = 0; k < 3; k++) {
            int v = corner[k];
            x[k] = vec3_sub(own ? vec3_lerp(home[v], own[v], (factor ? (float)factor[c] : 1) * share[v]) : home[v], origin);
        }
        out[c] += (double)vec3_dot(x[0], vec3_cross(x[1], x[2]));
    }
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
                             .first = PELTI_NEW(pool, int, count)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)count * 56);
    for (int c = 0; c < count; c++)
        out->rest[c] = !rigid[c];
    for (int e = 0; e < mesh->edge_count; e++)
        if (mesh->edge_use[e] != 2)
            out->rest[mesh->component[mesh->edges[e][0]]] = 0;
    for (int v = mesh->vertex_count - 1; v >= 0; v--)
        out->first[mesh->component[v]] = v;
    find_volumes(out, mesh->rest, NULL, NULL, NULL, out->now);
    double size = (double)mesh->diagonal, least = FLAT * size * size * size;
    for (int c = 0; c < count; c++)
        out->rest[c] = out->rest[c] > 0 && fabs(out->now[c]) > least ? out->now[c] : 0;
    pelti_lean_volume_restart(out, mesh->rest, mesh->rest);
    return PELT_OK;
}

static bool bearable(const PeltiLeanVolume *l, int c)
{
    double now = l->now[c] / l->rest[c], home = l->home[c] / l->rest[c];
    return fabs(now - 1) <= fabs(home - 1) || fabs(now - home) <= LEAN_VOLUME_KEPT;
}

void pelti_lean_volume_restart(PeltiLeanVolume *l, const Vec3 *home, const Vec3 *asked)
{
    find_volumes(l, home, NULL, NULL, NULL, l->home);
    find_volumes(l, asked, NULL, NULL, NULL, l->asked);
}

void pelti_lean_volume_find(PeltiLeanVolume *l, const Vec3 *home, const Vec3 *own, const float *share)
{
    int count = l->mesh->component_count;
    l->worse = 0;
    find_volumes(l, home, own, share, NULL, l->now);
    for (int c = 0; c < count; c++) {
        bool fine = l->rest[c] == 0 || bearable(l, c);
        l->low[c] = fine; // bearable as it is: no factor
        l->high[c] = 1;
        l->worse += !fine;
    }
    if (!l->worse)
        return;
    for (int i = 0; i < HALVINGS; i++) {
        for (int c = 0; c < count; c++)
            l->high[c] = 0.5 * (l->low[c] + l->high[c]); // tried
        find_volumes(l, home, own, share, l->high, l->now);
        for (int c = 0; c < count; c++)
            if (l->low[c] < 1) {
                double tried = l->high[c], step = tried - l->low[c];
                bool fits = bearable(l, c);
                l->high[c] = fits ? tried + step : tried;
                l->low[c] = fits ? tried : l->low[c];
            }
    }
}
