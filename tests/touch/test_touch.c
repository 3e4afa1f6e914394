/// The last word: nothing passes through, what is apart moves freely, what jams comes free, and a held pose rests.
#include "geometry/exact.h"
#include "touch/parts.h"
#include "two.h"

static void step_as(Two *two, bool restart, Mat34 bone)
{
    memcpy(two->shown, two->wanted, sizeof two->shown);
    PeltiJoint joint = {quat_from_mat3(mat34_linear(bone)), mat34_apply(bone, two->who->bones[0].head), mat3_identity()};
    pelti_touch_step(two->touch, (PeltiTouchPose){&bone, &joint, restart, 0}, two->shown, &two->report);
}

static void step(Two *two, bool restart)
{
    step_as(two, restart, mat34_identity());
}

static void push_down(Two *two, float by) // the tube above, by so much from rest
{
    for (int i = 0; i < POINTS; i++)
        two->wanted[i] = vec3_add(two->who->rest_points[i], vec3(0, 0, i < TUBE ? 0 : -by));
}

/// Every pair of triangles that share no vertex, one by one.
static int crossings(const Two *two)
{
    const PeltiMesh *mesh = two->who->mesh;
    const Vec3 *x = two->shown;
    int found = 0;
    for (int a = 0; a < mesh->triangle_count; a++) {
        const int *s = mesh->triangles[a];
        const Vec3 p[3] = {x[mesh->first_point[s[0]]], x[mesh->first_point[s[1]]], x[mesh->first_point[s[2]]]};
        Vec3 low = vec3_min(p[0], vec3_min(p[1], p[2])), high = vec3_max(p[0], vec3_max(p[1], p[2]));
        for (int b = a + 1; b < mesh->triangle_count; b++) {
            const int *u = mesh->triangles[b];
            const Vec3 q[3] = {x[mesh->first_point[u[0]]], x[mesh->first_point[u[1]]], x[mesh->first_point[u[2]]]};
            Vec3 l = vec3_min(q[0], vec3_min(q[1], q[2])), h = vec3_max(q[0], vec3_max(q[1], q[2]));
            bool shared = false;
            if (l.x > high.x || l.y > high.y || l.z > high.z || h.x < low.x || h.y < low.y || h.z < low.z)
                continue;
            for (int i = 0; i < 9; i++)
                shared |= s[i / 3] == u[i % 3];
            found += !shared && pelti_triangles_meet(p, q) != PELTI_TRIANGLES_APART;
        }
    }
    return found;
}

static float longest_stretch(const Two *two)
{
    const PeltiMesh *mesh = two->who->mesh;
    float most = 0;
    for (int e = 0; e < mesh->edge_count; e++) {
        int a = mesh->edges[e][0], b = mesh->edges[e][1];
        most = fmaxf(most, vec3_distance(two->shown[mesh->first_point[a]], two->shown[mesh->first_point[b]]) /
                               vec3_distance(mesh->rest[a], mesh->rest[b]));
    }
    return most;
}

static float mean_height(const Two *two, int first)
{
    float sum = 0;
    for (int i = first; i < first + TUBE; i++)
        sum += two->shown[i].z / TUBE;
    return sum;
}

static void what_is_apart_moves_freely(void **state)
{
    (void)state;
    static Two two;
    two_tubes(&two, 0.3f, NULL);
    push_down(&two, 0.09f); // 0.01 between them
    step(&two, true);
    assert_memory_equal(two.shown, two.wanted, sizeof two.shown);
    assert_int_equal(two.report.held, 0);
    drop(&two);
}

static void a_tube_pushed_through_another_stays_on_its_side(void **state)
{
    (void)state;
    static Two two;
    float stretch = 0;
    two_tubes(&two, 0.3f, NULL);
    step(&two, true);
    int before = allocations;
    for (int frame = 1; frame <= 20; frame++) {
        push_down(&two, 0.015f * (float)frame); // at last the axes meet
        step(&two, false);
        assert_int_equal(frame % 4 ? 0 : crossings(&two), 0);
        assert_int_equal(two.report.frozen, 0);
        stretch = fmaxf(stretch, longest_stretch(&two));
    }
    assert_int_equal(allocations, before);
    printf("stretch %.2f, heights %.3f over %.3f\n", (double)stretch, (double)mean_height(&two, TUBE),
           (double)mean_height(&two, 0));
    assert_true(stretch < 3);
    assert_true(two.report.held > 100);
    for (int frame = 0; frame < 45; frame++) { // and comes back when it can
        push_down(&two, fmaxf(0, 0.3f - 0.015f * (float)frame));
        step(&two, false);
    }
    for (int i = 0; i < POINTS; i++)
        assert_true(vec3_distance(two.shown[i], two.wanted[i]) < 1e-4f);
    drop(&two);
}

