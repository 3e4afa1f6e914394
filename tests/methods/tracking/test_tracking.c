/// Invariants of tracking on built-in characters: rest, rigid motion, one large step, twist, determinism, the two solvers.
#include "rig.h"

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
    assert_true(report.told.substeps > 5);
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
    double energy = pelti_tracking_energy(rig.state);
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

static const float DEGREE = 0.01745329f;

/// Bends the tube from one angle to another, by so many degrees a frame.
static void bend_through(Rig *rig, float from, float to, float step_deg)
{
    int count = (int)(fabsf(to - from) / step_deg + 0.5f);
    for (int k = 1; k <= count; k++) {
        turn(rig, last_bone(rig), vec3_orthogonal(rig->state->fields->parts[0].axis),
             (from + (to - from) * (float)k / (float)count) * DEGREE);
        step(rig, false);
    }
}

/// Vertices that touch and have come to lie deeper in the part they touch than in their own.
static int on_the_wrong_side(const Rig *rig)
{
    const Tracking *t = rig->state;
    int wrong = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        PeltiFieldSample s;
        pelti_frame_eval(&t->frame, t->skin.skeleton[v], t->fields->vertex_part[v], t->surface.x[v], &s);
        wrong += t->surface.contact[v] && s.own < s.other - 0.01f;
    }
    return wrong;
}

/// Along the middle of a fold the two halves, were they rigid, would overlap from the joint to where their sides meet.
static void a_deep_fold_touches_over_most_of_the_overlap(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1500, 2, NULL, NULL);
    const PeltiMesh *mesh = rig.who->mesh;
    int bone = last_bone(&rig);
    Vec3 axis = rig.state->fields->parts[0].axis, joint = rig.who->bones[bone].head, side = vec3_orthogonal(axis);
    step(&rig, true);
    bend_through(&rig, 0, 160, 8);
    Vec3 swing = mat34_apply_vector(rig.bones[bone], axis),
         middle = vec3_normalize_or(vec3_sub(swing, axis), side); // in the contact plane, out of the fold
    float radius = 0, length = INFINITY, low = INFINITY, high = -INFINITY, sides[2] = {0, 0};
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 u = vec3_sub(mesh->rest[v], joint);
        float along = vec3_dot(u, axis);
        radius = fmaxf(radius, vec3_length(vec3_mad(u, axis, -along)));
        sides[along > 0] = fmaxf(sides[along > 0], fabsf(along));
    }
    length = fminf(sides[0], sides[1]);
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 u = vec3_sub(rig.state->surface.x[v], joint);
        if (!rig.state->surface.contact[v] || fabsf(vec3_dot(u, side)) > 0.5f * radius)
            continue;
        low = fminf(low, vec3_dot(u, middle));
        high = fmaxf(high, vec3_dot(u, middle));
    }
    float half = 10 * DEGREE, overlap = fminf(radius / sinf(half), length / cosf(half));
    printf("fold %.3f of an overlap of %.3f\n", (double)(high - low), (double)overlap);
    assert_true(high - low > 0.6f * overlap);
    assert_int_equal(on_the_wrong_side(&rig), 0);
    stop(&rig);
}

static void a_clip_played_twice_ends_where_it_ended(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1000, 2, NULL, NULL);
    Vec3 *want = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    step(&rig, true);
    for (int round = 0; round < 2; round++) {
        bend_through(&rig, 0, 120, 12);
        bend_through(&rig, 120, 30, 15); // a bent pose: the rest pose alone would be easy
        if (!round) {
            memcpy(want, rig.points, sizeof(Vec3) * (size_t)rig.who->point_count);
            bend_through(&rig, 30, 0, 15);
        }
    }
    CHECK_NEAR(farthest(&rig, want), 0, 3e-3);
    stop(&rig);
}

/// 160 degrees in steps of 32: as a clip of five frames a second.
static void large_steps_fold_as_well(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1500, 2, NULL, NULL);
    step(&rig, true);
    bend_through(&rig, 0, 160, 32);
    assert_int_equal(on_the_wrong_side(&rig), 0);
    assert_true(pelti_mesh_volume(rig.who->mesh, rig.state->show.shown) > 0.85 * rig.state->skin.volume);
    bend_through(&rig, 160, 0, 32);
    CHECK_NEAR(farthest(&rig, rig.who->rest_points), 0, 3e-3);
    stop(&rig);
}

/// Three quarters of a turn in steps of 15 degrees: no step moves skin farther than the turning bone would carry it.
static void a_long_twist_stays_continuous(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1000, 2, NULL, NULL);
    Vec3 axis = rig.state->fields->parts[0].axis, joint = rig.who->bones[last_bone(&rig)].head,
         *before = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    float radius = 0;
    for (int p = 0; p < rig.who->point_count; p++) {
        Vec3 u = vec3_sub(rig.who->rest_points[p], joint);
        radius = fmaxf(radius, vec3_length(vec3_mad(u, axis, -vec3_dot(u, axis))));
    }
    step(&rig, true);
    for (int k = 1; k <= 18; k++) {
        memcpy(before, rig.points, sizeof(Vec3) * (size_t)rig.who->point_count);
        turn(&rig, last_bone(&rig), axis, 15 * DEGREE * (float)k);
        step(&rig, false);
        float chord = 2 * radius * sinf(7.5f * DEGREE) / rig.who->mesh->diagonal;
        assert_true(farthest(&rig, before) < 1.2 * (double)chord);
        assert_true(pelti_mesh_volume(rig.who->mesh, rig.state->show.shown) > 0.97 * rig.state->skin.volume);
    }
    stop(&rig);
}

/// Skin in the crease of a fold is thrown back by the projection as often as it slides: it has to come to rest all the same, not
/// run into the cap.
static void relaxation_comes_to_rest_in_a_fold(void **state)
{
    (void)state;
    Rig rig = start("arm", 2000, 2, NULL, NULL);
    int relaxations = 0, frames = 0;
    step(&rig, true);
    bend_through(&rig, 0, 90, 15);
    for (int k = 0; k < 10; k++) {
        bend_through(&rig, 90 + 4 * (float)k, 94 + 4 * (float)k, 4);
        relaxations += rig.state->counters.relaxations;
        frames += rig.state->counters.virtual_frames;
    }
    printf("%.1f steps of relaxation a virtual frame\n", (double)relaxations / frames);
    assert_true(3 * relaxations < rig.state->set.iterations * frames);
    stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_pose_returns_rest),
        cmocka_unit_test(rigid_motion_carries_the_skin),
        cmocka_unit_test(one_large_step_equals_many),
        cmocka_unit_test(twist_moves_skin_of_bones_that_do_not_turn),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(fast_solver_meets_the_energy_of_jacobi),
        cmocka_unit_test(skin_at_rest_need_not_look),
        cmocka_unit_test(a_deep_fold_touches_over_most_of_the_overlap),
        cmocka_unit_test(a_clip_played_twice_ends_where_it_ended),
        cmocka_unit_test(large_steps_fold_as_well),
        cmocka_unit_test(a_long_twist_stays_continuous),
        cmocka_unit_test(a_restart_forgets_what_was),
        cmocka_unit_test(relaxation_comes_to_rest_in_a_fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
