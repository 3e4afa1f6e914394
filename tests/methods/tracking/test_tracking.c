/// Invariants of tracking on built-in characters: rest, rigid motion, one large step, twist, determinism, the two solvers.
#include "check.h"

#include "character/builtin.h"
#include "character/weights.h"
#include "methods/method.h"
#include "methods/tracking/tracking.h"

#include <string.h>

enum { BONES = 64 };
typedef struct Rig {
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiJobs *jobs;
    Tracking *state;
    Mat34 bones[BONES];
    Vec3 *points;
} Rig;

extern const PeltiMethod pelti_method_tracking;

static Rig start(const char *name, int vertices, int threads, const char *key, const char *value)
{
    Rig rig = {0};
    PeltiBuiltinOptions make = {.vertices = vertices};
    assert_int_equal(pelti_builtin_make(name, &make, NULL, NULL, &rig.who, NULL), PELT_OK);
    assert_int_equal(pelti_weights_from_file(rig.who, &rig.who->pool, &rig.weights, NULL), PELT_OK);
    assert_true(rig.who->bone_count <= BONES);
    rig.jobs = pelti_jobs_create(threads);
    PeltiOptions *options = test_malloc(sizeof *options);
    pelti_options_init(options, pelti_method_tracking.options);
    if (key)
        assert_int_equal(pelti_options_set(options, key, value, NULL), PELT_OK);
    PeltiPrepare in = {.who = rig.who, .options = options, .weights = &rig.weights, .jobs = rig.jobs};
    void *state = NULL;
    PeltError err = {0};
    if (pelti_method_tracking.prepare(&in, &state, &err) != PELT_OK)
        fail_msg("%s", err.text);
    rig.state = state;
    rig.points = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    for (int b = 0; b < rig.who->bone_count; b++)
        rig.bones[b] = mat34_identity();
    test_free(options);
    return rig;
}

static void stop(Rig *rig)
{
    pelti_method_tracking.destroy(rig->state);
    pelti_jobs_destroy(rig->jobs);
    pelti_character_destroy(rig->who);
}

static PeltiStepReport step(Rig *rig, bool restart)
{
    PeltiStepReport report = {0};
    PeltiStepInput in = {.bones = rig->bones, .dt_s = 1.0f / 30, .restart = restart};
    pelti_method_tracking.step(rig->state, &in, rig->points, &report);
    assert_int_equal(report.nonfinite, 0);
    return report;
}

/// Turns bone b and all below it about its head.
static void turn(Rig *rig, int bone, Vec3 axis, float angle)
{
    Vec3 head = rig->who->bones[bone].head;
    Mat3 r = quat_to_mat3(quat_axis_angle(axis, angle));
    Mat34 about = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
    for (int b = 0; b < rig->who->bone_count; b++) {
        bool below = false;
        for (int p = b; p >= 0; p = rig->who->bones[p].parent)
            below = below || p == bone;
        rig->bones[b] = below ? about : mat34_identity();
    }
}

static int last_bone(const Rig *rig) ///< the last joint of the chain that owns skin
{
    return rig->state->fields->parts[rig->state->fields->skin_part_count - 1].bone;
}

static double farthest(const Rig *rig, const Vec3 *other)
{
    double most = 0;
    for (int p = 0; p < rig->who->point_count; p++)
        most = fmax(most, (double)vec3_distance(rig->points[p], other[p]));
    return most / (double)rig->who->mesh->diagonal;
}

static void rest_pose_returns_rest(void **state)
{
    (void)state;
    Rig rig = start("arm", 2000, 1, NULL, NULL);
    step(&rig, true);
    CHECK_NEAR(farthest(&rig, rig.who->rest_points), 0, 1e-4);
    stop(&rig);
}

static void rigid_motion_carries_the_skin(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1500, 1, NULL, NULL);
    Vec3 *want = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    int bone = last_bone(&rig);
    Vec3 side = vec3_orthogonal(rig.state->fields->parts[0].axis);
    turn(&rig, bone, side, 1.5f);
    step(&rig, true);
    memcpy(want, rig.points, sizeof(Vec3) * (size_t)rig.who->point_count);
    Mat34 carry = mat34_from(quat_to_mat3(quat_axis_angle(vec3_normalize_or(vec3(1, 2, 3), side), 2.0f)), vec3(4, -5, 6));
    for (int b = 0; b < rig.who->bone_count; b++)
        rig.bones[b] = mat34_mul(carry, rig.bones[b]);
    step(&rig, true);
    for (int p = 0; p < rig.who->point_count; p++)
        want[p] = mat34_apply(carry, want[p]);
    CHECK_NEAR(farthest(&rig, want), 0, 2e-3);
    stop(&rig);
}

