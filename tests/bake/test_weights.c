/// Automatic weights on real characters: against the weights an artist painted, and in time.
#include "check.h"

#include "character/weights.h"
#include "core/clock.h"
#include "io/gltf.h"

#include <string.h>

static PeltiCharacter *load(const char *name)
{
    const char *path = shared_file(name);
    PeltiGltf *doc = NULL;
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    if (!path)
        return NULL;
    if (pelti_gltf_open(path, NULL, &doc, &err) != PELT_OK || pelti_gltf_character(doc, NULL, &who, &err) != PELT_OK)
        fail_msg("%s: %s", name, err.text);
    pelti_gltf_close(doc);
    return who;
}

typedef struct Agreement {
    double same;     // share of vertices with the painted strongest bone
    double near_by;  // ... or that bone's parent or child
    double shared;   // mean overlap of the two weight distributions: sum over bones of min
    double roughest; // 99th percentile over edges of the weights' change, sum over bones of |difference| / 2; over the painted
} Agreement;

static double overlap(const PeltiWeights *a, int v, const PeltiWeights *b, int u)
{
    double sum = 0;
    for (int i = 0; i < a->influences; i++)
        for (int k = 0; k < b->influences; k++)
            if (a->bone[v * a->influences + i] == b->bone[u * b->influences + k])
                sum += fmin((double)a->weight[v * a->influences + i], (double)b->weight[u * b->influences + k]);
    return sum;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double roughness(const PeltiCharacter *who, const PeltiWeights *w)
{
    double *change = malloc(sizeof(double) * (size_t)who->mesh->edge_count), result;
    for (int e = 0; e < who->mesh->edge_count; e++)
        change[e] = 1 - overlap(w, who->mesh->edges[e][0], w, who->mesh->edges[e][1]);
    qsort(change, (size_t)who->mesh->edge_count, sizeof *change, compare_doubles);
    result = change[who->mesh->edge_count * 99 / 100];
    free(change);
    return result;
}

static Agreement compare(const PeltiCharacter *who, const PeltiWeights *ours, const PeltiWeights *painted)
{
    Agreement a = {0};
    int n = who->mesh->vertex_count;
    for (int v = 0; v < n; v++) {
        int x = ours->bone[v * ours->influences], y = painted->bone[v * painted->influences];
        a.same += x == y;
        a.near_by += x == y || who->bones[x].parent == y || who->bones[y].parent == x;
        a.shared += overlap(ours, v, painted, v);
    }
    a.same /= n;
    a.near_by /= n;
    a.shared /= n;
    a.roughest = roughness(who, ours) / roughness(who, painted);
    return a;
}

/// `blind`: as if the file had no weights to learn the living joints from.
static Agreement judge(const char *name, bool blind, double *ms)
{
    PeltiCharacter *who = load(name);
    if (!who)
        skip();
    who->file_weights_sane = !blind;
    PeltiWeights ours = {0}, painted = {0};
    PeltError err;
    *ms = 1e9;
    for (int i = 0; i < 2; i++) {
        double start = pelti_clock_ms();
        assert_int_equal(pelti_weights_automatic(who, &who->pool, NULL, NULL, &ours, &err), PELT_OK);
        *ms = fmin(*ms, pelti_clock_ms() - start);
    }
    assert_int_equal(pelti_weights_from_file(who, &who->pool, &painted, &err), PELT_OK);
    Agreement a = compare(who, &ours, &painted);
    printf("%s%s: strongest bone as painted %.3f, or its neighbour %.3f, overlap %.3f, change along an edge p99 %.3f of the "
           "painted, %.0f ms\n",
           name, blind ? " (blind)" : "", a.same, a.near_by, a.shared, a.roughest, *ms);
    pelti_character_destroy(who);
    return a;
}

static void arm_and_hand_are_weighted_as_painted(void **state)
{
    (void)state;
    double ms;
    for (int blind = 0; blind < 2; blind++) {
        Agreement arm = judge("arm.glb", blind, &ms), hand = judge("hand.glb", blind, &ms);
        assert_true(arm.same > 0.95 && arm.near_by > 0.99 && arm.roughest < 1.2);
        assert_true(hand.same > 0.88 && hand.near_by > 0.97 && hand.roughest < 1.2);
    }
}

static void a_body_with_163_joints_is_weighted_in_time(void **state)
{
    (void)state;
    double ms;
    Agreement a = judge("makehuman-cc0.glb", false, &ms);
    assert_true(a.same > 0.72 && a.near_by > 0.86 && a.roughest < 1.3);
    a = judge("makehuman-cc0.glb", true, &ms);
    assert_true(a.same > 0.65 && a.near_by > 0.8 && a.roughest < 1.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_and_hand_are_weighted_as_painted),
        cmocka_unit_test(a_body_with_163_joints_is_weighted_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
