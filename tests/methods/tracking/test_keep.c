/// State as bytes: taken out and put back, the same steps give the same bytes.
#include "rig.h"

static void two_steps(Rig *rig, Vec3 *out)
{
    for (int k = 0; k < 2; k++) {
        turn(rig, last_bone(rig), vec3(0, 0, 1), 0.16f + 0.05f * (float)k);
        step(rig, false);
    }
    memcpy(out, rig->points, sizeof(Vec3) * (size_t)rig->who->mesh->vertex_count);
}

static void restored_state_goes_on_as_it_was(void **state)
{
    (void)state;
    enum { VERTICES = TEST_WORK(3000, 1000) };
    Rig rig = start("hand", VERTICES, 1, NULL, NULL), other = start("hand", VERTICES, 1, NULL, NULL);
    int count = rig.who->mesh->vertex_count;
    Vec3 *first = PELTI_NEW(&rig.who->pool, Vec3, count), *again = PELTI_NEW(&rig.who->pool, Vec3, count);
    step(&rig, true);
    turn(&rig, last_bone(&rig), vec3(0, 0, 1), 0.1f);
    step(&rig, false);
    PeltiSnapshot measured = {PELTI_SNAPSHOT_MEASURE, NULL, 0};
    pelti_tracking_keep(rig.state, &measured);
    char *bytes = test_malloc(measured.used);
    PeltiSnapshot save = {PELTI_SNAPSHOT_SAVE, bytes, 0}, restore = {PELTI_SNAPSHOT_RESTORE, bytes, 0};
    pelti_tracking_keep(rig.state, &save);
    assert_int_equal(save.used, measured.used);
    two_steps(&rig, first);
    pelti_tracking_keep(other.state, &restore); // prepared the same, never stepped
    assert_int_equal(restore.used, measured.used);
    two_steps(&other, again);
    assert_memory_equal(first, again, sizeof(Vec3) * (size_t)count);
    restore.used = 0;
    pelti_tracking_keep(rig.state, &restore); // and back to where it was
    two_steps(&rig, again);
    assert_memory_equal(first, again, sizeof(Vec3) * (size_t)count);
    test_free(bytes);
    stop(&other);
    stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(restored_state_goes_on_as_it_was)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