static void one_large_step_equals_many(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1500, 1, NULL, NULL);
    int bone = last_bone(&rig);
    Vec3 side = vec3_orthogonal(rig.state->fields->parts[0].axis), *want = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    for (int k = 0; k <= 45; k++) {
        turn(&rig, bone, side, 1.5707963f * (float)k / 45);
        step(&rig, k == 0);
    }
    memcpy(want, rig.points, sizeof(Vec3) * (size_t)rig.who->point_count);
    turn(&rig, bone, side, 0);
    step(&rig, true);
    turn(&rig, bone, side, 1.5707963f);
    PeltiStepReport report = step(&rig, false);
    assert_true(report.substeps > 5);
    CHECK_NEAR(farthest(&rig, want), 0, 0.01);
    turn(&rig, bone, side, 0);
    step(&rig, false); // and back
    CHECK_NEAR(farthest(&rig, rig.who->rest_points), 0, 3e-3);
    stop(&rig);
}

static void twist_moves_skin_of_bones_that_do_not_turn(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1500, 1, NULL, NULL);
    int bone = last_bone(&rig), moved = 0;
    turn(&rig, bone, rig.state->fields->parts[0].axis, 1.5f);
    step(&rig, true);
    for (int p = 0; p < rig.who->point_count; p++) {
        int v = rig.who->mesh->weld[p];
        bool still = rig.weights.weight[(size_t)v * (size_t)rig.weights.influences] > 0.999f &&
                     rig.weights.bone[(size_t)v * (size_t)rig.weights.influences] != bone;
        moved += still && vec3_distance(rig.points[p], rig.who->rest_points[p]) > 0.004f * rig.who->mesh->diagonal;
    }
    assert_true(moved > 20); // blending by weights would leave every one of them where it was
    stop(&rig);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    Rig one = start("arm", 1500, 1, NULL, NULL), four = start("arm", 1500, 4, NULL, NULL);
    for (int k = 0; k < 2; k++) {
        Rig *rig = k ? &four : &one;
        int elbow = one.state->fields->parts[one.state->fields->part_count > 1].bone;
        turn(rig, elbow, vec3(1, 0, 0), 1.2f);
        step(rig, true);
    }
    assert_memory_equal(one.points, four.points, sizeof(Vec3) * (size_t)one.who->point_count);
    stop(&one);
    stop(&four);
}

/// A restart forgets all: the same frames give the same bytes again.
static void a_restart_forgets_what_was(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1500, 2, NULL, NULL);
    Vec3 *first = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count), side = vec3_orthogonal(rig.state->fields->parts[0].axis);
    for (int pass = 0; pass < 2; pass++) {
        for (int f = 0; f < 4; f++) {
            turn(&rig, last_bone(&rig), side, 0.6f * (float)f);
            step(&rig, f == 0);
        }
        if (pass == 0)
            memcpy(first, rig.points, sizeof(Vec3) * (size_t)rig.who->point_count);
    }
    assert_memory_equal(first, rig.points, sizeof(Vec3) * (size_t)rig.who->point_count);
    stop(&rig);
}

/// One finger joint of a hand bends: skin far from it need not look at the field, and lies where it would if it did.
static void skin_at_rest_need_not_look(void **state)
{
    (void)state;
    Rig some = start("hand", 3000, 2, NULL, NULL), all = start("hand", 3000, 2, NULL, NULL);
    double looks[2] = {0};
    all.state->set.everywhere = true;
    for (int k = 0; k < 2; k++) {
        Rig *rig = k ? &all : &some;
        step(rig, true);
        for (int f = 1; f <= 4; f++) {
            turn(rig, last_bone(rig), vec3_orthogonal(rig->state->fields->parts[0].axis), 0.05f * (float)f);
            step(rig, false);
            looks[k] += rig->state->counters.evaluations;
        }
    }
    CHECK_NEAR(farthest(&some, all.points), 0, 1e-4);
    assert_true(looks[0] < 0.5 * looks[1]);
    stop(&some);
    stop(&all);
}

/// Energy after a bend with one solver run long.
static double energy_of(const char *solver, const char *iterations)
{
    Rig rig = start("cylinder", 800, 2, "solver", solver);
    rig.state->set.iterations = atoi(iterations);
    rig.state->set.tolerance = 0;
    turn(&rig, last_bone(&rig), vec3_orthogonal(rig.state->fields->parts[0].axis), 0.6f);
    rig.state->set.subdivide = false;
    step(&rig, true);
    double energy = tracking_energy(rig.state);
    stop(&rig);
    return energy;
}

static void fast_solver_meets_the_energy_of_jacobi(void **state)
{
    (void)state;
    double slow = energy_of("jacobi", "3000"), fast = energy_of("fast", "60");
    assert_true(slow > 0);
    CHECK_NEAR(fast / slow, 1, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_pose_returns_rest),      cmocka_unit_test(rigid_motion_carries_the_skin),
        cmocka_unit_test(one_large_step_equals_many),  cmocka_unit_test(twist_moves_skin_of_bones_that_do_not_turn),
        cmocka_unit_test(threads_do_not_change_a_bit), cmocka_unit_test(fast_solver_meets_the_energy_of_jacobi),
        cmocka_unit_test(skin_at_rest_need_not_look),  cmocka_unit_test(a_restart_forgets_what_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
