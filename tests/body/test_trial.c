/// Weights by trial: painted ones stay, one-joint and root-only ones lose, joint by joint.
#include "check.h"

#include "body/trial.h"
#include "builtin/builtin.h"
#include "core/jobs.h"

#include <string.h>

static PeltiCharacter *make(const char *name, int vertices, PeltiPainting painting)
{
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    PeltiBuiltinOptions options = {.vertices = vertices, .painting = painting};
    if (pelti_builtin_make(name, &options, NULL, NULL, &who, &err) != PELT_OK)
        fail_msg("%s: %s", name, err.text);
    return who;
}

static PeltiTrial try_weights(const PeltiCharacter *who, PeltiPool *pool, PeltiJobs *jobs, PeltiLog *log)
{
    PeltiTrial trial;
    PeltError err = {0};
    if (pelti_trial_best(who, pool, jobs, log, &trial, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return trial;
}

static int joint_of(const PeltiCharacter *who, const char *name)
{
    for (int b = 0; b < who->bone_count; b++)
        if (!strcmp(who->nodes[who->bones[b].node].name, name))
            return b;
    fail_msg("no joint %s", name);
    return -1;
}

static double torn(const PeltiCharacter *who, const PeltiWeights *weights)
{
    PeltError err = {0};
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiTrialMarks *marks = PELTI_NEW(&pool, PeltiTrialMarks, who->bone_count);
    assert_int_equal(pelti_trial_bend(who, weights, NULL, marks, &err), PELT_OK);
    double sum = 0;
    for (int b = 0; b < who->bone_count; b++)
        sum += marks[b].broken;
    pelti_pool_release(&pool);
    return sum;
}

/// Rows sum to 1 and are sorted.
static void check_rows(const PeltiCharacter *who, const PeltiWeights *w)
{
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        float sum = 0;
        for (int k = 0; k < w->influences; k++) {
            float x = w->weight[v * w->influences + k];
            assert_true(x >= 0 && (k == 0 || x <= w->weight[v * w->influences + k - 1]));
            sum += x;
        }
        CHECK_NEAR(sum, 1, 1e-5);
    }
}

// ---- one painted biped for all tests: making it takes longer than all trials ----

static PeltiCharacter *biped;
static float *painted; // its weights

static int make_biped(void **state)
{
    (void)state;
    biped = make("biped", 1500, PELTI_PAINT_SMOOTH);
    size_t bytes = (size_t)biped->point_count * (size_t)biped->file_weights.influences * sizeof(float);
    painted = malloc(bytes);
    memcpy(painted, biped->file_weights.weight, bytes);
    return 0;
}

static int drop_biped(void **state)
{
    (void)state;
    free(painted);
    pelti_character_destroy(biped);
    return 0;
}

/// Rows whose strongest bone is one of `names` to that bone alone (NULL: all rows), the others as painted.
static int harden(const char *const *names)
{
    int changed = 0, width = biped->file_weights.influences;
    float *weight = (float *)(uintptr_t)biped->file_weights.weight;
    memcpy(weight, painted, (size_t)biped->point_count * (size_t)width * sizeof *weight);
    for (int p = 0; p < biped->point_count; p++) {
        float *row = weight + (size_t)p * (size_t)width;
        const char *name = biped->nodes[biped->bones[biped->file_weights.bone[p * width]].node].name;
        bool hard = !names;
        for (int i = 0; names && names[i]; i++)
            hard = hard || !strcmp(name, names[i]);
        if (!hard)
            continue;
        memset(row, 0, (size_t)width * sizeof *row);
        row[0] = 1;
        changed++;
    }
    return changed;
}

static void painted_weights_stay_to_the_bit(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiWeights file = {0};
    PeltError err = {0};
    pelti_pool_init(&pool, NULL);
    harden((const char *const[]){NULL});
    PeltiTrial trial = try_weights(biped, &pool, NULL, NULL);
    assert_string_equal(trial.source, "file");
    assert_int_equal(trial.lost_count, 0);
    assert_int_equal(pelti_weights_from_file(biped, &pool, &file, &err), PELT_OK);
    assert_memory_equal(file.weight, trial.weights.weight,
                        sizeof(float) * (size_t)biped->mesh->vertex_count * (size_t)file.influences);
    pelti_pool_release(&pool);
}

static void one_joint_weights_lose_and_it_is_said(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiLog log;
    PeltiWeights file = {0};
    PeltError err = {0};
    pelti_pool_init(&pool, NULL);
    pelti_log_init(&log, NULL);
    harden(NULL);
    PeltiTrial trial = try_weights(biped, &pool, NULL, &log);
    assert_string_equal(trial.source, "mixed");
    assert_true(trial.lost[joint_of(biped, "LeftUpperArm")] && trial.lost[joint_of(biped, "RightLowerLeg")]);
    check_rows(biped, &trial.weights);
    assert_int_equal(pelti_weights_from_file(biped, &pool, &file, &err), PELT_OK);
    assert_true(torn(biped, &trial.weights) < 0.25 * torn(biped, &file));
    assert_int_equal(pelti_log_count(&log), 1);
    assert_string_equal(pelti_log_get(&log, 0)->code, "weights-trial");
    assert_non_null(strstr(pelti_log_get(&log, 0)->text, "Spine"));
    pelti_log_release(&log);
    pelti_pool_release(&pool);
}

static void root_only_weights_lose(void **state)
{
    (void)state;
    PeltiCharacter *who = make("cylinder", 500, PELTI_PAINT_NONE);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiTrial trial = try_weights(who, &pool, NULL, NULL);
    assert_string_equal(trial.source, "auto");
    check_rows(who, &trial.weights);
    pelti_pool_release(&pool);
    pelti_character_destroy(who);
}

static void joints_lose_one_by_one(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiWeights file = {0};
    PeltError err = {0};
    pelti_pool_init(&pool, NULL);
    assert_true(harden((const char *const[]){"LeftUpperLeg", "LeftLowerLeg", "LeftFoot", NULL}) > 60);
    PeltiTrial trial = try_weights(biped, &pool, NULL, NULL);
    assert_string_equal(trial.source, "mixed");
    assert_true(trial.lost[joint_of(biped, "LeftLowerLeg")]);
    assert_false(trial.lost[joint_of(biped, "RightLowerLeg")] || trial.lost[joint_of(biped, "LeftUpperArm")]);
    check_rows(biped, &trial.weights);
    assert_int_equal(pelti_weights_from_file(biped, &pool, &file, &err), PELT_OK);
    int kept = 0, head = joint_of(biped, "Head"), shin = joint_of(biped, "LeftLowerLeg"), mixed = 0;
    for (int v = 0; v < biped->mesh->vertex_count; v++) {
        size_t a = (size_t)v * (size_t)trial.weights.influences, b = (size_t)v * (size_t)file.influences;
        if (file.bone[b] == head) {
            assert_int_equal(trial.weights.bone[a], head);
            CHECK_NEAR(trial.weights.weight[a], file.weight[b], 1e-6);
            kept++;
        }
        mixed += file.bone[b] == shin && trial.weights.weight[a] < 0.9f;
    }
    assert_true(kept > 30 && mixed > 5);
    pelti_pool_release(&pool);
}

static void any_number_of_threads_gives_the_same_weights(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiJobs *jobs = pelti_jobs_create(3);
    harden(NULL);
    PeltiTrial one = try_weights(biped, &pool, NULL, NULL), three = try_weights(biped, &pool, jobs, NULL);
    size_t count = (size_t)biped->mesh->vertex_count * (size_t)one.weights.influences;
    assert_string_equal(one.source, "mixed");
    assert_memory_equal(one.weights.weight, three.weights.weight, count * sizeof(float));
    assert_memory_equal(one.weights.bone, three.weights.bone, count * sizeof(int));
    pelti_jobs_destroy(jobs);
    pelti_pool_release(&pool);
}

/// As of a scene without a skeleton, where each mesh has its node's.
static void where_every_mesh_has_one_bone_nothing_is_tried_or_said(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiLog log;
    pelti_pool_init(&pool, NULL);
    pelti_log_init(&log, NULL);
    PeltiCharacter *who = make("arm", 600, PELTI_PAINT_NONE);
    for (int i = 0; i < who->instance_count; i++)
        who->instances[i].bone_count = 1;
    PeltiTrial trial = try_weights(who, &pool, NULL, &log);
    assert_int_equal(pelti_log_count(&log), 0);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        assert_int_equal(trial.weights.bone[v * trial.weights.influences],
                         who->instances[who->mesh->vertex_instance[v]].bones[0]);
        assert_float_equal(trial.weights.weight[v * trial.weights.influences], 1, 0);
    }
    pelti_character_destroy(who);
    pelti_log_release(&log);
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painted_weights_stay_to_the_bit),
        cmocka_unit_test(one_joint_weights_lose_and_it_is_said),
        cmocka_unit_test(root_only_weights_lose),
        cmocka_unit_test(joints_lose_one_by_one),
        cmocka_unit_test(any_number_of_threads_gives_the_same_weights),
        cmocka_unit_test(where_every_mesh_has_one_bone_nothing_is_tried_or_said),
    };
    return cmocka_run_group_tests(tests, make_biped, drop_biped);
}