/// A method that pulls single vertices far out of the skin, where nothing touches.
static void edges_that_the_method_draws_out_are_held(void **state)
{
    (void)state;
    static Two two;
    two_tubes(&two, 0.5f, NULL);
    step(&two, true);
    for (int frame = 1; frame <= 6; frame++) {
        push_down(&two, 0);
        for (int k = 0; k < 3; k++)
            two.wanted[TUBE + (10 + 3 * k) * AROUND].z += 0.05f * (float)frame;
        step(&two, false);
        assert_true(longest_stretch(&two) < 3);
        assert_int_equal(frame % 3 ? 0 : crossings(&two), 0);
    }
    assert_true(two.report.held > 0);
    drop(&two);
}

static void a_slap_in_one_frame_does_not_tunnel(void **state)
{
    (void)state;
    static Two two;
    two_tubes(&two, 0.3f, NULL);
    step(&two, true);
    push_down(&two, 0.45f); // from 0.1 above to 0.05 below
    step(&two, false);
    assert_int_equal(crossings(&two), 0);
    int middle = TUBE + ALONG / 2 * AROUND; // where they met, it is still above
    float low = INFINITY, high = -INFINITY;
    for (int k = 0; k < AROUND; k++) {
        low = fminf(low, two.shown[middle + k].z);
        high = fmaxf(high, two.shown[ALONG / 2 * AROUND + k].z);
    }
    assert_true(low > high - 0.02f);
    drop(&two);
}

/// Driven through a limb's whole thickness in one frame and taken back in the next: nothing stays behind for good.
static void what_jams_comes_free(void **state)
{
    (void)state;
    static Two two;
    two_tubes(&two, 0.3f, NULL);
    for (int tenths = 3; tenths <= 4; tenths++) {
        push_down(&two, 0);
        step(&two, true);
        push_down(&two, 0.1f * (float)tenths);
        step(&two, false);
        assert_int_equal(crossings(&two), 0);
        push_down(&two, 0);
        int frames = 0;
        do {
            step(&two, false);
        } while (++frames < 30 && two.report.lag > 1e-3f);
        printf("pushed by 0.%d: back after %d frames\n", tenths, frames);
        assert_true(two.report.lag < 1e-3f);
        assert_false(two.report.led_anew);
        assert_int_equal(crossings(&two), 0);
    }
    drop(&two);
}

static void what_crosses_at_rest_is_left_alone(void **state)
{
    (void)state;
    static Two two;
    two_tubes(&two, 0.1f, NULL);
    assert_true(two.touch->rest.crossings > 10);
    assert_int_equal(pelti_log_count(&two.log), 1);
    for (int frame = 0; frame < 5; frame++) {
        push_down(&two, 0.01f * (float)frame);
        step(&two, frame == 0);
        assert_memory_equal(two.shown, two.wanted, sizeof two.shown);
    }
    drop(&two);
}

static void a_held_pose_comes_to_rest_and_turns_as_a_whole(void **state)
{
    (void)state;
    static Two two;
    static Vec3 last[POINTS];
    float moved = 0;
    two_tubes(&two, 0.3f, NULL);
    push_down(&two, 0.14f); // 0.04 into each other
    step(&two, true);
    for (int frame = 0; frame < 60; frame++) {
        memcpy(last, two.shown, sizeof last);
        step(&two, false);
        moved = 0;
        for (int i = 0; i < POINTS; i++)
            moved = fmaxf(moved, vec3_distance(last[i], two.shown[i]));
    }
    printf("still moves by %.2g\n", (double)moved);
    assert_true(moved < 1e-4f / 30);
    memcpy(last, two.shown, sizeof last);
    Mat34 turn = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0.6f, 0, 0.8f), 1.1f)), vec3(3, -2, 1));
    for (int i = 0; i < POINTS; i++)
        two.wanted[i] = mat34_apply(turn, two.wanted[i]);
    step_as(&two, false, turn);
    for (int i = 0; i < POINTS; i++)
        assert_true(vec3_distance(mat34_apply(turn, last[i]), two.shown[i]) < 2e-4f);
    assert_int_equal(crossings(&two), 0);
    drop(&two);
}

