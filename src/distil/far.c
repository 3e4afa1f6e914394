/// Crossings of parts that are far apart along the skeleton, by linear blending.
#include "distil/far.h"
#include "geometry/box_tree.h"
#include "geometry/exact.h"

#include "distil/constants.def"

struct PeltiDistilFar {
    const PeltiCharacter *who;
    const PeltiWeights *weights;
    PeltiJobs *jobs;
    PeltiBoxTree *tree;
    PeltiPairs pairs;
    Vec3 *points;        // [vertex_count] blended
    unsigned char *near; // [bone_count x bone_count] 1: within FAR_JOINTS steps, or of different skeletons
};

static int main_bone(const PeltiDistilFar *far, int vertex)
{
    return far->weights->bone[(size_t)vertex * (size_t)far->weights->influences];
}

static int meet(void *context, int a, int b, int worker)
{
    const PeltiDistilFar *far = context;
    const PeltiMesh *mesh = far->who->mesh;
    const int *s = mesh->triangles[a], *t = mesh->triangles[b];
    (void)worker;
    if (far->near[(size_t)main_bone(far, s[0]) * (size_t)far->who->bone_count + (size_t)main_bone(far, t[0])])
        return 0;
    const Vec3 p[3] = {far->points[s[0]], far->points[s[1]], far->points[s[2]]};
    const Vec3 q[3] = {far->points[t[0]], far->points[t[1]], far->points[t[2]]};
    return (int)pelti_triangles_meet(p, q);
}

int pelti_distil_apart(const PeltiCharacter *who, int a, int b)
{
    int up = 0;
    for (int x = a; x >= 0; x = who->bones[x].parent, up++) {
        int down = 0;
        for (int y = b; y >= 0; y = who->bones[y].parent, down++)
            if (x == y)
                return up + down;
    }
    return -1;
}

PeltStatus pelti_distil_far(const PeltiCharacter *who, const PeltiWeights *weights, PeltiJobs *jobs, PeltiPool *pool,
                            PeltiDistilFar **out, PeltError *err)
{
    enum { ROOM = 4096 };
    size_t bones = (size_t)who->bone_count;
    PeltiDistilFar *far = *out = PELTI_NEW(pool, PeltiDistilFar, 1);
    if (!far)
        return pelti_no_memory(err, sizeof *far);
    *far = (PeltiDistilFar){.who = who,
                            .weights = weights,
                            .jobs = jobs,
                            .points = PELTI_NEW(pool, Vec3, who->mesh->vertex_count),
                            .near = PELTI_NEW(pool, unsigned char, bones *bones)};
    if (pool->failed)
        return pelti_no_memory(err, bones * bones);
    for (int a = 0; a < who->bone_count; a++)
        for (int b = 0; b < who->bone_count; b++)
            far->near[(size_t)a * bones + (size_t)b] = pelti_distil_apart(who, a, b) < FAR_JOINTS;
    PELT_TRY(
        pelti_box_tree_build_triangles(pool, who->mesh->triangle_count, who->mesh->triangles, who->mesh->rest, &far->tree, err));
    return pelti_pairs_create(pool, ROOM, far->tree, &far->pairs, err);
}

bool pelti_distil_far_crosses(PeltiDistilFar *far, const Mat34 *bones)
{
    const PeltiMesh *mesh = far->who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++)
        far->points[v] = pelti_weights_blend(far->weights, v, bones, mesh->rest[v]);
    pelti_box_tree_refit_triangles(far->tree, far->jobs, mesh->triangles, far->points, NULL);
    pelti_box_tree_self_pairs(far->tree, 0, meet, far, far->jobs, &far->pairs);
    return far->pairs.found > 0;
}
