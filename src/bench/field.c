/// Fields: what one evaluation costs, on the skin of built-in characters bent by tracking, and where its time goes.
#include "bench/bench.h"
#include "builtin/builtin.h"
#include "field/compose.h"
#include "methods/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Bent { ///< a character, its fields in a bent pose, and the points of its skin there
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiFields *fields;
    PeltiFieldFrame frame;
    PeltiFieldPoint *points; ///< [vertex_count]
    PeltiFieldSample *samples;
    float *value;
    Vec3 *gradient;
    double sum; ///< of values, so that nothing is left out
} Bent;

/// The skin as tracking lays it on the fields.
static bool bend_skin(Bent *b, const Mat34 *bones, const PeltiPose *pose, Vec3 *vertices)
{
    static PeltiOptions options;
    const PeltiMethod *m = pelti_method_find("tracking");
    void *state = NULL;
    pelti_options_init(&options, m->options);
    PeltiMethodPrepare in = {.who = b->who, .options = &options, .weights = &b->weights};
    PeltiJoint *joints = PELTI_NEW(&b->who->pool, PeltiJoint, b->who->bone_count);
    if (!joints || m->prepare(&in, &state, NULL) != PELT_OK)
        return false;
    pelti_joints_pose(b->who, pose, joints);
    PeltiStepInput step = {.pose = pose, .bones = bones, .joints = joints, .restart = true};
    m->step(state, &step, vertices, NULL);
    m->destroy(state);
    return true;
}

static bool set_frame(Bent *b, const Mat34 *bones)
{
    PeltiPool *pool = &b->who->pool;
    PeltiFieldOptions options = pelti_field_options_default();
    if (pelti_fields_build(pool, b->who, &b->weights, &options, &b->fields, NULL) != PELT_OK)
        return false;
    PeltiArena arena = {0};
    pelti_frame_in(&arena, b->fields, &b->frame);
    arena.base = pelti_pool_take(pool, arena.used, 1);
    arena.used = 0;
    Mat34 *matrices = PELTI_NEW(pool, Mat34, b->fields->part_count);
    if (pool->failed)
        return false;
    pelti_frame_in(&arena, b->fields, &b->frame);
    for (int p = 0; p < b->fields->part_count; p++)
        matrices[p] = bones[b->fields->parts[p].bone];
    pelti_frame_set(&b->frame, matrices);
    return true;
}

static bool make_bent(Bent *b, const char *name, int vertices)
{
    *b = (Bent){0};
    if (pelti_builtin_make(name, &(PeltiBuiltinOptions){.vertices = vertices}, NULL, NULL, &b->who, NULL) != PELT_OK ||
        pelti_weights_from_file(b->who, &b->who->pool, &b->weights, NULL) != PELT_OK)
        return false;
    PeltiPool *pool = &b->who->pool;
    int n = b->who->mesh->vertex_count, clip = pelti_clip_find(b->who, "bend");
    PeltiPose pose = pelti_pose_new(pool, b->who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, b->who->node_count);
    Mat34 *bones = PELTI_NEW(pool, Mat34, b->who->bone_count);
    Vec3 *skin = PELTI_NEW(pool, Vec3, n);
    b->points = PELTI_NEW(pool, PeltiFieldPoint, n);
    b->samples = PELTI_NEW(pool, PeltiFieldSample, n);
    b->value = PELTI_NEW(pool, float, n);
    b->gradient = PELTI_NEW(pool, Vec3, n);
    if (pool->failed)
        return false;
    pelti_pose_clip(b->who, &b->who->clips[clip < 0 ? 0 : clip], 0.4, &pose);
    pelti_pose_bones(b->who, &pose, node_matrix, bones);
    if (!set_frame(b, bones) || !bend_skin(b, bones, &pose, skin))
        return false;
    for (int v = 0; v < n; v++) {
        int own = b->fields->vertex_part[v];
        b->points[v] = (PeltiFieldPoint){skin[v], own < 0 ? -1 : b->fields->parts[own].skeleton, own, 1.01f};
    }
    return true;
}

static void eval_all(void *context)
{
    Bent *b = context;
    pelti_frame_eval_many(&b->frame, b->who->mesh->vertex_count, b->points, b->samples);
    b->sum += (double)b->samples[0].value;
}

static void max_all(void *context)
{
    Bent *b = context;
    pelti_frame_max_many(&b->frame, b->who->mesh->vertex_count, b->points, b->value, b->gradient);
    b->sum += (double)b->value[0];
}

enum { AGAIN = 8 };

/// Each few points again and again before the next: what is left when all memory is near.
static void eval_near(void *context)
{
    Bent *b = context;
    for (int k = 0, n = b->who->mesh->vertex_count; k < n; k += PELTI_FIELD_BATCH)
        for (int i = 0; i < AGAIN; i++)
            pelti_frame_eval_many(&b->frame, n - k < PELTI_FIELD_BATCH ? n - k : PELTI_FIELD_BATCH, b->points + k,
                                  b->samples + k);
    b->sum += (double)b->samples[0].value;
}

static void time_fields(PeltiBench *bench, const char *name, int vertices, double wanted_ns)
{
    Bent b;
    char label[72];
    snprintf(label, sizeof label, "composed field with gradient, %s, 1 thread", name);
    if (!pelti_bench_wants(bench, "%s", label))
        return;
    int repeats = pelti_bench_quick(bench) ? 5 : 20;
    if (make_bent(&b, name, vertices)) {
        int n = b.who->mesh->vertex_count;
        double ns = 1e6 / n, all = ns * pelti_bench_best_ms(eval_all, &b, repeats, 1);
        double most = ns * pelti_bench_best_ms(max_all, &b, repeats, 1),
               near = (ns * pelti_bench_best_ms(eval_near, &b, repeats, 1) - all) / (AGAIN - 1);
        long reach = 0;
        for (int v = 0; v < n; v++)
            for (int p = 0; p < b.fields->part_count; p++)
                reach += pelti_frame_part(&b.frame, p, b.points[v].x, &b.value[v], &b.gradient[v]);
        pelti_bench_row(bench, label, (PeltiBenchFigure){.value = all, .unit = "ns", .limit = wanted_ns},
                        "%.1f of %d fields reach a point; strongest field alone %.0f; with all memory near %.0f",
                        (double)reach / n, b.fields->part_count, most, near);
        pelti_bench_bound(bench, all * 1e-6, 1, PELTI_BENCH_FIELD_FLOPS * (double)reach / n, 0);
    }
    pelti_character_destroy(b.who);
}

void pelti_bench_field(PeltiBench *bench)
{
    time_fields(bench, "cylinder", 3200, 50);
    time_fields(bench, "biped", 13640, 90);
    if (!pelti_bench_quick(bench))
        time_fields(bench, "hand", 32150, 0);
}
