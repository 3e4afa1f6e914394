/// State as bytes: taken out and put back, the same steps give the same bytes, with all that contacts and jiggling carry.
#include "tube.h"

static void bend_on(Tube *tube, Vec3 *out)
{
    for (int k = 0; k < 3; k++) {
        tube_pose(tube, mat34_identity(), 2.2f - 0.2f * (float)k, 0.3f * (float)k);
        tube_step(tube, 1.0f / 30, false);
    }
    memcpy(out, tube->points, sizeof tube->points);
}

/// A joint that was wound past half a turn before is still wound that way.
static void wring_on(Tube *tube, Vec3 *out)
{
    for (int b = 1; b < 3; b++)
        tube->bones[b] = turn_about(vec3(1, 0, 0), vec3(1, 0, 0), 3.5f);
    tube_step(tube, 1.0f / 30, false);
    memcpy(out, tube->points, sizeof tube->points);
}

/// The state of a tube that has moved goes to one that was prepared the same and never stepped, and back: what follows is the
/// same bytes each time.
static void check_restored(Tube *tube, Tube *other, void (*on)(Tube *, Vec3 *))
{
    static Vec3 first[TUBE_POINTS], again[TUBE_POINTS];
    PeltiSnapshot measured = {PELTI_SNAPSHOT_MEASURE, NULL, 0};
    pelti_proj_keep(tube->p, &measured);
    char *bytes = test_malloc(measured.used);
    PeltiSnapshot save = {PELTI_SNAPSHOT_SAVE, bytes, 0}, restore = {PELTI_SNAPSHOT_RESTORE, bytes, 0};
    pelti_proj_keep(tube->p, &save);
    assert_int_equal(save.used, measured.used);
    on(tube, first);
    pelti_proj_keep(other->p, &restore);
    on(other, again);
    assert_memory_equal(first, again, sizeof first);
    restore.used = 0;
    pelti_proj_keep(tube->p, &restore);
    on(tube, again);
    assert_memory_equal(first, again, sizeof first);
    test_free(bytes);
    tube_close(other);
    tube_close(tube);
}

static void restored_state_stays_wound(void **state)
{
    (void)state;
    static Tube tube, other;
    tube_open(&tube, 1, NULL);
    tube_open(&other, 1, NULL);
    tube_step(&tube, 0, true);
    for (int k = 1; k <= 8; k++) {
        tube.bones[1] = tube.bones[2] = turn_about(vec3(1, 0, 0), vec3(1, 0, 0), 0.42f * (float)k);
        tube_step(&tube, 1.0f / 30, false);
    }
    check_restored(&tube, &other, wring_on);
}

static void restored_state_goes_on_as_it_was(void **state)
{
    (void)state;
    static Tube tube, other;
    const char *const set[] = {"jiggle=0.7", NULL};
    tube_open(&tube, 1, set);
    tube_open(&other, 1, set);
    tube_step(&tube, 0, true);
    for (int k = 1; k <= 6; k++) {
        tube_pose(&tube, mat34_identity(), 0.4f * (float)k, 0);
        tube_step(&tube, 1.0f / 30, false);
    }
    check_restored(&tube, &other, bend_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(restored_state_goes_on_as_it_was),
                                       cmocka_unit_test(restored_state_stays_wound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
