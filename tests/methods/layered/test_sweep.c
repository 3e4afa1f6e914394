/// A fast point is caught by continuous detection alone; one that passes beside or outward is not.
#include "tube.h"

/// A point above the tube is thrown through its wall in one step; returns the contacts found for it.
static int throw_point(bool continuous, float *end_height)
{
    Tube tube;
    const char *options[] = {"continuous", continuous ? "true" : "false", NULL};
    tube_make(&tube, 3, NULL, NULL, options);
    PeltiFlesh *flesh = tube.flesh;
    // the far end of the tube is folded over its middle: one vertex of its last ring stands for a fast limb
    int found = 0, slot = flesh->paths.slot[tube.who->mesh->weld[(ALONG - 1) * AROUND]];
    Vec3 before = vec3(2.03f, 0.6f, 0.02f), after = vec3(2.03f, -0.1f, 0.02f); // the wall is at y = 0.5
    pelti_flesh_set_lane(flesh->match.x, slot, PELTI_LAYER_SKIN, vec3_sub(after, flesh->moving.origin));
    pelti_flesh_set_lane(flesh->moving.before, slot, PELTI_LAYER_SKIN, vec3_sub(before, flesh->moving.origin));
    pelti_layered_collide_detect(flesh);
    for (int i = 0; i < flesh->collide.contacts.count; i++)
        found += flesh->collide.contacts.list[i].slot[0] == slot && !flesh->collide.contacts.list[i].edges;
    for (int i = 0; i < 50; i++)
        pelti_layered_collide_project(flesh);
    *end_height = pelti_flesh_lane(flesh->match.x, slot, PELTI_LAYER_SKIN).y + flesh->moving.origin.y;
    tube_release(&tube);
    return found;
}

static void a_fast_hit_is_caught_by_continuous_detection_only(void **state)
{
    (void)state;
    float discrete, continuous;
    assert_int_equal(throw_point(false, &discrete), 0);
    assert_true(throw_point(true, &continuous) > 0);
    CHECK_NEAR(discrete, -0.1, 1e-3); // missed: it stays inside
    assert_true(continuous > 0.2f);   // held against the wall, which it has pushed in
}

static void passing_beside_or_outward_is_no_hit(void **state)
{
    (void)state;
    Tube tube;
    float weight[3];
    Vec3 normal;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    pelti_layered_collide_detect(flesh); // fills the positions
    int slot = 0, triangle = -1;
    for (int t = 0; t < flesh->mesh->triangle_count && triangle < 0; t++)
        if (flesh->rest.triangles[t][0] != slot && flesh->rest.triangles[t][1] != slot && flesh->rest.triangles[t][2] != slot)
            triangle = t;
    const int *v = flesh->rest.triangles[triangle];
    Vec3 *from = flesh->collide.skin.before, *to = flesh->collide.skin.now;
    for (int k = 0; k < 3; k++)
        from[v[k]] = to[v[k]];
    Vec3 n = vec3_normalize_or(vec3_cross(vec3_sub(to[v[1]], to[v[0]]), vec3_sub(to[v[2]], to[v[0]])), vec3(0, 0, 1));
    Vec3 middle = vec3_scale(vec3_add(vec3_add(to[v[0]], to[v[1]]), to[v[2]]), 1.0f / 3);
    from[slot] = vec3_mad(middle, n, 0.1f);
    to[slot] = vec3_mad(middle, n, -0.3f);
    assert_true(pelti_layered_sweep_point(&flesh->collide.skin, slot, flesh->rest.triangles[triangle], weight, &normal));
    CHECK_NEAR(vec3_dot(normal, n), 1, 1e-5);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(weight[k], 1.0f / 3, 1e-3);
    Vec3 keep = from[slot];
    from[slot] = to[slot];
    to[slot] = keep;
    assert_false(pelti_layered_sweep_point(&flesh->collide.skin, slot, flesh->rest.triangles[triangle], weight,
                                           &normal)); // from inside out
    from[slot] = vec3_add(vec3_mad(middle, n, 0.1f), vec3_sub(to[v[1]], to[v[0]]));
    from[slot] = vec3_add(from[slot], vec3_sub(to[v[1]], to[v[0]]));
    to[slot] = vec3_mad(from[slot], n, -0.3f);
    assert_false(
        pelti_layered_sweep_point(&flesh->collide.skin, slot, flesh->rest.triangles[triangle], weight, &normal)); // beside it
    tube_release(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_hit_is_caught_by_continuous_detection_only),
        cmocka_unit_test(passing_beside_or_outward_is_no_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
