/// Which triangles each joint bends: those whose corners do not have all or nothing of their weight on what hangs on it.
/// A few joints' worth each, found by walking from their bones up to the joint that all of them hang on.
#include "body/trial_parts.h"

#include "body/constants.def"

#include <math.h>

typedef struct Listing {
    const PeltiCharacter *who;
    const PeltiWeights *weights;
    PeltiTrialTree tree;
    PeltiArray all;  // of PeltiTrialSample, in the mesh's order
    int *count;      // [bone_count] of a joint in it
    float (*sum)[3]; // [bone_count] shares of one triangle's corners, zero between triangles
    int *touched;    // [bone_count] joints with a sum
} Listing;

static int nearest_joint(const PeltiCharacter *who, const int *joint_of_node, int node)
{
    while (node >= 0 && joint_of_node[node] < 0)
        node = who->nodes[node].parent;
    return node >= 0 ? joint_of_node[node] : -1;
}

PeltStatus pelti_trial_tree(const PeltiCharacter *who, PeltiPool *pool, PeltiTrialTree *out, PeltError *err)
{
    int *joint_of_node = PELTI_NEW(pool, int, who->node_count);
    out->first = PELTI_NEW(pool, int, who->bone_count);
    out->above = PELTI_NEW(pool, int, who->bone_count);
    out->depth = PELTI_NEW(pool, int, who->bone_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->node_count * sizeof *joint_of_node);
    for (int n = 0; n < who->node_count; n++)
        joint_of_node[n] = -1;
    for (int b = 0; b < who->bone_count; b++)
        if (!who->bones[b].is_prop && !who->bones[b].is_repeat)
            joint_of_node[who->bones[b].node] = b;
    for (int b = 0; b < who->bone_count; b++) {
        for (int n = who->bones[b].node; n >= 0; n = who->nodes[n].parent)
            out->depth[b]++;
        out->first[b] = nearest_joint(who, joint_of_node, who->bones[b].node);
        out->above[b] = nearest_joint(who, joint_of_node, who->nodes[who->bones[b].node].parent);
    }
    return PELT_OK;
}

float pelti_trial_share(const PeltiTrialTree *tree, const PeltiWeights *w, int vertex, int joint)
{
    float share = 0;
    for (int k = 0; k < w->influences; k++) {
        size_t i = (size_t)vertex * (size_t)w->influences + (size_t)k;
        int j = w->weight[i] > 0 ? tree->first[w->bone[i]] : -1;
        while (j >= 0 && j != joint)
            j = tree->above[j];
        share += j == joint ? w->weight[i] : 0;
    }
    return share;
}

/// The lowest joint that is above both, or one of them; -1: none.
static int common_joint(const PeltiTrialTree *tree, int a, int b)
{
    while (a != b && a >= 0 && b >= 0)
        if (tree->depth[a] >= tree->depth[b])
            a = tree->above[a];
        else
            b = tree->above[b];
    return a == b ? a : -1;
}

static int common_of_corners(const Listing *l, const int *corner)
{
    const PeltiWeights *w = l->weights;
    int common = l->tree.first[w->bone[(size_t)corner[0] * (size_t)w->influences]];
    for (int c = 0; c < 3; c++) {
        size_t first = (size_t)corner[c] * (size_t)w->influences;
        for (size_t i = first; i < first + (size_t)w->influences && w->weight[i] > 0; i++)
            common = common_joint(&l->tree, common, l->tree.first[w->bone[i]]);
    }
    return common;
}

/// Joints with weight at a triangle's corners, into `touched`; returns how many. From the joint on that all hang on, nothing
/// bends.
static int gather_shares(Listing *l, const int *corner)
{
    const PeltiWeights *w = l->weights;
    int count = 0, common = common_of_corners(l, corner);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < w->influences; k++) {
            size_t i = (size_t)corner[c] * (size_t)w->influences + (size_t)k;
            if (!(w->weight[i] > 0))
                break; // sorted
            for (int j = l->tree.first[w->bone[i]]; j >= 0 && j != common; j = l->tree.above[j]) {
                float *sum = l->sum[j];
                if (sum[0] + sum[1] + sum[2] == 0)
                    l->touched[count++] = j;
                sum[c] += w->weight[i];
            }
        }
    return count;
}

