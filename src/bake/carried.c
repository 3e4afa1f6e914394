/// The last word on skin that a body carries: it keeps near what it was asked for.
///
/// Such skin is often coarse: a leg of sixteen triangles that is led in from rest through a belly hooks on it, and all of the
/// skin stays behind and shrinks. What was asked for is no worse than blending there (body/lean.h), so farther than a part is
/// thick the last word is worse than none.
#include "bake/carried.h"

#include <math.h>
#include <string.h>

static const float FARTHEST = 0.1f; // of the size, that the last word leaves skin behind: as far as the verdict bears
static const float RECOVERS = 0.2f; // a step: then its share comes back over some frames, not with a pop

PeltStatus pelti_carried_create(const PeltiMesh *mesh, PeltiPool *pool, PeltiCarried **out, PeltError *err)
{
    PeltiCarried *c = PELTI_NEW(pool, PeltiCarried, 1);
    Vec3 *asked = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    if (!c || !asked)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof *asked);
    *c = (PeltiCarried){.mesh = mesh, .asked = asked, .share = 1};
    *out = c;
    return PELT_OK;
}

void pelti_carried_begin(PeltiCarried *c, const Vec3 *vertices)
{
    memcpy(c->asked, vertices, (size_t)c->mesh->vertex_count * sizeof *vertices);
}

void pelti_carried_end(PeltiCarried *c, float lag, bool restart, Vec3 *vertices)
{
    float near = FARTHEST * c->mesh->diagonal / fmaxf(lag, 1e-30f);
    c->share = fminf(restart ? 1 : c->share + RECOVERS, near < 1 ? near * near : 1); // the farther the less of it
    for (int v = 0; v < c->mesh->vertex_count && c->share < 1; v++)
        vertices[v] = vec3_lerp(c->asked[v], vertices[v], c->share);
}

void pelti_carried_keep(PeltiCarried *c, PeltiSnapshot *s)
{
    PELTI_KEEP(s, &c->share, 1);
}
