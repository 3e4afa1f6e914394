/// The solver rests, follows rigid motion, lowers its energy, swings by jiggle and not by frame rate, and stays finite.
#include "tube.h"

static void rest_stays_at_rest(void **state)
{
    (void)state;
    const char *const variants[][3] = {{NULL}, {"rotations=tet", NULL}, {"strain=position", NULL}, {"slide=off", NULL}};
    for (int k = 0; k < 4; k++) {
        Tube tube;
        tube_open(&tube, 1, variants[k]);
        tube_step(&tube, 0, true);
        for (int f = 0; f < 30; f++)
            tube_step(&tube, 1.0f / 30, false);
        CHECK_NEAR(tube_distance(&tube, mat34_identity()), 0, 1e-5f * tube.who->mesh->diagonal);
        tube_close(&tube);
    }
}

static void rigid_motion_of_the_root_moves_the_settled_skin_rigidly(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    Mat34 moved = turn_about(vec3(0.3f, 2, 0), vec3_normalize_or(vec3(1, 2, 3), vec3(1, 0, 0)), 2);
    moved.m[1][3] += 5;
    tube_step(&tube, 0, true);
    tube_pose(&tube, moved, 0, 0);
    for (int f = 0; f < 150; f++)
        tube_step(&tube, 1.0f / 30, false);
    CHECK_NEAR(tube_distance(&tube, moved), 0, 2e-5f * tube.who->mesh->diagonal);
    tube_step(&tube, 0, true); // settled there at once
    CHECK_NEAR(tube_distance(&tube, moved), 0, 2e-5f * tube.who->mesh->diagonal);
    tube_close(&tube);
}

/// Elastic, and of inertia.
static double energy_of(const Projective *p, ProjMode mode)
{
    double sum =
        pelti_proj_energy(&p->tissue, (const ProjRow *)p->state.x, (const ProjRow *)p->state.q, p->state.warm, p->swelling.share);
    for (int i = 0; mode == PROJ_MOVING && i < p->count; i++)
        for (int k = 0; k < 3; k++) {
            double m = (double)p->system.inertia[i],
                   fly_to = (double)p->state.last[i][k] + (double)p->settings.time_step_s * (double)p->state.velocity[i][k];
            sum += 0.5 * m * ((double)p->state.x[i][k] - fly_to) * ((double)p->state.x[i][k] - fly_to);
        }
    return sum;
}

/// Local and global steps both minimise the same energy over their own unknowns.
static void energy_never_rises_over_iterations(void **state)
{
    (void)state;
    const char *const variants[][2] = {{NULL}, {"rotations=tet", NULL}};
    for (int k = 0; k < 2; k++)
        for (ProjMode mode = PROJ_STILL; mode < PROJ_MODE_COUNT; mode++) {
            Tube tube;
            tube_open(&tube, 1, variants[k]);
            tube_step(&tube, 0, true);
            tube_pose(&tube, mat34_identity(), 1.2f, -0.9f);
            memcpy(tube.p->state.last, tube.p->state.x, (size_t)tube.p->count * sizeof *tube.p->state.x);
            pelti_proj_begin(tube.p, tube_pose_of(&tube), mode);
            double last = INFINITY, first = 0;
            for (int i = 0; i < 60; i++) {
                pelti_proj_run(tube.p, &(ProjRounds){.pose = tube_pose_of(&tube), .mode = mode, .most = 1});
                double energy = energy_of(tube.p, mode);
                assert_true(energy <= last * (1 + 1e-5) + 1e-9);
                first = i ? first : energy;
                last = energy;
            }
            assert_true(last < 0.999 * first && last > 0);
            tube_close(&tube);
        }
}

static void bending_keeps_the_ends_with_their_bones(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    tube_pose(&tube, mat34_identity(), 1.5f, 0);
    tube_step(&tube, 0, true);
    const Vec3 *rest = tube.who->rest_points;
    for (int i = 0; i < TUBE_POINTS - 2; i++) {
        if (rest[i].x < 0.3f) // far from the bent joint at x = 1
            CHECK_NEAR(vec3_distance(tube.points[i], rest[i]), 0, 0.01);
        if (rest[i].x > 2.2f)
            CHECK_NEAR(vec3_distance(tube.points[i], mat34_apply(tube.bones[2], rest[i])), 0, 0.08);
    }
    tube_close(&tube);
}

