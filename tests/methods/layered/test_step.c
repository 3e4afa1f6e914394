#include "core/hash.h"
#include "tube.h"

static void rest_stays_at_rest(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_step(&tube, 0, true);
    for (int i = 0; i < 5; i++)
        tube_step(&tube, 1 / 30.0f, false);
    for (int p = 0; p < tube.who->point_count; p++)
        CHECK_NEAR(vec3_distance(tube.points[p], tube.who->rest_points[p]), 0, 1e-5 * (double)tube.flesh->size);
    tube_release(&tube);
}

static void a_far_character_is_as_good_as_a_near_one(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_pose(&tube, 0.5f, vec3(0, 0, 0));
    tube_step(&tube, 0, true);
    Vec3 *near = PELTI_NEW(&tube.who->pool, Vec3, tube.who->point_count);
    memcpy(near, tube.points, sizeof(Vec3) * (size_t)tube.who->point_count);
    Vec3 shift = vec3(512, -256, 128);
    tube_pose(&tube, 0.5f, shift);
    tube_step(&tube, 0, true);
    for (int p = 0; p < tube.who->point_count; p++) // a float 512 from the origin has steps of 6e-5
        CHECK_NEAR(vec3_distance(vec3_add(near[p], shift), tube.points[p]), 0, 2e-3);
    tube_release(&tube);
}

static void a_bend_keeps_volume_and_comes_to_rest(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    tube_step(&tube, 0, true);
    double rest = pelti_mesh_volume(tube.who->mesh, tube.who->mesh->rest), worst = 0;
    Vec3 *vertices = PELTI_NEW(&tube.who->pool, Vec3, tube.who->mesh->vertex_count);
    for (int frame = 1; frame <= 90; frame++) {
        tube_pose(&tube, fminf((float)frame / 30, 1) * 1.9f, vec3(0, 0, 0));
        tube_step(&tube, 1 / 30.0f, false);
        for (int v = 0; v < tube.who->mesh->vertex_count; v++)
            vertices[v] = tube.points[tube.who->mesh->first_point[v]];
        worst = fmax(worst, fabs(pelti_mesh_volume(tube.who->mesh, vertices) / rest - 1));
    }
    float speed = pelti_flesh_speed(tube.flesh);
    printf("bent by 109 degrees: volume off by %.4f at most; 2 s later the fastest vertex moves %.2g sizes/s\n", worst,
           (double)speed);
    assert_true(worst < 0.009);
    assert_true(speed < 1e-3f);
    tube_release(&tube);
}

static void a_half_turn_in_one_frame_is_survived(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_step(&tube, 0, true);
    tube_pose(&tube, 3.14159f, vec3(0, 0, 0));
    tube_step(&tube, 1 / 30.0f, false);
    tube_pose(&tube, 0, vec3(50, 0, 0));
    tube_step(&tube, 1 / 30.0f, false);
    for (int i = 0; i < 30; i++)
        tube_step(&tube, 1 / 30.0f, false);
    for (int p = 0; p < tube.who->point_count; p++) // back in shape
        CHECK_NEAR(vec3_distance(tube.points[p], vec3_add(tube.who->rest_points[p], vec3(50, 0, 0))), 0, 0.02);
    tube_release(&tube);
}

static void softer_flesh_lags_more(void **state)
{
    (void)state;
    double lag[2] = {0};
    for (int soft = 0; soft < 2; soft++) {
        Tube tube;
        const char *options[] = {"fat-firmness",
                                 soft ? "0.05" : "0.9",
                                 "muscle-firmness",
                                 soft ? "0.05" : "0.9",
                                 "skin-firmness",
                                 soft ? "0.05" : "0.9",
                                 NULL};
        tube_make(&tube, 2, NULL, NULL, options);
        tube_step(&tube, 0, true);
        for (int i = 1; i <= 3; i++) {
            tube_pose(&tube, 0, vec3(0, 0.1f * (float)i, 0));
            tube_step(&tube, 1 / 30.0f, false);
        }
        for (int p = 0; p < tube.who->point_count; p++)
            lag[soft] += (double)vec3_distance(tube.points[p], vec3_add(tube.who->rest_points[p], vec3(0, 0.3f, 0)));
        tube_release(&tube);
    }
    assert_true(lag[1] > 2 * lag[0]);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
        Tube tube;
        PeltiJobs *jobs = run ? pelti_jobs_create(1 + run) : NULL;
        tube_make(&tube, 3, jobs, NULL, NULL);
        tube_step(&tube, 0, true);
        for (int i = 1; i <= 4; i++) {
            tube_pose(&tube, 0.3f * (float)i, vec3(0, 0, 0));
            tube_step(&tube, 1 / 30.0f, false);
        }
        hash[run] = pelti_hash(PELTI_HASH_START, tube.points, sizeof(Vec3) * (size_t)tube.who->point_count);
        tube_release(&tube);
        pelti_jobs_destroy(jobs);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

static long allocations;
static void *counted_alloc(size_t bytes, void *user)
{
    (void)user;
    allocations++;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}
static void counted_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

static void steps_do_not_allocate(void **state)
{
    (void)state;
    PeltAllocator counted = {counted_alloc, counted_free, NULL};
    Tube tube;
    tube_make(&tube, 3, NULL, &counted, NULL);
    long before = allocations;
    assert_true(before > 0);
    tube_step(&tube, 0, true);
    tube_pose(&tube, 1, vec3(0, 0, 0));
    tube_step(&tube, 1 / 30.0f, false);
    assert_int_equal(allocations, before);
    tube_release(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_stays_at_rest),
        cmocka_unit_test(a_far_character_is_as_good_as_a_near_one),
        cmocka_unit_test(a_bend_keeps_volume_and_comes_to_rest),
        cmocka_unit_test(a_half_turn_in_one_frame_is_survived),
        cmocka_unit_test(softer_flesh_lags_more),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(steps_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