/// Down to 0.14 from above or back up to it from 0.2, then held: the same place within 1 % of the size.
static void forwards_and_backwards_end_alike(void **state)
{
    (void)state;
    static Two two;
    static Vec3 down[POINTS];
    two_tubes(&two, 0.3f, NULL);
    for (int back = 0; back < 2; back++) {
        for (int frame = 0; frame < 50; frame++) {
            float by = 0.01f * (float)frame;
            push_down(&two, back ? fmaxf(0.14f, fminf(by, 0.4f - by)) : fminf(by, 0.14f));
            step(&two, frame == 0);
        }
        assert_true(two.report.held > 0);
        if (!back)
            memcpy(down, two.shown, sizeof down);
    }
    float apart = 0;
    for (int i = 0; i < POINTS; i++)
        apart = fmaxf(apart, vec3_distance(down[i], two.shown[i]));
    printf("apart by %.4f of the size\n", (double)(apart / two.who->mesh->diagonal));
    assert_true(apart < 0.01f * two.who->mesh->diagonal);
    drop(&two);
}

static void frames_that_stay_behind_are_counted(void **state)
{
    (void)state;
    static Two two;
    two_tubes(&two, 0.3f, NULL);
    step(&two, true);
    assert_int_equal(two.report.behind, 0);
    int row = 0, most = 0;
    for (int frame = 1; frame < 60; frame++) { // until the axes meet, and back
        push_down(&two, fmaxf(0, fminf(0.015f * (float)frame, 0.6f - 0.015f * (float)frame)));
        step(&two, false);
        row = two.report.lag > 0.01f * two.who->mesh->diagonal ? row + 1 : 0;
        most = row > most ? row : most;
        assert_int_equal(two.report.behind, row);
    }
    assert_true(most > 5);
    assert_int_equal(two.report.behind, 0);
    drop(&two);
}

static void nothing_is_made_where_only_what_is_clean_is_wanted(void **state)
{
    (void)state;
    for (int crosses = 0; crosses < 2; crosses++) {
        static Two two;
        PeltiTouch *touch;
        PeltError err;
        two_tubes(&two, crosses ? 0.1f : 0.3f, NULL);
        PeltiTouchDef def = {two.who, &two.weights, &counted, NULL, NULL, true};
        assert_int_equal(pelti_touch_create(&def, &touch, &err), PELT_OK);
        assert_int_equal(touch == NULL, crosses);
        pelti_touch_destroy(touch);
        drop(&two);
    }
}

static void refused_memory_fails_and_leaves_nothing(void **state)
{
    (void)state;
    static Two two;
    two_tubes(&two, 0.3f, NULL);
    PeltiTouchDef def = {two.who, &two.weights, &counted, NULL, &two.log, false};
    PeltStatus status = PELT_FAILED;
    int n = 0;
    for (; status != PELT_OK && n < 200; n++) {
        PeltiTouch *touch;
        PeltError err;
        allocations = 0, fails_at = n;
        status = pelti_touch_create(&def, &touch, &err);
        fails_at = -1;
        assert_true(status == PELT_OK || (status == PELT_FAILED && !touch && err.text[0]));
        pelti_touch_destroy(touch);
    }
    assert_int_equal(status, PELT_OK);
    assert_true(n > 3);
    drop(&two);
}

static unsigned noise_state;
static float noise(void)
{
    noise_state = noise_state * 1664525u + 1013904223u;
    return (float)(noise_state >> 8) / 8388608.0f - 1;
}

