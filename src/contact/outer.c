/// Tells the skin that can be touched from what lies within, by rays.
#include "contact/outer.h"

#include "geometry/ray.h"
#include "contact/constants.def"

typedef struct OuterLook {
    const PeltiMesh *mesh;
    PeltiBoxTree *tree;
    bool *outer;
} OuterLook;

/// The middle of the triangle sees out in enough of the 26 directions to the neighbours in a grid.
static bool sees_out(const OuterLook *look, int triangle)
{
    const int *v = look->mesh->triangles[triangle];
    Vec3 a = look->mesh->rest[v[0]], b = look->mesh->rest[v[1]], c = look->mesh->rest[v[2]];
    Vec3 normal = vec3_normalize_or(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), vec3(0, 0, 0));
    Vec3 middle = vec3_scale(vec3_add(vec3_add(a, b), c), 1.0f / 3);
    int asked = 0, out = 0;
    for (int k = 0; k < 27; k++) {
        Vec3 d = vec3_normalize_or(vec3((float)(k % 3 - 1), (float)(k / 3 % 3 - 1), (float)(k / 9 % 3 - 1)), vec3(0, 0, 0));
        if (vec3_dot(d, normal) < OUTER_AHEAD)
            continue;
        PeltiBoxRay ray = {.origin = middle, .near = 1e-4f * look->mesh->diagonal, .direction = d, .far = INFINITY};
        asked++;
        out += !pelti_box_tree_blocked(look->tree, look->mesh->triangles, look->mesh->rest, &ray, NULL, NULL);
    }
    return (float)out > OUTER_SEEN * (float)asked;
}

static void look_out(void *context, int begin, int end, int worker)
{
    const OuterLook *look = context;
    (void)worker;
    for (int t = begin; t < end; t++)
        look->outer[t] = sees_out(look, t);
}

PeltStatus pelti_contact_outer_triangles(const PeltiMesh *mesh, PeltiPool *work, PeltiJobs *jobs, bool *outer, PeltError *err)
{
    OuterLook look = {.mesh = mesh, .outer = outer};
    PELT_TRY(pelti_box_tree_build_triangles(work, mesh->triangle_count, mesh->triangles, mesh->rest, &look.tree, err));
    pelti_parallel_for(jobs, mesh->triangle_count, 64, look_out, &look);
    return PELT_OK;
}