static bool one_bone(const PeltiWeights *w, const int *corner)
{
    size_t a = (size_t)corner[0] * (size_t)w->influences, b = (size_t)corner[1] * (size_t)w->influences;
    size_t c = (size_t)corner[2] * (size_t)w->influences;
    return w->bone[a] == w->bone[b] && w->bone[b] == w->bone[c] &&
           fminf(w->weight[a], fminf(w->weight[b], w->weight[c])) > 1 - TRIAL_RIGID;
}

static bool list_triangles(Listing *l)
{
    const PeltiMesh *mesh = l->who->mesh;
    bool kept = true;
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (one_bone(l->weights, mesh->triangles[t]))
            continue;
        int count = gather_shares(l, mesh->triangles[t]);
        for (int i = 0; i < count; i++) {
            int j = l->touched[i];
            float *s = l->sum[j], low = fminf(s[0], fminf(s[1], s[2])), high = fmaxf(s[0], fmaxf(s[1], s[2]));
            if (high >= TRIAL_RIGID && low <= 1 - TRIAL_RIGID) {
                kept = pelti_array_push(&l->all, &(PeltiTrialSample){j, t, {s[0], s[1], s[2]}}) && kept;
                l->count[j]++;
            }
            s[0] = s[1] = s[2] = 0;
        }
    }
    return kept;
}

/// Every stride-th triangle of each joint.
static PeltStatus pick(Listing *l, int most, PeltiPool *pool, PeltiTrialList *out, PeltError *err)
{
    int bones = l->who->bone_count;
    for (int j = 0; j < bones; j++) {
        out->stride[j] = (l->count[j] + most - 1) / most;
        out->start[j + 1] = out->start[j] + (l->count[j] ? (l->count[j] - 1) / out->stride[j] + 1 : 0);
        l->count[j] = 0; // from here on: those passed by
    }
    out->samples = PELTI_NEW(pool, PeltiTrialSample, out->start[bones] + 1);
    if (!out->samples)
        return pelti_no_memory(err, (size_t)out->start[bones] * sizeof *out->samples);
    const PeltiTrialSample *all = (const PeltiTrialSample *)(void *)l->all.data;
    for (size_t i = 0; i < l->all.count; i++) {
        int j = all[i].joint, n = l->count[j]++;
        if (n % out->stride[j] == 0)
            out->samples[out->start[j] + n / out->stride[j]] = all[i];
    }
    return PELT_OK;
}

PeltStatus pelti_trial_list(const PeltiCharacter *who, const PeltiWeights *weights, int most, PeltiPool *pool,
                            PeltiTrialList *out, PeltError *err)
{
    Listing l = {.who = who,
                 .weights = weights,
                 .count = PELTI_NEW(pool, int, who->bone_count),
                 .sum = (float(*)[3])PELTI_NEW(pool, float, 3 * (size_t)who->bone_count),
                 .touched = PELTI_NEW(pool, int, who->bone_count)};
    *out = (PeltiTrialList){.start = PELTI_NEW(pool, int, (size_t)who->bone_count + 1),
                            .stride = PELTI_NEW(pool, int, who->bone_count)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->bone_count * 32);
    PELT_TRY(pelti_trial_tree(who, pool, &l.tree, err));
    pelti_array_init(&l.all, &pool->allocator, sizeof(PeltiTrialSample));
    PeltStatus status =
        list_triangles(&l) ? pick(&l, most, pool, out, err) : pelti_no_memory(err, l.all.count * sizeof(PeltiTrialSample));
    pelti_array_release(&l.all);
    return status;
}