static void jumps_and_noise_stay_finite(void **state)
{
    (void)state;
    const char *const variants[][2] = {{NULL}, {"virtual-frames=off", NULL}};
    for (int k = 0; k < 2; k++) {
        Tube tube;
        tube_open(&tube, 1, variants[k]);
        tube_step(&tube, 0, true);
        uint32_t seed = 5;
        for (int f = 0; f < 12; f++) {
            seed = seed * 1664525u + 1013904223u;
            float noise = 0.35f * ((float)(seed >> 8) / 8388608.0f - 1);
            tube_pose(&tube, turn_about(vec3(0, 0, 0), vec3(1, 0, 0), f & 1 ? 3.1415f : 0), f & 1 ? 3.1415f : noise, noise);
            tube_step(&tube, 1.0f / 30, false);
            assert_true(tube_finite(&tube));
        }
        tube_pose(&tube, mat34_identity(), 0, 0);
        for (int f = 0; f < 90; f++)
            tube_step(&tube, 1.0f / 30, false);
        CHECK_NEAR(tube_distance(&tube, mat34_identity()), 0, 1e-3f * tube.who->mesh->diagonal);
        tube_close(&tube);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    static Vec3 first[TUBE_POINTS];
    for (int threads = 1; threads <= 3; threads++) {
        Tube tube;
        tube_open(&tube, threads, NULL);
        tube_step(&tube, 0, true);
        for (int f = 1; f <= 5; f++) {
            tube_pose(&tube, mat34_identity(), 0.3f * (float)f, -0.2f * (float)f);
            tube_step(&tube, 1.0f / 30, false);
        }
        if (threads == 1)
            memcpy(first, tube.points, sizeof first);
        assert_memory_equal(first, tube.points, sizeof first);
        tube_close(&tube);
    }
}

/// Sideways swing of one point after the root stops at once: the time until it stays below a tenth of its first overshoot.
static float decay_time(const char *jiggle, int fps, float *overshoot, Vec3 *settled)
{
    const char *set[] = {jiggle, "firmness=0.08", NULL};
    Tube tube;
    tube_open(&tube, 1, set);
    tube_step(&tube, 0, true);
    int watch = 16 * AROUND; // on top of the middle
    float most = 0, last = 0;
    for (int f = 1; f <= 2 * fps; f++) {
        float t = (float)f / (float)fps, moved = t < 0.5f ? 4 * t : 2;
        Mat34 root = mat34_identity();
        root.m[1][3] = moved;
        tube_pose(&tube, root, 0, 0);
        tube_step(&tube, 1 / (float)fps, false);
        float swing = tube.points[watch].y - tube.who->rest_points[watch].y - moved;
        if (t > 0.5001f && swing > most)
            most = swing;
        if (t > 0.5001f && fabsf(swing) > 0.1f * most)
            last = t - 0.5f;
    }
    *overshoot = most / tube.who->mesh->diagonal;
    *settled = tube.points[watch];
    tube_close(&tube);
    return last;
}

static void a_stop_overshoots_and_decays_with_jiggle_not_with_the_frame_rate(void **state)
{
    (void)state;
    float over[4], time[4];
    Vec3 end[4];
    time[0] = decay_time("jiggle=0.7", 24, &over[0], &end[0]);
    time[1] = decay_time("jiggle=0.7", 30, &over[1], &end[1]);
    time[2] = decay_time("jiggle=0.7", 60, &over[2], &end[2]);
    time[3] = decay_time("jiggle=0.1", 30, &over[3], &end[3]);
    printf("overshoot %.4f of the size, decay %.3f %.3f %.3f s at 24, 30, 60 fps; jiggle 0.1: %.4f, %.3f s\n", (double)over[0],
           (double)time[0], (double)time[1], (double)time[2], (double)over[3], (double)time[3]);
    assert_true(over[0] > 1e-3f && over[3] < 0.7f * over[1]);
    CHECK_NEAR(time[0], time[1], 0.09);
    CHECK_NEAR(time[1], time[2], 0.09);
    assert_true(time[3] < 0.7f * time[1]);
    CHECK_NEAR(vec3_distance(end[0], end[1]), 0, 1e-3 * 3.2);
    CHECK_NEAR(vec3_distance(end[1], end[2]), 0, 1e-3 * 3.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_stays_at_rest),
        cmocka_unit_test(rigid_motion_of_the_root_moves_the_settled_skin_rigidly),
        cmocka_unit_test(energy_never_rises_over_iterations),
        cmocka_unit_test(bending_keeps_the_ends_with_their_bones),
        cmocka_unit_test(jumps_and_noise_stay_finite),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_stop_overshoots_and_decays_with_jiggle_not_with_the_frame_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
