/// From a solid to even triangles of a wanted number that do not cross.
#include "geometry/box_tree.h"
#include "geometry/exact.h"
#include "remesh/remesh.h"

enum { EXTRACT_TRIES = 6, REMESH_TRIES = 4 };

/// A grid may merge or pierce what is thinner than its cells: then a finer one, and at last the story of the last.
static PeltStatus extract(const PeltiRemeshShape *shape, float voxel, PeltiJobs *jobs, const PeltAllocator *allocator,
                          PeltiRemeshSurface *out, PeltError *err)
{
    for (int i = 0;; i++) {
        PeltStatus status = pelti_remesh_extract(shape, voxel, jobs, allocator, out, err);
        if (status == PELT_OK || i + 1 == EXTRACT_TRIES)
            return status;
        voxel *= 0.93f;
    }
}

static int meet(void *context, int a, int b, int worker)
{
    (void)worker;
    const PeltiRemeshSurface *s = context;
    const int *p = &s->corner[3 * a], *q = &s->corner[3 * b];
    for (int i = 0; i < 3; i++)
        if (p[i] == q[0] || p[i] == q[1] || p[i] == q[2])
            return 0;
    const Vec3 *x = s->position, u[3] = {x[p[0]], x[p[1]], x[p[2]]}, v[3] = {x[q[0]], x[q[1]], x[q[2]]};
    return (int)pelti_triangles_meet(u, v);
}

PeltStatus pelti_remesh_crossings(const PeltiRemeshSurface *s, PeltiJobs *jobs, long *count, PeltError *err)
{
    PeltiPool pool;
    PeltiBoxTree *tree;
    PeltiPairs pairs = {0};
    pelti_pool_init(&pool, &s->allocator);
    PeltStatus status =
        pelti_box_tree_build_triangles(&pool, s->triangle_count, (const int(*)[3])(void *)s->corner, s->position, &tree, err);
    if (status == PELT_OK)
        status = pelti_pairs_create(&pool, 64, tree, &pairs, err);
    if (status == PELT_OK)
        pelti_box_tree_self_pairs(tree, 0, meet, (void *)s, jobs, &pairs);
    *count = pairs.found;
    pelti_pool_release(&pool);
    return status;
}

/// With very few vertices fingers may come out crossing: then once more, a little finer, within what the count allows.
PeltStatus pelti_remesh_make(const PeltiRemeshShape *shape, PeltiRemeshGoal goal, PeltiJobs *jobs, const PeltAllocator *allocator,
                             PeltiRemeshSurface *out, PeltError *err)
{
    for (int i = 0;; i++) {
        long crossings = 0;
        PELT_TRY(extract(shape, goal.voxel, jobs, allocator, out, err));
        PeltStatus status = pelti_remesh_even(shape, out, goal.vertices + goal.vertices * i / 60, jobs, err);
        if (status == PELT_OK)
            status = pelti_remesh_crossings(out, jobs, &crossings, err);
        if (status == PELT_OK && (crossings == 0 || i + 1 == REMESH_TRIES))
            return PELT_OK;
        pelti_remesh_release(out);
        if (status != PELT_OK)
            return status;
    }
}