static void threads_do_not_show_and_noise_crosses_nothing(void **state)
{
    (void)state;
    static Two one, many;
    PeltiJobs *jobs = pelti_jobs_create(2);
    two_tubes(&one, 0.3f, NULL);
    two_tubes(&many, 0.3f, jobs);
    for (int frame = 0; frame < 4; frame++) {
        noise_state = (unsigned)frame;
        push_down(&one, 0.1f + 0.02f * (float)frame);
        Mat34 turn = mat34_identity();
        if (frame % 3 == 2) // half a turn in one frame
            turn = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 0, 1), 3.1f)), vec3(noise(), noise(), noise()));
        for (int i = 0; i < POINTS; i++) {
            one.wanted[i] = vec3_add(one.wanted[i], vec3_scale(vec3(noise(), noise(), noise()), 0.003f)); // a tenth of an edge
            one.wanted[i] = mat34_apply(turn, one.wanted[i]);
        }
        memcpy(many.wanted, one.wanted, sizeof one.wanted);
        step_as(&one, frame == 0, turn);
        step_as(&many, frame == 0, turn);
        assert_memory_equal(one.shown, many.shown, sizeof one.shown);
        assert_int_equal(crossings(&one), 0);
        for (int i = 0; i < POINTS; i++)
            assert_true(vec3_finite(one.shown[i]));
    }
    drop(&one);
    drop(&many);
    pelti_jobs_destroy(jobs);
}

static float longest_edge(const Two *two)
{
    const PeltiMesh *mesh = two->who->mesh;
    float most = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
            most = fmaxf(most, vec3_distance(two->shown[v], two->shown[mesh->ring[r]]) /
                                   vec3_distance(mesh->rest[v], mesh->rest[mesh->ring[r]]));
    return most;
}

/// An edge that the method draws out is drawn in and hooks nowhere; one that its bone draws out as far is none of it.
static void torn_edges_are_drawn_in(void **state)
{
    (void)state;
    Two two;
    int pulled = 5 * AROUND;
    two_tubes(&two, 1, NULL);
    step(&two, true);
    const PeltiMesh *mesh = two.who->mesh;
    float edge = vec3_distance(mesh->rest[pulled], mesh->rest[mesh->ring[mesh->ring_start[pulled]]]);
    for (int frame = 1; frame <= 8; frame++) {
        two.wanted[pulled] = vec3_add(two.who->rest_points[pulled], vec3(0, 0, -0.5f * (float)frame * edge));
        step(&two, false);
        assert_true(longest_edge(&two) < 2.95f);
        assert_int_equal(two.report.spent + two.report.frozen, 0);
    }
    for (int v = 0; v < TUBE; v++) // far from it nothing moved
        if (vec3_distance(mesh->rest[v], mesh->rest[pulled]) > 0.5f)
            CHECK_NEAR(vec3_distance(two.shown[v], mesh->rest[v]), 0, 1e-5);
    drop(&two);
    two_tubes(&two, 1, NULL);
    Mat34 large = mat34_from(mat3_scale(mat3_identity(), 4), vec3(0, 0, 0));
    for (int v = 0; v < POINTS; v++)
        two.wanted[v] = vec3_scale(two.who->rest_points[v], 4);
    memcpy(two.shown, two.wanted, sizeof two.shown);
    PeltiJoint joint = {quat_identity(), vec3(0, 0, 0), mat3_scale(mat3_identity(), 4)};
    pelti_touch_step(two.touch, (PeltiTouchPose){&large, &joint, true, 0}, two.shown, &two.report);
    CHECK_NEAR(longest_edge(&two), 4, 1e-3);
    drop(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torn_edges_are_drawn_in),
        cmocka_unit_test(what_is_apart_moves_freely),
        cmocka_unit_test(a_tube_pushed_through_another_stays_on_its_side),
        cmocka_unit_test(edges_that_the_method_draws_out_are_held),
        cmocka_unit_test(a_slap_in_one_frame_does_not_tunnel),
        cmocka_unit_test(what_jams_comes_free),
        cmocka_unit_test(what_crosses_at_rest_is_left_alone),
        cmocka_unit_test(nothing_is_made_where_only_what_is_clean_is_wanted),
        cmocka_unit_test(a_held_pose_comes_to_rest_and_turns_as_a_whole),
        cmocka_unit_test(forwards_and_backwards_end_alike),
        cmocka_unit_test(frames_that_stay_behind_are_counted),
        cmocka_unit_test(refused_memory_fails_and_leaves_nothing),
        cmocka_unit_test(threads_do_not_show_and_noise_crosses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
