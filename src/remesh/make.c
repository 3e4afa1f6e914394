/// From a solid to even triangles of a wanted number that do not cross.
#include "geometry/box_tree.h"
#include "geometry/triangles.h"
#include "remesh/constants.def"
#include "remesh/remesh.h"

#include <math.h>
#include <string.h>

/// A grid may merge or pierce what is thinner than its cells: then a finer one, and at last the story of the last.
static PeltStatus extract(const PeltiRemeshShape *shape, float voxel, PeltiJobs *jobs, const PeltAllocator *allocator,
                          PeltiRemeshSurface *out, PeltError *err)
{
    for (int i = 0;; i++) {
        PeltStatus status = pelti_remesh_extract(shape, voxel, jobs, allocator, out, err);
        if (status == PELT_OK || i + 1 == EXTRACT_TRIES)
            return status;
        voxel *= FINER;
    }
}

static int meet(void *context, int a, int b, int worker)
{
    (void)worker;
    const PeltiRemeshSurface *s = context;
    const int *p = &s->corner[3 * a], *q = &s->corner[3 * b];
    if (pelti_triangles_share(p, q))
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

/// Corners of what crosses go a share of their way to the middle of their neighbours: folds come undone, fingers become thinner.
static void smooth(PeltiRemeshSurface *s, const PeltiPairs *pairs, float (*sum)[5])
{
    for (int i = 0; i < pairs->count; i++)
        for (int k = 0; k < 3; k++)
            sum[s->corner[3 * pairs->pairs[i].a + k]][4] = sum[s->corner[3 * pairs->pairs[i].b + k]][4] = 1;
    for (int t = 0; t < 3 * s->triangle_count; t++) {
        int v = s->corner[t], next = s->corner[t - t % 3 + (t + 1) % 3];
        Vec3 x = s->position[next];
        sum[v][0] += x.x, sum[v][1] += x.y, sum[v][2] += x.z, sum[v][3] += 1;
    }
    for (int v = 0; v < s->vertex_count; v++) {
        float n = 1 / fmaxf(sum[v][3], 1);
        if (sum[v][4] > 0)
            s->position[v] = vec3_lerp(s->position[v], vec3(n * sum[v][0], n * sum[v][1], n * sum[v][2]), APART_SHARE);
        memset(sum[v], 0, sizeof sum[v]);
    }
}

static Vec3 face_normal(const PeltiRemeshSurface *s, int t)
{
    const Vec3 *x = s->position;
    const int *c = &s->corner[3 * t];
    return vec3_normalize_or(pelti_triangle_normal(x, c), vec3(0, 0, 0));
}

/// Neighbours that lie on each other cross nothing yet, but will in any motion.
static void add_folded(const PeltiRemeshSurface *s, PeltiPairs *pairs)
{
    for (int h = 0; h < 3 * s->triangle_count && pairs->count < pairs->capacity; h++)
        if (s->opposite[h] > h && vec3_dot(face_normal(s, h / 3), face_normal(s, s->opposite[h] / 3)) < FOLDED)
            pairs->pairs[pairs->count++] = (PeltiPair){.a = h / 3, .b = s->opposite[h] / 3};
}

PeltStatus pelti_remesh_apart(PeltiRemeshSurface *s, bool folds, PeltiJobs *jobs, PeltError *err)
{
    enum { PAIRS = 4096 };
    PeltiPool pool;
    PeltiBoxTree *tree = NULL;
    PeltiPairs pairs = {0};
    const int(*corner)[3] = (const int(*)[3])(void *)s->corner;
    pelti_pool_init(&pool, &s->allocator);
    float(*sum)[5] = pelti_pool_take(&pool, (size_t)s->vertex_count, sizeof *sum);
    Vec3 *start = PELTI_NEW(&pool, Vec3, s->vertex_count);
    bool moved = false;
    PeltStatus status = sum && start ? pelti_box_tree_build_triangles(&pool, s->triangle_count, corner, s->position, &tree, err)
                                     : pelti_no_memory(err, (size_t)s->vertex_count * sizeof *sum);
    if (status == PELT_OK)
        status = pelti_pairs_create(&pool, PAIRS, tree, &pairs, err);
    if (status == PELT_OK)
        memcpy(start, s->position, sizeof *start * (size_t)s->vertex_count);
    for (int round = 0; round < APART_ROUNDS && status == PELT_OK; round++) {
        pelti_box_tree_self_pairs(tree, 0, meet, s, jobs, &pairs);
        if (pairs.found > PAIRS) { // smoothing undoes a fold; where so much crosses it draws all skin into one place
            memcpy(s->position, start, sizeof *start * (size_t)s->vertex_count);
            break;
        }
        if (folds)
            add_folded(s, &pairs);
        if (pairs.count == 0)
            break;
        smooth(s, &pairs, sum);
        pelti_box_tree_refit_triangles(tree, jobs, corner, s->position, NULL);
        moved = true;
    }
    if (moved)
        pelti_remesh_normals(s);
    pelti_pool_release(&pool);
    return status;
}

static PeltStatus copy_surface(const PeltiRemeshSurface *from, PeltiRemeshSurface *to, PeltError *err)
{
    size_t vertices = (size_t)from->vertex_count, halves = 3 * (size_t)from->triangle_count;
    *to = (PeltiRemeshSurface){.allocator = from->allocator};
    PELT_TRY(pelti_remesh_reserve(to, from->vertex_count, from->triangle_count, err));
    to->vertex_count = from->vertex_count;
    to->triangle_count = from->triangle_count;
    memcpy(to->position, from->position, vertices * sizeof *to->position);
    memcpy(to->out, from->out, vertices * sizeof *to->out);
    memcpy(to->corner, from->corner, halves * sizeof *to->corner);
    memcpy(to->opposite, from->opposite, halves * sizeof *to->opposite);
    return PELT_OK;
}

/// With very few vertices fingers may come out crossing: then once more, a little finer, within what the count allows. What is
/// extracted is the same each time, and most of the work.
PeltStatus pelti_remesh_make(const PeltiRemeshShape *shape, PeltiRemeshGoal goal, PeltiJobs *jobs, const PeltAllocator *allocator,
                             PeltiRemeshSurface *out, PeltError *err)
{
    PeltiRemeshSurface extracted;
    PELT_TRY(extract(shape, goal.voxel, jobs, allocator, &extracted, err));
    for (int i = 0;; i++) {
        long crossings = 0;
        PeltStatus status = copy_surface(&extracted, out, err);
        if (status == PELT_OK)
            status = pelti_remesh_even(shape, out, goal.vertices + goal.vertices * i / MORE_VERTICES, jobs, err);
        if (status == PELT_OK)
            status = pelti_remesh_crossings(out, jobs, &crossings, err);
        bool done = status != PELT_OK || crossings == 0 || i + 1 == REMESH_TRIES;
        if (done)
            pelti_remesh_release(&extracted);
        if (status != PELT_OK || !done)
            pelti_remesh_release(out);
        if (done)
            return status;
    }
}
