/// State as bytes, and feet: taken out and put back, the same steps give the same bytes; segments end on the bones.
#include "tube.h"

static void two_steps(Tube *tube, Vec3 *out)
{
    for (int k = 0; k < 2; k++) {
        tube_pose(tube, 0.3f + 0.1f * (float)k, vec3(0, 0, 0));
        tube_step(tube, 1.0f / 30, false);
    }
    memcpy(out, tube->points, sizeof(Vec3) * (size_t)tube->who->point_count);
}

/// The state as bytes, which are the caller's to free.
static char *state_of(Tube *tube)
{
    PeltiSnapshot measured = {PELTI_SNAPSHOT_MEASURE, NULL, 0};
    pelti_layered_keep(tube->flesh, &measured);
    char *bytes = test_malloc(measured.used);
    PeltiSnapshot save = {PELTI_SNAPSHOT_SAVE, bytes, 0};
    pelti_layered_keep(tube->flesh, &save);
    assert_int_equal(save.used, measured.used);
    return bytes;
}

static void restored_state_goes_on_as_it_was(void **state)
{
    (void)state;
    Tube tube, other;
    Vec3 first[TUBE_POINTS], again[TUBE_POINTS];
    tube_make(&tube, 2, NULL, NULL, NULL);
    tube_make(&other, 2, NULL, NULL, NULL);
    tube_step(&tube, 0, true);
    tube_pose(&tube, 0.2f, vec3(0, 0, 0));
    tube_step(&tube, 1.0f / 30, false);
    char *bytes = state_of(&tube);
    PeltiSnapshot restore = {PELTI_SNAPSHOT_RESTORE, bytes, 0};
    two_steps(&tube, first);
    pelti_layered_keep(other.flesh, &restore); // prepared the same, never stepped
    two_steps(&other, again);
    assert_memory_equal(first, again, sizeof first);
    restore.used = 0;
    pelti_layered_keep(tube.flesh, &restore); // and back to where it was
    two_steps(&tube, again);
    assert_memory_equal(first, again, sizeof first);
    test_free(bytes);
    tube_release(&other);
    tube_release(&tube);
}

static int touched(const Tube *tube)
{
    int count = 0;
    for (int s = 0; s < tube->flesh->n; s++)
        count += tube->flesh->collide.contacts.touched[s];
    return count;
}

/// What touched in the last step may be crossed a little more in the next one: a state says so, and a start knows of none.
static void who_touched_is_kept_and_forgotten_at_a_start(void **state)
{
    (void)state;
    Tube tube, other;
    tube_make(&tube, 2, NULL, NULL, NULL);
    tube_make(&other, 2, NULL, NULL, NULL);
    tube_step(&tube, 0, true);
    for (int k = 1; k <= 8; k++) {
        tube_pose(&tube, 0.35f * (float)k, vec3(0, 0, 0));
        tube_step(&tube, 1.0f / 30, false);
    }
    char *bytes = state_of(&tube);
    PeltiSnapshot restore = {PELTI_SNAPSHOT_RESTORE, bytes, 0};
    pelti_layered_keep(other.flesh, &restore); // prepared the same, never stepped
    pelti_layered_collide_detect(tube.flesh);
    pelti_layered_collide_detect(other.flesh);
    assert_true(touched(&tube) > 0);
    assert_memory_equal(tube.flesh->collide.contacts.touched, other.flesh->collide.contacts.touched, (size_t)tube.flesh->n);
    assert_int_equal(tube.flesh->collide.contacts.count, other.flesh->collide.contacts.count);
    pelti_flesh_rest(tube.flesh);
    pelti_layered_collide_detect(tube.flesh);
    assert_int_equal(touched(&tube), 0);
    test_free(bytes);
    tube_release(&other);
    tube_release(&tube);
}

/// A round tube around its bones: every segment ends on the axis, or near it in the caps, and inside the tube.
static void feet_lie_on_the_bones_of_a_round_tube(void **state)
{
    (void)state;
    Tube tube;
    PeltiPool work;
    PeltError err = {0};
    tube_make(&tube, 2, NULL, NULL, NULL);
    pelti_pool_init(&work, NULL);
    int n = tube.flesh->n, on_axis = 0;
    Vec3 *feet = PELTI_NEW(&work, Vec3, n);
    assert_int_equal(pelti_layered_feet_find(tube.flesh, &work, feet, &err), PELT_OK);
    for (int v = 0; v < n; v++) {
        Vec3 p = tube.flesh->mesh->rest[v], bone = pelti_layered_feet_on_bones(tube.flesh, tube.flesh->paths.slot[v], p);
        CHECK_NEAR(hypotf(bone.y, bone.z), 0, 1e-5);
        assert_true(hypotf(feet[v].y, feet[v].z) < 0.5f && feet[v].x > 0 && feet[v].x < 4);
        bool side = p.x > 1 && p.x < 3;
        on_axis += side && hypotf(feet[v].y, feet[v].z) < 0.02f;
        assert_true(!side || hypotf(feet[v].y, feet[v].z) < 0.1f);
    }
    assert_true(on_axis > n / 4);
    pelti_pool_release(&work);
    tube_release(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(restored_state_goes_on_as_it_was),
                                       cmocka_unit_test(who_touched_is_kept_and_forgotten_at_a_start),
                                       cmocka_unit_test(feet_lie_on_the_bones_of_a_round_tube)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
