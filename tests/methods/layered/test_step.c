/// Layered flesh rests, bends, lags and survives jumps, and does not allocate or depend on threads.
#include "core/hash.h"
#include "stats.h"
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
        CHECK_NEAR(vec3_distance(tube.points[p], tube.who->rest_points[p]), 0, 1e-5 * (double)tube.flesh->rest.size);
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
            tube_pose(&tube, 0, vec3(0, 0.05f * (float)(i * i), 0)); // ever faster
            tube_step(&tube, 1 / 30.0f, false);
        }
        for (int p = 0; p < tube.who->point_count; p++)
            lag[soft] += (double)vec3_distance(tube.points[p], vec3_add(tube.who->rest_points[p], vec3(0, 0.45f, 0)));
        tube_release(&tube);
    }
    assert_true(lag[1] > 2 * lag[0]);
}

static void a_turned_character_is_turned_and_no_more(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 3, NULL, NULL, NULL);
    Mat34 turn = mat34_from(quat_to_mat3(quat_axis_angle(vec3_normalize_or(vec3(1, 2, -1), vec3(1, 0, 0)), 2)), vec3(1, 2, 3));
    for (int b = 0; b < 3; b++)
        tube.bones[b] = turn;
    tube_step(&tube, 0, true);
    for (int p = 0; p < tube.who->point_count; p++)
        CHECK_NEAR(vec3_distance(tube.points[p], mat34_apply(turn, tube.who->rest_points[p])), 0,
                   2e-5 * (double)tube.flesh->rest.size);
    tube_release(&tube);
}

/// Where the skeleton alone would put a point's vertex.
static Vec3 carried(const Tube *tube, int point)
{
    const PeltiFlesh *flesh = tube->flesh;
    return vec3_add(pelti_flesh_lane(flesh->moving.goal, flesh->paths.slot[flesh->mesh->weld[point]], PELTI_LAYER_SKIN),
                    flesh->moving.origin);
}

/// A clip that begins in the middle of a motion: flesh moves with its bones from the first frame on. Left behind it would jump by
/// its speed: 0.12 here, and swing.
static void a_clip_begins_in_the_middle_of_a_motion(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    static Vec3 offset[3][TUBE_POINTS];
    for (int frame = 0; frame < 3; frame++) {
        tube_pose(&tube, 0.3f + 0.04f * (float)frame, vec3(0, 0.1f * (float)frame, 0));
        tube_step(&tube, 1 / 30.0f, frame == 0);
        for (int p = 0; p < TUBE_POINTS; p++)
            offset[frame][p] = vec3_sub(tube.points[p], carried(&tube, p));
    }
    float most = 0;
    for (int p = 0; p < TUBE_POINTS; p++) {
        Vec3 bend = vec3_add(vec3_sub(offset[2][p], vec3_scale(offset[1][p], 2)), offset[0][p]);
        most = fmaxf(most, vec3_length(bend));
    }
    printf("offset from lbs bends by %.2g of the size at the first frame\n", (double)(most / tube.flesh->rest.size));
    assert_true(most < 2e-3f * tube.flesh->rest.size);
    tube_release(&tube);
}

/// Thrown flesh: nothing is farther from its bone's place than it lies from the bone, and no edge is torn.
static void thrown_flesh_stays_around_its_bones(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    tube_step(&tube, 0, true);
    tube_step(&tube, 1 / 30.0f, false);
    for (int s = 0; s < flesh->n; s++)
        pelti_flesh_set_lane(flesh->moving.velocity, s, PELTI_LAYER_SKIN, vec3(0, s % 7 ? 0 : 900, s % 5 ? 0 : -700));
    pelti_flesh_substep(flesh, tube.bones, 0.005f, false);
    for (int s = 0; s < flesh->n; s++) {
        Vec3 x = pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN);
        int v = flesh->paths.vertex[s];
        assert_true(vec3_distance(x, pelti_flesh_lane(flesh->moving.goal, s, PELTI_LAYER_SKIN)) < 1.01f * flesh->rest.depth[s]);
        for (int r = flesh->mesh->ring_start[v]; r < flesh->mesh->ring_start[v + 1]; r++) {
            Vec3 y = pelti_flesh_lane(flesh->match.x, flesh->paths.slot[flesh->mesh->ring[r]], PELTI_LAYER_SKIN);
            float rest = vec3_distance(flesh->mesh->rest[v], flesh->mesh->rest[flesh->mesh->ring[r]]);
            assert_true(vec3_distance(x, y) < 3 * rest);
        }
    }
    tube_release(&tube);
}

/// A frame says that contacts did not all fit if those of any of its substeps did not; the next one says it of its own.
static void contacts_that_do_not_fit_are_told_in_their_frame_alone(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    int room = tube.flesh->collide.contacts.capacity;
    tube_step(&tube, 0, true);
    tube_pose(&tube, 2.2f, vec3(0, 0, 0));
    PeltiStepReport enough = tube_step(&tube, 0.5f, false);
    assert_true(test_stat(&enough.told, "contacts") > 0);
    assert_true(test_stat(&enough.told, "contacts_overflowed") == 0);
    tube.flesh->collide.contacts.capacity = 1;
    PeltiStepReport full = tube_step(&tube, 1 / 30.0f, false);
    assert_true(test_stat(&full.told, "contacts_overflowed") == 1);
    tube_pose(&tube, 0, vec3(0, 0, 0)); // opens: the first substeps have too many contacts, the last ones none
    PeltiStepReport opened = tube_step(&tube, 0.5f, false);
    assert_true(test_stat(&opened.told, "contacts") == 0);
    assert_true(test_stat(&opened.told, "contacts_overflowed") == 1);
    tube.flesh->collide.contacts.capacity = room;
    PeltiStepReport after = tube_step(&tube, 1 / 30.0f, false);
    assert_true(test_stat(&after.told, "contacts_overflowed") == 0);
    PeltiStepReport anew = tube_step(&tube, 0, true);
    assert_true(test_stat(&anew.told, "contacts_overflowed") == 0);
    tube_release(&tube);
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
        cmocka_unit_test(a_turned_character_is_turned_and_no_more),
        cmocka_unit_test(a_clip_begins_in_the_middle_of_a_motion),
        cmocka_unit_test(thrown_flesh_stays_around_its_bones),
        cmocka_unit_test(contacts_that_do_not_fit_are_told_in_their_frame_alone),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(steps_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
